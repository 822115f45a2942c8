# What the traffic shows of indicators: each part gives the intelligence framework one kind of them.

#@ policy/frameworks/intel/seen/conn-established
event connection_established(c: connection)
	{
	Intel::seen([$host=c$id$orig_h, $conn=c, $where=Conn::IN_ORIG]);
	Intel::seen([$host=c$id$resp_h, $conn=c, $where=Conn::IN_RESP]);
	}

#@ policy/frameworks/intel/seen/dns
event dns_request(c: connection, msg: dns_msg, query: string, qtype: count, qclass: count)
	{
	Intel::seen([$indicator=query, $indicator_type=Intel::DOMAIN, $conn=c, $where=DNS::IN_REQUEST]);
	}

#@ policy/frameworks/intel/seen/file-hashes
event file_hash(f: fa_file, kind: string, hash: string)
	{
	Intel::seen([$indicator=hash, $indicator_type=Intel::FILE_HASH, $f=f, $where=Files::IN_HASH]);
	}

#@ policy/frameworks/intel/seen/file-names
event file_new(f: fa_file)
	{
	if ( f?$info && f$info?$filename )
		Intel::seen([$indicator=f$info$filename, $indicator_type=Intel::FILE_NAME, $f=f, $where=Files::IN_NAME]);
	}

#@ policy/frameworks/intel/seen/http-headers
event http_header(c: connection, is_orig: bool, name: string, value: string)
	{
	if ( ! is_orig )
		return;
	switch ( name )
		{
		case "HOST":
			local host = split_string1(value, /:[0-9]+$/)[0];
			if ( is_valid_ip(host) )
				Intel::seen([$host=to_addr(host), $indicator_type=Intel::ADDR, $conn=c, $where=HTTP::IN_HOST_HEADER]);
			else
				Intel::seen([$indicator=host, $indicator_type=Intel::DOMAIN, $conn=c, $where=HTTP::IN_HOST_HEADER]);
			break;
		case "REFERER":
			Intel::seen([$indicator=sub(value, /^.*:\/\//, ""), $indicator_type=Intel::URL, $conn=c, $where=HTTP::IN_REFERRER_HEADER]);
			break;
		case "X-FORWARDED-FOR":
			for ( _, address in extract_ip_addresses(value) )
				Intel::seen([$host=to_addr(address), $indicator_type=Intel::ADDR, $conn=c, $where=HTTP::IN_X_FORWARDED_FOR_HEADER]);
			break;
		case "USER-AGENT":
			Intel::seen([$indicator=value, $indicator_type=Intel::SOFTWARE, $conn=c, $where=HTTP::IN_USER_AGENT_HEADER]);
			break;
		}
	}

#@ policy/frameworks/intel/seen/http-url
event http_message_done(c: connection, is_orig: bool, stat: http_message_stat)
	{
	if ( is_orig && c?$http )
		Intel::seen([$indicator=HTTP::build_url(c$http), $indicator_type=Intel::URL, $conn=c, $where=HTTP::IN_URL]);
	}

#@ policy/frameworks/intel/seen/pubkey-hashes
event ssh_server_host_key(c: connection, hash: string)
	{
	Intel::seen([$indicator=hash, $indicator_type=Intel::PUBKEY_HASH, $conn=c, $where=SSH::IN_SERVER_HOST_KEY]);
	}

#@ policy/frameworks/intel/seen/smb-filenames
event file_new(f: fa_file)
	{
	if ( f$source != "SMB" || ! f?$info || ! f$info?$filename )
		return;
	local parts = split_string(f$info$filename, /\\/);
	local name = parts[|parts| - 1];
	if ( f?$conns )
		for ( _, c in f$conns )
			{
			Intel::seen([$indicator=name, $indicator_type=Intel::FILE_NAME, $f=f, $conn=c, $where=SMB::IN_FILE_NAME]);
			break;
			}
	}

#@ policy/frameworks/intel/seen/smtp
event smtp_request(c: connection, is_orig: bool, command: string, arg: string) &priority=3
	{
	if ( ! c?$smtp )
		return;
	switch ( to_upper(command) )
		{
		case "MAIL":
			if ( c$smtp?$mailfrom )
				Intel::seen([$indicator=c$smtp$mailfrom, $indicator_type=Intel::EMAIL, $conn=c, $where=SMTP::IN_MAIL_FROM]);
			break;
		case "RCPT":
			if ( /^[tT][oO]:/ in arg )
				Intel::seen([$indicator=SMTP::address_of(arg), $indicator_type=Intel::EMAIL, $conn=c, $where=SMTP::IN_RCPT_TO]);
			break;
		}
	}

#@ policy/frameworks/intel/seen/ssl
event ssl_extension_server_name(c: connection, is_client: bool, names: string_vec)
	{
	if ( is_client && |names| > 0 )
		Intel::seen([$indicator=names[0], $indicator_type=Intel::DOMAIN, $conn=c, $where=SSL::IN_SERVER_NAME]);
	}

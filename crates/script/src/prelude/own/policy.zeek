# Policy scripts: what sites load beside the default ones.

#@ policy/misc/dump-events
event zeek_init() &priority=999
	{
	if ( DumpEvents::dump_all_events )
		generate_all_events();
	}

event new_event(name: string, params: call_argument_vector)
	{
	if ( DumpEvents::include !in name )
		return;

	if ( DumpEvents::use_json )
		{
		local values: table[string] of any = table();

		if ( DumpEvents::include_args )
			for ( _, given in params )
				if ( given?$value )
					values[given$name] = given$value;

		print to_json([$ts=network_time(), $name=name, $args=values]);
		return;
		}

	print fmt("%17.6f %s", network_time(), name);

	if ( ! DumpEvents::include_args || |params| == 0 )
		return;

	for ( i, param in params )
		{
		local what = fmt("%s: %s", param$name, param$type_name);
		local value = param?$value ? cat(param$value) : (param?$default_val ? cat(param$default_val) : "<no value>");
		print fmt("                  [%d] %-18s = %s", i, what, value);
		}

	print "";
	}

#@ policy/misc/weird-stats
global WeirdStats::weir_seen: table[string] of count = table() &default=0;

event conn_weird(name: string, c: connection, addl: string, source: string)
	{
	++WeirdStats::weir_seen[name];
	}

event flow_weird(name: string, src: addr, dst: addr, addl: string, source: string)
	{
	++WeirdStats::weir_seen[name];
	}

event net_weird(name: string, addl: string, source: string)
	{
	++WeirdStats::weir_seen[name];
	}

event file_weird(name: string, f: fa_file, addl: string, source: string)
	{
	++WeirdStats::weir_seen[name];
	}

event WeirdStats::weir_observe()
	{
	for ( name, more in WeirdStats::weir_seen )
		SumStats::observe("weirds.encountered", [$str=name], [$dbl=(more + 0.0)]);

	WeirdStats::weir_seen = table() &default=0;

	if ( ! zeek_is_terminating() )
		schedule WeirdStats::weird_stat_interval { WeirdStats::weir_observe() };
	}

event zeek_init() &priority=5
	{
	Log::create_stream(WeirdStats::LOG, [$columns=WeirdStats::Info, $ev=WeirdStats::log_weird_stats, $path="weird_stats", $policy=WeirdStats::log_policy]);

	local sums: SumStats::Reducer = [$stream="weirds.encountered", $apply=set(SumStats::SUM)];
	SumStats::create([$name="weirds.statistics", $epoch=WeirdStats::weird_stat_interval, $reducers=set(sums),
	    $epoch_result(ts: time, key: SumStats::Key, result: SumStats::Result) =
		{
		Log::write(WeirdStats::LOG, [$ts=ts, $name=key$str, $num_seen=double_to_count(result["weirds.encountered"]$sum)]);
		}]);

	schedule WeirdStats::weird_stat_interval { WeirdStats::weir_observe() };
	}

event zeek_done() &priority=5
	{
	event WeirdStats::weir_observe();
	}

#@ policy/protocols/conn/weirds
event rexmit_inconsistency(c: connection, t1: string, t2: string, tcp_flags: string)
	{
	NOTICE([$note=Conn::Retransmission_Inconsistency, $conn=c,
	    $msg=fmt("%s rexmit inconsistency (%s) (%s) [%s]", id_string(c$id), t1, t2, tcp_flags),
	    $identifier=fmt("%s", c$id)]);
	}

event content_gap(c: connection, is_orig: bool, seq: count, length: count)
	{
	NOTICE([$note=Conn::Content_Gap, $conn=c,
	    $msg=fmt("%s content gap (%s %d/%d)%s", id_string(c$id), is_orig ? ">" : "<", seq, length, "")]);
	}

#@ policy/protocols/conn/failed-service-logging
event analyzer_violation_info(tag: AllAnalyzers::Tag, info: AnalyzerViolationInfo)
	{
	if ( info?$c && ! is_packet_analyzer(tag) )
		add info$c$failed_analyzers[to_lower(Analyzer::name(tag))];
	}

event connection_state_remove(c: connection)
	{
	if ( |c$failed_analyzers| > 0 && c?$conn )
		c$conn$failed_service = c$failed_analyzers;
	}

#@ policy/protocols/ftp/detect-bruteforcing
global FTP::weir_logins: table[string] of string = table() &read_expire=10 mins;

event zeek_init()
	{
	local failures: SumStats::Reducer = [$stream="ftp.failed_auth", $apply=set(SumStats::UNIQUE), $unique_max=double_to_count(FTP::bruteforce_threshold + 2)];
	SumStats::create([$name="ftp-detect-bruteforcing", $epoch=FTP::bruteforce_measurement_interval, $reducers=set(failures),
	    $threshold_val(key: SumStats::Key, result: SumStats::Result) =
		{
		return result["ftp.failed_auth"]$num + 0.0;
		},
	    $threshold=FTP::bruteforce_threshold,
	    $threshold_crossed(key: SumStats::Key, result: SumStats::Result) =
		{
		local seen = result["ftp.failed_auth"];
		NOTICE([$note=FTP::Bruteforcing, $src=key$host, $identifier=cat(key$host),
		    $msg=fmt("%s had %d failed logins on %d FTP server%s in %s", key$host, seen$num, seen$unique,
		        seen$unique == 1 ? "" : "s", duration_to_mins_secs(seen$end - seen$begin))]);
		}]);
	}

event ftp_request(c: connection, command: string, arg: string)
	{
	FTP::weir_logins[c$uid] = to_upper(command);
	}

event ftp_reply(c: connection, code: count, msg: string, cont_resp: bool)
	{
	if ( code < 500 || code > 599 || c$uid !in FTP::weir_logins )
		return;

	if ( FTP::weir_logins[c$uid] == "USER" || FTP::weir_logins[c$uid] == "PASS" )
		SumStats::observe("ftp.failed_auth", [$host=c$id$orig_h], [$str=cat(c$id$resp_h)]);
	}

#@ policy/protocols/http/detect-sql-injection
redef HTTP::match_sql_injection_uri = /[?&][^=]*=[^&]*(['"]|%27|%22)?[ +\/*-]*((or|and)[ +\/*-]+['"]?[0-9a-z]+['"]?[ +]*(=|<|>|like)|union[ +\/*-]+(all[ +\/*-]+)?select|(select|insert|update|delete|drop|alter)[ +\/*-]+([a-z0-9_*,]+[ +\/*-]+)*(from|into|set|table)|(exec|execute)[ +\/*-]+(xp_|sp_)|waitfor[ +]+delay|benchmark\(|sleep\(|char\()|[?&][^=]*=[^&]*['"][ +]*(;|--|#|\|\|)/i;

event zeek_init()
	{
	local attackers: SumStats::Reducer = [$stream="http.sqli.attacker", $apply=set(SumStats::SUM, SumStats::SAMPLE), $num_samples=5];
	SumStats::create([$name="detect-sqli-attackers", $epoch=HTTP::sqli_requests_interval, $reducers=set(attackers),
	    $threshold_val(key: SumStats::Key, result: SumStats::Result) = { return result["http.sqli.attacker"]$sum; },
	    $threshold=HTTP::sqli_requests_threshold,
	    $threshold_crossed(key: SumStats::Key, result: SumStats::Result) =
		{
		NOTICE([$note=HTTP::SQL_Injection_Attacker, $msg="An SQL injection attacker was discovered!", $src=key$host, $identifier=cat(key$host)]);
		}]);

	local victims: SumStats::Reducer = [$stream="http.sqli.victim", $apply=set(SumStats::SUM, SumStats::SAMPLE), $num_samples=5];
	SumStats::create([$name="detect-sqli-victims", $epoch=HTTP::sqli_requests_interval, $reducers=set(victims),
	    $threshold_val(key: SumStats::Key, result: SumStats::Result) = { return result["http.sqli.victim"]$sum; },
	    $threshold=HTTP::sqli_requests_threshold,
	    $threshold_crossed(key: SumStats::Key, result: SumStats::Result) =
		{
		NOTICE([$note=HTTP::SQL_Injection_Victim, $msg="An SQL injection victim was discovered!", $src=key$host, $identifier=cat(key$host)]);
		}]);
	}

event http_request(c: connection, method: string, original_URI: string, unescaped_URI: string, version: string) &priority=3
	{
	if ( ! hook HTTP::sqli_policy(c, method, unescaped_URI) || HTTP::match_sql_injection_uri !in unescaped_URI )
		return;

	add c$http$tags[HTTP::URI_SQLI];
	SumStats::observe("http.sqli.attacker", [$host=c$id$orig_h], [$str=original_URI, $uid=c$uid]);
	SumStats::observe("http.sqli.victim", [$host=c$id$resp_h], [$str=original_URI, $uid=c$uid]);
	}

#@ policy/protocols/http/software-browser-plugins
event http_header(c: connection, is_orig: bool, name: string, value: string) &priority=3
	{
	if ( ! is_orig )
		{
		if ( name == "SERVER" && /^Omniture/ in value )
			c$http$omniture = T;
		return;
		}

	if ( name == "USER-AGENT" && /AdobeAIR/ in value )
		c$http$flash_version = "AdobeAIR-Flash/";
	else if ( name == "X-FLASH-VERSION" )
		{
		local version = (c$http?$flash_version ? c$http$flash_version : "Flash/") + value;
		Software::found(c$id, [$unparsed_version=version, $host=c$id$orig_h, $software_type=HTTP::BROWSER_PLUGIN]);
		}
	}

event http_message_done(c: connection, is_orig: bool, stat: http_message_stat)
	{
	if ( is_orig || ! c$http$omniture || ! c$http?$uri )
		return;

	# The plugins of a browser are the values of the parameter `p`, between semicolons.
	local parameters = split_string(c$http$uri, /[?&]/);

	for ( _, parameter in parameters )
		{
		if ( sub_bytes(parameter, 1, 2) != "p=" )
			next;

		for ( _, plugin in split_string(sub(unescape_URI(parameter), /^p=/, ""), /;/) )
			if ( plugin != "" )
				Software::found(c$id, [$unparsed_version=plugin, $host=c$id$orig_h, $software_type=HTTP::BROWSER_PLUGIN]);
		}
	}

#@ policy/protocols/modbus/known-masters-slaves
redef Known::modbus_nodes += {} &create_expire=1 day;

event zeek_init() &priority=5
	{
	Log::create_stream(Known::MODBUS_LOG, [$columns=Known::ModbusInfo, $ev=Known::log_known_modbus, $path="known_modbus", $policy=Known::log_policy_modbus]);
	}

function Known::weir_modbus(host: addr, kind: Known::ModbusDeviceType)
	{
	if ( [host, kind] in Known::modbus_nodes )
		return;

	add Known::modbus_nodes[host, kind];
	Log::write(Known::MODBUS_LOG, [$ts=network_time(), $host=host, $device_type=kind]);
	}

event modbus_message(c: connection, headers: ModbusHeaders, is_orig: bool)
	{
	Known::weir_modbus(c$id$orig_h, Known::MODBUS_MASTER);
	Known::weir_modbus(c$id$resp_h, Known::MODBUS_SLAVE);
	}

#@ policy/protocols/mysql/software
event mysql_server_version(c: connection, ver: string)
	{
	if ( ver != "" )
		Software::found(c$id, [$unparsed_version=fmt("MySQL/%s", ver), $host=c$id$resp_h, $host_p=c$id$resp_p, $software_type=MySQL::SERVER]);
	}

#@ policy/protocols/smtp/blocklists
redef SMTP::blocklist_error_messages = /spamhaus|spamcop|sorbs\.net|barracuda(central|networks)|cloudmark|proofpoint|block ?list|black ?list|dnsbl|rbl\.|senderbase|reputation/i;

event smtp_reply(c: connection, is_orig: bool, code: count, cmd: string, msg: string, cont_resp: bool) &priority=3
	{
	if ( code < 400 || code == 421 || SMTP::blocklist_error_messages !in msg )
		return;

	local note = SMTP::Blocklist_Error_Message;
	local text = fmt("%s received an error message mentioning an SMTP block list", c$id$orig_h);
	local addresses = extract_ip_addresses(msg);

	if ( |addresses| > 0 && to_addr(addresses[0]) == c$id$orig_h )
		{
		note = SMTP::Blocklist_Blocked_Host;
		text = fmt("%s is on an SMTP block list", c$id$orig_h);
		}

	NOTICE([$note=note, $conn=c, $msg=text, $sub=msg, $identifier=cat(c$id$orig_h)]);
	}

#@ policy/protocols/smtp/detect-suspicious-orig
event SMTP::log_smtp(rec: SMTP::Info)
	{
	if ( ! rec?$x_originating_ip )
		return;

	local origin = rec$x_originating_ip;
	local place = lookup_location(origin);
	local country = place?$country_code ? place$country_code : "";

	if ( country in SMTP::suspicious_origination_countries || origin in SMTP::suspicious_origination_networks )
		NOTICE([$note=SMTP::Suspicious_Origination, $msg=fmt("An email originated from %s (%s).", country, origin), $id=rec$id]);
	}

#@ policy/protocols/ssh/geo-data
event ssh_auth_successful(c: connection, auth_method_none: bool) &priority=3
	{
	# The end that is not of the site is the remote one.
	local is_outbound = Site::is_local_addr(c$id$orig_h);
	local place = lookup_location(is_outbound ? c$id$resp_h : c$id$orig_h);

	if ( c?$ssh )
		c$ssh$remote_location = place;

	if ( place?$country_code && place$country_code in SSH::watched_countries )
		NOTICE([$note=SSH::Watched_Country_Login, $conn=c,
		    $msg=fmt("SSH login %s watched country: %s", is_outbound ? "to" : "from", place$country_code)]);
	}

#@ policy/protocols/ssh/interesting-hostnames
event ssh_auth_successful(c: connection, auth_method_none: bool)
	{
	for ( host in set(c$id$orig_h, c$id$resp_h) )
		when [c, host] ( local name = lookup_addr(host) )
			{
			if ( SSH::interesting_hostnames in name )
				NOTICE([$note=SSH::Interesting_Hostname_Login, $conn=c,
				    $msg=fmt("Possible SSH login involving a %s %s with an interesting hostname.",
				        Site::is_local_addr(host) ? "local" : "remote", host == c$id$orig_h ? "client" : "server"),
				    $sub=name]);
			}
	}

#@ policy/misc/unknown-protocols
event zeek_init() &priority=5
	{
	Log::create_stream(UnknownProtocol::LOG, Log::Stream($columns=UnknownProtocol::Info, $path="unknown_protocols", $policy=UnknownProtocol::log_policy));
	}

event unknown_protocol(analyzer_name: string, protocol: count, first_bytes: string, analyzer_history: string_vec)
	{
	Log::write(UnknownProtocol::LOG, UnknownProtocol::Info($ts=network_time(), $analyzer=analyzer_name,
	                                                       $protocol_id=fmt("0x%x", protocol), $protocol_id_num=protocol,
	                                                       $first_bytes=bytestring_to_hexstr(first_bytes),
	                                                       $analyzer_history=analyzer_history));
	}

#@ policy/protocols/ssl/ssl-log-ext
event ssl_client_hello(c: connection, version: count, record_version: count, possible_ts: time, client_random: string, session_id: string, ciphers: index_vec, comp_methods: index_vec) &priority=3
	{
	c$ssl$client_version = version;
	c$ssl$client_ciphers = ciphers;
	c$ssl$client_comp_methods = comp_methods;
	}

event ssl_server_hello(c: connection, version: count, record_version: count, possible_ts: time, server_random: string, session_id: string, cipher: count, comp_method: count) &priority=3
	{
	c$ssl$server_version = version;
	c$ssl$comp_method = comp_method;
	}

event ssl_session_ticket_handshake(c: connection, ticket_lifetime_hint: count, ticket: string) &priority=3
	{
	c$ssl$ticket_lifetime_hint = ticket_lifetime_hint;
	}

event ssl_extension(c: connection, is_client: bool, code: count, val: string) &priority=3
	{
	if ( is_client )
		{
		if ( ! c$ssl?$ssl_client_exts )
			c$ssl$ssl_client_exts = vector();
		c$ssl$ssl_client_exts += code;
		}
	else
		{
		if ( ! c$ssl?$ssl_server_exts )
			c$ssl$ssl_server_exts = vector();
		c$ssl$ssl_server_exts += code;
		}
	}

event ssl_extension_elliptic_curves(c: connection, is_client: bool, curves: index_vec) &priority=3
	{
	if ( is_client )
		c$ssl$client_curves = curves;
	}

event ssl_extension_ec_point_formats(c: connection, is_client: bool, point_formats: index_vec) &priority=3
	{
	if ( is_client )
		c$ssl$point_formats = point_formats;
	}

event ssl_extension_application_layer_protocol_negotiation(c: connection, is_client: bool, names: string_vec) &priority=3
	{
	if ( is_client )
		c$ssl$orig_alpn = names;
	}

event ssl_extension_signature_algorithm(c: connection, is_client: bool, signature_algorithms: signature_and_hashalgorithm_vec) &priority=3
	{
	if ( ! is_client )
		return;

	c$ssl$sigalgs = vector();
	c$ssl$hashalgs = vector();

	for ( _, pair in signature_algorithms )
		{
		c$ssl$sigalgs += pair$SignatureAlgorithm;
		c$ssl$hashalgs += pair$HashAlgorithm;
		}
	}

event ssl_extension_key_share(c: connection, is_client: bool, curves: index_vec) &priority=3
	{
	if ( is_client )
		c$ssl$client_key_share_groups = curves;
	else if ( |curves| > 0 )
		c$ssl$server_key_share_group = curves[0];
	}

event ssl_extension_supported_versions(c: connection, is_client: bool, versions: index_vec) &priority=3
	{
	if ( is_client )
		c$ssl$client_supported_versions = versions;
	else if ( |versions| > 0 )
		c$ssl$server_supported_version = versions[0];
	}

event ssl_extension_psk_key_exchange_modes(c: connection, is_client: bool, modes: index_vec) &priority=3
	{
	if ( is_client )
		c$ssl$psk_key_exchange_modes = modes;
	}

event ssl_dh_server_params(c: connection, p: string, q: string, Ys: string) &priority=3
	{
	c$ssl$dh_param_size = |p| * 8;
	}

#@ policy/frameworks/intel/seen/x509
event x509_certificate(f: fa_file, cert_ref: opaque of x509, cert: X509::Certificate)
	{
	local place = /emailAddress=[^,]*/;
	local found = match_pattern(cert$subject, place);

	if ( found$matched )
		Intel::seen([$indicator=sub(found$str, /^emailAddress=/, ""), $indicator_type=Intel::EMAIL, $f=f, $where=X509::IN_CERT]);

	Intel::seen([$indicator=sha1_hash(x509_get_certificate_string(cert_ref)), $indicator_type=Intel::CERT_HASH, $f=f, $where=X509::IN_CERT]);

	if ( ! cert?$cn || ! f?$conns )
		return;

	for ( _, c in f$conns )
		Intel::seen([$indicator=cert$cn, $indicator_type=Intel::DOMAIN, $fuid=f$id, $conn=c, $where=X509::IN_CERT]);
	}

event x509_ext_subject_alternative_name(f: fa_file, ext: X509::SubjectAlternativeName)
	{
	if ( ! Intel::enable_x509_ext_subject_alternative_name || ! ext?$dns )
		return;

	for ( _, name in ext$dns )
		Intel::seen([$indicator=name, $indicator_type=Intel::DOMAIN, $f=f, $where=X509::IN_CERT]);
	}


#@ policy/frameworks/software/vulnerable
function Software::weir_is_vulnerable(info: Software::Info): bool
	{
	if ( ! info?$name || ! info?$version || info$name !in Software::vulnerable_versions )
		return F;

	for ( range in Software::vulnerable_versions[info$name] )
		{
		if ( Software::cmp_versions(info$version, range$max) > 0 )
			next;
		if ( ! range?$min || Software::cmp_versions(info$version, range$min) >= 0 )
			return T;
		}

	return F;
	}

event Software::log_software(rec: Software::Info)
	{
	if ( Software::weir_is_vulnerable(rec) )
		{
		local text = fmt("%s %s", rec$name, Software::weir_version(rec$version));
		NOTICE([$note=Software::Vulnerable_Version, $src=rec$host, $sub=text,
		    $msg=fmt("%s is running %s which is vulnerable.", rec$host, text)]);
		}
	}

#@ policy/protocols/ssl/heartbleed
redef SSL::disable_analyzer_after_detection = F;

event ssl_heartbeat(c: connection, is_client: bool, length: count, heartbeat_type: count, payload_length: count, payload: string)
	{
	if ( ! c?$ssl )
		return;

	if ( heartbeat_type == 1 )
		{
		# Behind three bytes of header and before sixteen of padding.
		local room = length < 19 ? length : length - 19;

		if ( payload_length > room )
			{
			c$ssl$heartbleed_detected = T;
			NOTICE([$note=Heartbleed::SSL_Heartbeat_Attack, $conn=c, $identifier=cat(c$uid, length, payload_length),
			    $msg=fmt("An TLS heartbleed attack was detected! Record length %d. Payload length %d", length, payload_length)]);
			}
		else if ( is_client )
			NOTICE([$note=Heartbleed::SSL_Heartbeat_Attack, $conn=c, $n=length, $identifier=cat(c$uid, length),
			    $msg=fmt("Heartbeat request before encryption. Probable Scan without exploit attempt. Message length: %d. Payload length: %d", length, payload_length)]);
		}
	else if ( heartbeat_type == 2 && c$ssl$heartbleed_detected )
		NOTICE([$note=Heartbleed::SSL_Heartbeat_Attack_Success, $conn=c, $identifier=c$uid,
		    $msg=fmt("An TLS heartbleed attack detected before was probably exploited. Message length: %d. Payload length: %d", length, payload_length)]);
	}

function Heartbleed::weir_encrypted(c: connection, is_client: bool, length: count)
	{
	local info = c$ssl;

	if ( is_client )
		++info$originator_heartbeats;
	else
		++info$responder_heartbeats;

	local age = network_time() - c$start_time;

	if ( info$enc_appdata_packages == 0 )
		NOTICE([$note=Heartbleed::SSL_Heartbeat_Attack, $conn=c, $n=length, $identifier=fmt("%s%s", c$uid, "early"),
		    $msg=fmt("Heartbeat before ciphertext. Probable attack or scan. Length: %d, is_client: %d", length, is_client)]);
	else if ( age < 1 min )
		NOTICE([$note=Heartbleed::SSL_Heartbeat_Attack, $conn=c, $n=length, $identifier=fmt("%s%s", c$uid, "early"),
		    $msg=fmt("Heartbeat within first minute. Possible attack or scan. Length: %d, is_client: %d, time: %s", length, is_client, age)]);

	if ( info$originator_heartbeats > info$responder_heartbeats + 3 )
		NOTICE([$note=Heartbleed::SSL_Heartbeat_Many_Requests, $conn=c, $n=info$originator_heartbeats - info$responder_heartbeats,
		    $identifier=fmt("%s%d", c$uid, info$responder_heartbeats / 1000),
		    $msg=fmt("More than 3 heartbeat requests without replies from server. Possible attack. Client count: %d, server count: %d", info$originator_heartbeats, info$responder_heartbeats)]);

	if ( info$responder_heartbeats > info$originator_heartbeats + 3 )
		NOTICE([$note=Heartbleed::SSL_Heartbeat_Many_Requests, $conn=c, $n=info$responder_heartbeats - info$originator_heartbeats,
		    $identifier=fmt("%s%d", c$uid, info$responder_heartbeats / 1000),
		    $msg=fmt("Server sending more heartbeat responses than requests seen. Possible attack. Client count: %d, server count: %d", info$originator_heartbeats, info$responder_heartbeats)]);

	if ( is_client && length < 19 )
		NOTICE([$note=Heartbleed::SSL_Heartbeat_Odd_Length, $conn=c, $n=length, $identifier=fmt("%s-weak-%d", c$uid, length),
		    $msg=fmt("Heartbeat message smaller than minimum required length. Possible attack or scan. Message length: %d. Required length: %d. Cipher: %s.", length, 19, info?$cipher ? info$cipher : "")]);

	if ( is_client )
		{
		if ( info?$last_responder_heartbeat_request_size )
			delete info$last_responder_heartbeat_request_size;
		else
			info$last_originator_heartbeat_request_size = length;
		return;
		}

	if ( ! info?$last_originator_heartbeat_request_size )
		{
		info$last_responder_heartbeat_request_size = length;
		return;
		}

	if ( info$last_originator_heartbeat_request_size < length )
		NOTICE([$note=Heartbleed::SSL_Heartbeat_Attack_Success, $conn=c, $identifier=c$uid,
		    $msg=fmt("An encrypted TLS heartbleed attack was probably detected! First packet client record length %d, first packet server record length %d. Time: %f",
		        info$last_originator_heartbeat_request_size, length, interval_to_double(age))]);

	delete info$last_originator_heartbeat_request_size;
	}

event ssl_encrypted_data(c: connection, is_client: bool, record_version: count, content_type: count, length: count)
	{
	if ( ! c?$ssl )
		return;

	if ( content_type == SSL::HEARTBEAT )
		Heartbleed::weir_encrypted(c, is_client, length);
	else if ( content_type == SSL::APPLICATION_DATA && length > 0 )
		{
		++c$ssl$enc_appdata_packages;
		c$ssl$enc_appdata_bytes += length;
		}
	}

#@ policy/frameworks/conn_key/vlan_fivetuple
redef ConnKey::factory = ConnKey::CONNKEY_VLAN_FIVETUPLE;

event new_connection(c: connection) &priority=1000
	{
	if ( c?$vlan )
		c$id$ctx$vlan = c$vlan;
	if ( c?$inner_vlan )
		c$id$ctx$inner_vlan = c$inner_vlan;
	}

#@ test-all-policy
@load policy/files/zip/register
@load policy/frameworks/analyzer/debug-logging
@load policy/frameworks/analyzer/detect-protocols
@load policy/frameworks/analyzer/packet-segment-logging
@load policy/frameworks/files/detect-MHR
@load policy/frameworks/files/hash-all-files
@load policy/frameworks/intel/do_expire
@load policy/frameworks/intel/do_notice
@load policy/frameworks/intel/removal
@load policy/frameworks/intel/seen/__load__
@load policy/frameworks/intel/seen/conn-established
@load policy/frameworks/intel/seen/dns
@load policy/frameworks/intel/seen/file-hashes
@load policy/frameworks/intel/seen/file-names
@load policy/frameworks/intel/seen/http-headers
@load policy/frameworks/intel/seen/http-url
@load policy/frameworks/intel/seen/manage-event-groups
@load policy/frameworks/intel/seen/pubkey-hashes
@load policy/frameworks/intel/seen/smb-filenames
@load policy/frameworks/intel/seen/smtp
@load policy/frameworks/intel/seen/smtp-url-extraction
@load policy/frameworks/intel/seen/ssl
@load policy/frameworks/intel/seen/where-locations
@load policy/frameworks/intel/seen/x509
@load policy/frameworks/intel/whitelist
@load policy/frameworks/netcontrol/catch-and-release
@load policy/frameworks/notice/__load__
@load policy/frameworks/notice/actions/drop
@load policy/frameworks/notice/community-id
@load policy/frameworks/notice/extend-email/hostnames
@load policy/frameworks/packet-filter/shunt
@load policy/frameworks/signatures/iso-9660
@load policy/frameworks/software/version-changes
@load policy/frameworks/software/vulnerable
@load policy/frameworks/software/windows-version-detection
@load policy/frameworks/storage/backend/sqlite/__load__
@load policy/frameworks/storage/backend/sqlite/main
@load policy/frameworks/telemetry/log
@load policy/misc/capture-loss
@load policy/misc/detect-traceroute/__load__
@load policy/misc/detect-traceroute/main
@load policy/misc/loaded-scripts
@load policy/misc/stats
@load policy/misc/unknown-protocols
@load policy/misc/weird-stats
@load policy/protocols/conn/community-id-logging
@load policy/protocols/conn/failed-service-logging
@load policy/protocols/conn/ip-proto-name-logging
@load policy/protocols/conn/known-hosts
@load policy/protocols/conn/known-services
@load policy/protocols/conn/mac-logging
@load policy/protocols/conn/multicast-participants
@load policy/protocols/conn/pppoe-session-id-logging
@load policy/protocols/conn/speculative-service
@load policy/protocols/conn/vlan-logging
@load policy/protocols/conn/weirds
@load policy/protocols/dhcp/msg-orig
@load policy/protocols/dhcp/software
@load policy/protocols/dhcp/sub-opts
@load policy/protocols/dns/auth-addl
@load policy/protocols/dns/detect-external-names
@load policy/protocols/dns/log-original-query-case
@load policy/protocols/ftp/detect
@load policy/protocols/ftp/detect-bruteforcing
@load policy/protocols/ftp/software
@load policy/protocols/http/detect-sql-injection
@load policy/protocols/http/detect-webapps
@load policy/protocols/http/header-names
@load policy/protocols/http/software
@load policy/protocols/http/software-browser-plugins
@load policy/protocols/http/var-extraction-cookies
@load policy/protocols/http/var-extraction-uri
@load policy/protocols/krb/md5-ticket-logging
@load policy/protocols/krb/ticket-logging
@load policy/protocols/modbus/known-masters-slaves
@load policy/protocols/modbus/track-memmap
@load policy/protocols/mysql/software
@load policy/protocols/rdp/indicate_ssl
@load policy/protocols/smb/log-cmds
@load policy/protocols/smtp/blocklists
@load policy/protocols/smtp/detect-suspicious-orig
@load policy/protocols/smtp/entities-excerpt
@load policy/protocols/smtp/software
@load policy/protocols/ssh/detect-bruteforcing
@load policy/protocols/ssh/geo-data
@load policy/protocols/ssh/interesting-hostnames
@load policy/protocols/ssh/md5-host-key-logging
@load policy/protocols/ssh/software
@load policy/protocols/ssl/certificate-request-info
@load policy/protocols/ssl/expiring-certs
@load policy/protocols/ssl/heartbleed
@load policy/protocols/ssl/known-certs
@load policy/protocols/ssl/log-certs-base64
@load policy/protocols/ssl/log-hostcerts-only
@load policy/protocols/ssl/ssl-log-ext
@load policy/protocols/ssl/validate-certs
@load policy/protocols/ssl/validate-ocsp
@load policy/protocols/ssl/validate-sct
@load policy/protocols/ssl/weak-keys
@load policy/tuning/track-all-assets

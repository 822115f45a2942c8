# What is known of conversations in protocols of which the engine writes the logs: `c$ftp` and others, kept where scripts
# look at them. A record stays until the next request begins another one, so that the row of the engine finds it.

#@ base/protocols/ftp/main
function FTP::session(c: connection): FTP::Info
	{
	if ( ! c?$ftp )
		c$ftp = FTP::Info($ts=network_time(), $uid=c$uid, $id=c$id);
	return c$ftp;
	}

event ftp_request(c: connection, command: string, arg: string) &priority=5 &group="records:ftp"
	{
	local info = FTP::session(c);
	if ( info?$reply_code )
		{
		delete info$command;
		delete info$arg;
		delete info$reply_code;
		delete info$reply_msg;
		delete info$data_channel;
		}
	info$ts = network_time();
	info$command_seq += 1;
	if ( |info$pending_commands| < FTP::max_pending_commands )
		info$pending_commands[info$command_seq] = FTP::CmdArg($ts=network_time(), $cmd=command, $arg=arg, $seq=info$command_seq);
	if ( command == "USER" )
		info$user = arg;
	else if ( command == "PASS" )
		info$password = arg;
	}

event ftp_reply(c: connection, code: count, msg: string, cont_resp: bool) &priority=5 &group="records:ftp"
	{
	local info = FTP::session(c);
	for ( place, pending in info$pending_commands )
		{
		info$cmdarg = pending;
		break;
		}
	if ( ! info?$cmdarg )
		info$cmdarg = FTP::CmdArg($ts=network_time());
	info$command = info$cmdarg$cmd;
	info$arg = info$cmdarg$arg;
	info$reply_code = code;
	info$reply_msg = msg;
	if ( cont_resp || code < 200 )
		return;
	delete info$pending_commands[info$cmdarg$seq];
	if ( info$command == "CWD" && code < 300 )
		info$cwd = build_path(info$cwd, info$arg);
	else if ( info$command == "CDUP" && code < 300 )
		info$cwd = build_path(info$cwd, "/..");
	}

#@ base/protocols/krb/main
function KRB::session(c: connection): KRB::Info
	{
	if ( ! c?$krb || c$krb$logged )
		c$krb = KRB::Info($ts=network_time(), $uid=c$uid, $id=c$id);
	return c$krb;
	}

function KRB::weir_request(c: connection, kind: string, msg: KRB::KDC_Request)
	{
	local info = KRB::session(c);
	info$request_type = kind;
	if ( msg?$client_name )
		info$client = fmt("%s/%s", msg$client_name, msg?$service_realm ? msg$service_realm : "");
	if ( msg?$service_name )
		info$service = msg$service_name;
	if ( msg?$from )
		info$from = msg$from;
	if ( msg?$till )
		info$till = msg$till;
	if ( msg?$kdc_options )
		{
		info$forwardable = msg$kdc_options$forwardable;
		info$renewable = msg$kdc_options$renewable;
		}
	}

function KRB::weir_response(c: connection, kind: string, msg: KRB::KDC_Response)
	{
	local info = KRB::session(c);
	info$request_type = kind;
	info$client = fmt("%s/%s", msg$client_name, msg?$client_realm ? msg$client_realm : "");
	info$service = msg$ticket$service_name;
	info$cipher = KRB::cipher_name[msg$enc_part$cipher];
	info$success = T;
	}

event krb_as_request(c: connection, msg: KRB::KDC_Request) &priority=5 &group="records:krb"
	{
	KRB::weir_request(c, "AS", msg);
	}

event krb_tgs_request(c: connection, msg: KRB::KDC_Request) &priority=5 &group="records:krb"
	{
	KRB::weir_request(c, "TGS", msg);
	}

event krb_as_response(c: connection, msg: KRB::KDC_Response) &priority=5 &group="records:krb"
	{
	KRB::weir_response(c, "AS", msg);
	}

event krb_tgs_response(c: connection, msg: KRB::KDC_Response) &priority=5 &group="records:krb"
	{
	KRB::weir_response(c, "TGS", msg);
	}

event krb_error(c: connection, msg: KRB::Error_Msg) &priority=5 &group="records:krb"
	{
	local info = KRB::session(c);
	info$error_code = msg$error_code;
	info$error_msg = msg?$error_text ? msg$error_text : KRB::error_msg[msg$error_code];
	info$success = F;
	}

event krb_as_response(c: connection, msg: KRB::KDC_Response) &priority=-6 &group="records:krb"
	{
	c$krb$logged = T;
	}

event krb_tgs_response(c: connection, msg: KRB::KDC_Response) &priority=-6 &group="records:krb"
	{
	c$krb$logged = T;
	}

event krb_error(c: connection, msg: KRB::Error_Msg) &priority=-6 &group="records:krb"
	{
	c$krb$logged = T;
	}

#@ base/protocols/mysql/main
function MySQL::weir_begin(c: connection, cmd: string, arg: string)
	{
	c$mysql = MySQL::Info($ts=network_time(), $uid=c$uid, $id=c$id, $cmd=cmd, $arg=arg);
	}

event mysql_handshake(c: connection, username: string) &priority=5 &group="records:mysql"
	{
	MySQL::weir_begin(c, "login", username);
	}

event mysql_change_user(c: connection, username: string) &priority=5 &group="records:mysql"
	{
	MySQL::weir_begin(c, "change_user", username);
	}

event mysql_command_request(c: connection, command: count, arg: string) &priority=5 &group="records:mysql"
	{
	MySQL::weir_begin(c, MySQL::commands[command], sub(arg, /\0$/, ""));
	}

event mysql_error(c: connection, code: count, msg: string) &priority=5 &group="records:mysql"
	{
	if ( ! c?$mysql )
		return;
	c$mysql$success = F;
	c$mysql$response = msg;
	}

event mysql_ok(c: connection, affected_rows: count) &priority=5 &group="records:mysql"
	{
	if ( ! c?$mysql )
		return;
	c$mysql$success = T;
	c$mysql$rows = affected_rows;
	}

event mysql_eof(c: connection, is_intermediate: bool) &priority=5 &group="records:mysql"
	{
	if ( c?$mysql && ! is_intermediate )
		c$mysql$success = T;
	}

#@ base/protocols/sip/main
function SIP::weir_length(value: string): count
	{
	return /^[0-9]+$/ == value ? to_count(value) : 0;
	}

function SIP::session(c: connection, is_request: bool): SIP::Info
	{
	if ( ! c?$sip_state )
		c$sip_state = SIP::State();
	local s = c$sip_state;
	local at = is_request ? s$current_request : s$current_response;
	if ( at !in s$pending )
		{
		s$pending[at] = SIP::Info($ts=network_time(), $uid=c$uid, $id=c$id, $trans_depth=0);
		# The oldest of many makes room.
		if ( at >= 32 )
			delete s$pending[at - 32];
		}
	c$sip = s$pending[at];
	return c$sip;
	}

event sip_request(c: connection, method: string, original_URI: string, version: string) &priority=5 &group="records:sip"
	{
	if ( ! c?$sip_state )
		c$sip_state = SIP::State();
	++c$sip_state$current_request;
	local info = SIP::session(c, T);
	info$method = method;
	info$uri = original_URI;
	}

event sip_reply(c: connection, version: string, code: count, reason: string) &priority=5 &group="records:sip"
	{
	if ( ! c?$sip_state )
		c$sip_state = SIP::State();
	local s = c$sip_state;
	local is_same = s$current_response in s$pending && s$pending[s$current_response]?$status_code && s$pending[s$current_response]$status_code < 200;
	if ( ! is_same && s$current_response < s$current_request )
		++s$current_response;
	local info = SIP::session(c, F);
	info$status_code = code;
	info$status_msg = reason;
	}

event sip_header(c: connection, is_orig: bool, name: string, value: string) &priority=5 &group="records:sip"
	{
	local info = SIP::session(c, is_orig);
	switch ( name )
		{
		case "USER-AGENT": info$user_agent = value; break;
		case "SERVER": info$user_agent = value; break;
		case "CONTENT-TYPE": info$content_type = value; break;
		case "DATE": info$date = value; break;
		case "REPLY-TO": info$reply_to = value; break;
		case "CALL-ID": info$call_id = value; break;
		case "CSEQ": info$seq = value; break;
		case "SUBJECT": info$subject = value; break;
		case "WARNING": info$warning = value; break;
		case "FROM":
			if ( is_orig )
				info$request_from = value;
			else
				info$response_from = value;
			break;
		case "TO":
			if ( is_orig )
				info$request_to = value;
			else
				info$response_to = value;
			break;
		case "CONTENT-LENGTH":
			if ( is_orig )
				info$request_body_len = SIP::weir_length(value);
			else
				info$response_body_len = SIP::weir_length(value);
			break;
		}
	}

#@ base/protocols/ntp/main
event ntp_message(c: connection, is_orig: bool, msg: NTP::Message) &priority=5 &group="records:ntp"
	{
	if ( ! msg?$std_msg )
		return;
	local said = msg$std_msg;
	local reference = said?$ref_addr ? cat(said$ref_addr) : said?$kiss_code ? said$kiss_code : said?$ref_id ? said$ref_id : "";
	c$ntp = NTP::Info($ts=network_time(), $uid=c$uid, $id=c$id, $version=msg$version, $mode=msg$mode,
	                  $stratum=said$stratum, $poll=said$poll, $precision=said$precision, $root_delay=said$root_delay,
	                  $root_disp=said$root_disp, $ref_id=reference, $ref_time=said$ref_time, $org_time=said$org_time,
	                  $rec_time=said$rec_time, $xmt_time=said$xmt_time, $num_exts=said$num_exts);
	}

#@ base/protocols/snmp/main
function SNMP::session(c: connection, header: SNMP::Header): SNMP::Info
	{
	if ( ! c?$snmp )
		c$snmp = SNMP::Info($ts=network_time(), $uid=c$uid, $id=c$id, $version=SNMP::version_map[header$version]);
	local info = c$snmp;
	if ( ! info?$community )
		{
		if ( header?$v1 )
			info$community = header$v1$community;
		else if ( header?$v2 )
			info$community = header$v2$community;
		}
	info$duration = network_time() - info$ts;
	return info;
	}

event snmp_get_request(c: connection, is_orig: bool, header: SNMP::Header, pdu: SNMP::PDU) &priority=5 &group="records:snmp"
	{
	SNMP::session(c, header)$get_requests += |pdu$bindings|;
	}

event snmp_get_next_request(c: connection, is_orig: bool, header: SNMP::Header, pdu: SNMP::PDU) &priority=5 &group="records:snmp"
	{
	SNMP::session(c, header)$get_requests += |pdu$bindings|;
	}

event snmp_get_bulk_request(c: connection, is_orig: bool, header: SNMP::Header, pdu: SNMP::BulkPDU) &priority=5 &group="records:snmp"
	{
	SNMP::session(c, header)$get_bulk_requests += |pdu$bindings|;
	}

event snmp_set_request(c: connection, is_orig: bool, header: SNMP::Header, pdu: SNMP::PDU) &priority=5 &group="records:snmp"
	{
	SNMP::session(c, header)$set_requests += |pdu$bindings|;
	}

event snmp_response(c: connection, is_orig: bool, header: SNMP::Header, pdu: SNMP::PDU) &priority=5 &group="records:snmp"
	{
	local info = SNMP::session(c, header);
	info$get_responses += |pdu$bindings|;
	for ( i, binding in pdu$bindings )
		{
		if ( binding$oid == "1.3.6.1.2.1.1.1.0" && binding$value?$octets )
			info$display_string = binding$value$octets;
		else if ( binding$oid == "1.3.6.1.2.1.1.3.0" && binding$value?$unsigned )
			info$up_since = network_time() - double_to_interval(binding$value$unsigned / 100.0);
		}
	}

event snmp_trap(c: connection, is_orig: bool, header: SNMP::Header, pdu: SNMP::TrapPDU) &priority=5 &group="records:snmp"
	{
	SNMP::session(c, header);
	}

event snmp_inform_request(c: connection, is_orig: bool, header: SNMP::Header, pdu: SNMP::PDU) &priority=5 &group="records:snmp"
	{
	SNMP::session(c, header);
	}

event snmp_report(c: connection, is_orig: bool, header: SNMP::Header, pdu: SNMP::PDU) &priority=5 &group="records:snmp"
	{
	SNMP::session(c, header);
	}

#@ base/protocols/rdp/main
function RDP::session(c: connection): RDP::Info
	{
	if ( ! c?$rdp )
		c$rdp = RDP::Info($ts=network_time(), $uid=c$uid, $id=c$id);
	return c$rdp;
	}

event rdp_connect_request(c: connection, cookie: string, flags: count) &priority=5 &group="records:rdp"
	{
	RDP::session(c)$cookie = cookie;
	}

event rdp_negotiation_response(c: connection, security_protocol: count, flags: count) &priority=5 &group="records:rdp"
	{
	RDP::session(c)$security_protocol = RDP::security_protocols[security_protocol];
	}

event rdp_negotiation_failure(c: connection, failure_code: count, flags: count) &priority=5 &group="records:rdp"
	{
	RDP::session(c)$result = RDP::failure_codes[failure_code];
	}

event rdp_client_core_data(c: connection, data: RDP::ClientCoreData) &priority=5 &group="records:rdp"
	{
	local info = RDP::session(c);
	info$keyboard_layout = RDP::languages[data$keyboard_layout];
	info$client_build = RDP::builds[data$client_build];
	info$client_name = data$client_name;
	info$desktop_width = data$desktop_width;
	info$desktop_height = data$desktop_height;
	if ( data?$dig_product_id )
		info$client_dig_product_id = data$dig_product_id;
	if ( data?$high_color_depth )
		info$requested_color_depth = RDP::high_color_depths[data$high_color_depth];
	}

event rdp_client_network_data(c: connection, channels: RDP::ClientChannelList) &priority=5 &group="records:rdp"
	{
	local names: vector of string = vector();
	for ( i, channel in channels )
		names += gsub(channel$name, /\0/, "");
	RDP::session(c)$client_channels = names;
	}

event rdp_gcc_server_create_response(c: connection, result: count) &priority=5 &group="records:rdp"
	{
	RDP::session(c)$result = RDP::results[result];
	}

event rdp_server_security(c: connection, encryption_method: count, encryption_level: count) &priority=5 &group="records:rdp"
	{
	local info = RDP::session(c);
	info$encryption_method = RDP::encryption_methods[encryption_method];
	info$encryption_level = RDP::encryption_levels[encryption_level];
	}

event rdp_server_certificate(c: connection, cert_type: count, permanently_issued: bool) &priority=5 &group="records:rdp"
	{
	local info = RDP::session(c);
	info$cert_type = RDP::cert_types[cert_type];
	info$cert_permanent = permanently_issued;
	}

#@ base/protocols/dce-rpc/main
function DCE_RPC::session(c: connection): DCE_RPC::Info
	{
	if ( ! c?$dce_rpc_state )
		c$dce_rpc_state = DCE_RPC::State();
	if ( ! c?$dce_rpc )
		c$dce_rpc = DCE_RPC::Info($ts=network_time(), $uid=c$uid, $id=c$id);
	return c$dce_rpc;
	}

function DCE_RPC::weir_bind(c: connection, ctx_id: count, uuid: string)
	{
	local info = DCE_RPC::session(c);
	local text = uuid_to_string(uuid);
	if ( ! c$dce_rpc_state?$ctx_to_uuid )
		c$dce_rpc_state$ctx_to_uuid = table();
	if ( |c$dce_rpc_state$ctx_to_uuid| < 256 )
		c$dce_rpc_state$ctx_to_uuid[ctx_id] = text;
	c$dce_rpc_state$uuid = text;
	info$endpoint = DCE_RPC::uuid_endpoint_map[text];
	}

event dce_rpc_bind(c: connection, fid: count, ctx_id: count, uuid: string, ver_major: count, ver_minor: count) &priority=5 &group="records:dce_rpc|dce_rpc_state"
	{
	DCE_RPC::weir_bind(c, ctx_id, uuid);
	}

event dce_rpc_alter_context(c: connection, fid: count, ctx_id: count, uuid: string, ver_major: count, ver_minor: count) &priority=5 &group="records:dce_rpc|dce_rpc_state"
	{
	DCE_RPC::weir_bind(c, ctx_id, uuid);
	}

event dce_rpc_bind_ack(c: connection, fid: count, sec_addr: string) &priority=5 &group="records:dce_rpc|dce_rpc_state"
	{
	if ( sec_addr == "" )
		return;
	DCE_RPC::session(c)$named_pipe = sec_addr;
	c$dce_rpc_state$named_pipe = sec_addr;
	}

event dce_rpc_request(c: connection, fid: count, ctx_id: count, opnum: count, stub_len: count) &priority=5 &group="records:dce_rpc|dce_rpc_state"
	{
	local info = DCE_RPC::session(c);
	info$ts = network_time();
	if ( c$dce_rpc_state?$ctx_to_uuid && ctx_id in c$dce_rpc_state$ctx_to_uuid )
		c$dce_rpc_state$uuid = c$dce_rpc_state$ctx_to_uuid[ctx_id];
	}

event dce_rpc_response(c: connection, fid: count, ctx_id: count, opnum: count, stub_len: count) &priority=5 &group="records:dce_rpc|dce_rpc_state"
	{
	local info = DCE_RPC::session(c);
	if ( c$dce_rpc_state?$ctx_to_uuid && ctx_id in c$dce_rpc_state$ctx_to_uuid )
		c$dce_rpc_state$uuid = c$dce_rpc_state$ctx_to_uuid[ctx_id];
	if ( c$dce_rpc_state?$uuid )
		{
		info$endpoint = DCE_RPC::uuid_endpoint_map[c$dce_rpc_state$uuid];
		info$operation = DCE_RPC::operations[c$dce_rpc_state$uuid, opnum];
		}
	info$rtt = network_time() - info$ts;
	}

#@ base/protocols/irc/main
function IRC::session(c: connection): IRC::Info
	{
	if ( ! c?$irc )
		c$irc = IRC::Info($ts=network_time(), $uid=c$uid, $id=c$id);
	c$irc$ts = network_time();
	return c$irc;
	}

event irc_nick_message(c: connection, is_orig: bool, who: string, newnick: string) &priority=5 &group="records:irc"
	{
	if ( ! is_orig )
		return;
	local info = IRC::session(c);
	info$command = "NICK";
	info$value = newnick;
	}

event irc_nick_message(c: connection, is_orig: bool, who: string, newnick: string) &priority=-6 &group="records:irc"
	{
	if ( is_orig )
		c$irc$nick = newnick;
	}

event irc_user_message(c: connection, is_orig: bool, user: string, host: string, server: string, real_name: string) &priority=5 &group="records:irc"
	{
	local info = IRC::session(c);
	info$command = "USER";
	info$value = user;
	info$addl = fmt("%s %s %s", host, server, real_name);
	}

event irc_user_message(c: connection, is_orig: bool, user: string, host: string, server: string, real_name: string) &priority=-6 &group="records:irc"
	{
	c$irc$user = user;
	}

event irc_join_message(c: connection, is_orig: bool, info_list: irc_join_list) &priority=5 &group="records:irc"
	{
	if ( ! is_orig )
		return;
	local info = IRC::session(c);
	info$command = "JOIN";
	for ( joined in info_list )
		info$value = joined$channel;
	}

#@ base/protocols/socks/main
function SOCKS::session(c: connection, version: count): SOCKS::Info
	{
	if ( ! c?$socks )
		c$socks = SOCKS::Info($ts=network_time(), $uid=c$uid, $id=c$id, $version=version);
	return c$socks;
	}

event socks_request(c: connection, version: count, request_type: count, sa: SOCKS::Address, p: port, user: string) &priority=5 &group="records:socks"
	{
	local info = SOCKS::session(c, version);
	info$request = sa;
	info$request_p = p;
	if ( user != "" )
		info$user = user;
	}

event socks_reply(c: connection, version: count, reply: count, sa: SOCKS::Address, p: port) &priority=5 &group="records:socks"
	{
	local info = SOCKS::session(c, version);
	info$status = version == 4 ? SOCKS::v4_status[reply] : SOCKS::v5_status[reply];
	info$bound = sa;
	info$bound_p = p;
	}

event socks_login_userpass_request(c: connection, user: string, password: string) &priority=5 &group="records:socks"
	{
	local info = SOCKS::session(c, 5);
	info$user = user;
	info$password = password;
	}

#@ base/protocols/radius/main
event radius_message(c: connection, result: RADIUS::Message) &priority=5 &group="records:radius"
	{
	if ( ! c?$radius || c$radius$logged )
		c$radius = RADIUS::Info($ts=network_time(), $uid=c$uid, $id=c$id);
	local info = c$radius;
	if ( result?$attributes )
		{
		local said = result$attributes;
		if ( 1 in said )
			info$username = said[1][0];
		if ( 18 in said )
			info$reply_msg = said[18][0];
		if ( 31 in said )
			info$mac = normalize_mac(said[31][0]);
		if ( 66 in said )
			info$tunnel_client = said[66][0];
		if ( 77 in said )
			info$connect_info = said[77][0];
		if ( 8 in said && |said[8][0]| == 4 )
			info$framed_addr = raw_bytes_to_v4_addr(said[8][0]);
		}
	switch ( result$code )
		{
		case 2: info$result = "success"; break;
		case 3: info$result = "failed"; break;
		}
	if ( info?$result )
		info$ttl = network_time() - info$ts;
	}

event radius_message(c: connection, result: RADIUS::Message) &priority=-6 &group="records:radius"
	{
	if ( c$radius?$result )
		c$radius$logged = T;
	}

#@ base/protocols/syslog/main
event syslog_message(c: connection, facility: count, severity: count, msg: string) &priority=5 &group="records:syslog"
	{
	c$syslog = Syslog::Info($ts=network_time(), $uid=c$uid, $id=c$id, $proto=get_port_transport_proto(c$id$resp_p),
	                        $facility=Syslog::facility_codes[facility], $severity=Syslog::severity_codes[severity], $message=msg);
	}

#@ base/protocols/dnp3/main
event dnp3_application_request_header(c: connection, is_orig: bool, application: count, fc: count) &priority=5 &group="records:dnp3"
	{
	if ( ! c?$dnp3 || c$dnp3?$fc_reply )
		c$dnp3 = DNP3::Info($ts=network_time(), $uid=c$uid, $id=c$id);
	c$dnp3$ts = network_time();
	c$dnp3$fc_request = DNP3::function_codes[fc];
	}

event dnp3_application_response_header(c: connection, is_orig: bool, application: count, fc: count, iin: count) &priority=5 &group="records:dnp3"
	{
	if ( ! c?$dnp3 )
		c$dnp3 = DNP3::Info($ts=network_time(), $uid=c$uid, $id=c$id);
	c$dnp3$fc_reply = DNP3::function_codes[fc];
	c$dnp3$iin = iin;
	}

#@ base/protocols/ntlm/main
function NTLM::session(c: connection): NTLM::Info
	{
	if ( ! c?$ntlm || c$ntlm$done )
		c$ntlm = NTLM::Info($ts=network_time(), $uid=c$uid, $id=c$id);
	return c$ntlm;
	}

event ntlm_negotiate(c: connection, negotiate: NTLM::Negotiate) &priority=5 &group="records:ntlm"
	{
	NTLM::session(c);
	}

event ntlm_challenge(c: connection, challenge: NTLM::Challenge) &priority=5 &group="records:ntlm"
	{
	local info = NTLM::session(c);
	if ( ! challenge?$target_info )
		return;
	local said = challenge$target_info;
	info$server_nb_computer_name = said$nb_computer_name;
	if ( said?$dns_computer_name )
		info$server_dns_computer_name = said$dns_computer_name;
	if ( said?$dns_tree_name )
		info$server_tree_name = said$dns_tree_name;
	}

event ntlm_authenticate(c: connection, request: NTLM::Authenticate) &priority=5 &group="records:ntlm"
	{
	local info = NTLM::session(c);
	if ( request?$domain_name )
		info$domainname = request$domain_name;
	if ( request?$workstation )
		info$hostname = request$workstation;
	if ( request?$user_name )
		info$username = request$user_name;
	}

#@ base/protocols/mqtt/main
event mqtt_connect(c: connection, msg: MQTT::ConnectMsg) &priority=5 &group="records:mqtt"
	{
	c$mqtt = MQTT::ConnectInfo($ts=network_time(), $uid=c$uid, $id=c$id);
	c$mqtt$proto_name = msg$protocol_name;
	c$mqtt$proto_version = MQTT::versions[msg$protocol_version];
	c$mqtt$client_id = msg$client_id;
	if ( msg?$will_topic )
		c$mqtt$will_topic = msg$will_topic;
	if ( msg?$will_msg )
		c$mqtt$will_payload = msg$will_msg;
	}

event mqtt_connack(c: connection, msg: MQTT::ConnectAckMsg) &priority=5 &group="records:mqtt"
	{
	if ( c?$mqtt )
		c$mqtt$connect_status = MQTT::return_codes[msg$return_code];
	}

# What connections hold for scripts of protocols with few fields: handlers run only where scripts look at these records.

#@ base/protocols/conn/removal-hooks
function Conn::register_removal_hook(c: connection, hk: Conn::RemovalHook): bool
	{
	if ( ! c?$removal_hooks )
		c$removal_hooks = set();
	if ( hk in c$removal_hooks )
		return F;
	add c$removal_hooks[hk];
	return T;
	}

function Conn::unregister_removal_hook(c: connection, hk: Conn::RemovalHook): bool
	{
	if ( ! c?$removal_hooks || hk !in c$removal_hooks )
		return F;
	delete c$removal_hooks[hk];
	return T;
	}

event connection_state_remove(c: connection) &priority=-100 &group="asked:Conn::register_removal_hook"
	{
	if ( ! c?$removal_hooks )
		return;
	for ( hk in c$removal_hooks )
		hook hk(c);
	delete c$removal_hooks;
	}

#@ base/protocols/ftp/utils
function FTP::build_url(rec: FTP::Info): string
	{
	if ( ! rec?$arg )
		return "";
	local path = build_path_compressed(rec$cwd, rec$arg);
	return fmt("%s%s%s", addr_to_uri(rec$id$resp_h), starts_with(path, "/") ? "" : "/", path);
	}

function FTP::build_url_ftp(rec: FTP::Info): string
	{
	return "ftp://" + FTP::build_url(rec);
	}

function FTP::describe(rec: FTP::Info): string
	{
	return fmt("%s %s", rec$command, FTP::build_url_ftp(rec));
	}

#@ base/protocols/ftp/utils-commands
function FTP::parse_ftp_reply_code(code: count): FTP::ReplyCode
	{
	return FTP::ReplyCode($x=code / 100, $y=code / 10 % 10, $z=code % 10);
	}

#@ base/protocols/http/utils
function HTTP::build_url(rec: HTTP::Info): string
	{
	local uri = rec?$uri ? rec$uri : "/<missing_uri>";
	if ( "://" in uri )
		return uri;
	local host = rec?$host ? rec$host : addr_to_uri(rec$id$resp_h);
	if ( rec$id$resp_p != 80/tcp )
		host += fmt(":%d", port_to_count(rec$id$resp_p));
	return host + uri;
	}

function HTTP::build_url_http(rec: HTTP::Info): string
	{
	return "http://" + HTTP::build_url(rec);
	}

function HTTP::describe(rec: HTTP::Info): string
	{
	return fmt("%s %s", rec?$method ? rec$method : "<unknown>", HTTP::build_url_http(rec));
	}

function HTTP::extract_keys(data: string, kv_splitter: pattern): string_vec
	{
	local keys: string_vec;
	for ( _, part in split_string(data, kv_splitter) )
		{
		local pair = split_string1(part, /=/);
		if ( 0 in pair )
			keys += pair[0];
		}
	return keys;
	}

#@ base/protocols/modbus/main
function Modbus::session(c: connection): Modbus::Info
	{
	if ( ! c?$modbus )
		c$modbus = Modbus::Info($ts=network_time(), $uid=c$uid, $id=c$id);
	return c$modbus;
	}

event modbus_message(c: connection, headers: ModbusHeaders, is_orig: bool) &priority=5 &group="records:modbus"
	{
	local info = Modbus::session(c);
	info$ts = network_time();
	info$tid = headers$tid;
	info$unit = headers$uid;
	info$func = Modbus::function_codes[headers$function_code];
	info$pdu_type = is_orig ? "REQ" : "RESP";
	}

event modbus_exception(c: connection, headers: ModbusHeaders, code: count) &priority=5 &group="records:modbus"
	{
	Modbus::session(c)$exception = Modbus::exception_codes[code];
	}

event modbus_message(c: connection, headers: ModbusHeaders, is_orig: bool) &priority=-6 &group="records:modbus"
	{
	if ( c?$modbus && headers$function_code < 0x80 )
		delete c$modbus$exception;
	}

#@ base/protocols/mqtt/main
# What is set while traffic is read has an effect from the next event on.
event mqtt_publish(c: connection, is_orig: bool, msg_id: count, msg: MQTT::PublishMsg) &priority=1000 &group="asked:MQTT::max_payload_size"
	{
	if ( |msg$payload| > MQTT::max_payload_size )
		msg$payload = sub_bytes(msg$payload, 1, MQTT::max_payload_size);
	}

#@ base/files/pe/main
function PE::session(f: fa_file): PE::Info
	{
	if ( ! f?$pe )
		f$pe = PE::Info($ts=f$info$ts, $id=f$id);
	return f$pe;
	}

function PE::machine_name(machine: count): string
	{
	return machine in PE::machine_types ? PE::machine_types[machine] : fmt("unknown-%d", machine);
	}

event pe_dos_header(f: fa_file, h: PE::DOSHeader) &priority=5 &group="records:pe"
	{
	PE::session(f);
	}

event pe_file_header(f: fa_file, h: PE::FileHeader) &priority=5 &group="records:pe"
	{
	local info = PE::session(f);
	info$machine = PE::machine_name(h$machine);
	info$compile_ts = h$ts;
	info$is_exe = h$optional_header_size > 0;
	if ( ! info$is_exe )
		info$section_names = vector();
	else
		for ( flag in h$characteristics )
			if ( flag in PE::file_characteristics && PE::file_characteristics[flag] == "32BIT_MACHINE" )
				info$is_64bit = F;
	}

event pe_optional_header(f: fa_file, h: PE::OptionalHeader) &priority=5 &group="records:pe"
	{
	local info = PE::session(f);
	if ( h$magic == 0x10b )
		info$is_64bit = F;
	if ( [h$os_version_major, h$os_version_minor] in PE::os_versions )
		info$os = PE::os_versions[h$os_version_major, h$os_version_minor];
	if ( h$subsystem in PE::windows_subsystems )
		info$subsystem = PE::windows_subsystems[h$subsystem];
	info$uses_aslr = 0x40 in h$dll_characteristics;
	info$uses_code_integrity = 0x80 in h$dll_characteristics;
	info$uses_dep = 0x100 in h$dll_characteristics;
	info$uses_seh = 0x400 !in h$dll_characteristics;
	local sizes = h$table_sizes;
	info$has_export_table = |sizes| > 0 && sizes[0] > 0;
	info$has_import_table = |sizes| > 1 && sizes[1] > 0;
	info$has_cert_table = |sizes| > 4 && sizes[4] > 0;
	info$has_debug_data = |sizes| > 6 && sizes[6] > 0;
	}

event pe_section_header(f: fa_file, h: PE::SectionHeader) &priority=5 &group="records:pe"
	{
	local info = PE::session(f);
	if ( ! info?$section_names )
		info$section_names = vector();
	info$section_names += h$name;
	}

#@ base/protocols/rfb/main
function RFB::session(c: connection): RFB::Info
	{
	if ( ! c?$rfb )
		c$rfb = RFB::Info($ts=network_time(), $uid=c$uid, $id=c$id);
	return c$rfb;
	}

function RFB::method_name(authtype: count): string
	{
	switch ( authtype )
		{
		case 0: return "Invalid";
		case 1: return "None";
		case 2: return "VNC";
		case 16: return "Tight";
		case 17: return "Ultra";
		case 18: return "TLS";
		case 19: return "VeNCrypt";
		case 20: return "GTK-VNC SASL";
		case 21: return "MD5 hash authentication";
		case 22: return "Colin Dean xvp";
		case 30: return "Apple Remote Desktop";
		default: return "RealVNC";
		}
	}

event rfb_client_version(c: connection, major_version: string, minor_version: string) &priority=5 &group="records:rfb"
	{
	local info = RFB::session(c);
	info$client_major_version = major_version;
	info$client_minor_version = minor_version;
	}

event rfb_server_version(c: connection, major_version: string, minor_version: string) &priority=5 &group="records:rfb"
	{
	local info = RFB::session(c);
	info$server_major_version = major_version;
	info$server_minor_version = minor_version;
	}

event rfb_authentication_type(c: connection, authtype: count) &priority=5 &group="records:rfb"
	{
	RFB::session(c)$authentication_method = RFB::method_name(authtype);
	}

event rfb_authentication_result(c: connection, result: bool) &priority=5 &group="records:rfb"
	{
	RFB::session(c)$auth = result;
	}

event rfb_share_flag(c: connection, flag: bool) &priority=5 &group="records:rfb"
	{
	RFB::session(c)$share_flag = flag;
	}

event rfb_server_parameters(c: connection, name: string, width: count, height: count) &priority=5 &group="records:rfb"
	{
	local info = RFB::session(c);
	info$desktop_name = name;
	info$width = width;
	info$height = height;
	}

#@ base/protocols/smtp/main
function SMTP::session(c: connection): SMTP::Info
	{
	if ( ! c?$smtp_state )
		c$smtp_state = SMTP::State();
	if ( ! c?$smtp )
		{
		c$smtp = SMTP::Info($ts=network_time(), $uid=c$uid, $id=c$id, $trans_depth=c$smtp_state$messages_transferred + 1);
		c$smtp$path = vector(c$id$resp_h, c$id$orig_h);
		if ( c$smtp_state?$helo )
			c$smtp$helo = c$smtp_state$helo;
		}
	return c$smtp;
	}

# The address in the argument of MAIL and RCPT.
function SMTP::address_of(arg: string): string
	{
	local address = split_string1(arg, /:[[:blank:]]*/)[1];
	return /^</ in address ? split_string1(lstrip(address, "<"), />/)[0] : split_string1(address, /[[:blank:]]/)[0];
	}

event smtp_request(c: connection, is_orig: bool, command: string, arg: string) &priority=5 &group="records:smtp|descriptions|SMTP::enable_rfc822_msg_file_analysis"
	{
	local info = SMTP::session(c);
	switch ( to_upper(command) )
		{
		case "HELO", "EHLO":
			c$smtp_state$helo = arg;
			info$helo = arg;
			break;
		case "MAIL":
			if ( /^[fF][rR][oO][mM]:/ in arg )
				info$mailfrom = SMTP::address_of(arg);
			break;
		case "RCPT":
			if ( /^[tT][oO]:/ in arg )
				{
				if ( ! info?$rcptto )
					info$rcptto = set();
				add info$rcptto[SMTP::address_of(arg)];
				}
			break;
		}
	}

event smtp_reply(c: connection, is_orig: bool, code: count, cmd: string, msg: string, cont_resp: bool) &priority=5 &group="records:smtp|descriptions|SMTP::enable_rfc822_msg_file_analysis"
	{
	local info = SMTP::session(c);
	if ( code != 0 )
		info$last_reply = fmt("%d %s", code, msg);
	}

event smtp_reply(c: connection, is_orig: bool, code: count, cmd: string, msg: string, cont_resp: bool) &priority=-6 &group="records:smtp|descriptions|SMTP::enable_rfc822_msg_file_analysis"
	{
	if ( ! c?$smtp || cont_resp )
		return;
	if ( cmd == "." || cmd == "RSET" && code == 250 )
		{
		if ( cmd == "." )
			++c$smtp_state$messages_transferred;
		delete c$smtp;
		}
	}

function SMTP::describe(rec: SMTP::Info): string
	{
	if ( ! rec?$mailfrom || ! rec?$rcptto )
		return "";
	local text = rec$mailfrom + " -> ";
	for ( recipient in rec$rcptto )
		{
		text += recipient;
		break;
		}
	if ( |rec$rcptto| > 1 )
		text += fmt(" (plus %d others)", |rec$rcptto| - 1);
	if ( rec?$subject )
		text += ": " + (|rec$subject| > 20 ? sub_bytes(rec$subject, 1, 20) + "..." : rec$subject);
	return text;
	}

event smtp_starttls(c: connection) &priority=5 &group="records:smtp|descriptions|SMTP::enable_rfc822_msg_file_analysis"
	{
	SMTP::session(c)$tls = T;
	}

# Policy scripts about one protocol each.

#@ policy/protocols/modbus/track-memmap
event zeek_init() &priority=5
	{
	Log::create_stream(Modbus::REGISTER_CHANGE_LOG, [$columns=Modbus::MemmapInfo, $path="modbus_register_change", $policy=Modbus::log_policy_register_change]);
	}

event modbus_read_holding_registers_request(c: connection, headers: ModbusHeaders, start_address: count, quantity: count)
	{
	c$modbus$track_address = start_address + 1;
	}

event modbus_read_holding_registers_response(c: connection, headers: ModbusHeaders, registers: ModbusRegisters)
	{
	local device = c$id$resp_h;

	if ( ! addr_matches_host(device, Modbus::track_memmap) )
		return;

	if ( device !in Modbus::device_registers )
		Modbus::device_registers[device] = table();

	local known = Modbus::device_registers[device];

	for ( _, value in registers )
		{
		local register = c$modbus$track_address;

		if ( register !in known )
			known[register] = [$last_set=network_time(), $value=value];
		else if ( known[register]$value != value )
			{
			local before = known[register];
			event Modbus::changed_register(c, register, before$value, value, network_time() - before$last_set);
			known[register] = [$last_set=network_time(), $value=value];
			}

		++c$modbus$track_address;
		}
	}

event Modbus::changed_register(c: connection, register: count, old_val: count, new_val: count, delta: interval)
	{
	Log::write(Modbus::REGISTER_CHANGE_LOG, [$ts=network_time(), $uid=c$uid, $id=c$id, $register=register,
	    $old_val=old_val, $new_val=new_val, $delta=delta]);
	}

#@ policy/protocols/krb/ticket-logging
event krb_ap_request(c: connection, ticket: KRB::Ticket, opts: KRB::AP_Options)
	{
	if ( ticket?$ciphertext )
		KRB::session(c)$auth_ticket_sha256 = sha256_hash(ticket$ciphertext);
	}

event krb_as_response(c: connection, msg: KRB::KDC_Response)
	{
	if ( c?$krb && msg$ticket?$ciphertext )
		c$krb$new_ticket_sha256 = sha256_hash(msg$ticket$ciphertext);
	}

event krb_tgs_response(c: connection, msg: KRB::KDC_Response)
	{
	if ( c?$krb && msg$ticket?$ciphertext )
		c$krb$new_ticket_sha256 = sha256_hash(msg$ticket$ciphertext);
	}

#@ policy/protocols/krb/md5-ticket-logging
event krb_ap_request(c: connection, ticket: KRB::Ticket, opts: KRB::AP_Options)
	{
	if ( ticket?$ciphertext )
		KRB::session(c)$auth_ticket = md5_hash(ticket$ciphertext);
	}

event krb_as_response(c: connection, msg: KRB::KDC_Response)
	{
	if ( c?$krb && msg$ticket?$ciphertext )
		c$krb$new_ticket = md5_hash(msg$ticket$ciphertext);
	}

event krb_tgs_response(c: connection, msg: KRB::KDC_Response)
	{
	if ( c?$krb && msg$ticket?$ciphertext )
		c$krb$new_ticket = md5_hash(msg$ticket$ciphertext);
	}

#@ policy/protocols/rdp/indicate_ssl
event rdp_begin_encryption(c: connection, security_protocol: count) &priority=3
	{
	# All but the protocol's own encryption goes through TLS ([MS-RDPBCGR] 2.2.1.2.1).
	if ( c?$rdp && security_protocol > 0 )
		c$rdp$ssl = T;
	}

#@ policy/protocols/smb/log-cmds
event zeek_init() &priority=5
	{
	Log::create_stream(SMB::CMD_LOG, [$columns=SMB::CmdInfo, $path="smb_cmd", $policy=SMB::log_policy]);
	}

function SMB::weir_log_command(c: connection)
	{
	if ( ! c?$smb_state || ! c$smb_state?$current_cmd )
		return;

	local command = c$smb_state$current_cmd;

	if ( command?$status && command$status in SMB::ignored_command_statuses )
		return;

	Log::write(SMB::CMD_LOG, command);
	}

event smb1_message(c: connection, hdr: SMB1::Header, is_orig: bool) &priority=-5
	{
	if ( ! is_orig )
		SMB::weir_log_command(c);
	}

event smb2_message(c: connection, hdr: SMB2::Header, is_orig: bool) &priority=-5
	{
	if ( ! is_orig )
		SMB::weir_log_command(c);
	}

#@ policy/protocols/ssl/certificate-request-info
event ssl_certificate_request(c: connection, is_client: bool, certificate_types: index_vec, supported_signature_algorithms: signature_and_hashalgorithm_vec, certificate_authorities: string_vec)
	{
	# Those that servers ask for are logged.
	if ( is_client || ! c?$ssl )
		return;

	local names: vector of string = vector();

	for ( _, authority in certificate_authorities )
		names += parse_distinguished_name(authority);

	c$ssl$requested_client_certificate_authorities = names;
	}

#@ policy/protocols/ssl/log-certs-base64
# Certificates are longer than other fields.
redef X509::default_max_field_string_bytes = 0;

event x509_certificate(f: fa_file, cert_ref: opaque of x509, cert: X509::Certificate) &priority=1
	{
	if ( f$info?$x509 )
		f$info$x509$cert = encode_base64(x509_get_certificate_string(cert_ref));
	}

#@ policy/protocols/dhcp/software
event DHCP::log_dhcp(rec: DHCP::Info)
	{
	if ( rec?$assigned_addr && rec?$client_software )
		Software::found([$orig_h=rec$assigned_addr, $orig_p=68/udp, $resp_h=rec$assigned_addr, $resp_p=67/udp],
		    [$unparsed_version=rec$client_software, $host=rec$assigned_addr, $software_type=DHCP::CLIENT]);

	if ( rec?$server_addr && rec?$server_software )
		Software::found([$orig_h=rec$server_addr, $orig_p=68/udp, $resp_h=rec$server_addr, $resp_p=67/udp],
		    [$unparsed_version=rec$server_software, $host=rec$server_addr, $software_type=DHCP::SERVER]);
	}

#@ policy/protocols/dns/disable-opcode-log-fields
event zeek_init() &priority=-5
	{
	local filter = Log::get_filter(DNS::LOG, "default");

	if ( ! filter?$exclude )
		filter$exclude = set();

	add filter$exclude["opcode"];
	add filter$exclude["opcode_name"];
	Log::add_filter(DNS::LOG, filter);
	}

#@ policy/protocols/conn/multicast-participants
# Who listens to a group, as far as its reports tell.
global Conn::weir_groups: table[addr] of set[addr] &read_expire=10 mins;

function Conn::weir_join(listener: addr, group: addr)
	{
	if ( group !in Conn::weir_groups )
		{
		if ( |Conn::weir_groups| >= Conn::max_igmp_groups )
			return;

		Conn::weir_groups[group] = set();
		}

	if ( |Conn::weir_groups[group]| < Conn::max_igmp_sources_per_group )
		add Conn::weir_groups[group][listener];
	}

function Conn::weir_leave(listener: addr, group: addr)
	{
	if ( group in Conn::weir_groups )
		delete Conn::weir_groups[group][listener];
	}

event zeek_init() &priority=5
	{
	Log::create_stream(Conn::MULTICAST_PARTICIPANTS_LOG, [$columns=Conn::MulticastParticipantsInfo, $ev=Conn::log_multicast,
	    $path="multicast_participants", $policy=Conn::log_policy_multicast]);
	}

event IGMP::membership_report_v1(source: addr, group_addr: addr)
	{
	Conn::weir_join(source, group_addr);
	}

event IGMP::membership_report_v2(source: addr, group_addr: addr)
	{
	Conn::weir_join(source, group_addr);
	}

event IGMP::membership_report_v3(source: addr, groups: vector of IGMP::Group)
	{
	for ( _, group in groups )
		{
		# To listen to no source at all is to leave (RFC 3376, section 4.2.12).
		if ( |group$sources| == 0 && (group$group_type == IGMP::CHANGE_TO_INCLUDE_MODE || group$group_type == IGMP::MODE_IS_INCLUDE) )
			Conn::weir_leave(source, group$multicast_addr);
		else if ( group$group_type != IGMP::BLOCK_OLD_SOURCES )
			Conn::weir_join(source, group$multicast_addr);
		}
	}

event IGMP::leave_group(source: addr, group_addr: addr)
	{
	Conn::weir_leave(source, group_addr);
	}

event new_connection(c: connection)
	{
	if ( c$id$resp_h in Conn::weir_groups )
		c$multicast_srcs = copy(Conn::weir_groups[c$id$resp_h]);
	}

event connection_state_remove(c: connection)
	{
	if ( c?$multicast_srcs )
		Log::write(Conn::MULTICAST_PARTICIPANTS_LOG, [$ts=c$start_time, $cid=c$uid, $orig_h=c$id$orig_h,
		    $group_addr=c$id$resp_h, $group_p=c$id$resp_p, $participants=c$multicast_srcs]);
	}

#@ policy/frameworks/software/windows-version-detection
event HTTP::log_http(rec: HTTP::Info)
	{
	# Systems fetch lists of revoked certificates with a name that tells their version.
	if ( ! rec?$host || ! rec?$user_agent || /crl\.microsoft\.com/ !in rec$host || /Microsoft-CryptoAPI\// !in rec$user_agent )
		return;

	if ( rec$user_agent !in OS::crypto_api_mapping )
		{
		Software::found(rec$id, [$unparsed_version=sub(rec$user_agent, /Microsoft-CryptoAPI/, "Unknown CryptoAPI Version"),
		    $host=rec$id$orig_h, $software_type=OS::WINDOWS]);
		return;
		}

	local system = OS::crypto_api_mapping[rec$user_agent];
	Software::found(rec$id, [$version=system$version, $name=system$name, $host=rec$id$orig_h, $software_type=OS::WINDOWS]);
	}

#@ policy/frameworks/intel/seen/smtp-url-extraction
event Intel::weir_mail_part(f: fa_file, data: string)
	{
	if ( ! f?$conns )
		return;

	for ( _, c in f$conns )
		for ( url in find_all_urls_without_scheme(data) )
			Intel::seen([$indicator=url, $indicator_type=Intel::URL, $conn=c, $where=SMTP::IN_MESSAGE]);
	}

event file_new(f: fa_file)
	{
	if ( f$source == "SMTP" )
		Files::add_analyzer(f, Files::ANALYZER_DATA_EVENT, [$stream_event=Intel::weir_mail_part]);
	}

#@ policy/integration/collective-intel/main
hook Intel::extend_match(info: Intel::Info, s: Intel::Seen, items: set[Intel::Item])
	{
	for ( item in items )
		{
		local told: Intel::CIF = [];

		if ( item$meta?$cif_tags )
			told$tags = item$meta$cif_tags;
		if ( item$meta?$cif_confidence )
			told$confidence = item$meta$cif_confidence;
		if ( item$meta?$cif_source )
			told$source = item$meta$cif_source;
		if ( item$meta?$cif_description )
			told$description = item$meta$cif_description;
		if ( item$meta?$cif_firstseen )
			told$firstseen = item$meta$cif_firstseen;
		if ( item$meta?$cif_lastseen )
			told$lastseen = item$meta$cif_lastseen;

		info$cif = told;
		}
	}

#@ policy/frameworks/analyzer/packet-segment-logging
function Analyzer::Logging::weir_segment(): string
	{
	return fmt("%s", sub_bytes(get_current_packet()$data, 1, Analyzer::Logging::packet_segment_size));
	}

event analyzer_violation_info(tag: AllAnalyzers::Tag, info: AnalyzerViolationInfo)
	{
	if ( info?$c && Analyzer::Logging::packet_segment_size >= 0 )
		info$c$packet_segment = Analyzer::Logging::weir_segment();
	}

hook Analyzer::Logging::log_policy(rec: Analyzer::Logging::Info, id: Log::ID, filter: Log::Filter)
	{
	if ( id == Analyzer::Logging::LOG && rec?$id && Analyzer::Logging::packet_segment_size >= 0 )
		rec$packet_segment = Analyzer::Logging::weir_segment();
	}

#@ policy/misc/loaded-scripts
event zeek_init() &priority=5
	{
	Log::create_stream(LoadedScripts::LOG, [$columns=LoadedScripts::Info, $path="loaded_scripts", $policy=LoadedScripts::log_policy]);
	}

event zeek_script_loaded(path: string, level: count)
	{
	local name = compress_path(path);

	while ( level > 0 )
		{
		name = string_cat("  ", name);
		--level;
		}

	Log::write(LoadedScripts::LOG, [$name=name]);
	}

#@ policy/frameworks/analyzer/detect-protocols
type ProtocolDetector::weir_protocol: record {
	tag: AllAnalyzers::Tag;
	# A protocol within it, which scripts told of.
	inner: string &default="";
};

# A connection is looked at each `check_interval`.
global ProtocolDetector::weir_found: table[conn_id] of table[AllAnalyzers::Tag] of ProtocolDetector::weir_protocol = table() &read_expire=1 hr;

function ProtocolDetector::weir_is_wanted(c: connection, direction: ProtocolDetector::dir): bool
	{
	local is_local = Site::is_local_addr(c$id$resp_h);

	switch ( direction )
		{
		case ProtocolDetector::BOTH:
			return F;
		case ProtocolDetector::INCOMING:
			return ! is_local;
		case ProtocolDetector::OUTGOING:
			return is_local;
		default:
			return T;
		}

	return T;
	}

function ProtocolDetector::weir_tell(c: connection, protocol: ProtocolDetector::weir_protocol)
	{
	local name = Analyzer::name(protocol$tag);
	local said = protocol$inner == "" ? name : fmt("%s (via %s)", protocol$inner, name);

	NOTICE([$note=ProtocolDetector::Protocol_Found, $conn=c, $sub=said,
	    $msg=fmt("%s %s on port %s", id_string(c$id), said, c$id$resp_p)]);

	local is_known = [c$id$resp_h, c$id$resp_p, name] in ProtocolDetector::servers;

	if ( protocol$tag in ProtocolDetector::suppress_servers )
		return;

	if ( is_known && protocol$inner in ProtocolDetector::servers[c$id$resp_h, c$id$resp_p, name] )
		return;

	NOTICE([$note=ProtocolDetector::Server_Found, $conn=c, $src=c$id$resp_h, $p=c$id$resp_p, $sub=said,
	    $msg=fmt("%s: %s server on port %s%s", c$id$resp_h, said, c$id$resp_p, is_known ? " (update)" : "")]);

	if ( ! is_known )
		ProtocolDetector::servers[c$id$resp_h, c$id$resp_p, name] = set();

	add ProtocolDetector::servers[c$id$resp_h, c$id$resp_p, name][protocol$inner];
	}

function ProtocolDetector::weir_tell_all(c: connection)
	{
	if ( c$id !in ProtocolDetector::weir_found )
		return;

	for ( tag, protocol in ProtocolDetector::weir_found[c$id] )
		{
		local direction = ProtocolDetector::NONE;

		if ( [tag, c$id$resp_h, c$id$resp_p] in ProtocolDetector::valids )
			direction = ProtocolDetector::valids[tag, c$id$resp_h, c$id$resp_p];
		else if ( [tag, 0.0.0.0, c$id$resp_p] in ProtocolDetector::valids )
			direction = ProtocolDetector::valids[tag, 0.0.0.0, c$id$resp_p];

		if ( ProtocolDetector::weir_is_wanted(c, direction) )
			ProtocolDetector::weir_tell(c, protocol);
		}

	delete ProtocolDetector::weir_found[c$id];
	}

event ProtocolDetector::weir_check(c: connection)
	{
	if ( c$id !in ProtocolDetector::weir_found || ! connection_exists(c$id) )
		return;

	local now = lookup_connection(c$id);

	if ( now$duration >= ProtocolDetector::minimum_duration && now$orig$size + now$resp$size >= ProtocolDetector::minimum_volume )
		ProtocolDetector::weir_tell_all(now);
	else
		schedule ProtocolDetector::check_interval { ProtocolDetector::weir_check(c) };
	}

event analyzer_confirmation_info(atype: AllAnalyzers::Tag, info: AnalyzerConfirmationInfo)
	{
	if ( is_packet_analyzer(atype) || is_file_analyzer(atype) || ! info?$c )
		return;

	local c = info$c;

	# Where it is expected.
	if ( c$id$resp_p in Analyzer::registered_ports(atype) )
		return;

	if ( c$id !in ProtocolDetector::weir_found )
		{
		ProtocolDetector::weir_found[c$id] = table();
		Conn::register_removal_hook(c, ProtocolDetector::finalize_protocol_detection);
		schedule ProtocolDetector::check_interval { ProtocolDetector::weir_check(c) };
		}

	ProtocolDetector::weir_found[c$id][atype] = [$tag=atype];
	}

event analyzer_violation_info(atype: AllAnalyzers::Tag, info: AnalyzerViolationInfo)
	{
	# One side alone spoke it.
	if ( info?$c && info$c$id in ProtocolDetector::weir_found )
		delete ProtocolDetector::weir_found[info$c$id][atype];
	}

hook ProtocolDetector::finalize_protocol_detection(c: connection)
	{
	ProtocolDetector::weir_tell_all(c);
	}

function ProtocolDetector::found_protocol(c: connection, atype: AllAnalyzers::Tag, protocol: string)
	{
	# Only of connections whose protocol is not where it is expected.
	if ( c$id in ProtocolDetector::weir_found && atype in ProtocolDetector::weir_found[c$id] )
		ProtocolDetector::weir_found[c$id][atype]$inner = protocol;
	}

#@ policy/tuning/track-all-assets
redef Known::host_tracking = ALL_HOSTS;
redef Known::service_tracking = ALL_HOSTS;
redef Known::cert_tracking = ALL_HOSTS;
redef Software::asset_tracking = ALL_HOSTS;

#@ policy/files/x509/disable-certificate-events-known-certs
redef X509::certificate_cache_max_entries = 100000;

# A script with a handler for each kind of traffic, which looks at fields of the connection and at patterns, and keeps
# a table of hosts for a minute: what attacks cost where a site runs scripts.

@load policy/protocols/ssl/validate-certs
@load policy/protocols/ssl/validate-ocsp
@load policy/protocols/ssl/validate-sct
@load-sigs ./attacks.sig
redef SMTP::enable_rfc822_msg_file_analysis = T;
redef dpd_match_only_beginning = F;

redef record Conn::Info += { heard: count &log &default=0; };

global hosts: table[addr] of count &create_expire=1min &default=0;
global heard = 0;

function hear(c: connection)
	{
	++heard;
	if ( c?$conn )
		c$conn$heard = heard;
	}

# The records of protocols are kept, and have a column more.
redef record FTP::Info += { heard: count &log &default=0; };
redef record MySQL::Info += { heard: count &log &default=0; };
redef record SIP::Info += { heard: count &log &default=0; };
event connection_state_remove(c: connection) &priority=2
	{
	heard += c?$ftp ? 1 : 0;
	heard += c?$krb ? 1 : 0;
	heard += c?$mysql ? 1 : 0;
	heard += c?$sip ? 1 : 0;
	heard += c?$ntp ? 1 : 0;
	heard += c?$snmp ? 1 : 0;
	heard += c?$rdp ? 1 : 0;
	heard += c?$dce_rpc ? 1 : 0;
	heard += c?$irc ? 1 : 0;
	heard += c?$socks ? 1 : 0;
	heard += c?$radius ? 1 : 0;
	heard += c?$syslog ? 1 : 0;
	heard += c?$dnp3 ? 1 : 0;
	heard += c?$ntlm ? 1 : 0;
	heard += c?$mqtt ? 1 : 0;
	heard += c?$smb_state ? 1 : 0;
	}

event new_connection(c: connection) { ++hosts[c$id$orig_h]; }
event connection_state_remove(c: connection) { hear(c); }
event new_packet(c: connection, p: pkt_hdr) { ++heard; }
event tcp_option(c: connection, is_orig: bool, opt: count, optlen: count) { ++heard; }
event conn_weird(name: string, c: connection, addl: string, source: string) { hear(c); }

event http_request(c: connection, method: string, original_URI: string, unescaped_URI: string, version: string)
	{
	if ( /(a|aa)+b|never.*found/ in unescaped_URI )
		hear(c);
	}
event http_header(c: connection, is_orig: bool, original_name: string, name: string, value: string)
	{
	if ( name == "USER-AGENT" && /(k+y)+z/ in value )
		hear(c);
	}
event http_entity_data(c: connection, is_orig: bool, length: count, data: string) { heard += length; }
event signature_match(state: signature_state, msg: string, data: string) { ++heard; }
event http_message_done(c: connection, is_orig: bool, stat: http_message_stat) { hear(c); }
event dns_request(c: connection, msg: dns_msg, query: string, qtype: count, qclass: count, original_query: string)
	{
	if ( |split_string(query, /\./)| > 9 )
		hear(c);
	}
event dns_TXT_reply(c: connection, msg: dns_msg, ans: dns_answer, strs: string_vec) { heard += |strs|; }
event dns_A_reply(c: connection, msg: dns_msg, ans: dns_answer, a: addr) { ++hosts[a]; }
event ssl_client_hello(c: connection, version: count, record_version: count, possible_ts: time, client_random: string, session_id: string, ciphers: index_vec, comp_methods: index_vec)
	{
	heard += |ciphers|;
	}
event ssl_extension(c: connection, is_client: bool, code: count, val: string) { ++heard; }
event ssl_handshake_message(c: connection, is_client: bool, msg_type: count, length: count) { ++heard; }
event ssh_client_version(c: connection, version: string) { hear(c); }
event ftp_request(c: connection, command: string, arg: string) { hear(c); }
# Of every third file nothing more is heard, and of every third the hash is told.
global files = 0;
event file_new(f: fa_file)
	{
	++heard;
	++files;
	if ( files % 3 == 0 )
		Files::stop(f);
	else if ( files % 3 == 1 )
		Files::add_analyzer(f, Files::ANALYZER_SHA256);
	}
event file_gap(f: fa_file, offset: count, len: count) { heard += len; }
event file_over_new_connection(f: fa_file, c: connection, is_orig: bool) { hear(c); }
event file_timeout(f: fa_file) { ++heard; }
event file_sniff(f: fa_file, meta: fa_metadata) { ++heard; }
event file_hash(f: fa_file, kind: string, hash: string) { ++heard; }
event file_state_remove(f: fa_file) { heard += f$seen_bytes; }
event HTTP::log_http(rec: HTTP::Info) { ++heard; }
event smtp_request(c: connection, is_orig: bool, command: string, arg: string)
	{
	# Of every eighth command, the connection is passed over from there on.
	if ( ++heard % 8 == 0 )
		skip_further_processing(c$id);
	}
event smtp_reply(c: connection, is_orig: bool, code: count, cmd: string, msg: string, cont_resp: bool) { ++heard; }
event smtp_data(c: connection, is_orig: bool, data: string) { heard += |data|; }
event mime_begin_entity(c: connection) { ++heard; }
event mime_all_headers(c: connection, hlist: mime_header_list) { heard += |hlist|; }
event mime_entity_data(c: connection, length: count, data: string) { heard += length; }
event mime_content_hash(c: connection, content_len: count, hash_value: string) { heard += content_len; }
event pop3_request(c: connection, is_orig: bool, command: string, arg: string) { heard += |arg|; }
event x509_certificate(f: fa_file, cert_ref: opaque of x509, cert: X509::Certificate) { heard += |cert$subject|; }
event x509_extension(f: fa_file, ext: X509::Extension) { heard += |ext$value|; }
event irc_message(c: connection, is_orig: bool, prefix: string, command: string, message: string) { hear(c); }
event mqtt_publish(c: connection, is_orig: bool, msg_id: count, msg: MQTT::PublishMsg) { heard += msg$payload_len; }
event mqtt_subscribe(c: connection, msg_id: count, topics: string_vec, requested_qos: index_vec) { heard += |topics|; }
event snmp_get_request(c: connection, is_orig: bool, header: SNMP::Header, pdu: SNMP::PDU) { heard += |pdu$bindings|; }
event krb_as_request(c: connection, msg: KRB::KDC_Request) { hear(c); }
event mysql_command_request(c: connection, command: count, arg: string) { heard += |arg|; }
event sip_header(c: connection, is_orig: bool, name: string, value: string) { ++heard; }
event modbus_message(c: connection, headers: ModbusHeaders, is_orig: bool) { hear(c); }
event dnp3_object_header(c: connection, is_orig: bool, obj_type: count, qua_field: count, number: count, rf_low: count, rf_high: count) { ++heard; }
event dce_rpc_request(c: connection, fid: count, ctx_id: count, opnum: count, stub_len: count) { heard += stub_len; }
event smb2_create_request(c: connection, hdr: SMB2::Header, request: SMB2::CreateRequest) { heard += |request$filename|; }
event socks_request(c: connection, version: count, request_type: count, sa: SOCKS::Address, p: port, user: string) { hear(c); }
event websocket_frame(c: connection, is_orig: bool, fin: bool, rsv: count, opcode: count, payload_len: count) { heard += payload_len; }
event radius_message(c: connection, result: RADIUS::Message) { heard += result?$attributes ? |result$attributes| : 1; }
event dhcp_message(c: connection, is_orig: bool, msg: DHCP::Msg, options: DHCP::Options) { heard += |options$options|; }
event ntp_message(c: connection, is_orig: bool, msg: NTP::Message) { hear(c); }
event syslog_message(c: connection, facility: count, severity: count, msg: string) { heard += |msg|; }

# What waits: a condition for each host that asks by UDP, which never holds, and an event that comes later.
global asked: table[addr] of count &default=0;
event later(host: addr) { ++asked[host]; }
event udp_request(c: connection)
	{
	local host = c$id$orig_h;
	schedule 10sec { later(host) };
	when [host] ( asked[host] > 1000000 )
		++heard;
	timeout 30sec
		{
		++heard;
		}
	}
# What is steered: nothing more of what RDP says is heard after its first request.
event rdp_connect_request(c: connection, cookie: string)
	{
	if ( c?$service )
		disable_analyzer(c$id, current_analyzer());
	}

# Protocols that only scripts ask for, and the lines by which logins are told apart.
redef skip_authentication += { "WELCOME TO BERKNET" };
redef login_prompts += { "[Ll]ogin:", "[Uu]ser(name)?:" };
redef login_non_failure_msgs += { "Failures since last login" };
redef login_failure_msgs += { "[Ll]ogin incorrect", "[Pp]ermission denied" };
redef login_success_msgs += { "[Ll]ast login", "[$] $" };
event zeek_init()
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_TELNET, set(23/tcp));
	Analyzer::register_for_ports(Analyzer::ANALYZER_FINGER, set(79/tcp));
	Analyzer::register_for_ports(Analyzer::ANALYZER_PORTMAPPER, set(111/tcp, 111/udp));
	Analyzer::register_for_ports(Analyzer::ANALYZER_MOUNT, set(635/tcp, 635/udp));
	Analyzer::register_for_ports(Analyzer::ANALYZER_NFS, set(2049/tcp, 2049/udp));
	Analyzer::register_for_ports(Analyzer::ANALYZER_IDENT, set(113/tcp));
	Analyzer::register_for_ports(Analyzer::ANALYZER_NETBIOSSSN, set(139/tcp));
	Analyzer::register_for_ports(Analyzer::ANALYZER_RLOGIN, set(513/tcp));
	Analyzer::register_for_ports(Analyzer::ANALYZER_RSH, set(514/tcp));
	Analyzer::register_for_ports(Analyzer::ANALYZER_NCP, set(524/tcp));
	Analyzer::register_for_ports(Analyzer::ANALYZER_XMPP, set(5222/tcp));
	Analyzer::register_for_ports(Analyzer::ANALYZER_GNUTELLA, set(6346/tcp));
	Analyzer::register_for_ports(Analyzer::ANALYZER_BITTORRENT, set(6881/tcp));
	Analyzer::register_for_ports(Analyzer::ANALYZER_BITTORRENTTRACKER, set(6969/tcp));
	}
event bittorrent_peer_keep_alive(c: connection, is_orig: bool) { ++heard; }
event bittorrent_peer_bitfield(c: connection, is_orig: bool, bitfield: string) { heard += |bitfield|; }
event bt_tracker_response(c: connection, status: count, headers: bt_tracker_headers, peers: bittorrent_peer_set, benc: bittorrent_benc_dir) { heard += |benc|; }
event gnutella_text_msg(c: connection, orig: bool, headers: string) { heard += |headers|; }
event gnutella_binary_msg(c: connection, orig: bool, msg_type: count, ttl: count, hops: count, msg_len: count, payload: string, payload_len: count, trunc: bool, complete: bool)
	{
	++heard;
	}
event finger_reply(c: connection, reply_line: string) { ++heard; }
event ident_request(c: connection, lport: port, rport: port) { ++heard; }
event login_output_line(c: connection, line: string) { heard += |line|; }
event login_confused(c: connection, msg: string, line: string) { ++heard; }
event rsh_request(c: connection, client_user: string, server_user: string, line: string, new_session: bool) { ++heard; }
event ncp_request(c: connection, frame_type: count, length: count, func: count) { ++heard; }
event netbios_session_message(c: connection, is_orig: bool, msg_type: count, data_len: count) { ++heard; }
event xmpp_starttls(c: connection) { hear(c); }

event rpc_call(c: connection, xid: count, prog: count, ver: count, proc: count, call_len: count) { heard += call_len; }
event rpc_discarded_pending_calls(c: connection) { hear(c); }
event pm_request_dump(r: connection, m: pm_mappings) { heard += |m|; }
event pm_bad_port(r: connection, bad_p: count) { ++heard; }
event mount_proc_mnt(c: connection, info: MOUNT3::info_t, req: MOUNT3::dirmntargs_t, rep: MOUNT3::mnt_reply_t) { heard += |req$dirname|; }
event nfs_proc_readdir(c: connection, info: NFS3::info_t, req: NFS3::readdirargs_t, rep: NFS3::readdir_reply_t) { heard += |rep$entries|; }
event nfs_reply_status(n: connection, info: NFS3::info_t) { ++heard; }
event rdpeudp_data(c: connection, is_orig: bool, version: count, data: string) { heard += |data|; }
event rdp_native_encrypted_data(c: connection, orig: bool, len: count) { heard += len; }
event LDAP::message(c: connection, message_id: int, opcode: LDAP::ProtocolOpcode, result: LDAP::ResultCode, matched_dn: string, diagnostic_message: string, object: string, argument: string)
	{
	heard += |object|;
	}
event LDAP::search_request(c: connection, message_id: int, base_object: string, scope: LDAP::SearchScope, deref: LDAP::SearchDerefAlias, size_limit: int, time_limit: int, types_only: bool, filter: string, attributes: vector of string)
	{
	heard += |attributes|;
	}

# Changes of zones, what applications and clients of Kerberos say, and protocols that nothing knows.
event dns_dynamic_update(c: connection, msg: dns_msg, zname: string, zclass: count) { heard += |zname|; }
event dns_dynamic_update_pre(c: connection, msg: dns_msg, ans: dns_answer) { heard += |ans$query|; }
event dns_dynamic_update_del(c: connection, msg: dns_msg, ans: dns_answer) { heard += |ans$query|; }
event krb_ap_request(c: connection, ticket: KRB::Ticket, opts: KRB::AP_Options, in_kdc_padata: bool) { hear(c); }
event krb_ap_response(c: connection) { ++heard; }
event krb_safe(c: connection, is_orig: bool, msg: KRB::SAFE_Msg) { heard += |msg$data|; }
event krb_priv(c: connection, is_orig: bool) { ++heard; }
event krb_cred(c: connection, is_orig: bool, tickets: KRB::Ticket_Vector) { heard += |tickets|; }
event unknown_protocol(analyzer_name: string, protocol: count, first_bytes: string, analyzer_history: string_vec) { heard += |analyzer_history|; }

# Of every fourth body and mail, nothing is heard from its first piece on.
event http_begin_entity(c: connection, is_orig: bool)
	{
	if ( ++heard % 4 == 0 )
		skip_http_entity_data(c, is_orig);
	}
event mime_begin_entity(c: connection)
	{
	if ( heard % 4 == 0 )
		skip_smtp_data(c);
	}

event zeek_done() { print heard; }

# What connections hold for scripts while their traffic goes by: records of protocols, in the state that handlers find at
# each priority. Handlers run only where scripts ask for these records (traffic/logs.rs): each is in a group by the name of the field.

#@ base/init-bare
# Comes behind each packet that a connection counts, where scripts set thresholds or ask for connections.
global weir_packet_counted: event (c: connection);
# Older forms of events.
global conn_weird: event (name: string, c: connection, addl: string);
global krb_ap_request: event (c: connection, ticket: KRB::Ticket, opts: KRB::AP_Options);
global expired_conn_weird: event (name: string, id: conn_id, uid: string, addl: string);
global file_weird: event (name: string, f: fa_file, addl: string);
global flow_weird: event (name: string, src: addr, dst: addr, addl: string);
global net_weird: event (name: string, addl: string);
global signature_match: event (state: signature_state, msg: string, data: string);
global dns_query_reply: event (c: connection, msg: dns_msg, query: string, qtype: count, qclass: count);
global dns_rejected: event (c: connection, msg: dns_msg, query: string, qtype: count, qclass: count);
global dns_request: event (c: connection, msg: dns_msg, query: string, qtype: count, qclass: count);
global krb_ap_request: event (c: connection, ticket: KRB::Ticket, opts: KRB::AP_Options);
global http_header: event (c: connection, is_orig: bool, name: string, value: string);
global rdp_connect_request: event (c: connection, cookie: string);
global rdp_negotiation_failure: event (c: connection, failure_code: count);
global rdp_negotiation_response: event (c: connection, security_protocol: count);

#@ policy/protocols/dns/auth-addl
redef dns_skip_all_auth = F;
redef dns_skip_all_addl = F;

#@ base/protocols/conn/main
function Conn::state_word(c: connection, proto: transport_proto): string
	{
	local o = c$orig$state;
	local r = c$resp$state;
	if ( proto == udp )
		{
		if ( o == 1 )
			return r == 1 ? "SF" : "S0";
		return r == 1 ? "SHR" : "OTH";
		}
	if ( proto != tcp )
		return "OTH";
	local o_silent = o == 0 || o == 3;
	local r_silent = r == 0 || r == 3;
	if ( r == 6 )
		{
		if ( o == 1 || o == 2 || (o == 6 && c$orig$size == 0 && c$resp$size == 0) )
			return "REJ";
		return o_silent ? "RSTRH" : "RSTR";
		}
	if ( o == 6 )
		{
		if ( ! r_silent )
			return "RSTO";
		return /^\^?S[^HAFGIQ]*R/ in c$history ? "RSTOS0" : "OTH";
		}
	if ( o == 5 && r == 5 )
		return "SF";
	if ( o == 5 )
		return r_silent ? "SH" : "S2";
	if ( r == 5 )
		return o_silent ? "SHR" : "S3";
	if ( o == 1 && r == 0 )
		return "S0";
	return o == 4 && r == 4 ? "S1" : "OTH";
	}

event new_connection(c: connection) &priority=5 &group="records:conn"
	{
	c$conn = Conn::Info($ts=c$start_time, $uid=c$uid, $id=c$id, $proto=get_port_transport_proto(c$id$resp_p),
	                    $local_orig=Site::is_local_addr(c$id$orig_h), $local_resp=Site::is_local_addr(c$id$resp_h),
	                    $ip_proto=c$id$proto);
	}

# Fills the row of a connection; what is only known at its end, where that has come.
function Conn::set_conn(c: connection, eoc: bool)
	{
	if ( ! c?$conn )
		c$conn = Conn::Info($ts=c$start_time, $uid=c$uid, $id=c$id, $proto=get_port_transport_proto(c$id$resp_p));
	local info = c$conn;
	if ( ! eoc )
		return;
	if ( c$duration > 0secs )
		{
		info$duration = c$duration;
		info$orig_bytes = c$orig$size;
		info$resp_bytes = c$resp$size;
		}
	local names = "";
	for ( name in c$service )
		names = names == "" ? to_lower(name) : names + "," + to_lower(name);
	if ( names != "" )
		info$service = names;
	info$conn_state = Conn::state_word(c, info$proto);
	if ( c$history != "" )
		info$history = c$history;
	info$orig_pkts = c$orig$num_pkts;
	info$orig_ip_bytes = c$orig$num_bytes_ip;
	info$resp_pkts = c$resp$num_pkts;
	info$resp_ip_bytes = c$resp$num_bytes_ip;
	if ( c?$tunnel && |c$tunnel| > 0 )
		{
		if ( ! info?$tunnel_parents )
			info$tunnel_parents = set();
		add info$tunnel_parents[c$tunnel[|c$tunnel| - 1]$uid];
		}
	}

event tunnel_changed(c: connection, e: EncapsulatingConnVector) &priority=-5 &group="records:conn"
	{
	Conn::set_conn(c, F);
	if ( |e| > 0 )
		{
		if ( ! c$conn?$tunnel_parents )
			c$conn$tunnel_parents = set();
		add c$conn$tunnel_parents[e[|e| - 1]$uid];
		}
	c$tunnel = e;
	}

event connection_state_remove(c: connection) &priority=5 &group="records:conn"
	{
	Conn::set_conn(c, T);
	}

#@ base/protocols/http/main
# The ends of what is passed over are to be heard of.
event http_begin_entity(c: connection, is_orig: bool) &group="asked:skip_http_entity_data"
	{
	}

event http_end_entity(c: connection, is_orig: bool) &group="asked:skip_http_entity_data"
	{
	}

function HTTP::begin_message(c: connection, is_orig: bool)
	{
	if ( ! c?$http_state )
		c$http_state = HTTP::State();
	local s = c$http_state;
	local at = is_orig ? s$current_request : s$current_response;
	if ( at !in s$pending )
		{
		s$trans_depth += 1;
		s$pending[at] = HTTP::Info($ts=network_time(), $uid=c$uid, $id=c$id, $trans_depth=s$trans_depth);
		Log::weir_track(c$uid, HTTP::LOG, s$pending[at]);
		}
	c$http = s$pending[at];
	}

event http_request(c: connection, method: string, original_URI: string, unescaped_URI: string, version: string) &priority=5 &group="records:http|descriptions|HTTP::max_files_policy"
	{
	if ( ! c?$http_state )
		c$http_state = HTTP::State();
	c$http_state$current_request += 1;
	HTTP::begin_message(c, T);
	c$http$method = method;
	c$http$uri = unescaped_URI;
	}

event http_reply(c: connection, version: string, code: count, reason: string) &priority=5 &group="records:http|descriptions|HTTP::max_files_policy"
	{
	if ( ! c?$http_state )
		c$http_state = HTTP::State();
	local s = c$http_state;
	# What informs only is followed by another reply to the same request.
	local was_interim = s$current_response in s$pending && s$pending[s$current_response]?$status_code
		&& s$pending[s$current_response]$status_code / 100 == 1;
	if ( ! was_interim )
		s$current_response += 1;
	HTTP::begin_message(c, F);
	c$http$status_code = code;
	c$http$status_msg = reason;
	c$http$version = version;
	if ( code / 100 == 1 )
		{
		c$http$info_code = code;
		c$http$info_msg = reason;
		}
	}

event http_header(c: connection, is_orig: bool, original_name: string, name: string, value: string) &priority=5 &group="records:http|descriptions|HTTP::max_files_policy"
	{
	HTTP::begin_message(c, is_orig);
	if ( ! is_orig )
		return;
	local info = c$http;
	switch ( name )
		{
		case "REFERER": info$referrer = value; break;
		case "HOST": info$host = split_string1(value, /:[0-9]+$/)[0]; break;
		case "ORIGIN": info$origin = value; break;
		case "RANGE": info$range_request = T; break;
		case "USER-AGENT": info$user_agent = value; break;
		case "AUTHORIZATION", "PROXY-AUTHORIZATION":
			if ( /^[bB][aA][sS][iI][cC] / in value )
				{
				local parts = split_string1(decode_base64(sub(value, /^[bB][aA][sS][iI][cC] +/, "")), /:/);
				info$username = parts[0];
				if ( |parts| == 2 && info$capture_password )
					info$password = parts[1];
				}
			break;
		}
	if ( name in HTTP::proxy_headers )
		{
		if ( ! info?$proxied )
			info$proxied = set();
		add info$proxied[name + " -> " + value];
		}
	}

event http_message_done(c: connection, is_orig: bool, stat: http_message_stat) &priority=5 &group="records:http|descriptions|HTTP::max_files_policy"
	{
	HTTP::begin_message(c, is_orig);
	if ( is_orig )
		c$http$request_body_len = stat$body_length;
	else
		c$http$response_body_len = stat$body_length;
	}

event http_message_done(c: connection, is_orig: bool, stat: http_message_stat) &priority=-6 &group="records:http|descriptions|HTTP::max_files_policy"
	{
	if ( is_orig || ! c?$http_state || ! c?$http )
		return;
	if ( ! c$http?$status_code || c$http$status_code / 100 != 1 )
		delete c$http_state$pending[c$http_state$current_response];
	}

#@ base/protocols/conn/polling
event ConnPolling::check(c: connection, callback: function (c: connection, cnt: count) : interval, cnt: count)
	{
	if ( ! connection_exists(c$id) )
		return;
	lookup_connection(c$id);
	local next_interval = callback(c, cnt);
	if ( next_interval >= 0secs )
		ConnPolling::watch(c, callback, cnt + 1, next_interval);
	}

function ConnPolling::watch(c: connection, callback: function (c: connection, cnt: count) : interval, cnt: count, i: interval)
	{
	schedule i { ConnPolling::check(c, callback, cnt) };
	}

#@ base/protocols/dns/main
# Messages that wait for their counterpart, by connection and transaction.
global DNS::waiting: table[string, count] of vector of DNS::Info &create_expire=10min;

function DNS::begin_message(c: connection, msg: dns_msg)
	{
	local key_uid = c$uid;
	local is_query = ! msg$QR;
	if ( [key_uid, msg$id] in DNS::waiting )
		{
		for ( i in DNS::waiting[key_uid, msg$id] )
			{
			local info = DNS::waiting[key_uid, msg$id][i];
			if ( is_query ? ! info$saw_query : ! info$saw_reply )
				{
				c$dns = info;
				return;
				}
			}
		}
	else
		DNS::waiting[key_uid, msg$id] = vector();
	c$dns = DNS::Info($ts=network_time(), $uid=c$uid, $id=c$id, $proto=get_port_transport_proto(c$id$resp_p),
	                  $trans_id=msg$id, $opcode=msg$opcode);
	DNS::waiting[key_uid, msg$id] += c$dns;
	Log::weir_track(key_uid, DNS::LOG, c$dns);
	}

event dns_message(c: connection, is_orig: bool, msg: dns_msg, len: count) &priority=5 &group="records:dns"
	{
	if ( msg$opcode != 0 )
		return;
	DNS::begin_message(c, msg);
	if ( msg$QR )
		{
		c$dns$rcode = msg$rcode;
		c$dns$rcode_name = DNS::base_errors[msg$rcode];
		if ( ! c$dns?$total_answers )
			c$dns$total_answers = msg$num_answers;
		if ( msg$rcode != 0 && msg$num_queries == 0 )
			c$dns$rejected = T;
		}
	}

event dns_request(c: connection, msg: dns_msg, query: string, qtype: count, qclass: count, original_query: string) &priority=5 &group="records:dns"
	{
	if ( ! c?$dns )
		return;
	local info = c$dns;
	info$RD = msg$RD;
	info$TC = msg$TC;
	info$Z = msg$Z;
	info$qclass = qclass;
	info$qclass_name = DNS::classes[qclass];
	info$qtype = qtype;
	info$qtype_name = DNS::query_types[qtype];
	info$query = c$id$resp_p == 137/udp ? decode_netbios_name(query) : query;
	}

event dns_rejected(c: connection, msg: dns_msg, query: string, qtype: count, qclass: count, original_query: string) &priority=5 &group="records:dns"
	{
	if ( c?$dns )
		c$dns$rejected = T;
	}

function DNS::take_answer(c: connection, msg: dns_msg, ans: dns_answer, text: string)
	{
	if ( ! c?$dns || ans$answer_type != 1 )
		return;
	local info = c$dns;
	info$AA = msg$AA;
	info$RA = msg$RA;
	if ( ! info?$query )
		info$query = ans$query;
	if ( ! info?$rtt && network_time() > info$ts )
		info$rtt = network_time() - info$ts;
	if ( text == "" )
		return;
	if ( ! info?$answers )
		{
		info$answers = vector();
		info$TTLs = vector();
		}
	info$answers += text;
	info$TTLs += ans$TTL;
	}

event dns_A_reply(c: connection, msg: dns_msg, ans: dns_answer, a: addr) &priority=5 &group="records:dns"
	{ DNS::take_answer(c, msg, ans, fmt("%s", a)); }
event dns_AAAA_reply(c: connection, msg: dns_msg, ans: dns_answer, a: addr) &priority=5 &group="records:dns"
	{ DNS::take_answer(c, msg, ans, fmt("%s", a)); }
event dns_NS_reply(c: connection, msg: dns_msg, ans: dns_answer, name: string) &priority=5 &group="records:dns"
	{ DNS::take_answer(c, msg, ans, name); }
event dns_CNAME_reply(c: connection, msg: dns_msg, ans: dns_answer, name: string) &priority=5 &group="records:dns"
	{ DNS::take_answer(c, msg, ans, name); }
event dns_PTR_reply(c: connection, msg: dns_msg, ans: dns_answer, name: string) &priority=5 &group="records:dns"
	{ DNS::take_answer(c, msg, ans, name); }
event dns_MX_reply(c: connection, msg: dns_msg, ans: dns_answer, name: string, preference: count) &priority=5 &group="records:dns"
	{ DNS::take_answer(c, msg, ans, name); }
event dns_SOA_reply(c: connection, msg: dns_msg, ans: dns_answer, soa: dns_soa) &priority=5 &group="records:dns"
	{ DNS::take_answer(c, msg, ans, soa$mname); }
event dns_SRV_reply(c: connection, msg: dns_msg, ans: dns_answer, target: string, priority: count, weight: count, p: count) &priority=5 &group="records:dns"
	{ DNS::take_answer(c, msg, ans, target); }
event dns_WKS_reply(c: connection, msg: dns_msg, ans: dns_answer) &priority=5 &group="records:dns"
	{ DNS::take_answer(c, msg, ans, ""); }
event dns_unknown_reply(c: connection, msg: dns_msg, ans: dns_answer) &priority=5 &group="records:dns"
	{ DNS::take_answer(c, msg, ans, fmt("<unknown type=%s>", ans$qtype)); }
event dns_TXT_reply(c: connection, msg: dns_msg, ans: dns_answer, strs: string_vec) &priority=5 &group="records:dns"
	{
	local text = "";
	for ( i in strs )
		text += fmt("%sTXT %d %s", i > 0 ? " " : "", |strs[i]|, strs[i]);
	DNS::take_answer(c, msg, ans, text);
	}

event dns_end(c: connection, msg: dns_msg) &priority=5 &group="records:dns"
	{
	if ( ! c?$dns )
		return;
	if ( msg$QR )
		c$dns$saw_reply = T;
	else
		c$dns$saw_query = T;
	}

event dns_end(c: connection, msg: dns_msg) &priority=-6 &group="records:dns"
	{
	if ( ! c?$dns || ! c$dns$saw_query || ! c$dns$saw_reply )
		return;
	delete DNS::waiting[c$uid, msg$id];
	delete c$dns;
	}

#@ base/protocols/ssl/main
function SSL::session(c: connection): SSL::Info
	{
	if ( ! c?$ssl )
		c$ssl = SSL::Info($ts=network_time(), $uid=c$uid, $id=c$id);
	return c$ssl;
	}

event ssl_client_hello(c: connection, version: count, record_version: count, possible_ts: time, client_random: string, session_id: string, ciphers: index_vec, comp_methods: index_vec) &priority=5 &group="records:ssl"
	{
	local info = SSL::session(c);
	if ( |session_id| > 0 && session_id != /^\x00{32}$/ )
		{
		info$session_id = bytestring_to_hexstr(session_id);
		info$client_ticket_empty_session_seen = F;
		}
	}

event ssl_server_hello(c: connection, version: count, record_version: count, possible_ts: time, server_random: string, session_id: string, cipher: count, comp_method: count) &priority=5 &group="records:ssl"
	{
	local info = SSL::session(c);
	if ( ! info?$version_num )
		{
		info$version_num = version;
		info$version = SSL::version_strings[version];
		}
	info$cipher = SSL::cipher_desc[cipher];
	if ( info?$session_id && info$session_id == bytestring_to_hexstr(session_id) )
		info$resumed = T;
	}

event ssl_extension_supported_versions(c: connection, is_client: bool, versions: index_vec) &priority=5 &group="records:ssl"
	{
	if ( is_client || |versions| != 1 )
		return;
	local info = SSL::session(c);
	info$version_num = versions[0];
	info$version = SSL::version_strings[versions[0]];
	}

event ssl_extension_server_name(c: connection, is_client: bool, names: string_vec) &priority=5 &group="records:ssl"
	{
	if ( is_client && |names| > 0 )
		SSL::session(c)$server_name = names[0];
	}

event ssl_extension_application_layer_protocol_negotiation(c: connection, is_client: bool, protocols: string_vec) &priority=5 &group="records:ssl"
	{
	if ( ! is_client && |protocols| > 0 )
		SSL::session(c)$next_protocol = protocols[0];
	}

event ssl_extension_key_share(c: connection, is_client: bool, curves: index_vec) &priority=5 &group="records:ssl"
	{
	if ( ! is_client && |curves| == 1 )
		SSL::session(c)$curve = SSL::ec_curves[curves[0]];
	}

event ssl_ecdh_server_params(c: connection, curve: count, point: string) &priority=5 &group="records:ssl"
	{
	SSL::session(c)$curve = SSL::ec_curves[curve];
	}

event ssl_alert(c: connection, is_client: bool, level: count, desc: count) &priority=5 &group="records:ssl"
	{
	SSL::session(c)$last_alert = SSL::alert_descriptions[desc];
	}

event ssl_established(c: connection) &priority=7 &group="records:ssl"
	{
	SSL::session(c)$established = T;
	}

event ssl_established(c: connection) &priority=20 &group="asked:SSL::ssl_finishing"
	{
	SSL::session(c);
	hook SSL::ssl_finishing(c);
	}

event connection_state_remove(c: connection) &priority=20 &group="asked:SSL::ssl_finishing"
	{
	if ( c?$ssl && ! c$ssl$established )
		hook SSL::ssl_finishing(c);
	}

event analyzer_confirmation_info(atype: AllAnalyzers::Tag, info: AnalyzerConfirmationInfo) &priority=5 &group="records:ssl|Analyzer::disabling_analyzer"
	{
	if ( (atype == Analyzer::ANALYZER_SSL || atype == Analyzer::ANALYZER_DTLS) && info?$c && info?$aid )
		SSL::session(info$c)$analyzer_id = info$aid;
	}

event ssl_established(c: connection) &priority=-5 &group="asked:Analyzer::disabling_analyzer"
	{
	if ( ! c?$ssl || ! c$ssl?$analyzer_id || ! SSL::disable_analyzer_after_detection )
		return;
	if ( Analyzer::weir_mute(c$id, c$ssl$analyzer_id) )
		delete c$ssl$analyzer_id;
	}

#@ base/protocols/smtp/main
event smtp_request(c: connection, is_orig: bool, command: string, arg: string) &group="asked:skip_smtp_data"
	{
	}

#@ base/protocols/ssh/main
function SSH::set_session(c: connection)
	{
	if ( ! c?$ssh )
		c$ssh = SSH::Info($ts=network_time(), $uid=c$uid, $id=c$id);
	}

function SSH::session(c: connection): SSH::Info
	{
	SSH::set_session(c);
	return c$ssh;
	}

# Finds the version that both sides speak; tells what is odd about that where it is asked to.
function SSH::weir_find_version(c: connection, tells: bool)
	{
	local info = c$ssh;
	delete info$version;
	if ( ! info?$server || ! info?$client || |info$server| == 0 || |info$client| == 0 )
		return;
	local both = fmt("%s vs %s", info$server, info$client);
	if ( |info$server| < 5 || |info$client| < 5 )
		{
		if ( tells )
			Reporter::conn_weird("SSH_cannot_determine_version", c, both);
		return;
		}
	local server = info$server[4];
	local client = info$client[4];
	local server_has_both = |info$server| > 7 && info$server[6:8] == "99";
	local client_has_both = |info$client| > 7 && info$client[6:8] == "99";
	if ( server == "1" && client == "1" )
		info$version = server_has_both && client_has_both ? 2 : 1;
	else if ( (server == "2" || server_has_both) && (client == "2" || client_has_both) )
		info$version = 2;
	else if ( tells )
		Reporter::conn_weird("SSH_version_mismatch", c, both);
	}

function SSH::set_version(c: connection)
	{
	SSH::weir_find_version(c, T);
	}

# The first algorithm of the client that the server has, too.
function SSH::find_alg(client_algorithms: vector of string, server_algorithms: vector of string): string
	{
	for ( i in client_algorithms )
		for ( j in server_algorithms )
			if ( client_algorithms[i] == server_algorithms[j] )
				return client_algorithms[i];
	return "Algorithm negotiation failed";
	}

function SSH::find_bidirectional_alg(client_prefs: SSH::Algorithm_Prefs, server_prefs: SSH::Algorithm_Prefs): string
	{
	local up = SSH::find_alg(client_prefs$client_to_server, server_prefs$client_to_server);
	local down = SSH::find_alg(client_prefs$server_to_client, server_prefs$server_to_client);
	return up == down ? up : fmt("To server: %s, to client: %s", up, down);
	}

event ssh_client_version(c: connection, version: string) &priority=5 &group="records:ssh|ssh_auth_result|ssh_auth_failed"
	{
	SSH::session(c)$client = version;
	SSH::weir_find_version(c, F);
	}

event ssh_server_version(c: connection, version: string) &priority=5 &group="records:ssh|ssh_auth_result|ssh_auth_failed"
	{
	SSH::session(c)$server = version;
	SSH::weir_find_version(c, F);
	}

event ssh_capabilities(c: connection, cookie: string, capabilities: SSH::Capabilities) &group="records:ssh|ssh_auth_result|ssh_auth_failed"
	{
	local info = SSH::session(c);
	if ( ! info?$capabilities || info$capabilities$is_server == capabilities$is_server )
		{
		info$capabilities = capabilities;
		return;
		}
	local client = capabilities$is_server ? info$capabilities : capabilities;
	local server = capabilities$is_server ? capabilities : info$capabilities;
	info$cipher_alg = SSH::find_bidirectional_alg(client$encryption_algorithms, server$encryption_algorithms);
	info$mac_alg = SSH::find_bidirectional_alg(client$mac_algorithms, server$mac_algorithms);
	info$compression_alg = SSH::find_bidirectional_alg(client$compression_algorithms, server$compression_algorithms);
	info$kex_alg = SSH::find_alg(client$kex_algorithms, server$kex_algorithms);
	info$host_key_alg = SSH::find_alg(client$server_host_key_algorithms, server$server_host_key_algorithms);
	}

event ssh_auth_attempted(c: connection, authenticated: bool) &priority=5 &group="records:ssh|ssh_auth_result|ssh_auth_failed"
	{
	local info = SSH::session(c);
	if ( info?$auth_success && info$auth_success )
		return;
	info$auth_success = authenticated;
	info$auth_attempts += 1;
	}

event ssh_auth_successful(c: connection, auth_method_none: bool) &priority=5 &group="records:ssh|ssh_auth_result|ssh_auth_failed"
	{
	SSH::session(c)$auth_success = T;
	}

event ssh_auth_successful(c: connection, auth_method_none: bool) &priority=-5 &group="records:ssh|ssh_auth_result|ssh_auth_failed"
	{
	event ssh_auth_result(c, T, c?$ssh ? c$ssh$auth_attempts : 1);
	}

event ssh_server_host_key_fingerprint(c: connection, fingerprint: string) &priority=5 &group="records:ssh|ssh_auth_result|ssh_auth_failed"
	{
	SSH::session(c)$host_key_fingerprint = fingerprint;
	}

event connection_state_remove(c: connection) &group="records:ssh|ssh_auth_result|ssh_auth_failed"
	{
	if ( ! c?$ssh || ! c$ssh?$auth_success || c$ssh$auth_success )
		return;
	event ssh_auth_failed(c);
	event ssh_auth_result(c, F, c$ssh$auth_attempts);
	}

event analyzer_confirmation_info(atype: AllAnalyzers::Tag, info: AnalyzerConfirmationInfo) &priority=5 &group="records:ssh|Analyzer::disabling_analyzer"
	{
	if ( atype == Analyzer::ANALYZER_SSH && info?$c && info?$aid )
		SSH::session(info$c)$analyzer_id = info$aid;
	}

event ssh_auth_successful(c: connection, auth_method_none: bool) &priority=4 &group="asked:Analyzer::disabling_analyzer"
	{
	if ( SSH::disable_analyzer_after_detection && c?$ssh && c$ssh?$analyzer_id )
		Analyzer::weir_mute(c$id, c$ssh$analyzer_id);
	}

#@ policy/protocols/ssh/md5-host-key-logging
event ssh_server_host_key(c: connection, hash: string) &priority=5 &group="records:ssh"
	{
	SSH::session(c)$host_key = hash;
	}

#@ base/frameworks/files/main
#@ base/protocols/conn/thresholds
# The smallest of the thresholds that are left; zero where none is.
function ConnThreshold::next_count(thresholds: set[count]): count
	{
	local next_one = 0;
	for ( threshold in thresholds )
		if ( next_one == 0 || threshold < next_one )
			next_one = threshold;
	return next_one;
	}

function ConnThreshold::of(c: connection): ConnThreshold::Thresholds
	{
	if ( ! c?$thresholds )
		c$thresholds = ConnThreshold::Thresholds();
	return c$thresholds;
	}

# Has the engine wait for the next threshold of a kind.
function ConnThreshold::wait_for_bytes(c: connection, is_orig: bool): bool
	{
	local left = ConnThreshold::next_count(is_orig ? c$thresholds$orig_byte : c$thresholds$resp_byte);
	return get_current_conn_bytes_threshold(c$id, is_orig) == left || set_current_conn_bytes_threshold(c$id, left, is_orig);
	}

function ConnThreshold::wait_for_packets(c: connection, is_orig: bool): bool
	{
	local left = ConnThreshold::next_count(is_orig ? c$thresholds$orig_packet : c$thresholds$resp_packet);
	return get_current_conn_packets_threshold(c$id, is_orig) == left || set_current_conn_packets_threshold(c$id, left, is_orig);
	}

function ConnThreshold::wait_for_duration(c: connection): bool
	{
	local left = 0secs;
	for ( threshold in c$thresholds$duration )
		if ( left == 0secs || threshold < left )
			left = threshold;
	return get_current_conn_duration_threshold(c$id) == left || set_current_conn_duration_threshold(c$id, left);
	}

function ConnThreshold::set_bytes_threshold(c: connection, threshold: count, is_orig: bool): bool
	{
	local all = ConnThreshold::of(c);
	if ( is_orig )
		add all$orig_byte[threshold];
	else
		add all$resp_byte[threshold];
	return ConnThreshold::wait_for_bytes(c, is_orig);
	}

function ConnThreshold::set_packets_threshold(c: connection, threshold: count, is_orig: bool): bool
	{
	local all = ConnThreshold::of(c);
	if ( is_orig )
		add all$orig_packet[threshold];
	else
		add all$resp_packet[threshold];
	return ConnThreshold::wait_for_packets(c, is_orig);
	}

function ConnThreshold::set_duration_threshold(c: connection, threshold: interval): bool
	{
	add ConnThreshold::of(c)$duration[threshold];
	return ConnThreshold::wait_for_duration(c);
	}

function ConnThreshold::delete_bytes_threshold(c: connection, threshold: count, is_orig: bool): bool
	{
	local all = ConnThreshold::of(c);
	if ( is_orig && threshold in all$orig_byte )
		delete all$orig_byte[threshold];
	else if ( ! is_orig && threshold in all$resp_byte )
		delete all$resp_byte[threshold];
	else
		return F;
	ConnThreshold::wait_for_bytes(c, is_orig);
	return T;
	}

function ConnThreshold::delete_packets_threshold(c: connection, threshold: count, is_orig: bool): bool
	{
	local all = ConnThreshold::of(c);
	if ( is_orig && threshold in all$orig_packet )
		delete all$orig_packet[threshold];
	else if ( ! is_orig && threshold in all$resp_packet )
		delete all$resp_packet[threshold];
	else
		return F;
	ConnThreshold::wait_for_packets(c, is_orig);
	return T;
	}

function ConnThreshold::delete_duration_threshold(c: connection, threshold: interval): bool
	{
	local all = ConnThreshold::of(c);
	if ( threshold !in all$duration )
		return F;
	delete all$duration[threshold];
	ConnThreshold::wait_for_duration(c);
	return T;
	}

event conn_bytes_threshold_crossed(c: connection, threshold: count, is_orig: bool) &priority=5
	{
	if ( c?$thresholds && ConnThreshold::delete_bytes_threshold(c, threshold, is_orig) )
		event ConnThreshold::bytes_threshold_crossed(c, threshold, is_orig);
	}

event conn_packets_threshold_crossed(c: connection, threshold: count, is_orig: bool) &priority=5
	{
	if ( c?$thresholds && ConnThreshold::delete_packets_threshold(c, threshold, is_orig) )
		event ConnThreshold::packets_threshold_crossed(c, threshold, is_orig);
	}

event conn_duration_threshold_crossed(c: connection, threshold: interval, is_orig: bool) &priority=5
	{
	if ( c?$thresholds && ConnThreshold::delete_duration_threshold(c, threshold) )
		event ConnThreshold::duration_threshold_crossed(c, threshold, is_orig);
	}

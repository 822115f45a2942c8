# A script with a handler for each kind of traffic, which looks at fields of the connection and at patterns, and keeps
# a table of hosts for a minute: what attacks cost where a site runs scripts.

@load-sigs ./attacks.sig
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
event dns_A_reply(c: connection, msg: dns_msg, ans: dns_answer, a: addr) { ++hosts[a]; }
event ssl_client_hello(c: connection, version: count, record_version: count, possible_ts: time, client_random: string, session_id: string, ciphers: index_vec, comp_methods: index_vec)
	{
	heard += |ciphers|;
	}
event ssl_extension(c: connection, is_client: bool, code: count, val: string) { ++heard; }
event ssh_client_version(c: connection, version: string) { hear(c); }
event ftp_request(c: connection, command: string, arg: string) { hear(c); }
event file_new(f: fa_file) { ++heard; }
event file_sniff(f: fa_file, meta: fa_metadata) { ++heard; }
event file_hash(f: fa_file, kind: string, hash: string) { ++heard; }
event file_state_remove(f: fa_file) { heard += f$seen_bytes; }
event HTTP::log_http(rec: HTTP::Info) { ++heard; }
event zeek_done() { print heard; }

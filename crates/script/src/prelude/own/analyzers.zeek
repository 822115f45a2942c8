# Analyzers: which are on, and the ports that they are registered for.

#@ base/init-bare
@load base/packet-protocols

# Analyzers that read lines bring two that cut them.
const Analyzer::weir_companions: table[string] of count = {
	["HTTP"] = 2, ["SMTP"] = 2, ["FTP"] = 2, ["IRC"] = 2, ["POP3"] = 2, ["IDENT"] = 2, ["FINGER"] = 2, ["RSH"] = 2,
	["RLOGIN"] = 2, ["TELNET"] = 2, ["NETBIOSSSN"] = 2, ["NCP"] = 2,
};

event zeek_init() &priority=5
	{
	if ( Analyzer::disable_all )
		Analyzer::__disable_all_analyzers();

	for ( tag in Analyzer::disabled_analyzers )
		Analyzer::disable_analyzer(tag);

	for ( wanted in Analyzer::requested_analyzers )
		Analyzer::enable_analyzer(wanted);
	}

function Analyzer::enable_analyzer(tag: AllAnalyzers::Tag): bool
	{
	return is_packet_analyzer(tag) ? PacketAnalyzer::__enable_analyzer(tag) : Analyzer::__enable_analyzer(tag);
	}

function Analyzer::disable_analyzer(tag: AllAnalyzers::Tag): bool
	{
	return is_packet_analyzer(tag) ? PacketAnalyzer::__disable_analyzer(tag) : Analyzer::__disable_analyzer(tag);
	}

function Analyzer::register_for_port(tag: Analyzer::Tag, p: port): bool
	{
	if ( ! Analyzer::__register_for_port(tag, p) )
		return F;

	if ( tag !in Analyzer::ports )
		Analyzer::ports[tag] = set();

	add Analyzer::ports[tag][p];
	return T;
	}

function Analyzer::register_for_ports(tag: Analyzer::Tag, server_ports: set[port], non_server_ports: set[port] &default=set()): bool
	{
	local all = T;

	for ( p in server_ports )
		{
		all = Analyzer::register_for_port(tag, p) && all;
		add likely_server_ports[p];
		}

	for ( q in non_server_ports )
		all = Analyzer::register_for_port(tag, q) && all;

	return all;
	}

function Analyzer::registered_ports(tag: AllAnalyzers::Tag): set[port]
	{
	return tag in Analyzer::ports ? Analyzer::ports[tag] : set();
	}

function Analyzer::all_registered_ports(): table[AllAnalyzers::Tag] of set[port]
	{
	return Analyzer::ports;
	}

function Analyzer::kind(atype: AllAnalyzers::Tag): string
	{
	if ( is_protocol_analyzer(atype) )
		return "protocol";

	return is_packet_analyzer(atype) ? "packet" : is_file_analyzer(atype) ? "file" : "unknown";
	}

function Analyzer::has_tag(name: string): bool
	{
	return Analyzer::__has_tag(name);
	}

function Analyzer::get_tag(name: string): AllAnalyzers::Tag
	{
	return Analyzer::__tag(name);
	}

function Analyzer::schedule_analyzer(orig: addr, resp: addr, resp_p: port, analyzer: Analyzer::Tag, tout: interval): bool
	{
	return Analyzer::__schedule_analyzer(orig, resp, resp_p, analyzer, tout);
	}

function Analyzer::analyzer_to_bpf(tag: Analyzer::Tag): string
	{
	local text = "";

	for ( p in Analyzer::registered_ports(tag) )
		text = cat(text, text == "" ? "" : " or ", fmt("%s port %d", get_port_transport_proto(p), port_to_count(p)));

	return text;
	}

function Analyzer::get_bpf(): string
	{
	local text = "";

	for ( tag in Analyzer::ports )
		text = cat(text, text == "" ? "" : " or ", Analyzer::analyzer_to_bpf(tag));

	return text;
	}

global PacketAnalyzer::weir_children: table[PacketAnalyzer::Tag, count] of PacketAnalyzer::Tag = {
	[PacketAnalyzer::ANALYZER_ETHERNET, 0x0800] = PacketAnalyzer::ANALYZER_IP,
	[PacketAnalyzer::ANALYZER_ETHERNET, 0x86dd] = PacketAnalyzer::ANALYZER_IP,
};

function PacketAnalyzer::register_packet_analyzer(parent: PacketAnalyzer::Tag, identifier: count, child: PacketAnalyzer::Tag): bool
	{
	if ( PacketAnalyzer::weir_is_late() )
		Reporter::weir_end("Packet protocols cannot be registered after zeek_init has finished.");

	if ( [parent, identifier] in PacketAnalyzer::weir_children )
		{
		local before = PacketAnalyzer::weir_children[parent, identifier];

		if ( before != child )
			Reporter::weir_inform(fmt("Overwriting packet analyzer mapping %8s => %s with %s", fmt("0x%x", identifier), Analyzer::name(before), Analyzer::name(child)));
		}

	PacketAnalyzer::weir_children[parent, identifier] = child;
	return T;
	}

function PacketAnalyzer::try_register_packet_analyzer_by_name(parent: string, identifier: count, child: string): bool
	{
	if ( ! Analyzer::__has_tag(parent) || ! Analyzer::__has_tag(child) )
		return F;

	return PacketAnalyzer::register_packet_analyzer(Analyzer::__tag(parent), identifier, Analyzer::__tag(child));
	}

function PacketAnalyzer::register_protocol_detection(parent: PacketAnalyzer::Tag, child: PacketAnalyzer::Tag): bool
	{
	if ( PacketAnalyzer::weir_is_late() )
		Reporter::weir_end("Packet protocols cannot be registered after zeek_init has finished.");

	return T;
	}

# States of logins, where scripts ask for them.
global weir_login_states: table[conn_id] of count;

event login_input_line(c: connection, line: string) &priority=1000 &group="asked:get_login_state"
	{
	if ( c$id !in weir_login_states )
		weir_login_states[c$id] = LOGIN_STATE_AUTHENTICATE;
	}

event login_success(c: connection, user: string, client_user: string, password: string, line: string) &priority=1000 &group="asked:get_login_state"
	{
	weir_login_states[c$id] = LOGIN_STATE_LOGGED_IN;
	}

event login_confused(c: connection, msg: string, line: string) &priority=1000 &group="asked:get_login_state"
	{
	weir_login_states[c$id] = LOGIN_STATE_CONFUSED;
	}

event authentication_skipped(c: connection) &priority=1000 &group="asked:get_login_state"
	{
	weir_login_states[c$id] = LOGIN_STATE_SKIP;
	}

event connection_state_remove(c: connection) &priority=-1000 &group="asked:get_login_state"
	{
	delete weir_login_states[c$id];
	}

function get_login_state(cid: conn_id): count
	{
	return cid in weir_login_states ? weir_login_states[cid] : LOGIN_STATE_AUTHENTICATE;
	}

function set_login_state(cid: conn_id, new_state: count): bool
	{
	if ( cid !in weir_login_states )
		return F;
	weir_login_states[cid] = new_state;
	return T;
	}

#@ base/packet-protocols/main
function PacketAnalyzer::register_for_port(parent: PacketAnalyzer::Tag, child: PacketAnalyzer::Tag, p: port): bool
	{
	if ( ! PacketAnalyzer::register_packet_analyzer(parent, port_to_count(p), child) )
		return F;

	if ( child !in Analyzer::ports )
		Analyzer::ports[child] = set();

	add Analyzer::ports[child][p];
	return T;
	}

function PacketAnalyzer::register_for_ports(parent: PacketAnalyzer::Tag, child: PacketAnalyzer::Tag, server_ports: set[port], non_server_ports: set[port] &default=set()): bool
	{
	local all = T;

	for ( p in server_ports )
		{
		all = PacketAnalyzer::register_for_port(parent, child, p) && all;
		add likely_server_ports[p];
		}

	for ( q in non_server_ports )
		all = PacketAnalyzer::register_for_port(parent, child, q) && all;

	return all;
	}

#@ policy/frameworks/analyzer/debug-logging
event zeek_init() &priority=5
	{
	Log::create_stream(Analyzer::DebugLogging::LOG, [$columns=Analyzer::DebugLogging::Info, $path="analyzer_debug", $policy=Analyzer::DebugLogging::log_policy]);
	}

function Analyzer::DebugLogging::weir_is_shown(tag: AllAnalyzers::Tag): bool
	{
	return Analyzer::DebugLogging::enable && tag !in Analyzer::DebugLogging::ignore_analyzers;
	}

function Analyzer::DebugLogging::weir_row(cause: string, tag: AllAnalyzers::Tag): Analyzer::DebugLogging::Info
	{
	return Analyzer::DebugLogging::Info($ts=network_time(), $cause=cause, $analyzer_kind=Analyzer::kind(tag), $analyzer_name=Analyzer::name(tag));
	}

function Analyzer::DebugLogging::weir_of_connection(row: Analyzer::DebugLogging::Info, c: connection)
	{
	row$id = c$id;
	row$uid = c$uid;
	}

function Analyzer::DebugLogging::weir_of_file(row: Analyzer::DebugLogging::Info, f: fa_file)
	{
	row$fuid = f$id;

	# A file of one connection tells of that, too.
	if ( ! row?$id && f?$conns && |f$conns| == 1 )
		for ( _, c in f$conns )
			Analyzer::DebugLogging::weir_of_connection(row, c);
	}

event analyzer_confirmation_info(atype: AllAnalyzers::Tag, info: AnalyzerConfirmationInfo)
	{
	if ( ! Analyzer::DebugLogging::include_confirmations || ! Analyzer::DebugLogging::weir_is_shown(atype) )
		return;

	local row = Analyzer::DebugLogging::weir_row("confirmation", atype);

	if ( info?$c )
		Analyzer::DebugLogging::weir_of_connection(row, info$c);

	if ( info?$f )
		Analyzer::DebugLogging::weir_of_file(row, info$f);

	Log::write(Analyzer::DebugLogging::LOG, row);
	}

event analyzer_violation_info(atype: AllAnalyzers::Tag, info: AnalyzerViolationInfo) &priority=6
	{
	if ( ! Analyzer::DebugLogging::weir_is_shown(atype) )
		return;

	local row = Analyzer::DebugLogging::weir_row("violation", atype);

	if ( info?$c )
		Analyzer::DebugLogging::weir_of_connection(row, info$c);

	if ( info?$f )
		Analyzer::DebugLogging::weir_of_file(row, info$f);

	row$failure_reason = info$reason;

	if ( info?$data )
		row$failure_data = |info$data| > Analyzer::DebugLogging::failure_data_max_size ? info$data[0:Analyzer::DebugLogging::failure_data_max_size] : info$data;

	Log::write(Analyzer::DebugLogging::LOG, row);
	}

hook Analyzer::disabling_analyzer(c: connection, atype: AllAnalyzers::Tag, aid: count) &priority=-1000
	{
	if ( ! Analyzer::DebugLogging::include_disabling || ! Analyzer::DebugLogging::weir_is_shown(atype) )
		return;

	local row = Analyzer::DebugLogging::weir_row("disabled", atype);
	Analyzer::DebugLogging::weir_of_connection(row, c);
	Log::write(Analyzer::DebugLogging::LOG, row);
	}

#@ base/frameworks/analyzer/dpd
event analyzer_violation_info(atype: AllAnalyzers::Tag, info: AnalyzerViolationInfo) &priority=5 &group="asked:Analyzer::disabling_analyzer"
	{
	if ( info?$c && info?$aid )
		Analyzer::weir_mute(info$c$id, info$aid);
	}

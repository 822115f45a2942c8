# Plugins of NetControl, each behind a line with the script's path.

#@ base/frameworks/netcontrol/plugins/debug
module NetControl;

function weir_debug_name(p: PluginState): string
	{
	return "name" in p$config ? p$config["name"] : fmt("Debug-%s", p$config["all"] == "1" ? "All" : "None");
	}

function weir_debug_say(p: PluginState, msg: string)
	{
	print fmt("netcontrol debug (%s): %s", weir_debug_name(p), msg);
	}

function weir_debug_init(p: PluginState)
	{
	weir_debug_say(p, "init");
	NetControl::plugin_activated(p);
	}

function weir_debug_done(p: PluginState)
	{
	weir_debug_say(p, "init");
	}

function weir_debug_add(p: PluginState, r: Rule): bool
	{
	weir_debug_say(p, fmt("add_rule: %s", r));

	if ( p$config["all"] != "1" )
		return F;

	if ( p$config["answer"] == "error" )
		event NetControl::rule_error(r, p, "error");
	else if ( p$config["answer"] == "exists" )
		event NetControl::rule_exists(r, p, "");
	else
		event NetControl::rule_added(r, p, "");

	return T;
	}

function weir_debug_remove(p: PluginState, r: Rule, reason: string): bool
	{
	weir_debug_say(p, fmt("remove_rule (%s): %s", reason, r));
	event NetControl::rule_removed(r, p, "");
	return T;
	}

global weir_debug_plugin = Plugin($name=weir_debug_name, $can_expire=F, $init=weir_debug_init, $done=weir_debug_done,
	$add_rule=weir_debug_add, $remove_rule=weir_debug_remove);

function weir_debug(name: string, all: bool, answer: string): PluginState
	{
	local p = PluginState($plugin=weir_debug_plugin);
	p$config["all"] = all ? "1" : "0";
	p$config["answer"] = answer;

	if ( name != "" )
		p$config["name"] = name;

	return p;
	}

function create_debug(do_something: bool, name: string &default=""): PluginState
	{
	return weir_debug(name, do_something, "added");
	}

function create_debug_error(name: string): PluginState
	{
	return weir_debug(name, T, "error");
	}

function create_debug_exists(name: string): PluginState
	{
	return weir_debug(name, T, "exists");
	}

module GLOBAL;

#@ base/frameworks/netcontrol/plugins/packetfilter
module NetControl;

function weir_filter_name(p: PluginState): string
	{
	return "Packetfilter";
	}

function weir_filters(e: Entity): vector of subnet
	{
	local wanted: vector of subnet = vector();

	# Source and destination, where the filter can tell them.
	if ( e$ty == ADDRESS )
		{
		wanted += e$ip;
		wanted += e$ip;
		}

	if ( e$ty == FLOW && ! e$flow?$src_p && ! e$flow?$dst_p && ! e$flow?$src_m && ! e$flow?$dst_m && e$flow?$src_h != e$flow?$dst_h )
		{
		if ( e$flow?$src_h )
			wanted[0] = e$flow$src_h;
		else
			wanted[1] = e$flow$dst_h;
		}

	return wanted;
	}

function weir_filter_add(p: PluginState, r: Rule): bool
	{
	if ( r$ty != DROP || r$target != MONITOR )
		return F;

	local done = F;

	for ( i, sn in weir_filters(r$entity) )
		done = i == 0 ? install_src_net_filter(sn, 0, 1.0) : install_dst_net_filter(sn, 0, 1.0);

	if ( done )
		event NetControl::rule_added(r, p, "");

	return done;
	}

function weir_filter_remove(p: PluginState, r: Rule, reason: string): bool
	{
	local done = F;

	for ( i, sn in weir_filters(r$entity) )
		done = i == 0 ? uninstall_src_net_filter(sn) : uninstall_dst_net_filter(sn);

	if ( done )
		event NetControl::rule_removed(r, p, "");

	return done;
	}

global weir_filter_plugin = Plugin($name=weir_filter_name, $can_expire=F, $add_rule=weir_filter_add, $remove_rule=weir_filter_remove);

function create_packetfilter(): PluginState
	{
	return PluginState($plugin=weir_filter_plugin);
	}

module GLOBAL;

#@ base/frameworks/netcontrol/plugins/openflow
module NetControl;

global weir_of_flows: table[count, OpenFlow::ofp_flow_mod_command] of OfTable = table() &create_expire=openflow_message_timeout;
global weir_of_rules: table[count] of OfTable = table() &create_expire=openflow_flow_timeout;

function weir_of_name(p: PluginState): string
	{
	return fmt("Openflow-%s", p$of_controller$describe(p$of_controller$state));
	}

function weir_of_takes(p: PluginState, r: Rule): bool
	{
	local c = p$of_config;

	if ( c?$check_pred )
		return c$check_pred(p, r);

	return r$target == MONITOR ? c$monitor : c$forward;
	}

function weir_of_type(sn: subnet): count
	{
	return is_v4_subnet(sn) ? OpenFlow::ETH_IPv4 : OpenFlow::ETH_IPv6;
	}

function weir_of_protocol(p: port): count
	{
	return is_tcp_port(p) ? OpenFlow::IP_TCP : is_udp_port(p) ? OpenFlow::IP_UDP : OpenFlow::IP_ICMP;
	}

function weir_of_flow(f: NetControl::Flow): OpenFlow::ofp_match
	{
	local m = OpenFlow::ofp_match();

	if ( f?$src_m )
		m$dl_src = f$src_m;

	if ( f?$dst_m )
		m$dl_dst = f$dst_m;

	if ( f?$src_h )
		{
		m$dl_type = weir_of_type(f$src_h);
		m$nw_src = f$src_h;
		}

	if ( f?$dst_h )
		{
		m$dl_type = weir_of_type(f$dst_h);
		m$nw_dst = f$dst_h;
		}

	if ( f?$src_p )
		{
		m$nw_proto = weir_of_protocol(f$src_p);
		m$tp_src = port_to_count(f$src_p);
		}

	if ( f?$dst_p )
		{
		m$nw_proto = weir_of_protocol(f$dst_p);
		m$tp_dst = port_to_count(f$dst_p);
		}

	return m;
	}

function weir_of_matches(p: PluginState, e: Entity): vector of OpenFlow::ofp_match
	{
	local found: vector of OpenFlow::ofp_match = vector();

	switch ( e$ty ) {
	case ADDRESS:
		found += OpenFlow::ofp_match($dl_type=weir_of_type(e$ip), $nw_src=e$ip);
		found += OpenFlow::ofp_match($dl_type=weir_of_type(e$ip), $nw_dst=e$ip);
		break;

	case CONNECTION:
		found += OpenFlow::match_conn(e$conn);
		found += OpenFlow::match_conn(e$conn, T);
		break;

	case MAC:
		found += OpenFlow::ofp_match($dl_src=e$mac);
		found += OpenFlow::ofp_match($dl_dst=e$mac);
		break;

	case FLOW:
		found += weir_of_flow(e$flow);
		break;
	}

	return p$of_config?$match_pred ? p$of_config$match_pred(p, e, found) : found;
	}

function weir_of_change(p: PluginState, r: Rule): OpenFlow::ofp_flow_mod
	{
	local c = p$of_config;
	local m = OpenFlow::ofp_flow_mod($cookie=OpenFlow::generate_cookie(r$cid * 2), $command=OpenFlow::OFPFC_ADD,
		$idle_timeout=c$idle_timeout, $priority=int_to_count(r$priority + c$priority_offset), $flags=OpenFlow::OFPFF_SEND_FLOW_REM,
		$actions=OpenFlow::ofp_flow_action());

	if ( r?$expire && p$plugin$can_expire )
		m$hard_timeout = double_to_count(interval_to_double(r$expire));

	if ( c?$table_id )
		m$table_id = c$table_id;

	switch ( r$ty ) {
	case WHITELIST:
		m$actions$out_ports = vector(OpenFlow::OFPP_NORMAL);
		break;

	case REDIRECT:
		m$actions$out_ports = vector(r$out_port);
		break;

	case MODIFY:
		m$actions$out_ports = vector(r$mod?$redirect_port ? r$mod$redirect_port : OpenFlow::OFPP_NORMAL);

		if ( r$mod?$src_h )
			m$actions$nw_src = r$mod$src_h;

		if ( r$mod?$dst_h )
			m$actions$nw_dst = r$mod$dst_h;

		if ( r$mod?$src_m )
			m$actions$dl_src = r$mod$src_m;

		if ( r$mod?$dst_m )
			m$actions$dl_dst = r$mod$dst_m;

		if ( r$mod?$src_p )
			m$actions$tp_src = r$mod$src_p;

		if ( r$mod?$dst_p )
			m$actions$tp_dst = r$mod$dst_p;

		break;
	}

	return c?$flow_mod_pred ? c$flow_mod_pred(p, r, m) : m;
	}

function weir_of_add(p: PluginState, r: Rule): bool
	{
	if ( ! weir_of_takes(p, r) )
		return F;

	local m = weir_of_change(p, r);
	local matches = weir_of_matches(p, r$entity);

	for ( i, match in matches )
		{
		if ( ! OpenFlow::flow_mod(p$of_controller, match, copy(m)) )
			return F;

		weir_of_flows[m$cookie, m$command] = OfTable($p=p, $r=r);
		++m$cookie;
		}

	return T;
	}

function weir_of_remove(p: PluginState, r: Rule, reason: string): bool
	{
	if ( ! weir_of_takes(p, r) )
		return F;

	local m = OpenFlow::ofp_flow_mod($cookie=OpenFlow::generate_cookie(r$cid * 2), $command=OpenFlow::OFPFC_DELETE,
		$actions=OpenFlow::ofp_flow_action());

	for ( i, match in weir_of_matches(p, r$entity) )
		{
		if ( ! OpenFlow::flow_mod(p$of_controller, OpenFlow::ofp_match(), copy(m)) )
			return F;

		weir_of_flows[m$cookie, m$command] = OfTable($p=p, $r=r);
		++m$cookie;
		}

	return T;
	}

# Returns whether a message was the last of its rule's that was waited for.
function weir_of_answered(command: OpenFlow::ofp_flow_mod_command, r: Rule): bool
	{
	local first = OpenFlow::generate_cookie(r$cid * 2);
	return [first, command] !in weir_of_flows && [first + 1, command] !in weir_of_flows;
	}

event OpenFlow::flow_mod_success(name: string, match: OpenFlow::ofp_match, flow_mod: OpenFlow::ofp_flow_mod, msg: string) &priority=3
	{
	if ( [flow_mod$cookie, flow_mod$command] !in weir_of_flows )
		return;

	local entry = weir_of_flows[flow_mod$cookie, flow_mod$command];
	delete weir_of_flows[flow_mod$cookie, flow_mod$command];

	if ( ! weir_of_answered(flow_mod$command, entry$r) )
		return;

	if ( flow_mod$command == OpenFlow::OFPFC_ADD )
		{
		if ( entry$p$of_controller$supports_flow_removed )
			weir_of_rules[OpenFlow::generate_cookie(entry$r$cid * 2)] = entry;

		event NetControl::rule_added(entry$r, entry$p, msg);
		}
	else if ( flow_mod$command == OpenFlow::OFPFC_DELETE || flow_mod$command == OpenFlow::OFPFC_DELETE_STRICT )
		event NetControl::rule_removed(entry$r, entry$p, msg);
	}

event OpenFlow::flow_mod_failure(name: string, match: OpenFlow::ofp_match, flow_mod: OpenFlow::ofp_flow_mod, msg: string) &priority=3
	{
	if ( [flow_mod$cookie, flow_mod$command] !in weir_of_flows )
		return;

	local entry = weir_of_flows[flow_mod$cookie, flow_mod$command];
	delete weir_of_flows[flow_mod$cookie, flow_mod$command];
	event NetControl::rule_error(entry$r, entry$p, msg);
	}

event OpenFlow::flow_removed(name: string, match: OpenFlow::ofp_match, cookie: count, priority: count, reason: count, duration_sec: count, idle_timeout: count, packet_count: count, byte_count: count)
	{
	local first = cookie - cookie % 2;

	if ( first !in weir_of_rules )
		return;

	local entry = weir_of_rules[first];
	delete weir_of_rules[first];
	local flow = FlowInfo($duration=double_to_interval(duration_sec + 0.0), $packet_count=packet_count, $byte_count=byte_count);
	event NetControl::rule_timeout(entry$r, flow, entry$p);
	}

function weir_of_init(p: PluginState)
	{
	if ( p$of_controller$state$_activated )
		NetControl::plugin_activated(p);
	}

event OpenFlow::controller_activated(name: string, controller: OpenFlow::Controller)
	{
	for ( i, p in plugins )
		if ( p?$of_controller && p$of_controller$state$_name == controller$state$_name && ! p$_activated )
			NetControl::plugin_activated(p);
	}

global weir_of_plugin = Plugin($name=weir_of_name, $can_expire=F, $init=weir_of_init, $add_rule=weir_of_add, $remove_rule=weir_of_remove);

function create_openflow(controller: OpenFlow::Controller, config: OfConfig &default=OfConfig()): PluginState
	{
	local how = copy(weir_of_plugin);
	how$can_expire = controller$supports_flow_removed;
	return PluginState($plugin=how, $of_controller=controller, $of_config=config);
	}

module GLOBAL;

#@ base/frameworks/netcontrol/plugins/acld
module NetControl;

global weir_acld_counter: count = 0;

function weir_acld_name(p: PluginState): string
	{
	return fmt("Acld-%s", p$acld_config$acld_topic);
	}

function weir_acld_takes(p: PluginState, r: Rule): bool
	{
	local c = p$acld_config;

	if ( c?$check_pred )
		return c$check_pred(p, r);

	return r$target == MONITOR ? c$monitor : c$forward;
	}

function weir_acld_init(p: PluginState)
	{
	Broker::subscribe(p$acld_config$acld_topic);
	Broker::peer(cat(p$acld_config$acld_host), p$acld_config$acld_port);
	}

global weir_acld_plugin = Plugin($name=weir_acld_name, $can_expire=F, $init=weir_acld_init, $add_rule=weir_acld_takes);

function create_acld(config: AcldConfig): PluginState
	{
	++weir_acld_counter;
	return PluginState($acld_config=config, $plugin=weir_acld_plugin, $acld_id=weir_acld_counter - 1);
	}

module GLOBAL;

#@ base/frameworks/netcontrol/plugins/broker
module NetControl;

global weir_broker_counter: count = 0;

function weir_broker_name(p: PluginState): string
	{
	return fmt("Broker-%s", p$broker_config?$topic ? p$broker_config$topic : "");
	}

function weir_broker_takes(p: PluginState, r: Rule): bool
	{
	local c = p$broker_config;

	if ( c?$check_pred )
		return c$check_pred(p, r);

	return r$target == MONITOR ? c$monitor : c$forward;
	}

function weir_broker_init(p: PluginState)
	{
	if ( p$broker_config?$topic )
		Broker::subscribe(p$broker_config$topic);

	if ( p$broker_config?$host && p$broker_config?$bport )
		Broker::peer(cat(p$broker_config$host), p$broker_config$bport);
	}

function create_broker(config: BrokerConfig, can_expire: bool): PluginState
	{
	local how = Plugin($name=weir_broker_name, $can_expire=can_expire, $init=weir_broker_init, $add_rule=weir_broker_takes);
	++weir_broker_counter;
	return PluginState($broker_config=config, $plugin=how, $broker_id=weir_broker_counter - 1);
	}

module GLOBAL;

# Controllers of switches that speak OpenFlow.

#@ base/frameworks/openflow/main
module OpenFlow;

global weir_controllers: table[string] of Controller = table();

# The group of cookies that are ours, and where it and the process's number are.
const weir_cookie_group = 4;
const weir_cookie_group_start = 1099511627776;
const weir_cookie_process_start = 4294967296;

function weir_is_cookie_ours(cookie: count): bool
	{
	if ( cookie / weir_cookie_group_start == weir_cookie_group )
		return T;

	Reporter::warning(fmt("The openflow cookie '%d' is not a zeek cookie", cookie));
	return F;
	}

function generate_cookie(cookie: count &default=0): count
	{
	if ( cookie >= weir_cookie_process_start )
		{
		Reporter::warning(fmt("The given cookie uid '%d' is > 32bit and will be discarded", cookie));
		cookie = 0;
		}

	return weir_cookie_group * weir_cookie_group_start + cookie;
	}

function get_cookie_uid(cookie: count): count
	{
	return weir_is_cookie_ours(cookie) ? cookie % weir_cookie_process_start : INVALID_COOKIE;
	}

function get_cookie_gid(cookie: count): count
	{
	return weir_is_cookie_ours(cookie) ? cookie % weir_cookie_group_start / weir_cookie_process_start : INVALID_COOKIE;
	}

function match_conn(id: conn_id, reverse: bool &default=F): ofp_match
	{
	local kind = is_v4_addr(id$orig_h) ? ETH_IPv4 : ETH_IPv6;
	local proto = is_tcp_port(id$orig_p) ? IP_TCP : is_udp_port(id$orig_p) ? IP_UDP : IP_ICMP;

	if ( reverse )
		return ofp_match($dl_type=kind, $nw_proto=proto, $nw_src=addr_to_subnet(id$resp_h), $tp_src=port_to_count(id$resp_p),
			$nw_dst=addr_to_subnet(id$orig_h), $tp_dst=port_to_count(id$orig_p));

	return ofp_match($dl_type=kind, $nw_proto=proto, $nw_src=addr_to_subnet(id$orig_h), $tp_src=port_to_count(id$orig_p),
		$nw_dst=addr_to_subnet(id$resp_h), $tp_dst=port_to_count(id$resp_p));
	}

function controller_init_done(controller: Controller)
	{
	if ( controller$state$_name !in weir_controllers )
		{
		Reporter::error(fmt("Openflow initialized unknown plugin %s successfully?", controller$state$_name));
		return;
		}

	controller$state$_activated = T;
	event OpenFlow::controller_activated(controller$state$_name, controller);
	}

function register_controller(tpe: OpenFlow::Plugin, name: string, controller: Controller)
	{
	controller$state$_name = cat(tpe, name);
	controller$state$_plugin = tpe;

	if ( controller$state$_name in weir_controllers )
		{
		Reporter::error(fmt("OpenFlow Controller %s was already registered. Ignored duplicate registration", controller$state$_name));
		return;
		}

	weir_controllers[controller$state$_name] = controller;

	if ( controller?$init )
		controller$init(controller$state);
	else
		controller_init_done(controller);
	}

function unregister_controller(controller: Controller)
	{
	delete weir_controllers[controller$state$_name];

	if ( controller?$destroy )
		controller$destroy(controller$state);
	}

function lookup_controller(name: string): vector of Controller
	{
	return name in weir_controllers ? vector(weir_controllers[name]) : vector();
	}

function flow_mod(controller: Controller, match: ofp_match, flow_mod: ofp_flow_mod): bool
	{
	return controller?$flow_mod && controller$state$_activated ? controller$flow_mod(controller$state, match, flow_mod) : F;
	}

function flow_clear(controller: Controller): bool
	{
	return controller?$flow_clear && controller$state$_activated ? controller$flow_clear(controller$state) : F;
	}

module GLOBAL;

#@ base/frameworks/openflow/plugins/log
event zeek_init() &priority=5
	{
	Log::create_stream(OpenFlow::LOG, [$columns=OpenFlow::Info, $ev=OpenFlow::log_openflow, $path="openflow", $policy=OpenFlow::log_policy]);
	}

function OpenFlow::weir_log_mod(state: OpenFlow::ControllerState, match: OpenFlow::ofp_match, flow_mod: OpenFlow::ofp_flow_mod): bool
	{
	Log::write(OpenFlow::LOG, OpenFlow::Info($ts=network_time(), $dpid=state$log_dpid, $match=match, $flow_mod=flow_mod));

	if ( state$log_success_event )
		event OpenFlow::flow_mod_success(state$_name, match, flow_mod, "");

	return T;
	}

function OpenFlow::weir_log_name(state: OpenFlow::ControllerState): string
	{
	return fmt("Log-%d", state$log_dpid);
	}

function OpenFlow::log_new(dpid: count, success_event: bool &default=T): OpenFlow::Controller
	{
	local c = OpenFlow::Controller($state=OpenFlow::ControllerState($log_dpid=dpid, $log_success_event=success_event),
		$flow_mod=OpenFlow::weir_log_mod, $describe=OpenFlow::weir_log_name, $supports_flow_removed=F);
	OpenFlow::register_controller(OpenFlow::OFLOG, cat(dpid), c);
	return c;
	}

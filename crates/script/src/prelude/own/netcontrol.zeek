# NetControl: rules for what the network does with traffic, and the plugins that put them in place.

#@ base/frameworks/netcontrol/main
module NetControl;

global plugins: vector of PluginState = vector();
global plugin_ids: table[count] of PluginState = table();
global plugin_counter: count = 1;
global plugins_active: bool = F;
global initialized: bool = F;
global rule_counter: count = 1;
global rules: table[string] of Rule = table();
global rule_entities: table[Entity, RuleType] of Rule = table();
global rules_by_subnets: table[subnet] of set[string] = table();

event zeek_init() &priority=5
	{
	Log::create_stream(NetControl::LOG, [$columns=Info, $ev=log_netcontrol, $path="netcontrol", $policy=log_policy]);
	}

event zeek_init() &priority=-5
	{
	event NetControl::init();
	}

function weir_entity(e: Entity): string
	{
	switch ( e$ty ) {
	case ADDRESS:
		return cat(e$ip);

	case CONNECTION:
		return fmt("%s/%d<->%s/%d", e$conn$orig_h, e$conn$orig_p, e$conn$resp_h, e$conn$resp_p);

	case MAC:
		return e$mac;

	case FLOW:
		local f = e$flow;
		local src = fmt("%s/%s", f?$src_h ? cat(f$src_h) : "*", f?$src_p ? cat(port_to_count(f$src_p)) : "*");
		local dst = fmt("%s/%s", f?$dst_h ? cat(f$dst_h) : "*", f?$dst_p ? cat(port_to_count(f$dst_p)) : "*");
		local links = "";

		if ( f?$src_m || f?$dst_m )
			links = fmt(" (%s->%s)", f?$src_m ? f$src_m : "*", f?$dst_m ? f$dst_m : "*");

		return cat(src, "->", dst, links);
	}

	return "";
	}

function weir_change(r: Rule): string
	{
	if ( r$ty == REDIRECT )
		return r?$out_port ? fmt("-> %d", r$out_port) : "";

	if ( r$ty != MODIFY || ! r?$mod )
		return "";

	local m = r$mod;
	local text = fmt("Src: %s/%s (%s) Dst: %s/%s (%s)",
		m?$src_h ? cat(m$src_h) : "_", m?$src_p ? cat(m$src_p) : "_", m?$src_m ? m$src_m : "_",
		m?$dst_h ? cat(m$dst_h) : "_", m?$dst_p ? cat(m$dst_p) : "_", m?$dst_m ? m$dst_m : "_");

	return m?$redirect_port ? fmt("%s -> %d", text, m$redirect_port) : text;
	}

function weir_describe(info: Info, r: Rule)
	{
	info$action = cat(r$ty);
	info$target = r$target;
	info$entity_type = cat(r$entity$ty);
	info$entity = weir_entity(r$entity);
	info$priority = r$priority;

	if ( r$id != "" )
		info$rule_id = r$id;

	if ( r?$expire )
		info$expire = r$expire;

	if ( r?$location && r$location != "" )
		info$location = r$location;

	local change = weir_change(r);

	if ( change != "" )
		info$mod = change;
	}

function log_msg(msg: string, p: PluginState)
	{
	Log::write(NetControl::LOG, Info($ts=network_time(), $category=MESSAGE, $msg=msg, $plugin=p$plugin$name(p)));
	}

function log_error(msg: string, p: PluginState)
	{
	Log::write(NetControl::LOG, Info($ts=network_time(), $category=ERROR, $msg=msg, $plugin=p$plugin$name(p)));
	}

function log_msg_no_plugin(msg: string)
	{
	Log::write(NetControl::LOG, Info($ts=network_time(), $category=MESSAGE, $msg=msg));
	}

function log_rule(r: Rule, cmd: string, state: InfoState, p: PluginState, msg: string &default="")
	{
	local info = Info($ts=network_time(), $category=RULE, $cmd=cmd, $state=state, $plugin=p$plugin$name(p));

	if ( msg != "" )
		info$msg = msg;

	weir_describe(info, r);
	Log::write(NetControl::LOG, info);
	}

function log_rule_error(r: Rule, msg: string, p: PluginState)
	{
	local info = Info($ts=network_time(), $category=ERROR, $msg=msg, $plugin=p$plugin$name(p));
	weir_describe(info, r);
	Log::write(NetControl::LOG, info);
	}

function log_rule_no_plugin(r: Rule, state: InfoState, msg: string)
	{
	local info = Info($ts=network_time(), $category=RULE, $state=state, $msg=msg);
	weir_describe(info, r);
	Log::write(NetControl::LOG, info);
	}

function weir_check_plugins()
	{
	if ( plugins_active || ! initialized )
		return;

	for ( i, p in plugins )
		if ( ! p$_activated )
			return;

	plugins_active = T;

	if ( |plugins| > 0 )
		log_msg_no_plugin("plugin initialization done");

	event NetControl::init_done();
	}

event NetControl::init() &priority=-20
	{
	initialized = T;
	weir_check_plugins();
	}

function plugin_activated(p: PluginState)
	{
	if ( ! p?$_id || p$_id !in plugin_ids )
		{
		log_error("unknown plugin activated", p);
		return;
		}

	plugin_ids[p$_id]$_activated = T;
	log_msg("activation finished", p);
	weir_check_plugins();
	}

function activate(p: PluginState, priority: int)
	{
	p$_priority = priority;
	plugins += p;
	sort(plugins, function(one: PluginState, other: PluginState): int { return other$_priority - one$_priority; });
	p$_id = plugin_counter;
	++plugin_counter;
	plugin_ids[p$_id] = p;
	log_msg(fmt("activating plugin with priority %d", priority), p);

	if ( p$plugin?$init )
		p$plugin$init(p);
	else
		plugin_activated(p);
	}

function weir_subnets(e: Entity): vector of subnet
	{
	local found: vector of subnet = vector();

	if ( e$ty == ADDRESS )
		found += e$ip;

	if ( e$ty == CONNECTION )
		{
		found += addr_to_subnet(e$conn$orig_h);
		found += addr_to_subnet(e$conn$resp_h);
		}

	if ( e$ty == FLOW && e$flow?$src_h )
		found += e$flow$src_h;

	if ( e$ty == FLOW && e$flow?$dst_h )
		found += e$flow$dst_h;

	return found;
	}

function find_rules_subnet(sn: subnet): vector of Rule
	{
	local found: vector of Rule = vector();
	local seen: set[string] = set();

	for ( around in rules_by_subnets )
		{
		if ( subnet_width(around) > subnet_width(sn) || subnet_to_addr(sn) !in around )
			next;

		for ( id in rules_by_subnets[around] )
			if ( id in rules && id !in seen )
				{
				add seen[id];
				found += rules[id];
				}
		}

	return found;
	}

function find_rules_addr(ip: addr): vector of Rule
	{
	return find_rules_subnet(addr_to_subnet(ip));
	}

function weir_keep(r: Rule)
	{
	rules[r$id] = r;
	rule_entities[r$entity, r$ty] = r;

	for ( i, sn in weir_subnets(r$entity) )
		{
		if ( sn !in rules_by_subnets )
			rules_by_subnets[sn] = set();

		add rules_by_subnets[sn][r$id];
		}
	}

function weir_drop(r: Rule)
	{
	for ( i, sn in weir_subnets(r$entity) )
		{
		if ( sn !in rules_by_subnets )
			next;

		delete rules_by_subnets[sn][r$id];

		if ( |rules_by_subnets[sn]| == 0 )
			delete rules_by_subnets[sn];
		}

	delete rule_entities[r$entity, r$ty];
	delete rules[r$id];
	}

function weir_clean(r: Rule)
	{
	if ( |r$_active_plugin_ids| > 0 )
		return;

	weir_drop(r);
	event NetControl::rule_destroyed(r);
	}

function add_rule(r: Rule): string
	{
	if ( ! plugins_active )
		{
		log_rule_no_plugin(r, FAILED, "plugins not initialized yet");
		return "";
		}

	r$cid = ++rule_counter;

	if ( r$id == "" )
		r$id = cat(r$cid);

	if ( ! hook NetControl::rule_policy(r) )
		return "";

	if ( [r$entity, r$ty] in rule_entities )
		{
		log_rule_no_plugin(r, FAILED, "discarded duplicate insertion");
		return "";
		}

	local accepted = F;
	local level: int = 0;

	for ( i, p in plugins )
		{
		# Plugins of a lower priority see only what none above has taken.
		if ( accepted && p$_priority < level )
			break;

		if ( ! p$plugin?$add_rule || ! p$plugin$add_rule(p, r) )
			next;

		accepted = T;
		level = p$_priority;
		log_rule(r, "ADD", REQUESTED, p);
		add r$_plugin_ids[p$_id];
		}

	if ( ! accepted )
		{
		log_rule_no_plugin(r, FAILED, "not supported");
		return "";
		}

	weir_keep(r);
	event NetControl::rule_new(r);
	return r$id;
	}

function weir_remove_from(r: Rule, p: PluginState, reason: string): bool
	{
	if ( p$plugin?$remove_rule && p$plugin$remove_rule(p, r, reason) )
		{
		log_rule(r, "REMOVE", REQUESTED, p, reason);
		return T;
		}

	log_rule_error(r, reason == "" ? "remove failed" : fmt("remove failed (original reason: %s)", reason), p);
	return F;
	}

function remove_rule(id: string, reason: string &default=""): bool
	{
	if ( id !in rules )
		{
		Reporter::error(fmt("Rule %s does not exist in NetControl::remove_rule", id));
		return F;
		}

	local all = T;
	local r = rules[id];

	for ( plugin_id in r$_active_plugin_ids )
		all = weir_remove_from(r, plugin_ids[plugin_id], reason) && all;

	return all;
	}

function delete_rule(id: string, reason: string &default=""): bool
	{
	if ( id !in rules )
		{
		Reporter::error(fmt("Rule %s does not exist in NetControl::delete_rule", id));
		return F;
		}

	local r = rules[id];
	r$_active_plugin_ids = set();
	weir_clean(r);
	log_rule_no_plugin(r, REMOVED, reason == "" ? "delete_rule" : fmt("delete_rule: %s", reason));
	return T;
	}

function clear()
	{
	for ( id in rules )
		remove_rule(id);
	}

event NetControl::weir_expire(r: Rule, p: PluginState)
	{
	if ( r$id !in rules || zeek_is_terminating() || p$_id in rules[r$id]$_no_expire_plugins )
		return;

	event NetControl::rule_timeout(rules[r$id], FlowInfo(), p);
	}

function weir_added(given: Rule, p: PluginState, exists: bool, msg: string)
	{
	if ( given$id !in rules )
		{
		log_rule_error(given, "Addition of unknown rule", p);
		return;
		}

	local r = rules[given$id];

	if ( p$_id !in r$_plugin_ids )
		{
		log_rule_error(r, "Rule added to non-responsible plugin", p);
		return;
		}

	log_rule(r, "ADD", exists ? EXISTS : SUCCEEDED, p, msg);

	if ( exists )
		add r$_no_expire_plugins[p$_id];

	add r$_active_plugin_ids[p$_id];

	if ( |r$_plugin_ids| == |r$_active_plugin_ids| )
		r$_added = T;

	hook NetControl::rule_added_policy(r, p, exists, msg);

	if ( r?$expire && r$expire > 0secs && ! p$plugin$can_expire )
		schedule r$expire { NetControl::weir_expire(r, p) };
	}

event NetControl::rule_added(r: Rule, p: PluginState, msg: string) &priority=5
	{
	weir_added(r, p, F, msg);
	}

event NetControl::rule_exists(r: Rule, p: PluginState, msg: string) &priority=5
	{
	weir_added(r, p, T, msg);
	}

event NetControl::rule_removed(r: Rule, p: PluginState, msg: string) &priority=-5
	{
	if ( r$id !in rules )
		{
		log_rule_error(r, "Removal of unknown rule", p);
		return;
		}

	local known = rules[r$id];

	if ( p$_id !in known$_plugin_ids )
		{
		log_rule_error(known, "Removal from non-responsible plugin", p);
		return;
		}

	log_rule(known, "REMOVE", SUCCEEDED, p, msg);
	delete known$_active_plugin_ids[p$_id];
	weir_clean(known);
	}

event NetControl::rule_timeout(r: Rule, i: FlowInfo, p: PluginState) &priority=-5
	{
	if ( r$id !in rules )
		{
		log_rule_error(r, "Timeout of unknown rule", p);
		return;
		}

	local known = rules[r$id];
	local seen: string_vec = vector();

	if ( i?$packet_count )
		seen += fmt("Packets: %d", i$packet_count);

	if ( i?$byte_count )
		seen += fmt("Bytes: %d", i$byte_count);

	log_rule(known, "EXPIRE", TIMEOUT, p, join_string_vec(seen, " "));

	if ( ! p$plugin$can_expire )
		{
		weir_remove_from(known, p, "");
		return;
		}

	delete known$_active_plugin_ids[p$_id];
	weir_clean(known);
	}

event NetControl::rule_error(r: Rule, p: PluginState, msg: string) &priority=-5
	{
	log_rule_error(r, msg, p);

	if ( r$id !in rules )
		{
		log_error("Error of unknown rule", p);
		return;
		}

	local known = rules[r$id];
	delete known$_plugin_ids[p$_id];
	delete known$_active_plugin_ids[p$_id];

	if ( |known$_plugin_ids| == 0 )
		weir_clean(known);
	else if ( |known$_plugin_ids| == |known$_active_plugin_ids| )
		known$_added = T;
	}

function weir_flow(f: flow_id): Entity
	{
	local flow = NetControl::Flow($src_h=addr_to_subnet(f$src_h), $src_p=f$src_p, $dst_h=addr_to_subnet(f$dst_h), $dst_p=f$dst_p);
	return Entity($ty=FLOW, $flow=flow);
	}

function whitelist_subnet(s: subnet, t: interval, location: string &default=""): string
	{
	local e = Entity($ty=ADDRESS, $ip=s);
	return add_rule(Rule($ty=WHITELIST, $priority=whitelist_priority, $target=FORWARD, $entity=e, $expire=t, $location=location));
	}

function whitelist_address(a: addr, t: interval, location: string &default=""): string
	{
	return whitelist_subnet(addr_to_subnet(a), t, location);
	}

function redirect_flow(f: flow_id, out_port: count, t: interval, location: string &default=""): string
	{
	return add_rule(Rule($ty=REDIRECT, $target=FORWARD, $entity=weir_flow(f), $expire=t, $location=location, $out_port=out_port));
	}

function quarantine_host(infected: addr, dns: addr, quarantine: addr, t: interval, location: string &default=""): vector of string
	{
	local ids: vector of string = vector();
	local from_host = addr_to_subnet(infected);
	local all = Entity($ty=FLOW, $flow=NetControl::Flow($src_h=from_host));
	ids += add_rule(Rule($ty=DROP, $target=FORWARD, $entity=all, $expire=t, $location=location));

	local ask = Entity($ty=FLOW, $flow=NetControl::Flow($src_h=from_host, $dst_h=addr_to_subnet(dns), $dst_p=53/udp));
	ids += add_rule(Rule($ty=MODIFY, $target=FORWARD, $entity=ask, $expire=t, $location=location, $mod=FlowMod($dst_h=quarantine), $priority=+5));

	local answer = Entity($ty=FLOW, $flow=NetControl::Flow($src_h=addr_to_subnet(dns), $src_p=53/udp, $dst_h=from_host));
	ids += add_rule(Rule($ty=MODIFY, $target=FORWARD, $entity=answer, $expire=t, $location=location, $mod=FlowMod($src_h=dns), $priority=+5));

	local web = Entity($ty=FLOW, $flow=NetControl::Flow($src_h=from_host, $dst_h=addr_to_subnet(quarantine), $dst_p=80/tcp));
	ids += add_rule(Rule($ty=WHITELIST, $target=FORWARD, $entity=web, $expire=t, $location=location, $priority=+5));
	return ids;
	}

module GLOBAL;

#@ base/frameworks/netcontrol/drop
event zeek_init() &priority=5
	{
	Log::create_stream(NetControl::DROP_LOG, [$columns=NetControl::DropInfo, $ev=NetControl::log_netcontrol_drop, $path="netcontrol_drop", $policy=NetControl::log_policy_drop]);
	}

function NetControl::drop_connection(c: conn_id, t: interval, location: string &default=""): string
	{
	local e = NetControl::Entity($ty=NetControl::CONNECTION, $conn=c);
	local r = NetControl::Rule($ty=NetControl::DROP, $target=NetControl::FORWARD, $entity=e, $expire=t, $location=location);

	if ( ! hook NetControl::drop_rule_policy(r) )
		return "";

	local id = NetControl::add_rule(r);

	if ( id == "" )
		return id;

	local info = NetControl::DropInfo($ts=network_time(), $rule_id=id, $orig_h=c$orig_h, $orig_p=c$orig_p, $resp_h=c$resp_h, $resp_p=c$resp_p, $expire=t);

	if ( location != "" )
		info$location = location;

	Log::write(NetControl::DROP_LOG, info);
	return id;
	}

function NetControl::drop_address(a: addr, t: interval, location: string &default=""): string
	{
	local e = NetControl::Entity($ty=NetControl::ADDRESS, $ip=addr_to_subnet(a));
	local r = NetControl::Rule($ty=NetControl::DROP, $target=NetControl::FORWARD, $entity=e, $expire=t, $location=location);

	if ( ! hook NetControl::drop_rule_policy(r) )
		return "";

	local id = NetControl::add_rule(r);

	if ( id == "" )
		return id;

	local info = NetControl::DropInfo($ts=network_time(), $rule_id=id, $orig_h=a, $expire=t);

	if ( location != "" )
		info$location = location;

	Log::write(NetControl::DROP_LOG, info);
	return id;
	}

#@ base/frameworks/netcontrol/shunt
event zeek_init() &priority=5
	{
	Log::create_stream(NetControl::SHUNT, [$columns=NetControl::ShuntInfo, $ev=NetControl::log_netcontrol_shunt, $path="netcontrol_shunt", $policy=NetControl::log_policy_shunt]);
	}

function NetControl::shunt_flow(f: flow_id, t: interval, location: string &default=""): string
	{
	local r = NetControl::Rule($ty=NetControl::DROP, $target=NetControl::MONITOR, $entity=NetControl::weir_flow(f), $expire=t, $location=location);
	local id = NetControl::add_rule(r);

	if ( id == "" )
		return id;

	local info = NetControl::ShuntInfo($ts=network_time(), $rule_id=id, $f=f, $expire=t);

	if ( location != "" )
		info$location = location;

	Log::write(NetControl::SHUNT, info);
	return id;
	}

# Blocks that end soon and come back when the address does.

#@ policy/frameworks/netcontrol/catch-and-release
module NetControl;

# Returns how long an address is still watched; one that is watched no more is forgotten.
function weir_watched(t: table[addr] of BlockInfo, idx: addr): interval
	{
	local bi = t[idx];
	local left = bi$watch_until - network_time();

	if ( left > 0secs && ! zeek_is_terminating() )
		return left;

	local info = CatchReleaseInfo($ts=network_time(), $ip=idx, $action=FORGOTTEN, $message="Forgetting");

	if ( bi?$location && bi$location != "" )
		info$location = bi$location;

	Log::write(NetControl::CATCH_RELEASE, info);
	event NetControl::catch_release_forgotten(idx, bi);
	return 0secs;
	}

global weir_blocks: table[addr] of BlockInfo = table() &create_expire=0secs &expire_func=weir_watched;
global weir_blocked: table[string] of addr = table();

event zeek_init() &priority=5
	{
	Log::create_stream(NetControl::CATCH_RELEASE, [$columns=CatchReleaseInfo, $ev=log_netcontrol_catch_release, $path="netcontrol_catch_release", $policy=log_policy_catch_release]);
	}

function weir_interval(place: count): interval
	{
	local last = |catch_release_intervals| - 1;
	return catch_release_intervals[place < last ? place : last];
	}

function weir_note_release(a: addr, bi: BlockInfo, action: CatchReleaseActions, message: string, plugin: string)
	{
	local info = CatchReleaseInfo($ts=network_time(), $ip=a, $action=action, $block_interval=weir_interval(bi$current_interval),
		$watch_interval=weir_interval(bi$current_interval + 1), $watched_until=bi$watch_until, $num_blocked=bi$num_reblocked + 1);

	if ( bi$current_block_id != "" )
		info$rule_id = bi$current_block_id;

	if ( bi?$block_until )
		info$blocked_until = bi$block_until;

	if ( bi?$location && bi$location != "" )
		info$location = bi$location;

	if ( message != "" )
		info$message = message;

	if ( plugin != "" )
		info$plugin = plugin;

	Log::write(NetControl::CATCH_RELEASE, info);
	}

function get_catch_release_info(a: addr): BlockInfo
	{
	return a in weir_blocks ? weir_blocks[a] : BlockInfo($watch_until=double_to_time(0.0), $current_interval=0, $current_block_id="");
	}

function weir_block(a: addr, bi: BlockInfo): bool
	{
	local r = weir_interval(bi$current_interval);
	local id = NetControl::drop_address(a, r, bi?$location ? bi$location : "");

	if ( id == "" )
		return F;

	bi$block_until = network_time() + r;
	bi$watch_until = network_time() + weir_interval(bi$current_interval + 1);
	bi$current_block_id = id;
	weir_blocks[a] = bi;
	weir_blocked[id] = a;
	weir_note_release(a, bi, DROP_REQUESTED, "", "");
	event NetControl::catch_release_block_new(a, bi);
	return T;
	}

function drop_address_catch_release(a: addr, location: string &default=""): BlockInfo
	{
	if ( a in weir_blocks )
		{
		weir_note_release(a, weir_blocks[a], INFO, "Already blocked using catch-and-release - ignoring duplicate", "");
		return weir_blocks[a];
		}

	local bi = BlockInfo($watch_until=network_time() + weir_interval(1), $current_interval=0, $current_block_id="", $location=location);
	local e = Entity($ty=ADDRESS, $ip=addr_to_subnet(a));

	if ( [e, DROP] in rule_entities )
		{
		local known = rule_entities[e, DROP];

		if ( known?$expire && known$expire > 0secs )
			bi$block_until = network_time() + known$expire;

		weir_blocks[a] = bi;
		weir_note_release(a, bi, ADDED, "Address already blocked outside of catch-and-release. Catch and release will monitor and only actively block if it appears in network traffic.", "");
		event NetControl::catch_release_block_new(a, bi);
		return bi;
		}

	if ( weir_block(a, bi) )
		return bi;

	Reporter::error(fmt("Catch and release could not add block for %s; failing.", a));
	bi$watch_until = double_to_time(0.0);
	return bi;
	}

function unblock_address_catch_release(a: addr, reason: string &default=""): bool
	{
	if ( a !in weir_blocks )
		return F;

	local bi = weir_blocks[a];

	if ( bi?$block_until && bi$block_until > network_time() && bi$current_block_id in rules )
		NetControl::remove_rule(bi$current_block_id, reason);

	weir_note_release(a, bi, UNBLOCK, reason, "");
	delete weir_blocks[a];
	event NetControl::catch_release_block_delete(a);
	return T;
	}

function catch_release_seen(a: addr)
	{
	if ( a !in weir_blocks )
		return;

	local bi = weir_blocks[a];
	local e = Entity($ty=ADDRESS, $ip=addr_to_subnet(a));

	if ( [e, DROP] in rule_entities )
		{
		if ( catch_release_warn_blocked_ip_encountered )
			weir_note_release(a, bi, INFO, "Block seen while in rule_entities. No action taken.", "");

		return;
		}

	weir_note_release(a, bi, SEEN_AGAIN, "", "");

	if ( bi$current_interval + 1 < |catch_release_intervals| )
		++bi$current_interval;

	++bi$num_reblocked;

	if ( ! weir_block(a, bi) )
		Reporter::warning(fmt("Catch and release could not add block for %s; failing.", a));
	}

event NetControl::rule_added(r: Rule, p: PluginState, msg: string)
	{
	if ( r$id in weir_blocked && weir_blocked[r$id] in weir_blocks )
		weir_note_release(weir_blocked[r$id], weir_blocks[weir_blocked[r$id]], DROPPED, msg, p$plugin$name(p));
	}

event NetControl::rule_timeout(r: Rule, i: FlowInfo, p: PluginState)
	{
	if ( r$id in weir_blocked && weir_blocked[r$id] in weir_blocks )
		weir_note_release(weir_blocked[r$id], weir_blocks[weir_blocked[r$id]], UNBLOCK, "", p$plugin$name(p));
	}

event NetControl::rule_destroyed(r: Rule)
	{
	delete weir_blocked[r$id];
	}

event new_connection(c: connection)
	{
	if ( watch_connections )
		NetControl::catch_release_seen(c$id$orig_h);
	}

event connection_established(c: connection)
	{
	if ( watch_connections )
		NetControl::catch_release_seen(c$id$orig_h);
	}

event partial_connection(c: connection)
	{
	if ( watch_connections )
		NetControl::catch_release_seen(c$id$orig_h);
	}

event connection_attempt(c: connection)
	{
	if ( watch_connections )
		NetControl::catch_release_seen(c$id$orig_h);
	}

event connection_rejected(c: connection)
	{
	if ( watch_connections )
		NetControl::catch_release_seen(c$id$orig_h);
	}

event connection_reset(c: connection)
	{
	if ( watch_connections )
		NetControl::catch_release_seen(c$id$orig_h);
	}

event connection_pending(c: connection)
	{
	if ( watch_connections )
		NetControl::catch_release_seen(c$id$orig_h);
	}

module GLOBAL;

#@ policy/frameworks/notice/actions/drop
hook Notice::notice(n: Notice::Info)
	{
	if ( Notice::ACTION_DROP !in n$actions || ! n?$src )
		return;

	local bi = NetControl::get_catch_release_info(n$src);

	if ( bi$watch_until == double_to_time(0.0) )
		bi = NetControl::drop_address_catch_release(n$src, n?$msg ? fmt("ACTION_DROP: %s", n?$msg) : "");

	n$dropped = bi$watch_until != double_to_time(0.0);
	}

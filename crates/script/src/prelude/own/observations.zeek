# Intelligence.

#@ base/frameworks/intel/main
global Intel::new_item: event(item: Intel::Item);
global Intel::remove_indicator: event(item: Intel::Item);
type Intel::WeirSources: table[string] of Intel::MetaData;
global Intel::weir_names: set[string] = set();
global Intel::weir_expire_addr: function(t: table[addr] of Intel::WeirSources, a: addr): interval;
global Intel::weir_expire_subnet: function(t: table[subnet] of Intel::WeirSources, n: subnet): interval;
global Intel::weir_expire_text: function(t: table[string, Intel::Type] of Intel::WeirSources, s: string, k: Intel::Type): interval;
global Intel::weir_addrs: table[addr] of Intel::WeirSources = table() &write_expire=Intel::item_expiration &expire_func=Intel::weir_expire_addr;
global Intel::weir_subnets: table[subnet] of Intel::WeirSources = table() &write_expire=Intel::item_expiration &expire_func=Intel::weir_expire_subnet;
global Intel::weir_texts: table[string, Intel::Type] of Intel::WeirSources = table() &write_expire=Intel::item_expiration &expire_func=Intel::weir_expire_text;

event zeek_init() &priority=5
	{
	Log::create_stream(Intel::LOG, [$columns=Intel::Info, $ev=Intel::log_intel, $path="intel", $policy=Intel::log_policy]);
	}

function Intel::weir_expire(indicator: string, kind: Intel::Type, sources: Intel::WeirSources): interval
	{
	local all: set[Intel::MetaData] = set();

	for ( source, meta in sources )
		add all[meta];

	if ( hook Intel::item_expired(indicator, kind, all) )
		return Intel::item_expiration;

	return 0 secs;
	}

function Intel::weir_expire_addr(t: table[addr] of Intel::WeirSources, a: addr): interval
	{
	return Intel::weir_expire(cat(a), Intel::ADDR, t[a]);
	}

function Intel::weir_expire_subnet(t: table[subnet] of Intel::WeirSources, n: subnet): interval
	{
	return Intel::weir_expire(cat(n), Intel::SUBNET, t[n]);
	}

function Intel::weir_expire_text(t: table[string, Intel::Type] of Intel::WeirSources, s: string, k: Intel::Type): interval
	{
	return Intel::weir_expire(s, k, t[s, k]);
	}

function Intel::insert(item: Intel::Item)
	{
	if ( ! hook Intel::filter_item(item) )
		return;

	local is_new = F;
	local text = to_lower(item$indicator);

	# An entry is written anew, so that its life begins again.
	if ( item$indicator_type == Intel::ADDR )
		{
		local a = to_addr(item$indicator);
		local of_addr: Intel::WeirSources = table();

		if ( a in Intel::weir_addrs )
			of_addr = Intel::weir_addrs[a];
		else
			is_new = T;

		of_addr[item$meta$source] = item$meta;
		Intel::weir_addrs[a] = of_addr;
		text = cat(a);
		}
	else if ( item$indicator_type == Intel::SUBNET )
		{
		local n = to_subnet(item$indicator);
		local of_subnet: Intel::WeirSources = table();

		if ( n in Intel::weir_subnets && cat(n) in Intel::weir_names )
			of_subnet = Intel::weir_subnets[n];
		else
			is_new = T;

		of_subnet[item$meta$source] = item$meta;
		Intel::weir_subnets[n] = of_subnet;
		add Intel::weir_names[cat(n)];
		text = cat(n);
		}
	else
		{
		local of_text: Intel::WeirSources = table();

		if ( [text, item$indicator_type] in Intel::weir_texts )
			of_text = Intel::weir_texts[text, item$indicator_type];
		else
			is_new = T;

		of_text[item$meta$source] = item$meta;
		Intel::weir_texts[text, item$indicator_type] = of_text;
		}

	if ( is_new )
		hook Intel::indicator_inserted(text, item$indicator_type);
	}

function Intel::remove(item: Intel::Item, purge_indicator: bool &default = F)
	{
	local sources: Intel::WeirSources = table();
	local text = to_lower(item$indicator);
	local is_known = F;

	if ( item$indicator_type == Intel::ADDR )
		{
		if ( to_addr(item$indicator) in Intel::weir_addrs )
			{
			is_known = T;
			sources = Intel::weir_addrs[to_addr(item$indicator)];
			}
		}
	else if ( item$indicator_type == Intel::SUBNET )
		{
		text = cat(to_subnet(item$indicator));

		if ( text in Intel::weir_names )
			{
			is_known = T;
			sources = Intel::weir_subnets[to_subnet(text)];
			}
		}
	else if ( [text, item$indicator_type] in Intel::weir_texts )
		{
		is_known = T;
		sources = Intel::weir_texts[text, item$indicator_type];
		}

	if ( ! is_known )
		{
		Reporter::info(fmt("Tried to remove non-existing item '%s' (%s).", item$indicator, item$indicator_type));
		return;
		}

	delete sources[item$meta$source];

	if ( |sources| > 0 && ! purge_indicator )
		return;

	if ( item$indicator_type == Intel::ADDR )
		delete Intel::weir_addrs[to_addr(item$indicator)];
	else if ( item$indicator_type == Intel::SUBNET )
		{
		delete Intel::weir_subnets[to_subnet(text)];
		delete Intel::weir_names[text];
		}
	else
		delete Intel::weir_texts[text, item$indicator_type];

	hook Intel::indicator_removed(text, item$indicator_type);
	}

function Intel::weir_items(indicator: string, kind: Intel::Type, sources: Intel::WeirSources, items: set[Intel::Item])
	{
	for ( source, meta in sources )
		add items[Intel::Item($indicator=indicator, $indicator_type=kind, $meta=meta)];
	}

function Intel::weir_find(s: Intel::Seen): set[Intel::Item]
	{
	local items: set[Intel::Item] = set();

	if ( s?$host )
		{
		for ( i, net in matching_subnets(addr_to_subnet(s$host), Intel::weir_subnets) )
			Intel::weir_items(cat(net), Intel::SUBNET, Intel::weir_subnets[net], items);

		if ( s$host in Intel::weir_addrs )
			Intel::weir_items(cat(s$host), Intel::ADDR, Intel::weir_addrs[s$host], items);
		}
	else if ( s?$indicator && s?$indicator_type && [to_lower(s$indicator), s$indicator_type] in Intel::weir_texts )
		Intel::weir_items(s$indicator, s$indicator_type, Intel::weir_texts[to_lower(s$indicator), s$indicator_type], items);

	return items;
	}

function Intel::seen(s: Intel::Seen)
	{
	local items = Intel::weir_find(s);

	if ( ! hook Intel::seen_policy(s, |items| > 0) || |items| == 0 )
		return;

	if ( s?$host )
		{
		s$indicator = cat(s$host);
		s$indicator_type = Intel::ADDR;
		}

	if ( ! s?$node )
		s$node = peer_description;

	if ( s?$conn && ! s?$uid )
		s$uid = s$conn$uid;

	event Intel::match(s, items);
	}

event Intel::match(s: Intel::Seen, items: set[Intel::Item]) &priority=5
	{
	local info = Intel::Info($ts=network_time(), $seen=s, $matched=set());

	if ( hook Intel::extend_match(info, s, items) )
		Log::write(Intel::LOG, info);
	}

hook Intel::extend_match(info: Intel::Info, s: Intel::Seen, items: set[Intel::Item]) &priority=5
	{
	if ( s?$conn )
		{
		info$uid = s$conn$uid;
		info$id = s$conn$id;
		}
	else if ( s?$uid )
		info$uid = s$uid;

	for ( item in items )
		{
		add info$sources[item$meta$source];
		add info$matched[item$indicator_type];
		}
	}

#@ base/frameworks/intel/files
hook Intel::extend_match(info: Intel::Info, s: Intel::Seen, items: set[Intel::Item]) &priority=6
	{
	if ( s?$f )
		{
		s$fuid = s$f$id;

		if ( ! s?$conn && s$f?$conns && |s$f$conns| == 1 )
			for ( id, c in s$f$conns )
				s$conn = c;

		if ( ! info?$file_mime_type && s$f?$info && s$f$info?$mime_type )
			info$file_mime_type = s$f$info$mime_type;

		if ( ! info?$file_desc )
			info$file_desc = Files::describe(s$f);
		}

	if ( s?$fuid )
		info$fuid = s$fuid;
	}

#@ base/frameworks/intel/input
event Intel::read_entry(desc: Input::EventDescription, tpe: Input::Event, item: Intel::Item)
	{
	Intel::insert(item);
	}

event zeek_init() &priority=5
	{
	for ( name in Intel::read_files )
		{
		local source = name;

		# A path that begins with the prefix's folder is left as it is.
		if ( Intel::path_prefix != "" && ! (/^\// in name) )
			source = cat(Intel::path_prefix, "/", name);

		Input::add_event([$source=source, $reader=Input::READER_ASCII, $mode=Input::REREAD, $name=cat("intel-", name),
		                  $fields=Intel::Item, $ev=Intel::read_entry, $error_ev=Intel::read_error]);
		}
	}

#@ policy/frameworks/intel/do_expire
redef Intel::item_expiration = 10 min;

hook Intel::item_expired(indicator: string, indicator_type: Intel::Type, metas: set[Intel::MetaData]) &priority=-10
	{
	break;
	}

#@ policy/frameworks/intel/do_notice
event Intel::match(s: Intel::Seen, items: set[Intel::Item])
	{
	for ( item in items )
		{
		if ( ! item$meta$do_notice || (item$meta?$if_in && item$meta$if_in != Intel::IN_ANYWHERE && item$meta$if_in != s$where) )
			next;

		local n = Notice::Info($note=Intel::Notice, $msg=fmt("Intel hit on %s at %s", s$indicator, s$where), $sub=s$indicator,
			$identifier=s$indicator);

		if ( s?$conn )
			{
			# Wherever two hosts show an indicator, and whoever begins: it is one finding.
			local hosts = s$conn$id;
			n$identifier += hosts$orig_h < hosts$resp_h ? cat(hosts$orig_h, hosts$resp_h) : cat(hosts$resp_h, hosts$orig_h);
			n$conn = s$conn;
			}

		if ( s?$f )
			n$f = s$f;

		NOTICE(n);
		}
	}

#@ policy/frameworks/intel/removal
hook Intel::filter_item(item: Intel::Item)
	{
	if ( ! item$meta$remove )
		return;

	Intel::remove(item);
	break;
	}

#@ policy/frameworks/intel/whitelist
hook Intel::extend_match(info: Intel::Info, s: Intel::Seen, items: set[Intel::Item]) &priority=9
	{
	local is_exempt = F;

	for ( item in items )
		is_exempt = is_exempt || item$meta$whitelist;

	if ( is_exempt )
		break;
	}

#@ policy/frameworks/files/detect-MHR
function TeamCymruMalwareHashRegistry::do_mhr_lookup(hash: string, fi: Notice::FileInfo)
	{
	when [hash, fi] ( local answer = lookup_hostname_txt(cat(hash, ".malware.hash.cymru.com")) )
		{
		local parts = split_string1(answer, / /);

		if ( |parts| == 2 && to_count(parts[1]) >= TeamCymruMalwareHashRegistry::notice_threshold )
			{
			local seen = strftime("%Y-%m-%d %H:%M:%S", double_to_time(to_double(parts[0])));
			local n = Notice::Info($note=TeamCymruMalwareHashRegistry::Match,
				$msg=fmt("Malware Hash Registry Detection rate: %d%%  Last seen: %s", to_count(parts[1]), seen),
				$sub=fmt(TeamCymruMalwareHashRegistry::match_sub_url, hash));
			Notice::populate_file_info2(fi, n);
			NOTICE(n);
			}
		}
	}

event file_hash(f: fa_file, kind: string, hash: string)
	{
	if ( kind == "sha1" && f?$info && f$info?$mime_type && TeamCymruMalwareHashRegistry::match_file_types in f$info$mime_type )
		TeamCymruMalwareHashRegistry::do_mhr_lookup(hash, Notice::create_file_info(f));
	}

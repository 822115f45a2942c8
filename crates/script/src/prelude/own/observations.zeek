# Intelligence and summary statistics.

#@ base/frameworks/intel/main
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
			$identifier=cat(s$indicator, s$where, s?$conn ? cat(s$conn$id$orig_h, s$conn$id$resp_h) : ""));

		if ( s?$conn )
			n$conn = s$conn;

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

#@ base/frameworks/sumstats/main
global SumStats::weir_stats: table[string] of SumStats::SumStat = table();
global SumStats::weir_results: table[string] of table[SumStats::Key] of SumStats::Result = table();
global SumStats::weir_crossed: table[string, SumStats::Key] of count = table();
global SumStats::weir_add: hook(r: SumStats::Reducer, val: double, obs: SumStats::Observation, rv: SumStats::ResultVal);
global SumStats::weir_prepare: hook(r: SumStats::Reducer);
global SumStats::weir_end: event(name: string);

function SumStats::key2str(key: SumStats::Key): string
	{
	local parts: string_vec = vector();

	if ( key?$host )
		parts += fmt("host=%s", key$host);

	if ( key?$str )
		parts += fmt("str=%s", key$str);

	return fmt("sumstats_key(%s)", join_string_vec(parts, ", "));
	}

function SumStats::create(ss: SumStats::SumStat)
	{
	if ( (ss?$threshold || ss?$threshold_series) && ! ss?$threshold_val )
		{
		Reporter::error("SumStats given a threshold with no $threshold_val function");
		return;
		}

	local reducers: set[SumStats::Reducer] = set();

	for ( reducer in ss$reducers )
		{
		local r = copy(reducer);
		hook SumStats::weir_prepare(r);
		add reducers[r];
		}

	ss$reducers = reducers;
	SumStats::weir_stats[ss$name] = ss;
	SumStats::weir_results[ss$name] = table();

	if ( ss$epoch > 0 secs )
		schedule ss$epoch { SumStats::weir_end(ss$name) };
	}

function SumStats::weir_finish(name: string)
	{
	local ss = SumStats::weir_stats[name];
	local all = SumStats::weir_results[name];
	local now = network_time();
	SumStats::weir_results[name] = table();

	for ( key in all )
		delete SumStats::weir_crossed[name, key];

	if ( ss?$epoch_result )
		for ( key, result in all )
			ss$epoch_result(now, key, result);

	if ( ss?$epoch_finished )
		ss$epoch_finished(now);
	}

event SumStats::weir_end(name: string)
	{
	if ( name !in SumStats::weir_stats )
		return;

	SumStats::weir_finish(name);

	if ( ! zeek_is_terminating() )
		schedule SumStats::weir_stats[name]$epoch { SumStats::weir_end(name) };
	}

function SumStats::next_epoch(ss_name: string): bool
	{
	if ( ss_name !in SumStats::weir_stats || SumStats::weir_stats[ss_name]$epoch > 0 secs )
		return F;

	SumStats::weir_finish(ss_name);
	return T;
	}

function SumStats::weir_check(ss: SumStats::SumStat, key: SumStats::Key, result: SumStats::Result)
	{
	if ( ! ss?$threshold_val || ! ss?$threshold_crossed )
		return;

	local value = ss$threshold_val(key, result);
	local crossed = [ss$name, key] in SumStats::weir_crossed ? SumStats::weir_crossed[ss$name, key] : 0;
	local before = crossed;

	if ( ss?$threshold && crossed == 0 && value >= ss$threshold )
		++crossed;

	if ( ss?$threshold_series )
		while ( crossed < |ss$threshold_series| && value >= ss$threshold_series[crossed] )
			++crossed;

	if ( crossed == before )
		return;

	SumStats::weir_crossed[ss$name, copy(key)] = crossed;
	ss$threshold_crossed(key, result);
	}

function SumStats::observe(id: string, orig_key: SumStats::Key, obs: SumStats::Observation)
	{
	for ( name, ss in SumStats::weir_stats )
		for ( r in ss$reducers )
			{
			if ( r$stream != id )
				next;

			local key = r?$normalize_key ? r$normalize_key(copy(orig_key)) : orig_key;

			if ( r?$pred && ! r$pred(key, obs) )
				next;

			local all = SumStats::weir_results[name];

			if ( key !in all )
				all[key] = table();

			local result = all[key];

			if ( id !in result )
				result[id] = SumStats::ResultVal($begin=network_time(), $end=network_time());

			local rv = result[id];
			++rv$num;
			rv$end = network_time();
			hook SumStats::weir_add(r, obs?$dbl ? obs$dbl : (obs?$num ? count_to_double(obs$num) : 1.0), obs, rv);
			SumStats::weir_check(ss, key, result);
			}
	}

function SumStats::request_key(ss_name: string, key: SumStats::Key): SumStats::Result
	{
	return when [ss_name, key] ( T )
		{
		local none: SumStats::Result = table();

		if ( ss_name in SumStats::weir_results && key in SumStats::weir_results[ss_name] )
			return SumStats::weir_results[ss_name][key];

		return none;
		}
	}

#@ base/frameworks/sumstats/plugins/sum
hook SumStats::weir_add(r: SumStats::Reducer, val: double, obs: SumStats::Observation, rv: SumStats::ResultVal)
	{
	if ( SumStats::SUM in r$apply )
		rv$sum += val;
	}

#@ base/frameworks/sumstats/plugins/average
hook SumStats::weir_add(r: SumStats::Reducer, val: double, obs: SumStats::Observation, rv: SumStats::ResultVal) &priority=-2
	{
	if ( SumStats::AVERAGE in r$apply )
		rv$average = rv?$average ? rv$average + (val - rv$average) / count_to_double(rv$num) : val;
	}

#@ base/frameworks/sumstats/plugins/variance
hook SumStats::weir_prepare(r: SumStats::Reducer)
	{
	if ( SumStats::VARIANCE in r$apply )
		add r$apply[SumStats::AVERAGE];
	}

hook SumStats::weir_add(r: SumStats::Reducer, val: double, obs: SumStats::Observation, rv: SumStats::ResultVal) &priority=-3
	{
	if ( SumStats::VARIANCE !in r$apply )
		return;

	if ( rv$num > 1 && rv?$prev_avg )
		rv$var_s += (val - rv$prev_avg) * (val - rv$average);

	rv$variance = rv$num > 1 ? rv$var_s / count_to_double(rv$num - 1) : 0.0;
	rv$prev_avg = rv$average;
	}

#@ base/frameworks/sumstats/plugins/std-dev
hook SumStats::weir_prepare(r: SumStats::Reducer) &priority=1
	{
	if ( SumStats::STD_DEV in r$apply )
		add r$apply[SumStats::VARIANCE];
	}

hook SumStats::weir_add(r: SumStats::Reducer, val: double, obs: SumStats::Observation, rv: SumStats::ResultVal) &priority=-4
	{
	if ( SumStats::STD_DEV in r$apply )
		rv$std_dev = sqrt(rv$variance);
	}

#@ base/frameworks/sumstats/plugins/max
hook SumStats::weir_add(r: SumStats::Reducer, val: double, obs: SumStats::Observation, rv: SumStats::ResultVal)
	{
	if ( SumStats::MAX in r$apply && (! rv?$max || val > rv$max) )
		rv$max = val;
	}

#@ base/frameworks/sumstats/plugins/min
hook SumStats::weir_add(r: SumStats::Reducer, val: double, obs: SumStats::Observation, rv: SumStats::ResultVal)
	{
	if ( SumStats::MIN in r$apply && (! rv?$min || val < rv$min) )
		rv$min = val;
	}

#@ base/frameworks/sumstats/plugins/unique
hook SumStats::weir_add(r: SumStats::Reducer, val: double, obs: SumStats::Observation, rv: SumStats::ResultVal)
	{
	if ( SumStats::UNIQUE !in r$apply )
		return;

	if ( ! rv?$unique_vals )
		rv$unique_vals = set();

	if ( r?$unique_max )
		rv$unique_max = r$unique_max;

	if ( ! rv?$unique_max || |rv$unique_vals| <= rv$unique_max )
		add rv$unique_vals[obs];

	rv$unique = |rv$unique_vals|;
	}

#@ base/frameworks/sumstats/plugins/hll_unique
hook SumStats::weir_add(r: SumStats::Reducer, val: double, obs: SumStats::Observation, rv: SumStats::ResultVal)
	{
	if ( SumStats::HLL_UNIQUE !in r$apply )
		return;

	if ( ! rv?$card )
		{
		rv$card = hll_cardinality_init(r$hll_error_margin, r$hll_confidence);
		rv$hll_error_margin = r$hll_error_margin;
		rv$hll_confidence = r$hll_confidence;
		}

	hll_cardinality_add(rv$card, obs);
	rv$hll_unique = double_to_count(hll_cardinality_estimate(rv$card));
	}

#@ base/frameworks/sumstats/plugins/last
function SumStats::get_last(rv: SumStats::ResultVal): vector of SumStats::Observation
	{
	local all: vector of SumStats::Observation = vector();

	if ( rv?$last_elements )
		Queue::get_vector(rv$last_elements, all);

	return all;
	}

hook SumStats::weir_add(r: SumStats::Reducer, val: double, obs: SumStats::Observation, rv: SumStats::ResultVal)
	{
	if ( SumStats::LAST !in r$apply || r$num_last_elements == 0 )
		return;

	if ( ! rv?$last_elements )
		rv$last_elements = Queue::init([$max_len=r$num_last_elements]);

	Queue::put(rv$last_elements, obs);
	}

#@ base/frameworks/sumstats/plugins/sample
hook SumStats::weir_add(r: SumStats::Reducer, val: double, obs: SumStats::Observation, rv: SumStats::ResultVal)
	{
	if ( SumStats::SAMPLE !in r$apply )
		return;

	rv$num_samples = r$num_samples;
	++rv$sample_elements;

	if ( |rv$samples| < r$num_samples )
		{
		rv$samples += obs;
		return;
		}

	# Each element is kept with the same likelihood.
	local place = rand(rv$sample_elements);

	if ( place < |rv$samples| )
		rv$samples[place] = obs;
	}

#@ base/frameworks/sumstats/plugins/topk
hook SumStats::weir_add(r: SumStats::Reducer, val: double, obs: SumStats::Observation, rv: SumStats::ResultVal)
	{
	if ( SumStats::TOPK !in r$apply )
		return;

	if ( ! rv?$topk )
		rv$topk = topk_init(r$topk_size);

	topk_add(rv$topk, obs);
	}

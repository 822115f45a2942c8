# Summary statistics.

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

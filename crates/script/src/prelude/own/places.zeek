# Functions of base/utils about sites, strings, thresholds, times and URLs.

#@ base/utils/site
function Site::is_private_addr(a: addr): bool
	{
	return a in Site::private_address_space;
	}

function Site::is_local_addr(a: addr): bool
	{
	return a in Site::local_nets || (Site::private_address_space_is_local && a in Site::private_address_space);
	}

function Site::is_neighbor_addr(a: addr): bool
	{
	return a in Site::neighbor_nets;
	}

function Site::weir_is_within(name: string, zones: set[string]): bool
	{
	local lower = to_lower(name);

	for ( zone in zones )
		{
		if ( lower == to_lower(zone) || ends_with(lower, "." + to_lower(zone)) )
			return T;
		}

	return F;
	}

function Site::is_local_name(name: string): bool
	{
	return Site::weir_is_within(name, Site::local_zones);
	}

function Site::is_neighbor_name(name: string): bool
	{
	return Site::weir_is_within(name, Site::neighbor_zones);
	}

function Site::get_emails(a: addr): string
	{
	local all: set[string] = set();

	for ( i, net in matching_subnets(addr_to_subnet(a), Site::local_admins) )
		for ( address in Site::local_admins[net] )
			add all[address];

	return join_string_set(all, ", ");
	}

function Site::weir_note(nets: set[subnet])
	{
	Site::local_nets_table = table();

	for ( net in nets )
		Site::local_nets_table[net] = net;

	if ( Site::private_address_space_is_local )
		for ( net in Site::private_address_space )
			Site::local_nets_table[net] = net;
	}

function Site::weir_changed(id: string, nets: set[subnet]): set[subnet]
	{
	Site::weir_note(nets);
	return nets;
	}

event zeek_init() &priority=10
	{
	Site::weir_note(Site::local_nets);
	Option::set_change_handler("Site::local_nets", Site::weir_changed, -5);
	}

#@ base/utils/strings
function is_string_binary(s: string): bool
	{
	return |s| > 0 && |gsub(s, /[\x00-\x7f]/, "")| * 100 / |s| >= 25;
	}

function cut_tail(s: string, tail_len: count): string
	{
	return tail_len >= |s| ? "" : s[0:|s| - tail_len];
	}

function string_escape(s: string, chars: string): string
	{
	local out = "";

	for ( letter in s )
		out += (letter == "\\" || letter in chars) ? "\\" + letter : letter;

	return out;
	}

#@ base/utils/thresholds
function new_track_count(): TrackCount
	{
	return TrackCount();
	}

function check_threshold(v: vector of count, tracker: TrackCount): bool
	{
	if ( tracker$index >= |v| || tracker$n < v[tracker$index] )
		return F;

	++tracker$index;
	return T;
	}

function default_check_threshold(tracker: TrackCount): bool
	{
	return check_threshold(default_notice_thresholds, tracker);
	}

#@ base/utils/time
function duration_to_mins_secs(dur: interval): string
	{
	if ( dur < 0 secs )
		return "-" + duration_to_mins_secs(-dur);

	local seconds = double_to_count(interval_to_double(dur));
	return fmt("%dm%ds", seconds / 60, seconds % 60);
	}

function get_packet_lag(): interval
	{
	return current_time() - network_time();
	}

#@ base/utils/urls
@load base/utils/strings
function find_all_urls(s: string): string_set
	{
	return find_all(s, url_regex);
	}

function find_all_urls_without_scheme(s: string): string_set
	{
	local all: string_set = set();

	for ( url in find_all_urls(s) )
		add all[sub(url, /^[a-zA-Z\-]{3,5}:\/\//, "")];

	return all;
	}

function decompose_uri(uri: string): URI
	{
	local u = URI($netlocation="", $path="/");
	local rest = uri;

	if ( /\?/ in rest )
		{
		local query = split_string1(rest, /\?/);
		rest = query[0];
		u$params = table();

		for ( i, pair in split_string(query[1], /&/) )
			{
			local sides = split_string1(pair, /=/);

			if ( |sides| > 1 )
				u$params[sides[0]] = sides[1];
			}
		}

	if ( /:\/\// in rest )
		{
		local scheme = split_string1(rest, /:\/\//);
		u$scheme = scheme[0];
		rest = scheme[1];
		}

	if ( /\// in rest )
		{
		local place = split_string1(rest, /\//);
		rest = place[0];
		u$path = "/" + place[1];
		local names = split_string(u$path, /\//);
		local name = names[|names| - 1];

		if ( name != "" )
			{
			u$file_name = name;

			if ( /\./ in name )
				{
				local dots = split_string(name, /\./);
				u$file_ext = dots[|dots| - 1];
				u$file_base = cut_tail(name, |u$file_ext| + 1);
				}
			}
		}

	if ( /^\[.*\]:[0-9]+$|^[^:]*:[0-9]+$/ in rest )
		{
		local port_text = sub(rest, /^.*:/, "");
		u$portnum = to_count(port_text);
		rest = cut_tail(rest, |port_text| + 1);
		}

	u$netlocation = rest;
	return u;
	}

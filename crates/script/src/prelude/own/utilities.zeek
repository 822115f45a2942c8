# Functions of base/utils, each behind a line with the script's path.

#@ base/init-bare
function max_count(a: count, b: count): count { return a < b ? b : a; }
function min_count(a: count, b: count): count { return a < b ? a : b; }
function max_double(a: double, b: double): double { return a < b ? b : a; }
function min_double(a: double, b: double): double { return a < b ? a : b; }
function max_interval(a: interval, b: interval): interval { return a < b ? b : a; }
function min_interval(a: interval, b: interval): interval { return a < b ? a : b; }

#@ base/utils/addrs
function has_valid_octets(octets: string_vec): bool
	{
	if ( |octets| != 4 )
		return F;

	for ( i, octet in octets )
		{
		if ( octet != /[0-9]{1,3}/ || to_count(octet) > 255 )
			return F;
		}

	return T;
	}

function extract_ip_addresses(input: string, check_wrapping: bool &default = F): string_vec
	{
	local found: string_vec = vector();
	local wrapped = check_wrapping ? find_all_ordered(input, /(^|[^0-9A-Fa-f:.])[0-9A-Fa-f:.]+($|[^0-9A-Fa-f:.])/) : find_all_ordered(input, ip_addr_regex);

	for ( i, candidate in wrapped )
		{
		local text = check_wrapping ? gsub(candidate, /[^0-9A-Fa-f:.]/, "") : candidate;

		if ( is_valid_ip(text) )
			found += text;
		}

	return found;
	}

function addr_to_uri(a: addr): string
	{
	return is_v6_addr(a) ? fmt("[%s]", a) : fmt("%s", a);
	}

function normalize_mac(a: string): string
	{
	local digits = to_lower(gsub(a, /[^0-9A-Fa-f]/, ""));

	if ( |digits| < 12 || /^(([0-9A-Fa-f]{2}[:.-]?){5,7}[0-9A-Fa-f]{2}|([0-9A-Fa-f]{4}[:.-]?){2,3}[0-9A-Fa-f]{4})$/ != a )
		return "";

	local out = "";
	local at = 0;

	while ( at < |digits| )
		{
		if ( at > 0 )
			out += ":";

		out += digits[at:at + 2];
		at += 2;
		}

	return out;
	}

#@ base/utils/backtrace
function print_backtrace(show_args: bool &default = F, one_line: bool &default = F, one_line_delim: string &default = "|", skip: count &default = 1, to_file: file &default = open("/dev/stdout"))
	{
	local lines: string_vec = vector();

	for ( i, element in backtrace() )
		{
		if ( i < skip + 1 )
			next;

		local place = element?$file_location ? fmt(" at %s:%d", element$file_location, element?$line_location ? element$line_location : 0) : "";
		lines += fmt("#%d %s%s", |lines|, element$function_name, place);
		}

	if ( one_line )
		print to_file, join_string_vec(lines, fmt(" %s ", one_line_delim));
	else
		for ( i, line in lines )
			print to_file, line;
	}

#@ base/utils/conn-ids
function id_string(id: conn_id): string
	{
	return fmt("%s:%d > %s:%d", id$orig_h, id$orig_p, id$resp_h, id$resp_p);
	}

function reverse_id_string(id: conn_id): string
	{
	return fmt("%s:%d < %s:%d", id$orig_h, id$orig_p, id$resp_h, id$resp_p);
	}

function directed_id_string(id: conn_id, is_orig: bool): string
	{
	return is_orig ? id_string(id) : reverse_id_string(id);
	}

#@ base/utils/dir
event Dir::weir_look(dir: string, seen: set[string], callback: function(fname: string), pause: interval)
	{
	when [dir, seen, callback, pause] ( local found = Exec::run([$cmd=fmt("ls -1 %s", safe_shell_quote(dir + "/"))]) )
		{
		if ( found$exit_code != 0 )
			{
			Reporter::warning(fmt("the folder '%s' cannot be listed", dir));
			return;
			}

		local now: set[string] = set();

		if ( found?$stdout )
			for ( i, name in found$stdout )
				{
				if ( name !in seen )
					callback(build_path(dir, name));

				add now[name];
				}

		schedule pause { Dir::weir_look(dir, now, callback, pause) };
		}
	}

function Dir::monitor(dir: string, callback: function(fname: string), poll_interval: interval &default = Dir::polling_interval)
	{
	event Dir::weir_look(dir, set(), callback, poll_interval);
	}

#@ base/utils/directions-and-hosts
function addr_matches_host(ip: addr, h: Host): bool
	{
	switch ( h )
		{
		case LOCAL_HOSTS: return Site::is_local_addr(ip);
		case REMOTE_HOSTS: return ! Site::is_local_addr(ip);
		case ALL_HOSTS: return T;
		}

	return F;
	}

function id_matches_direction(id: conn_id, d: Direction): bool
	{
	local from_local = Site::is_local_addr(id$orig_h);
	local to_local = Site::is_local_addr(id$resp_h);

	switch ( d )
		{
		case INBOUND: return ! from_local && to_local;
		case OUTBOUND: return from_local && ! to_local;
		case BIDIRECTIONAL: return from_local != to_local;
		}

	return F;
	}

#@ base/utils/email
function extract_email_addrs_vec(str: string): string_vec
	{
	return find_all_ordered(str, /[^ <>,:\"@\t]+@[^ <>,:\"@\t]+/);
	}

function extract_email_addrs_set(str: string): set[string]
	{
	local all: set[string] = set();

	for ( i, address in extract_email_addrs_vec(str) )
		add all[address];

	return all;
	}

function extract_first_email_addr(str: string): string
	{
	local all = extract_email_addrs_vec(str);
	return |all| > 0 ? all[0] : "";
	}

function split_mime_email_addresses(line: string): set[string]
	{
	local all: set[string] = set();

	for ( i, part in find_all_ordered(line, /(\"[^\"]*\"|[^,\"])+/) )
		{
		local address = strip(part);

		if ( address != "" )
			add all[address];
		}

	return all;
	}

#@ base/utils/files
function generate_extraction_filename(prefix: string, c: connection, suffix: string): string
	{
	local name = prefix == "" ? "" : prefix + "_";
	name += fmt("%s:%d-%s:%d", addr_to_uri(c$id$orig_h), c$id$orig_p, addr_to_uri(c$id$resp_h), c$id$resp_p);
	return suffix == "" ? name : name + "_" + suffix;
	}

function extract_filename_from_content_disposition(data: string): string
	{
	local parts = split_string_n(data, /[fF][iI][lL][eE][nN][aA][mM][eE]\*?[[:blank:]]*=[[:blank:]]*(\"[^\"]*\"?)?/, T, 1);

	if ( |parts| < 2 )
		return "";

	local quoted = find_all_ordered(parts[1], /\"[^\"]*/);

	if ( |quoted| > 0 )
		return quoted[0][1:];

	local plain = split_string1(parts[2], /;/)[0];

	# RFC 5987: the alphabet and the language come first.
	if ( /^[^']*'[^']*'/ in plain )
		plain = sub(plain, /^[^']*'[^']*'/, "");

	return strip(plain);
	}

#@ base/utils/geoip-distance
function haversine_distance_ip(a1: addr, a2: addr): double
	{
	local one = lookup_location(a1);
	local other = lookup_location(a2);

	if ( ! one?$latitude || ! one?$longitude || ! other?$latitude || ! other?$longitude )
		return -1.0;

	return haversine_distance(one$latitude, one$longitude, other$latitude, other$longitude);
	}

#@ base/utils/hash_hrw
function HashHRW::add_site(pool: HashHRW::Pool, site: HashHRW::Site): bool
	{
	if ( ! pool?$sites )
		pool$sites = table();

	if ( site$id in pool$sites )
		return F;

	pool$sites[site$id] = site;
	return T;
	}

function HashHRW::rem_site(pool: HashHRW::Pool, site: HashHRW::Site): bool
	{
	if ( ! pool?$sites || site$id !in pool$sites )
		return F;

	delete pool$sites[site$id];
	return T;
	}

function HashHRW::get_site(pool: HashHRW::Pool, key: any): HashHRW::Site
	{
	local digest = fnv1a32(key);
	local best: int = -1;
	local chosen: count = 0;

	for ( id in pool$sites )
		{
		local weight: int = hrw_weight(digest, id);

		if ( weight > best || (weight == best && id > chosen) )
			{
			best = weight;
			chosen = id;
			}
		}

	return pool$sites[chosen];
	}

#@ base/utils/numbers
function extract_count(s: string, get_first: bool &default = T): count
	{
	local all = find_all_ordered(s, /[0-9]+/);

	if ( |all| == 0 )
		return 0;

	return to_count(get_first ? all[0] : all[|all| - 1]);
	}

#@ base/utils/packages
function can_load(p: string): bool
	{
	return find_in_zeekpath(p) != "" || find_in_zeekpath(p + ".zeek") != "";
	}

#@ base/utils/paths
function extract_path(input: string): string
	{
	local all = find_all_ordered(input, /(\/|[A-Za-z]:[\\\/])([^\"' \t\r\n;|&<>()]|\\ )*/);
	local quoted = find_all_ordered(input, /\"(\/|[A-Za-z]:[\\\/])[^\"]*\"|'(\/|[A-Za-z]:[\\\/])[^']*'/);

	if ( |quoted| > 0 )
		return quoted[0][1:|quoted[0]| - 1];

	return |all| > 0 ? all[0] : "";
	}

function build_path(dir: string, file_name: string): string
	{
	return file_name == absolute_path_pat ? file_name : cat(dir, "/", file_name);
	}

function build_path_compressed(dir: string, file_name: string): string
	{
	return compress_path(build_path(dir, file_name));
	}

#@ base/utils/patterns
function set_to_regex(ss: set[string], pat: string): pattern
	{
	local words = "";

	# The last word is the first to be tried.
	for ( word in ss )
		words = words == "" ? convert_for_pattern(word) : cat(convert_for_pattern(word), "|", words);

	return string_to_pattern(sub(pat, /~~/, gsub(words, /\\/, "\\")), F);
	}

function match_pattern(s: string, p: pattern): PatternMatchResult
	{
	local parts = split_string_n(s, p, T, 1);

	if ( |parts| < 2 )
		return PatternMatchResult($matched=F, $str="", $off=0);

	return PatternMatchResult($matched=T, $str=parts[1], $off=|parts[0]| + 1);
	}

#@ base/utils/queue
function Queue::init(s: Queue::Settings &default = []): Queue::Queue
	{
	local q: Queue::Queue;
	q$vals = table();
	q$settings = copy(s);
	q$initialized = T;
	return q;
	}

function Queue::len(q: Queue::Queue): count
	{
	return q?$vals ? |q$vals| : 0;
	}

function Queue::get(q: Queue::Queue): any
	{
	local val = q$vals[q$bottom];
	delete q$vals[q$bottom];
	++q$bottom;
	q$size = |q$vals|;
	return val;
	}

function Queue::put(q: Queue::Queue, val: any)
	{
	if ( ! q?$vals )
		q$vals = table();

	if ( q?$settings && q$settings?$max_len && |q$vals| > 0 && |q$vals| >= q$settings$max_len )
		Queue::get(q);

	q$vals[q$top] = val;
	++q$top;
	q$size = |q$vals|;
	}

function Queue::peek(q: Queue::Queue): any
	{
	return q$vals[q$bottom];
	}

function Queue::get_vector(q: Queue::Queue, ret: vector of any)
	{
	if ( ! q?$vals )
		return;

	local at = q$bottom;

	while ( at < q$top )
		{
		ret[|ret|] = q$vals[at];
		++at;
		}
	}

function Queue::merge(q1: Queue::Queue, q2: Queue::Queue): Queue::Queue
	{
	local q = Queue::init(q1?$settings ? q1$settings : Queue::Settings());

	for ( i, from in vector(q1, q2) )
		{
		local at = from$bottom;

		while ( from?$vals && at < from$top )
			{
			Queue::put(q, from$vals[at]);
			++at;
			}
		}

	return q;
	}

#@ base/misc/version
function Version::parse(version_string: string): Version::VersionDescription
	{
	local parts = split_string(version_string, /-/);
	local found = Version::VersionDescription($version_number=0, $major=0, $minor=0, $patch=0, $commit=0, $beta=F, $debug=F, $localversion="", $version_string=version_string);

	if ( parts[0] != /[0-9]+\.[0-9]+(\.[0-9]+)?/ || |parts| > 4 )
		{
		Reporter::error(fmt("Version string %s cannot be parsed", version_string));
		return found;
		}

	local numbers = split_string(parts[0], /\./);
	local local_parts: string_vec = vector();
	local stage = "";
	local debug = F;

	for ( i, part in parts )
		{
		if ( i == 0 )
			next;

		if ( i == 1 && part == /(alpha|beta|rc|dev)[0-9]*(\.[0-9]+)?/ )
			stage = part;
		else if ( i + 1 == |parts| && part == "debug" )
			debug = T;
		else
			local_parts += part;
		}

	if ( |local_parts| > 1 )
		{
		Reporter::error(fmt("Version string %s cannot be parsed", version_string));
		return found;
		}

	found$major = to_count(numbers[0]);
	found$minor = to_count(numbers[1]);
	found$patch = |numbers| > 2 ? to_count(numbers[2]) : 0;
	found$version_number = found$major * 10000 + found$minor * 100 + found$patch;
	found$commit = /\./ in stage ? to_count(split_string(stage, /\./)[1]) : 0;
	found$beta = /^(beta|rc)/ in stage;
	found$debug = debug;
	found$localversion = |local_parts| == 1 ? local_parts[0] : "";
	return found;
	}

const Version::info: Version::VersionDescription = Version::parse(zeek_version());
const Version::number: count = Version::info$version_number;

function Version::at_least(version_string: string): bool
	{
	local other = Version::parse(version_string);
	return Version::number > other$version_number ||
	       (Version::number == other$version_number && Version::info$commit >= other$commit);
	}

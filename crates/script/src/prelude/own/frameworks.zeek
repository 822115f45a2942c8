# Functions of frameworks, each behind a line with the script's path.

#@ base/frameworks/config/main
event zeek_init() &priority=10
	{
	Log::create_stream(Config::LOG, [$columns=Config::Info, $ev=Config::log_config, $path="config", $policy=Config::log_policy]);
	}

function Config::weir_text(value: any): string
	{
	local kind = type_name(value);

	if ( /^(set|vector)/ in kind )
		{
		local parts: string_vec = vector();
		local all = /^set/ in kind ? Option::any_set_to_any_vec(value) : (value as vector of any);

		for ( i, part in all )
			parts += cat(part);

		return join_string_vec(parts, ",");
		}

	return cat(value);
	}

function Config::weir_changed(ID: string, new_value: any, location: string): any
	{
	local info = Config::Info($ts=network_time(), $id=ID, $old_value=Config::weir_text(lookup_ID(ID)), $new_value=Config::weir_text(new_value));

	if ( location != "" )
		info$location = location;

	Log::write(Config::LOG, info);
	return new_value;
	}

event zeek_init() &priority=-10
	{
	for ( name in global_options() )
		Option::set_change_handler(name, Config::weir_changed, -100);
	}

function Config::set_value(ID: string, val: any, location: string &default = ""): bool
	{
	return Option::set(ID, val, location);
	}

#@ base/frameworks/config/input
type Config::WeirName: record { option_nv: string; };
type Config::WeirText: record { option_val: string; };
global Config::weir_current: table[string] of string = table();

function Config::read_config(filename: string)
	{
	Input::add_table([$reader=Input::READER_CONFIG, $mode=Input::REREAD, $source=filename, $name=cat("config-", filename),
	                  $idx=Config::WeirName, $val=Config::WeirText, $want_record=F, $destination=Config::weir_current]);
	}

event zeek_init() &priority=5
	{
	for ( name in Config::config_files )
		Config::read_config(name);
	}

event InputConfig::new_value(name: string, source: string, id: string, value: any)
	{
	if ( /^config-/ in name )
		Config::set_value(id, value, source);
	}

#@ base/frameworks/config/weird
event zeek_init() &priority=5
	{
	Reporter::set_weird_sampling_threshold(Weird::sampling_threshold);
	Reporter::set_weird_sampling_rate(Weird::sampling_rate);
	Reporter::set_weird_sampling_duration(Weird::sampling_duration);
	Reporter::set_weird_sampling_whitelist(Weird::sampling_whitelist);
	Reporter::set_weird_sampling_global_list(Weird::sampling_global_list);
	Option::set_change_handler("Weird::sampling_threshold", function(ID: string, value: count): count { Reporter::set_weird_sampling_threshold(value); return value; }, 5);
	Option::set_change_handler("Weird::sampling_rate", function(ID: string, value: count): count { Reporter::set_weird_sampling_rate(value); return value; }, 5);
	Option::set_change_handler("Weird::sampling_duration", function(ID: string, value: interval): interval { Reporter::set_weird_sampling_duration(value); return value; }, 5);
	Option::set_change_handler("Weird::sampling_whitelist", function(ID: string, value: string_set): string_set { Reporter::set_weird_sampling_whitelist(value); return value; }, 5);
	Option::set_change_handler("Weird::sampling_global_list", function(ID: string, value: string_set): string_set { Reporter::set_weird_sampling_global_list(value); return value; }, 5);
	}

#@ base/frameworks/reporter/main
event zeek_init() &priority=5
	{
	Log::create_stream(Reporter::LOG, [$columns=Reporter::Info, $path="reporter", $policy=Reporter::log_policy]);
	}

event reporter_info(t: time, msg: string, location: string) &priority=-5
	{
	Log::write(Reporter::LOG, [$ts=t, $level=Reporter::INFO, $message=msg, $location=location]);
	}

event reporter_warning(t: time, msg: string, location: string) &priority=-5
	{
	Log::write(Reporter::LOG, [$ts=t, $level=Reporter::WARNING, $message=msg, $location=location]);
	}

event reporter_error(t: time, msg: string, location: string) &priority=-5
	{
	Log::write(Reporter::LOG, [$ts=t, $level=Reporter::ERROR, $message=msg, $location=location]);
	}

#@ base/frameworks/notice/weird
event zeek_init() &priority=5
	{
	Log::create_stream(Weird::LOG, [$columns=Weird::Info, $ev=Weird::log_weird, $path="weird", $policy=Weird::log_policy]);
	}

global Weird::weir_once: set[string, string] = set() &create_expire=1 day;

function Weird::weir_is_first(kind: string, identifier: string): bool
	{
	if ( [kind, identifier] in Weird::weir_once )
		return F;

	add Weird::weir_once[kind, identifier];
	return T;
	}

function Weird::weird(w: Weird::Info)
	{
	local action = w$name in Weird::actions ? Weird::actions[w$name] : Weird::ACTION_LOG;
	local identifier = w?$identifier ? w$identifier : "";
	local per_connection = w?$uid ? w$uid : identifier;
	local per_originator = w?$id ? cat(w$id$orig_h) : per_connection;

	if ( w?$conn )
		{
		w$uid = w$conn$uid;
		w$id = w$conn$id;
		per_connection = w$conn$uid;
		per_originator = cat(w$conn$id$orig_h);
		}

	if ( action == Weird::ACTION_IGNORE || (w?$id && ([w$id$orig_h, w$name] in Weird::ignore_hosts || [w$id$resp_h, w$name] in Weird::ignore_hosts)) )
		return;

	switch ( action )
		{
		case Weird::ACTION_LOG_ONCE, Weird::ACTION_NOTICE_ONCE:
			if ( ! Weird::weir_is_first(w$name, "") )
				return;
			break;
		case Weird::ACTION_LOG_PER_CONN, Weird::ACTION_NOTICE_PER_CONN:
			if ( ! Weird::weir_is_first(w$name, per_connection) )
				return;
			break;
		case Weird::ACTION_LOG_PER_ORIG, Weird::ACTION_NOTICE_PER_ORIG:
			if ( ! Weird::weir_is_first(w$name, per_originator) )
				return;
			break;
		}

	local notices: set[Weird::Action] = set(Weird::ACTION_NOTICE, Weird::ACTION_NOTICE_ONCE, Weird::ACTION_NOTICE_PER_CONN, Weird::ACTION_NOTICE_PER_ORIG);

	if ( action in notices )
		{
		local n = Notice::Info($note=Weird::Activity, $msg=w$name);

		if ( w?$conn )
			n$conn = w$conn;

		if ( w?$uid )
			n$uid = w$uid;

		if ( w?$id )
			n$id = w$id;

		if ( w?$addl )
			n$sub = w$addl;

		if ( identifier != "" )
			n$identifier = identifier;

		NOTICE(n);
		w$notice = T;
		}

	Log::write(Weird::LOG, w);
	}

function Weird::weir_info(name: string, addl: string, source: string, identifier: string): Weird::Info
	{
	local w = Weird::Info($ts=network_time(), $name=name, $identifier=identifier);

	if ( addl != "" )
		w$addl = addl;

	if ( source != "" )
		w$source = source;

	return w;
	}

event conn_weird(name: string, c: connection, addl: string, source: string) &group="log:weird"
	{
	local w = Weird::weir_info(name, addl, source, id_string(c$id));
	w$conn = c;
	Weird::weird(w);
	}

event expired_conn_weird(name: string, id: conn_id, uid: string, addl: string, source: string) &group="log:weird"
	{
	local w = Weird::weir_info(name, addl, source, id_string(id));
	w$id = id;
	w$uid = uid;
	Weird::weird(w);
	}

event flow_weird(name: string, src: addr, dst: addr, addl: string, source: string) &group="log:weird"
	{
	local w = Weird::weir_info(name, addl, source, fmt("%s -> %s", src, dst));
	w$id = conn_id($orig_h=src, $orig_p=0/unknown, $resp_h=dst, $resp_p=0/unknown);
	Weird::weird(w);
	}

event net_weird(name: string, addl: string, source: string) &group="log:weird"
	{
	Weird::weird(Weird::weir_info(name, addl, source, ""));
	}

event file_weird(name: string, f: fa_file, addl: string, source: string) &group="log:weird"
	{
	Weird::weird(Weird::weir_info(name, addl == "" ? f$id : fmt("%s: %s", f$id, addl), source, f$id));
	}

#@ base/frameworks/software/main
event zeek_init() &priority=5
	{
	Log::create_stream(Software::LOG, [$columns=Software::Info, $ev=Software::log_software, $path="software", $policy=Software::log_policy]);
	}

type Software::Description: record { name: string; version: Software::Version; unparsed_version: string; };

function Software::parse(text: string): Software::Description
	{
	local parts = Software::weir_parts(text);
	local out = Software::Description($name=Software::alternate_names[parts[0]], $version=Software::Version(), $unparsed_version=text);

	if ( parts[1] != "" )
		out$version$major = to_count(parts[1]);

	if ( parts[2] != "" )
		out$version$minor = to_count(parts[2]);

	if ( parts[3] != "" )
		out$version$minor2 = to_count(parts[3]);

	if ( parts[4] != "" )
		out$version$minor3 = to_count(parts[4]);

	if ( parts[5] != "" )
		out$version$addl = parts[5];

	return out;
	}

function Software::cmp_versions(v1: Software::Version, v2: Software::Version): int
	{
	local left: vector of int = vector();
	local right: vector of int = vector();
	left += v1?$major ? v1$major : -1;
	left += v1?$minor ? v1$minor : -1;
	left += v1?$minor2 ? v1$minor2 : -1;
	left += v1?$minor3 ? v1$minor3 : -1;
	right += v2?$major ? v2$major : -1;
	right += v2?$minor ? v2$minor : -1;
	right += v2?$minor2 ? v2$minor2 : -1;
	right += v2?$minor3 ? v2$minor3 : -1;

	for ( i, part in left )
		{
		if ( part != right[i] )
			return part < right[i] ? -1 : 1;
		}

	return strcmp(v1?$addl ? v1$addl : "", v2?$addl ? v2$addl : "");
	}

function Software::found(id: conn_id, info: Software::Info): bool
	{
	if ( ! info$force_log && ! addr_matches_host(info$host, Software::asset_tracking) )
		return F;

	if ( ! info?$ts )
		info$ts = network_time();

	if ( ! info?$version && info?$unparsed_version )
		{
		local parsed = Software::parse(info$unparsed_version);

		if ( ! info?$name )
			info$name = parsed$name;

		info$version = parsed$version;
		}

	if ( ! info?$name )
		return F;

	event Software::register(info);
	return T;
	}

# Returns a version as text.
function Software::weir_version(v: Software::Version): string
	{
	local numbers = vector(v?$major ? cat(v$major) : "0", v?$minor ? cat(v$minor) : "0");

	if ( v?$minor2 )
		numbers += cat(v$minor2);

	if ( v?$minor3 )
		numbers += cat(v$minor3);

	local text = join_string_vec(numbers, ".");
	return v?$addl ? cat(text, "-", v$addl) : text;
	}

event Software::register(info: Software::Info)
	{
	if ( info$host !in Software::tracked_software )
		Software::tracked_software[info$host] = table();

	local all = Software::tracked_software[info$host];

	if ( info$name !in all )
		all[info$name] = Software::Set($versions=set());

	local known = all[info$name];
	local version = info?$version ? Software::weir_version(info$version) : "";
	local is_known = version in known$versions;

	if ( ! is_known )
		{
		if ( known?$last )
			event Software::version_change(known$last, info);

		# More versions than that are forgotten, and new again.
		if ( |known$versions| >= Software::max_software_cache_size )
			known$versions = set();

		add known$versions[version];
		known$last = info;
		}

	if ( ! is_known || info$force_log )
		Log::write(Software::LOG, info);
	}

#@ policy/frameworks/software/version-changes
event Software::version_change(old: Software::Info, new: Software::Info)
	{
	if ( old$name !in Software::interesting_version_changes || ! old?$version || ! new?$version )
		return;

	local text = fmt("%.6f %s '%s' version changed from %s to %s", network_time(), old$software_type, old$name,
		Software::weir_version(old$version), Software::weir_version(new$version));
	NOTICE([$note=Software::Software_Version_Change, $src=new$host, $msg=text, $sub=fmt("%s %s", new$name, Software::weir_version(new$version))]);
	}

#@ base/utils/exec
redef record Exec::Command += { weir_name: string &optional; };
type Exec::WeirLine: record { line: string; is_stderr: bool; };
type Exec::WeirText: record { line: string; };
global Exec::weir_results: table[string] of Exec::Result = table();
global Exec::weir_done: set[string] = set();
global Exec::weir_files: table[string] of set[string] = table();

event Exec::weir_line(description: Input::EventDescription, tpe: Input::Event, line: string, is_stderr: bool)
	{
	local result = Exec::weir_results[description$name];

	if ( is_stderr )
		{
		if ( ! result?$stderr )
			result$stderr = vector(line);
		else
			result$stderr += line;
		}
	else if ( ! result?$stdout )
		result$stdout = vector(line);
	else
		result$stdout += line;
	}

event Exec::weir_file_line(description: Input::EventDescription, tpe: Input::Event, line: string)
	{
	local parts = split_string1(description$name, /@/);
	local result = Exec::weir_results[parts[0]];

	if ( ! result?$files )
		result$files = table();

	if ( parts[1] !in result$files )
		result$files[parts[1]] = vector(line);
	else
		result$files[parts[1]] += line;
	}

event Input::end_of_data(name: string, source: string)
	{
	local parts = split_string1(name, /@/);

	if ( |parts| < 2 || parts[0] !in Exec::weir_files )
		return;

	Input::remove(name);
	delete Exec::weir_files[parts[0]][parts[1]];

	if ( |Exec::weir_files[parts[0]]| == 0 )
		{
		delete Exec::weir_files[parts[0]];
		add Exec::weir_done[parts[0]];
		}
	}

event InputRaw::process_finished(name: string, source: string, exit_code: count, signal_exit: bool)
	{
	if ( name !in Exec::weir_results )
		return;

	Exec::weir_results[name]$exit_code = exit_code;
	Exec::weir_results[name]$signal_exit = signal_exit;
	Input::remove(name);

	if ( name !in Exec::weir_files )
		{
		add Exec::weir_done[name];
		return;
		}

	for ( file_name in copy(Exec::weir_files[name]) )
		Input::add_event([$name=cat(name, "@", file_name), $source=file_name, $reader=Input::READER_RAW, $mode=Input::MANUAL,
		                  $want_record=F, $fields=Exec::WeirText, $ev=Exec::weir_file_line]);
	}

function Exec::run(cmd: Exec::Command): Exec::Result
	{
	local name = unique_id("exec-");
	Exec::weir_results[name] = Exec::Result();

	if ( cmd?$read_files && |cmd$read_files| > 0 )
		Exec::weir_files[name] = copy(cmd$read_files);

	local config: table[string] of string = table(["read_stderr"] = "1");

	if ( cmd$stdin != "" )
		config["stdin"] = cmd$stdin;

	Input::add_event([$name=name, $source=fmt("%s |", cmd$cmd), $reader=Input::READER_RAW, $mode=Input::STREAM,
	                  $want_record=F, $fields=Exec::WeirLine, $ev=Exec::weir_line, $config=config]);

	return when [name] ( name in Exec::weir_done )
		{
		delete Exec::weir_done[name];
		local result = Exec::weir_results[name];
		delete Exec::weir_results[name];
		return result;
		}
	}

#@ base/utils/active-http
function ActiveHTTP::request(req: ActiveHTTP::Request): ActiveHTTP::Response
	{
	local place = fmt("/tmp/%s", unique_id("active-http-"));
	local body = cat(place, ".body");
	local headers = cat(place, ".headers");
	local command = fmt("curl -s -g -o %s -D %s -X %s -m %.0f", safe_shell_quote(body), safe_shell_quote(headers),
	                    safe_shell_quote(req$method), interval_to_double(req$max_time));

	if ( req?$client_data )
		command = fmt("%s --data-binary @-", command);

	if ( req?$addl_curl_args )
		command = fmt("%s %s", command, req$addl_curl_args);

	command = fmt("touch %s %s && %s %s", safe_shell_quote(body), safe_shell_quote(headers), command, safe_shell_quote(req$url));
	local run = Exec::Command($cmd=command, $stdin=req?$client_data ? req$client_data : "", $read_files=set(body, headers));

	return when [run, body, headers] ( local result = Exec::run(run) )
		{
		local response = ActiveHTTP::Response($code=0, $msg="", $body="", $headers=table());
		unlink(body);
		unlink(headers);

		if ( ! result?$files || headers !in result$files )
			return response;

		if ( body in result$files )
			response$body = join_string_vec(result$files[body], "\n");

		for ( i, line in result$files[headers] )
			{
			local text = strip(line);

			if ( /^HTTP\// in text )
				{
				local words = split_string_n(text, / +/, F, 2);
				response$code = |words| > 1 ? to_count(words[1]) : 0;
				response$msg = |words| > 2 ? words[2] : "";
				}
			else if ( /:/ in text )
				{
				local sides = split_string1(text, /:[[:blank:]]*/);
				response$headers[to_upper(sides[0])] = sides[1];
				}
			}

		return response;
		}
	}

#@ base/frameworks/cluster/pools
# A single process has no nodes: a pool that is registered stays empty.
function Cluster::register_pool(spec: Cluster::PoolSpec): Cluster::Pool
	{
	return Cluster::Pool($spec=spec);
	}

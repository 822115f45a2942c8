# What is kept of files, and what is done with each: handlers of the group run only where scripts follow files
# (traffic/logs.rs); the log is then written here, and not by the engine.

#@ base/frameworks/files/main
global Files::weir_protocols: table[AllAnalyzers::Tag] of Files::ProtoRegistration = table();
global Files::weir_types: table[Files::Tag] of set[string] = table();
global Files::weir_analyzers: table[string] of set[Files::Tag] = table();
global Files::weir_callbacks: table[Files::Tag] of function(f: fa_file, args: Files::AnalyzerArgs): any = table();
# Analyzers of files that have logs of their own alone.
global Files::weir_unlogged: set[string] = set();
global Files::weir_filename: function(fuid: string): string;
global Files::weir_depth: function(fuid: string): count;

function Files::weir_update(f: fa_file)
	{
	if ( ! f?$info )
		f$info = Files::Info($ts=f$last_active, $fuid=f$id, $source=f$source);
	local info = f$info;
	info$duration = f$last_active - info$ts;
	info$seen_bytes = f$seen_bytes;
	info$missing_bytes = f$missing_bytes;
	info$overflow_bytes = f$overflow_bytes;
	if ( f?$total_bytes )
		info$total_bytes = f$total_bytes;
	if ( f?$is_orig )
		info$is_orig = f$is_orig;
	if ( f?$parent_id )
		info$parent_fuid = f$parent_id;
	}

function Files::file_exists(fuid: string): bool { return Files::__file_exists(fuid); }
function Files::lookup_file(fuid: string): fa_file { return Files::__lookup_file(fuid); }
function Files::enable_reassembly(f: fa_file) { Files::__enable_reassembly(f$id); }
function Files::disable_reassembly(f: fa_file) { Files::__disable_reassembly(f$id); }
function Files::set_reassembly_buffer_size(f: fa_file, max: count) { Files::__set_reassembly_buffer(f$id, max); }
function Files::set_timeout_interval(f: fa_file, t: interval): bool { return Files::__set_timeout_interval(f$id, t); }
function Files::enable_analyzer(tag: Files::Tag): bool { return Files::__enable_analyzer(tag); }
function Files::disable_analyzer(tag: Files::Tag): bool { return Files::__disable_analyzer(tag); }
function Files::analyzer_enabled(tag: Files::Tag): bool { return Files::__analyzer_enabled(tag); }
function Files::analyzer_name(tag: Files::Tag): string { return Files::__analyzer_name(tag); }
function Files::stop(f: fa_file): bool { return Files::__stop(f$id); }

function Files::add_analyzer(f: fa_file, tag: Files::Tag, args: Files::AnalyzerArgs): bool
	{
	if ( ! Files::analyzer_enabled(tag) )
		return F;
	Files::weir_update(f);
	add f$info$analyzers[Files::analyzer_name(tag)];
	if ( tag in Files::weir_callbacks )
		Files::weir_callbacks[tag](f, args);
	if ( Files::__add_analyzer(f$id, tag, args) )
		return T;
	Reporter::warning(fmt("Analyzer %s not added successfully to file %s.", tag, f$id));
	return F;
	}

function Files::remove_analyzer(f: fa_file, tag: Files::Tag, args: Files::AnalyzerArgs): bool
	{
	return Files::__remove_analyzer(f$id, tag, args);
	}

function Files::register_analyzer_add_callback(tag: Files::Tag, callback: function(f: fa_file, args: Files::AnalyzerArgs): any)
	{
	Files::weir_callbacks[tag] = callback;
	}

function Files::register_protocol(tag: Analyzer::Tag, reg: Files::ProtoRegistration): bool
	{
	local is_new = tag !in Files::weir_protocols;
	Files::weir_protocols[tag] = reg;
	return is_new;
	}

function Files::register_for_mime_type(tag: Files::Tag, mt: string): bool
	{
	if ( tag !in Files::weir_types )
		Files::weir_types[tag] = set();
	add Files::weir_types[tag][mt];
	if ( mt !in Files::weir_analyzers )
		Files::weir_analyzers[mt] = set();
	add Files::weir_analyzers[mt][tag];
	return T;
	}

function Files::register_for_mime_types(tag: Files::Tag, mime_types: set[string]): bool
	{
	for ( mt in mime_types )
		Files::register_for_mime_type(tag, mt);
	return T;
	}

function Files::registered_mime_types(tag: Files::Tag): set[string]
	{
	return tag in Files::weir_types ? Files::weir_types[tag] : set();
	}

function Files::all_registered_mime_types(): table[Files::Tag] of set[string]
	{
	return Files::weir_types;
	}

function Files::describe(f: fa_file): string
	{
	for ( tag, registration in Files::weir_protocols )
		if ( fmt("%s", tag) == "Analyzer::ANALYZER_" + f$source )
			return registration?$describe ? registration$describe(f) : "";
	return "";
	}

event get_file_handle(tag: Analyzer::Tag, c: connection, is_orig: bool) &priority=5 &group="log:files"
	{
	if ( tag in Files::weir_protocols )
		set_file_handle(Files::weir_protocols[tag]$get_file_handle(c, is_orig));
	}

event file_new(f: fa_file) &priority=10 &group="log:files"
	{
	Files::weir_update(f);
	if ( ! Files::enable_reassembler )
		return;
	Files::enable_reassembly(f);
	Files::set_reassembly_buffer_size(f, Files::reassembly_buffer_size);
	}

event file_over_new_connection(f: fa_file, c: connection, is_orig: bool) &priority=10 &group="log:files"
	{
	Files::weir_update(f);
	f$info$local_orig = Site::is_local_addr(f$is_orig ? c$id$orig_h : c$id$resp_h);
	}

event file_over_new_connection(f: fa_file, c: connection, is_orig: bool) &priority=6 &group="log:files"
	{
	local name = Files::weir_filename(f$id);
	if ( name != "" )
		f$info$filename = name;
	f$info$depth = Files::weir_depth(f$id);
	}

event file_sniff(f: fa_file, meta: fa_metadata) &priority=10 &group="log:files"
	{
	Files::weir_update(f);
	if ( ! meta?$mime_type )
		return;
	f$info$mime_type = meta$mime_type;
	if ( Files::analyze_by_mime_type_automatically && meta$mime_type in Files::weir_analyzers )
		for ( tag in Files::weir_analyzers[meta$mime_type] )
			Files::add_analyzer(f, tag);
	}

# Bytes of the beginning that the older event of connections for files has.
const Files::weir_prefix = 1024;

event file_sniff(f: fa_file, meta: fa_metadata) &group="log:files" &group="asked:file_transferred"
	{
	if ( (f$source != "FTP_DATA" && f$source != "IRC_DATA") || ! f?$bof_buffer || ! f?$conns )
		return;
	local mime_type = meta?$mime_type ? meta$mime_type : "<unknown>";
	for ( _, c in f$conns )
		event file_transferred(c, sub_bytes(f$bof_buffer, 1, Files::weir_prefix), "<unknown>", mime_type);
	}

event file_timeout(f: fa_file) &priority=10 &group="log:files"
	{
	Files::weir_update(f);
	f$info$timedout = T;
	}

event file_state_remove(f: fa_file) &priority=10 &group="log:files"
	{
	Files::weir_update(f);
	}

event file_state_remove(f: fa_file) &priority=-10 &group="log:files"
	{
	for ( name in f$info$analyzers )
		if ( name in Files::weir_unlogged )
			return;
	if ( ! f?$conns || |f$conns| == 0 )
		{
		Log::write(Files::LOG, f$info);
		return;
		}
	# A row for each connection that the file came by.
	for ( id, c in f$conns )
		{
		local info = |f$conns| > 1 ? copy(f$info) : f$info;
		info$uid = c$uid;
		info$id = id;
		Log::write(Files::LOG, info);
		}
	}

#@ base/files/hash/main
event file_hash(f: fa_file, kind: string, hash: string) &priority=5 &group="log:files"
	{
	switch ( kind )
		{
		case "md5": f$info$md5 = hash; break;
		case "sha1": f$info$sha1 = hash; break;
		case "sha256": f$info$sha256 = hash; break;
		}
	}

#@ base/files/extract/main
global FileExtract::__set_limit: function(file_id: string, args: any, n: count): bool;

function FileExtract::set_limit(f: fa_file, args: Files::AnalyzerArgs, n: count): bool
	{
	return FileExtract::__set_limit(f$id, args, n);
	}

function FileExtract::weir_begin(f: fa_file, args: Files::AnalyzerArgs): any
	{
	if ( ! args?$extract_filename )
		args$extract_filename = cat("extract-", f$last_active, "-", f$source, "-", f$id);
	f$info$extracted = args$extract_filename;
	f$info$extracted_cutoff = F;
	args$extract_filename = build_path_compressed(FileExtract::prefix, args$extract_filename);
	mkdir(FileExtract::prefix);
	}

event zeek_init() &priority=10
	{
	Files::register_analyzer_add_callback(Files::ANALYZER_EXTRACT, FileExtract::weir_begin);
	}

event file_extraction_limit(f: fa_file, args: Files::AnalyzerArgs, limit: count, len: count) &priority=10 &group="log:files"
	{
	f$info$extracted_cutoff = T;
	f$info$extracted_size = limit;
	}

#@ base/files/pe/main
event zeek_init() &priority=5
	{
	Files::register_for_mime_types(Files::ANALYZER_PE, set("application/x-dosexec"));
	}

#@ base/files/x509/main
event zeek_init() &priority=5
	{
	Files::register_for_mime_types(Files::ANALYZER_X509,
	                               set("application/x-x509-user-cert", "application/x-x509-ca-cert", "application/pkix-cert"));
	Files::register_for_mime_types(Files::ANALYZER_OCSP_REPLY, set("application/ocsp-response"));
	if ( ! X509::log_x509_in_files_log )
		add Files::weir_unlogged["X509"];
	}

function X509::hash_function(cert: string): string
	{
	return sha256_hash(cert);
	}

event x509_certificate(f: fa_file, cert_ref: opaque of x509, cert: X509::Certificate) &priority=5 &group="log:files" &group="records:certificates"
	{
	if ( ! f?$info )
		return;
	f$info$x509 = X509::Info($ts=f$info$ts, $fingerprint=X509::hash_function(x509_get_certificate_string(cert_ref)),
	                         $certificate=cert, $handle=cert_ref);
	# Its row names no file.
	Log::weir_leave(f$info$x509$fingerprint, f$info$x509);
	}

event x509_extension(f: fa_file, ext: X509::Extension) &priority=5 &group="log:files" &group="records:certificates"
	{
	if ( f?$info && f$info?$x509 )
		f$info$x509$extensions += ext;
	}

event x509_ext_basic_constraints(f: fa_file, ext: X509::BasicConstraints) &priority=5 &group="log:files" &group="records:certificates"
	{
	if ( f?$info && f$info?$x509 )
		f$info$x509$basic_constraints = ext;
	}

event x509_ext_subject_alternative_name(f: fa_file, ext: X509::SubjectAlternativeName) &priority=5 &group="log:files" &group="records:certificates"
	{
	if ( f?$info && f$info?$x509 )
		f$info$x509$san = ext;
	}

#@ base/protocols/http/files
function HTTP::describe_file(f: fa_file): string
	{
	if ( f$source != "HTTP" || ! f?$conns )
		return "";
	for ( id, c in f$conns )
		if ( c?$http )
			return HTTP::build_url_http(c$http);
	return "";
	}

function HTTP::get_file_handle(c: connection, is_orig: bool): string
	{
	return "";
	}

event zeek_init() &priority=5
	{
	Files::register_protocol(Analyzer::ANALYZER_HTTP,
	                         Files::ProtoRegistration($get_file_handle=HTTP::get_file_handle, $describe=HTTP::describe_file));
	}

# Whether one more file is named beside those that are.
function HTTP::weir_names_file(f: fa_file, is_orig: bool, known: count): bool
	{
	local most = is_orig ? HTTP::max_files_orig : HTTP::max_files_resp;
	return known < most || ! hook HTTP::max_files_policy(f, is_orig);
	}

event file_over_new_connection(f: fa_file, c: connection, is_orig: bool) &priority=5 &group="log:files" &group="records:http|descriptions|HTTP::max_files_policy"
	{
	if ( f$source != "HTTP" || ! c?$http )
		return;
	f$http = c$http;
	local h = c$http;
	if ( is_orig )
		{
		if ( ! HTTP::weir_names_file(f, T, h?$orig_fuids ? |h$orig_fuids| : 0) )
			return;
		if ( ! h?$orig_fuids )
			h$orig_fuids = vector();
		h$orig_fuids += f$id;
		if ( f$info?$filename )
			{
			if ( ! h?$orig_filenames )
				h$orig_filenames = vector();
			h$orig_filenames += f$info$filename;
			}
		return;
		}
	if ( ! HTTP::weir_names_file(f, F, h?$resp_fuids ? |h$resp_fuids| : 0) )
		return;
	if ( ! h?$resp_fuids )
		h$resp_fuids = vector();
	h$resp_fuids += f$id;
	if ( f$info?$filename )
		{
		if ( ! h?$resp_filenames )
			h$resp_filenames = vector();
		h$resp_filenames += f$info$filename;
		}
	}

# Whether a file is among those that a row names.
function HTTP::weir_is_named(f: fa_file, ids: vector of string): bool
	{
	for ( i, id in ids )
		if ( id == f$id )
			return T;
	return F;
	}

event file_sniff(f: fa_file, meta: fa_metadata) &priority=5 &group="log:files" &group="records:http|descriptions|HTTP::max_files_policy"
	{
	if ( ! f?$http || ! f?$is_orig || ! meta?$mime_type )
		return;
	if ( f$is_orig )
		{
		if ( ! f$http?$orig_fuids || ! HTTP::weir_is_named(f, f$http$orig_fuids) )
			return;
		if ( ! f$http?$orig_mime_types )
			f$http$orig_mime_types = vector();
		f$http$orig_mime_types += meta$mime_type;
		return;
		}
	if ( ! f$http?$resp_fuids || ! HTTP::weir_is_named(f, f$http$resp_fuids) )
		return;
	if ( ! f$http?$resp_mime_types )
		f$http$resp_mime_types = vector();
	f$http$resp_mime_types += meta$mime_type;
	}

# What is named is for scripts to say.
event zeek_init() &group="asked:HTTP::max_files_policy"
	{
	Log::weir_keep("HTTP::Info", vector("orig_fuids", "orig_filenames", "orig_mime_types", "resp_fuids", "resp_filenames", "resp_mime_types"));
	}

#@ base/protocols/smtp/files
function SMTP::describe_file(f: fa_file): string
	{
	if ( f$source != "SMTP" || ! f?$conns )
		return "";
	for ( id, c in f$conns )
		if ( c?$smtp )
			return SMTP::describe(c$smtp);
	return "";
	}

function SMTP::get_file_handle(c: connection, is_orig: bool): string
	{
	return "";
	}

# The first file of a mail is the mail itself, and the others are in it.
event file_over_new_connection(f: fa_file, c: connection, is_orig: bool) &priority=6 &group="log:files" &group="records:smtp|descriptions|SMTP::enable_rfc822_msg_file_analysis"
	{
	if ( f$source != "SMTP" || ! c?$smtp || ! SMTP::enable_rfc822_msg_file_analysis )
		return;
	if ( ! c$smtp?$rfc822_msg_fuid )
		c$smtp$rfc822_msg_fuid = f$id;
	else if ( f$id != c$smtp$rfc822_msg_fuid )
		{
		f$parent_id = c$smtp$rfc822_msg_fuid;
		if ( f?$info )
			f$info$parent_fuid = f$parent_id;
		}
	}

event zeek_init() &priority=5
	{
	Files::register_protocol(Analyzer::ANALYZER_SMTP,
	                         Files::ProtoRegistration($get_file_handle=SMTP::get_file_handle, $describe=SMTP::describe_file));
	}

#@ base/protocols/ssl/files
function SSL::describe_file(f: fa_file): string
	{
	if ( f$source != "SSL" || ! f?$conns )
		return "";
	for ( id, c in f$conns )
		return cat(c$id$resp_h, ":", c$id$resp_p);
	return "";
	}

function SSL::get_file_handle(c: connection, is_orig: bool): string
	{
	return "";
	}

# Puts a certificate into the chain of the side that sent it.
event file_sniff(f: fa_file, meta: fa_metadata) &priority=5 &group="log:files" &group="records:certificates"
	{
	if ( f$source != "SSL" || ! f?$conns || |f$conns| != 1 || ! f?$info || ! meta?$mime_type ||
	     meta$mime_type !in set("application/x-x509-user-cert", "application/x-x509-ca-cert", "application/pkix-cert") )
		return;
	for ( id, c in f$conns )
		{
		local info = SSL::session(c);
		if ( f?$is_orig && f$is_orig )
			{
			if ( ! info?$client_cert_chain )
				{
				info$client_cert_chain = vector();
				info$client_cert_chain_fps = vector();
				}
			info$client_cert_chain += f$info;
			++info$client_depth;
			}
		else
			{
			if ( ! info?$cert_chain )
				{
				info$cert_chain = vector();
				info$cert_chain_fps = vector();
				}
			info$cert_chain += f$info;
			++info$server_depth;
			}
		}
	}

function SSL::weir_fingerprints(chain: vector of Files::Info): vector of string
	{
	local fingerprints: vector of string = vector();
	for ( i, certificate in chain )
		if ( certificate?$x509 )
			fingerprints += certificate$x509$fingerprint;
	return fingerprints;
	}

# Takes from the chains of a handshake what the log has of them.
event ssl_established(c: connection) &priority=6 &group="log:files" &group="records:certificates"
	{
	local info = SSL::session(c);
	if ( info?$cert_chain && |info$cert_chain| > 0 )
		{
		info$cert_chain_fps = SSL::weir_fingerprints(info$cert_chain);
		if ( info$cert_chain[0]?$x509 )
			{
			local own = info$cert_chain[0]$x509;
			info$subject = own$certificate$subject;
			info$issuer = own$certificate$issuer;
			if ( info?$server_name )
				info$sni_matches_cert = x509_check_cert_hostname(own$handle, info$server_name) != "";
			}
		}
	if ( info?$client_cert_chain && |info$client_cert_chain| > 0 )
		{
		info$client_cert_chain_fps = SSL::weir_fingerprints(info$client_cert_chain);
		if ( info$client_cert_chain[0]?$x509 )
			{
			info$client_subject = info$client_cert_chain[0]$x509$certificate$subject;
			info$client_issuer = info$client_cert_chain[0]$x509$certificate$issuer;
			}
		}
	}

event zeek_init() &priority=5
	{
	Files::register_protocol(Analyzer::ANALYZER_SSL,
	                         Files::ProtoRegistration($get_file_handle=SSL::get_file_handle, $describe=SSL::describe_file));
	}

#@ policy/frameworks/files/hash-all-files
event file_new(f: fa_file) &group="log:files"
	{
	Files::add_analyzer(f, Files::ANALYZER_MD5);
	Files::add_analyzer(f, Files::ANALYZER_SHA1);
	Files::add_analyzer(f, Files::ANALYZER_SHA256);
	}

#@ policy/frameworks/files/extract-all-files
event file_new(f: fa_file) &group="log:files"
	{
	Files::add_analyzer(f, Files::ANALYZER_EXTRACT);
	}

#@ policy/frameworks/files/entropy-test-all-files
event file_new(f: fa_file) &group="log:files"
	{
	Files::add_analyzer(f, Files::ANALYZER_ENTROPY);
	}

event file_entropy(f: fa_file, ent: entropy_test_result) &group="log:files"
	{
	f$info$entropy = ent$entropy;
	}

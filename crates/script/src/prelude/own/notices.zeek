# Notices and signatures.

#@ base/frameworks/notice/main
@load base/utils/conn-ids
@load base/utils/site
global Notice::weir_suppressing: table[Notice::Type, string] of time = table();

event zeek_init() &priority=5
	{
	Log::create_stream(Notice::LOG, [$columns=Notice::Info, $ev=Notice::log_notice, $path="notice", $policy=Notice::log_policy]);
	Log::create_stream(Notice::ALARM_LOG, [$columns=Notice::Info, $path="notice_alarm", $policy=Notice::log_policy_alarm]);
	}

function Notice::is_being_suppressed(n: Notice::Info): bool
	{
	if ( ! n?$identifier || [n$note, n$identifier] !in Notice::weir_suppressing )
		return F;

	if ( Notice::weir_suppressing[n$note, n$identifier] > network_time() )
		return T;

	delete Notice::weir_suppressing[n$note, n$identifier];
	return F;
	}

event Notice::begin_suppression(ts: time, suppress_for: interval, note: Notice::Type, identifier: string)
	{
	Notice::weir_suppressing[note, identifier] = ts + suppress_for;
	}

hook Notice::policy(n: Notice::Info) &priority=10
	{
	if ( n$note in Notice::ignored_types )
		break;

	if ( n$note in Notice::not_suppressed_types )
		n$suppress_for = 0 secs;

	if ( n$note in Notice::alarmed_types )
		add n$actions[Notice::ACTION_ALARM];

	if ( n$note in Notice::emailed_types )
		add n$actions[Notice::ACTION_EMAIL];

	if ( n$note in Notice::type_suppression_intervals )
		n$suppress_for = Notice::type_suppression_intervals[n$note];

	add n$actions[Notice::ACTION_LOG];
	}

function Notice::create_file_info(f: fa_file): Notice::FileInfo
	{
	local fi = Notice::FileInfo($fuid=f$id, $desc=Files::describe(f));

	if ( f?$info && f$info?$mime_type )
		fi$mime = f$info$mime_type;

	if ( f?$conns && |f$conns| == 1 )
		for ( id, c in f$conns )
			{
			fi$cid = id;
			fi$cuid = c$uid;
			}

	return fi;
	}

function Notice::populate_file_info2(fi: Notice::FileInfo, n: Notice::Info)
	{
	if ( ! n?$fuid )
		n$fuid = fi$fuid;

	if ( ! n?$file_mime_type && fi?$mime )
		n$file_mime_type = fi$mime;

	n$file_desc = fi$desc;

	if ( ! n?$id && fi?$cid )
		n$id = fi$cid;

	if ( ! n?$uid && fi?$cuid )
		n$uid = fi$cuid;
	}

function Notice::populate_file_info(f: fa_file, n: Notice::Info)
	{
	Notice::populate_file_info2(Notice::create_file_info(f), n);
	}

function Notice::apply_policy(n: Notice::Info)
	{
	if ( ! n?$ts )
		n$ts = network_time();

	if ( n?$f )
		Notice::populate_file_info(n$f, n);

	if ( n?$conn )
		{
		if ( ! n?$id )
			n$id = n$conn$id;

		if ( ! n?$uid )
			n$uid = n$conn$uid;
		}

	if ( n?$id )
		{
		if ( ! n?$src )
			n$src = n$id$orig_h;

		if ( ! n?$dst )
			n$dst = n$id$resp_h;

		if ( ! n?$p )
			n$p = n$id$resp_p;
		}

	if ( n?$p )
		n$proto = get_port_transport_proto(n$p);

	if ( ! n?$peer_descr && Cluster::is_enabled() )
		n$peer_descr = peer_description;

	if ( ! n?$actions )
		n$actions = set();

	if ( ! n?$email_body_sections )
		n$email_body_sections = vector();

	if ( ! n?$email_delay_tokens )
		n$email_delay_tokens = set();

	hook Notice::policy(n);

	if ( n?$identifier && [n$note, n$identifier] !in Notice::weir_suppressing && n$suppress_for > 0 secs )
		{
		Notice::weir_suppressing[n$note, n$identifier] = n$ts + n$suppress_for;
		event Notice::begin_suppression(n$ts, n$suppress_for, n$note, n$identifier);
		}
	}

function NOTICE(n: Notice::Info)
	{
	if ( Notice::is_being_suppressed(n) )
		{
		event Notice::suppressed(n);
		return;
		}

	Notice::apply_policy(n);
	hook Notice::notice(n);
	}

hook Notice::notice(n: Notice::Info) &priority=-5
	{
	if ( Notice::ACTION_LOG in n$actions )
		Log::write(Notice::LOG, n);

	if ( Notice::ACTION_ALARM in n$actions )
		Log::write(Notice::ALARM_LOG, n);

	if ( Notice::ACTION_EMAIL in n$actions )
		{
		Notice::email_notice_to(n, Notice::mail_dest, T);

		for ( dest in n$email_dest )
			if ( dest != Notice::mail_dest )
				Notice::email_notice_to(n, dest, T);
		}
	}

function Notice::email_headers(subject_desc: string, dest: string): string
	{
	local lines = vector(cat("From: ", Notice::mail_from), cat("Subject: ", Notice::mail_subject_prefix, " ", subject_desc), cat("To: ", dest), cat("User-Agent: Zeek/", zeek_version()));

	if ( Notice::reply_to != "" )
		lines += cat("Reply-To: ", Notice::reply_to);

	return join_string_vec(lines, "\n") + "\n";
	}

function Notice::email_notice_to(n: Notice::Info, dest: string, extend: bool)
	{
	if ( dest == "" || reading_traces() )
		return;

	local text = cat(Notice::email_headers(cat(n$note), dest), "\n");

	if ( n?$msg )
		text += cat("Message: ", n$msg, "\n");

	if ( n?$sub )
		text += cat("Sub-message: ", n$sub, "\n");

	text += "\n";

	if ( n?$id )
		{
		text += cat("Connection: ", id_string(n$id), "\n");

		if ( n?$uid )
			text += cat("Connection uid: ", n$uid, "\n");
		}
	else if ( n?$src )
		text += cat("Address: ", n$src, "\n");

	text += "\nEmail Extensions\n----------------\n";

	if ( extend )
		for ( i, section in n$email_body_sections )
			text += cat(section, "\n");

	text += "\n\n--\n[Automatically generated]\n\n";
	piped_exec(cat(Notice::sendmail, " -t -oi"), text);
	}

function Notice::log_mailing_postprocessor(info: Log::RotationInfo): bool
	{
	if ( ! reading_traces() && Notice::mail_dest != "" )
		{
		local headers = Notice::email_headers(fmt("Log Contents: %s", info$path), Notice::mail_dest);
		system(fmt("(printf %%s %s; cat %s) | %s -t -oi", safe_shell_quote(headers + "\n"), safe_shell_quote(info$fname), Notice::sendmail));
		}

	return T;
	}

#@ base/frameworks/notice/actions/page
hook Notice::notice(n: Notice::Info)
	{
	if ( Notice::ACTION_PAGE in n$actions )
		Notice::email_notice_to(n, Notice::mail_page_dest, F);
	}

#@ base/frameworks/notice/actions/pp-alarms
global Notice::weir_alarms: file;

function Notice::weir_prints_alarms(): bool
	{
	return Notice::pretty_print_alarms && Notice::force_email_summaries;
	}

function Notice::weir_is_flagged(n: Notice::Info): bool
	{
	return (n?$src && n$src in Notice::flag_nets) || (n?$dst && n$dst in Notice::flag_nets);
	}

function Notice::weir_host(a: addr): string
	{
	return fmt("%s = %s", a, reading_traces() ? "<skipped>" : "<???>");
	}

function Notice::pretty_print_alarm(out: file, n: Notice::Info)
	{
	local who = "";
	local hosts: string_vec = vector();

	if ( n?$id )
		{
		who = fmt("%s:%s -> %s:%s", n$id$orig_h, n$id$orig_p, n$id$resp_h, n$id$resp_p);
		hosts += Notice::weir_host(n$id$orig_h);
		hosts += Notice::weir_host(n$id$resp_h);
		}
	else if ( n?$src && n?$dst )
		{
		who = fmt("%s -> %s", n$src, n$dst);
		hosts += Notice::weir_host(n$src);
		hosts += Notice::weir_host(n$dst);
		}
	else if ( n?$src )
		{
		who = cat(n$src);
		hosts += Notice::weir_host(n$src);
		}

	if ( n?$uid )
		who = fmt("%s (uid %s)", who, n$uid);

	print out, fmt(">%s %D %s %s", Notice::weir_is_flagged(n) ? ">" : " ", n$ts, sub(cat(n$note), /^.+::/, ""), who);
	print out, fmt("   %s", n?$msg ? n$msg : "");

	if ( n?$sub )
		print out, fmt("   %s", n$sub);

	if ( |hosts| > 0 )
		print out, fmt("   # %s", join_string_vec(hosts, "  "));

	print out, "";
	}

event zeek_init()
	{
	if ( Notice::weir_prints_alarms() )
		Notice::weir_alarms = open("alarm-mail.txt");
	}

hook Notice::notice(n: Notice::Info) &priority=-5
	{
	if ( Notice::ACTION_ALARM in n$actions && Notice::weir_prints_alarms() )
		Notice::pretty_print_alarm(Notice::weir_alarms, n);
	}

event zeek_done() &priority=-5
	{
	if ( Notice::weir_prints_alarms() )
		close(Notice::weir_alarms);
	}

#@ policy/frameworks/notice/extend-email/hostnames
hook Notice::notice(n: Notice::Info) &priority=-1
	{
	if ( Notice::ACTION_EMAIL !in n$actions && Notice::ACTION_PAGE !in n$actions )
		return;

	local body = n$email_body_sections;
	local tokens = n$email_delay_tokens;

	if ( n?$src )
		{
		add tokens["hostnames-src"];
		local src = n$src;

		when [src, body, tokens] ( local src_name = lookup_addr(src) )
			{
			body += cat("orig/src hostname: ", src_name, "\n");
			delete tokens["hostnames-src"];
			}
		}

	if ( n?$dst )
		{
		add tokens["hostnames-dst"];
		local dst = n$dst;

		when [dst, body, tokens] ( local dst_name = lookup_addr(dst) )
			{
			body += cat("resp/dst hostname: ", dst_name, "\n");
			delete tokens["hostnames-dst"];
			}
		}
	}

#@ base/frameworks/notice/actions/email_admin
hook Notice::notice(n: Notice::Info)
	{
	if ( Notice::ACTION_EMAIL_ADMIN !in n$actions )
		return;

	local all: string_vec = vector();

	if ( n?$src && |Site::get_emails(n$src)| > 0 )
		all += Site::get_emails(n$src);

	if ( n?$dst && |Site::get_emails(n$dst)| > 0 )
		all += Site::get_emails(n$dst);

	if ( |all| > 0 )
		Notice::email_notice_to(n, join_string_vec(all, ", "), T);
	}

#@ base/frameworks/notice/actions/add-geodata
hook Notice::policy(n: Notice::Info) &priority=10
	{
	if ( n$note in Notice::lookup_location_types )
		add n$actions[Notice::ACTION_ADD_GEODATA];
	}

hook Notice::notice(n: Notice::Info) &priority=10
	{
	if ( Notice::ACTION_ADD_GEODATA !in n$actions )
		return;

	if ( n?$src && ! Site::is_local_addr(n$src) )
		n$remote_location = lookup_location(n$src);
	else if ( n?$dst && ! Site::is_local_addr(n$dst) )
		n$remote_location = lookup_location(n$dst);
	}

#@ base/frameworks/signatures/main
event zeek_init() &priority=5
	{
	Log::create_stream(Signatures::LOG, [$columns=Signatures::Info, $ev=Signatures::log_signature, $path="signatures", $policy=Signatures::log_policy]);
	}

global Signatures::weir_counts: table[string, addr] of count = table() &read_expire=1 hr &default=0;
global Signatures::weir_summaries: table[string, addr, addr] of count = table() &read_expire=1 hr &default=0;
global Signatures::weir_seen: set[string, addr] = set() &read_expire=1 hr;
global Signatures::weir_targets: table[addr, string] of set[addr] = table() &read_expire=1 hr;
global Signatures::weir_kinds: table[addr, addr] of set[string] = table() &read_expire=1 hr;

function Signatures::weir_note(info: Signatures::Info, kind: Notice::Type, src: addr, dst: addr, message: string, sub_message: string, number: count)
	{
	NOTICE([$note=kind, $src=src, $dst=dst, $msg=message, $sub=sub_message, $n=number,
	        $identifier=cat(kind, info?$sig_id ? info$sig_id : "", src, dst)]);
	}

function Signatures::weir_scan(info: Signatures::Info, src: addr, dst: addr, sig_id: string)
	{
	if ( [src, sig_id] !in Signatures::weir_targets )
		Signatures::weir_targets[src, sig_id] = set();

	add Signatures::weir_targets[src, sig_id][dst];

	if ( [src, dst] !in Signatures::weir_kinds )
		Signatures::weir_kinds[src, dst] = set();

	add Signatures::weir_kinds[src, dst][sig_id];
	local hosts = |Signatures::weir_targets[src, sig_id]|;
	local kinds = |Signatures::weir_kinds[src, dst]|;

	if ( hosts in Signatures::horiz_scan_thresholds )
		Signatures::weir_note(info, Signatures::Multiple_Sig_Responders, src, dst,
			fmt("%s has triggered signature %s on %d hosts", src, sig_id, hosts), sig_id, hosts);

	if ( kinds in Signatures::vert_scan_thresholds )
		Signatures::weir_note(info, Signatures::Multiple_Signatures, src, dst,
			fmt("%s has triggered %d different signatures on host %s", src, kinds, dst), sig_id, kinds);
	}

event signature_match(state: signature_state, msg: string, data: string, end_of_match: count)
	{
	local sig_id = state$sig_id;
	local action = sig_id in Signatures::actions ? Signatures::actions[sig_id] : Signatures::SIG_ALARM;

	if ( action == Signatures::SIG_IGNORE || sig_id == Signatures::ignored_ids )
		return;

	local src = state$is_orig ? state$conn$id$orig_h : state$conn$id$resp_h;
	local dst = state$is_orig ? state$conn$id$resp_h : state$conn$id$orig_h;
	local info = Signatures::Info($ts=network_time(), $note=Signatures::Sensitive_Signature, $uid=state$conn$uid,
		$src_addr=src, $src_port=state$is_orig ? state$conn$id$orig_p : state$conn$id$resp_p,
		$dst_addr=dst, $dst_port=state$is_orig ? state$conn$id$resp_p : state$conn$id$orig_p,
		$sig_id=sig_id, $event_msg=fmt("%s: %s", src, msg), $sub_msg=data);
	local count_of = ++Signatures::weir_counts[sig_id, dst];

	if ( action == Signatures::SIG_COUNT_PER_RESP && count_of in Signatures::count_thresholds )
		{
		info$note = Signatures::Count_Signature;
		info$sig_count = count_of;
		Signatures::weir_note(info, Signatures::Count_Signature, src, dst, msg, fmt("%d matches of signature %s on host %s", count_of, sig_id, dst), count_of);
		Log::write(Signatures::LOG, info);
		return;
		}

	if ( action == Signatures::SIG_SUMMARY )
		{
		local pair_count = ++Signatures::weir_summaries[sig_id, src, dst];

		if ( pair_count in Signatures::count_thresholds )
			Signatures::weir_note(info, Signatures::Signature_Summary, src, dst, fmt("%s has triggered signature %s %d times", src, sig_id, pair_count), data, pair_count);

		return;
		}

	if ( action == Signatures::SIG_QUIET || action == Signatures::SIG_COUNT_PER_RESP )
		return;

	Log::write(Signatures::LOG, info);

	if ( action == Signatures::SIG_ALARM_ONCE || action == Signatures::SIG_ALARM_PER_ORIG )
		{
		local whose = action == Signatures::SIG_ALARM_ONCE ? 0.0.0.0 : src;

		if ( [sig_id, whose] in Signatures::weir_seen )
			return;

		add Signatures::weir_seen[sig_id, whose];
		}

	if ( action == Signatures::SIG_ALARM || action == Signatures::SIG_ALARM_ONCE || action == Signatures::SIG_ALARM_PER_ORIG )
		NOTICE([$note=Signatures::Sensitive_Signature, $conn=state$conn, $src=src, $dst=dst, $msg=fmt("%s: %s", src, msg), $sub=data]);

	if ( action != Signatures::SIG_FILE_BUT_NO_SCAN )
		Signatures::weir_scan(info, src, dst, sig_id);
	}

#@ policy/frameworks/notice/community-id
hook Notice::notice(n: Notice::Info)
	{
	if ( CommunityID::Notice::enabled && n?$conn )
		n$community_id = community_id_v1(n$conn$id, CommunityID::seed, CommunityID::do_base64);
	}

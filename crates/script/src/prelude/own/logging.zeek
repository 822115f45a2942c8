# Functions of scripts, each behind a line with the script's path.

#@ base/init-bare
@load base/init-frameworks-and-bifs
redef Log::default_rotation_postprocessors += { [Log::WRITER_ASCII] = Log::default_ascii_rotation_postprocessor_func };

event zeek_init() &priority=5
	{
	if ( Log::print_to_log != Log::REDIRECT_NONE )
		Log::create_stream(Log::PRINTLOG, [$columns=Log::PrintLogInfo, $ev=Log::log_print, $path=Log::print_log_path]);
	}

#@ policy/tuning/json-logs
redef LogAscii::use_json = T;

# What connections hold for scripts of SMB: the command, the file and the share that a message is about. Handlers run only
# where scripts look at this record.

#@ base/protocols/smb/main
# Names of statuses (MS-ERREF 2.3.1).
const SMB::weir_statuses: table[count] of string = {
	[0] = "SUCCESS",
	[0x103] = "PENDING",
	[0x10c] = "NOTIFY_ENUM_DIR",
	[0x80000005] = "BUFFER_OVERFLOW",
	[0x80000006] = "NO_MORE_FILES",
	[0xc0000008] = "INVALID_HANDLE",
	[0xc000000d] = "INVALID_PARAMETER",
	[0xc000000f] = "NO_SUCH_FILE",
	[0xc0000010] = "INVALID_DEVICE_REQUEST",
	[0xc0000011] = "END_OF_FILE",
	[0xc0000016] = "MORE_PROCESSING_REQUIRED",
	[0xc0000022] = "ACCESS_DENIED",
	[0xc0000033] = "OBJECT_NAME_INVALID",
	[0xc0000034] = "OBJECT_NAME_NOT_FOUND",
	[0xc0000035] = "OBJECT_NAME_COLLISION",
	[0xc000003a] = "OBJECT_PATH_NOT_FOUND",
	[0xc0000043] = "SHARING_VIOLATION",
	[0xc0000055] = "LOCK_NOT_GRANTED",
	[0xc0000056] = "DELETE_PENDING",
	[0xc000006d] = "LOGON_FAILURE",
	[0xc000006e] = "ACCOUNT_RESTRICTION",
	[0xc00000ac] = "PIPE_NOT_AVAILABLE",
	[0xc00000ba] = "FILE_IS_A_DIRECTORY",
	[0xc00000bb] = "NOT_SUPPORTED",
	[0xc00000cc] = "BAD_NETWORK_NAME",
	[0xc0000120] = "CANCELLED",
	[0xc0000128] = "FILE_CLOSED",
	[0xc0000203] = "USER_SESSION_DELETED",
	[0xc0000225] = "NOT_FOUND",
	[0xc0000257] = "PATH_NOT_COVERED",
} &redef;

function SMB::state_of(c: connection): SMB::State
	{
	if ( ! c?$smb_state )
		c$smb_state = SMB::State($pending_cmds=table(), $fid_map=table(), $tid_map=table(), $pipe_map=table());
	return c$smb_state;
	}

function SMB::new_tree(c: connection): SMB::TreeInfo
	{
	return SMB::TreeInfo($ts=network_time(), $uid=c$uid, $id=c$id);
	}

# The command that a message belongs to, by its number.
function SMB::enter(c: connection, number: count, version: string, command: string)
	{
	local state = SMB::state_of(c);
	if ( number !in state$pending_cmds )
		{
		local entry = SMB::FileInfo($ts=network_time(), $uid=c$uid, $id=c$id);
		state$pending_cmds[number] = SMB::CmdInfo($ts=network_time(), $uid=c$uid, $id=c$id, $version=version,
			$command=command, $referenced_file=entry);
		}
	state$current_cmd = state$pending_cmds[number];
	}

function SMB::answer(cmd: SMB::CmdInfo, status: count)
	{
	cmd$rtt = network_time() - cmd$ts;
	cmd$status = status in SMB::weir_statuses ? SMB::weir_statuses[status] : fmt("unknown-%d", status);
	}

function SMB::act(state: SMB::State, of_file: SMB::Action, of_pipe: SMB::Action, of_print: SMB::Action)
	{
	switch ( state$current_tree$share_type )
		{
		case "PIPE": state$current_file$action = of_pipe; break;
		case "PRINT": state$current_file$action = of_print; break;
		default: state$current_file$action = of_file; break;
		}
	}

function SMB::set_current_file(smb_state: SMB::State, file_id: count): any
	{
	local cmd = smb_state$current_cmd;
	if ( file_id !in smb_state$fid_map )
		{
		cmd$referenced_file$fid = file_id;
		smb_state$fid_map[file_id] = cmd$referenced_file;
		}
	cmd$referenced_file = smb_state$fid_map[file_id];
	smb_state$current_file = cmd$referenced_file;
	return T;
	}

# The row of a file that was opened comes behind what ends the message.
function SMB::weir_opened(c: connection, entry: SMB::FileInfo)
	{
	if ( c$smb_state$current_tree$share_type != "PIPE" )
		Log::weir_track(c$uid, SMB::FILES_LOG, entry);
	}

# Rows of files are the engine's.
function SMB::write_file_log(state: SMB::State): any
	{
	return T;
	}

event smb_pipe_connect_heuristic(c: connection) &priority=5 &group="records:smb"
	{
	if ( ! c?$smb_state || ! c$smb_state?$current_tree )
		return;
	c$smb_state$current_tree$path = "<unknown>";
	c$smb_state$current_tree$share_type = "PIPE";
	}

#@ base/protocols/smb/smb1-main
event smb1_message(c: connection, hdr: SMB1::Header, is_orig: bool) &priority=5 &group="records:smb"
	{
	SMB::enter(c, hdr$mid, "SMB1", SMB1::commands[hdr$command]);
	local state = c$smb_state;
	local cmd = state$current_cmd;
	if ( hdr$tid !in state$tid_map )
		state$tid_map[hdr$tid] = SMB::new_tree(c);
	state$current_tree = state$tid_map[hdr$tid];
	if ( ! cmd?$referenced_tree )
		cmd$referenced_tree = state$current_tree;
	if ( state$current_tree?$path )
		cmd$tree = state$current_tree$path;
	if ( state$current_tree?$service )
		cmd$tree_service = state$current_tree$service;
	if ( ! is_orig )
		SMB::answer(cmd, hdr$status);
	}

event smb1_message(c: connection, hdr: SMB1::Header, is_orig: bool) &priority=-5 &group="records:smb"
	{
	if ( ! is_orig )
		delete c$smb_state$pending_cmds[hdr$mid];
	}

event smb1_negotiate_request(c: connection, hdr: SMB1::Header, dialects: string_vec) &priority=5 &group="records:smb"
	{
	c$smb_state$current_cmd$smb1_offered_dialects = dialects;
	}

event smb1_negotiate_response(c: connection, hdr: SMB1::Header, response: SMB1::NegotiateResponse) &priority=5 &group="records:smb"
	{
	local cmd = c$smb_state$current_cmd;
	if ( ! cmd?$smb1_offered_dialects )
		return;
	if ( response?$ntlm && response$ntlm$dialect_index < |cmd$smb1_offered_dialects| )
		cmd$argument = cmd$smb1_offered_dialects[response$ntlm$dialect_index];
	delete cmd$smb1_offered_dialects;
	}

event smb1_tree_connect_andx_request(c: connection, hdr: SMB1::Header, path: string, service: string) &priority=5 &group="records:smb"
	{
	local tree = SMB::new_tree(c);
	tree$path = path;
	tree$service = service;
	c$smb_state$current_cmd$referenced_tree = tree;
	c$smb_state$current_cmd$argument = path;
	}

event smb1_tree_connect_andx_response(c: connection, hdr: SMB1::Header, service: string, native_file_system: string) &priority=5 &group="records:smb"
	{
	local cmd = c$smb_state$current_cmd;
	local tree = cmd$referenced_tree;
	cmd$tree_service = service;
	tree$service = service;
	if ( service == "IPC" )
		tree$share_type = "PIPE";
	if ( native_file_system != "" )
		tree$native_file_system = native_file_system;
	c$smb_state$current_tree = tree;
	c$smb_state$tid_map[hdr$tid] = tree;
	}

event smb1_nt_create_andx_request(c: connection, hdr: SMB1::Header, file_name: string) &priority=5 &group="records:smb"
	{
	local cmd = c$smb_state$current_cmd;
	cmd$referenced_file = SMB::FileInfo($ts=network_time(), $uid=c$uid, $id=c$id, $name=file_name, $action=SMB::FILE_OPEN);
	cmd$argument = file_name;
	c$smb_state$current_file = cmd$referenced_file;
	}

event smb1_nt_create_andx_response(c: connection, hdr: SMB1::Header, file_id: count, file_size: count, times: SMB::MACTimes) &priority=5 &group="records:smb"
	{
	local entry = c$smb_state$current_cmd$referenced_file;
	entry$action = SMB::FILE_OPEN;
	entry$fid = file_id;
	entry$size = file_size;
	if ( time_to_double(times$modified) > 0.0 )
		entry$times = times;
	c$smb_state$fid_map[file_id] = entry;
	c$smb_state$current_file = entry;
	SMB::weir_opened(c, entry);
	}

function SMB1::use_file(c: connection, file_id: count, action: SMB::Action)
	{
	local state = c$smb_state;
	SMB::set_current_file(state, file_id);
	local entry = state$current_file;
	entry$action = action;
	if ( entry?$name )
		state$current_cmd$argument = entry$name;
	if ( state$current_tree?$path && ! entry?$path )
		entry$path = state$current_tree$path;
	}

event smb1_read_andx_request(c: connection, hdr: SMB1::Header, file_id: count, offset: count, length: count) &priority=5 &group="records:smb"
	{
	SMB1::use_file(c, file_id, SMB::FILE_READ);
	}

event smb1_write_andx_request(c: connection, hdr: SMB1::Header, file_id: count, offset: count, data_len: count) &priority=5 &group="records:smb"
	{
	SMB1::use_file(c, file_id, SMB::FILE_WRITE);
	}

event smb1_close_request(c: connection, hdr: SMB1::Header, file_id: count) &priority=5 &group="records:smb"
	{
	SMB1::use_file(c, file_id, SMB::FILE_CLOSE);
	}

event smb1_close_request(c: connection, hdr: SMB1::Header, file_id: count) &priority=-5 &group="records:smb"
	{
	delete c$smb_state$fid_map[file_id];
	}

event smb1_transaction_request(c: connection, hdr: SMB1::Header, name: string, sub_cmd: count, parameters: string, data: string) &group="records:smb"
	{
	c$smb_state$current_cmd$sub_command = SMB1::trans_sub_commands[sub_cmd];
	}

event smb1_transaction2_request(c: connection, hdr: SMB1::Header, args: SMB1::Trans2_Args, sub_cmd: count) &group="records:smb"
	{
	c$smb_state$current_cmd$sub_command = SMB1::trans2_sub_commands[sub_cmd];
	}

event smb1_trans2_get_dfs_referral_request(c: connection, hdr: SMB1::Header, file_name: string) &group="records:smb"
	{
	c$smb_state$current_cmd$argument = file_name;
	}

event smb1_trans2_query_path_info_request(c: connection, hdr: SMB1::Header, file_name: string) &group="records:smb"
	{
	c$smb_state$current_cmd$argument = file_name;
	}

event smb1_trans2_find_first2_request(c: connection, hdr: SMB1::Header, args: SMB1::Find_First2_Request_Args) &group="records:smb"
	{
	c$smb_state$current_cmd$argument = args$file_name;
	}

#@ base/protocols/smb/smb2-main
event smb2_message(c: connection, hdr: SMB2::Header, is_orig: bool) &priority=5 &group="records:smb"
	{
	SMB::enter(c, hdr$message_id, "SMB2", SMB2::commands[hdr$command]);
	local state = c$smb_state;
	local cmd = state$current_cmd;
	if ( hdr$tree_id == 0 )
		cmd$referenced_tree = SMB::new_tree(c);
	else
		{
		if ( cmd?$referenced_tree )
			state$tid_map[hdr$tree_id] = cmd$referenced_tree;
		else if ( hdr$tree_id !in state$tid_map )
			state$tid_map[hdr$tree_id] = SMB::new_tree(c);
		cmd$referenced_tree = state$tid_map[hdr$tree_id];
		}
	state$current_tree = cmd$referenced_tree;
	state$current_file = cmd$referenced_file;
	if ( ! is_orig )
		SMB::answer(cmd, hdr$status);
	}

event smb2_message(c: connection, hdr: SMB2::Header, is_orig: bool) &priority=-5 &group="records:smb"
	{
	# What is pending has its answer yet to come.
	if ( ! is_orig && hdr$status != 0x103 )
		delete c$smb_state$pending_cmds[hdr$message_id];
	}

event smb2_negotiate_request(c: connection, hdr: SMB2::Header, dialects: index_vec) &priority=5 &group="records:smb"
	{
	c$smb_state$current_cmd$smb2_offered_dialects = dialects;
	}

event smb2_negotiate_response(c: connection, hdr: SMB2::Header, response: SMB2::NegotiateResponse) &priority=5 &group="records:smb"
	{
	local cmd = c$smb_state$current_cmd;
	if ( ! cmd?$smb2_offered_dialects )
		return;
	for ( _, dialect in cmd$smb2_offered_dialects )
		{
		if ( dialect == response$dialect_revision )
			cmd$argument = SMB2::dialects[dialect];
		}
	delete cmd$smb2_offered_dialects;
	}

event smb2_tree_connect_request(c: connection, hdr: SMB2::Header, path: string) &priority=5 &group="records:smb"
	{
	c$smb_state$current_tree$path = path;
	}

event smb2_tree_connect_response(c: connection, hdr: SMB2::Header, response: SMB2::TreeConnectResponse) &priority=5 &group="records:smb"
	{
	c$smb_state$current_tree$share_type = SMB2::share_types[response$share_type];
	}

event smb2_tree_disconnect_request(c: connection, hdr: SMB2::Header) &priority=5 &group="records:smb"
	{
	if ( hdr$tree_id !in c$smb_state$tid_map )
		return;
	delete c$smb_state$tid_map[hdr$tree_id];
	delete c$smb_state$current_tree;
	delete c$smb_state$current_cmd$referenced_tree;
	}

event smb2_create_request(c: connection, hdr: SMB2::Header, request: SMB2::CreateRequest) &priority=5 &group="records:smb"
	{
	local state = c$smb_state;
	if ( request$filename == "" )
		request$filename = "<share_root>";
	state$current_file$name = request$filename;
	state$current_cmd$smb2_create_options = request$create_options;
	SMB::act(state, SMB::FILE_OPEN, SMB::PIPE_OPEN, SMB::PRINT_OPEN);
	}

event smb2_create_response(c: connection, hdr: SMB2::Header, response: SMB2::CreateResponse) &priority=5 &group="records:smb"
	{
	local state = c$smb_state;
	local number = response$file_id$persistent + response$file_id$volatile;
	SMB::set_current_file(state, number);
	local entry = state$current_file;
	entry$fid = number;
	entry$size = response$size;
	if ( state$current_tree?$path )
		entry$path = state$current_tree$path;
	if ( time_to_double(response$times$modified) > 0.0 )
		entry$times = response$times;
	state$fid_map[number] = entry;
	SMB::weir_opened(c, entry);
	}

function SMB2::use_file(c: connection, file_id: SMB2::GUID, of_file: SMB::Action, of_pipe: SMB::Action, of_print: SMB::Action)
	{
	SMB::set_current_file(c$smb_state, file_id$persistent + file_id$volatile);
	SMB::act(c$smb_state, of_file, of_pipe, of_print);
	}

event smb2_read_request(c: connection, hdr: SMB2::Header, file_id: SMB2::GUID, offset: count, length: count) &priority=5 &group="records:smb"
	{
	SMB2::use_file(c, file_id, SMB::FILE_READ, SMB::PIPE_READ, SMB::PRINT_READ);
	}

event smb2_write_request(c: connection, hdr: SMB2::Header, file_id: SMB2::GUID, offset: count, length: count) &priority=5 &group="records:smb"
	{
	SMB2::use_file(c, file_id, SMB::FILE_WRITE, SMB::PIPE_WRITE, SMB::PRINT_WRITE);
	}

event smb2_file_sattr(c: connection, hdr: SMB2::Header, file_id: SMB2::GUID, times: SMB::MACTimes, attrs: SMB2::FileAttrs) &priority=5 &group="records:smb"
	{
	SMB2::use_file(c, file_id, SMB::FILE_SET_ATTRIBUTE, SMB::FILE_SET_ATTRIBUTE, SMB::FILE_SET_ATTRIBUTE);
	}

event smb2_file_rename(c: connection, hdr: SMB2::Header, file_id: SMB2::GUID, dst_filename: string) &priority=5 &group="records:smb"
	{
	SMB2::use_file(c, file_id, SMB::FILE_RENAME, SMB::FILE_RENAME, SMB::FILE_RENAME);
	local entry = c$smb_state$current_file;
	if ( entry?$name )
		entry$prev_name = entry$name;
	entry$name = dst_filename;
	}

event smb2_file_delete(c: connection, hdr: SMB2::Header, file_id: SMB2::GUID, delete_pending: bool) &priority=5 &group="records:smb"
	{
	if ( delete_pending )
		SMB2::use_file(c, file_id, SMB::FILE_DELETE, SMB::FILE_DELETE, SMB::FILE_DELETE);
	else
		SMB::set_current_file(c$smb_state, file_id$persistent + file_id$volatile);
	}

event smb2_close_request(c: connection, hdr: SMB2::Header, file_id: SMB2::GUID) &priority=5 &group="records:smb"
	{
	SMB2::use_file(c, file_id, SMB::FILE_CLOSE, SMB::PIPE_CLOSE, SMB::PRINT_CLOSE);
	}

event smb2_close_request(c: connection, hdr: SMB2::Header, file_id: SMB2::GUID) &priority=-5 &group="records:smb"
	{
	local state = c$smb_state;
	if ( state?$current_tree && state$current_tree?$path )
		state$current_file$path = state$current_tree$path;
	delete state$fid_map[file_id$persistent + file_id$volatile];
	}

event smb2_discarded_messages_state(c: connection, request: string) &priority=5 &group="records:smb"
	{
	if ( ! SMB::enable_clear_script_state || ! c?$smb_state )
		return;
	c$smb_state$pending_cmds = table();
	c$smb_state$fid_map = table();
	c$smb_state$tid_map = table();
	c$smb_state$pipe_map = table();
	}

event smb2_discarded_messages_state(c: connection, request: string) &priority=5 &group="asked:SMB::max_pending_messages"
	{
	Reporter::conn_weird("SMB_discarded_messages_state", c, request);
	}

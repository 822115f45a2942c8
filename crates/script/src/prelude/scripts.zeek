# Declarations of scripts, each behind a line with its path.

#@ base/files/extract/__load__
@load base/files/extract/main

#@ base/files/extract/main
@load base/frameworks/files
@load base/utils/paths
option FileExtract::default_limit: count = 104857600 &redef;
option FileExtract::default_limit_includes_missing: bool = T &redef;
const FileExtract::prefix: string = "./extract_files/" &redef;
global FileExtract::set_limit: function (f: fa_file, args: Files::AnalyzerArgs, n: count) : bool;
redef record Files::AnalyzerArgs += { extract_filename: string &optional; };
redef record Files::AnalyzerArgs += { extract_limit: count &default=FileExtract::default_limit; };
redef record Files::AnalyzerArgs += { extract_limit_includes_missing: bool &default=FileExtract::default_limit_includes_missing; };
redef record Files::Info += { extracted: string &optional &log; };
redef record Files::Info += { extracted_cutoff: bool &optional &log; };
redef record Files::Info += { extracted_size: count &optional &log; };

#@ base/files/hash/__load__
@load base/files/hash/main

#@ base/files/hash/main
@load base/frameworks/files
redef record Files::Info += { md5: string &log &optional; };
redef record Files::Info += { sha1: string &log &optional; };
redef record Files::Info += { sha256: string &log &optional; };

#@ base/files/pe/__load__
@load base/files/pe/consts
@load base/files/pe/main

#@ base/files/pe/consts
const PE::directories: table [count] of string = { [2] = "Resource Table", [14] = "CLR Runtime Header", [15] = "Reserved", [6] = "Debug", [8] = "Global Ptr", [9] = "TLS Table", [1] = "Import Table", [11] = "Bound Import", [7] = "Architecture", [5] = "Base Relocation Table", [10] = "Load Config Table", [4] = "Certificate Table", [13] = "Delay Import Descriptor", [12] = "IAT", [3] = "Exception Table", [0] = "Export Table" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;
const PE::dll_characteristics: table [count] of string = { [512] = "NO_ISOLATION", [8192] = "WDM_DRIVER", [32768] = "TERMINAL_SERVER_AWARE", [64] = "DYNAMIC_BASE", [1024] = "NO_SEH", [2048] = "NO_BIND", [256] = "NX_COMPAT", [128] = "FORCE_INTEGRITY" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;
const PE::file_characteristics: table [count] of string = { [32768] = "BYTES_REVERSED_HI", [2] = "EXECUTABLE_IMAGE", [16384] = "UP_SYSTEM_ONLY", [16] = "AGGRESSIVE_WS_TRIM", [4] = "LINE_NUMS_STRIPPED", [256] = "32BIT_MACHINE", [4096] = "SYSTEM", [128] = "BYTES_REVERSED_LO", [32] = "LARGE_ADDRESS_AWARE", [512] = "DEBUG_STRIPPED", [8192] = "DLL", [8] = "LOCAL_SYMS_STRIPPED", [1024] = "REMOVABLE_RUN_FROM_SWAP", [2048] = "NET_RUN_FROM_SWAP", [1] = "RELOCS_STRIPPED" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;
const PE::machine_types: table [count] of string = { [332] = "I386", [448] = "ARM", [419] = "SH3DSP", [34404] = "AMD64", [1126] = "MIPSFPU16", [36929] = "M32R", [512] = "IA64", [424] = "SH5", [870] = "MIPSFPU", [496] = "POWERPC", [450] = "THUMB", [422] = "SH4", [3772] = "EBC", [467] = "AM33", [452] = "ARMNT", [614] = "MIPS16", [497] = "POWERPCFP", [358] = "R4000", [418] = "SH3", [0] = "UNKNOWN", [361] = "WCEMIPSV2", [43620] = "ARM64" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;
const PE::os_versions: table [count, count] of string = { [2, 11] = "Windows 2.11", [6, 2] = "Windows 8 or Server 2012", [5, 0] = "Windows 2000", [3, 51] = "Windows NT 3.51", [2, 0] = "Windows 2.0", [3, 11] = "Windows for Workgroups 3.11", [5, 1] = "Windows XP", [3, 0] = "Windows 3.0", [1, 0] = "Windows 1.0", [10, 0] = "Windows 10", [4, 90] = "Windows Me", [5, 2] = "Windows XP x64 or Server 2003", [6, 1] = "Windows 7 or Server 2008 R2", [3, 50] = "Windows NT 3.5", [4, 10] = "Windows 98", [2, 10] = "Windows 2.10", [1, 1] = "Windows 1.01", [1, 4] = "Windows 1.04", [6, 3] = "Windows 8.1 or Server 2012 R2", [6, 0] = "Windows Vista or Server 2008", [3, 10] = "Windows 3.1 or NT 3.1", [6, 4] = "Windows 10 Technical Preview", [3, 2] = "Windows 3.2", [1, 3] = "Windows 1.03", [4, 0] = "Windows 95 or NT 4.0" } &default=function(i: count, j: count): string { return fmt("unknown-%d.%d", i, j); } ;
const PE::section_characteristics: table [count] of string = { [1048576] = "ALIGN_1BYTES", [131072] = "MEM_16BIT", [64] = "CNT_INITIALIZED_DATA", [12582912] = "ALIGN_2048BYTES", [8] = "TYPE_NO_PAD", [7340032] = "ALIGN_64BYTES", [13631488] = "ALIGN_4096BYTES", [2147483648] = "MEM_WRITE", [536870912] = "MEM_EXECUTE", [128] = "CNT_UNINITIALIZED_DATA", [32] = "CNT_CODE", [14680064] = "ALIGN_8192BYTES", [6291456] = "ALIGN_32BYTES", [4194304] = "ALIGN_8BYTES", [67108864] = "MEM_NOT_CACHED", [5242880] = "ALIGN_16BYTES", [32768] = "GPREL", [9437184] = "ALIGN_256BYTES", [4096] = "LNK_COMDAT", [524288] = "MEM_PRELOAD", [16777216] = "LNK_NRELOC_OVFL", [33554432] = "MEM_DISCARDABLE", [512] = "LNK_INFO", [11534336] = "ALIGN_1024BYTES", [262144] = "MEM_LOCKED", [3145728] = "ALIGN_4BYTES", [256] = "LNK_OTHER", [268435456] = "MEM_SHARED", [1073741824] = "MEM_READ", [2048] = "LNK_REMOVE", [10485760] = "ALIGN_512BYTES", [8388608] = "ALIGN_128BYTES", [2097152] = "ALIGN_2BYTES", [134217728] = "MEM_NOT_PAGED" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;
const PE::section_descs: table [string] of string = { [".debug$P"] = "Precompiled debug types", [".drective"] = "Linker options", [".text"] = "Executable code", [".idata"] = "Import tables", [".sbss"] = "GP-relative uninitialized data", [".idlsym"] = "Includes registered SEH to support IDL attributes", [".edata"] = "Export tables", [".sdata"] = "GP-relative initialized data", [".rdata"] = "Read-only initialized data", [".pdata"] = "Exception information", [".debug$S"] = "Debug symbols", [".tls$"] = "Thread-local storage", [".reloc"] = "Image relocations", [".debug$F"] = "Generated FPO debug information", [".bss"] = "Uninitialized data", [".debug$T"] = "Debug types", [".cormeta"] = "CLR metadata that indicates that the object file contains managed code", [".tls"] = "Thread-local storage", [".sxdata"] = "Registered exception handler data", [".vsdata"] = "GP-relative initialized data", [".rsrc"] = "Resource directory", [".srdata"] = "GP-relative read-only data", [".data"] = "Initialized data", [".xdata"] = "Exception information" } &default=function(i: string): string { return fmt("unknown-%s", i); } ;
const PE::windows_subsystems: table [count] of string = { [2] = "WINDOWS_GUI", [11] = "EFI_BOOT_SERVICE_DRIVER", [7] = "POSIX_CUI", [10] = "EFI_APPLICATION", [14] = "XBOX", [13] = "EFI_ROM", [12] = "EFI_RUNTIME_DRIVER", [3] = "WINDOWS_CUI", [9] = "WINDOWS_CE_GUI", [0] = "UNKNOWN", [1] = "NATIVE" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;

#@ base/files/pe/main
@load base/files/pe/consts
redef enum Log::ID += { PE::LOG };
type PE::Info: record { ts: time &log; id: string &log; machine: string &log &optional; compile_ts: time &log &optional; os: string &log &optional; subsystem: string &log &optional; is_exe: bool &log &default=T; is_64bit: bool &log &default=T; uses_aslr: bool &log &default=F; uses_dep: bool &log &default=F; uses_code_integrity: bool &log &default=F; uses_seh: bool &log &default=T; has_import_table: bool &log &optional; has_export_table: bool &log &optional; has_cert_table: bool &log &optional; has_debug_data: bool &log &optional; section_names: vector of string &log &optional; };
global PE::log_pe: event (rec: PE::Info);
global PE::log_policy: Log::PolicyHook ;
global PE::set_file: hook (f: fa_file);
redef record fa_file += { pe: PE::Info &optional; };

#@ base/files/x509/__load__
@load base/files/x509/certificate-event-cache
@load base/files/x509/log-ocsp
@load base/files/x509/main

#@ base/files/x509/certificate-event-cache
@load base/files/x509/main
option X509::caching_required_encounters: count = 10 &redef;
option X509::caching_required_encounters_interval: interval = 1.0 min + 2.0 secs &redef;
option X509::certificate_cache_max_entries: count = 10000 &redef;
option X509::certificate_cache_minimum_eviction_interval: interval = 1.0 min + 2.0 secs &redef;
global X509::x509_certificate_cache_replay: hook (f: fa_file, e: X509::Info, sha256: string);

#@ base/files/x509/log-ocsp
redef enum Log::ID += { OCSP::LOG };
type OCSP::Info: record { ts: time &log; id: string &log; hashAlgorithm: string &log; issuerNameHash: string &log; issuerKeyHash: string &log; serialNumber: string &log; certStatus: string &log; revoketime: time &log &optional; revokereason: string &log &optional; thisUpdate: time &log; nextUpdate: time &log &optional; };
global OCSP::log_ocsp: event (rec: OCSP::Info);
global OCSP::log_policy: Log::PolicyHook ;

#@ base/files/x509/main
@load base/files/hash
@load base/frameworks/cluster
@load base/frameworks/files
redef enum Log::ID += { X509::LOG };
type X509::LogCertHash: record { fingerprint: string ; host_cert: bool ; client_cert: bool ; };
type X509::Info: record { ts: time &log; fingerprint: string &log; certificate: X509::Certificate &log; handle: opaque of x509 ; extensions: vector of X509::Extension &default=vector(); san: X509::SubjectAlternativeName &optional &log; basic_constraints: X509::BasicConstraints &optional &log; extensions_cache: vector of any &default=vector(); host_cert: bool &log &default=F; client_cert: bool &log &default=F; deduplication_index: X509::LogCertHash &optional; };
type X509::SctInfo: record { version: count ; logid: string ; timestamp: count ; hash_alg: count ; sig_alg: count ; signature: string ; };
option X509::known_log_certs_maximum_size: count = 1000000 &redef;
option X509::log_x509_in_files_log: bool = F &redef;
option X509::relog_known_certificates_after: interval = 1.0 day &redef;
const X509::default_max_field_container_elements: count = 500 &redef;
const X509::default_max_field_string_bytes: count = 4096 &redef;
const X509::default_max_total_container_elements: count = 1500 &redef;
const X509::known_log_certs_enable_node_up_publish: bool = T &redef;
const X509::known_log_certs_enable_publish: bool = T &redef;
global X509::known_log_certs: set [X509::LogCertHash] ;
const X509::known_log_certs_use_broker: bool = T ;
global X509::log_x509: event (rec: X509::Info);
global X509::create_deduplication_index: hook (c: X509::Info);
global X509::log_policy: Log::PolicyHook ;
global X509::hash_function: function (cert: string) : string;
redef record Files::Info += { x509: X509::Info &optional; };

#@ base/files/zip/__load__
@load base/files/zip/main
@load base/files/zip/types

#@ base/files/zip/main
type ZIP::File: record { global_: bool ; fid: string &optional; filename: string ; time_: time ; comment: string ; compression: ZIP::CompressionMethod ; encrypted: bool ; };

#@ base/files/zip/types
type ZIP::CompressionMethod: enum { ZIP::Uncompressed, ZIP::Deflate };

#@ base/frameworks/analyzer/__load__
@load base/frameworks/analyzer/dpd
@load base/frameworks/analyzer/logging
@load base/frameworks/analyzer/main

#@ base/frameworks/analyzer/dpd
@load base/frameworks/analyzer/main
option DPD::ignore_violations: set [Analyzer::Tag] &redef;
option DPD::ignore_violations_after: count = 10240 &redef;
option DPD::track_removed_services_in_connection: bool = F &redef;
redef record connection += { failed_analyzers: set [string] &default=set(); };

#@ base/frameworks/analyzer/logging
@load base/frameworks/analyzer/main
@load base/frameworks/logging
redef enum Log::ID += { Analyzer::Logging::LOG };

#@ base/frameworks/analyzer/main
@load base/frameworks/packet-filter/utils

#@ base/frameworks/broker/__load__
@load base/frameworks/broker/backpressure
@load base/frameworks/broker/log
@load base/frameworks/broker/main
@load base/frameworks/broker/store

#@ base/frameworks/broker/backpressure

#@ base/frameworks/broker/log
@load base/frameworks/broker/main
redef enum Log::ID += { Broker::LOG };

#@ base/frameworks/broker/main

#@ base/frameworks/broker/store
@load base/frameworks/broker/main

#@ base/frameworks/cluster/__load__
@load base/frameworks/cluster/main
@load base/frameworks/cluster/pools
@load base/frameworks/cluster/publish-on-change
@load base/frameworks/cluster/pubsub
@load base/frameworks/cluster/telemetry
@load base/frameworks/cluster/types

#@ base/frameworks/cluster/main
@load base/frameworks/broker
@load base/frameworks/cluster/types
@load base/frameworks/control
redef enum Log::ID += { Cluster::LOG };

#@ base/frameworks/cluster/nodes/logger
const archiver_log_metadata: table [string] of string &redef;
global archiver_encode_log_metadata: function (tbl: table [string] of string) : string;
global archiver_rotation_format_func: function (ri: Log::RotationFmtInfo) : Log::RotationPath;

#@ base/frameworks/cluster/pools
@load base/frameworks/cluster/main
@load base/utils/hash_hrw
type Cluster::PoolNode: record { name: string ; alias: string ; site_id: count ; alive: bool &default=F; topic: string ; };
type Cluster::PoolNodeTable: table [string] of Cluster::PoolNode;
type Cluster::PoolSpec: record { topic: string ; node_type: Cluster::NodeType ; max_nodes: count &optional; exclusive: bool &default=F; };
type Cluster::RoundRobinTable: table [string] of int;
type Cluster::Pool: record { spec: Cluster::PoolSpec &optional; nodes: Cluster::PoolNodeTable &default=table(); node_list: vector of Cluster::PoolNode &default=vector(); hrw_pool: HashHRW::Pool &default=HashHRW::Pool(); rr_key_seq: Cluster::RoundRobinTable &default=table(); alive_count: count &default=0; };
const Cluster::logger_pool_spec: Cluster::PoolSpec = [$topic="zeek.cluster.pool.logger", $node_type=Cluster::LOGGER] &redef;
const Cluster::proxy_pool_spec: Cluster::PoolSpec = [$topic="zeek.cluster.pool.proxy", $node_type=Cluster::PROXY] &redef;
const Cluster::worker_pool_spec: Cluster::PoolSpec = [$topic="zeek.cluster.pool.worker", $node_type=Cluster::WORKER] &redef;
global Cluster::logger_pool: Cluster::Pool = Cluster::Pool($spec=Cluster::logger_pool_spec);
global Cluster::proxy_pool: Cluster::Pool = Cluster::Pool($spec=Cluster::proxy_pool_spec);
global Cluster::worker_pool: Cluster::Pool = Cluster::Pool($spec=Cluster::worker_pool_spec);
global Cluster::hrw_topic: function (pool: Cluster::Pool, key: any) : string;
global Cluster::register_pool: function (spec: Cluster::PoolSpec) : Cluster::Pool;
global Cluster::rr_log_topic: function (id: Log::ID, path: string) : string;
global Cluster::rr_topic: function (pool: Cluster::Pool, key: string &default = "") : string;

#@ base/frameworks/cluster/publish-on-change
const Cluster::default_publish_table_batch_size: count = 10000 &redef;
global Cluster::publish_table: function (topic: string, table_val: any, batch_size: count &default = Cluster::default_publish_table_batch_size) : bool;

#@ base/frameworks/cluster/pubsub
@load base/frameworks/cluster/types

#@ base/frameworks/cluster/telemetry
type Cluster::Telemetry::Type: enum { Cluster::Telemetry::INFO, Cluster::Telemetry::VERBOSE, Cluster::Telemetry::DEBUG };
const Cluster::Telemetry::core_metrics: set [Cluster::Telemetry::Type] = { Cluster::Telemetry::INFO } &redef;
const Cluster::Telemetry::message_size_bounds: vector of double = vector(10.0, 50.0, 100.0, 500.0, 1000.0, 5000.0, 10000.0, 50000.0) &redef;
const Cluster::Telemetry::topic_normalizations: table [pattern] of string = { [/^?(^zeek\/cluster\/nodeid\/.*)$?/] = "zeek/cluster/nodeid/__normalized__" } &redef;
const Cluster::Telemetry::websocket_metrics: set [Cluster::Telemetry::Type] = { Cluster::Telemetry::INFO } &redef;

#@ base/frameworks/cluster/types
const Cluster::default_websocket_max_event_queue_size: count = 32 &redef;
const Cluster::default_websocket_ping_interval: interval = 5.0 secs &redef;
type Cluster::NetworkInfo: record { address: string ; bound_port: port ; };
type Cluster::EndpointInfo: record { id: string ; network: Cluster::NetworkInfo ; application_name: string &optional; };
type Cluster::Event: record { ev: any ; args: vector of any ; };
type Cluster::Node: record { node_type: Cluster::NodeType ; ip: addr ; zone_id: string &default=""; p: port &default=0/unknown; manager: string &optional; id: string &optional; metrics_port: port &optional; };
type Cluster::NamedNode: record { name: string ; node: Cluster::Node ; };
type Cluster::WebSocketTLSOptions: record { cert_file: string &optional; key_file: string &optional; enable_peer_verification: bool &default=F; ca_file: string &default=""; ciphers: string &default=""; };
type Cluster::WebSocketServerOptions: record { listen_addr: addr &optional; listen_port: port ; max_event_queue_size: count &default=Cluster::default_websocket_max_event_queue_size; ping_interval: interval &default=Cluster::default_websocket_ping_interval; tls_options: Cluster::WebSocketTLSOptions &optional &optional; };

#@ base/frameworks/config/__load__
@load base/frameworks/config/input
@load base/frameworks/config/main
@load base/frameworks/config/weird

#@ base/frameworks/config/input
@load base/frameworks/cluster
@load base/frameworks/config/main
const Config::config_files: set [string] &redef;
global Config::read_config: function (filename: string) : any;

#@ base/frameworks/config/main
@load base/frameworks/cluster
redef enum Log::ID += { Config::LOG };

#@ base/frameworks/config/weird
@load base/frameworks/config/main

#@ base/frameworks/control/__load__
@load base/frameworks/control/main

#@ base/frameworks/control/main
const Control::arg: string = "" &redef;
const Control::cmd: string = "" &redef;
const Control::commands: set [string] = { "peer_status", "id_value", "net_stats", "configuration_update", "shutdown" } &redef;
const Control::controllee_listen: bool = T &redef;
const Control::host: addr = 0.0.0.0 &redef;
const Control::host_port: port = 0/tcp &redef;
const Control::zone_id: string = "" &redef;
global Control::ignore_ids: set [string] ;
const Control::topic_prefix: string = "zeek/control" ;
global Control::configuration_update: event ();
global Control::configuration_update_request: event ();
global Control::configuration_update_response: event ();
global Control::id_value_request: event (id: string);
global Control::id_value_response: event (id: string, val: string);
global Control::net_stats_request: event ();
global Control::net_stats_response: event (s: string);
global Control::peer_status_request: event ();
global Control::peer_status_response: event (s: string);
global Control::shutdown_request: event ();
global Control::shutdown_response: event ();

#@ base/frameworks/files/__load__
@load base/frameworks/files/magic
@load base/frameworks/files/main

#@ base/frameworks/files/magic/__load__

#@ base/frameworks/files/main
@load base/frameworks/analyzer
@load base/frameworks/logging
@load base/utils/site
redef enum Log::ID += { Files::LOG };
redef record fa_file += { info: Files::Info &optional; };

#@ base/frameworks/input/__load__
@load base/frameworks/input/main
@load base/frameworks/input/readers/ascii
@load base/frameworks/input/readers/benchmark
@load base/frameworks/input/readers/binary
@load base/frameworks/input/readers/config
@load base/frameworks/input/readers/raw
@load base/frameworks/input/readers/sqlite

#@ base/frameworks/input/main

#@ base/frameworks/input/readers/ascii

#@ base/frameworks/input/readers/benchmark
const InputBenchmark::addfactor: count = 0 &redef;
const InputBenchmark::autospread: double = 0.0 &redef;
const InputBenchmark::factor: double = 1.0 &redef;
const InputBenchmark::spread: count = 0 &redef;
const InputBenchmark::stopspreadat: count = 0 &redef;
const InputBenchmark::timedspread: double = 0.0 &redef;

#@ base/frameworks/input/readers/binary
const InputBinary::chunk_size: count = 1024 &redef;
const InputBinary::path_prefix: string = "" &redef;

#@ base/frameworks/input/readers/config
const InputConfig::empty_field: string = "" &redef;
const InputConfig::fail_on_file_problem: bool = F &redef;
const InputConfig::set_separator: string = "," &redef;
global InputConfig::new_value: event (name: string, source: string, id: string, value: any);

#@ base/frameworks/input/readers/raw

#@ base/frameworks/input/readers/sqlite
const InputSQLite::empty_field: string = "(empty)" &redef;
const InputSQLite::set_separator: string = "," &redef;
const InputSQLite::unset_field: string = "-" &redef;

#@ base/frameworks/intel/__load__
@load base/frameworks/cluster
@load base/frameworks/intel/files
@load base/frameworks/intel/input
@load base/frameworks/intel/main

#@ base/frameworks/intel/files
@load base/frameworks/intel/main
redef enum Intel::Type += { Intel::FILE_HASH };
redef enum Intel::Type += { Intel::FILE_NAME };
redef record Intel::Info += { fuid: string &log &optional; };
redef record Intel::Info += { file_mime_type: string &log &optional; };
redef record Intel::Info += { file_desc: string &log &optional; };
redef record Intel::Seen += { f: fa_file &optional; };
redef record Intel::Seen += { fuid: string &optional; };

#@ base/frameworks/intel/input
@load base/frameworks/intel/main
const Intel::path_prefix: string = "" &redef;
const Intel::read_files: set [string] &redef;
global Intel::read_entry: event (desc: Input::EventDescription, tpe: Input::Event, item: Intel::Item);
global Intel::read_error: event (desc: Input::EventDescription, message: string, level: Reporter::Level);

#@ base/frameworks/intel/main
@load base/frameworks/notice
redef enum Log::ID += { Intel::LOG };
type Intel::Type: enum { Intel::ADDR, Intel::SUBNET, Intel::URL, Intel::SOFTWARE, Intel::EMAIL, Intel::DOMAIN, Intel::USER_NAME, Intel::CERT_HASH, Intel::PUBKEY_HASH };
type Intel::Where: enum { Intel::IN_ANYWHERE };
type Intel::Seen: record { indicator: string &log &optional; indicator_type: Intel::Type &log &optional; host: addr &optional; where: Intel::Where &log; node: string &optional &log; conn: connection &optional; uid: string &optional; };
type Intel::TypeSet: set [Intel::Type];
type Intel::Info: record { ts: time &log; uid: string &log &optional; id: conn_id &log &optional; seen: Intel::Seen &log; matched: Intel::TypeSet &log; sources: set [string] &log &default=set(); };
type Intel::MetaData: record { source: string ; desc: string &optional; url: string &optional; };
type Intel::Item: record { indicator: string ; indicator_type: Intel::Type ; meta: Intel::MetaData ; };
const Intel::item_expiration: interval = -1.0 min &redef;
global Intel::log_intel: event (rec: Intel::Info);
global Intel::match: event (s: Intel::Seen, items: set [Intel::Item]);
global Intel::extend_match: hook (info: Intel::Info, s: Intel::Seen, items: set [Intel::Item]);
global Intel::filter_item: hook (item: Intel::Item);
global Intel::indicator_inserted: hook (indicator: string, indiator_type: Intel::Type);
global Intel::indicator_removed: hook (indicator: string, indiator_type: Intel::Type);
global Intel::item_expired: hook (indicator: string, indicator_type: Intel::Type, metas: set [Intel::MetaData]);
global Intel::log_policy: Log::PolicyHook ;
global Intel::seen_policy: hook (s: Intel::Seen, found: bool);
global Intel::insert: function (item: Intel::Item) : any;
global Intel::remove: function (item: Intel::Item, purge_indicator: bool &default = F) : any;
global Intel::seen: function (s: Intel::Seen) : any;

#@ base/frameworks/logging/__load__
@load base/frameworks/logging/main
@load base/frameworks/logging/postprocessors
@load base/frameworks/logging/writers/ascii
@load base/frameworks/logging/writers/none
@load base/frameworks/logging/writers/sqlite

#@ base/frameworks/logging/main
redef record Log::Filter += { policy: Log::PolicyHook &optional; };

#@ base/frameworks/logging/postprocessors/__load__
@load base/frameworks/logging/postprocessors/scp
@load base/frameworks/logging/postprocessors/sftp

#@ base/frameworks/logging/postprocessors/scp
type Log::SCPDestination: record { user: string ; host: string ; path: string ; };
const Log::scp_rotation_date_format: string = "%Y-%m-%d-%H-%M-%S" &redef;
global Log::scp_destinations: table [Log::Writer, string] of set [Log::SCPDestination] ;
global Log::scp_postprocessor: function (info: Log::RotationInfo) : bool;

#@ base/frameworks/logging/postprocessors/sftp
type Log::SFTPDestination: record { user: string ; host: string ; host_port: count &default=22; path: string ; };
const Log::sftp_rotation_date_format: string = "%Y-%m-%d-%H-%M-%S" &redef;
global Log::sftp_destinations: table [Log::Writer, string] of set [Log::SFTPDestination] ;
global Log::sftp_postprocessor: function (info: Log::RotationInfo) : bool;

#@ base/frameworks/logging/writers/ascii

#@ base/frameworks/logging/writers/none

#@ base/frameworks/logging/writers/sqlite
type LogSQLite::SQLiteJournalMode: enum { LogSQLite::SQLITE_JOURNAL_MODE_DEFAULT, LogSQLite::SQLITE_JOURNAL_MODE_DELETE, LogSQLite::SQLITE_JOURNAL_MODE_TRUNCATE, LogSQLite::SQLITE_JOURNAL_MODE_PERSIST, LogSQLite::SQLITE_JOURNAL_MODE_MEMORY, LogSQLite::SQLITE_JOURNAL_MODE_WAL, LogSQLite::SQLITE_JOURNAL_MODE_OFF };
type LogSQLite::SQLiteSynchronous: enum { LogSQLite::SQLITE_SYNCHRONOUS_DEFAULT, LogSQLite::SQLITE_SYNCHRONOUS_OFF, LogSQLite::SQLITE_SYNCHRONOUS_NORMAL, LogSQLite::SQLITE_SYNCHRONOUS_FULL, LogSQLite::SQLITE_SYNCHRONOUS_EXTRA };
const LogSQLite::empty_field: string = "(empty)" &redef;
const LogSQLite::journal_mode: LogSQLite::SQLiteJournalMode = LogSQLite::SQLITE_JOURNAL_MODE_DEFAULT &redef;
const LogSQLite::set_separator: string = "," &redef;
const LogSQLite::synchronous: LogSQLite::SQLiteSynchronous = LogSQLite::SQLITE_SYNCHRONOUS_DEFAULT &redef;
const LogSQLite::unset_field: string = "-" &redef;

#@ base/frameworks/netcontrol/__load__
@load base/frameworks/cluster
@load base/frameworks/netcontrol/drop
@load base/frameworks/netcontrol/main
@load base/frameworks/netcontrol/non-cluster
@load base/frameworks/netcontrol/plugins
@load base/frameworks/netcontrol/shunt
@load base/frameworks/netcontrol/types

#@ base/frameworks/netcontrol/drop
@load base/frameworks/netcontrol/main
redef enum Log::ID += { NetControl::DROP_LOG };
type NetControl::DropInfo: record { ts: time &log; rule_id: string &log; orig_h: addr &log; orig_p: port &log &optional; resp_h: addr &log &optional; resp_p: port &log &optional; expire: interval &log; location: string &log &optional; };
global NetControl::log_netcontrol_drop: event (rec: NetControl::DropInfo);
global NetControl::drop_rule_policy: hook (r: NetControl::Rule);
global NetControl::log_policy_drop: Log::PolicyHook ;
global NetControl::drop_address: function (a: addr, t: interval, location: string &default = "") : string;
global NetControl::drop_connection: function (c: conn_id, t: interval, location: string &default = "") : string;

#@ base/frameworks/netcontrol/main
@load base/frameworks/netcontrol/plugin
@load base/frameworks/netcontrol/types
redef enum Log::ID += { NetControl::LOG };
type NetControl::InfoCategory: enum { NetControl::MESSAGE, NetControl::ERROR, NetControl::RULE };
type NetControl::InfoState: enum { NetControl::REQUESTED, NetControl::SUCCEEDED, NetControl::EXISTS, NetControl::FAILED, NetControl::REMOVED, NetControl::TIMEOUT };
type NetControl::Info: record { ts: time &log; rule_id: string &log &optional; category: NetControl::InfoCategory &log &optional; cmd: string &log &optional; state: NetControl::InfoState &log &optional; action: string &log &optional; target: NetControl::TargetType &log &optional; entity_type: string &log &optional; entity: string &log &optional; mod: string &log &optional; msg: string &log &optional; priority: int &log &optional; expire: interval &log &optional; location: string &log &optional; plugin: string &log &optional; };
global NetControl::init: event ();
global NetControl::init_done: event ();
global NetControl::log_netcontrol: event (rec: NetControl::Info);
global NetControl::rule_added: event (r: NetControl::Rule, p: NetControl::PluginState, msg: string &default = "");
global NetControl::rule_destroyed: event (r: NetControl::Rule);
global NetControl::rule_error: event (r: NetControl::Rule, p: NetControl::PluginState, msg: string &default = "");
global NetControl::rule_exists: event (r: NetControl::Rule, p: NetControl::PluginState, msg: string &default = "");
global NetControl::rule_new: event (r: NetControl::Rule);
global NetControl::rule_removed: event (r: NetControl::Rule, p: NetControl::PluginState, msg: string &default = "");
global NetControl::rule_timeout: event (r: NetControl::Rule, i: NetControl::FlowInfo, p: NetControl::PluginState);
global NetControl::log_policy: Log::PolicyHook ;
global NetControl::rule_added_policy: hook (r: NetControl::Rule, p: NetControl::PluginState, exists: bool, msg: string);
global NetControl::rule_policy: hook (r: NetControl::Rule);
global NetControl::activate: function (p: NetControl::PluginState, priority: int) : any;
global NetControl::add_rule: function (r: NetControl::Rule) : string;
global NetControl::clear: function () : any;
global NetControl::delete_rule: function (id: string, reason: string &default = "") : bool;
global NetControl::find_rules_addr: function (ip: addr) : vector of NetControl::Rule;
global NetControl::find_rules_subnet: function (sn: subnet) : vector of NetControl::Rule;
global NetControl::plugin_activated: function (p: NetControl::PluginState) : any;
global NetControl::quarantine_host: function (infected: addr, dns: addr, quarantine: addr, t: interval, location: string &default = "") : vector of string;
global NetControl::redirect_flow: function (f: flow_id, out_port: count, t: interval, location: string &default = "") : string;
global NetControl::remove_rule: function (id: string, reason: string &default = "") : bool;
global NetControl::whitelist_address: function (a: addr, t: interval, location: string &default = "") : string;
global NetControl::whitelist_subnet: function (s: subnet, t: interval, location: string &default = "") : string;
redef record NetControl::Rule += { _plugin_ids: set [count] &default=set(); };
redef record NetControl::Rule += { _active_plugin_ids: set [count] &default=set(); };
redef record NetControl::Rule += { _no_expire_plugins: set [count] &default=set(); };
redef record NetControl::Rule += { _added: bool &default=F; };

#@ base/frameworks/netcontrol/non-cluster
@load base/frameworks/netcontrol/main

#@ base/frameworks/netcontrol/plugin
@load base/frameworks/netcontrol/types
type NetControl::PluginState: record { config: table [string] of string &default=table(); _id: count &optional; _priority: int &default=0; _activated: bool &default=F; };
type NetControl::Plugin: record { name: function (state: NetControl::PluginState) : string ; can_expire: bool ; init: function (state: NetControl::PluginState) : void &optional; done: function (state: NetControl::PluginState) : void &optional; add_rule: function (state: NetControl::PluginState, r: NetControl::Rule) : bool &optional; remove_rule: function (state: NetControl::PluginState, r: NetControl::Rule, reason: string) : bool &optional; };
redef record NetControl::PluginState += { plugin: NetControl::Plugin &optional; };

#@ base/frameworks/netcontrol/plugins/__load__
@load base/frameworks/netcontrol/plugins/acld
@load base/frameworks/netcontrol/plugins/broker
@load base/frameworks/netcontrol/plugins/debug
@load base/frameworks/netcontrol/plugins/openflow
@load base/frameworks/netcontrol/plugins/packetfilter

#@ base/frameworks/netcontrol/plugins/acld
@load base/frameworks/broker
@load base/frameworks/netcontrol/main
@load base/frameworks/netcontrol/plugin
type NetControl::AclRule: record { command: string ; cookie: count ; arg: string ; comment: string &optional; };
type NetControl::AcldConfig: record { acld_topic: string ; acld_host: addr ; acld_port: port ; monitor: bool &default=F; forward: bool &default=T; check_pred: function (p: NetControl::PluginState, r: NetControl::Rule) : bool &optional; };
global NetControl::acld_add_rule: event (id: count, r: NetControl::Rule, ar: NetControl::AclRule);
global NetControl::acld_remove_rule: event (id: count, r: NetControl::Rule, ar: NetControl::AclRule);
global NetControl::acld_rule_added: event (id: count, r: NetControl::Rule, msg: string);
global NetControl::acld_rule_error: event (id: count, r: NetControl::Rule, msg: string);
global NetControl::acld_rule_exists: event (id: count, r: NetControl::Rule, msg: string);
global NetControl::acld_rule_removed: event (id: count, r: NetControl::Rule, msg: string);
global NetControl::acld_rule_policy: hook (p: NetControl::PluginState, r: NetControl::Rule, ar: NetControl::AclRule);
global NetControl::create_acld: function (config: NetControl::AcldConfig) : NetControl::PluginState;
redef record NetControl::PluginState += { acld_config: NetControl::AcldConfig &optional; };
redef record NetControl::PluginState += { acld_id: count &optional; };

#@ base/frameworks/netcontrol/plugins/broker
@load base/frameworks/broker
@load base/frameworks/netcontrol/main
@load base/frameworks/netcontrol/plugin
type NetControl::BrokerConfig: record { topic: string &optional; host: addr &optional; bport: port &optional; monitor: bool &default=T; forward: bool &default=T; check_pred: function (p: NetControl::PluginState, r: NetControl::Rule) : bool &optional; };
global NetControl::broker_add_rule: event (id: count, r: NetControl::Rule);
global NetControl::broker_remove_rule: event (id: count, r: NetControl::Rule, reason: string);
global NetControl::broker_rule_added: event (id: count, r: NetControl::Rule, msg: string);
global NetControl::broker_rule_error: event (id: count, r: NetControl::Rule, msg: string);
global NetControl::broker_rule_exists: event (id: count, r: NetControl::Rule, msg: string);
global NetControl::broker_rule_removed: event (id: count, r: NetControl::Rule, msg: string);
global NetControl::broker_rule_timeout: event (id: count, r: NetControl::Rule, i: NetControl::FlowInfo);
global NetControl::create_broker: function (config: NetControl::BrokerConfig, can_expire: bool) : NetControl::PluginState;
redef record NetControl::PluginState += { broker_config: NetControl::BrokerConfig &optional; };
redef record NetControl::PluginState += { broker_id: count &optional; };

#@ base/frameworks/netcontrol/plugins/debug
@load base/frameworks/netcontrol/main
@load base/frameworks/netcontrol/plugin
global NetControl::create_debug: function (do_something: bool, name: string &default = "") : NetControl::PluginState;
global NetControl::create_debug_error: function (name: string) : NetControl::PluginState;
global NetControl::create_debug_exists: function (name: string) : NetControl::PluginState;

#@ base/frameworks/netcontrol/plugins/openflow
@load base/frameworks/netcontrol/main
@load base/frameworks/netcontrol/plugin
@load base/frameworks/openflow
type NetControl::OfConfig: record { monitor: bool &default=T; forward: bool &default=T; idle_timeout: count &default=0; table_id: count &optional; priority_offset: int &default=0; check_pred: function (p: NetControl::PluginState, r: NetControl::Rule) : bool &optional; match_pred: function (p: NetControl::PluginState, e: NetControl::Entity, m: vector of OpenFlow::ofp_match) : vector of OpenFlow::ofp_match &optional; flow_mod_pred: function (p: NetControl::PluginState, r: NetControl::Rule, m: OpenFlow::ofp_flow_mod) : OpenFlow::ofp_flow_mod &optional; };
type NetControl::OfTable: record { p: NetControl::PluginState ; r: NetControl::Rule ; c: count &default=0; packet_count: count &default=0; byte_count: count &default=0; duration_sec: double &default=0.0; };
const NetControl::openflow_flow_timeout: interval = 1.0 day &redef;
const NetControl::openflow_message_timeout: interval = 20.0 secs &redef;
global NetControl::create_openflow: function (controller: OpenFlow::Controller, config: NetControl::OfConfig &default = []) : NetControl::PluginState;
redef record NetControl::PluginState += { of_controller: OpenFlow::Controller &optional; };
redef record NetControl::PluginState += { of_config: NetControl::OfConfig &optional; };

#@ base/frameworks/netcontrol/plugins/packetfilter
@load base/frameworks/netcontrol/plugin
global NetControl::create_packetfilter: function () : NetControl::PluginState;

#@ base/frameworks/netcontrol/shunt
@load base/frameworks/netcontrol/main
redef enum Log::ID += { NetControl::SHUNT };
type NetControl::ShuntInfo: record { ts: time &log; rule_id: string &log; f: flow_id &log; expire: interval &log; location: string &log &optional; };
global NetControl::log_netcontrol_shunt: event (rec: NetControl::ShuntInfo);
global NetControl::log_policy_shunt: Log::PolicyHook ;
global NetControl::shunt_flow: function (f: flow_id, t: interval, location: string &default = "") : string;

#@ base/frameworks/netcontrol/types
const NetControl::default_priority: int = +0 &redef;
type NetControl::EntityType: enum { NetControl::ADDRESS, NetControl::CONNECTION, NetControl::FLOW, NetControl::MAC };
type NetControl::Flow: record { src_h: subnet &optional; src_p: port &optional; dst_h: subnet &optional; dst_p: port &optional; src_m: string &optional; dst_m: string &optional; };
type NetControl::Entity: record { ty: NetControl::EntityType ; conn: conn_id &optional; flow: NetControl::Flow &optional; ip: subnet &optional; mac: string &optional; };
type NetControl::FlowInfo: record { duration: interval &optional; packet_count: count &optional; byte_count: count &optional; };
type NetControl::FlowMod: record { src_h: addr &optional; src_p: count &optional; dst_h: addr &optional; dst_p: count &optional; src_m: string &optional; dst_m: string &optional; redirect_port: count &optional; };
type NetControl::RuleType: enum { NetControl::DROP, NetControl::MODIFY, NetControl::REDIRECT, NetControl::WHITELIST };
type NetControl::TargetType: enum { NetControl::FORWARD, NetControl::MONITOR };
type NetControl::Rule: record { ty: NetControl::RuleType ; target: NetControl::TargetType ; entity: NetControl::Entity ; expire: interval &optional; priority: int &default=NetControl::default_priority; location: string &optional; out_port: count &optional; mod: NetControl::FlowMod &optional; id: string &default=""; cid: count &default=0; };
const NetControl::whitelist_priority: int = 5 &redef;

#@ base/frameworks/notice/__load__
@load base/frameworks/notice/actions/add-geodata
@load base/frameworks/notice/actions/email_admin
@load base/frameworks/notice/actions/page
@load base/frameworks/notice/actions/pp-alarms
@load base/frameworks/notice/main
@load base/frameworks/notice/weird

#@ base/frameworks/notice/actions/add-geodata
@load base/frameworks/notice
@load base/frameworks/notice/main
@load base/utils/site
redef enum Notice::Action += { Notice::ACTION_ADD_GEODATA };
option Notice::lookup_location_types: set [Notice::Type] &redef;
redef record Notice::Info += { remote_location: geo_location &log &optional; };

#@ base/frameworks/notice/actions/email_admin
@load base/frameworks/notice/main
@load base/utils/site
redef enum Notice::Action += { Notice::ACTION_EMAIL_ADMIN };

#@ base/frameworks/notice/actions/page
@load base/frameworks/notice/main
redef enum Notice::Action += { Notice::ACTION_PAGE };
option Notice::mail_page_dest: string = "" &redef;

#@ base/frameworks/notice/actions/pp-alarms
@load base/frameworks/cluster
@load base/frameworks/notice/main
const Notice::mail_dest_pretty_printed: string = "" &redef;
const Notice::pretty_print_alarms: bool = T &redef;
const Notice::flag_nets: set [subnet] &redef;
const Notice::force_email_summaries: bool = F &redef;
global Notice::pretty_print_alarm: function (out: file, n: Notice::Info) : any;

#@ base/frameworks/notice/main
@load base/frameworks/cluster
redef enum Log::ID += { Notice::ALARM_LOG };
redef enum Log::ID += { Notice::LOG };

#@ base/frameworks/notice/weird
@load base/frameworks/notice/main
@load base/utils/conn-ids
@load base/utils/site
redef enum Log::ID += { Weird::LOG };
redef enum Notice::Type += { Weird::Activity };

#@ base/frameworks/openflow/__load__
@load base/frameworks/cluster
@load base/frameworks/openflow/consts
@load base/frameworks/openflow/main
@load base/frameworks/openflow/non-cluster
@load base/frameworks/openflow/plugins
@load base/frameworks/openflow/types

#@ base/frameworks/openflow/consts
type OpenFlow::ofp_action_type: enum { OpenFlow::OFPAT_OUTPUT, OpenFlow::OFPAT_SET_VLAN_VID, OpenFlow::OFPAT_SET_VLAN_PCP, OpenFlow::OFPAT_STRIP_VLAN, OpenFlow::OFPAT_SET_DL_SRC, OpenFlow::OFPAT_SET_DL_DST, OpenFlow::OFPAT_SET_NW_SRC, OpenFlow::OFPAT_SET_NW_DST, OpenFlow::OFPAT_SET_NW_TOS, OpenFlow::OFPAT_SET_TP_SRC, OpenFlow::OFPAT_SET_TP_DST, OpenFlow::OFPAT_ENQUEUE, OpenFlow::OFPAT_VENDOR };
type OpenFlow::ofp_config_flags: enum { OpenFlow::OFPC_FRAG_NORMAL, OpenFlow::OFPC_FRAG_DROP, OpenFlow::OFPC_FRAG_REASM, OpenFlow::OFPC_FRAG_MASK };
type OpenFlow::ofp_flow_mod_command: enum { OpenFlow::OFPFC_ADD, OpenFlow::OFPFC_MODIFY, OpenFlow::OFPFC_MODIFY_STRICT, OpenFlow::OFPFC_DELETE, OpenFlow::OFPFC_DELETE_STRICT };
const OpenFlow::ETH_APPLETALK: count = 32923 ;
const OpenFlow::ETH_APPLETALK_ARP: count = 33011 ;
const OpenFlow::ETH_ARP: count = 2054 ;
const OpenFlow::ETH_EAP_OVER_LAN: count = 34958 ;
const OpenFlow::ETH_ETHER_FLOW_CONTROL: count = 34824 ;
const OpenFlow::ETH_IPX: count = 33080 ;
const OpenFlow::ETH_IPX_OLD: count = 33079 ;
const OpenFlow::ETH_IPv4: count = 2048 ;
const OpenFlow::ETH_IPv6: count = 34525 ;
const OpenFlow::ETH_JUMBO_FRAMES: count = 34928 ;
const OpenFlow::ETH_MAC_SECURITY: count = 35045 ;
const OpenFlow::ETH_MPLS_MULTICAST: count = 34888 ;
const OpenFlow::ETH_MPLS_UNICAST: count = 34887 ;
const OpenFlow::ETH_PPPOE_DISCOVERY: count = 34915 ;
const OpenFlow::ETH_PPPOE_SESSION: count = 34916 ;
const OpenFlow::ETH_PROVIDER_BRIDING: count = 34984 ;
const OpenFlow::ETH_QINQ: count = 37120 ;
const OpenFlow::ETH_RARP: count = 32821 ;
const OpenFlow::ETH_VLAN: count = 33024 ;
const OpenFlow::ETH_WOL: count = 2114 ;
const OpenFlow::INVALID_COOKIE: count = 9223372036854775807 ;
const OpenFlow::IP_CBT: count = 7 ;
const OpenFlow::IP_EGP: count = 8 ;
const OpenFlow::IP_ETHERIP: count = 97 ;
const OpenFlow::IP_FC: count = 133 ;
const OpenFlow::IP_GGP: count = 3 ;
const OpenFlow::IP_GRE: count = 47 ;
const OpenFlow::IP_HOPOPT: count = 0 ;
const OpenFlow::IP_ICMP: count = 1 ;
const OpenFlow::IP_IGMP: count = 2 ;
const OpenFlow::IP_IGP: count = 9 ;
const OpenFlow::IP_IPIP: count = 4 ;
const OpenFlow::IP_IPv6: count = 41 ;
const OpenFlow::IP_ISIS: count = 124 ;
const OpenFlow::IP_L2TP: count = 115 ;
const OpenFlow::IP_MPLS: count = 137 ;
const OpenFlow::IP_MTP: count = 92 ;
const OpenFlow::IP_OSPF: count = 89 ;
const OpenFlow::IP_RDP: count = 27 ;
const OpenFlow::IP_RSVP: count = 46 ;
const OpenFlow::IP_ST: count = 5 ;
const OpenFlow::IP_TCP: count = 6 ;
const OpenFlow::IP_UDP: count = 17 ;
const OpenFlow::OFPFF_CHECK_OVERLAP: count = 2 ;
const OpenFlow::OFPFF_EMERG: count = 4 ;
const OpenFlow::OFPFF_SEND_FLOW_REM: count = 1 ;
const OpenFlow::OFPP_ALL: count = 4294967292 ;
const OpenFlow::OFPP_ANY: count = 4294967295 ;
const OpenFlow::OFPP_CONTROLLER: count = 4294967293 ;
const OpenFlow::OFPP_FLOOD: count = 4294967291 ;
const OpenFlow::OFPP_IN_PORT: count = 4294967288 ;
const OpenFlow::OFPP_LOCAL: count = 4294967294 ;
const OpenFlow::OFPP_NORMAL: count = 4294967290 ;
const OpenFlow::OFPP_TABLE: count = 4294967289 ;
const OpenFlow::OFPTT_ALL: count = 255 ;
const OpenFlow::OFP_NO_BUFFER: count = 4294967295 ;

#@ base/frameworks/openflow/main
@load base/frameworks/openflow/consts
@load base/frameworks/openflow/types
global OpenFlow::controller_activated: event (name: string, controller: OpenFlow::Controller);
global OpenFlow::flow_mod: function (controller: OpenFlow::Controller, match: OpenFlow::ofp_match, flow_mod: OpenFlow::ofp_flow_mod) : bool;
global OpenFlow::flow_mod_failure: event (name: string, match: OpenFlow::ofp_match, flow_mod: OpenFlow::ofp_flow_mod, msg: string &default = "");
global OpenFlow::flow_mod_success: event (name: string, match: OpenFlow::ofp_match, flow_mod: OpenFlow::ofp_flow_mod, msg: string &default = "");
global OpenFlow::flow_removed: event (name: string, match: OpenFlow::ofp_match, cookie: count, priority: count, reason: count, duration_sec: count, idle_timeout: count, packet_count: count, byte_count: count);
global OpenFlow::controller_init_done: function (controller: OpenFlow::Controller) : any;
global OpenFlow::flow_clear: function (controller: OpenFlow::Controller) : bool;
global OpenFlow::generate_cookie: function (cookie: count &default = 0) : count;
global OpenFlow::get_cookie_gid: function (cookie: count) : count;
global OpenFlow::get_cookie_uid: function (cookie: count) : count;
global OpenFlow::lookup_controller: function (name: string) : vector of OpenFlow::Controller;
global OpenFlow::match_conn: function (id: conn_id, reverse: bool &default = F) : OpenFlow::ofp_match;
global OpenFlow::register_controller: function (tpe: OpenFlow::Plugin, name: string, controller: OpenFlow::Controller) : any;
global OpenFlow::unregister_controller: function (controller: OpenFlow::Controller) : any;

#@ base/frameworks/openflow/non-cluster
@load base/frameworks/openflow/main

#@ base/frameworks/openflow/plugins/__load__
@load base/frameworks/openflow/plugins/broker
@load base/frameworks/openflow/plugins/log
@load base/frameworks/openflow/plugins/ryu

#@ base/frameworks/openflow/plugins/broker
@load base/frameworks/broker
@load base/frameworks/openflow
redef enum OpenFlow::Plugin += { OpenFlow::BROKER };
global OpenFlow::broker_flow_clear: event (name: string, dpid: count);
global OpenFlow::broker_flow_mod: event (name: string, dpid: count, match: OpenFlow::ofp_match, flow_mod: OpenFlow::ofp_flow_mod);
global OpenFlow::broker_new: function (name: string, host: addr, host_port: port, topic: string, dpid: count) : OpenFlow::Controller;
redef record OpenFlow::ControllerState += { broker_host: addr &optional; };
redef record OpenFlow::ControllerState += { broker_port: port &optional; };
redef record OpenFlow::ControllerState += { broker_dpid: count &optional; };
redef record OpenFlow::ControllerState += { broker_topic: string &optional; };

#@ base/frameworks/openflow/plugins/log
@load base/frameworks/logging
@load base/frameworks/openflow
redef enum Log::ID += { OpenFlow::LOG };
redef enum OpenFlow::Plugin += { OpenFlow::OFLOG };
type OpenFlow::Info: record { ts: time &log; dpid: count &log; match: OpenFlow::ofp_match &log; flow_mod: OpenFlow::ofp_flow_mod &log; };
global OpenFlow::log_openflow: event (rec: OpenFlow::Info);
global OpenFlow::log_policy: Log::PolicyHook ;
global OpenFlow::log_new: function (dpid: count, success_event: bool &default = T) : OpenFlow::Controller;
redef record OpenFlow::ControllerState += { log_dpid: count &optional; };
redef record OpenFlow::ControllerState += { log_success_event: bool &optional; };

#@ base/frameworks/openflow/plugins/ryu
@load base/frameworks/openflow
@load base/utils/active-http
@load base/utils/exec
redef enum OpenFlow::Plugin += { OpenFlow::RYU };
global OpenFlow::ryu_new: function (host: addr, host_port: count, dpid: count) : OpenFlow::Controller;
redef record OpenFlow::ControllerState += { ryu_host: addr &optional; };
redef record OpenFlow::ControllerState += { ryu_port: count &optional; };
redef record OpenFlow::ControllerState += { ryu_dpid: count &optional; };
redef record OpenFlow::ControllerState += { ryu_debug: bool &default=F; };

#@ base/frameworks/openflow/types
@load base/frameworks/openflow/consts
type OpenFlow::Plugin: enum { OpenFlow::INVALID };
type OpenFlow::ControllerState: record { _plugin: OpenFlow::Plugin &optional; _name: string &optional; _activated: bool &default=F; };
type OpenFlow::ofp_flow_action: record { out_ports: vector of count &default=vector() &log; vlan_vid: count &optional &log; vlan_pcp: count &optional &log; vlan_strip: bool &default=F &log; dl_src: string &optional &log; dl_dst: string &optional &log; nw_tos: count &optional &log; nw_src: addr &optional &log; nw_dst: addr &optional &log; tp_src: count &optional &log; tp_dst: count &optional &log; };
type OpenFlow::ofp_flow_mod: record { cookie: count &log; table_id: count &optional &log; command: OpenFlow::ofp_flow_mod_command &log; idle_timeout: count &default=0 &log; hard_timeout: count &default=0 &log; priority: count &default=0 &log; out_port: count &optional &log; out_group: count &optional &log; flags: count &default=0 &log; actions: OpenFlow::ofp_flow_action &optional &optional &log; };
type OpenFlow::ofp_match: record { in_port: count &optional &log; dl_src: string &optional &log; dl_dst: string &optional &log; dl_vlan: count &optional &log; dl_vlan_pcp: count &optional &log; dl_type: count &optional &log; nw_tos: count &optional &log; nw_proto: count &optional &log; nw_src: subnet &optional &log; nw_dst: subnet &optional &log; tp_src: count &optional &log; tp_dst: count &optional &log; };
type OpenFlow::Controller: record { state: OpenFlow::ControllerState ; supports_flow_removed: bool ; describe: function (state: OpenFlow::ControllerState) : string ; init: function (state: OpenFlow::ControllerState) : void &optional; destroy: function (state: OpenFlow::ControllerState) : void &optional; flow_mod: function (state: OpenFlow::ControllerState, match: OpenFlow::ofp_match, flow_mod: OpenFlow::ofp_flow_mod) : bool &optional; flow_clear: function (state: OpenFlow::ControllerState) : bool &optional; };

#@ base/frameworks/packet-filter/__load__
@load base/frameworks/cluster
@load base/frameworks/packet-filter/main
@load base/frameworks/packet-filter/netstats
@load base/frameworks/packet-filter/utils

#@ base/frameworks/packet-filter/main
@load base/frameworks/analyzer
@load base/frameworks/notice
@load base/frameworks/packet-filter/utils
redef enum Log::ID += { PacketFilter::LOG };
redef enum Notice::Type += { PacketFilter::Compile_Failure };
redef enum Notice::Type += { PacketFilter::Install_Failure };
redef enum Notice::Type += { PacketFilter::Too_Long_To_Compile_Filter };
redef enum PcapFilterID += { PacketFilter::DefaultPcapFilter };
redef enum PcapFilterID += { PacketFilter::FilterTester };
type PacketFilter::FilterPlugin: record { func: function () : void ; };
type PacketFilter::Info: record { ts: time &log; node: string &log &optional; filter: string &log; init: bool &log &default=F; success: bool &log &default=T; failure_reason: string &log &optional; };
const PacketFilter::default_capture_filter: string = "ip or not ip" &redef;
const PacketFilter::enable_auto_protocol_capture_filters: bool = F &redef;
const PacketFilter::max_filter_compile_time: interval = 100.0 msecs &redef;
const PacketFilter::restricted_filter: string = "" &redef;
const PacketFilter::unrestricted_filter: string = "" &redef;
const PacketFilter::current_filter: string = "<not set yet>" ;
global PacketFilter::log_policy: Log::PolicyHook ;
global PacketFilter::exclude: function (filter_id: string, filter: string) : bool;
global PacketFilter::exclude_for: function (filter_id: string, filter: string, span: interval) : bool;
global PacketFilter::install: function () : bool;
global PacketFilter::register_filter_plugin: function (fp: PacketFilter::FilterPlugin) : any;
global PacketFilter::remove_exclude: function (filter_id: string) : bool;

#@ base/frameworks/packet-filter/netstats
@load base/frameworks/notice
redef enum Notice::Type += { PacketFilter::Dropped_Packets };
const PacketFilter::stats_collection_interval: interval = 5.0 mins ;

#@ base/frameworks/packet-filter/utils
global PacketFilter::combine_filters: function (lfilter: string, op: string, rfilter: string) : string;
global PacketFilter::port_to_bpf: function (p: port) : string;
global PacketFilter::sampling_filter: function (num_parts: count, this_part: count) : string;

#@ base/frameworks/reporter/__load__
@load base/frameworks/reporter/main

#@ base/frameworks/reporter/main
redef enum Log::ID += { Reporter::LOG };

#@ base/frameworks/signatures/__load__
@load base/frameworks/signatures/main

#@ base/frameworks/signatures/main
@load base/frameworks/notice
redef enum Log::ID += { Signatures::LOG };
redef enum Notice::Type += { Signatures::Count_Signature };
redef enum Notice::Type += { Signatures::Multiple_Sig_Responders };
redef enum Notice::Type += { Signatures::Multiple_Signatures };
redef enum Notice::Type += { Signatures::Sensitive_Signature };
redef enum Notice::Type += { Signatures::Signature_Summary };
type Signatures::Action: enum { Signatures::SIG_IGNORE, Signatures::SIG_QUIET, Signatures::SIG_LOG, Signatures::SIG_FILE_BUT_NO_SCAN, Signatures::SIG_ALARM, Signatures::SIG_ALARM_PER_ORIG, Signatures::SIG_ALARM_ONCE, Signatures::SIG_COUNT_PER_RESP, Signatures::SIG_SUMMARY };
type Signatures::Info: record { ts: time &log; uid: string &log &optional; src_addr: addr &log &optional; src_port: port &log &optional; dst_addr: addr &log &optional; dst_port: port &log &optional; note: Notice::Type &log; sig_id: string &log &optional; event_msg: string &log &optional; sub_msg: string &log &optional; sig_count: count &log &optional; host_count: count &log &optional; };
option Signatures::ignored_ids: pattern = /^?(NO_DEFAULT_MATCHES)$?/ &redef;
option Signatures::summary_interval: interval = 1.0 day &redef;
const Signatures::count_thresholds: set [count] = { 1000, 10000, 500, 5, 10, 100, 50, 1000000 } &redef;
const Signatures::horiz_scan_thresholds: set [count] = { 1000, 500, 5, 10, 100, 50 } &redef;
const Signatures::vert_scan_thresholds: set [count] = { 1000, 500, 5, 10, 100, 50 } &redef;
const Signatures::actions: table [string] of Signatures::Action = { ["unspecified"] = Signatures::SIG_IGNORE } &redef &default=Signatures::SIG_ALARM;
global Signatures::log_signature: event (rec: Signatures::Info);
global Signatures::log_policy: Log::PolicyHook ;

#@ base/frameworks/software/__load__
@load base/frameworks/software/main

#@ base/frameworks/software/main
@load base/frameworks/cluster
@load base/utils/directions-and-hosts
@load base/utils/numbers
redef enum Log::ID += { Software::LOG };
type Software::Type: enum { Software::UNKNOWN };
type Software::Version: record { major: count &optional &log; minor: count &optional &log; minor2: count &optional &log; minor3: count &optional &log; addl: string &optional &log; };
type Software::Info: record { ts: time &log &optional; host: addr &log; host_p: port &log &optional; software_type: Software::Type &log &default=Software::UNKNOWN; name: string &log &optional; version: Software::Version &log &optional; unparsed_version: string &log &optional; force_log: bool &default=F; };
type Software::Set: record { versions: set [string] ; last: Software::Info &optional; };
type Software::SoftwareSet: table [string] of Software::Info;
type Software::SoftwareSets: table [string] of Software::Set;
option Software::asset_tracking: Host = LOCAL_HOSTS &redef;
const Software::found_cache_interval: interval = 10.0 mins &redef;
const Software::max_software_cache_size: count = 20 &redef;
const Software::parse_cache_interval: interval = 1.0 min + 5.0 secs &redef;
const Software::alternate_names: table [string] of string = { ["Flash Player"] = "Flash" } &default=function(i: string): string { return i; } ;
global Software::tracked: table [addr] of Software::SoftwareSet ;
global Software::tracked_software: table [addr] of Software::SoftwareSets ;
global Software::log_software: event (rec: Software::Info);
global Software::register: event (info: Software::Info);
global Software::version_change: event (old: Software::Info, new: Software::Info);
global Software::log_policy: Log::PolicyHook ;
global Software::cmp_versions: function (v1: Software::Version, v2: Software::Version) : int;
global Software::found: function (id: conn_id, info: Software::Info) : bool;

#@ base/frameworks/spicy/__load__
@load base/frameworks/spicy/main

#@ base/frameworks/spicy/init-bare
type Spicy::ResourceUsage: record { user_time: interval ; system_time: interval ; memory_heap: count ; num_fibers: count ; max_fibers: count ; max_fiber_stack_size: count ; cached_fibers: count ; };
const Spicy::abort_on_exceptions: bool = F &redef;
const Spicy::enable_print: bool = F &redef;
const Spicy::enable_profiling: bool = F &redef;
const Spicy::max_file_depth: count = 5 &redef;
const Spicy::show_backtraces: bool = F &redef;
const Spicy::available: bool = T ;

#@ base/frameworks/spicy/init-framework
global Spicy::disable_file_analyzer: function (tag: Files::Tag) : bool;
global Spicy::disable_protocol_analyzer: function (tag: Analyzer::Tag) : bool;
global Spicy::enable_file_analyzer: function (tag: Files::Tag) : bool;
global Spicy::enable_protocol_analyzer: function (tag: Analyzer::Tag) : bool;
global Spicy::resource_usage: function () : Spicy::ResourceUsage;

#@ base/frameworks/spicy/main
@load base/frameworks/notice
redef enum Notice::Type += { Spicy::Spicy_Max_File_Depth_Exceeded };

#@ base/frameworks/storage/__load__
@load base/frameworks/storage/async
@load base/frameworks/storage/main
@load base/frameworks/storage/sync

#@ base/frameworks/storage/async
@load base/frameworks/storage/main
global Storage::Async::close_backend: function (backend: opaque of Storage::BackendHandle) : Storage::OperationResult;
global Storage::Async::erase: function (backend: opaque of Storage::BackendHandle, key: any) : Storage::OperationResult;
global Storage::Async::get: function (backend: opaque of Storage::BackendHandle, key: any) : Storage::OperationResult;
global Storage::Async::open_backend: function (btype: Storage::Backend, options: Storage::BackendOptions, key_type: any, val_type: any) : Storage::OperationResult;
global Storage::Async::put: function (backend: opaque of Storage::BackendHandle, args: Storage::PutArgs) : Storage::OperationResult;

#@ base/frameworks/storage/main
const Storage::default_forced_sync: bool = F &redef;
type Storage::Serializer: enum { Storage::STORAGE_SERIALIZER_JSON };
type Storage::BackendOptions: record { serializer: Storage::Serializer &default=Storage::STORAGE_SERIALIZER_JSON; forced_sync: bool &default=Storage::default_forced_sync; };
type Storage::PutArgs: record { key: any ; value: any ; overwrite: bool &default=T; expire_time: interval &default=0 secs; };
type Storage::Backend: enum { Storage::STORAGE_BACKEND_REDIS, Storage::STORAGE_BACKEND_SQLITE };
const Storage::latency_metric_bounds: vector of double = vector(0.001, 0.01, 0.1, 1.0) &redef;

#@ base/frameworks/storage/sync
@load base/frameworks/storage/main
global Storage::Sync::close_backend: function (backend: opaque of Storage::BackendHandle) : Storage::OperationResult;
global Storage::Sync::erase: function (backend: opaque of Storage::BackendHandle, key: any) : Storage::OperationResult;
global Storage::Sync::get: function (backend: opaque of Storage::BackendHandle, key: any) : Storage::OperationResult;
global Storage::Sync::open_backend: function (btype: Storage::Backend, options: Storage::BackendOptions, key_type: any, val_type: any) : Storage::OperationResult;
global Storage::Sync::put: function (backend: opaque of Storage::BackendHandle, args: Storage::PutArgs) : Storage::OperationResult;

#@ base/frameworks/sumstats/__load__
@load base/frameworks/cluster
@load base/frameworks/sumstats/main
@load base/frameworks/sumstats/non-cluster
@load base/frameworks/sumstats/plugins

#@ base/frameworks/sumstats/main
type SumStats::Calculation: enum { SumStats::PLACEHOLDER };
type SumStats::Key: record { str: string &optional; host: addr &optional; };
type SumStats::Observation: record { num: count &optional; dbl: double &optional; str: string &optional; };
type SumStats::Reducer: record { stream: string ; apply: set [SumStats::Calculation] ; pred: function (key: SumStats::Key, obs: SumStats::Observation) : bool &optional; normalize_key: function (key: SumStats::Key) : SumStats::Key &optional; };
type SumStats::ResultVal: record { begin: time ; end: time ; num: count &default=0; };
type SumStats::Result: table [string] of SumStats::ResultVal;
type SumStats::ResultTable: table [SumStats::Key] of SumStats::Result;
type SumStats::SumStat: record { name: string ; epoch: interval ; reducers: set [SumStats::Reducer] ; threshold_val: function (key: SumStats::Key, result: SumStats::Result) : double &optional; threshold: double &optional; threshold_series: vector of double &optional; threshold_crossed: function (key: SumStats::Key, result: SumStats::Result) : void &optional; epoch_result: function (ts: time, key: SumStats::Key, result: SumStats::Result) : void &optional; epoch_finished: function (ts: time) : void &optional; };
global SumStats::create: function (ss: SumStats::SumStat) : any;
global SumStats::key2str: function (key: SumStats::Key) : string;
global SumStats::next_epoch: function (ss_name: string) : bool;
global SumStats::observe: function (id: string, orig_key: SumStats::Key, obs: SumStats::Observation) : any;
global SumStats::request_key: function (ss_name: string, key: SumStats::Key) : SumStats::Result;
redef record SumStats::Reducer += { ssname: string &optional; };
redef record SumStats::Reducer += { calc_funcs: vector of SumStats::Calculation &optional; };

#@ base/frameworks/sumstats/non-cluster
@load base/frameworks/sumstats/main

#@ base/frameworks/sumstats/plugins/__load__
@load base/frameworks/sumstats/plugins/average
@load base/frameworks/sumstats/plugins/hll_unique
@load base/frameworks/sumstats/plugins/last
@load base/frameworks/sumstats/plugins/max
@load base/frameworks/sumstats/plugins/min
@load base/frameworks/sumstats/plugins/sample
@load base/frameworks/sumstats/plugins/std-dev
@load base/frameworks/sumstats/plugins/sum
@load base/frameworks/sumstats/plugins/topk
@load base/frameworks/sumstats/plugins/unique
@load base/frameworks/sumstats/plugins/variance

#@ base/frameworks/sumstats/plugins/average
@load base/frameworks/sumstats/main
redef enum SumStats::Calculation += { SumStats::AVERAGE };
redef record SumStats::ResultVal += { average: double &optional; };

#@ base/frameworks/sumstats/plugins/hll_unique
@load base/frameworks/sumstats
redef enum SumStats::Calculation += { SumStats::HLL_UNIQUE };
redef record SumStats::Reducer += { hll_error_margin: double &default=0.01; };
redef record SumStats::Reducer += { hll_confidence: double &default=0.95; };
redef record SumStats::ResultVal += { hll_unique: count &default=0; };
redef record SumStats::ResultVal += { card: opaque of cardinality &optional; };
redef record SumStats::ResultVal += { hll_error_margin: double &optional; };
redef record SumStats::ResultVal += { hll_confidence: double &optional; };

#@ base/frameworks/sumstats/plugins/last
@load base/frameworks/sumstats
@load base/utils/queue
redef enum SumStats::Calculation += { SumStats::LAST };
global SumStats::get_last: function (rv: SumStats::ResultVal) : vector of SumStats::Observation;
redef record SumStats::Reducer += { num_last_elements: count &default=0; };
redef record SumStats::ResultVal += { last_elements: Queue::Queue &optional; };

#@ base/frameworks/sumstats/plugins/max
@load base/frameworks/sumstats/main
redef enum SumStats::Calculation += { SumStats::MAX };
redef record SumStats::ResultVal += { max: double &optional; };

#@ base/frameworks/sumstats/plugins/min
@load base/frameworks/sumstats/main
redef enum SumStats::Calculation += { SumStats::MIN };
redef record SumStats::ResultVal += { min: double &optional; };

#@ base/frameworks/sumstats/plugins/sample
@load base/frameworks/sumstats/main
redef enum SumStats::Calculation += { SumStats::SAMPLE };
redef record SumStats::Reducer += { num_samples: count &default=0; };
redef record SumStats::ResultVal += { samples: vector of SumStats::Observation &default=vector(); };
redef record SumStats::ResultVal += { sample_elements: count &default=0; };
redef record SumStats::ResultVal += { num_samples: count &default=0; };

#@ base/frameworks/sumstats/plugins/std-dev
@load base/frameworks/sumstats/main
@load base/frameworks/sumstats/plugins/variance
redef enum SumStats::Calculation += { SumStats::STD_DEV };
redef record SumStats::ResultVal += { std_dev: double &default=0.0; };

#@ base/frameworks/sumstats/plugins/sum
@load base/frameworks/sumstats/main
redef enum SumStats::Calculation += { SumStats::SUM };
redef record SumStats::ResultVal += { sum: double &default=0.0; };

#@ base/frameworks/sumstats/plugins/topk
@load base/frameworks/sumstats
redef enum SumStats::Calculation += { SumStats::TOPK };
redef record SumStats::Reducer += { topk_size: count &default=500; };
redef record SumStats::ResultVal += { topk: opaque of topk &optional; };

#@ base/frameworks/sumstats/plugins/unique
@load base/frameworks/sumstats/main
redef enum SumStats::Calculation += { SumStats::UNIQUE };
redef record SumStats::Reducer += { unique_max: count &optional; };
redef record SumStats::ResultVal += { unique: count &default=0; };
redef record SumStats::ResultVal += { unique_max: count &optional; };
redef record SumStats::ResultVal += { unique_vals: set [SumStats::Observation] &optional; };

#@ base/frameworks/sumstats/plugins/variance
@load base/frameworks/sumstats/main
@load base/frameworks/sumstats/plugins/average
redef enum SumStats::Calculation += { SumStats::VARIANCE };
redef record SumStats::ResultVal += { variance: double &optional; };
redef record SumStats::ResultVal += { prev_avg: double &optional; };
redef record SumStats::ResultVal += { var_s: double &default=0.0; };

#@ base/frameworks/supervisor/__load__
@load base/frameworks/supervisor/api
@load base/frameworks/supervisor/control
@load base/frameworks/supervisor/main

#@ base/frameworks/supervisor/api

#@ base/frameworks/supervisor/control
@load base/frameworks/broker
@load base/frameworks/supervisor/api
const SupervisorControl::enable_listen: bool = F &redef;
const SupervisorControl::topic_prefix: string = "zeek/supervisor" &redef;
global SupervisorControl::create_request: event (reqid: string, node: Supervisor::NodeConfig);
global SupervisorControl::create_response: event (reqid: string, result: string);
global SupervisorControl::destroy_request: event (reqid: string, node: string);
global SupervisorControl::destroy_response: event (reqid: string, result: bool);
global SupervisorControl::node_status: event (node: string, pid: count);
global SupervisorControl::restart_request: event (reqid: string, node: string);
global SupervisorControl::restart_response: event (reqid: string, result: bool);
global SupervisorControl::status_request: event (reqid: string, node: string);
global SupervisorControl::status_response: event (reqid: string, result: Supervisor::Status);
global SupervisorControl::stop_request: event ();

#@ base/frameworks/supervisor/main
@load base/frameworks/cluster/pubsub
@load base/frameworks/supervisor/api
@load base/frameworks/supervisor/control

#@ base/frameworks/telemetry/__load__
@load base/frameworks/telemetry/main

#@ base/frameworks/telemetry/main
@load base/frameworks/telemetry/options
@load base/misc/version
type Telemetry::Counter: record { __metric: opaque of counter_metric ; };
type Telemetry::CounterFamily: record { __family: opaque of counter_metric_family ; __labels: vector of string ; };
type Telemetry::Gauge: record { __metric: opaque of gauge_metric ; };
type Telemetry::GaugeFamily: record { __family: opaque of gauge_metric_family ; __labels: vector of string ; };
type Telemetry::Histogram: record { __metric: opaque of histogram_metric ; };
type Telemetry::HistogramFamily: record { __family: opaque of histogram_metric_family ; __labels: vector of string ; };
type Telemetry::labels_vector: vector of string;
global Telemetry::collect_histogram_metrics: function (prefix: string &default = "*", name: string &default = "*") : vector of Telemetry::HistogramMetric;
global Telemetry::collect_metrics: function (prefix: string &default = "*", name: string &default = "*") : vector of Telemetry::Metric;
global Telemetry::counter_family_inc: function (cf: Telemetry::CounterFamily, label_values: Telemetry::labels_vector &default = [], amount: double &default = 1.0) : bool;
global Telemetry::counter_family_set: function (cf: Telemetry::CounterFamily, label_values: Telemetry::labels_vector, value: double) : bool;
global Telemetry::counter_inc: function (c: Telemetry::Counter, amount: double &default = 1.0) : bool;
global Telemetry::counter_set: function (c: Telemetry::Counter, value: double) : bool;
global Telemetry::counter_with: function (cf: Telemetry::CounterFamily, label_values: Telemetry::labels_vector &default = []) : Telemetry::Counter;
global Telemetry::gauge_dec: function (g: Telemetry::Gauge, amount: double &default = 1.0) : bool;
global Telemetry::gauge_family_dec: function (gf: Telemetry::GaugeFamily, label_values: Telemetry::labels_vector &default = [], value: double &default = 1.0) : bool;
global Telemetry::gauge_family_inc: function (gf: Telemetry::GaugeFamily, label_values: Telemetry::labels_vector &default = [], value: double &default = 1.0) : bool;
global Telemetry::gauge_family_set: function (gf: Telemetry::GaugeFamily, label_values: Telemetry::labels_vector, value: double) : bool;
global Telemetry::gauge_inc: function (g: Telemetry::Gauge, amount: double &default = 1.0) : bool;
global Telemetry::gauge_set: function (g: Telemetry::Gauge, value: double) : bool;
global Telemetry::gauge_with: function (gf: Telemetry::GaugeFamily, label_values: Telemetry::labels_vector &default = []) : Telemetry::Gauge;
global Telemetry::histogram_family_observe: function (hf: Telemetry::HistogramFamily, label_values: Telemetry::labels_vector, measurement: double) : bool;
global Telemetry::histogram_observe: function (h: Telemetry::Histogram, measurement: double) : bool;
global Telemetry::histogram_with: function (hf: Telemetry::HistogramFamily, label_values: Telemetry::labels_vector &default = []) : Telemetry::Histogram;
global Telemetry::register_counter_family: function (opts: Telemetry::MetricOpts) : Telemetry::CounterFamily;
global Telemetry::register_gauge_family: function (opts: Telemetry::MetricOpts) : Telemetry::GaugeFamily;
global Telemetry::register_histogram_family: function (opts: Telemetry::MetricOpts) : Telemetry::HistogramFamily;

#@ base/frameworks/telemetry/options

#@ base/frameworks/tunnels/__load__
@load base/frameworks/tunnels/main

#@ base/frameworks/tunnels/main
@load base/protocols/conn/removal-hooks
redef enum Log::ID += { Tunnel::LOG };
type Tunnel::Action: enum { Tunnel::DISCOVER, Tunnel::CLOSE, Tunnel::EXPIRE };
type Tunnel::Info: record { ts: time &log; uid: string &log &optional; id: conn_id &log; tunnel_type: Tunnel::Type &log; action: Tunnel::Action &log; };
const Tunnel::expiration_interval: interval = 1.0 hr &redef;
global Tunnel::active: table [conn_id] of Tunnel::Info ;
global Tunnel::finalize_tunnel: Conn::RemovalHook ;
global Tunnel::log_policy: Log::PolicyHook ;
global Tunnel::close: function (tunnel: Tunnel::Info, action: Tunnel::Action) : any;
global Tunnel::expire: function (t: table [conn_id] of Tunnel::Info, idx: conn_id) : interval;
global Tunnel::register: function (ec: Tunnel::EncapsulatingConn) : any;
global Tunnel::register_all: function (ecv: EncapsulatingConnVector) : any;

#@ base/init-default
@load base/files/hash
@load base/files/extract
@load base/files/pe
@load base/files/x509
@load base/files/zip
@load base/frameworks/analyzer
@load base/frameworks/cluster
@load base/frameworks/config
@load base/frameworks/control
@load base/frameworks/intel
@load base/frameworks/netcontrol
@load base/frameworks/notice
@load base/frameworks/openflow
@load base/frameworks/packet-filter
@load base/frameworks/reporter
@load base/frameworks/signatures
@load base/frameworks/software
@load base/frameworks/spicy
@load base/frameworks/storage
@load base/frameworks/sumstats
@load base/frameworks/telemetry
@load base/frameworks/tunnels
@load base/misc/find-checksum-offloading
@load base/misc/find-filtered-trace
@load base/misc/installation
@load base/misc/version
@load base/protocols/conn
@load base/protocols/dce-rpc
@load base/protocols/dhcp
@load base/protocols/dnp3
@load base/protocols/dns
@load base/protocols/finger
@load base/protocols/ftp
@load base/protocols/http
@load base/protocols/imap
@load base/protocols/irc
@load base/protocols/krb
@load base/protocols/ldap
@load base/protocols/modbus
@load base/protocols/mqtt
@load base/protocols/mysql
@load base/protocols/ntlm
@load base/protocols/ntp
@load base/protocols/pop3
@load base/protocols/postgresql
@load base/protocols/quic
@load base/protocols/radius
@load base/protocols/rdp
@load base/protocols/redis
@load base/protocols/rfb
@load base/protocols/sip
@load base/protocols/smb
@load base/protocols/smtp
@load base/protocols/snmp
@load base/protocols/socks
@load base/protocols/ssh
@load base/protocols/ssl
@load base/protocols/syslog
@load base/protocols/tunnels
@load base/protocols/websocket
@load base/protocols/xmpp
@load base/utils/active-http
@load base/utils/addrs
@load base/utils/backtrace
@load base/utils/conn-ids
@load base/utils/dir
@load base/utils/directions-and-hosts
@load base/utils/email
@load base/utils/exec
@load base/utils/files
@load base/utils/geoip-distance
@load base/utils/hash_hrw
@load base/utils/numbers
@load base/utils/packages
@load base/utils/paths
@load base/utils/patterns
@load base/utils/queue
@load base/utils/site
@load base/utils/strings
@load base/utils/thresholds
@load base/utils/time
@load base/utils/urls

#@ base/init-frameworks-and-bifs
@load base/frameworks/analyzer
@load base/frameworks/broker
@load base/frameworks/cluster
@load base/frameworks/config
@load base/frameworks/files
@load base/frameworks/input
@load base/frameworks/logging
@load base/frameworks/spicy/init-framework
@load base/frameworks/supervisor
@load base/frameworks/telemetry/options

#@ base/misc/find-checksum-offloading
@load base/frameworks/notice
const ChecksumOffloading::check_interval: interval = 10.0 secs &redef;

#@ base/misc/find-filtered-trace
const FilteredTraceDetection::enable: bool = T &redef;

#@ base/misc/installation
const Installation::etc_dir: string = "/usr/local/zeek/etc" ;
const Installation::log_dir: string = "/usr/local/zeek/logs" ;
const Installation::root_dir: string = "/usr/local/zeek" ;
const Installation::spool_dir: string = "/usr/local/zeek/spool" ;
const Installation::state_dir: string = "/usr/local/zeek/var/lib" ;

#@ base/misc/version
type Version::VersionDescription: record { version_number: count ; major: count ; minor: count ; patch: count ; commit: count ; beta: bool ; debug: bool ; localversion: string ; version_string: string ; };
global Version::at_least: function (version_string: string) : bool;
global Version::parse: function (version_string: string) : Version::VersionDescription;

#@ base/packet-protocols/__load__
@load base/packet-protocols/ayiya
@load base/packet-protocols/ethernet
@load base/packet-protocols/fddi
@load base/packet-protocols/geneve
@load base/packet-protocols/gre
@load base/packet-protocols/gtpv1
@load base/packet-protocols/icmp
@load base/packet-protocols/ieee802_11
@load base/packet-protocols/ieee802_11_radio
@load base/packet-protocols/igmp
@load base/packet-protocols/ip
@load base/packet-protocols/iptunnel
@load base/packet-protocols/linux_sll
@load base/packet-protocols/linux_sll2
@load base/packet-protocols/llc
@load base/packet-protocols/main
@load base/packet-protocols/mpls
@load base/packet-protocols/nflog
@load base/packet-protocols/novell_802_3
@load base/packet-protocols/null
@load base/packet-protocols/pbb
@load base/packet-protocols/ppp
@load base/packet-protocols/ppp_serial
@load base/packet-protocols/pppoe
@load base/packet-protocols/root
@load base/packet-protocols/skip
@load base/packet-protocols/snap
@load base/packet-protocols/tcp
@load base/packet-protocols/teredo
@load base/packet-protocols/udp
@load base/packet-protocols/vlan
@load base/packet-protocols/vntag
@load base/packet-protocols/vxlan

#@ base/packet-protocols/ayiya/__load__
@load base/packet-protocols/ayiya/main

#@ base/packet-protocols/ayiya/main
@load base/frameworks/analyzer/main
const PacketAnalyzer::AYIYA::ayiya_ports: set [port] = { 5072/udp } &redef;

#@ base/packet-protocols/ethernet/__load__
@load base/packet-protocols/ethernet/main

#@ base/packet-protocols/ethernet/main
const PacketAnalyzer::ETHERNET::LLC_FORWARDING_KEY: count = 3 ;
const PacketAnalyzer::ETHERNET::NOVELL_FORWARDING_KEY: count = 2 ;
const PacketAnalyzer::ETHERNET::SNAP_FORWARDING_KEY: count = 1 ;

#@ base/packet-protocols/fddi/__load__
@load base/packet-protocols/fddi/main

#@ base/packet-protocols/fddi/main
const PacketAnalyzer::FDDI::default_analyzer: PacketAnalyzer::Tag = PacketAnalyzer::ANALYZER_IP &redef;

#@ base/packet-protocols/geneve/__load__
@load base/packet-protocols/geneve/main

#@ base/packet-protocols/geneve/main
type PacketAnalyzer::Geneve::Option: record { class: count ; critical: bool ; typ: count ; data: string ; };
type geneve_options_vec: vector of PacketAnalyzer::Geneve::Option;
type geneve_options_vec_vec: vector of geneve_options_vec;
const PacketAnalyzer::Geneve::geneve_ports: set [port] = { 6081/udp } &redef;

#@ base/packet-protocols/gre/__load__
@load base/packet-protocols/gre/main

#@ base/packet-protocols/gre/main
const PacketAnalyzer::GRE::default_analyzer: PacketAnalyzer::Tag = PacketAnalyzer::ANALYZER_IPTUNNEL &redef;
const PacketAnalyzer::GRE::gre_ports: set [port] = { 4754/udp } &redef;

#@ base/packet-protocols/gtpv1/__load__
@load base/packet-protocols/gtpv1/main

#@ base/packet-protocols/gtpv1/main
@load base/frameworks/analyzer/main
@load base/protocols/conn/removal-hooks
const PacketAnalyzer::GTPV1::default_analyzer: PacketAnalyzer::Tag = PacketAnalyzer::ANALYZER_IP &redef;
const PacketAnalyzer::GTPV1::gtpv1_ports: set [port] = { 2152/udp, 2123/udp } &redef;

#@ base/packet-protocols/icmp/__load__
@load base/packet-protocols/icmp/main

#@ base/packet-protocols/icmp/main

#@ base/packet-protocols/ieee802_11/__load__
@load base/packet-protocols/ieee802_11/main

#@ base/packet-protocols/ieee802_11/main

#@ base/packet-protocols/ieee802_11_radio/__load__
@load base/packet-protocols/ieee802_11_radio/main

#@ base/packet-protocols/ieee802_11_radio/main

#@ base/packet-protocols/igmp/__load__
@load base/packet-protocols/igmp/main
@load base/packet-protocols/igmp/spicy-events
@load base/packet-protocols/igmp/types

#@ base/packet-protocols/igmp/main

#@ base/packet-protocols/igmp/spicy-events
global IGMP::leave_group: event (source: addr, group_addr: addr);
global IGMP::membership_query: event (source: addr, group_addr: addr);
global IGMP::membership_report_v1: event (source: addr, group_addr: addr);
global IGMP::membership_report_v2: event (source: addr, group_addr: addr);
global IGMP::membership_report_v3: event (source: addr, groups: vector of IGMP::Group);
global IGMP::message: event (packet: raw_pkt_hdr, msg_type: IGMP::MessageType);

#@ base/packet-protocols/igmp/types
type IGMP::GroupType: enum { IGMP::MODE_IS_INCLUDE, IGMP::MODE_IS_EXCLUDE, IGMP::CHANGE_TO_INCLUDE_MODE, IGMP::CHANGE_TO_EXCLUDE_MODE, IGMP::ALLOW_NEW_SOURCES, IGMP::BLOCK_OLD_SOURCES };
type IGMP::Group: record { group_type: IGMP::GroupType ; aux_data_len: count ; num_sources: count ; multicast_addr: addr ; sources: vector of addr ; aux_data: string ; };
type IGMP::MessageType: enum { IGMP::BAD_CHECKSUM, IGMP::MEMBERSHIP_QUERY, IGMP::MEMBERSHIP_REPORT_V1, IGMP::MEMBERSHIP_REPORT_V2, IGMP::LEAVE_GROUP, IGMP::MEMBERSHIP_REPORT_V3 };

#@ base/packet-protocols/ip/__load__
@load base/packet-protocols/ip/main

#@ base/packet-protocols/ip/main
const PacketAnalyzer::IP::default_analyzer: PacketAnalyzer::Tag = PacketAnalyzer::ANALYZER_UNKNOWN_IP_TRANSPORT &redef;

#@ base/packet-protocols/iptunnel/__load__
@load base/packet-protocols/iptunnel/main

#@ base/packet-protocols/iptunnel/main
const PacketAnalyzer::IPTUNNEL::default_analyzer: PacketAnalyzer::Tag = PacketAnalyzer::ANALYZER_IP &redef;

#@ base/packet-protocols/linux_sll/__load__
@load base/packet-protocols/linux_sll/main

#@ base/packet-protocols/linux_sll/main

#@ base/packet-protocols/linux_sll2/__load__
@load base/packet-protocols/linux_sll2/main

#@ base/packet-protocols/linux_sll2/main

#@ base/packet-protocols/llc/__load__
@load base/packet-protocols/llc/main

#@ base/packet-protocols/llc/main

#@ base/packet-protocols/main
@load base/frameworks/analyzer/main
const PacketAnalyzer::max_depth: count = 25 &redef;
global PacketAnalyzer::register_for_port: function (parent: PacketAnalyzer::Tag, child: PacketAnalyzer::Tag, p: port) : bool;
global PacketAnalyzer::register_for_ports: function (parent: PacketAnalyzer::Tag, child: PacketAnalyzer::Tag, server_ports: set [port], non_server_ports: set [port] &default=set()) : bool;

#@ base/packet-protocols/mpls/__load__
@load base/packet-protocols/mpls/main

#@ base/packet-protocols/mpls/main
const PacketAnalyzer::MPLS::default_analyzer: PacketAnalyzer::Tag = PacketAnalyzer::ANALYZER_IP &redef;

#@ base/packet-protocols/nflog/__load__
@load base/packet-protocols/nflog/main

#@ base/packet-protocols/nflog/main

#@ base/packet-protocols/novell_802_3/__load__
@load base/packet-protocols/novell_802_3/main

#@ base/packet-protocols/novell_802_3/main

#@ base/packet-protocols/null/__load__
@load base/packet-protocols/null/main

#@ base/packet-protocols/null/main

#@ base/packet-protocols/pbb/__load__
@load base/packet-protocols/pbb/main

#@ base/packet-protocols/pbb/main
const PacketAnalyzer::PBB::default_analyzer: PacketAnalyzer::Tag = PacketAnalyzer::ANALYZER_ETHERNET &redef;

#@ base/packet-protocols/ppp/__load__
@load base/packet-protocols/ppp/main

#@ base/packet-protocols/ppp/main

#@ base/packet-protocols/ppp_serial/__load__
@load base/packet-protocols/ppp_serial/main

#@ base/packet-protocols/ppp_serial/main

#@ base/packet-protocols/pppoe/__load__
@load base/packet-protocols/pppoe/main

#@ base/packet-protocols/pppoe/main

#@ base/packet-protocols/root/__load__
@load base/packet-protocols/root/main

#@ base/packet-protocols/root/main
const PacketAnalyzer::ROOT::default_analyzer: PacketAnalyzer::Tag = PacketAnalyzer::ANALYZER_IP &redef;

#@ base/packet-protocols/skip/__load__
@load base/packet-protocols/skip/main

#@ base/packet-protocols/skip/main
const PacketAnalyzer::SKIP::default_analyzer: PacketAnalyzer::Tag = PacketAnalyzer::ANALYZER_IP &redef;
const PacketAnalyzer::SKIP::skip_bytes: count = 0 &redef;

#@ base/packet-protocols/snap/__load__
@load base/packet-protocols/snap/main

#@ base/packet-protocols/snap/main

#@ base/packet-protocols/tcp/__load__
@load base/packet-protocols/tcp/main

#@ base/packet-protocols/tcp/main

#@ base/packet-protocols/teredo/__load__
@load base/packet-protocols/teredo/main

#@ base/packet-protocols/teredo/main
@load base/frameworks/analyzer/main
@load base/protocols/conn/removal-hooks
const PacketAnalyzer::TEREDO::default_analyzer: PacketAnalyzer::Tag = PacketAnalyzer::ANALYZER_IP &redef;
const PacketAnalyzer::TEREDO::teredo_ports: set [port] = { 3544/udp } &redef;

#@ base/packet-protocols/udp/__load__
@load base/packet-protocols/udp/main

#@ base/packet-protocols/udp/main

#@ base/packet-protocols/vlan/__load__
@load base/packet-protocols/vlan/main

#@ base/packet-protocols/vlan/main
const PacketAnalyzer::VLAN::LLC_FORWARDING_KEY: count = 3 ;
const PacketAnalyzer::VLAN::NOVELL_FORWARDING_KEY: count = 2 ;
const PacketAnalyzer::VLAN::SNAP_FORWARDING_KEY: count = 1 ;

#@ base/packet-protocols/vntag/__load__
@load base/packet-protocols/vntag/main

#@ base/packet-protocols/vntag/main

#@ base/packet-protocols/vxlan/__load__
@load base/packet-protocols/vxlan/main

#@ base/packet-protocols/vxlan/main
const PacketAnalyzer::VXLAN::default_analyzer: PacketAnalyzer::Tag = PacketAnalyzer::ANALYZER_ETHERNET &redef;
const PacketAnalyzer::VXLAN::vxlan_ports: set [port] = { 4789/udp } &redef;

#@ base/protocols/conn/__load__
@load base/protocols/conn/contents
@load base/protocols/conn/inactivity
@load base/protocols/conn/main
@load base/protocols/conn/polling
@load base/protocols/conn/removal-hooks
@load base/protocols/conn/thresholds

#@ base/protocols/conn/contents
@load base/utils/files
option Conn::default_extract: bool = F &redef;
option Conn::extraction_prefix: string = "contents" &redef;
redef record connection += { extract_orig: bool &default=Conn::default_extract; };
redef record connection += { extract_resp: bool &default=Conn::default_extract; };

#@ base/protocols/conn/inactivity
option Conn::analyzer_inactivity_timeouts: table [AllAnalyzers::Tag] of interval = { [AllAnalyzers::ANALYZER_ANALYZER_FTP] = 1.0 hr, [AllAnalyzers::ANALYZER_ANALYZER_SSH] = 1.0 hr } &redef;
option Conn::port_inactivity_timeouts: table [port] of interval = { [513/tcp] = 1.0 hr, [21/tcp] = 1.0 hr, [23/tcp] = 1.0 hr, [22/tcp] = 1.0 hr } &redef;

#@ base/protocols/conn/main
@load base/utils/site
@load base/utils/strings
redef enum Log::ID += { Conn::LOG };
type Conn::Info: record { ts: time &log; uid: string &log; id: conn_id &log; proto: transport_proto &log; service: string &log &optional; duration: interval &log &optional; orig_bytes: count &log &optional; resp_bytes: count &log &optional; conn_state: string &log &optional; local_orig: bool &log &optional; local_resp: bool &log &optional; missed_bytes: count &log &default=0; history: string &log &optional; orig_pkts: count &log &optional; orig_ip_bytes: count &log &optional; resp_pkts: count &log &optional; resp_ip_bytes: count &log &optional; tunnel_parents: set [string] &log &optional; ip_proto: count &log &optional; };
global Conn::log_conn: event (rec: Conn::Info);
global Conn::log_policy: Log::PolicyHook ;
redef record connection += { conn: Conn::Info &optional; };

#@ base/protocols/conn/polling
global ConnPolling::watch: function (c: connection, callback: function (c: connection, cnt: count) : interval, cnt: count, i: interval) : any;

#@ base/protocols/conn/removal-hooks
type Conn::RemovalHook: hook (c: connection) : bool;
global Conn::register_removal_hook: function (c: connection, hk: Conn::RemovalHook) : bool;
global Conn::unregister_removal_hook: function (c: connection, hk: Conn::RemovalHook) : bool;
redef record connection += { removal_hooks: set [Conn::RemovalHook] &optional; };

#@ base/protocols/conn/thresholds
type ConnThreshold::Thresholds: record { orig_byte: set [count] &default=set(); resp_byte: set [count] &default=set(); orig_packet: set [count] &default=set(); resp_packet: set [count] &default=set(); duration: set [interval] &default=set(); };
global ConnThreshold::bytes_threshold_crossed: event (c: connection, threshold: count, is_orig: bool);
global ConnThreshold::duration_threshold_crossed: event (c: connection, threshold: interval, is_orig: bool);
global ConnThreshold::packets_threshold_crossed: event (c: connection, threshold: count, is_orig: bool);
global ConnThreshold::delete_bytes_threshold: function (c: connection, threshold: count, is_orig: bool) : bool;
global ConnThreshold::delete_duration_threshold: function (c: connection, threshold: interval) : bool;
global ConnThreshold::delete_packets_threshold: function (c: connection, threshold: count, is_orig: bool) : bool;
global ConnThreshold::set_bytes_threshold: function (c: connection, threshold: count, is_orig: bool) : bool;
global ConnThreshold::set_duration_threshold: function (c: connection, threshold: interval) : bool;
global ConnThreshold::set_packets_threshold: function (c: connection, threshold: count, is_orig: bool) : bool;
redef record connection += { thresholds: ConnThreshold::Thresholds &optional; };

#@ base/protocols/dce-rpc/__load__
@load base/protocols/dce-rpc/consts
@load base/protocols/dce-rpc/main

#@ base/protocols/dce-rpc/consts
const DCE_RPC::auth_levels: table [count] of string = { [2] = "RPC_C_AUTHN_LEVEL_CONNECT", [3] = "RPC_C_AUTHN_LEVEL_CALL", [5] = "RPC_C_AUTHN_LEVEL_PKT_INTEGRITY", [0] = "RPC_C_AUTHN_LEVEL_DEFAULT", [6] = "RPC_C_AUTHN_LEVEL_PKT_PRIVACY", [4] = "RPC_C_AUTHN_LEVEL_PKT", [1] = "RPC_C_AUTHN_LEVEL_NONE" } &default=function(i: count): string { return fmt("unknown-%d", i); } &redef;
const DCE_RPC::auth_types: table [count] of string = { [68] = "RPC_C_AUTHN_NETLOGON", [9] = "RPC_C_AUTHN_GSS_NEGOTIATE", [0] = "RPC_C_AUTHN_NONE", [10] = "RPC_C_AUTHN_WINNT", [14] = "RPC_C_AUTHN_GSS_SCHANNEL", [16] = "RPC_C_AUTHN_GSS_KERBEROS", [255] = "RPC_C_AUTHN_DEFAULT" } &default=function(i: count): string { return fmt("unknown-%d", i); } &redef;
const DCE_RPC::operations: table [string, count] of string = { ["367abb81-9844-35f1-ad32-98f038001003", 16] = "OpenServiceW", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 69] = "LlsrProductLicensesGetA", ["5b821720-f63b-11d0-aad2-00c04fc324db", 65] = "R_DhcpServerSetConfigV6", ["5b821720-f63b-11d0-aad2-00c04fc324db", 111] = "R_DhcpV4DeletePolicy", ["77df7a80-f298-11d0-8358-00a024c480a8", 5] = "S_DSSetObjectSecurity", ["7c4e1804-e342-483d-a43e-a850cfcc8d18", 3] = "CreateApplication", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 57] = "RRPC_FWEnumCryptoSets2_10", ["77df7a80-f298-11d0-8358-00a024c480a8", 24] = "Opnum24NotUsedOnWire", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 67] = "HrGetErrorData", ["88143fd0-c28d-4b2b-8fef-8d882f6a9390", 3] = "RpcFilterByCallersName", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 44] = "RRPC_FWGetGlobalConfig2_10", ["12345678-1234-abcd-ef00-01234567cffb", 36] = "NetrEnumerateTrustedDomainsEx", ["01954e6b-9254-4e6e-808c-c9e05d007696", 6] = "Clone", ["c386ca3e-9061-4a72-821e-498d83be188f", 1] = "AudioServerDisconnect", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 26] = "PNP_GetClassRegProp", ["e65e8028-83e8-491b-9af7-aaf6bd51a0ce", 7] = "Opnum7NotUsedOnWire", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d6", 1] = "RpcSrvRenewPrefix", ["c386ca3e-9061-4a72-821e-498d83be188f", 35] = "PolicyConfigGetShareMode", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 22] = "ApiCreateResEnum", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 61] = "LlsrReplicationServerAddW", ["76f03f96-cdfd-44fc-a22c-64950a001209", 34] = "RpcAsyncSendRecvBidiData", ["12345778-1234-abcd-ef00-0123456789ab", 91] = "LsarQueryAuditSecurity", ["9556dc99-828c-11cf-a37e-00aa003240c7", 6] = "GetObject", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 71] = "ApiEvictNode", ["3919286a-b10c-11d0-9ba8-00c04fd92ef5", 8] = "DsRolerServerSaveStateForUpgrade", ["12345678-1234-abcd-ef00-0123456789ab", 28] = "RpcWaitForPrinterChange", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 4] = "R_WinsDoScavenging", ["59602eb6-57b0-4fd8-aa4b-ebf06971fe15", 20] = "GetConditionalPolicy", ["12345678-1234-abcd-ef00-0123456789ab", 56] = "RpcFindClosePrinterChangeNotification", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 45] = "DiskMerge", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 75] = "RRPC_FWSetFirewallRule2_25", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 12] = "EvtRpcQuerySeek", ["8d0ffe72-d252-11d0-bf8f-00c04fd9126b", 2] = "KeyrEnumerateProviderTypes", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 37] = "RpcWinStationTerminateProcess", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 2] = "RpcSrvRenewLeaseByBroadcast", ["bde95fdf-eee0-45de-9e12-e5a61cd0d4fe", 7] = "Opnum7NotUsedOnWire", ["12345778-1234-abcd-ef00-0123456789ab", 30] = "LsarQuerySecret", ["f5cc59b4-4264-101a-8c59-08002b2f8426", 0] = "FrsRpcSendCommPkt", ["5b821720-f63b-11d0-aad2-00c04fc324db", 74] = "R_DhcpCreateClassV6", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 55] = "NetrServerAliasEnum", ["12345678-1234-abcd-ef00-0123456789ab", 45] = "RpcPrinterMessageBox", ["a4f1db00-ca47-1067-b31f-00dd010662da", 2] = "EcDoRpc", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 61] = "RpcWinStationIsHelpAssistantSession", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 34] = "NetprNameCanonicalize", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 28] = "Backup", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 55] = "ApiCreateNotify", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 26] = "Format", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 2] = "R_WinsTrigger", ["00000000-0000-0000-c000-000000000046", 1] = "Opnum1NotUsedOnWire", ["4bb8ab1d-9ef9-4100-8eb6-dd4b4e418b72", 5] = "ModifyObject", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 40] = "PNP_HwProfFlags", ["a4f1db00-ca47-1067-b31f-00dd010662da", 6] = "EcDummyRpc", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 24] = "BackupOpenFile", ["76f03f96-cdfd-44fc-a22c-64950a001209", 63] = "RpcAsyncUploadPrinterDriverPackage", ["4b112204-0e19-11d3-b42b-0000f81feb9f", 10] = "WakeupGetNotificationRpc", ["378e52b0-c0a9-11cf-822d-00aa0051e40f", 0] = "SASetAccountInformation", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 1] = "R_WinsStatus", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 11] = "DeleteDate", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 16] = "GetDataPaths", ["76f03f96-cdfd-44fc-a22c-64950a001209", 36] = "RpcAsyncPlayGdiScriptOnPrinterIC", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 163] = "ApiCreateGroupSet", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 115] = "ApiGetBatchNotification", ["6bffd098-a112-3610-9833-46c3f874532d", 33] = "R_DhcpSetClientInfoV4", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 19] = "ChangePermissions", ["76f03f96-cdfd-44fc-a22c-64950a001209", 51] = "RpcAsyncAddMonitor", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 17] = "DRSAddEntry", ["e8fb8620-588f-11d2-9d61-00c04f79c5fe", 10] = "Status", ["12345778-1234-abcd-ef00-0123456789ac", 33] = "SamrGetMembersInAlias", ["86d35949-83c9-4044-b424-db363231fd0c", 12] = "SchRpcRun", ["4bb8ab1d-9ef9-4100-8eb6-dd4b4e418b72", 3] = "CreateObject", ["12345678-1234-abcd-ef00-0123456789ab", 6] = "RpcDeletePrinter", ["484809d6-4239-471b-b5bc-61df8c23ac48", 0] = "RpcWaitForSessionState", ["12345778-1234-abcd-ef00-0123456789ac", 40] = "SamrQueryDisplayInformation", ["5b821720-f63b-11d0-aad2-00c04fc324db", 42] = "R_DhcpQueryDnsRegCredentials", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 27] = "ApiDeleteResourceType", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 8] = "nsi_profile_elt_remove", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 70] = "PNP_DriverStoreAddDriverPackage", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 39] = "RpcServerNWLogonQueryAdmin", ["6bffd098-a112-3610-9833-46c3f874532d", 44] = "R_DhcpCreateClientInfoVQ", ["12345678-1234-abcd-ef00-0123456789ab", 97] = "RpcAddPrinterConnection2", ["338cd001-2244-31f1-aaaa-900038001003", 28] = "OpenDynData", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 16] = "FTBreakMirror", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 78] = "RRPC_FWAddFirewallRule2_26", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 63] = "LlsrReplicationServiceAddW", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 62] = "Opnum62NotUsedOnWire", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 67] = "RRPC_FWEnumFirewallRules2_20", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 24] = "EvtRpcGetPublisherMetadata", ["bc681469-9dd9-4bf4-9b3d-709f69efe431", 10] = "DeleteResourceGroup", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 80] = "Opnum80NotUsedOnWire", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 17] = "RRPC_FWAddAuthenticationSet", ["21546ae8-4da5-445e-987f-627fea39c5e8", 12] = "SetExclusionList", ["12345678-1234-abcd-ef00-0123456789ab", 68] = "RpcSetAllocFailCount", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 21] = "RpcWinStationInstallLicense", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 35] = "CreatePartitionsForVolume", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 29] = "RpcWinStationGetApplicationInfo", ["f5cc59b4-4264-101a-8c59-08002b2f8426", 3] = "FrsNOP", ["5b821720-f63b-11d0-aad2-00c04fc324db", 132] = "R_DhcpV4GetClientInfoEx", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 27] = "RRPC_FWEnumPhase1SAs", ["bde95fdf-eee0-45de-9e12-e5a61cd0d4fe", 3] = "RpcGetLastInputTime", ["86d35949-83c9-4044-b424-db363231fd0c", 7] = "SchRpcEnumTasks", ["d3fbb514-0e3b-11cb-8fad-08002b1d29c3", 1] = "nsi_binding_lookup_done", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 34] = "DeleteVolume", ["8d0ffe72-d252-11d0-bf8f-00c04fd9126b", 7] = "KeyrEnroll", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 26] = "RRPC_FWEnumCryptoSets", ["68b58241-c259-4f03-a2e5-a2651dcbc930", 2] = "KSrGetCAs", ["82ad4280-036b-11cf-972c-00aa006887b0", 6] = "R_InetInfoQueryStatistics", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 55] = "GetDontShow", ["497d95a6-2d27-4bf5-9bbd-a6046957133c", 3] = "RpcStartListener", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 15] = "FTDeleteVolume", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 72] = "RpcWinStationUnRegisterNotificationEvent", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 8] = "ApiOpenResource", ["300f3532-38cc-11d0-a3f0-0020af6b0add", 4] = "Opnum4NotUsedOnWire", ["5b821720-f63b-11d0-aad2-00c04fc324db", 75] = "R_DhcpModifyClassV6", ["12345778-1234-abcd-ef00-0123456789ab", 83] = "LsarSetAuditPolicy", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 6] = "RpcWinStationSetInformation", ["9556dc99-828c-11cf-a37e-00aa003240c7", 8] = "PutClass", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d6", 2] = "RpcSrvReleasePrefix", ["338cd001-2244-31f1-aaaa-900038001003", 30] = "BaseInitiateSystemShutdownEx", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 168] = "ApiRemoveGroupFromGroupSet", ["86d35949-83c9-4044-b424-db363231fd0c", 4] = "SchRpcSetSecurity", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 40] = "LlsrMappingAddW", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 33] = "PNP_UninstallDevInst", ["12345678-1234-abcd-ef00-01234567cffb", 15] = "NetrServerAuthenticate2", ["367abb81-9844-35f1-ad32-98f038001003", 2] = "DeleteService", ["12345778-1234-abcd-ef00-0123456789ab", 68] = "LsarLookupNames3", ["77df7a80-f298-11d0-8358-00a024c480a8", 12] = "S_DSSetPropsGuid", ["5b821720-f63b-11d0-aad2-00c04fc324db", 116] = "R_DhcpV6SetStatelessStoreParams", ["76f03f96-cdfd-44fc-a22c-64950a001209", 22] = "RpcAsyncDeleteForm", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 80] = "AddAccessPath", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 30] = "IDL_DRSReadNgcKey", ["9556dc99-828c-11cf-a37e-00aa003240c7", 13] = "CreateClassEnumAsync", ["bd0c73bc-805b-4043-9c30-9a28d64dd7d2", 10] = "InstanceName", ["d3fbb514-0e3b-11cb-8fad-08002b1d29c3", 2] = "nsi_binding_lookup_next", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 15] = "R_WinsDeleteWins", ["76f03f96-cdfd-44fc-a22c-64950a001209", 16] = "RpcAsyncGetPrinterData", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 3] = "RRPC_FWGetGlobalConfig", ["12345778-1234-abcd-ef00-0123456789ac", 48] = "SamrQueryDisplayInformation2", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 27] = "IDL_DRSFinishDemotion", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 36] = "LlsrMappingUserAddW", ["12345678-1234-abcd-ef00-01234567cffb", 19] = "NetrEnumerateTrustedDomains", ["86d35949-83c9-4044-b424-db363231fd0c", 9] = "SchRpcGetInstanceInfo", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 25] = "RRPC_FWDeleteAllCryptoSets", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 17] = "LlsrUserEnumA", ["5b821720-f63b-11d0-aad2-00c04fc324db", 119] = "R_DhcpV4EnumSubnetReservations", ["708cca10-9569-11d1-b2a5-0060977d8118", 7] = "Opnum7NotUsedOnWire", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 9] = "GetCRL", ["943991a5-b3fe-41fa-9696-7f7b656ee34b", 13] = "GetMachineInfo", ["00020401-0000-0000-c000-000000000046", 3] = "GetTypeAttr", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 87] = "LlsrLocalServiceInfoGetW", ["c386ca3e-9061-4a72-821e-498d83be188f", 57] = "AudioSessionGetDisplayName", ["5b821720-f63b-11d0-aad2-00c04fc324db", 62] = "R_DhcpDeleteSubnetV6", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 72] = "LlsrCertificateClaimEnumW", ["8165b19e-8d3a-4d0b-80c8-97de310db583", 3] = "GetComponentInfo", ["6bffd098-a112-3610-9833-46c3f874532d", 29] = "R_DhcpAddSubnetElementV4", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 54] = "RpcWinStationUpdateUserConfig", ["00020401-0000-0000-c000-000000000046", 14] = "GetRefTypeInfo", ["bd0c73bc-805b-4043-9c30-9a28d64dd7d2", 8] = "Opnum8NotUsedOnWire", ["8298d101-f992-43b7-8eca-5052d885b995", 37] = "Import", ["367abb81-9844-35f1-ad32-98f038001003", 28] = "OpenServiceA", ["6bffd098-a112-3610-9833-012892020162", 5] = "BrowserrQueryStatistics", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 19] = "FTReplaceMirrorPartition", ["5b821720-f63b-11d0-aad2-00c04fc324db", 86] = "R_DhcpEnumFilterV4", ["12345678-1234-abcd-ef00-0123456789ab", 35] = "RpcEnumPorts", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 12] = "PNP_GetDepth", ["12345778-1234-abcd-ef00-0123456789ab", 92] = "CredReadByTokenHandle", ["6bffd098-a112-3610-9833-46c3f87e345a", 30] = "NetrEnumerateComputerNames", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 84] = "LlsrLocalServiceAddW", ["5b821720-f63b-11d0-aad2-00c04fc324db", 44] = "R_DhcpBackupDatabase", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 61] = "Opnum61NotUsedOnWire", ["f31931a9-832d-481c-9503-887a0e6a79f0", 7] = "GetSupportedClient", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 50] = "PNP_GetResDesData", ["4bdafc52-fe6a-11d2-93f8-00105a11164a", 3] = "GetMaxAdjustedFreeSpace", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 48] = "NetrDfsCreateExitPoint", ["c386ca3e-9061-4a72-821e-498d83be188f", 43] = "AudioSessionManagerDeleteAudioSessionClientNotification", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 174] = "ApiGroupSetControl", ["378e52b0-c0a9-11cf-822d-00aa0051e40f", 2] = "SAGetNSAccountInformation", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 7] = "EvtRpcExportLog", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 10] = "NetrFileGetInfo", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 45] = "PNP_GetNextLogConf", ["d049b186-814f-11d1-9a3c-00c04fc9b232", 7] = "NtFrsApi_Rpc_InfoW", ["a4f1db00-ca47-1067-b31f-00dd010662da", 14] = "EcDoAsyncConnectEx", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 0] = "ApiOpenCluster", ["12345778-1234-abcd-ef00-0123456789ac", 54] = "SamrOemChangePasswordUser2", ["12345678-1234-abcd-ef00-0123456789ab", 93] = "RpcCloseSpoolFileHandle", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 46] = "NetrDfsSetLocalVolumeState", ["c386ca3e-9061-4a72-821e-498d83be188f", 13] = "AudioSessionGetLastActivation", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 118] = "ApiOpenNodeEx", ["df1941c5-fe89-4e79-bf10-463657acf44d", 41] = "Opnum41NotUsedOnWire", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 20] = "RRPC_FWDeleteAllAuthenticationSets", ["7fe0d935-dda6-443f-85d0-1cfb58fe41dd", 39] = "GetArchivedKey", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 165] = "ApiCloseGroupSet", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 18] = "EfsRpcGetEncryptedFileMetadata", ["76f03f96-cdfd-44fc-a22c-64950a001209", 65] = "RpcAsyncCorePrinterDriverInstalled", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 30] = "RestoreGetDatabaseLocations", ["12345678-1234-abcd-ef00-0123456789ab", 14] = "RpcAddPrintProcessor", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 64] = "PNP_GetServerSideDeviceInstallFlags", ["5b821720-f63b-11d0-aad2-00c04fc324db", 5] = "R_DhcpEnumMScopeElements", ["76f03f96-cdfd-44fc-a22c-64950a001209", 14] = "RpcAsyncEndDocPrinter", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 11] = "RpcWinStationVirtualOpen", ["338cd001-2244-31f1-aaaa-900038001003", 0] = "OpenClassesRoot", ["8d0ffe72-d252-11d0-bf8f-00c04fd9126b", 1] = "KeyrEnumerateProviders", ["481e06cf-ab04-4498-8ffe-124a0a34296d", 13] = "GetScheduleInfo", ["bde95fdf-eee0-45de-9e12-e5a61cd0d4fe", 0] = "RpcGetClientData", ["50abc2a4-574d-40b3-9d66-ee4fd5fba076", 6] = "DnssrvQuery2", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 51] = "ApiMoveGroup", ["300f3532-38cc-11d0-a3f0-0020af6b0add", 8] = "Opnum8NotUsedOnWire", ["22e5386d-8b12-4bf0-b0ec-6a1ea419e366", 1] = "RpcNetEventReceiveData", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 3] = "EnumDisksEx", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 18] = "DRSExecuteKCC", ["83da7c00-e84f-11d2-9807-00c04f8ec850", 3] = "SfcSrv_InitiateScan", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 87] = "ApiSetNetworkPriorityOrder", ["12345678-1234-abcd-ef00-0123456789ab", 10] = "RpcEnumPrinterDrivers", ["c386ca3e-9061-4a72-821e-498d83be188f", 8] = "AudioServerIsFormatSupported", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 40] = "NetrpSetFileSecurity", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 68] = "ApiGetNodeState", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 57] = "NetrShareDelEx", ["df1941c5-fe89-4e79-bf10-463657acf44d", 35] = "Opnum35NotUsedOnWire", ["12345778-1234-abcd-ef00-0123456789ab", 88] = "LsarLookupAuditCategoryName", ["2f5f3220-c126-1076-b549-074d078619da", 1] = "NDdeShareDelA", ["00000143-0000-0000-c000-000000000046", 6] = "RemQueryInterface2", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 64] = "LlsrReplicationUserAddW", ["7c4e1804-e342-483d-a43e-a850cfcc8d18", 6] = "DeleteApplicationPool", ["12345778-1234-abcd-ef00-0123456789ab", 8] = "LsarSetInformationPolicy", ["5422fd3a-d4b8-4cef-a12e-e87d4ca22e90", 4] = "GetCACert", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 64] = "RpcWinStationFUSCanRemoteUserDisconnect", ["ccd8c074-d0e5-4a40-92b4-d074faa6ba28", 2] = "WitnessrUnRegister", ["367abb81-9844-35f1-ad32-98f038001003", 26] = "EnumServicesStatusA", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 101] = "ApiCreateNodeEnum", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 13] = "FTEnumVolumes", ["300f3532-38cc-11d0-a3f0-0020af6b0add", 5] = "Opnum5NotUsedOnWire", ["68b58241-c259-4f03-a2e5-a2651dcbc930", 0] = "KSrSubmitRequest", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 34] = "RRPC_FWDeleteMainModeRule", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 66] = "Opnum66NotUsedOnWire", ["bd0c73bc-805b-4043-9c30-9a28d64dd7d2", 17] = "Opnum17NotUsedOnWire", ["d049b186-814f-11d1-9a3c-00c04fc9b232", 6] = "Opnum6NotUsedOnWire", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 9] = "R_WinsPullRange", ["bd0c73bc-805b-4043-9c30-9a28d64dd7d2", 25] = "ExportToBlob", ["4b112204-0e19-11d3-b42b-0000f81feb9f", 8] = "RegisterNotificationRpc", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 65] = "LlsrProductSecurityGetW", ["12345778-1234-abcd-ef00-0123456789ab", 46] = "LsarQueryInformationPolicy2", ["12345678-1234-abcd-ef00-01234567cffb", 24] = "NetrLogonComputeServerDigest", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 1] = "nsi_group_mbr_add", ["17fdd703-1827-4e34-79d4-24a55c53bb37", 1] = "NetrMessageNameEnum", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 49] = "RpcWinStationNotifyNewSession", ["3919286a-b10c-11d0-9ba8-00c04fd92ef5", 9] = "DsRolerUpgradeDownlevelServer", ["027947e1-d731-11ce-a357-000000000001", 7] = "Skip", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 60] = "LlsrReplicationRequestW", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 24] = "SetLastChangeTime", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 14] = "ApiGetResourceId", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 49] = "LlsrLocalProductEnumA", ["5b821720-f63b-11d0-aad2-00c04fc324db", 97] = "R_DhcpV4FailoverGetScopeStatistics", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 70] = "ApiResumeNode", ["4b112204-0e19-11d3-b42b-0000f81feb9f", 1] = "DeregisterServiceRpcByUSN", ["12345778-1234-abcd-ef00-0123456789ab", 93] = "CredrRestoreCredentials", ["df1941c5-fe89-4e79-bf10-463657acf44d", 19] = "EfsRpcSetEncryptedFileMetadata", ["76f03f96-cdfd-44fc-a22c-64950a001209", 31] = "RpcAsyncDeletePrinterDataEx", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 3] = "LlsrLicenseEnumA", ["12345678-1234-abcd-ef00-0123456789ab", 19] = "RpcWritePrinter", ["5b821720-f63b-11d0-aad2-00c04fc324db", 121] = "R_DhcpV6GetFreeIPAddress", ["2a3eb639-d134-422d-90d8-aaa1b5216202", 7] = "ExportObjects", ["5b821720-f63b-11d0-aad2-00c04fc324db", 40] = "R_DhcpGetServerBindingInfo", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 35] = "ApiDeleteKey", ["2a3eb639-d134-422d-90d8-aaa1b5216202", 8] = "GetImportConflicts", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 7] = "CreatePartitionAssignandFormatEx", ["000001a0-0000-0000-c000-000000000046", 4] = "RemoteCreateInstance", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 31] = "RRPC_FWEnumProducts", ["6bffd098-a112-3610-9833-46c3f874532d", 1] = "R_DhcpSetSubnetInfo", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 52] = "LlsrLocalProductInfoSetW", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 59] = "PNP_RegisterNotification", ["f5cc5a18-4264-101a-8c59-08002b2f8426", 2] = "NspiUpdateStat", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 20] = "ElfrDeregisterClusterSvc", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 50] = "RpcServerGetInternetConnectorStatus", ["4b112204-0e19-11d3-b42b-0000f81feb9f", 5] = "CleanupCacheRpc", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 60] = "RpcWinStationCloseServerEx", ["12345778-1234-abcd-ef00-0123456789ab", 94] = "CredrBackupCredentials", ["59602eb6-57b0-4fd8-aa4b-ebf06971fe15", 9] = "ModifyPolicy", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 1] = "RRPC_FWClosePolicyStore", ["5b821720-f63b-11d0-aad2-00c04fc324db", 81] = "R_DhcpGetMibInfoV5", ["bde95fdf-eee0-45de-9e12-e5a61cd0d4fe", 8] = "RpcGetAllListeners", ["8fb6d884-2388-11d0-8c35-00c04fda2795", 1] = "W32TimeGetNetlogonServiceBits", ["83da7c00-e84f-11d2-9807-00c04f8ec850", 0] = "SfcSrv_GetNextProtectedFile", ["a4f1db00-ca47-1067-b31f-00dd010662da", 3] = "EcGetMoreRpc", ["338cd001-2244-31f1-aaaa-900038001003", 11] = "BaseRegFlushKey", ["12345778-1234-abcd-ef00-0123456789ab", 29] = "LsarSetSecret", ["367abb81-9844-35f1-ad32-98f038001003", 25] = "EnumDependentServicesA", ["6bffd098-a112-3610-9833-012892020162", 0] = "BrowserrServerEnum", ["76f03f96-cdfd-44fc-a22c-64950a001209", 72] = "RpcAsyncDeleteJobNamedProperty", ["12345678-1234-abcd-ef00-0123456789ab", 73] = "RpcDeletePrinterData", ["214a0f28-b737-4026-b847-4f9e37d79529", 8] = "Opnum08NotUsedOnWire", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 94] = "ApiGetNetInterfaceState", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 13] = "R_WinsGetNameAndAdd", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 6] = "EfsRpcQueryUsersOnFile", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 6] = "R_WinsTerm", ["82ad4280-036b-11cf-972c-00aa006887b0", 11] = "R_W3ClearStatistics2", ["0a74ef1c-41a4-4e06-83ae-dc74fb1cdd53", 0] = "ItSrvRegisterIdleTask", ["9556dc99-828c-11cf-a37e-00aa003240c7", 15] = "PutInstanceAsync", ["3919286a-b10c-11d0-9ba8-00c04fd92ef5", 7] = "DsRolerCancel", ["c386ca3e-9061-4a72-821e-498d83be188f", 23] = "AudioSessionSetMute", ["6bffd098-a112-3610-9833-46c3f87e345a", 7] = "NetrWkstaTransportDel", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 79] = "EnumAccessPathForVolume", ["6bffd098-a112-3610-9833-46c3f87e345a", 20] = "NetrGetJoinInformation", ["6bffd098-a112-3610-9833-012892020162", 3] = "BrowserrResetNetlogonState", ["86d35949-83c9-4044-b424-db363231fd0c", 8] = "SchRpcEnumInstances", ["338cd001-2244-31f1-aaaa-900038001003", 24] = "BaseInitiateSystemShutdown", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 56] = "Opnum56NotUsedOnWire", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 38] = "AddMirror", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 74] = "ApiNodeResourceTypeControl", ["7c4e1804-e342-483d-a43e-a850cfcc8d18", 4] = "DeleteApplication", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 20] = "EvtRpcGetChannelConfig", ["8298d101-f992-43b7-8eca-5052d885b995", 38] = "RestoreHistory", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 21] = "NetrDfsEnumEx", ["12345678-1234-abcd-ef00-0123456789ab", 84] = "RpcDeletePrinterDriverEx", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 55] = "LlsrServiceInfoGetA", ["76f03f96-cdfd-44fc-a22c-64950a001209", 44] = "RpcAsyncAddPrintProcessor", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 53] = "LlsrLocalProductInfoSetA", ["76f03f96-cdfd-44fc-a22c-64950a001209", 47] = "RpcAsyncEnumPorts", ["6bffd098-a112-3610-9833-012892020162", 1] = "BrowserrDebugCall", ["91ae6020-9e3c-11cf-8d7c-00aa00c091be", 0] = "CertServerRequest", ["afa8bd80-7d8a-11c9-bef4-08002b102989", 4] = "inq_princ_name", ["708cca10-9569-11d1-b2a5-0060977d8118", 5] = "S_DSEndDeleteNotification", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 36] = "RpcWinStationEnumerateProcesses", ["12345778-1234-abcd-ef00-0123456789ab", 37] = "LsarAddAccountRights", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 9] = "RpcWinStationNameFromLogonId", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 56] = "NetrServerAliasDel", ["9556dc99-828c-11cf-a37e-00aa003240c7", 3] = "OpenNamespace", ["12345678-1234-abcd-ef00-01234567cffb", 6] = "NetrServerPasswordSet", ["76f03f96-cdfd-44fc-a22c-64950a001209", 33] = "RpcAsyncXcvData", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 88] = "ApiNodeNetworkControl", ["300f3532-38cc-11d0-a3f0-0020af6b0add", 2] = "Opnum2NotUsedOnWire", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 78] = "ApiNodeNodeControl", ["76f03f96-cdfd-44fc-a22c-64950a001209", 35] = "RpcAsyncCreatePrinterIC", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 75] = "ApiResourceTypeControl", ["e1af8308-5d1f-11c9-91a4-08002b14a0fa", 0] = "ept_insert", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 177] = "ApiSetGroupSetDependencyExpression", ["367abb81-9844-35f1-ad32-98f038001003", 60] = "CreateWowService", ["894de0c0-0d55-11d3-a322-00c04fa321a1", 0] = "BaseInitiateShutdown", ["5b821720-f63b-11d0-aad2-00c04fc324db", 98] = "R_DhcpV4FailoverGetClientInfo", ["378e52b0-c0a9-11cf-822d-00aa0051e40f", 3] = "SAGetAccountInformation", ["12345678-1234-abcd-ef00-0123456789ab", 104] = "RpcReportJobProcessingProgress", ["12345678-1234-abcd-ef00-0123456789ab", 42] = "RpcDeletePrinterIC", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 28] = "LlsrMappingEnumW", ["df1941c5-fe89-4e79-bf10-463657acf44d", 7] = "EfsRpcQueryRecoveryAgents", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 6] = "CreatePartitionAssignAndFormat", ["21546ae8-4da5-445e-987f-627fea39c5e8", 11] = "GetExclusionList", ["6bffd098-a112-3610-9833-46c3f874532d", 41] = "R_DhcpServerSetConfigVQ", ["00000143-0000-0000-c000-000000000046", 2] = "Release", ["367abb81-9844-35f1-ad32-98f038001003", 49] = "CloseNotifyHandle", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 24] = "PNP_RegisterDeviceClassAssociation", ["12345778-1234-abcd-ef00-0123456789ac", 30] = "SamrDeleteAlias", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 44] = "RpcWinStationGetProcessSid", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 32] = "RRPC_FWAddMainModeRule", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 29] = "Restore", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 1] = "LlsrClose", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 23] = "DRSGetObjectExistence", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 62] = "LlsrReplicationServerServiceAddW", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 36] = "DeletePartitionsForVolume", ["6bffd098-a112-3610-9833-46c3f874532d", 3] = "R_DhcpEnumSubnets", ["2f5f3220-c126-1076-b549-074d078619da", 2] = "NDdeShareDelW", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 23] = "Opnum23NotUsedOnWire", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 39] = "InitializeDiskEx", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 13] = "RRPC_FWSetConnectionSecurityRule", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 27] = "EnumVolumes", ["c386ca3e-9061-4a72-821e-498d83be188f", 41] = "AudioSessionManagerGetExistingSession", ["5b821720-f63b-11d0-aad2-00c04fc324db", 59] = "R_DhcpAddSubnetElementV6", ["897e2e5f-93f3-4376-9c9c-fd2277495c27", 17] = "RdcFileDataTransferKeepAlive", ["12345778-1234-abcd-ef00-0123456789ab", 72] = "LsarUnregisterAuditEvent", ["a8e0653c-2744-4389-a61d-7373df8b2292", 12] = "PrepareShadowCopy", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 8] = "DeletePartition", ["12345678-1234-abcd-ef00-0123456789ab", 101] = "RpcGetCorePrinterDrivers", ["76f03f96-cdfd-44fc-a22c-64950a001209", 54] = "RpcAsyncEnumPrintProcessorDatatypes", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 56] = "RpcWinStationRegisterConsoleNotification", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 2] = "ElfrCloseEL", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 59] = "Opnum59NotUsedOnWire", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 11] = "RRPC_FWSetConfig", ["6bffd098-a112-3610-9833-46c3f87e345a", 26] = "NetrGetJoinableOUs2", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 0] = "R_WinsRecordAction", ["6bffd098-a112-3610-9833-46c3f87e345a", 18] = "NetrValidateName", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 17] = "PNP_DeleteRegistryKey", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 6] = "NetrDfsRename", ["76f03f96-cdfd-44fc-a22c-64950a001209", 40] = "RpcAsyncEnumPrinterDrivers", ["338cd001-2244-31f1-aaaa-900038001003", 13] = "BaseRegLoadKey", ["c386ca3e-9061-4a72-821e-498d83be188f", 33] = "AudioServerGetDevicePeriod", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 32] = "ApiSetValue", ["2f59a331-bf7d-48cb-9ec5-7c090d76e8b8", 7] = "RpcLicensingGetPolicyInformation", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 25] = "LlsrUserProductEnumA", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 53] = "PNP_DetectResourceConflict", ["708cca10-9569-11d1-b2a5-0060977d8118", 1] = "S_DSGetPropsEx", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 30] = "RRPC_FWDeletePhase2SAs", ["2f5f3220-c126-1076-b549-074d078619da", 7] = "NDdeShareEnumA", ["481e06cf-ab04-4498-8ffe-124a0a34296d", 20] = "GetServerTimeZone", ["76f03f96-cdfd-44fc-a22c-64950a001209", 10] = "RpcAsyncStartDocPrinter", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 66] = "AbortTask", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 23] = "ApiAddResourceNode", ["12345678-1234-abcd-ef00-01234567cffb", 3] = "NetrLogonSamLogoff", ["12345678-1234-abcd-ef00-01234567cffb", 45] = "NetrLogonSamLogonWithFlags", ["12345778-1234-abcd-ef00-0123456789ac", 0] = "SamrConnect", ["59602eb6-57b0-4fd8-aa4b-ebf06971fe15", 7] = "GetPolicyInfo", ["9556dc99-828c-11cf-a37e-00aa003240c7", 19] = "CreateInstanceEnumAsync", ["2f5f6521-ca47-1068-b319-00dd010662db", 2] = "RemoteSPDetach", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 8] = "EfsRpcRemoveUsersFromFile", ["6bffd098-a112-3610-9833-46c3f874532d", 2] = "R_DhcpGetSubnetInfo", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 22] = "EfsRpcQueryProtectors", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 16] = "R_WinsSetFlags", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 11] = "DRSGetNT4ChangeLog", ["12345778-1234-abcd-ef00-0123456789ab", 60] = "CredrWrite", ["12345678-1234-abcd-ef00-01234567cffb", 32] = "NetrLogonSendToSam", ["708cca10-9569-11d1-b2a5-0060977d8118", 4] = "S_DSNotifyDelete", ["12345678-1234-abcd-ef00-0123456789ab", 65] = "RpcRemoteFindFirstPrinterChangeNotificationEx", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 23] = "GetDataSetNumber", ["12345778-1234-abcd-ef00-0123456789ac", 42] = "SamrTestPrivateFunctionsDomain", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 18] = "NetrShareDel", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 57] = "Opnum57NotUsedOnWire", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 4] = "LlsrLicenseAddW", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 21] = "EnumDriveLetters", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 68] = "GetTaskDetail", ["12345778-1234-abcd-ef00-0123456789ab", 129] = "LsarCreateTrustedDomainEx3", ["f309ad18-d86a-11d0-a075-00c04fb68820", 4] = "RequestChallenge", ["99fcfec4-5260-101b-bbcb-00aa0021347a", 5] = "ServerAlive2", ["8fb6d884-2388-11d0-8c35-00c04fda2795", 6] = "W32TimeQueryStatus", ["83da7c00-e84f-11d2-9807-00c04f8ec850", 4] = "SfcSrv_PurgeCache", ["12345678-1234-abcd-ef00-0123456789ab", 44] = "RpcDeletePrinterConnection", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 18] = "nsi_mgmt_entry_create", ["8d0ffe72-d252-11d0-bf8f-00c04fd9126b", 8] = "KeyrExportCert", ["9556dc99-828c-11cf-a37e-00aa003240c7", 4] = "CancelAsyncCall", ["f5cc5a18-4264-101a-8c59-08002b2f8426", 16] = "NspiQueryColumns", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 7] = "DRSReplicaModify", ["5b821720-f63b-11d0-aad2-00c04fc324db", 45] = "R_DhcpRestoreDatabase", ["7fe0d935-dda6-443f-85d0-1cfb58fe41dd", 35] = "EnumViewColumnTable", ["7c4e1804-e342-483d-a43e-a850cfcc8d18", 8] = "RecycleApplicationPool", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 48] = "RpcWinStationSendWindowMessage", ["c386ca3e-9061-4a72-821e-498d83be188f", 31] = "PolicyConfigGetDeviceFormat", ["a8e0653c-2744-4389-a61d-7373df8b2292", 0] = "GetSupportedVersion", ["86d35949-83c9-4044-b424-db363231fd0c", 13] = "SchRpcDelete", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 11] = "Eject", ["897e2e5f-93f3-4376-9c9c-fd2277495c27", 9] = "RdcGetSignatures", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 22] = "GetSystemChangeNumber", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 19] = "DRSGetReplInfo", ["44e265dd-7daf-42cd-8560-3cdb6e7a2729", 2] = "TsProxyAuthorizeTunnel", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 37] = "PNP_RequestDeviceEject", ["6bffd098-a112-3610-9833-46c3f874532d", 15] = "R_DhcpRemoveOptionValue", ["9556dc99-828c-11cf-a37e-00aa003240c7", 7] = "GetObjectAsync", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 19] = "FTReplaceMirrorPartition", ["12345778-1234-abcd-ef00-0123456789ab", 43] = "LsarRetrievePrivateData", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 45] = "RRPC_FWGetConfig2_10", ["6bffd098-a112-3610-9833-46c3f87e345a", 10] = "NetrUseDel", ["12345678-1234-abcd-ef00-0123456789ab", 23] = "RpcEndDocPrinter", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 13] = "EvtRpcClose", ["300f3532-38cc-11d0-a3f0-0020af6b0add", 9] = "Opnum9NotUsedOnWire", ["5b821720-f63b-11d0-aad2-00c04fc324db", 69] = "R_DhcpGetServerBindingInfoV6", ["77df7a80-f298-11d0-8358-00a024c480a8", 10] = "S_DSDeleteObjectGuid", ["4f7ca01c-a9e5-45b6-b142-2332a1339c1d", 18] = "SetAccountingClientStatus", ["df1941c5-fe89-4e79-bf10-463657acf44d", 16] = "EfsRpcFileKeyInfoEx", ["12345778-1234-abcd-ef00-0123456789ac", 68] = "SamrQueryLocalizableAccountsInDomain", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 14] = "FTEnumLogicalDiskMembers", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 157] = "ApiExecuteReadBatchEx", ["c386ca3e-9061-4a72-821e-498d83be188f", 25] = "AudioSessionSetChannelVolume", ["29822ab7-f302-11d0-9953-00c04fd919c1", 7] = "AppDeleteRecoverable", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 65] = "Opnum65NotUsedOnWire", ["12345678-1234-abcd-ef00-01234567cffb", 9] = "NetrAccountDeltas", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 15] = "RRPC_FWEnumConnectionSecurityRules", ["5b821720-f63b-11d0-aad2-00c04fc324db", 80] = "R_DhcpGetSubnetDelayOffer", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 35] = "Opnum35NotUsedOnWire", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 42] = "LlsrMappingDeleteW", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 108] = "ApiSetServiceAccountPassword", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 6] = "EvtRpcClearLog", ["5b821720-f63b-11d0-aad2-00c04fc324db", 36] = "R_DhcpServerRedoAuthorization", ["484809d6-4239-471b-b5bc-61df8c23ac48", 1] = "RpcRegisterAsyncNotification", ["5b821720-f63b-11d0-aad2-00c04fc324db", 19] = "R_DhcpSetOptionValueV5", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 39] = "RRPC_FWQueryMainModeRules", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 103] = "ApiCreateResTypeEnum", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 14] = "FTEnumLogicalDiskMembers", ["e1af8308-5d1f-11c9-91a4-08002b14a0fa", 5] = "ept_inq_object", ["5b821720-f63b-11d0-aad2-00c04fc324db", 89] = "R_DhcpV4FailoverCreateRelationship", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 15] = "ElfrRegisterEventSourceA", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 6] = "PNP_ValidateDeviceInstance", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 20] = "RpcWinStationGenerateLicense", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d6", 0] = "RpcSrvRequestPrefix", ["4f7ca01c-a9e5-45b6-b142-2332a1339c1d", 17] = "GetAccountingClients", ["12345678-1234-abcd-ef00-0123456789ab", 32] = "RpcGetForm", ["367abb81-9844-35f1-ad32-98f038001003", 46] = "ScQueryServiceTagInfo", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 27] = "BackupTruncateLogs", ["afa8bd80-7d8a-11c9-bef4-08002b102989", 0] = "inq_if_ids", ["12345778-1234-abcd-ef00-0123456789ac", 2] = "SamrSetSecurityObject", ["367abb81-9844-35f1-ad32-98f038001003", 20] = "GetServiceDisplayNameW", ["e65e8028-83e8-491b-9af7-aaf6bd51a0ce", 8] = "GetReferenceBacklogCounts", ["367abb81-9844-35f1-ad32-98f038001003", 31] = "StartServiceA", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 63] = "Opnum63NotUsedOnWire", ["83da7c00-e84f-11d2-9807-00c04f8ec850", 6] = "SfcSrv_SetDisable", ["12345778-1234-abcd-ef00-0123456789ab", 86] = "LsarEnumerateAuditCategories", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 35] = "LlsrMappingUserEnumA", ["2f5f3220-c126-1076-b549-074d078619da", 18] = "NDdeSpecialCommand", ["d049b186-814f-11d1-9a3c-00c04fc9b232", 0] = "Opnum0NotUsedOnWire", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 60] = "PNP_UnregisterNotification", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 47] = "ReAttachDisk", ["12345678-1234-abcd-ef00-0123456789ab", 33] = "RpcSetForm", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 63] = "PNP_GetBlockedDriverInfo", ["50abc2a4-574d-40b3-9d66-ee4fd5fba076", 15] = "DnssrvOperation4", ["c4b0c7d9-abe0-4733-a1e1-9fdedf260c7a", 6] = "CreateObject", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 125] = "ApiCreateEnumEx", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 4] = "NetrCharDevQGetInfo", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 6] = "DRSReplicaDel", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 164] = "ApiOpenGroupSet", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 22] = "NetrServerSetInfo", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 10] = "RevokeCertificate", ["5b821720-f63b-11d0-aad2-00c04fc324db", 35] = "R_DhcpServerQueryAttributes", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 26] = "IDL_DRSReplicaDemotion", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 68] = "RpcWinStationSessionInitialized", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 13] = "EfsRpcDuplicateEncryptionInfoFile", ["367abb81-9844-35f1-ad32-98f038001003", 39] = "QueryServiceConfig2W", ["3faf4738-3a21-4307-b46c-fdda9bb8c0d5", 1] = "gfxCreateGfxFactoriesList", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 36] = "RRPC_FWEnumMainModeRules", ["12345678-1234-abcd-ef00-0123456789ab", 29] = "RpcClosePrinter", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 41] = "NetrServerTransportAddEx", ["d049b186-814f-11d1-9a3c-00c04fc9b232", 9] = "NtFrsApi_Rpc_WriterCommand", ["5b821720-f63b-11d0-aad2-00c04fc324db", 67] = "R_DhcpGetMibInfoV6", ["2f59a331-bf7d-48cb-9ec5-7c090d76e8b8", 6] = "RpcLicensingGetPolicy", ["83da7c00-e84f-11d2-9807-00c04f8ec850", 7] = "SfcSrv_InstallProtectedFiles", ["4da1c422-943d-11d1-acae-00c04fc2aa3f", 0] = "LnkSvrMessage", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 77] = "ApiGroupControl", ["12345678-1234-abcd-ef00-0123456789ab", 89] = "RpcAddPrinterDriverEx", ["59602eb6-57b0-4fd8-aa4b-ebf06971fe15", 17] = "GetCurrentPolicy", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 39] = "LlsrMappingUserDeleteA", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 21] = "ApiCanResourceBeDependent", ["12345678-1234-abcd-ef00-0123456789ab", 70] = "RpcAddPrinterEx", ["378e52b0-c0a9-11cf-822d-00aa0051e40f", 1] = "SASetNSAccountInformation", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 2] = "NetrCharDevControl", ["300f3532-38cc-11d0-a3f0-0020af6b0add", 0] = "Opnum0NotUsedOnWire", ["12345678-1234-abcd-ef00-0123456789ab", 30] = "RpcAddForm", ["4b112204-0e19-11d3-b42b-0000f81feb9f", 11] = "DeregisterNotificationRpc", ["6619a740-8154-43be-a186-0319578e02db", 8] = "RemoteDispatchNotAutoDone", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 10] = "PNP_GetDeviceList", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 67] = "RpcWinStationNotifyDisconnectPipe", ["00020401-0000-0000-c000-000000000046", 17] = "GetMops", ["e1af8308-5d1f-11c9-91a4-08002b14a0fa", 8] = "ept_map_auth_async", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 18] = "PNP_GetClassCount", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 15] = "nsi_entry_expand_name", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 36] = "NetrShareEnumSticky", ["a8e0653c-2744-4389-a61d-7373df8b2292", 7] = "AbortShadowCopySet", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 30] = "NetprPathType", ["12345778-1234-abcd-ef00-0123456789ac", 55] = "SamrUnicodeChangePasswordUser2", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 16] = "EfsRpcFileKeyInfoEx", ["367abb81-9844-35f1-ad32-98f038001003", 48] = "GetNotifyResult", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 46] = "RpcWinStationReInitializeSecurity", ["fa7df749-66e7-4986-a27f-e2f04ae53772", 5] = "QuerySnapshotsByVolume", ["481e06cf-ab04-4498-8ffe-124a0a34296d", 9] = "ModifyCalendar", ["f309ad18-d86a-11d0-a075-00c04fb68820", 5] = "WBEMLogin", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 20] = "RpcSrvGetOriginalSubnetMask", ["d95afe70-a6d5-4259-822e-2c84da1ddb0d", 0] = "WsdrInitiateShutdown", ["12345778-1234-abcd-ef00-0123456789ab", 79] = "LsarAdtRegisterSecurityEventSource", ["367abb81-9844-35f1-ad32-98f038001003", 51] = "ControlServiceExW", ["bc681469-9dd9-4bf4-9b3d-709f69efe431", 7] = "GetResourceGroupInfo", ["50abc2a4-574d-40b3-9d66-ee4fd5fba076", 1] = "DnssrvQuery", ["5b821720-f63b-11d0-aad2-00c04fc324db", 28] = "R_DhcpEnumClasses", ["77df7a80-f298-11d0-8358-00a024c480a8", 13] = "S_DSGetObjectSecurityGuid", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 8] = "DeletePartition", ["29822ab7-f302-11d0-9953-00c04fd919c1", 4] = "AppDelete", ["f5cc5a18-4264-101a-8c59-08002b2f8426", 0] = "NspiBind", ["0a74ef1c-41a4-4e06-83ae-dc74fb1cdd53", 1] = "ItSrvUnregisterIdleTask", ["76f03f96-cdfd-44fc-a22c-64950a001209", 2] = "RpcAsyncSetJob", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 36] = "Opnum36NotUsedOnWire", ["12345678-1234-abcd-ef00-0123456789ab", 78] = "RpcGetPrinterDataEx", ["5422fd3a-d4b8-4cef-a12e-e87d4ca22e90", 3] = "Request", ["59602eb6-57b0-4fd8-aa4b-ebf06971fe15", 15] = "GetCalDefaultPolicyName", ["12345678-1234-abcd-ef00-0123456789ab", 3] = "RpcGetJob", ["5b821720-f63b-11d0-aad2-00c04fc324db", 20] = "R_DhcpSetOptionValuesV5", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 25] = "NetrServerTransportAdd", ["12345778-1234-abcd-ef00-0123456789ab", 36] = "LsarEnumerateAccountRights", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 12] = "nsi_entry_object_inq_begin", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 58] = "RRPC_FWAddConnectionSecurityRule2_20", ["d049b186-814f-11d1-9a3c-00c04fc9b232", 4] = "NtFrsApi_Rpc_Set_DsPollingIntervalW", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 9] = "ElfrOpenBELW", ["3faf4738-3a21-4307-b46c-fdda9bb8c0d5", 8] = "gfxLogoff", ["12345678-1234-abcd-ef00-01234567cffb", 2] = "NetrLogonSamLogon", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 12] = "R_WinsWorkerThdUpd", ["8298d101-f992-43b7-8eca-5052d885b995", 39] = "EnumHistory", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 2] = "nsi_group_mbr_remove", ["c386ca3e-9061-4a72-821e-498d83be188f", 29] = "AudioServerDisconnect", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 10] = "nsi_profile_elt_inq_next", ["12345778-1234-abcd-ef00-0123456789ab", 70] = "LsarRegisterAuditEvent", ["82ad4280-036b-11cf-972c-00aa006887b0", 12] = "R_FtpQueryStatistics2", ["c5cebee2-9df5-4cdd-a08c-c2471bc144b4", 14] = "GetllSAppPoolNames", ["c386ca3e-9061-4a72-821e-498d83be188f", 58] = "AudioVolumeAddMasterVolumeNotification", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 54] = "LlsrServiceInfoGetW", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 28] = "PNP_CreateDevInst", ["82ad4280-036b-11cf-972c-00aa006887b0", 1] = "R_InetInfoGetAdminInformation", ["df1941c5-fe89-4e79-bf10-463657acf44d", 31] = "Opnum31NotUsedOnWire", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 4] = "DeleteKey", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 123] = "ApiChangeCsvState", ["0b1c2170-5732-4e0e-8cd3-d9b16f3b84d7", 6] = "AuthrzModifySids", ["5b821720-f63b-11d0-aad2-00c04fc324db", 77] = "R_DhcpEnumClassesV6", ["29822ab7-f302-11d0-9953-00c04fd919c1", 5] = "AppUnLoad", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 34] = "LlsrMappingUserEnumW", ["12345778-1234-abcd-ef00-0123456789ab", 84] = "LsarQueryAuditPolicy", ["367abb81-9844-35f1-ad32-98f038001003", 19] = "StartServiceW", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 20] = "NetrDfsRemove2", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 27] = "Opnum27NotUsedOnWire", ["9556dc99-828c-11cf-a37e-00aa003240c7", 16] = "DeleteClass", ["484809d6-4239-471b-b5bc-61df8c23ac48", 2] = "RpcWaitAsyncNotification", ["5b821720-f63b-11d0-aad2-00c04fc324db", 51] = "R_DhcpRemoveOptionV6", ["9556dc99-828c-11cf-a37e-00aa003240c7", 17] = "DeleteClassAsync", ["b9785960-524f-11df-8b6d-83dcded72085", 0] = "GetKey", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 19] = "NetrDfsAdd2", ["c5cebee2-9df5-4cdd-a08c-c2471bc144b4", 11] = "RestoreXMLFiles", ["12345678-1234-abcd-ef00-01234567cffb", 34] = "DsrGetDcNameEx2", ["3faf4738-3a21-4307-b46c-fdda9bb8c0d5", 5] = "gfxModifyGx", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 13] = "DRSWriteSPN", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 25] = "EvtRpcGetPublisherResourceMetadata", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 78] = "DeleteAccessPath", ["4b112204-0e19-11d3-b42b-0000f81feb9f", 3] = "UpdateCacheRpc", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 12] = "EfsRpcFileKeyInfo", ["6bffd098-a112-3610-9833-012892020162", 8] = "NetrBrowserStatisticsGet", ["9556dc99-828c-11cf-a37e-00aa003240c7", 25] = "ExecMethodAsync", ["77df7a80-f298-11d0-8358-00a024c480a8", 9] = "Opnum9NotUsedOnWire", ["86d35949-83c9-4044-b424-db363231fd0c", 18] = "SchRpcGetNumberOfMissedRuns", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 14] = "RpcWinStationReset", ["214a0f28-b737-4026-b847-4f9e37d79529", 6] = "QueryDiffAreasForVolume", ["943991a5-b3fe-41fa-9696-7f7b656ee34b", 11] = "RenameMachineGroup", ["12345778-1234-abcd-ef00-0123456789ac", 32] = "SamrRemoveMemberFromAlias", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 139] = "ApiGetNotifyV2", ["2f5f3220-c126-1076-b549-074d078619da", 10] = "NDdeShareSetInfoW", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 30] = "ApiOpenKey", ["12345678-1234-abcd-ef00-0123456789ab", 25] = "RpcScheduleJob", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 19] = "NetrShareDelSticky", ["f5cc59b4-4264-101a-8c59-08002b2f8426", 5] = "FrsBackupComplete", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 28] = "EnumVolumeMembers", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 135] = "ApiOnlineResourceEx", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 23] = "RpcWinStationActivateLicense", ["12345778-1234-abcd-ef00-0123456789ab", 76] = "LsarLookupSids3", ["7fe0d935-dda6-443f-85d0-1cfb58fe41dd", 37] = "SetCASecurity", ["bd0c73bc-805b-4043-9c30-9a28d64dd7d2", 24] = "Opnum24NotUsedOnWire", ["12345778-1234-abcd-ef00-0123456789ab", 5] = "LsarChangePassword", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 24] = "ApiRemoveResourceNode", ["5b821720-f63b-11d0-aad2-00c04fc324db", 15] = "R_DhcpSetOptionInfoV5", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 22] = "AssignDriveLetter", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 9] = "EvtRpcMessageRender", ["77df7a80-f298-11d0-8358-00a024c480a8", 21] = "S_DSQMGetObjectSecurity", ["76f03f96-cdfd-44fc-a22c-64950a001209", 5] = "RpcAsyncAddJob", ["367abb81-9844-35f1-ad32-98f038001003", 34] = "ScGetCurrentGroupStateW", ["2f59a331-bf7d-48cb-9ec5-7c090d76e8b8", 2] = "RpcLicensingLoadPolicy", ["2f5f6521-ca47-1068-b319-00dd010662db", 1] = "RemoteSPEventProc", ["12345678-1234-abcd-ef00-0123456789ab", 26] = "RpcGetPrinterData", ["897e2e5f-93f3-4376-9c9c-fd2277495c27", 3] = "RequestUpdates", ["76f03f96-cdfd-44fc-a22c-64950a001209", 11] = "RpcAsyncStartPagePrinter", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 120] = "ApiOpenResourceEx", ["12345678-1234-abcd-ef00-0123456789ab", 13] = "RpcDeletePrinterDriver", ["df1941c5-fe89-4e79-bf10-463657acf44d", 39] = "Opnum39NotUsedOnWire", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 69] = "Uninitialize", ["367abb81-9844-35f1-ad32-98f038001003", 1] = "ControlService", ["5b821720-f63b-11d0-aad2-00c04fc324db", 46] = "R_DhcpGetServerSpecificStrings", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 181] = "ApiCreateNetInterfaceEnum", ["12345678-1234-abcd-ef00-0123456789ab", 39] = "RpcDeletePort", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 11] = "NetrDfsRemoveFtRoot", ["12345778-1234-abcd-ef00-0123456789ac", 25] = "SamrGetMembersInGroup", ["5b821720-f63b-11d0-aad2-00c04fc324db", 101] = "R_DhcpV4SetOptionValue", ["bde95fdf-eee0-45de-9e12-e5a61cd0d4fe", 9] = "RpcGetSessionProtocolLastInputTime", ["894de0c0-0d55-11d3-a322-00c04fa321a1", 1] = "BaseAbortShutdown", ["12345678-1234-abcd-ef00-0123456789ab", 83] = "RpcSeekPrinter", ["00020401-0000-0000-c000-000000000046", 7] = "GetNames", ["367abb81-9844-35f1-ad32-98f038001003", 15] = "OpenSCManagerW", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 81] = "ApiOpenNetwork", ["a4f1db00-ca47-1067-b31f-00dd010662da", 13] = "EcUnknown0xD", ["12345678-1234-abcd-ef00-0123456789ab", 80] = "RpcEnumPrinterKey", ["897e2e5f-93f3-4376-9c9c-fd2277495c27", 7] = "UpdateCancel", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 20] = "EfsRpcFlushEfsCache", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 18] = "EvtRpcGetLogFileInfo", ["a8e0653c-2744-4389-a61d-7373df8b2292", 6] = "RecoveryCompleteShadowCopySet", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 25] = "RpcSrvGetNotificationStatus", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 117] = "ApiOpenClusterEx", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 2] = "PNP_GetVersion", ["00000143-0000-0000-c000-000000000046", 0] = "QueryInterface", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 73] = "SecureSystemPartition", ["12345778-1234-abcd-ef00-0123456789ab", 49] = "LsarSetTrustedDomainInfoByName", ["5b821720-f63b-11d0-aad2-00c04fc324db", 117] = "R_DhcpV6GetStatelessStoreParams", ["12345778-1234-abcd-ef00-0123456789ab", 48] = "LsarQueryTrustedDomainInfoByName", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 29] = "BackupGetDynamicFiles", ["d3fbb514-0e3b-11cb-8fad-08002b1d29c3", 3] = "nsi_mgmt_handle_set_exp_age", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 22] = "RRPC_FWAddCryptoSet", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 23] = "ElfrFlushEL", ["12345678-1234-abcd-ef00-0123456789ab", 16] = "RpcGetPrintProcessorDirectory", ["2f59a331-bf7d-48cb-9ec5-7c090d76e8b8", 0] = "RpcLicensingOpenServer", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 25] = "ElfrReportEventExW", ["6bffd098-a112-3610-9833-46c3f874532d", 48] = "R_DhcpCreateSubnetVQ", ["f5cc5a18-4264-101a-8c59-08002b2f8426", 18] = "NspiGetIDsFromNames", ["59602eb6-57b0-4fd8-aa4b-ebf06971fe15", 18] = "SetCurrentPolicy", ["12345678-1234-abcd-ef00-0123456789ab", 98] = "RpcDeletePrinterConnection2", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 29] = "RRPC_FWDeletePhase1SAs", ["12345778-1234-abcd-ef00-0123456789ac", 67] = "SamrValidatePassword", ["12345778-1234-abcd-ef00-0123456789ac", 15] = "SamrEnumerateAliasesInDomain", ["6619a740-8154-43be-a186-0319578e02db", 7] = "RemoteDispatchAutoDone", ["367abb81-9844-35f1-ad32-98f038001003", 44] = "CreateServiceWOW64A", ["12345678-1234-abcd-ef00-0123456789ab", 47] = "RpcDeleteMonitor", ["c386ca3e-9061-4a72-821e-498d83be188f", 59] = "AudioVolumeDeleteMasterVolumeNotification", ["ae1c7110-2f60-11d3-8a39-00c04f72d8e3", 6] = "Clone", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 41] = "ApiOpenGroup", ["88143fd0-c28d-4b2b-8fef-8d882f6a9390", 2] = "RpcFilterByState", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 26] = "RpcSrvGetDhcpServicedConnections", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 99] = "ApiAddNotifyNetInterface", ["5b821720-f63b-11d0-aad2-00c04fc324db", 32] = "R_DhcpAuditLogSetParams", ["338cd001-2244-31f1-aaaa-900038001003", 31] = "BaseRegSaveKeyEx", ["12345778-1234-abcd-ef00-0123456789ab", 42] = "LsarStorePrivateData", ["5b821720-f63b-11d0-aad2-00c04fc324db", 108] = "R_DhcpV4CreatePolicy", ["8d0ffe72-d252-11d0-bf8f-00c04fd9126b", 11] = "KeyrEnumerateCAs", ["481e06cf-ab04-4498-8ffe-124a0a34296d", 18] = "MoveBeforeCalendar", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 51] = "EncapsulateDiskEx", ["12345778-1234-abcd-ef00-0123456789ac", 64] = "SamrConnect5", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 65] = "ApiGetNotify", ["5b821720-f63b-11d0-aad2-00c04fc324db", 83] = "R_DhcpDeleteFilterV4", ["5b821720-f63b-11d0-aad2-00c04fc324db", 26] = "R_DhcpDeleteClass", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 14] = "ElfrOpenELA", ["12345778-1234-abcd-ef00-0123456789ab", 23] = "LsarGetSystemAccessAccount", ["4b112204-0e19-11d3-b42b-0000f81feb9f", 4] = "LookupCacheRpc", ["367abb81-9844-35f1-ad32-98f038001003", 0] = "CloseServiceHandle", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 18] = "NetrDfsFlushFtTable", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 130] = "ApiOnlineGroupEx", ["e8fb8620-588f-11d2-9d61-00c04f79c5fe", 7] = "Stop", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 29] = "EnumVolumeMembers", ["7fe0d935-dda6-443f-85d0-1cfb58fe41dd", 34] = "GetCAPropertyInfo", ["367abb81-9844-35f1-ad32-98f038001003", 30] = "QueryServiceLockStatusA", ["12345678-1234-abcd-ef00-0123456789ab", 31] = "RpcDeleteForm", ["708cca10-9569-11d1-b2a5-0060977d8118", 3] = "S_DSBeginDeleteNotification", ["e1af8308-5d1f-11c9-91a4-08002b14a0fa", 7] = "ept_map_auth", ["f5cc5a18-4264-101a-8c59-08002b2f8426", 14] = "NspiModLinkAtt", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 14] = "EvtRpcCancel", ["8d0ffe72-d252-11d0-bf8f-00c04fd9126b", 13] = "KeyrQueryRequestStatus", ["4f7ca01c-a9e5-45b6-b142-2332a1339c1d", 20] = "SetClientPermissions", ["d99e6e70-fc88-11d0-b498-00a0c90312f3", 3] = "Request", ["6bffd098-a112-3610-9833-46c3f87e345a", 28] = "NetrRemoveAlternateComputerName", ["4f7ca01c-a9e5-45b6-b142-2332a1339c1d", 7] = "CreateAccountingDb", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 32] = "NetprPathCompare", ["17fdd703-1827-4e34-79d4-24a55c53bb37", 3] = "NetrMessageNameDel", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 2] = "RpcIcaServerPing", ["12345678-1234-abcd-ef00-0123456789ab", 22] = "RpcReadPrinter", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 9] = "DRSGetMemberships", ["214a0f28-b737-4026-b847-4f9e37d79529", 5] = "QueryVolumesSupportedForDiffAreas", ["12345778-1234-abcd-ef00-0123456789ab", 51] = "LsarCreateTrustedDomainEx", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 1] = "DRSUnbind", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 21] = "EnumDriveLetters", ["338cd001-2244-31f1-aaaa-900038001003", 1] = "OpenCurrentUser", ["5b821720-f63b-11d0-aad2-00c04fc324db", 13] = "R_DhcpEnumMScopeClients", ["9556dc99-828c-11cf-a37e-00aa003240c7", 9] = "PutClassAsync", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 132] = "ApiMoveGroupEx", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 1] = "NetrDfsAdd", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 72] = "ApiNodeResourceControl", ["76f03f96-cdfd-44fc-a22c-64950a001209", 20] = "RpcAsyncClosePrinter", ["5b821720-f63b-11d0-aad2-00c04fc324db", 91] = "R_DhcpV4FailoverDeleteRelationship", ["897e2e5f-93f3-4376-9c9c-fd2277495c27", 16] = "RdcGetFileDataAsync", ["12345778-1234-abcd-ef00-0123456789ac", 43] = "SamrTestPrivateFunctionsUser", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 57] = "PNP_QueryArbitratorFreeSize", ["12345778-1234-abcd-ef00-0123456789ab", 66] = "CredrGetTargetInfo", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 27] = "PNP_SetClassRegProp", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 8] = "RpcSrvRemoveDnsRegistrations", ["6bffd098-a112-3610-9833-46c3f87e345a", 6] = "NetrWkstaTransportAdd", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 121] = "ApiOpenNetworkEx", ["5b821720-f63b-11d0-aad2-00c04fc324db", 103] = "R_DhcpV4GetOptionValue", ["12345678-1234-abcd-ef00-0123456789ab", 2] = "RpcSetJob", ["50abc2a4-574d-40b3-9d66-ee4fd5fba076", 3] = "DnssrvEnumRecords", ["5b821720-f63b-11d0-aad2-00c04fc324db", 41] = "R_DhcpSetServerBindingInfo", ["12345778-1234-abcd-ef00-0123456789ab", 18] = "LsarEnumeratePrivilegesAccount", ["6bffd098-a112-3610-9833-46c3f874532d", 47] = "R_DhcpEnumSubnetClientsVQ", ["12345678-1234-abcd-ef00-01234567cffb", 41] = "DsrDeregisterDnsHostRecords", ["f5cc5a18-4264-101a-8c59-08002b2f8426", 7] = "NspiDNToEph", ["5b821720-f63b-11d0-aad2-00c04fc324db", 1] = "R_DhcpSetMScopeInfo", ["367abb81-9844-35f1-ad32-98f038001003", 22] = "ScSetServiceBitsA", ["a4f1db00-ca47-1067-b31f-00dd010662da", 5] = "EcRUnregisterPushNotification", ["6bffd098-a112-3610-9833-46c3f87e345a", 8] = "NetrUseAdd", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 48] = "ApiGetNodeId", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 21] = "RpcSrvSetMSFTVendorSpecificOptions", ["7fe0d935-dda6-443f-85d0-1cfb58fe41dd", 32] = "GetCAProperty", ["12345678-1234-abcd-ef00-01234567cffb", 37] = "DsrAddressToSiteNamesExW", ["a4f1db00-ca47-1067-b31f-00dd010662da", 7] = "EcRGetDCName", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 21] = "EvtRpcPutChannelConfig", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 29] = "NetrServerSetServiceBits", ["12345778-1234-abcd-ef00-0123456789ab", 38] = "LsarRemoveAccountRights", ["76f03f96-cdfd-44fc-a22c-64950a001209", 37] = "RpcAsyncDeletePrinterIC", ["481e06cf-ab04-4498-8ffe-124a0a34296d", 7] = "GetCalendarInfo", ["338cd001-2244-31f1-aaaa-900038001003", 29] = "BaseRegQueryMultipleValues", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 48] = "LlsrLocalProductEnumW", ["f5cc59b4-4264-101a-8c59-08002b2f8426", 7] = "FrsBackupComplete", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 15] = "NetrDfsAddStdRootForced", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 8] = "RenameKey", ["c386ca3e-9061-4a72-821e-498d83be188f", 10] = "AudioVolumeGetMasterVolumeLevelScalar", ["338cd001-2244-31f1-aaaa-900038001003", 20] = "BaseRegSaveKey", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 34] = "ApiQueryValue", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 59] = "LlsrReplClose", ["12345678-1234-abcd-ef00-0123456789ab", 92] = "RpcCommitSpoolData", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 24] = "ElfrReportEventAndSourceW", ["76f03f96-cdfd-44fc-a22c-64950a001209", 60] = "RpcSyncRefreshRemoteNotifications", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 9] = "NetrFileEnum", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 55] = "QueryChangePartitionNumbers", ["0b1c2170-5732-4e0e-8cd3-d9b16f3b84d7", 0] = "AuthzrFreeContext", ["12345778-1234-abcd-ef00-0123456789ac", 29] = "SamrSetInformationAlias", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 17] = "nsi_mgmt_entry_delete", ["59602eb6-57b0-4fd8-aa4b-ebf06971fe15", 10] = "DeletePolicy", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 44] = "DiskMergeQuery", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 33] = "GetVolumeMountName", ["9556dc99-828c-11cf-a37e-00aa003240c7", 22] = "ExecNotificationQuery", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 26] = "ApiCreateResourceType", ["8fb6d884-2388-11d0-8c35-00c04fda2795", 2] = "W32TimeQueryProviderStatus", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 56] = "ApiCloseNotify", ["a8e0653c-2744-4389-a61d-7373df8b2292", 1] = "SetContext", ["12345678-1234-abcd-ef00-0123456789ab", 69] = "RpcSplOpenPrinter", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 57] = "SetDontShow", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 37] = "LlsrMappingUserAddA", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 13] = "R_GetAllData", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 11] = "nsi_profile_elt_inq_done", ["df1941c5-fe89-4e79-bf10-463657acf44d", 26] = "Opnum26NotUsedOnWire", ["21546ae8-4da5-445e-987f-627fea39c5e8", 15] = "RestoreExclusionList", ["12345678-1234-abcd-ef00-0123456789ab", 85] = "RpcAddPerMachineConnection", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 18] = "RpcWinStationShadowTargetSetup", ["338cd001-2244-31f1-aaaa-900038001003", 8] = "BaseRegDeleteValue", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 18] = "ElfrReportEventA", ["12345678-1234-abcd-ef00-01234567cffb", 28] = "DsrGetSiteName", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 8] = "NetrDfsManagerGetConfigInfo", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 45] = "RpcWinStationGetTermSrvCountersValue", ["df1941c5-fe89-4e79-bf10-463657acf44d", 23] = "Opnum23NotUsedOnWire", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 54] = "RRPC_FWEnumAuthenticationSets2_10", ["894de0c0-0d55-11d3-a322-00c04fa321a1", 2] = "BaseInitiateShutdownEx", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 16] = "nsi_mgmt_binding_unexport", ["338cd001-2244-31f1-aaaa-900038001003", 5] = "BaseRegCloseKey", ["ccd8c074-d0e5-4a40-92b4-d074faa6ba28", 3] = "WitnessrAsyncNotify", ["5b821720-f63b-11d0-aad2-00c04fc324db", 107] = "R_DhcpSetPolicyEnforcement", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 3] = "RpcWinStationEnumerate", ["12345778-1234-abcd-ef00-0123456789ac", 59] = "SamrSetBootKeyInformation", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 25] = "GetLastChangeTime", ["6bffd098-a112-3610-9833-46c3f874532d", 14] = "R_DhcpEnumOptionValues", ["12345678-1234-abcd-ef00-0123456789ab", 102] = "RpcCorePrinterDriverInstalled", ["6bffd098-a112-3610-9833-46c3f87e345a", 14] = "NetrLogonDomainNameAdd", ["6bffd098-a112-3610-9833-012892020162", 2] = "BrowserrQueryOtherDomains", ["1257b580-ce2f-4109-82d6-a9459d0bf6bc", 0] = "RpcShadow2", ["76f03f96-cdfd-44fc-a22c-64950a001209", 32] = "RpcAsyncDeletePrinterKey", ["943991a5-b3fe-41fa-9696-7f7b656ee34b", 14] = "ModifyMachineInfo", ["c3fcc19e-a970-11d2-8b5a-00a0c9b7c9c4", 4] = "GetObjectIdentify", ["367abb81-9844-35f1-ad32-98f038001003", 27] = "OpenSCManagerA", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 27] = "R_KeyExchangePhase2", ["9556dc99-828c-11cf-a37e-00aa003240c7", 10] = "DeleteClass", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 167] = "ApiAddGroupToGroupSet", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 74] = "RpcWinStationCheckAccess", ["897e2e5f-93f3-4376-9c9c-fd2277495c27", 12] = "RdcClose", ["897e2e5f-93f3-4376-9c9c-fd2277495c27", 4] = "RequestVersionVector", ["6bffd098-a112-3610-9833-46c3f874532d", 42] = "R_DhcpServerGetConfigVQ", ["a4f1db00-ca47-1067-b31f-00dd010662da", 12] = "EcUnknown0xC", ["12345778-1234-abcd-ef00-0123456789ab", 32] = "LsarLookupPrivilegeName", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 65] = "RpcWinStationCheckLoopBack", ["7c44d7d4-31d5-424c-bd5e-2b3e1f323d22", 0] = "IDL_DSAPrepareScript", ["00020400-0000-0000-c000-000000000046", 5] = "GetIDsOfNames", ["12345778-1234-abcd-ef00-0123456789ab", 53] = "LsarQueryDomainInformationPolicy", ["6bffd098-a112-3610-9833-46c3f874532d", 12] = "R_DhcpSetOptionValue", ["6bffd098-a112-3610-9833-46c3f87e345a", 9] = "NetrUseGetInfo", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 33] = "ApiDeleteValue", ["f5cc5a18-4264-101a-8c59-08002b2f8426", 20] = "NspiResolveNamesW", ["82ad4280-036b-11cf-972c-00aa006887b0", 17] = "Opnum17NotUsedOnWire", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 10] = "MarkActivePartition", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 81] = "DeleteAccessPath", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 31] = "NetprPathCanonicalize", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 2] = "EvtRpcRemoteSubscriptionNext", ["5b821720-f63b-11d0-aad2-00c04fc324db", 53] = "R_DhcpEnumOptionValuesV6", ["76f03f96-cdfd-44fc-a22c-64950a001209", 26] = "RpcAsyncGetPrinterDriver", ["5b821720-f63b-11d0-aad2-00c04fc324db", 129] = "R_DhcpV4EnumPoliciesEx", ["e65e8028-83e8-491b-9af7-aaf6bd51a0ce", 4] = "GetCompressedReport", ["4f7ca01c-a9e5-45b6-b142-2332a1339c1d", 19] = "CheckAccountingConnection", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 33] = "Opnum33NotUsedOnWire", ["6bffd098-a112-3610-9833-46c3f87e345a", 23] = "NetrUnjoinDomain2", ["6bffd098-a112-3610-9833-46c3f87e345a", 21] = "NetrGetJoinableOUs", ["6bffd098-a112-3610-9833-46c3f874532d", 37] = "R_DhcpGetSuperScopeInfoV4", ["12345678-1234-abcd-ef00-01234567cffb", 31] = "NetrServerPasswordGet", ["2f59a331-bf7d-48cb-9ec5-7c090d76e8b8", 4] = "RpcLicensingSetPolicy", ["5b821720-f63b-11d0-aad2-00c04fc324db", 78] = "R_DhcpGetOptionValueV6", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 64] = "EnumTasks", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 54] = "ApiSetGroupNodeList", ["df1941c5-fe89-4e79-bf10-463657acf44d", 1] = "EfsRpcReadFileRaw", ["897e2e5f-93f3-4376-9c9c-fd2277495c27", 13] = "InitializeFileTransferAsync", ["21546ae8-4da5-445e-987f-627fea39c5e8", 14] = "IsWSRMActivated", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 26] = "LlsrUserProductDeleteW", ["88143fd0-c28d-4b2b-8fef-8d882f6a9390", 9] = "RpcGetEnumResultEx", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 25] = "Opnum25NotUsedOnWire", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 14] = "DRSRemoveDsServer", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 13] = "FTEnumVolumes", ["12345778-1234-abcd-ef00-0123456789ac", 20] = "SamrQueryInformationGroup", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 33] = "LlsrMappingInfoSetA", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 107] = "ApiUnblockGetNotifyCall", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 22] = "RpcSrvRequestCachedParams", ["5b821720-f63b-11d0-aad2-00c04fc324db", 8] = "R_DhcpScanMDatabase", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 39] = "ApiSetKeySecurity", ["fdf8a2b9-02de-47f4-bc26-aa85ab5e5267", 5] = "CreateVirtualSmartCardWithPinPolicy", ["12345678-1234-abcd-ef00-0123456789ab", 96] = "RpcAddDriverCatalog", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 129] = "ApiCreateGroupEx", ["12345678-1234-abcd-ef00-0123456789ab", 67] = "RpcRouterRefreshPrinterChangeNotification", ["5b821720-f63b-11d0-aad2-00c04fc324db", 27] = "R_DhcpGetClassInfo", ["12345778-1234-abcd-ef00-0123456789ab", 40] = "LsarSetTrustedDomainInfo", ["12345678-1234-abcd-ef00-0123456789ab", 75] = "RpcClusterSplClose", ["1a1bb35f-abb8-451c-a1ae-33d98f1bef4a", 3] = "ReportProgress", ["12345678-1234-abcd-ef00-01234567cffb", 0] = "NetrLogonUasLogon", ["12345678-1234-abcd-ef00-0123456789ab", 90] = "RpcSplOpenPrinter", ["367abb81-9844-35f1-ad32-98f038001003", 40] = "QueryServiceStatusEx", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 124] = "ApiCreateNodeEnumEx", ["6bffd098-a112-3610-9833-46c3f874532d", 23] = "R_DhcpEnumOptions", ["5b821720-f63b-11d0-aad2-00c04fc324db", 63] = "R_DhcpGetSubnetInfoV6", ["00000131-0000-0000-c000-000000000046", 4] = "RemAddRef", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 57] = "LlsrServiceInfoSetA", ["367abb81-9844-35f1-ad32-98f038001003", 50] = "ControlServiceExA", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 30] = "RpcWinStationReadRegistry", ["12345678-1234-abcd-ef00-01234567cffb", 43] = "DsrGetForestTrustInformation", ["e33c0cc4-0482-101a-bc0c-02608c6ba218", 1] = "I_nsi_lookup_done", ["12345778-1234-abcd-ef00-0123456789ab", 39] = "LsarQueryTrustedDomainInfo", ["367abb81-9844-35f1-ad32-98f038001003", 33] = "GetServiceKeyNameA", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 52] = "ApiMoveGroupToNode", ["59602eb6-57b0-4fd8-aa4b-ebf06971fe15", 19] = "GetCurrentStateAndActivePolicyName", ["ccd8c074-d0e5-4a40-92b4-d074faa6ba28", 1] = "WitnessrRegister", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 51] = "RpcServerSetInternetConnectorStatus", ["afc07e2e-311c-4435-808c-c483ffeec7c9", 0] = "LsarGetAvailableCAPIDs", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 7] = "ApiCreateEnum", ["12345678-1234-abcd-ef00-0123456789ab", 60] = "RpcReplyClosePrinter", ["367abb81-9844-35f1-ad32-98f038001003", 10] = "ScSetServiceBitsW", ["00020400-0000-0000-c000-000000000046", 4] = "GetTypeInfo", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 32] = "PNP_DisableDevInst", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 46] = "DiskMerge", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 133] = "ApiMoveGroupToNodeEx", ["5b821720-f63b-11d0-aad2-00c04fc324db", 106] = "R_DhcpV4QueryPolicyEnforcement", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 27] = "NetrServerTransportDel", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 66] = "RRPC_FWSetFirewallRule2_20", ["86d35949-83c9-4044-b424-db363231fd0c", 2] = "SchRpcRetrieveTask", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 11] = "EvtRpcQueryNext", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 52] = "NetrDfsManagerReportSiteInfo", ["76f03f96-cdfd-44fc-a22c-64950a001209", 46] = "RpcAsyncGetPrintProcessorDirectory", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 80] = "RRPC_FWEnumFirewallRules2_26", ["c386ca3e-9061-4a72-821e-498d83be188f", 15] = "AudioSessionIsSystemSoundsSession", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 6] = "LlsrProductEnumW", ["bde95fdf-eee0-45de-9e12-e5a61cd0d4fe", 1] = "RpcGetConfigData", ["5b821720-f63b-11d0-aad2-00c04fc324db", 29] = "R_DhcpGetAllOptions", ["12345778-1234-abcd-ef00-0123456789ac", 9] = "SamrSetInformationDomain", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 29] = "CreateVolume", ["50abc2a4-574d-40b3-9d66-ee4fd5fba076", 14] = "DnssrvComplexOperation3", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 116] = "ApiCloseBatchPort", ["6bffd098-a112-3610-9833-46c3f874532d", 5] = "R_DhcpEnumSubnetElements", ["12b81e99-f207-4a4c-85d3-77b42f76fd14", 0] = "SeclCreateProcessWithLogonW", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 26] = "BackupCloseFile", ["5b821720-f63b-11d0-aad2-00c04fc324db", 120] = "R_DhcpV4GetFreeIPAddress", ["5b821720-f63b-11d0-aad2-00c04fc324db", 4] = "R_DhcpAddMScopeElement", ["12345778-1234-abcd-ef00-0123456789ac", 50] = "SamrCreateUser2InDomain", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 26] = "NetrServerTransportEnum", ["5b821720-f63b-11d0-aad2-00c04fc324db", 37] = "R_DhcpAddSubnetElementV5", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 4] = "SetAttributes", ["3faf4738-3a21-4307-b46c-fdda9bb8c0d5", 13] = "winmmAdvisePreferredDeviceChange", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 14] = "nsi_entry_object_inq_done", ["5b821720-f63b-11d0-aad2-00c04fc324db", 22] = "R_DhcpEnumOptionValuesV5", ["12345778-1234-abcd-ef00-0123456789ac", 49] = "SamrGetDisplayEnumerationIndex2", ["708cca10-9569-11d1-b2a5-0060977d8118", 6] = "S_DSIsServerGC", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 43] = "NetrDfsGetVersion", ["12345778-1234-abcd-ef00-0123456789ac", 6] = "SamrEnumerateDomainsInSamServer", ["708cca10-9569-11d1-b2a5-0060977d8118", 2] = "S_DSGetPropsGuidEx", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 7] = "RpcWinStationSendMessage", ["5b821720-f63b-11d0-aad2-00c04fc324db", 25] = "R_DhcpModifyClass", ["811109bf-a4e1-11d1-ab54-00a0c91e9b45", 0] = "R_WinsTombstoneDbRecs", ["112b1dff-d9dc-41f7-869f-d67fee7cb591", 3] = "CreateVirtualSmartCard", ["12345778-1234-abcd-ef00-0123456789ac", 14] = "SamrCreateAliasInDomain", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 60] = "Opnum60NotUsedOnWire", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 33] = "RpcWinStationNotifyLogoff", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 13] = "RpcWinStationDisconnect", ["c386ca3e-9061-4a72-821e-498d83be188f", 56] = "AudioVolumeSetMute", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 37] = "Opnum37NotUsedOnWire", ["6bffd098-a112-3610-9833-46c3f874532d", 19] = "R_DhcpDeleteClientInfo", ["3faf4738-3a21-4307-b46c-fdda9bb8c0d5", 0] = "gfxCreateZoneFactoriesList", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 28] = "RRPC_FWEnumPhase2SAs", ["338cd001-2244-31f1-aaaa-900038001003", 32] = "OpenPerformanceText", ["12345778-1234-abcd-ef00-0123456789ab", 22] = "LsarSetQuotasForAccount", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 58] = "RpcWinStationUpdateSettings", ["12345778-1234-abcd-ef00-0123456789ac", 17] = "SamrLookupNamesInDomain", ["a4f1db00-ca47-1067-b31f-00dd010662da", 8] = "EcRNetGetDCName", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 18] = "ApiOfflineResource", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 16] = "EvtRpcRetractConfig", ["367abb81-9844-35f1-ad32-98f038001003", 17] = "QueryServiceConfigW", ["77df7a80-f298-11d0-8358-00a024c480a8", 3] = "S_DSSetProps", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 16] = "NetrDfsGetDcAddress", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 8] = "NetrConnectionEnum", ["c386ca3e-9061-4a72-821e-498d83be188f", 22] = "AudioSessionGetMute", ["df1941c5-fe89-4e79-bf10-463657acf44d", 14] = "Opnum14NotUsedOnWire", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 14] = "Opnum14NotUsedOnWire", ["12345778-1234-abcd-ef00-0123456789ab", 34] = "LsarDeleteObject", ["82ad4280-036b-11cf-972c-00aa006887b0", 0] = "R_InetInfoGetVersion", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 53] = "GetEncapsulateDiskInfoEx", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 23] = "RRPC_FWSetCryptoSet", ["50abc2a4-574d-40b3-9d66-ee4fd5fba076", 2] = "DnssrvComplexOperation", ["12345778-1234-abcd-ef00-0123456789ab", 89] = "LsarLookupAuditSubCategoryName", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 50] = "RRPC_FWSetConnectionSecurityRule2_10", ["c386ca3e-9061-4a72-821e-498d83be188f", 0] = "AudioServerConnect", ["12345678-1234-abcd-ef00-0123456789ab", 94] = "RpcFlushPrinter", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 49] = "RRPC_FWAddConnectionSecurityRule2_10", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 23] = "RpcSrvRegisterConnectionStateNotification", ["fc910418-55ca-45ef-b264-83d4ce7d30e0", 8] = "SetRemoteUserCategories", ["c386ca3e-9061-4a72-821e-498d83be188f", 28] = "AudioSessionGetAllVolumes", ["a8e0653c-2744-4389-a61d-7373df8b2292", 5] = "ExposeShadowCopySet", ["12345678-1234-abcd-ef00-0123456789ab", 50] = "RpcDeletePrintProvidor", ["c386ca3e-9061-4a72-821e-498d83be188f", 7] = "AudioServerGetMixFormat", ["76f03f96-cdfd-44fc-a22c-64950a001209", 23] = "RpcAsyncGetForm", ["6bffd098-a112-3610-9833-012892020162", 9] = "BrowserrSetNetlogonState", ["76f03f96-cdfd-44fc-a22c-64950a001209", 71] = "RpcAsyncSetJobNamedProperty", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 7] = "IsValidCertificate", ["367abb81-9844-35f1-ad32-98f038001003", 24] = "CreateServiceA", ["12345678-1234-abcd-ef00-0123456789ab", 61] = "RpcAddPortEx", ["df1941c5-fe89-4e79-bf10-463657acf44d", 38] = "Opnum38NotUsedOnWire", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 6] = "RpcSrvFallbackRefreshParams", ["5b821720-f63b-11d0-aad2-00c04fc324db", 30] = "R_DhcpGetAllOptionValues", ["68b58241-c259-4f03-a2e5-a2651dcbc930", 1] = "KSrGetTemplates", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 80] = "LlsrCapabilityGet", ["76f03f96-cdfd-44fc-a22c-64950a001209", 64] = "RpcAsyncGetCorePrinterDrivers", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 4] = "EnumDiskRegionsEx", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 74] = "LlsrCertificateClaimAddCheckW", ["367abb81-9844-35f1-ad32-98f038001003", 9] = "NotifyBootConfigStatus", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 43] = "RRPC_FWEnumAdapters", ["e1af8308-5d1f-11c9-91a4-08002b14a0fa", 4] = "ept_lookup_handle_free", ["e33c0cc4-0482-101a-bc0c-02608c6ba218", 6] = "I_nsi_entry_object_inq_begin", ["76f03f96-cdfd-44fc-a22c-64950a001209", 9] = "RpcAsyncGetPrinter", ["df1941c5-fe89-4e79-bf10-463657acf44d", 40] = "Opnum40NotUsedOnWire", ["8fb6d884-2388-11d0-8c35-00c04fda2795", 4] = "W32TimeQueryProviderConfiguration", ["2f5f3220-c126-1076-b549-074d078619da", 11] = "NDdeSetTrustedShareA", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 63] = "Opnum63NotUsedOnWire", ["6bffd098-a112-3610-9833-46c3f87e345a", 11] = "NetrUseEnum", ["6bffd098-a112-3610-9833-46c3f874532d", 27] = "R_DhcpScanDatabase", ["f50aac00-c7f3-428e-a022-a6b71bfb9d43", 1] = "SSCatDBDeleteCatalog", ["027947e1-d731-11ce-a357-000000000001", 5] = "NextAsync", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 48] = "ReplaceRaid5Column", ["6bffd098-a112-3610-9833-46c3f874532d", 31] = "R_DhcpRemoveSubnetElementV4", ["00020401-0000-0000-c000-000000000046", 6] = "GetVarDesc", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 17] = "RpcWinStationShadow", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 11] = "Eject", ["12345678-1234-abcd-ef00-01234567cffb", 40] = "DsrEnumerateDomainTrusts", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 26] = "R_KeyExchangePhase1", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 56] = "PNP_QueryArbitratorFreeData", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 31] = "PNP_SetDeviceProblem", ["f5cc5a18-4264-101a-8c59-08002b2f8426", 12] = "NspiGetSpecialTable", ["367abb81-9844-35f1-ad32-98f038001003", 36] = "ChangeServiceConfig2A", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 44] = "LlsrServerEnumW", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 9] = "ApiCreateResource", ["000001a0-0000-0000-c000-000000000046", 3] = "RemoteGetClassObject", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 10] = "LlsrProductUserEnumW", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 75] = "LlsrCertificateClaimAddA", ["76f03f96-cdfd-44fc-a22c-64950a001209", 29] = "RpcAsyncEnumPrinterKey", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 14] = "PNP_SetDeviceRegProp", ["5b821720-f63b-11d0-aad2-00c04fc324db", 55] = "R_DhcpGetAllOptionsV6", ["77df7a80-f298-11d0-8358-00a024c480a8", 7] = "S_DSLookupNext", ["df1941c5-fe89-4e79-bf10-463657acf44d", 2] = "EfsRpcWriteFileRaw", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 41] = "PNP_GetHwProfInfo", ["12345778-1234-abcd-ef00-0123456789ab", 11] = "LsarEnumerateAccounts", ["481e06cf-ab04-4498-8ffe-124a0a34296d", 10] = "DeleteCalendar", ["12345778-1234-abcd-ef00-0123456789ac", 5] = "SamrLookupDomainInSamServer", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 59] = "RRPC_FWSetConnectionSecurityRule2_20", ["76f03f96-cdfd-44fc-a22c-64950a001209", 21] = "RpcAsyncAddForm", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 10] = "RRPC_FWGetConfig", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 5] = "R_WinsGetDbRecs", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 86] = "ApiGetNetworkId", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 70] = "Refresh", ["4b112204-0e19-11d3-b42b-0000f81feb9f", 13] = "DisableDeviceHost", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 12] = "RpcWinStationBeepOpen", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 49] = "Opnum49NotUsedOnWire", ["2f5f3220-c126-1076-b549-074d078619da", 3] = "NDdeGetShareSecurityA", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 15] = "PNP_GetClassInstance", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 10] = "ApiDeleteResource", ["12345778-1234-abcd-ef00-0123456789ab", 77] = "LsarLookupNames4", ["86d35949-83c9-4044-b424-db363231fd0c", 0] = "SchRpcHighestVersion", ["3faf4738-3a21-4307-b46c-fdda9bb8c0d5", 10] = "winmmUnregisterSessionNotification", ["12345678-1234-abcd-ef00-0123456789ab", 59] = "RpcRouterReplyPrinter", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 0] = "NetrCharDevEnum", ["a8e0653c-2744-4389-a61d-7373df8b2292", 8] = "IsPathSupported", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 52] = "RRPC_FWAddAuthenticationSet2_10", ["1ff70682-0a51-30e8-076d-740be8cee98b", 2] = "NetrJobEnum", ["12345778-1234-abcd-ef00-0123456789ac", 24] = "SamrRemoveMemberFromGroup", ["5b821720-f63b-11d0-aad2-00c04fc324db", 23] = "R_DhcpRemoveOptionValueV5", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 4] = "RRPC_FWSetGlobalConfig", ["c386ca3e-9061-4a72-821e-498d83be188f", 49] = "AudioVolumeSetMasterVolumeLevelScalar", ["99fcfec4-5260-101b-bbcb-00aa0021347a", 1] = "SimplePing", ["c386ca3e-9061-4a72-821e-498d83be188f", 3] = "AudioServerGetAudioSession", ["12345678-1234-abcd-ef00-01234567cffb", 27] = "DsrGetDcNameEx", ["57674cd0-5200-11ce-a897-08002b2e9c6d", 1] = "LlsrLicenseFree", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 47] = "LlsrServerProductEnumA", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 3] = "R_WinsDoStaticInit", ["2f59a331-bf7d-48cb-9ec5-7c090d76e8b8", 1] = "RpcLicensingCloseServer", ["12345778-1234-abcd-ef00-0123456789ac", 28] = "SamrQueryInformationAlias", ["5b821720-f63b-11d0-aad2-00c04fc324db", 113] = "R_DhcpV4AddPolicyRange", ["5b821720-f63b-11d0-aad2-00c04fc324db", 122] = "R_DhcpV4CreateClientInfo", ["77df7a80-f298-11d0-8358-00a024c480a8", 6] = "S_DSLookupBegin", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 56] = "LlsrServiceInfoSetW", ["6bffd098-a112-3610-9833-46c3f874532d", 18] = "R_DhcpGetClientInfo", ["f5cc5a18-4264-101a-8c59-08002b2f8426", 9] = "NspiGetProps", ["3faf4738-3a21-4307-b46c-fdda9bb8c0d5", 14] = "winmmGetPnpInfo", ["12345678-1234-abcd-ef00-0123456789ab", 72] = "RpcEnumPrinterData", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 8] = "DRSVerifyNames", ["12345678-1234-abcd-ef00-01234567cffb", 22] = "NetrLogonSetServiceBits", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 41] = "RpcWinStationBreakPoint", ["76f03f96-cdfd-44fc-a22c-64950a001209", 41] = "RpcAsyncGetPrinterDriverDirectory", ["3919286a-b10c-11d0-9ba8-00c04fd92ef5", 2] = "DsRolerDcAsDc", ["a4f1db00-ca47-1067-b31f-00dd010662da", 1] = "EcDoDisconnect", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 40] = "ApiGetKeySecurity", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 4] = "RpcWinStationRename", ["6bffd098-a112-3610-9833-46c3f874532d", 34] = "R_DhcpGetClientInfoV4", ["5422fd3a-d4b8-4cef-a12e-e87d4ca22e90", 6] = "Request2", ["77df7a80-f298-11d0-8358-00a024c480a8", 25] = "Opnum25NotUsedOnWire", ["0b1c2170-5732-4e0e-8cd3-d9b16f3b84d7", 5] = "AuthrzModifyClaims", ["77df7a80-f298-11d0-8358-00a024c480a8", 15] = "Opnum15NotUsedOnWire", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 23] = "NetrDfsAddRootTarget", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 6] = "EnumKeys", ["12345778-1234-abcd-ef00-0123456789ab", 6] = "LsarOpenPolicy", ["df1941c5-fe89-4e79-bf10-463657acf44d", 9] = "EfsRpcAddUsersToFile", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 11] = "NetrFileClose", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 0] = "RpcSrvEnableDhcp", ["12345678-1234-abcd-ef00-0123456789ab", 82] = "RpcDeletePrinterKey", ["d2d79df7-3400-11d0-b40b-00aa005ff586", 3] = "ObjectsChanged", ["367abb81-9844-35f1-ad32-98f038001003", 8] = "UnlockServiceDatabase", ["e65e8028-83e8-491b-9af7-aaf6bd51a0ce", 5] = "GetRawReportEx", ["11899a43-2b68-4a76-92e3-a3d6ad8c26ce", 2] = "RpcWaitAsyncNotification", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 183] = "ApiAddGroupToGroupSetEx", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 8] = "LlsrProductAddW", ["6bffd098-a112-3610-9833-46c3f87e345a", 29] = "NetrSetPrimaryComputerName", ["12345778-1234-abcd-ef00-0123456789ac", 57] = "SamrConnect2", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 8] = "EvtRpcLocalizeExportLog", ["f5cc5a18-4264-101a-8c59-08002b2f8426", 17] = "NspiGetNamesFromIDs", ["82ad4280-036b-11cf-972c-00aa006887b0", 13] = "R_FtpClearStatistics2", ["8d0ffe72-d252-11d0-bf8f-00c04fd9126b", 3] = "KeyrEnumerateProvContainers", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 64] = "RRPC_FWQueryAuthenticationSets2_20", ["a8e0653c-2744-4389-a61d-7373df8b2292", 4] = "CommitShadowCopySet", ["e8fb8620-588f-11d2-9d61-00c04f79c5fe", 9] = "Reboot", ["e65e8028-83e8-491b-9af7-aaf6bd51a0ce", 3] = "GetReport", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 7] = "NetrDfsMove", ["4b112204-0e19-11d3-b42b-0000f81feb9f", 6] = "InitializeSyncHandle", ["4b112204-0e19-11d3-b42b-0000f81feb9f", 14] = "SetICSInterfaces", ["00000143-0000-0000-c000-000000000046", 3] = "RemQueryInterface", ["21546ae8-4da5-445e-987f-627fea39c5e8", 9] = "IsEnabled", ["5b821720-f63b-11d0-aad2-00c04fc324db", 87] = "R_DhcpSetDnsRegCredentialsV5", ["afa8bd80-7d8a-11c9-bef4-08002b102989", 2] = "is_server_listening", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 31] = "Opnum31NotUsedOnWire", ["6bffd098-a112-3610-9833-46c3f874532d", 13] = "R_DhcpGetOptionValue", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 47] = "RRPC_FWSetFirewallRule2_10", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 59] = "Opnum59NotUsedOnWire", ["338cd001-2244-31f1-aaaa-900038001003", 10] = "BaseRegEnumValue", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 5] = "ResubmitRequest", ["12345678-1234-abcd-ef00-01234567cffb", 47] = "unused", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 66] = "ApiOpenNode", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 184] = "ApiChangeResourceGroupEx", ["5b821720-f63b-11d0-aad2-00c04fc324db", 94] = "R_DhcpV4FailoverAddScopeToRelationship", ["76f03f96-cdfd-44fc-a22c-64950a001209", 17] = "RpcAsyncGetPrinterDataEx", ["481e06cf-ab04-4498-8ffe-124a0a34296d", 12] = "ComputeEvents", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 70] = "HrGetErrorData", ["c386ca3e-9061-4a72-821e-498d83be188f", 55] = "AudioVolumeGetChannelVolumeLevelScalar", ["88143fd0-c28d-4b2b-8fef-8d882f6a9390", 5] = "RpcGetEnumResult", ["5b821720-f63b-11d0-aad2-00c04fc324db", 10] = "R_DhcpSetMClientInfo", ["c386ca3e-9061-4a72-821e-498d83be188f", 32] = "PolicyConfigSetDeviceFormat", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 52] = "QueryChangePartitionNumbers", ["76f03f96-cdfd-44fc-a22c-64950a001209", 49] = "RpcAsyncAddPort", ["6bffd098-a112-3610-9833-46c3f87e345a", 13] = "NetrWorkstationStatisticsGet", ["76f03f96-cdfd-44fc-a22c-64950a001209", 13] = "RpcAsyncEndPagePrinter", ["5b821720-f63b-11d0-aad2-00c04fc324db", 79] = "R_DhcpSetSubnetDelayOffer", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 5] = "CreatePartition", ["59602eb6-57b0-4fd8-aa4b-ebf06971fe15", 16] = "GetProcessList", ["c386ca3e-9061-4a72-821e-498d83be188f", 45] = "AudioVolumeConnect", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 69] = "AbortTask", ["367abb81-9844-35f1-ad32-98f038001003", 43] = "ScSendTSMessage", ["897e2e5f-93f3-4376-9c9c-fd2277495c27", 15] = "RawGetFileDataAsync", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 38] = "SplitMirror", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 12] = "ElfrClearELFA", ["76f03f96-cdfd-44fc-a22c-64950a001209", 69] = "RpcAsyncResetPrinter", ["8d0ffe72-d252-11d0-bf8f-00c04fd9126b", 9] = "KeyrImportCert", ["82ad4280-036b-11cf-972c-00aa006887b0", 7] = "R_InetInfoClearStatistics", ["6bffd098-a112-3610-9833-46c3f874532d", 38] = "R_DhcpDeleteSuperScopeV4", ["20d15747-6c48-4254-a358-65039fd8c63c", 16] = "GetCompressedReport", ["bde95fdf-eee0-45de-9e12-e5a61cd0d4fe", 11] = "RpcQuerySessionData", ["5b821720-f63b-11d0-aad2-00c04fc324db", 31] = "R_DhcpGetMCastMibInfo", ["2f5f6520-ca46-1067-b319-00dd010662da", 0] = "ClientAttach", ["77df7a80-f298-11d0-8358-00a024c480a8", 2] = "S_DSGetProps", ["12345678-1234-abcd-ef00-01234567cffb", 39] = "NetrLogonSamLogonEx", ["29822ab7-f302-11d0-9953-00c04fd919c1", 6] = "AppGetStatus", ["12345678-1234-abcd-ef00-0123456789ab", 21] = "RpcAbortPrinter", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 155] = "ApiAddNotifyResourceTypeV2", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 68] = "LlsrProductSecuritySetA", ["12345678-1234-abcd-ef00-0123456789ab", 58] = "RpcReplyOpenPrinter", ["e8fb8620-588f-11d2-9d61-00c04f79c5fe", 8] = "Start", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 16] = "NetrShareGetInfo", ["c386ca3e-9061-4a72-821e-498d83be188f", 21] = "AudioSessionSetVolume", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 49] = "NetrDfsDeleteExitPoint", ["6bffd098-a112-3610-9833-46c3f87e345a", 15] = "NetrLogonDomainNameDel", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 36] = "AddMirror", ["c386ca3e-9061-4a72-821e-498d83be188f", 51] = "AudioVolumeGetMasterVolumeLevelScalar", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 34] = "GrowVolume", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 77] = "AddAccessPath", ["00020401-0000-0000-c000-000000000046", 8] = "GetRefTypeOfImplType", ["c5cebee2-9df5-4cdd-a08c-c2471bc144b4", 15] = "GetServerName", ["c386ca3e-9061-4a72-821e-498d83be188f", 2] = "AudioServerInitialize", ["12345778-1234-abcd-ef00-0123456789ab", 67] = "CredrProfileLoaded", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 57] = "ApiAddNotifyCluster", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 7] = "NetrCharDevQPurgeSelf", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 71] = "RRPC_FWSetFirewallRule2_24", ["00020401-0000-0000-c000-000000000046", 4] = "GetTypeComp", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 40] = "UninitializeDisk", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 67] = "ApiCloseNode", ["76f03f96-cdfd-44fc-a22c-64950a001209", 19] = "RpcAsyncSetPrinterDataEx", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 20] = "FTReplaceParityStripePartition", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 134] = "ApiCancelClusterGroupOperation", ["f5cc5a18-4264-101a-8c59-08002b2f8426", 6] = "NspiResortRestriction", ["86d35949-83c9-4044-b424-db363231fd0c", 15] = "SchRpcScheduledRuntimes", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 49] = "RestartVolume", ["f309ad18-d86a-11d0-a075-00c04fb68820", 3] = "EstablishPosition", ["e33c0cc4-0482-101a-bc0c-02608c6ba218", 3] = "I_nsi_entry_object_inq_next", ["a8e0653c-2744-4389-a61d-7373df8b2292", 3] = "AddToShadowCopySet", ["12345678-1234-abcd-ef00-0123456789ab", 46] = "RpcAddMonitor", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 10] = "ElfrReadELW", ["20d15747-6c48-4254-a358-65039fd8c63c", 9] = "GetReport", ["6bffd098-a112-3610-9833-46c3f87e345a", 16] = "NetrJoinDomain", ["5b821720-f63b-11d0-aad2-00c04fc324db", 47] = "R_DhcpCreateOptionV6", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 38] = "NetrShareDelCommit", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 17] = "Opnum17NotUsedOnWire", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 42] = "RpcWinStationCheckForApplicationName", ["8d0ffe72-d252-11d0-bf8f-00c04fd9126b", 4] = "KeyrCloseKeyService", ["12345678-1234-abcd-ef00-0123456789ab", 38] = "RpcConfigurePort", ["338cd001-2244-31f1-aaaa-900038001003", 34] = "BaseRegQueryMultipleValues2", ["12345778-1234-abcd-ef00-0123456789ac", 35] = "SamrDeleteUser", ["12345778-1234-abcd-ef00-0123456789ab", 25] = "LsarOpenTrustedDomain", ["c386ca3e-9061-4a72-821e-498d83be188f", 65] = "AudioVolumeStepUp", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 0] = "LlsrConnect", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 32] = "CreateVolumeAssignAndFormatEx", ["12345678-1234-abcd-ef00-0123456789ab", 41] = "RpcPlayGdiScriptOnPrinterIC", ["e33c0cc4-0482-101a-bc0c-02608c6ba218", 2] = "I_nsi_lookup_next", ["df1941c5-fe89-4e79-bf10-463657acf44d", 6] = "EfsRpcQueryUsersOnFile", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 169] = "ApiMoveGroupToGroupSet", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 3] = "RpcSrvReleaseLease", ["12345778-1234-abcd-ef00-0123456789ab", 35] = "LsarEnumerateAccountsWithUserRight", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 29] = "IDL_DRSWriteNgcKey", ["5b821720-f63b-11d0-aad2-00c04fc324db", 43] = "R_DhcpSetDnsRegCredentials", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 23] = "BackupGetBackupLogs", ["88143fd0-c28d-4b2b-8fef-8d882f6a9390", 10] = "RpcGetAllSessions", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 128] = "ApiResumeNodeEx", ["5b821720-f63b-11d0-aad2-00c04fc324db", 96] = "R_DhcpV4FailoverGetScopeRelationship", ["01954e6b-9254-4e6e-808c-c9e05d007696", 4] = "Skip", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 3] = "NetrCharDevQEnum", ["0a74ef1c-41a4-4e06-83ae-dc74fb1cdd53", 3] = "ItSrvSetDetectionParameters", ["9556dc99-828c-11cf-a37e-00aa003240c7", 11] = "DeleteClassAsync", ["5b821720-f63b-11d0-aad2-00c04fc324db", 131] = "R_DhcpV4CreateClientInfoEx", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 60] = "Opnum60NotUsedOnWire", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 40] = "RRPC_FWQueryAuthenticationSets", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 39] = "RemoveMirror", ["df1941c5-fe89-4e79-bf10-463657acf44d", 13] = "EfsRpcDuplicateEncryptionInfoFile", ["497d95a6-2d27-4bf5-9bbd-a6046957133c", 4] = "RpcIsListening", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 7] = "LlsrProductEnumA", ["f5cc59b4-4264-101a-8c59-08002b2f8426", 1] = "FrsRpcVerifyPromotionParent", ["5b821720-f63b-11d0-aad2-00c04fc324db", 58] = "R_DhcpEnumSubnetsV6", ["4b112204-0e19-11d3-b42b-0000f81feb9f", 0] = "RegisterServiceRpc", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 6] = "DenyRequest", ["7fe0d935-dda6-443f-85d0-1cfb58fe41dd", 42] = "GetOfficerRights", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 16] = "LlsrUserEnumW", ["12345678-1234-abcd-ef00-01234567cffb", 26] = "NetrServerAuthenticate3", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 51] = "ReplaceRaid5Column", ["df1941c5-fe89-4e79-bf10-463657acf44d", 34] = "Opnum34NotUsedOnWire", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 28] = "ImportCertificate", ["12345678-1234-abcd-ef00-0123456789ab", 76] = "RpcClusterSplIsAlive", ["5b821720-f63b-11d0-aad2-00c04fc324db", 125] = "R_DhcpV4FailoverGetAddressStatus", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 30] = "EnumBackups", ["afa8bd80-7d8a-11c9-bef4-08002b102989", 1] = "inq_stats", ["50abc2a4-574d-40b3-9d66-ee4fd5fba076", 5] = "DnssrvOperation2", ["481e06cf-ab04-4498-8ffe-124a0a34296d", 15] = "ModifySchedule", ["0a74ef1c-41a4-4e06-83ae-dc74fb1cdd53", 2] = "ItSrvProcessIdleTasks", ["5b821720-f63b-11d0-aad2-00c04fc324db", 3] = "R_DhcpEnumMScopes", ["12345678-1234-abcd-ef00-0123456789ab", 17] = "RpcStartDocPrinter", ["d99e6e70-fc88-11d0-b498-00a0c90312f3", 4] = "GetCACert", ["9556dc99-828c-11cf-a37e-00aa003240c7", 21] = "ExecQueryAsync", ["12345778-1234-abcd-ef00-0123456789ab", 3] = "LsarQuerySecurityObject", ["338cd001-2244-31f1-aaaa-900038001003", 14] = "BaseRegNotifyChangeKeyValue", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 45] = "ApiGetGroupState", ["4f7ca01c-a9e5-45b6-b142-2332a1339c1d", 9] = "ExecuteAccountingQuery", ["8fb6d884-2388-11d0-8c35-00c04fda2795", 5] = "W32TimeQueryConfiguration", ["4f7ca01c-a9e5-45b6-b142-2332a1339c1d", 16] = "DumpAccountingData", ["8fb6d884-2388-11d0-8c35-00c04fda2795", 0] = "W32TimeSync", ["1ff70682-0a51-30e8-076d-740be8cee98b", 3] = "NetrJobGetInfo", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 3] = "EvtRpcRemoteSubscriptionWaitAsync", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 13] = "RpcSrvEnumInterfaces", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 102] = "ApiGetClusterVersion2", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 77] = "RRPC_FWQueryFirewallRules2_25", ["9556dc99-828c-11cf-a37e-00aa003240c7", 5] = "QueryObjectSink", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 44] = "NetrDfsCreateLocalPartition", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 13] = "ElfrBackupELFA", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 5] = "RpcWinStationQueryInformation", ["12345778-1234-abcd-ef00-0123456789ac", 22] = "SamrAddMemberToGroup", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 20] = "nsi_mgmt_inq_exp_age", ["d95afe70-a6d5-4259-822e-2c84da1ddb0d", 1] = "WsdrAbortShutdown", ["ccd8c074-d0e5-4a40-92b4-d074faa6ba28", 4] = "WitnessrRegisterEx", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 13] = "LlsrProductServerEnumA", ["3919286a-b10c-11d0-9ba8-00c04fd92ef5", 1] = "DsRolerDnsNameToFlatName", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 79] = "ApiNodeControl", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 3] = "EfsRpcCloseRaw", ["00020401-0000-0000-c000-000000000046", 16] = "CreateInstance", ["12345778-1234-abcd-ef00-0123456789ab", 73] = "LsarQueryForestTrustInformation", ["5b821720-f63b-11d0-aad2-00c04fc324db", 64] = "R_DhcpEnumSubnetClientsV6", ["3919286a-b10c-11d0-9ba8-00c04fd92ef5", 0] = "DsRolerGetPrimaryDomainInformation", ["50abc2a4-574d-40b3-9d66-ee4fd5fba076", 10] = "DnssrvUpdateRecord3", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 47] = "PNP_AddResDes", ["12345678-1234-abcd-ef00-0123456789ab", 110] = "RpcGetJobNamedPropertyValue", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 2] = "RRPC_FWRestoreDefaults", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 29] = "ApiCreateKey", ["bd0c73bc-805b-4043-9c30-9a28d64dd7d2", 23] = "ImportFromBlobGetHash", ["ae1c7110-2f60-11d3-8a39-00c04f72d8e3", 4] = "Skip", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 7] = "CreatePartitionAssignandFormatEx", ["76f03f96-cdfd-44fc-a22c-64950a001209", 12] = "RpcAsyncWritePrinter", ["6bffd098-a112-3610-9833-46c3f874532d", 49] = "R_DhcpGetSubnetInfoVQ", ["12345778-1234-abcd-ef00-0123456789ab", 74] = "LsarSetForestTrustInformation", ["12345778-1234-abcd-ef00-0123456789ab", 81] = "LsarAdtReportSecurityEvent", ["df1941c5-fe89-4e79-bf10-463657acf44d", 4] = "EfsRpcEncryptFileSrv", ["5b821720-f63b-11d0-aad2-00c04fc324db", 100] = "R_DhcpV4FailoverTriggerAddrAllocation", ["c5cebee2-9df5-4cdd-a08c-c2471bc144b4", 7] = "RetrieveEventList", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 74] = "PNP_DeleteServiceDevices", ["12345678-1234-abcd-ef00-0123456789ab", 57] = "RpcRouterFindFirstPrinterChangeNotificationOld", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 50] = "Opnum50NotUsedOnWire", ["00000143-0000-0000-c000-000000000046", 5] = "RemRelease", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 66] = "RpcConnectCallback", ["00020400-0000-0000-c000-000000000046", 6] = "Invoke", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 24] = "EnumLocalFileSystems", ["12345678-1234-abcd-ef00-0123456789ab", 53] = "RpcGetPrinterDriver2", ["5b821720-f63b-11d0-aad2-00c04fc324db", 38] = "R_DhcpEnumSubnetElementsV5", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 2] = "ApiSetClusterName", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 63] = "RpcWinStationUpdateClientCachedCredentials", ["59602eb6-57b0-4fd8-aa4b-ebf06971fe15", 8] = "CreatePolicy", ["76f03f96-cdfd-44fc-a22c-64950a001209", 18] = "RpcAsyncSetPrinterData", ["034634fd-ba3f-11d1-856a-00a0c944138c", 8] = "TerminateSession", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 98] = "ApiNetInterfaceControl", ["12345678-1234-abcd-ef00-0123456789ab", 112] = "RpcDeleteJobNamedProperty", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 53] = "NetrServerTransportDelEx", ["88143fd0-c28d-4b2b-8fef-8d882f6a9390", 6] = "RpcFilterBySessionType", ["00000000-0000-0000-c000-000000000046", 2] = "Opnum2NotUsedOnWire", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 104] = "ApiBackupClusterDatabase", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 1] = "ApiCloseCluster", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 21] = "LlsrUserInfoSetA", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 30] = "CreateVolume", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 18] = "FTRegenerateParityStripe", ["6bffd098-a112-3610-9833-46c3f87e345a", 31] = "NetrWorkstationResetDfsCache", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 16] = "PNP_CreateKey", ["12345678-1234-abcd-ef00-01234567cffb", 42] = "NetrServerTrustPasswordsGet", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 73] = "PNP_SetActiveService", ["44e265dd-7daf-42cd-8560-3cdb6e7a2729", 0] = "Opnum0NotUsedOnWire", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 17] = "FTResyncMirror", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 8] = "ElfrRegisterEventSourceW", ["12345678-1234-abcd-ef00-01234567cffb", 5] = "NetrServerAuthenticate", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 36] = "ApiEnumValue", ["6bffd098-a112-3610-9833-46c3f874532d", 8] = "R_DhcpCreateOption", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 9] = "nsi_profile_elt_inq_begin", ["12345778-1234-abcd-ef00-0123456789ab", 133] = "LsarSetForestTrustInformation2", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 10] = "EvtRpcMessageRenderDefault", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 58] = "PNP_RunDetection", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 0] = "PNP_Disconnect", ["76f03f96-cdfd-44fc-a22c-64950a001209", 27] = "RpcAsyncEnumPrinterData", ["f5cc5a18-4264-101a-8c59-08002b2f8426", 1] = "NspiUnbind", ["0b1c2170-5732-4e0e-8cd3-d9b16f3b84d7", 3] = "AuthrzAccessCheck", ["3919286a-b10c-11d0-9ba8-00c04fd92ef5", 6] = "DsRolerGetDcOperationResults", ["82ad4280-036b-11cf-972c-00aa006887b0", 10] = "R_W3QueryStatistics2", ["5422fd3a-d4b8-4cef-a12e-e87d4ca22e90", 7] = "GetCAProperty", ["12345678-1234-abcd-ef00-0123456789ab", 86] = "RpcDeletePerMachineConnection", ["29822ab7-f302-11d0-9953-00c04fd919c1", 8] = "AppRecover", ["df1941c5-fe89-4e79-bf10-463657acf44d", 29] = "Opnum29NotUsedOnWire", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 182] = "ApiChangeCsvStateEx", ["12345778-1234-abcd-ef00-0123456789ab", 78] = "LsarOpenPolicySce", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c3", 0] = "nsi_binding_export", ["5b821720-f63b-11d0-aad2-00c04fc324db", 82] = "R_DhcpAddFilterV4", ["5b821720-f63b-11d0-aad2-00c04fc324db", 102] = "R_DhcpV4SetOptionValues", ["12345778-1234-abcd-ef00-0123456789ac", 23] = "SamrDeleteGroup", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 131] = "ApiOfflineGroupEx", ["bd0c73bc-805b-4043-9c30-9a28d64dd7d2", 20] = "Opnum20NotUsedOnWire", ["e3d0d746-d2af-40fd-8a7a-0d7078bb7092", 0] = "ExchangePublicKeys", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 1] = "RpcSrvRenewLease", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 58] = "ApiAddNotifyNode", ["12345778-1234-abcd-ef00-0123456789ab", 130] = "LsarOpenPolicy3", ["5b821720-f63b-11d0-aad2-00c04fc324db", 76] = "R_DhcpDeleteClassV6", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 42] = "RRPC_FWEnumNetworks", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 37] = "GetMaxAdjustedFreeSpace", ["12345778-1234-abcd-ef00-0123456789ac", 62] = "SamrConnect4", ["bd0c73bc-805b-4043-9c30-9a28d64dd7d2", 15] = "Opnum15NotUsedOnWire", ["c5cebee2-9df5-4cdd-a08c-c2471bc144b4", 13] = "GetServiceList", ["5b821720-f63b-11d0-aad2-00c04fc324db", 127] = "R_DhcpV4GetPolicyEx", ["0b1c2170-5732-4e0e-8cd3-d9b16f3b84d7", 2] = "AuthrzInitializeCompoundContext", ["76f03f96-cdfd-44fc-a22c-64950a001209", 70] = "RpcAsyncGetJobNamedPropertyValue", ["338cd001-2244-31f1-aaaa-900038001003", 12] = "BaseRegGetKeySecurity", ["12345678-1234-abcd-ef00-01234567cffb", 4] = "NetrServerReqChallenge", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 8] = "R_WinsDelDbRecs", ["12345678-1234-abcd-ef00-0123456789ab", 100] = "RpcUploadPrinterDriverPackage", ["c5cebee2-9df5-4cdd-a08c-c2471bc144b4", 10] = "ExportXMLFiles", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 42] = "Opnum42NotUsedOnWire", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 21] = "RRPC_FWEnumAuthenticationSets", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 44] = "ApiCloseGroup", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 4] = "RpcSrvSetFallbackParams", ["12345678-1234-abcd-ef00-01234567cffb", 35] = "NetrLogonGetTimeServiceParentDomain", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 45] = "NetrDfsDeleteLocalPartition", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 20] = "SaveData", ["e1af8308-5d1f-11c9-91a4-08002b14a0fa", 1] = "ept_delete", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 49] = "PNP_GetNextResDes", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 40] = "SplitMirror", ["deb01010-3a37-4d26-99df-e2bb6ae3ac61", 3] = "RefreshEx", ["12345678-1234-abcd-ef00-0123456789ab", 113] = "RpcEnumJobNamedProperties", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 69] = "RpcRemoteAssistancePrepareSystemRestore", ["f5cc5a18-4264-101a-8c59-08002b2f8426", 4] = "NspiSeekEntries", ["21546ae8-4da5-445e-987f-627fea39c5e8", 7] = "GetConfig", ["f5cc59b4-4264-101a-8c59-08002b2f8426", 10] = "FrsRpcVerifyPromotionParentEx", ["5b821720-f63b-11d0-aad2-00c04fc324db", 2] = "R_DhcpGetMScopeInfo", ["897e2e5f-93f3-4376-9c9c-fd2277495c27", 0] = "CheckConnectivity", ["12345778-1234-abcd-ef00-0123456789ac", 38] = "SamrChangePasswordUser", ["12b81e99-f207-4a4c-85d3-77b42f76fd14", 1] = "SeclCreateProcessWithLogonExW", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 5] = "NetrCharDevQSetInfo", ["00020401-0000-0000-c000-000000000046", 9] = "GetImplTypeFlags", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 47] = "ApiGetGroupId", ["bd0c73bc-805b-4043-9c30-9a28d64dd7d2", 13] = "Opnum13NotUsedOnWire", ["df1941c5-fe89-4e79-bf10-463657acf44d", 12] = "EfsRpcFileKeyInfo", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 17] = "NetrDfsSetDcAddress", ["338cd001-2244-31f1-aaaa-900038001003", 15] = "BaseRegOpenKey", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 33] = "R_GetServerGuid", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 114] = "ApiCreateBatchPort", ["12345778-1234-abcd-ef00-0123456789ac", 26] = "SamrSetMemberAttributesOfGroup", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 0] = "nsi_group_delete", ["338cd001-2244-31f1-aaaa-900038001003", 18] = "BaseRegReplaceKey", ["5b821720-f63b-11d0-aad2-00c04fc324db", 17] = "R_DhcpEnumOptionsV5", ["e33c0cc4-0482-101a-bc0c-02608c6ba218", 0] = "I_nsi_lookup_begin", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 110] = "ApiGetResourceDependencyExpression", ["d049b186-814f-11d1-9a3c-00c04fc9b232", 2] = "Opnum2NotUsedOnWire", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 38] = "RRPC_FWQueryConnectionSecurityRules", ["12345778-1234-abcd-ef00-0123456789ac", 7] = "SamrOpenDomain", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 48] = "PNP_FreeResDes", ["c386ca3e-9061-4a72-821e-498d83be188f", 47] = "AudioVolumeGetChannelCount", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 44] = "Opnum44NotUsedOnWire", ["88143fd0-c28d-4b2b-8fef-8d882f6a9390", 11] = "RpcGetAllSessionsEx", ["3faf4738-3a21-4307-b46c-fdda9bb8c0d5", 4] = "gfxAddGfx", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 16] = "ElfrOpenBELA", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 42] = "UninitializeDisk", ["12345778-1234-abcd-ef00-0123456789ab", 55] = "LsarOpenTrustedDomainByName", ["12345678-1234-abcd-ef00-01234567cffb", 10] = "NetrAccountSync", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 10] = "NetrDfsAddFtRoot", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 126] = "ApiPauseNodeEx", ["f5cc5a18-4264-101a-8c59-08002b2f8426", 8] = "NspiGetPropList", ["c386ca3e-9061-4a72-821e-498d83be188f", 50] = "AudioVolumeGetMasterVolumeLevel", ["c5cebee2-9df5-4cdd-a08c-c2471bc144b4", 16] = "GetCurrentMemory", ["497d95a6-2d27-4bf5-9bbd-a6046957133c", 0] = "RpcOpenListener", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 31] = "CreateVolumeAssignAndFormat", ["5b821720-f63b-11d0-aad2-00c04fc324db", 57] = "R_DhcpCreateSubnetV6", ["12345778-1234-abcd-ef00-0123456789ab", 26] = "LsarQueryInfoTrustedDomain", ["6bffd098-a112-3610-9833-46c3f874532d", 45] = "R_DhcpSetClientInfoVQ", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 19] = "RpcWinStationShadowTarget", ["12345778-1234-abcd-ef00-0123456789ab", 2] = "LsarEnumeratePrivileges", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 21] = "EfsRpcEncryptFileExServ", ["76f03f96-cdfd-44fc-a22c-64950a001209", 57] = "RpcAsyncEnumPerMachineConnections", ["f50aac00-c7f3-428e-a022-a6b71bfb9d43", 0] = "SSCatDBAddCatalog", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 62] = "RRPC_FWAddAuthenticationSet2_20", ["57674cd0-5200-11ce-a897-08002b2e9c6d", 0] = "LlsrLicenseRequestW", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 49] = "ApiOnlineGroup", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 27] = "Opnum27NotUsedOnWire", ["f5cc5a18-4264-101a-8c59-08002b2f8426", 11] = "NspiModProps", ["d049b186-814f-11d1-9a3c-00c04fc9b232", 10] = "NtFrsApi_Rpc_ForceReplication", ["367abb81-9844-35f1-ad32-98f038001003", 29] = "QueryServiceConfigA", ["c386ca3e-9061-4a72-821e-498d83be188f", 54] = "AudioVolumeGetChannelVolumeLevel", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 23] = "FreeDriveLetter", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 50] = "LlsrLocalProductInfoGetW", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 5] = "nsi_group_mbr_inq_done", ["01954e6b-9254-4e6e-808c-c9e05d007696", 5] = "Reset", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 5] = "EfsDecryptFileSrv", ["2f5f3220-c126-1076-b549-074d078619da", 13] = "NDdeGetTrustedShareA", ["c386ca3e-9061-4a72-821e-498d83be188f", 38] = "AudioSessionManagerDestroy", ["01954e6b-9254-4e6e-808c-c9e05d007696", 3] = "Next", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 40] = "RpcWinStationNtsdDebug", ["12345778-1234-abcd-ef00-0123456789ac", 36] = "SamrQueryInformationUser", ["367abb81-9844-35f1-ad32-98f038001003", 41] = "EnumServicesStatusExA", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 9] = "LlsrProductAddA", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 75] = "RpcWinStationOpenSessionDirectory", ["8298d101-f992-43b7-8eca-5052d885b995", 36] = "Export", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 81] = "LlsrLocalServiceEnumW", ["df1941c5-fe89-4e79-bf10-463657acf44d", 21] = "EfsRpcEncryptFileExServ", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 70] = "RRPC_FWAddFirewallRule2_24", ["f5cc5a18-4264-101a-8c59-08002b2f8426", 5] = "NspiGetMatches", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 15] = "LlsrProductLicenseEnumA", ["5b821720-f63b-11d0-aad2-00c04fc324db", 56] = "R_DhcpGetAllOptionValuesV6", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 39] = "Opnum39NotUsedOnWire", ["8d0ffe72-d252-11d0-bf8f-00c04fd9126b", 12] = "KeyrEnroll_V2", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 39] = "PNP_RequestEjectPC", ["12345678-1234-abcd-ef00-0123456789ab", 0] = "RpcEnumPrinters", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 71] = "Initialize", ["86d35949-83c9-4044-b424-db363231fd0c", 10] = "SchRpcStopInstance", ["6bffd098-a112-3610-9833-46c3f874532d", 4] = "R_DhcpAddSubnetElement", ["7fe0d935-dda6-443f-85d0-1cfb58fe41dd", 45] = "SetConfigEntry", ["2f59a331-bf7d-48cb-9ec5-7c090d76e8b8", 5] = "RpcLicensingGetAvailablePolicyIds", ["22e5386d-8b12-4bf0-b0ec-6a1ea419e366", 0] = "RpcNetEventOpenSession", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 64] = "ApiReAddNotifyResource", ["1a927394-352e-4553-ae3f-7cf4aafca620", 0] = "WdsRpcMessage", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 166] = "ApiDeleteGroupSet", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c3", 1] = "nsi_binding_unexport", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 65] = "RRPC_FWAddFirewallRule2_20", ["8d0ffe72-d252-11d0-bf8f-00c04fd9126b", 5] = "KeyrGetDefaultProvider", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 8] = "RpcLogonIdFromWinStationName", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 55] = "RRPC_FWAddCryptoSet2_10", ["367abb81-9844-35f1-ad32-98f038001003", 37] = "ChangeServiceConfig2W", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 30] = "PNP_GetDeviceStatus", ["6bffd098-a112-3610-9833-46c3f874532d", 36] = "R_DhcpSetSuperScopeV4", ["6bffd098-a112-3610-9833-46c3f874532d", 35] = "R_DhcpEnumSubnetClientsV4", ["7fe0d935-dda6-443f-85d0-1cfb58fe41dd", 44] = "GetConfigEntry", ["df1941c5-fe89-4e79-bf10-463657acf44d", 20] = "EfsRpcFlushEfsCache", ["bc681469-9dd9-4bf4-9b3d-709f69efe431", 11] = "RenameResourceGroup", ["12345778-1234-abcd-ef00-0123456789ac", 66] = "SamrSetDSRMPassword", ["12345678-1234-abcd-ef00-0123456789ab", 95] = "RpcSendRecvBidiData", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 25] = "RpcWinStationQueryLicense", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 5] = "CreatePartition", ["6bffd098-a112-3610-9833-46c3f87e345a", 4] = "NetrWkstaUserSetInfo", ["83da7c00-e84f-11d2-9807-00c04f8ec850", 2] = "SfcSrv_FileException", ["7c4e1804-e342-483d-a43e-a850cfcc8d18", 9] = "GetProcessMode", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 30] = "LlsrMappingInfoGetW", ["300f3532-38cc-11d0-a3f0-0020af6b0add", 12] = "LnkSearchMachine", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 12] = "NetrSessionEnum", ["00000143-0000-0000-c000-000000000046", 1] = "AddRef", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 22] = "EvtRpcGetPublisherList", ["9556dc99-828c-11cf-a37e-00aa003240c7", 20] = "ExecQuery", ["c5cebee2-9df5-4cdd-a08c-c2471bc144b4", 8] = "GetSystemAffinity", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 33] = "GrowVolume", ["7fe0d935-dda6-443f-85d0-1cfb58fe41dd", 36] = "GetCASecurity", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 82] = "LlsrLocalServiceEnumA", ["5b821720-f63b-11d0-aad2-00c04fc324db", 9] = "R_DhcpCreateMClientInfo", ["12345778-1234-abcd-ef00-0123456789ac", 41] = "SamrGetDisplayEnumerationIndex", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 77] = "ShutDownSystem", ["4f7ca01c-a9e5-45b6-b142-2332a1339c1d", 12] = "DeleteAccountingData", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 0] = "NetrDfsManagerGetVersion", ["12345778-1234-abcd-ef00-0123456789ab", 52] = "LsarCloseTrustedDomainEx", ["300f3532-38cc-11d0-a3f0-0020af6b0add", 3] = "Opnum3NotUsedOnWire", ["12345678-1234-abcd-ef00-01234567cffb", 23] = "NetrLogonGetTrustRid", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 13] = "NetrDfsRemoveStdRoot", ["12345678-1234-abcd-ef00-01234567cffb", 48] = "DsrUpdateReadOnlyServerDnsRecords", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 0] = "EvtRpcRegisterRemoteSubscription", ["4b112204-0e19-11d3-b42b-0000f81feb9f", 9] = "GetNotificationRpc", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 86] = "LlsrLocalServiceInfoSetA", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 6] = "nsi_profile_delete", ["df1941c5-fe89-4e79-bf10-463657acf44d", 10] = "Opnum10NotUsedOnWire", ["4f7ca01c-a9e5-45b6-b142-2332a1339c1d", 11] = "GetNextAccountingDataBatch", ["c386ca3e-9061-4a72-821e-498d83be188f", 26] = "AudioSessionGetChannelVolume", ["5b821720-f63b-11d0-aad2-00c04fc324db", 24] = "R_DhcpCreateClass", ["367abb81-9844-35f1-ad32-98f038001003", 13] = "EnumDependentServicesW", ["2f5f3220-c126-1076-b549-074d078619da", 0] = "NDdeShareAddW", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 39] = "NetrpGetFileSecurity", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 79] = "RRPC_FWSetFirewallRule2_26", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 46] = "ApiSetGroupName", ["11899a43-2b68-4a76-92e3-a3d6ad8c26ce", 0] = "RpcWaitForSessionState", ["e8fb8620-588f-11d2-9d61-00c04f79c5fe", 11] = "Kill", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 55] = "PNP_SetHwProf", ["d3fbb514-0e3b-11cb-8fad-08002b1d29c3", 0] = "nsi_binding_lookup_begin", ["50abc2a4-574d-40b3-9d66-ee4fd5fba076", 18] = "DnssrvEnumRecords4", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 65] = "PNP_GetObjectPropKeys", ["c386ca3e-9061-4a72-821e-498d83be188f", 37] = "GetAudioSessionManager", ["338cd001-2244-31f1-aaaa-900038001003", 2] = "OpenLocalMachine", ["9556dc99-828c-11cf-a37e-00aa003240c7", 18] = "CreateInstanceEnum", ["50abc2a4-574d-40b3-9d66-ee4fd5fba076", 8] = "DnssrvEnumRecords2", ["12345778-1234-abcd-ef00-0123456789ab", 80] = "LsarAdtUnregisterSecurityEventSource", ["12345678-1234-abcd-ef00-01234567cffb", 13] = "NetrGetAnyDCName", ["2f5f3220-c126-1076-b549-074d078619da", 12] = "NDdeSetTrustedShareW", ["2f5f3220-c126-1076-b549-074d078619da", 5] = "NDdeSetShareSecurityA", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 28] = "ApiGetRootKey", ["367abb81-9844-35f1-ad32-98f038001003", 18] = "QueryServiceLockStatusW", ["12345778-1234-abcd-ef00-0123456789ab", 33] = "LsarLookupPrivilegeDisplayName", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 51] = "NetrDfsFixLocalVolume", ["5b821720-f63b-11d0-aad2-00c04fc324db", 114] = "R_DhcpV4RemovePolicyRange", ["df1941c5-fe89-4e79-bf10-463657acf44d", 36] = "Opnum36NotUsedOnWire", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 38] = "Opnum38NotUsedOnWire", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 3] = "nsi_group_mbr_inq_begin", ["367abb81-9844-35f1-ad32-98f038001003", 23] = "ChangeServiceConfigA", ["12345778-1234-abcd-ef00-0123456789ab", 21] = "LsarGetQuotasForAccount", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 5] = "NetrDfsEnum", ["12345678-1234-abcd-ef00-0123456789ab", 55] = "RpcFindNextPrinterChangeNotification", ["86d35949-83c9-4044-b424-db363231fd0c", 14] = "SchRpcRename", ["2a3eb639-d134-422d-90d8-aaa1b5216202", 10] = "ExportXml", ["6bffd098-a112-3610-9833-46c3f874532d", 7] = "R_DhcpDeleteSubnet", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 18] = "Ping", ["12345678-1234-abcd-ef00-0123456789ab", 64] = "RpcResetPrinterEx", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 15] = "CopyData", ["5b821720-f63b-11d0-aad2-00c04fc324db", 72] = "R_DhcpGetClientInfoV6", ["6bffd098-a112-3610-9833-46c3f87e345a", 17] = "NetrUnjoinDomain", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 2] = "NetrDfsRemove", ["9556dc99-828c-11cf-a37e-00aa003240c7", 23] = "ExecNotificationQueryAsync", ["1a1bb35f-abb8-451c-a1ae-33d98f1bef4a", 4] = "ReportError", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 46] = "PNP_GetLogConfPriority", ["9556dc99-828c-11cf-a37e-00aa003240c7", 14] = "PutInstance", ["12345778-1234-abcd-ef00-0123456789ab", 16] = "LsarCreateSecret", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 52] = "PNP_ModifyResDes", ["4f7ca01c-a9e5-45b6-b142-2332a1339c1d", 14] = "CancelAccountingQuery", ["fc910418-55ca-45ef-b264-83d4ce7d30e0", 9] = "RefreshRemoteSessionWeights", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 88] = "LlsrLocalServiceInfoGetA", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 74] = "RescanDisks", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 12] = "GetViewDefaultColumnSet", ["12345678-1234-abcd-ef00-01234567cffb", 14] = "NetrLogonControl2", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 14] = "NetrShareAdd", ["8298d101-f992-43b7-8eca-5052d885b995", 35] = "RestoreWithPasswrd", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 5] = "RpcSrvGetFallbackParams", ["12345778-1234-abcd-ef00-0123456789ab", 65] = "CredrDelete", ["44e265dd-7daf-42cd-8560-3cdb6e7a2729", 8] = "TsProxySetupReceivePipe", ["bd0c73bc-805b-4043-9c30-9a28d64dd7d2", 19] = "Opnum19NotUsedOnWire", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 24] = "DRSQuerySitesByCost", ["44e265dd-7daf-42cd-8560-3cdb6e7a2729", 5] = "Opnum5NotUsedOnWire", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 14] = "LlsrProductLicenseEnumW", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 12] = "DRSCrackNames", ["12345778-1234-abcd-ef00-0123456789ab", 56] = "LsarTestCall", ["bc681469-9dd9-4bf4-9b3d-709f69efe431", 9] = "CreateResourceGroup", ["53b46b02-c73b-4a3e-8dee-b16b80672fc0", 0] = "RpcGetSessionIP", ["6bffd098-a112-3610-9833-46c3f87e345a", 12] = "NetrMessageBufferSend", ["6bffd098-a112-3610-9833-46c3f87e345a", 1] = "NetrWkstaSetInfo", ["5b821720-f63b-11d0-aad2-00c04fc324db", 126] = "R_DhcpV4CreatePolicyEx", ["00020401-0000-0000-c000-000000000046", 12] = "GetDocumentation", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 28] = "IDL_DRSAddCloneDC", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 20] = "R_WinsStatusWHdl", ["2f5f3220-c126-1076-b549-074d078619da", 4] = "NDdeGetShareSecurityW", ["497d95a6-2d27-4bf5-9bbd-a6046957133c", 2] = "RpcStopListener", ["5b821720-f63b-11d0-aad2-00c04fc324db", 12] = "R_DhcpDeleteMClientInfo", ["5b821720-f63b-11d0-aad2-00c04fc324db", 16] = "R_DhcpGetOptionInfoV5", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 127] = "ApiPauseNodeWithDrainTarget", ["bc681469-9dd9-4bf4-9b3d-709f69efe431", 8] = "ModifyResourceGroup", ["481e06cf-ab04-4498-8ffe-124a0a34296d", 17] = "RenameSchedule", ["8d0ffe72-d252-11d0-bf8f-00c04fd9126b", 0] = "KeyrOpenKeyService", ["76f03f96-cdfd-44fc-a22c-64950a001209", 50] = "RpcAsyncSetPort", ["99fcfec4-5260-101b-bbcb-00aa0021347a", 4] = "ResolveOxid2", ["4d9f4ab8-7d1c-11cf-861e-0020af6e7c57", 0] = "RemoteActivation", ["4b112204-0e19-11d3-b42b-0000f81feb9f", 2] = "DeregisterServiceRpc", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 38] = "ApiQueryInfoKey", ["6bffd098-a112-3610-9833-46c3f874532d", 6] = "R_DhcpRemoveSubnetElement", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 37] = "RRPC_FWQueryFirewallRules", ["a8e0653c-2744-4389-a61d-7373df8b2292", 11] = "DeleteShareMapping", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 20] = "LlsrUserInfoSetW", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 67] = "PNP_SetObjectProp", ["12345678-1234-abcd-ef00-0123456789ab", 91] = "RpcGetSpoolFileInfo", ["6bffd098-a112-3610-9833-012892020162", 11] = "BrowserrServerEnumEx", ["338cd001-2244-31f1-aaaa-900038001003", 17] = "BaseRegQueryValue", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 3] = "ApiGetClusterName", ["5b821720-f63b-11d0-aad2-00c04fc324db", 66] = "R_DhcpServerGetConfigV6", ["22e5386d-8b12-4bf0-b0ec-6a1ea419e366", 2] = "RpcNetEventCloseSession", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 59] = "RpcWinStationShadowStop", ["12345678-1234-abcd-ef00-0123456789ab", 37] = "RpcAddPort", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 6] = "NetrCharDevQPurge", ["943991a5-b3fe-41fa-9696-7f7b656ee34b", 10] = "DeleteMachineGroup", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 35] = "NetprNameCompare", ["3919286a-b10c-11d0-9ba8-00c04fd92ef5", 4] = "DsRolerDemoteDc", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 9] = "InitializeDiskStyle", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 3] = "EnumDisksEx", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 11] = "ApiCloseResource", ["77df7a80-f298-11d0-8358-00a024c480a8", 22] = "S_DSValidateServer", ["d049b186-814f-11d1-9a3c-00c04fc9b232", 8] = "NtFrsApi_Rpc_IsPathReplicated", ["df1941c5-fe89-4e79-bf10-463657acf44d", 18] = "EfsRpcGetEncryptedFileMetadata", ["367abb81-9844-35f1-ad32-98f038001003", 14] = "EnumServicesStatusW", ["338cd001-2244-31f1-aaaa-900038001003", 16] = "BaseRegQueryInfoKey", ["6bffd098-a112-3610-9833-46c3f874532d", 22] = "R_DhcpGetMibInfo", ["6bffd098-a112-3610-9833-46c3f874532d", 10] = "R_DhcpGetOptionInfo", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 34] = "Opnum34NotUsedOnWire", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 22] = "RpcWinStationEnumerateLicenses", ["12345778-1234-abcd-ef00-0123456789ac", 44] = "SamrGetUserDomainPasswordInformation", ["82ad4280-036b-11cf-972c-00aa006887b0", 3] = "R_InetInfoSetAdminInformation", ["6bffd098-a112-3610-9833-012892020162", 4] = "BrowserrDebugTrace", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 82] = "ApiCloseNetwork", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 10] = "RpcWinStationConnect", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 28] = "RpcWinStationCallback", ["5b821720-f63b-11d0-aad2-00c04fc324db", 11] = "R_DhcpGetMClientInfo", ["df1941c5-fe89-4e79-bf10-463657acf44d", 25] = "Opnum25NotUsedOnWire", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 60] = "ApiAddNotifyResource", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 69] = "PNP_ApplyPowerSettings", ["76f03f96-cdfd-44fc-a22c-64950a001209", 74] = "RpcAsyncLogJobInfoForBranchOffice", ["5b821720-f63b-11d0-aad2-00c04fc324db", 124] = "R_DhcpV6CreateClientInfo", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 32] = "Opnum32NotUsedOnWire", ["f5cc59b4-4264-101a-8c59-08002b2f8426", 2] = "FrsRpcStartPromotionParent", ["5b821720-f63b-11d0-aad2-00c04fc324db", 128] = "R_DhcpV4SetPolicyEx", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 147] = "ApiGetNotifyAsync", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 4] = "nsi_group_mbr_inq_next", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 45] = "LlsrServerEnumA", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 42] = "ApiCreateGroup", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 73] = "RpcWinStationAutoReconnect", ["12345678-1234-abcd-ef00-0123456789ab", 71] = "RpcSetPort", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 10] = "Opnum10NotUsedOnWire", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 19] = "EvtRpcGetChannelList", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 14] = "DeleteAllData", ["12345778-1234-abcd-ef00-0123456789ab", 0] = "LsarClose", ["50abc2a4-574d-40b3-9d66-ee4fd5fba076", 17] = "DnssrvUpdateRecord4", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 34] = "PNP_AddID", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 25] = "GetInstalledFileSystems", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 62] = "Opnum62NotUsedOnWire", ["12345678-1234-abcd-ef00-0123456789ab", 18] = "RpcStartPagePrinter", ["77df7a80-f298-11d0-8358-00a024c480a8", 18] = "Opnum18NotUsedOnWire", ["12345778-1234-abcd-ef00-0123456789ab", 24] = "LsarSetSystemAccessAccount", ["12345778-1234-abcd-ef00-0123456789ac", 63] = "SamrUnicodeChangePasswordUser3", ["811109bf-a4e1-11d1-ab54-00a0c91e9b45", 1] = "R_WinsCheckAccess", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 9] = "R_SetData", ["bd0c73bc-805b-4043-9c30-9a28d64dd7d2", 12] = "IsInstallRemote", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 17] = "RpcSrvSetClientId", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 21] = "nsi_mgmt_inq_set_age", ["76f03f96-cdfd-44fc-a22c-64950a001209", 6] = "RpcAsyncScheduleJob", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 12] = "RpcSrvDeRegisterParams", ["5b821720-f63b-11d0-aad2-00c04fc324db", 92] = "R_DhcpV4FailoverGetRelationship", ["897e2e5f-93f3-4376-9c9c-fd2277495c27", 2] = "EstablishSession", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 44] = "ImportDiskGroup", ["bd0c73bc-805b-4043-9c30-9a28d64dd7d2", 16] = "GetCertInfoRemote", ["300f3532-38cc-11d0-a3f0-0020af6b0add", 10] = "Opnum10NotUsedOnWire", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 23] = "NetrServerDiskEnum", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 41] = "InitializeDiskEx", ["e33c0cc4-0482-101a-bc0c-02608c6ba218", 4] = "I_nsi_ping_locator", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 32] = "LlsrMappingInfoSetW", ["76f03f96-cdfd-44fc-a22c-64950a001209", 67] = "RpcAsyncDeletePrinterDriverPackage", ["897e2e5f-93f3-4376-9c9c-fd2277495c27", 6] = "RequestRecords", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 16] = "DRSDomainControllerInfo", ["77df7a80-f298-11d0-8358-00a024c480a8", 16] = "Opnum16NotUsedOnWire", ["7c44d7d4-31d5-424c-bd5e-2b3e1f323d22", 1] = "IDL_DSAExecuteScript", ["88143fd0-c28d-4b2b-8fef-8d882f6a9390", 7] = "Opnum7NotUsedOnWire", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 19] = "ApiAddResourceDependency", ["12345778-1234-abcd-ef00-0123456789ac", 60] = "SamrGetBootKeyInformation", ["12345678-1234-abcd-ef00-0123456789ab", 7] = "RpcSetPrinter", ["5b821720-f63b-11d0-aad2-00c04fc324db", 39] = "R_DhcpRemoveSubnetElementV5", ["00000131-0000-0000-c000-000000000046", 5] = "RemRelease", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 22] = "DRSReplicaVerifyObjects", ["76f03f96-cdfd-44fc-a22c-64950a001209", 25] = "RpcAsyncEnumForms", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 23] = "EvtRpcGetPublisherListForChannel", ["50abc2a4-574d-40b3-9d66-ee4fd5fba076", 12] = "DnssrvOperation3", ["2f5f3220-c126-1076-b549-074d078619da", 6] = "NDdeSetShareSecurityW", ["4f7ca01c-a9e5-45b6-b142-2332a1339c1d", 13] = "DefragmentDB", ["7c4e1804-e342-483d-a43e-a850cfcc8d18", 7] = "EnumerateApplicationsInPool", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 53] = "ApiCreateGroupResourceEnum", ["3919286a-b10c-11d0-9ba8-00c04fd92ef5", 3] = "DsRolerDcAsReplica", ["a8e0653c-2744-4389-a61d-7373df8b2292", 9] = "IsPathShadowCopied", ["c386ca3e-9061-4a72-821e-498d83be188f", 62] = "AudioMeterGetPeakValue", ["12345678-1234-abcd-ef00-0123456789ab", 36] = "RpcEnumMonitors", ["12345778-1234-abcd-ef00-0123456789ac", 11] = "SamrEnumerateGroupsInDomain", ["481e06cf-ab04-4498-8ffe-124a0a34296d", 19] = "MoveAfterCalendar", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 2] = "LlsrLicenseEnumW", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 0] = "RRPC_FWOpenPolicyStore", ["88143fd0-c28d-4b2b-8fef-8d882f6a9390", 1] = "RpcCloseEnum", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 90] = "ApiAddNotifyNetwork", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 4] = "DRSUpdateRefs", ["481e06cf-ab04-4498-8ffe-124a0a34296d", 11] = "RenameCalendar", ["897e2e5f-93f3-4376-9c9c-fd2277495c27", 8] = "RawGetFileData", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 77] = "LlsrReplicationCertDbAddW", ["943991a5-b3fe-41fa-9696-7f7b656ee34b", 15] = "DeleteMachine", ["a8e0653c-2744-4389-a61d-7373df8b2292", 2] = "StartShadowCopySet", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 38] = "RpcServerNWLogonSetAdmin", ["12345678-1234-abcd-ef00-0123456789ab", 34] = "RpcEnumForms", ["76f03f96-cdfd-44fc-a22c-64950a001209", 56] = "RpcAsyncDeletePerMachineConnection", ["bde95fdf-eee0-45de-9e12-e5a61cd0d4fe", 4] = "RpcGetRemoteAddress", ["df1941c5-fe89-4e79-bf10-463657acf44d", 3] = "EfsRpcCloseRaw", ["50abc2a4-574d-40b3-9d66-ee4fd5fba076", 13] = "DnssrvQuery3", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 14] = "OpenView", ["3faf4738-3a21-4307-b46c-fdda9bb8c0d5", 12] = "wdmDriverOpenDrvRegKey", ["5b821720-f63b-11d0-aad2-00c04fc324db", 90] = "R_DhcpV4FailoverSetRelationship", ["338cd001-2244-31f1-aaaa-900038001003", 33] = "OpenPerformanceNlsText", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 18] = "RRPC_FWSetAuthenticationSet", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 33] = "RRPC_FWSetMainModeRule", ["367abb81-9844-35f1-ad32-98f038001003", 45] = "CreateServiceWOW64W", ["a4f1db00-ca47-1067-b31f-00dd010662da", 0] = "EcDoConnect", ["76f03f96-cdfd-44fc-a22c-64950a001209", 28] = "RpcAsyncEnumPrinterDataEx", ["5b821720-f63b-11d0-aad2-00c04fc324db", 18] = "R_DhcpRemoveOptionV5", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 63] = "ApiReAddNotifyGroup", ["943991a5-b3fe-41fa-9696-7f7b656ee34b", 7] = "CreateMachineGroup", ["367abb81-9844-35f1-ad32-98f038001003", 11] = "ChangeServiceConfigW", ["f5cc59b4-4264-101a-8c59-08002b2f8426", 6] = "FrsBackupComplete", ["3919286a-b10c-11d0-9ba8-00c04fd92ef5", 10] = "DsRolerAbortDownlevelServerUpgrade", ["12345678-1234-abcd-ef00-01234567cffb", 29] = "NetrLogonGetDomainInfo", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 171] = "ApiAddGroupSetDependency", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 16] = "ApiFailResource", ["034634fd-ba3f-11d1-856a-00a0c944138c", 7] = "GetTelnetSessions", ["12345778-1234-abcd-ef00-0123456789ab", 44] = "LsarOpenPolicy2", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 62] = "RpcWinStationGetMachinePolicy", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 4] = "EfsRpcEncryptFileSrv", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 71] = "RescanDisks", ["5b821720-f63b-11d0-aad2-00c04fc324db", 60] = "R_DhcpEnumSubnetElementsV6", ["76f03f96-cdfd-44fc-a22c-64950a001209", 4] = "RpcAsyncEnumJobs", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 19] = "PNP_GetClassName", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 42] = "Opnum42NotUsedOnWire", ["8fb6d884-2388-11d0-8c35-00c04fda2795", 7] = "W32TimeLog", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 76] = "LlsrCertificateClaimAddW", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 70] = "RpcWinStationGetAllProcesses_NT6", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 19] = "RpcSrvNotifyMediaReconnected", ["6bffd098-a112-3610-9833-46c3f874532d", 50] = "R_DhcpSetSubnetInfoVQ", ["12345778-1234-abcd-ef00-0123456789ab", 41] = "LsarDeleteTrustedDomain", ["76f03f96-cdfd-44fc-a22c-64950a001209", 38] = "RpcAsyncEnumPrinters", ["367abb81-9844-35f1-ad32-98f038001003", 21] = "GetServiceKeyNameW", ["7fe0d935-dda6-443f-85d0-1cfb58fe41dd", 48] = "DeleteRow", ["6bffd098-a112-3610-9833-46c3f87e345a", 0] = "NetrWkstaGetInfo", ["12345778-1234-abcd-ef00-0123456789ac", 61] = "SamrConnect3", ["12345678-1234-abcd-ef00-0123456789ab", 51] = "RpcEnumPrintProcessorDatatypes", ["027947e1-d731-11ce-a357-000000000001", 4] = "Next", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 31] = "RpcWinStationWaitForConnect", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 26] = "RpcWinStationSetPoolCount", ["4f7ca01c-a9e5-45b6-b142-2332a1339c1d", 10] = "GetRawAccountingData", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 27] = "EvtRpcGetNextEventMetadata", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 18] = "CloseKey", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 143] = "ApiCreateGroupEnum", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 43] = "ReConnectDisk", ["76f03f96-cdfd-44fc-a22c-64950a001209", 58] = "RpcSyncRegisterForRemoteNotifications", ["df1941c5-fe89-4e79-bf10-463657acf44d", 15] = "EfsRpcAddUsersToFileEx", ["ae1c7110-2f60-11d3-8a39-00c04f72d8e3", 5] = "Reset", ["d99e6e70-fc88-11d0-b498-00a0c90312f3", 5] = "Ping", ["300f3532-38cc-11d0-a3f0-0020af6b0add", 11] = "Opnum11NotUsedOnWire", ["300f3532-38cc-11d0-a3f0-0020af6b0add", 7] = "Opnum7NotUsedOnWire", ["f309ad18-d86a-11d0-a075-00c04fb68820", 6] = "NTLMLogin", ["897e2e5f-93f3-4376-9c9c-fd2277495c27", 1] = "EstablishConnection", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 15] = "NetrShareEnum", ["5b821720-f63b-11d0-aad2-00c04fc324db", 118] = "R_DhcpV6GetStatelessStatistics", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 51] = "LlsrLocalProductInfoGetA", ["12345778-1234-abcd-ef00-0123456789ab", 87] = "LsarEnumerateAuditSubCategories", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 5] = "DRSReplicaAdd", ["367abb81-9844-35f1-ad32-98f038001003", 38] = "QueryServiceConfig2A", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 15] = "RpcSrvSetClassId", ["c386ca3e-9061-4a72-821e-498d83be188f", 5] = "AudioServerDestroyStream", ["86d35949-83c9-4044-b424-db363231fd0c", 6] = "SchRpcEnumFolder", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 27] = "RpcWinStationQueryUpdateRequired", ["afa8bd80-7d8a-11c9-bef4-08002b102989", 3] = "stop_server_listening", ["12345678-1234-abcd-ef00-0123456789ab", 9] = "RpcAddPrinterDriver", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 138] = "ApiAddNotifyV2", ["82ad4280-036b-11cf-972c-00aa006887b0", 2] = "R_InsetInfoGetSites", ["f5cc59b4-4264-101a-8c59-08002b2f8426", 9] = "FrsBackupComplete", ["12345778-1234-abcd-ef00-0123456789ab", 75] = "CredrRename", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 63] = "RRPC_FWEnumAuthenticationSets2_20", ["76f03f96-cdfd-44fc-a22c-64950a001209", 53] = "RpcAsyncDeletePrintProcessor", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 5] = "DeleteChildKEys", ["00020401-0000-0000-c000-000000000046", 13] = "GetDllEntry", ["df1941c5-fe89-4e79-bf10-463657acf44d", 11] = "EfsRpcNotSupported", ["ae1c7110-2f60-11d3-8a39-00c04f72d8e3", 3] = "Next", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 70] = "LlsrProductLicensesGetW", ["338cd001-2244-31f1-aaaa-900038001003", 6] = "BaseRegCreateKey", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 17] = "FTResyncMirror", ["6bffd098-a112-3610-9833-46c3f874532d", 39] = "R_DhcpServerSetConfigV4", ["214a0f28-b737-4026-b847-4f9e37d79529", 7] = "QueryDiffAreaOnVolume", ["12345778-1234-abcd-ef00-0123456789ab", 1] = "LsarDelete", ["c386ca3e-9061-4a72-821e-498d83be188f", 6] = "AudioServerGetStreamLatency", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 25] = "IDL_DRSInitDemotion", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 21] = "DRSGetMemberships2", ["86d35949-83c9-4044-b424-db363231fd0c", 1] = "SchRpcRegisterTask", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 3] = "ElfrDeregisterEventSource", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 58] = "Opnum58NotUsedOnWire", ["df1941c5-fe89-4e79-bf10-463657acf44d", 43] = "Opnum43NotUsedOnWire", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 35] = "DeleteVolume", ["12345778-1234-abcd-ef00-0123456789ab", 47] = "LsarSetInformationPolicy2", ["c386ca3e-9061-4a72-821e-498d83be188f", 24] = "AudioSessionGetChannelCount", ["12345778-1234-abcd-ef00-0123456789ac", 45] = "SamrRemoveMemberFromForeignDomain", ["99fcfec4-5260-101b-bbcb-00aa0021347a", 0] = "ResolveOxid", ["f5cc5a18-4264-101a-8c59-08002b2f8426", 3] = "NspiQueryRows", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 1] = "RpcWinStationCloseServer", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 180] = "ApiCreateGroupSetEnum", ["338cd001-2244-31f1-aaaa-900038001003", 9] = "BaseRegEnumKey", ["6bffd098-a112-3610-9833-46c3f874532d", 11] = "R_DhcpRemoveOption", ["12345778-1234-abcd-ef00-0123456789ac", 47] = "SamrQueryInformationUser2", ["5422fd3a-d4b8-4cef-a12e-e87d4ca22e90", 9] = "Ping2", ["000001a0-0000-0000-c000-000000000046", 1] = "AddRefIRemoteISCMActivator", ["12345778-1234-abcd-ef00-0123456789ac", 1] = "SamrCloseHandle", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 21] = "NetrServerGetInfo", ["c386ca3e-9061-4a72-821e-498d83be188f", 53] = "AudioVolumeSetChannelVolumeLevelScalar", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 93] = "ApiCloseNetInterface", ["708cca10-9569-11d1-b2a5-0060977d8118", 0] = "S_DSGetComputerSites", ["c5cebee2-9df5-4cdd-a08c-c2471bc144b4", 9] = "ImportXMLFiles", ["00000131-0000-0000-c000-000000000046", 3] = "RemQueryInterface", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 75] = "EnumAccessPath", ["12345678-1234-abcd-ef00-0123456789ab", 103] = "RpcGetPrinterDriverPackagePath", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 178] = "ApiRemoveGroupSetDependency", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 10] = "DRSInterDomainMove", ["12345678-1234-abcd-ef00-0123456789ab", 43] = "RpcAddPrinterConnection", ["6bffd098-a112-3610-9833-46c3f874532d", 40] = "R_DhcpServerGetConfigV4", ["12345678-1234-abcd-ef00-0123456789ab", 77] = "RpcSetPrinterDataEx", ["112b1dff-d9dc-41f7-869f-d67fee7cb591", 4] = "DestroyVirtualSmartCard", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 16] = "RRPC_FWEnumConnectionSecurityRules", ["367abb81-9844-35f1-ad32-98f038001003", 42] = "EnumServicesStatusExW", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 144] = "ApiCreateResourceEnum", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 145] = "ApiExecuteReadBatch", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 3] = "AddKey", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 72] = "Uninitialize", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 11] = "EfsRpcNotSupported", ["5b821720-f63b-11d0-aad2-00c04fc324db", 104] = "R_DhcpV4RemoveOptionValue", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 17] = "R_WinsGetBrowserNames", ["12345678-1234-abcd-ef00-0123456789ab", 99] = "RpcInstallPrinterDriverFromPackage", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 22] = "NetrDfsSetInfo2", ["12345778-1234-abcd-ef00-0123456789ab", 13] = "LsarEnumerateTrustedDomains", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 22] = "BackupGetAttachmentInformation", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 52] = "RestartVolume", ["12345678-1234-abcd-ef00-01234567cffb", 1] = "NetrLogonUasLogoff", ["300f3532-38cc-11d0-a3f0-0020af6b0add", 6] = "Opnum6NotUsedOnWire", ["fa7df749-66e7-4986-a27f-e2f04ae53772", 4] = "QueryVolumesSupportedForSnapshots", ["367abb81-9844-35f1-ad32-98f038001003", 52] = "ScSendPnPMessage", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 13] = "NetrSessionDel", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 11] = "PNP_GetDeviceListSize", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 13] = "PNP_GetDeviceRegProp", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 7] = "ElfrOpenELW", ["12345778-1234-abcd-ef00-0123456789ab", 20] = "LsarRemovePrivilegesFromAccount", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 109] = "ApiSetResourceDependencyExpression", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 75] = "RefreshFileSys", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 25] = "NetrDfsGetSupportedNamespaceVersion", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 73] = "ApiResourceControl", ["c4b0c7d9-abe0-4733-a1e1-9fdedf260c7a", 7] = "DeleteObject", ["6bffd098-a112-3610-9833-46c3f874532d", 24] = "R_DhcpSetOptionValues", ["12345678-1234-abcd-ef00-01234567cffb", 49] = "NetrChainSetClientAttributes", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 10] = "R_GetData", ["12345678-1234-abcd-ef00-0123456789ab", 12] = "RpcGetPrinterDriverDirectory", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 6] = "ApiSetQuorumResource", ["6bffd098-a112-3610-9833-46c3f87e345a", 19] = "NetrRenameMachineInDomain", ["44e265dd-7daf-42cd-8560-3cdb6e7a2729", 7] = "TsProxyCloseTunnel", ["12345778-1234-abcd-ef00-0123456789ab", 31] = "LsarLookupPrivilegeValue", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 24] = "EnumLocalFileSystems", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 43] = "ApiDeleteGroup", ["c386ca3e-9061-4a72-821e-498d83be188f", 18] = "AudioSessionGetSessionClass", ["12345778-1234-abcd-ef00-0123456789ac", 8] = "SamrQueryInformationDomain", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 54] = "EncapsulateDiskEx", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 20] = "DRSAddSidHistory", ["6bffd098-a112-3610-9833-46c3f874532d", 28] = "R_DhcpGetVersion", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 7] = "R_WinsBackup", ["a4f1db00-ca47-1067-b31f-00dd010662da", 4] = "EcRRegisterPushNotification", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 97] = "ApiNodeNetInterfaceControl", ["bde95fdf-eee0-45de-9e12-e5a61cd0d4fe", 6] = "Opnum6NotUsedOnWire", ["481e06cf-ab04-4498-8ffe-124a0a34296d", 16] = "DeleteSchedule", ["76f03f96-cdfd-44fc-a22c-64950a001209", 48] = "RpcAsyncEnumMonitors", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 47] = "NetrDfsSetServerInfo", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 7] = "RpcSrvStaticRefreshParams", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 24] = "RpcSrvDeRegisterConnectionStateNotification", ["bde95fdf-eee0-45de-9e12-e5a61cd0d4fe", 2] = "RpcGetProtocolStatus", ["f612954d-3b0b-4c56-9563-227b7be624b4", 40] = "GetChildPaths", ["6bffd098-a112-3610-9833-46c3f87e345a", 24] = "NetrRenameMachineInDomain2", ["338cd001-2244-31f1-aaaa-900038001003", 4] = "OpenUsers", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 73] = "LlsrCertificateClaimAddCheckA", ["12345778-1234-abcd-ef00-0123456789ab", 63] = "CredrWriteDomainCredentials", ["59602eb6-57b0-4fd8-aa4b-ebf06971fe15", 13] = "MoveAfter", ["484809d6-4239-471b-b5bc-61df8c23ac48", 3] = "RpcUnRegisterAsyncNotification", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 16] = "RpcWinStationWaitSystemEvent", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 30] = "CreateVolumeAssignAndFormat", ["00000143-0000-0000-c000-000000000046", 4] = "RemAddRef", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 53] = "RRPC_FWSetAuthenticationSet2_10", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 25] = "GetInstalledFileSystems", ["12345678-1234-abcd-ef00-0123456789ab", 40] = "RpcCreatePrinterIC", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 4] = "EnumDiskRegionsEx", ["12345778-1234-abcd-ef00-0123456789ab", 19] = "LsarAddPrivilegesToAccount", ["3c745a97-f375-4150-be17-5950f694c699", 6] = "CreateVirtualSmartCardWithAttestation", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 15] = "FTDeleteVolume", ["12345778-1234-abcd-ef00-0123456789ac", 53] = "SamrRemoveMultipleMembersFromAlias", ["76f03f96-cdfd-44fc-a22c-64950a001209", 59] = "RpcSyncUnRegisterForRemoteNotifications", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 2] = "EfsRpcWriteFileRaw", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 17] = "ApiOnlineResource", ["0b1c2170-5732-4e0e-8cd3-d9b16f3b84d7", 1] = "AuthzrInitializeContextFromSid", ["12345778-1234-abcd-ef00-0123456789ac", 52] = "SamrAddMultipleMembersToAlias", ["77df7a80-f298-11d0-8358-00a024c480a8", 11] = "S_DSGetPropsGuid", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 68] = "Initialize", ["6bffd098-a112-3610-9833-46c3f874532d", 9] = "R_DhcpSetOptionInfo", ["76f03f96-cdfd-44fc-a22c-64950a001209", 61] = "RpcAsyncGetRemoteNotifications", ["5b821720-f63b-11d0-aad2-00c04fc324db", 112] = "R_DhcpV4EnumPolicies", ["c386ca3e-9061-4a72-821e-498d83be188f", 48] = "AudioVolumeSetMasterVolumeLevel", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 20] = "BackupPrepare", ["76f03f96-cdfd-44fc-a22c-64950a001209", 62] = "RpcAsyncInstallPrinterDriverFromPackage", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 5] = "PNP_ReportLogOn", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 61] = "PNP_GetCustomDevProp", ["12345678-1234-abcd-ef00-0123456789ab", 54] = "RpcClientFindFirstPrinterChangeNotification", ["77df7a80-f298-11d0-8358-00a024c480a8", 20] = "S_DSCreateServersCache", ["c386ca3e-9061-4a72-821e-498d83be188f", 40] = "AudioSessionManagerGetCurrentSession", ["c386ca3e-9061-4a72-821e-498d83be188f", 63] = "AudioMeterGetChannelsPeakValues", ["497d95a6-2d27-4bf5-9bbd-a6046957133c", 1] = "RpcCloseListener", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 7] = "CopyKey", ["99fcfec4-5260-101b-bbcb-00aa0021347a", 2] = "ComplexPing", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 1] = "NetrCharDevGetInfo", ["5b821720-f63b-11d0-aad2-00c04fc324db", 61] = "R_DhcpRemoveSubnetElementV6", ["12345678-1234-abcd-ef00-0123456789ab", 63] = "RpcSpoolerInit", ["000001a0-0000-0000-c000-000000000046", 0] = "QueryInterfaceIRemoteSCMActivator", ["367abb81-9844-35f1-ad32-98f038001003", 54] = "ScOpenServiceStatusHandle", ["77df7a80-f298-11d0-8358-00a024c480a8", 14] = "S_DSSetObjectSecurityGuid", ["21546ae8-4da5-445e-987f-627fea39c5e8", 13] = "WSRMActivate", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 38] = "PNP_IsDockStationPresent", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 113] = "ApiExecuteBatch", ["12345678-1234-abcd-ef00-0123456789ab", 116] = "RpcLogJobInfoForBranchOffice", ["df1941c5-fe89-4e79-bf10-463657acf44d", 22] = "EfsRpcQueryProtectors", ["6bffd098-a112-3610-9833-46c3f874532d", 43] = "R_DhcpGetMibInfoVQ", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 64] = "Opnum64NotUsedOnWire", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 19] = "ElfrRegisterClusterSvc", ["367abb81-9844-35f1-ad32-98f038001003", 47] = "NotifyServiceStatusChange", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 42] = "PNP_AddEmptyLogConf", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 37] = "ApiCloseKey", ["9556dc99-828c-11cf-a37e-00aa003240c7", 24] = "ExecMethod", ["82ad4280-036b-11cf-972c-00aa006887b0", 15] = "R_IISDisconnectedUser", ["5b821720-f63b-11d0-aad2-00c04fc324db", 33] = "R_DhcpAuditLogGetParams", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 41] = "Opnum41NotUsedOnWire", ["300f3532-38cc-11d0-a3f0-0020af6b0add", 1] = "Opnum1NotUsedOnWire", ["fa7df749-66e7-4986-a27f-e2f04ae53772", 3] = "GetProviderMgmtInterface", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 122] = "ApiOpenNetInterfaceEx", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 19] = "EfsRpcSetEncryptedFileMetadata", ["12345678-1234-abcd-ef00-0123456789ab", 62] = "RpcRemoteFindFirstPrinterChangeNotification", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 9] = "RpcSrvRequestParams", ["df1941c5-fe89-4e79-bf10-463657acf44d", 42] = "Opnum42NotUsedOnWire", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 112] = "ApiGetResourceNetworkName", ["367abb81-9844-35f1-ad32-98f038001003", 4] = "QueryServiceObjectSecurity", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 21] = "PNP_GetInterfaceDeviceAlias", ["e1af8308-5d1f-11c9-91a4-08002b14a0fa", 6] = "ept_mgmt_delete", ["5a7b91f8-ff00-11d0-a9b2-00c04fb6e6fc", 0] = "NetrSendMessage", ["12345778-1234-abcd-ef00-0123456789ab", 17] = "LsarOpenAccount", ["3faf4738-3a21-4307-b46c-fdda9bb8c0d5", 7] = "gfxLogon", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 3] = "NetrDfsSetInfo", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 13] = "nsi_entry_object_inq_next", ["82ad4280-036b-11cf-972c-00aa006887b0", 4] = "R_InetInfoGetGlobalAdminInformation", ["12345678-1234-abcd-ef00-0123456789ab", 27] = "RpcSetPrinterData", ["00000000-0000-0000-c000-000000000046", 0] = "Opnum0NotUsedOnWire", ["7fe0d935-dda6-443f-85d0-1cfb58fe41dd", 33] = "SetCAProperty", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 83] = "LlsrLocalServiceAddA", ["12345678-1234-abcd-ef00-0123456789ab", 88] = "RpcXcvData", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 100] = "ApiReAddNotifyNetInterface", ["12345778-1234-abcd-ef00-0123456789ac", 73] = "SamrUnicodeChangePasswordUser4", ["f50aac00-c7f3-428e-a022-a6b71bfb9d43", 5] = "SSCatDBRebuildDatabase", ["5b821720-f63b-11d0-aad2-00c04fc324db", 52] = "R_DhcpSetOptionValueV6", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 10] = "RpcSrvPersistentRequestParams", ["a4f1db00-ca47-1067-b31f-00dd010662da", 10] = "EcDoConnectEx", ["12345778-1234-abcd-ef00-0123456789ac", 12] = "SamrCreateUserInDomain", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 22] = "ElfrGetLogInformation", ["12345778-1234-abcd-ef00-0123456789ab", 45] = "LsarGetUserName", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 33] = "NetprNameValidate", ["c386ca3e-9061-4a72-821e-498d83be188f", 4] = "AudioServerCreateStream", ["12345778-1234-abcd-ef00-0123456789ab", 28] = "LsarOpenSecret", ["f50aac00-c7f3-428e-a022-a6b71bfb9d43", 3] = "SSCatDBRegisterForChangeNotification", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 18] = "RpcSrvGetClientId", ["f5cc59b4-4264-101a-8c59-08002b2f8426", 8] = "FrsBackupComplete", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 60] = "RRPC_FWEnumConnectionSecurityRules2_20", ["12345778-1234-abcd-ef00-0123456789ab", 7] = "LsarQueryInformationPolicy", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 3] = "DRSGetNCChanges", ["5b821720-f63b-11d0-aad2-00c04fc324db", 34] = "R_DhcpServerQueryAttribute", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 173] = "ApiNodeGroupSetControl", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 72] = "RRPC_FWEnumFirewallRules2_24", ["6bffd098-a112-3610-9833-46c3f874532d", 0] = "R_DhcpCreateSubnet", ["8fb6d884-2388-11d0-8c35-00c04fda2795", 3] = "W32TimeQuerySource", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 176] = "ApiRemoveClusterGroupDependency", ["12345778-1234-abcd-ef00-0123456789ab", 4] = "LsarSetSecurityObject", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 0] = "EfsRpcOpenFileRaw", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 15] = "EvtRpcAssertConfig", ["29822ab7-f302-11d0-9953-00c04fd919c1", 3] = "AppCreate", ["12345778-1234-abcd-ef00-0123456789ab", 71] = "LsarGenAuditEvent", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 61] = "Opnum61NotUsedOnWire", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 119] = "ApiOpenGroupEx", ["1ff70682-0a51-30e8-076d-740be8cee98b", 0] = "NetrJobAdd", ["897e2e5f-93f3-4376-9c9c-fd2277495c27", 14] = "Opnum14NotUsedOnWire", ["00020400-0000-0000-c000-000000000046", 3] = "GetTypeInfoCount", ["12345678-1234-abcd-ef00-01234567cffb", 21] = "NetrLogonGetCapabilities", ["4da1c422-943d-11d1-acae-00c04fc2aa3f", 1] = "LnkSvrMessageCallback", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 38] = "LlsrMappingUserDeleteW", ["44e265dd-7daf-42cd-8560-3cdb6e7a2729", 4] = "TsProxyCreateChannel", ["367abb81-9844-35f1-ad32-98f038001003", 6] = "QueryServiceStatus", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 28] = "EvtRpcGetClassicLogDisplayName", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 76] = "SecureSystemPartition", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 21] = "GetHandleInfo", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 46] = "Opnum46NotUsedOnWire", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 96] = "ApiGetNetInterfaceId", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 78] = "LlsrReplicationProductSecurityAddW", ["a8e0653c-2744-4389-a61d-7373df8b2292", 10] = "GetShareMapping", ["bd0c73bc-805b-4043-9c30-9a28d64dd7d2", 14] = "IsExportableRemote", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 26] = "ElfrReportEventExA", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 146] = "ApiRestartResource", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 44] = "PNP_GetFirstLogConf", ["338cd001-2244-31f1-aaaa-900038001003", 21] = "BaseRegSetKeySecurity", ["c386ca3e-9061-4a72-821e-498d83be188f", 66] = "AudioVolumeStepDown", ["5b821720-f63b-11d0-aad2-00c04fc324db", 115] = "R_DhcpV4EnumSubnetClients", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 47] = "RpcWinStationBroadcastSystemMessage", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 16] = "FTBreakMirror", ["86d35949-83c9-4044-b424-db363231fd0c", 3] = "SchRpcCreateFolder", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 17] = "ServerControl", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 4] = "NetrDfsGetInfo", ["77df7a80-f298-11d0-8358-00a024c480a8", 1] = "S_DSDeleteObject", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 25] = "PNP_UnregisterDeviceClassAssociation", ["77df7a80-f298-11d0-8358-00a024c480a8", 4] = "S_DSGetObjectSecurity", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 24] = "Opnum24NotUsedOnWire", ["5b821720-f63b-11d0-aad2-00c04fc324db", 85] = "R_DhcpGetFilterV4", ["3faf4738-3a21-4307-b46c-fdda9bb8c0d5", 11] = "winmmSessionConnectState", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 3] = "SetExtension", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 19] = "GetServerState", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 9] = "PNP_EnumerateSubKeys", ["6bffd098-a112-3610-9833-46c3f87e345a", 22] = "NetrJoinDomain2", ["943991a5-b3fe-41fa-9696-7f7b656ee34b", 8] = "GetMachineGroupInfo", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 18] = "LlsrUserInfoGetW", ["76f03f96-cdfd-44fc-a22c-64950a001209", 30] = "RpcAsyncDeletePrinterData", ["943991a5-b3fe-41fa-9696-7f7b656ee34b", 12] = "AddMachine", ["3faf4738-3a21-4307-b46c-fdda9bb8c0d5", 6] = "gfxOpenGfx", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 26] = "Opnum26NotUsedOnWire", ["12345778-1234-abcd-ef00-0123456789ab", 59] = "LsarCreateTrustedDomainEx2", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 18] = "FTRegenerateParityStripe", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 42] = "NetrServerSetServiceBitsEx", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 12] = "NetrDfsAddStdRoot", ["82ad4280-036b-11cf-972c-00aa006887b0", 16] = "Opnum16NotUsedOnWire", ["f5cc5a18-4264-101a-8c59-08002b2f8426", 19] = "NspiResolveNames", ["338cd001-2244-31f1-aaaa-900038001003", 25] = "BaseAbortSystemShutdown", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 37] = "RemoveMirror", ["12345778-1234-abcd-ef00-0123456789ab", 62] = "CredrEnumerate", ["4b112204-0e19-11d3-b42b-0000f81feb9f", 15] = "SetICSOff", ["5b821720-f63b-11d0-aad2-00c04fc324db", 49] = "R_DhcpGetOptionInfoV6", ["77df7a80-f298-11d0-8358-00a024c480a8", 17] = "Opnum17NotUsedOnWire", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 58] = "LlsrReplConnect", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 7] = "nsi_profile_elt_add", ["0b1c2170-5732-4e0e-8cd3-d9b16f3b84d7", 4] = "AuthrzGetInformationFromContext", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 36] = "PNP_QueryRemove", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 32] = "UnmarshalInterface", ["82ad4280-036b-11cf-972c-00aa006887b0", 8] = "R_InetInfoFlushMemoryCache", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 54] = "SetDontShow", ["a4f1db00-ca47-1067-b31f-00dd010662da", 11] = "EcDoRpcExt2", ["12345678-1234-abcd-ef00-0123456789ab", 74] = "RpcClusterSplOpen", ["c386ca3e-9061-4a72-821e-498d83be188f", 44] = "AudioSessionManagerAddAudioSessionClientNotification", ["11899a43-2b68-4a76-92e3-a3d6ad8c26ce", 3] = "RpcUnRegisterAsyncNotification", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 71] = "LlsrCertificateClaimEnumA", ["50abc2a4-574d-40b3-9d66-ee4fd5fba076", 7] = "DnssrvComplexOperation2", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 61] = "RRPC_FWQueryConnectionSecurityRules2_20", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 8] = "PublishCRL", ["000001a0-0000-0000-c000-000000000046", 2] = "ReleaseIRemoteISCMActivator", ["44e265dd-7daf-42cd-8560-3cdb6e7a2729", 6] = "TsProxyCloseChannel", ["12345778-1234-abcd-ef00-0123456789ab", 9] = "LsarClearAuditLog", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 85] = "LlsrLocalServiceInfoSetW", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 26] = "EvtRpcGetEventMetadataEnum", ["1ff70682-0a51-30e8-076d-740be8cee98b", 1] = "NetrJobDel", ["5b821720-f63b-11d0-aad2-00c04fc324db", 110] = "R_DhcpV4SetPolicy", ["5422fd3a-d4b8-4cef-a12e-e87d4ca22e90", 5] = "Ping", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 31] = "ApiEnumKey", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 175] = "ApiSetGroupDependencyExpression", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 43] = "RpcWinStationGetAllProcesses", ["c386ca3e-9061-4a72-821e-498d83be188f", 61] = "AudioMeterGetChannelsRMS", ["fc910418-55ca-45ef-b264-83d4ce7d30e0", 7] = "GetRemoteUserCategories", ["88143fd0-c28d-4b2b-8fef-8d882f6a9390", 8] = "RpcGetSessionIds", ["4b112204-0e19-11d3-b42b-0000f81feb9f", 12] = "EnableDeviceHost", ["12345778-1234-abcd-ef00-0123456789ab", 90] = "LsarSetAuditSecurity", ["12345778-1234-abcd-ef00-0123456789ac", 34] = "SamrOpenUser", ["367abb81-9844-35f1-ad32-98f038001003", 35] = "EnumServiceGroupW", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 66] = "PNP_GetObjectProp", ["76f03f96-cdfd-44fc-a22c-64950a001209", 43] = "RpcAsyncDeletePrinterDriverEx", ["2f5f3220-c126-1076-b549-074d078619da", 9] = "NDdeShareGetInfoW", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 23] = "FreeDriveLetter", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 11] = "LlsrProductUserEnumA", ["897e2e5f-93f3-4376-9c9c-fd2277495c27", 5] = "AsyncPoll", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 30] = "Opnum30NotUsedOnWire", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 24] = "RpcWinStationRemoveLicense", ["5b821720-f63b-11d0-aad2-00c04fc324db", 99] = "R_DhcpV4FailoverGetSystemTime", ["76f03f96-cdfd-44fc-a22c-64950a001209", 39] = "RpcAsyncAddPrinterDriver", ["5b821720-f63b-11d0-aad2-00c04fc324db", 109] = "R_DhcpV4GetPolicy", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 69] = "ApiPauseNode", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 40] = "Opnum40NotUsedOnWire", ["12345678-1234-abcd-ef00-01234567cffb", 46] = "NetrServerGetTrustInfo", ["6bffd098-a112-3610-9833-012892020162", 7] = "NetrBrowserStatisticsClear", ["2a3eb639-d134-422d-90d8-aaa1b5216202", 9] = "ImportXml", ["6bffd098-a112-3610-9833-012892020162", 10] = "BrowserrQueryEmulatedDomains", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 21] = "ElfrWriteClusterEvents", ["76f03f96-cdfd-44fc-a22c-64950a001209", 68] = "RpcAsyncReadPrinter", ["367abb81-9844-35f1-ad32-98f038001003", 32] = "GetServiceDisplayNameA", ["12345678-1234-abcd-ef00-0123456789ab", 81] = "RpcDeletePrinterDataEx", ["c386ca3e-9061-4a72-821e-498d83be188f", 36] = "PolicyConfigSetShareMode", ["12345778-1234-abcd-ef00-0123456789ac", 51] = "SamrQueryDisplayInformation3", ["12345678-1234-abcd-ef00-01234567cffb", 12] = "NetrLogonControl", ["76f03f96-cdfd-44fc-a22c-64950a001209", 15] = "RpcAsyncAbortPrinter", ["5b821720-f63b-11d0-aad2-00c04fc324db", 93] = "R_DhcpV4FailoverEnumRelationship", ["338cd001-2244-31f1-aaaa-900038001003", 23] = "BaseRegUnLoadKey", ["82ad4280-036b-11cf-972c-00aa006887b0", 9] = "R_InetInfoGetServerCapabilities", ["4bb8ab1d-9ef9-4100-8eb6-dd4b4e418b72", 4] = "DeleteObject", ["c386ca3e-9061-4a72-821e-498d83be188f", 46] = "AudioVolumeDisconnect", ["367abb81-9844-35f1-ad32-98f038001003", 3] = "LockServiceDatabase", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 67] = "EnumTasks", ["c386ca3e-9061-4a72-821e-498d83be188f", 14] = "AudioSessionGetLastInactivation", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 24] = "NetrDfsRemoveRootTarget", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 85] = "ApiCreateNetworkEnum", ["df1941c5-fe89-4e79-bf10-463657acf44d", 44] = "Opnum44NotUsedOnWire", ["76f03f96-cdfd-44fc-a22c-64950a001209", 0] = "RpcAsyncOpenPrinter", ["f50aac00-c7f3-428e-a022-a6b71bfb9d43", 2] = "SSCatDBEnumCatalogs", ["12345678-1234-abcd-ef00-01234567cffb", 20] = "DsrGetDcName", ["f5cc5a18-4264-101a-8c59-08002b2f8426", 13] = "NspiGetTemplateInfo", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 21] = "BackupEnd", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 15] = "ApiGetResourceType", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 62] = "ApiReAddNotifyNode", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 16] = "RpcSrvGetClassId", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 31] = "CreateVolumeAssignAndFormatEx", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 74] = "RRPC_FWAddFirewallRule2_25", ["12345678-1234-abcd-ef00-0123456789ab", 11] = "RpcGetPrinterDriver", ["7fe0d935-dda6-443f-85d0-1cfb58fe41dd", 41] = "SetAuditFilter", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 56] = "DeletePartitionNumberInfoFromRegistry", ["6bffd098-a112-3610-9833-46c3f874532d", 16] = "R_DhcpCreateClientInfo", ["df1941c5-fe89-4e79-bf10-463657acf44d", 28] = "Opnum28NotUsedOnWire", ["59602eb6-57b0-4fd8-aa4b-ebf06971fe15", 11] = "RenameAllocationPolicy", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 73] = "Refresh", ["338cd001-2244-31f1-aaaa-900038001003", 35] = "BaseRegDeleteKeyEx", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 29] = "Opnum29NotUsedOnWire", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 76] = "EnumAccessPathForVolume", ["f5cc59b4-4264-101a-8c59-08002b2f8426", 4] = "FrsBackupComplete", ["88143fd0-c28d-4b2b-8fef-8d882f6a9390", 0] = "RpcOpenEnum", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 15] = "RpcWinStationShutdownSystem", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 28] = "Opnum28NotUsedOnWire", ["12345778-1234-abcd-ef00-0123456789ac", 31] = "SamrAddMemberToAlias", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 89] = "ApiNetworkControl", ["367abb81-9844-35f1-ad32-98f038001003", 53] = "ScValidatePnPService", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 74] = "ShutDownSystem", ["86d35949-83c9-4044-b424-db363231fd0c", 5] = "SchRpcGetSecurity", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 41] = "LlsrMappingAddA", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 1] = "PNP_Connect", ["c386ca3e-9061-4a72-821e-498d83be188f", 9] = "AudioServerGetDevicePeriod", ["12345778-1234-abcd-ef00-0123456789ac", 4] = "SamrShutdownSamServer", ["3faf4738-3a21-4307-b46c-fdda9bb8c0d5", 2] = "gfxCreateGfxList", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 9] = "WriteSignature", ["12345678-1234-abcd-ef00-01234567cffb", 30] = "NetrServerPasswordSet2", ["21546ae8-4da5-445e-987f-627fea39c5e8", 8] = "SetConfig", ["82ad4280-036b-11cf-972c-00aa006887b0", 5] = "R_InetInfoSetGlobalAdminInformation", ["76f03f96-cdfd-44fc-a22c-64950a001209", 42] = "RpcAsyncDeletePrinterDriver", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 50] = "GetEncapsulateDiskInfoEx", ["a4f1db00-ca47-1067-b31f-00dd010662da", 9] = "EcDoRpcExt", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 0] = "ElfrClearELFW", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 1] = "ElfrBackupELFW", ["86d35949-83c9-4044-b424-db363231fd0c", 11] = "SchRpcStop", ["4f7ca01c-a9e5-45b6-b142-2332a1339c1d", 8] = "GetAccountingMetadata", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 66] = "LlsrProductSecurityGetA", ["367abb81-9844-35f1-ad32-98f038001003", 56] = "QueryServiceConfigEx", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 35] = "RpcWinStationAnnoyancePopup", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 43] = "PNP_FreeLogConf", ["df1941c5-fe89-4e79-bf10-463657acf44d", 17] = "Opnum17NotUsedOnWire", ["59602eb6-57b0-4fd8-aa4b-ebf06971fe15", 14] = "SetCalDefaultPolicyName", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 51] = "RRPC_FWEnumConnectionSecurityRules2_10", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 11] = "EnumViewColumn", ["12345678-1234-abcd-ef00-01234567cffb", 38] = "DsrGetDcSiteCoverageW", ["6bffd098-a112-3610-9833-46c3f874532d", 32] = "R_DhcpCreateClientInfoV4", ["5b821720-f63b-11d0-aad2-00c04fc324db", 95] = "R_DhcpV4FailoverDeleteScopeFromRelationship", ["df1941c5-fe89-4e79-bf10-463657acf44d", 32] = "Opnum32NotUsedOnWire", ["12345778-1234-abcd-ef00-0123456789ab", 69] = "CredrGetSessionTypes", ["7fe0d935-dda6-443f-85d0-1cfb58fe41dd", 31] = "PublishCRLs", ["99fcfec4-5260-101b-bbcb-00aa0021347a", 3] = "ServerAlive", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 5] = "ApiGetQuorumResource", ["d049b186-814f-11d1-9a3c-00c04fc9b232", 5] = "NtFrsApi_Rpc_Get_DsPollingIntervalW", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 41] = "RRPC_FWQueryCryptoSets", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 0] = "RpcWinStationOpenServer", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 55] = "RpcWinStationQueryLogonCredentials", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 11] = "ElfrReportEventW", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 7] = "PNP_GetRootDeviceInstance", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 14] = "RRPC_FWDeleteConnectionSecurityRule", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 23] = "PNP_GetInterfaceDeviceListSize", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 59] = "ApiAddNotifyGroup", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 6] = "ElfrChangeNotify", ["bd0c73bc-805b-4043-9c30-9a28d64dd7d2", 9] = "Opnum9NotUsedOnWire", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 10] = "MarkActivePartition", ["12345778-1234-abcd-ef00-0123456789ac", 56] = "SamrGetDomainPasswordInformation", ["7fe0d935-dda6-443f-85d0-1cfb58fe41dd", 43] = "SetOfficerRights", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 53] = "DeletePartitionNumberInfoFromRegistry", ["338cd001-2244-31f1-aaaa-900038001003", 7] = "BaseRegDeleteKey", ["5422fd3a-d4b8-4cef-a12e-e87d4ca22e90", 8] = "GetCAPropertyInfo", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 17] = "ElfrReadELA", ["338cd001-2244-31f1-aaaa-900038001003", 27] = "OpenCurrentConfig", ["76f03f96-cdfd-44fc-a22c-64950a001209", 3] = "RpcAsyncGetJob", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 32] = "GetVolumeMountName", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 91] = "ApiReAddNotifyNetwork", ["50abc2a4-574d-40b3-9d66-ee4fd5fba076", 0] = "DnssrvOperation", ["12345778-1234-abcd-ef00-0123456789ab", 15] = "LsarLookupSids", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 83] = "ApiGetNetworkState", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 61] = "ApiAddNotifyKey", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 29] = "LlsrMappingEnumA", ["df1941c5-fe89-4e79-bf10-463657acf44d", 37] = "Opnum37NotUsedOnWire", ["8d0ffe72-d252-11d0-bf8f-00c04fd9126b", 6] = "KeyrSetDefaultProvider", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 3] = "PNP_GetGlobalState", ["bd0c73bc-805b-4043-9c30-9a28d64dd7d2", 18] = "Opnum18NotUsedOnWire", ["d049b186-814f-11d1-9a3c-00c04fc9b232", 1] = "Opnum1NotUsedOnWire", ["5b821720-f63b-11d0-aad2-00c04fc324db", 105] = "R_DhcpV4GetAllOptionValues", ["f50aac00-c7f3-428e-a022-a6b71bfb9d43", 4] = "KeyrCloseKeyService", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 7] = "EfsRpcQueryRecoveryAgents", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 29] = "PNP_DeviceInstanceAction", ["12345778-1234-abcd-ef00-0123456789ab", 27] = "LsarSetInformationTrustedDomain", ["86d35949-83c9-4044-b424-db363231fd0c", 17] = "SchRpcGetTaskInfo", ["12345778-1234-abcd-ef00-0123456789ac", 27] = "SamrOpenAlias", ["12345778-1234-abcd-ef00-0123456789ab", 82] = "CredrFindBestCredential", ["6bffd098-a112-3610-9833-46c3f874532d", 25] = "R_DhcpServerSetConfig", ["c386ca3e-9061-4a72-821e-498d83be188f", 16] = "AudioSessionGetDisplayName", ["df1941c5-fe89-4e79-bf10-463657acf44d", 30] = "Opnum30NotUsedOnWire", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 106] = "ApiClusterControl", ["12345778-1234-abcd-ef00-0123456789ac", 19] = "SamrOpenGroup", ["12345678-1234-abcd-ef00-01234567cffb", 17] = "NetrDatabaseRedo", ["481e06cf-ab04-4498-8ffe-124a0a34296d", 14] = "CreateSchedule", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 67] = "LlsrProductSecuritySetW", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 22] = "AssignDriveLetter", ["17fdd703-1827-4e34-79d4-24a55c53bb37", 0] = "NetrMessageNameAdd", ["481e06cf-ab04-4498-8ffe-124a0a34296d", 8] = "CreateCalendar", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 17] = "NetrShareSetInfo", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 15] = "DRSRemoveDsDomain", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 4] = "PNP_InitDetection", ["c386ca3e-9061-4a72-821e-498d83be188f", 27] = "AudioSessionSetAllVolumes", ["12345778-1234-abcd-ef00-0123456789ab", 14] = "LsarLookupNames", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 79] = "LlsrReplicationUserAddExW", ["12345678-1234-abcd-ef00-0123456789ab", 4] = "RpcEnumJobs", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 71] = "PNP_DriverStoreDeleteDriverPackage", ["ccd8c074-d0e5-4a40-92b4-d074faa6ba28", 0] = "WitnessrGetInterfaceList", ["7fe0d935-dda6-443f-85d0-1cfb58fe41dd", 40] = "GetAuditFilter", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 9] = "NetrDfsManagerSendSiteInfo", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 10] = "R_WinsSetPriorityClass", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 14] = "R_WinsGetBrowserNames_Old", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 4] = "ApiGetClusterVersion", ["bde95fdf-eee0-45de-9e12-e5a61cd0d4fe", 5] = "Opnum5NotUsedOnWire", ["367abb81-9844-35f1-ad32-98f038001003", 12] = "CreateServiceW", ["c386ca3e-9061-4a72-821e-498d83be188f", 11] = "AudioSessionGetProcessId", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 5] = "RRPC_FWAddFirewallRule", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 8] = "PNP_GetRelatedDeviceInstance", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 62] = "PNP_GetVersionInternal", ["027947e1-d731-11ce-a357-000000000001", 3] = "Reset", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 11] = "R_WinsResetCounters", ["12345678-1234-abcd-ef00-01234567cffb", 8] = "NetrDatabaseSync", ["c386ca3e-9061-4a72-821e-498d83be188f", 60] = "AudioMeterGetAverageRMS", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 65] = "GetTaskDetail", ["4f7ca01c-a9e5-45b6-b142-2332a1339c1d", 15] = "RegisterAccountingClient", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 19] = "R_WinsStatusNew", ["12345778-1234-abcd-ef00-0123456789ac", 13] = "SamrEnumerateUsersInDomain", ["df1941c5-fe89-4e79-bf10-463657acf44d", 8] = "EfsRpcRemoveUsersFromFile", ["86d35949-83c9-4044-b424-db363231fd0c", 16] = "SchRpcGetLastRunInfo", ["c386ca3e-9061-4a72-821e-498d83be188f", 34] = "PolicyConfigSetProcessingPeriod", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 5] = "ElfrOldestRecord", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 1] = "EfsRpcReadFileRaw", ["e1af8308-5d1f-11c9-91a4-08002b14a0fa", 3] = "ept_map", ["6bffd098-a112-3610-9833-46c3f874532d", 46] = "R_DhcpGetClientInfoVQ", ["12345678-1234-abcd-ef00-0123456789ab", 8] = "RpcGetPrinter", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 28] = "NetrRemoteTOD", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 20] = "FTReplaceParityStripePartition", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 20] = "PNP_DeleteClassKey", ["0d72a7d4-6148-11d1-b4aa-00c04fb66ea0", 0] = "SSCertProtectFunction", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 53] = "RpcWinStationGetLanAdapterName", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 15] = "EnumView", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 2] = "DRSReplicaSync", ["2f5f3220-c126-1076-b549-074d078619da", 14] = "NDdeGetTrustedShareW", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 51] = "PNP_GetResDesDataSize", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 76] = "ApiNodeGroupControl", ["c386ca3e-9061-4a72-821e-498d83be188f", 17] = "AudioSessionSetDisplayName", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 105] = "ApiNodeClusterControl", ["3faf4738-3a21-4307-b46c-fdda9bb8c0d5", 3] = "gfxRemoveGfx", ["12345678-1234-abcd-ef00-01234567cffb", 16] = "NetrDatabaseSync2", ["e1af8308-5d1f-11c9-91a4-08002b14a0fa", 2] = "ept_lookup", ["df1941c5-fe89-4e79-bf10-463657acf44d", 5] = "EfsDecryptFileSrv", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 72] = "PNP_RegisterServiceNotification", ["12345778-1234-abcd-ef00-0123456789ab", 54] = "LsarSetDomainInformationPolicy", ["5b821720-f63b-11d0-aad2-00c04fc324db", 84] = "R_DhcpSetFilterV4", ["df1941c5-fe89-4e79-bf10-463657acf44d", 24] = "Opnum24NotUsedOnWire", ["bd0c73bc-805b-4043-9c30-9a28d64dd7d2", 7] = "Opnum7NotUsedOnWire", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 6] = "RRPC_FWSetFirewallRule", ["29822ab8-f302-11d0-9953-00c04fd919c1", 9] = "AppCreate2", ["12345778-1234-abcd-ef00-0123456789ac", 65] = "SamrRidToSid", ["12345678-1234-abcd-ef00-0123456789ab", 49] = "RpcAddPrintProvidor", ["214a0f28-b737-4026-b847-4f9e37d79529", 3] = "AddDiffArea", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 13] = "ApiSetResourceName", ["12345778-1234-abcd-ef00-0123456789ab", 58] = "LsarLookupNames2", ["897e2e5f-93f3-4376-9c9c-fd2277495c27", 11] = "RdcGetFileData", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 27] = "LlsrUserProductDeleteA", ["12345778-1234-abcd-ef00-0123456789ac", 37] = "SamrSetInformationUser", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 24] = "NetrServerStatisticsGet", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 48] = "Opnum48NotUsedOnWire", ["2f59a331-bf7d-48cb-9ec5-7c090d76e8b8", 3] = "RpcLicensingUnloadPolicy", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 4] = "EvtRpcRegisterControllableOperation", ["f5cc5a18-4264-101a-8c59-08002b2f8426", 10] = "NspiCompareMIds", ["76f03f96-cdfd-44fc-a22c-64950a001209", 73] = "RpcAsyncEnumJobNamedProperties", ["5b821720-f63b-11d0-aad2-00c04fc324db", 130] = "R_DhcpV4EnumSubnetClientsEx", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 12] = "Opnum12NotUsedOnWire", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 15] = "EfsRpcAddUsersToFileEx", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 25] = "ApiChangeResourceGroup", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 41] = "ReConnectDisk", ["943991a5-b3fe-41fa-9696-7f7b656ee34b", 9] = "ModifyMachineGroup", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 71] = "RpcWinStationRegisterNotificationEvent", ["12345778-1234-abcd-ef00-0123456789ac", 21] = "SamrSetInformationGroup", ["4fc742e0-4a10-11cf-8273-00aa004ae673", 14] = "NetrDfsManagerInitialize", ["12345678-1234-abcd-ef00-01234567cffb", 33] = "DsrAddressToSiteNamesW", ["12345678-1234-abcd-ef00-0123456789ab", 87] = "RpcEnumPerMachineConnections", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 24] = "RRPC_FWDeleteCryptoSet", ["367abb81-9844-35f1-ad32-98f038001003", 7] = "SetServiceStatus", ["88143fd0-c28d-4b2b-8fef-8d882f6a9390", 4] = "RpcEnumAddFilter", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 31] = "DeleteBackup", ["12345678-1234-abcd-ef00-0123456789ab", 79] = "RpcEnumPrinterDataEx", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 8] = "RRPC_FWDeleteAllFirewallRules", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 25] = "BackupReadFile", ["e65e8028-83e8-491b-9af7-aaf6bd51a0ce", 6] = "GetReferenceVersionVectors", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 6] = "CreatePartitionAssignAndFormat", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 136] = "ApiOfflineResourceEx", ["034634fd-ba3f-11d1-856a-00a0c944138c", 9] = "SendMsgToASession", ["bd0c73bc-805b-4043-9c30-9a28d64dd7d2", 11] = "Opnum11NotUsedOnWire", ["12345678-1234-abcd-ef00-0123456789ab", 1] = "RpcOpenPrinter", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 22] = "PNP_GetInterfaceDeviceList", ["7fe0d935-dda6-443f-85d0-1cfb58fe41dd", 38] = "Ping2", ["deb01010-3a37-4d26-99df-e2bb6ae3ac61", 4] = "GetVolumeDeviceName", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 24] = "LlsrUserProductEnumW", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 56] = "RRPC_FWSetCryptoSet2_10", ["12345678-1234-abcd-ef00-01234567cffb", 18] = "NetrLogonControl2Ex", ["12345678-1234-abcd-ef00-01234567cffb", 7] = "NetrDatabaseDeltas", ["214a0f28-b737-4026-b847-4f9e37d79529", 4] = "ChangeDiffAreaMaximizeSize", ["12345778-1234-abcd-ef00-0123456789ac", 10] = "SamrCreateGroupInDomain", ["12345678-1234-abcd-ef00-0123456789ab", 52] = "RpcResetPrinter", ["5b821720-f63b-11d0-aad2-00c04fc324db", 48] = "R_DhcpSetOptionInfoV6", ["11899a43-2b68-4a76-92e3-a3d6ad8c26ce", 1] = "RpcRegisterAsyncNotification", ["50abc2a4-574d-40b3-9d66-ee4fd5fba076", 4] = "DnssrvUpdateRecord", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 5] = "LlsrLicenseAddA", ["50abc2a4-574d-40b3-9d66-ee4fd5fba076", 11] = "DnssrvEnumRecords3", ["5b821720-f63b-11d0-aad2-00c04fc324db", 7] = "R_DhcpDeleteMScope", ["367abb81-9844-35f1-ad32-98f038001003", 5] = "SetServiceObjectSecurity", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 18] = "R_WinsGetDbRecsByName", ["12345778-1234-abcd-ef00-0123456789ac", 58] = "SamrSetInformationUser2", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 12] = "R_EnumData", ["6bffd098-a112-3610-9833-46c3f874532d", 20] = "R_DhcpEnumSubnetClients", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 19] = "LlsrUserInfoGetA", ["c386ca3e-9061-4a72-821e-498d83be188f", 39] = "AudioSessionManagerGetAudioSession", ["12345678-1234-abcd-ef00-0123456789ab", 66] = "RpcRouterReplyPrinterEx", ["7fe0d935-dda6-443f-85d0-1cfb58fe41dd", 46] = "ImportKey", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 46] = "RRPC_FWAddFirewallRule2_10", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 1] = "EvtRpcRemoteSubscriptionNextAsync", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 54] = "PNP_QueryResConfList", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d6", 3] = "RpcSrvRequestParams", ["338cd001-2244-31f1-aaaa-900038001003", 26] = "BaseRegGetVersion", ["2f5f3220-c126-1076-b549-074d078619da", 15] = "NDdeTrustedShareEnumA", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 35] = "RRPC_FWDeleteAllMainModeRules", ["2f5f3220-c126-1076-b549-074d078619da", 16] = "NDdeTrustedShareEnumW", ["76f03f96-cdfd-44fc-a22c-64950a001209", 52] = "RpcAsyncDeleteMonitor", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 78] = "EnumAccessPath", ["12345778-1234-abcd-ef00-0123456789ab", 57] = "LsarLookupSids2", ["5b821720-f63b-11d0-aad2-00c04fc324db", 70] = "R_DhcpSetServerBindingInfoV6", ["2f5f6520-ca46-1067-b319-00dd010662da", 2] = "ClientDetach", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 52] = "RpcServerQueryInetConnectorInformation", ["21546ae8-4da5-445e-987f-627fea39c5e8", 10] = "EnableDisable", ["df1941c5-fe89-4e79-bf10-463657acf44d", 33] = "Opnum33NotUsedOnWire", ["76f03f96-cdfd-44fc-a22c-64950a001209", 8] = "RpcAsyncSetPrinter", ["c4b0c7d9-abe0-4733-a1e1-9fdedf260c7a", 8] = "ModifyObject", ["338cd001-2244-31f1-aaaa-900038001003", 19] = "BaseRegRestoreKey", ["00020401-0000-0000-c000-000000000046", 5] = "GetFuncDesc", ["3faf4738-3a21-4307-b46c-fdda9bb8c0d5", 9] = "winmmRegisterSessionNotificationEvent", ["338cd001-2244-31f1-aaaa-900038001003", 3] = "OpenPerformanceData", ["bd0c73bc-805b-4043-9c30-9a28d64dd7d2", 21] = "Opnum21NotUsedOnWire", ["c386ca3e-9061-4a72-821e-498d83be188f", 19] = "AudioSessionSetSessionClass", ["bde95fdf-eee0-45de-9e12-e5a61cd0d4fe", 10] = "RpcGetUserCertificates", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 17] = "EvtRpcOpenLogHandle", ["c3fcc19e-a970-11d2-8b5a-00a0c9b7c9c4", 3] = "GetSerializedBuffer", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 89] = "LlsrCloseEx", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 47] = "ReAttachDisk", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 37] = "NetrShareDelStart", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 31] = "LlsrMappingInfoGetA", ["45f52c28-7f9f-101a-b52b-08002b2efabe", 21] = "R_WinsDoScavengingNew", ["12345678-1234-abcd-ef00-0123456789ab", 24] = "RpcAddJob", ["d049b186-814f-11d1-9a3c-00c04fc9b232", 3] = "Opnum3NotUsedOnWire", ["77df7a80-f298-11d0-8358-00a024c480a8", 8] = "S_DSLookupEnd", ["bd0c73bc-805b-4043-9c30-9a28d64dd7d2", 22] = "ImportFromBlob", ["86d35949-83c9-4044-b424-db363231fd0c", 19] = "SchRpcEnableTask", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 72] = "RefreshFileSys", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 12] = "ApiGetResourceState", ["5b821720-f63b-11d0-aad2-00c04fc324db", 71] = "R_DhcpSetClientInfoV6", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 68] = "PNP_InstallDevInst", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 95] = "ApiGetNetInterface", ["6bffd098-a112-3610-9833-46c3f87e345a", 3] = "NetrWkstaUserGetInfo", ["83da7c00-e84f-11d2-9807-00c04f8ec850", 1] = "SfcSrv_IsFileProtected", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 179] = "ApiRemoveClusterGroupToGroupSetDependency", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 23] = "LlsrUserDeleteA", ["5b821720-f63b-11d0-aad2-00c04fc324db", 88] = "R_DhcpEnumSubnetClientsFilterStatusInfo", ["6bffd098-a112-3610-9833-46c3f874532d", 26] = "R_DhcpServerGetConfig", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 43] = "LlsrMappingDeleteA", ["7fe0d935-dda6-443f-85d0-1cfb58fe41dd", 47] = "GetMyRoles", ["12345678-1234-abcd-ef00-0123456789ab", 48] = "RpcDeletePrintProcessor", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 76] = "RRPC_FWEnumFirewallRules2_25", ["12345778-1234-abcd-ef00-0123456789ac", 39] = "SamrGetGroupsForUser", ["12345678-1234-abcd-ef00-01234567cffb", 44] = "NetrGetForestTrustInformation", ["76f03f96-cdfd-44fc-a22c-64950a001209", 24] = "RpcAsyncSetForm", ["3a410f21-553f-11d1-8e5e-00a0c92c9d5d", 3] = "CreateRemoteObject", ["2f59a331-bf7d-48cb-9ec5-7c090d76e8b8", 8] = "RpcLicensingDeactivateCurrentPolicy", ["367abb81-9844-35f1-ad32-98f038001003", 64] = "OpenSCManager2", ["82273fdc-e32a-18c3-3f78-827929dc23ea", 4] = "ElfrNumberOfRecords", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c", 5] = "EvtRpcRegisterLogQuery", ["77df7a80-f298-11d0-8358-00a024c480a8", 0] = "S_DSCreateObject", ["6bffd098-a112-3610-9833-46c3f87e345a", 25] = "NetrValidateName2", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 16] = "CloseView", ["82ad4280-036b-11cf-972c-00aa006887b0", 14] = "R_IISDEnumerateUsers", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 92] = "ApiOpenNetInterface", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 20] = "NetrShareCheck", ["77df7a80-f298-11d0-8358-00a024c480a8", 27] = "S_DSGetServerPort", ["5b821720-f63b-11d0-aad2-00c04fc324db", 54] = "R_DhcpRemoveOptionValueV6", ["5b821720-f63b-11d0-aad2-00c04fc324db", 0] = "R_DhcpEnumSubnetClientsV5", ["2f5f6521-ca47-1068-b319-00dd010662db", 0] = "RemoteSPAttach", ["12345778-1234-abcd-ef00-0123456789ac", 46] = "SamrQueryInformationDomain2", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 46] = "LlsrServerProductEnumW", ["5b821720-f63b-11d0-aad2-00c04fc324db", 123] = "R_DhcpV4GetClientInfo", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2", 0] = "DRSBind", ["12345778-1234-abcd-ef00-0123456789ac", 69] = "SamrPerformGenericOperation", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4", 19] = "nsi_mgmt_entry_inq_if_ids", ["5b821720-f63b-11d0-aad2-00c04fc324db", 73] = "R_DhcpDeleteClientInfoV6", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 12] = "LlsrProductServerEnumW", ["59602eb6-57b0-4fd8-aa4b-ebf06971fe15", 21] = "SetConditionalPolicy", ["897e2e5f-93f3-4376-9c9c-fd2277495c27", 10] = "RdcPushSourceNeeds", ["708cca10-9569-11d1-b2a5-0060977d8118", 8] = "S_DSGetGCListInDomain", ["12345778-1234-abcd-ef00-0123456789ab", 12] = "LsarCreateTrustedDomain", ["8d0ffe72-d252-11d0-bf8f-00c04fd9126b", 10] = "KeyrEnumerateAvailableCertTypes", ["6bffd098-a112-3610-9833-46c3f87e345a", 2] = "NetrWkstaUserEnum", ["12345778-1234-abcd-ef00-0123456789ab", 10] = "LsarCreateAccount", ["76f03f96-cdfd-44fc-a22c-64950a001209", 1] = "RpcAsyncAddPrinter", ["12345678-1234-abcd-ef00-0123456789ab", 15] = "RpcEnumPrintProcessors", ["76f03f96-cdfd-44fc-a22c-64950a001209", 45] = "RpcAsyncEnumPrintProcessors", ["5b821720-f63b-11d0-aad2-00c04fc324db", 6] = "R_DhcpRemoveMScopeElement", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 19] = "RRPC_FWDeleteAuthenticationSet", ["c386ca3e-9061-4a72-821e-498d83be188f", 20] = "AudioSessionGetVolume", ["6bffd098-a112-3610-9833-46c3f874532d", 21] = "R_DhcpGetClientOptions", ["77df7a80-f298-11d0-8358-00a024c480a8", 19] = "S_DSQMSetMachineProperties", ["70b51430-b6ca-11d0-b9b9-00a0c922e750", 17] = "OpenKey", ["12345678-1234-abcd-ef00-0123456789ab", 111] = "RpcSetJobNamedProperty", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 43] = "ImportDiskGroup", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 84] = "ApiSetNetworkName", ["c386ca3e-9061-4a72-821e-498d83be188f", 42] = "AudioSessionManagerAddAudioSessionClientNotification", ["59602eb6-57b0-4fd8-aa4b-ebf06971fe15", 12] = "MoveBefore", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 32] = "RpcWinStationNotifyLogon", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 11] = "RpcSrvRegisterParams", ["2f5f3220-c126-1076-b549-074d078619da", 8] = "NDdeShareEnumW", ["5b821720-f63b-11d0-aad2-00c04fc324db", 14] = "R_DhcpCreateOptionV5", ["2f5f6520-ca46-1067-b319-00dd010662da", 1] = "ClientRequest", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 50] = "ApiOfflineGroup", ["50abc2a4-574d-40b3-9d66-ee4fd5fba076", 16] = "DnssrvQuery4", ["6bffd098-a112-3610-9833-012892020162", 6] = "BrowserrResetStatistics", ["7c4e1804-e342-483d-a43e-a850cfcc8d18", 5] = "CreateApplicationPool", ["12345678-1234-abcd-ef00-0123456789ab", 20] = "RpcEndPagePrinter", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 12] = "Opnum12NotUsedOnWire", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 172] = "ApiAddGroupToGroupSetDependency", ["c5cebee2-9df5-4cdd-a08c-c2471bc144b4", 12] = "GetDependencies", ["e33c0cc4-0482-101a-bc0c-02608c6ba218", 5] = "I_nsi_entry_object_inq_done", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 137] = "ApiCreateNotifyV2", ["df1941c5-fe89-4e79-bf10-463657acf44d", 27] = "Opnum27NotUsedOnWire", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 34] = "RpcWinStationEnumerateProcesses", ["12345778-1234-abcd-ef00-0123456789ab", 50] = "LsarEnumerateTrustedDomainsEx", ["12345678-1234-abcd-ef00-01234567cffb", 25] = "NetrLogonComputeClientDigest", ["8d9f4e40-a03d-11ce-8f69-08003e30051b", 35] = "PNP_RegisterDriver", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 73] = "RRPC_FWQueryFirewallRules2_24", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 69] = "RRPC_FWQueryFirewallRules2_20", ["c386ca3e-9061-4a72-821e-498d83be188f", 52] = "AudioVolumeSetChannelVolumeLevel", ["00020401-0000-0000-c000-000000000046", 18] = "GetContainingTypeLib", ["12345778-1234-abcd-ef00-0123456789ab", 85] = "LsarEnumerateAuditPolicy", ["5b821720-f63b-11d0-aad2-00c04fc324db", 50] = "R_DhcpEnumOptionsV6", ["12345678-1234-abcd-ef00-0123456789ab", 5] = "RpcAddPrinter", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5", 14] = "RpcSrvQueryLeaseInfo", ["50abc2a4-574d-40b3-9d66-ee4fd5fba076", 9] = "DnssrvUpdateRecord2", ["83da7c00-e84f-11d2-9807-00c04f8ec850", 5] = "SfcSrv_SetCacheSize", ["338cd001-2244-31f1-aaaa-900038001003", 22] = "BaseRegSetValue", ["12345678-1234-abcd-ef00-01234567cffb", 11] = "NetrGetDCName", ["5ca4a760-ebb1-11cf-8611-00a0245420ed", 57] = "RpcWinStationUnRegisterConsoleNotification", ["6bffd098-a112-3610-9833-46c3f874532d", 30] = "R_DhcpEnumSubnetElementsV4", ["3dde7c30-165d-11d1-ab8f-00805f14db40", 0] = "bkrp_BackupKey", ["76f03f96-cdfd-44fc-a22c-64950a001209", 55] = "RpcAsyncAddPerMachineConnection", ["12345778-1234-abcd-ef00-0123456789ac", 16] = "SamrGetAliasMembership", ["6bffd098-a112-3610-9833-46c3f87e345a", 5] = "NetrWkstaTransportEnum", ["44e265dd-7daf-42cd-8560-3cdb6e7a2729", 3] = "TsProxyMakeTunnelCall", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61", 45] = "DiskMergeQuery", ["77df7a80-f298-11d0-8358-00a024c480a8", 26] = "Opnum26NotUsedOnWire", ["3919286a-b10c-11d0-9ba8-00c04fd92ef5", 5] = "DsRolerGetDcOperationProgress", ["5b821720-f63b-11d0-aad2-00c04fc324db", 21] = "R_DhcpGetOptionValueV5", ["c386ca3e-9061-4a72-821e-498d83be188f", 30] = "AudioServerGetMixFormat", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 7] = "RRPC_FWDeleteFirewallRule", ["b97db8b2-4c63-11cf-bff6-08002be23f2f", 20] = "ApiRemoveResourceDependency", ["df1941c5-fe89-4e79-bf10-463657acf44d", 0] = "EfsRpcOpenFileRaw", ["77df7a80-f298-11d0-8358-00a024c480a8", 23] = "S_DSCloseServerHandle", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 9] = "EfsRpcAddUsersToFile", ["d99e6e71-fc88-11d0-b498-00a0c90312f3", 13] = "EnumAttributesOrExtensions", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 48] = "RRPC_FWEnumFirewallRules2_10", ["12345778-1234-abcd-ef00-0123456789ab", 64] = "CredrReadDomainCredentials", ["6bffd098-a112-3610-9833-46c3f874532d", 17] = "R_DhcpSetClientInfo", ["4b112204-0e19-11d3-b42b-0000f81feb9f", 7] = "RemoveSyncHandle", ["8298d101-f992-43b7-8eca-5052d885b995", 34] = "BackupWithPasswrd", ["17fdd703-1827-4e34-79d4-24a55c53bb37", 2] = "NetrMessageNameGetInfo", ["44e265dd-7daf-42cd-8560-3cdb6e7a2729", 1] = "TsProxyCreateTunnel", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d", 22] = "LlsrUserDeleteW", ["44e265dd-7daf-42cd-8560-3cdb6e7a2729", 9] = "TsProxySendToServer", ["12345778-1234-abcd-ef00-0123456789ac", 3] = "SamrQuerySecurityObject", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 9] = "RRPC_FWEnumFirewallRules", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 26] = "Format", ["6bffd098-a112-3610-9833-46c3f87e345a", 27] = "NetrAddAlternateComputerName", ["c681d488-d850-11d0-8c52-00c04fd90f7e", 43] = "Opnum43NotUsedOnWire", ["76f03f96-cdfd-44fc-a22c-64950a001209", 7] = "RpcAsyncDeletePrinter", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 12] = "RRPC_FWAddConnectionSecurityRule", ["12345778-1234-abcd-ef00-0123456789ab", 61] = "CredrRead", ["76f03f96-cdfd-44fc-a22c-64950a001209", 66] = "RpcAsyncGetPrinterDriverPackagePath", ["c386ca3e-9061-4a72-821e-498d83be188f", 12] = "AudioSessionGetState", ["12345778-1234-abcd-ef00-0123456789ac", 18] = "SamrLookupIdsInDomain", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 58] = "GetDontShow", ["c386ca3e-9061-4a72-821e-498d83be188f", 64] = "AudioVolumeGetStepInfo", ["9556dc99-828c-11cf-a37e-00aa003240c7", 12] = "CreateClassEnum", ["4b324fc8-1670-01d3-1278-5a47bf6ee188", 50] = "NetrDfsModifyPrefix", ["027947e1-d731-11ce-a357-000000000001", 6] = "Clone", ["d2d79df5-3400-11d0-b40b-00aa005ff586", 28] = "EnumVolumes", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48", 81] = "RRPC_FWQueryFirewallRules2_26" } &default=function(i: string, j: count): string { return fmt("unknown-%d", j); } &redef;
const DCE_RPC::pipe_name_to_common_uuid: table [string] of string = { ["spoolss"] = "12345678-1234-abcd-ef00-0123456789ab", ["srvsvc"] = "4b324fc8-1670-01d3-1278-5a47bf6ee188", ["winreg"] = "338cd001-2244-31f1-aaaa-900038001003" } &redef;
const DCE_RPC::uuid_endpoint_map: table [string] of string = { ["943991a5-b3fe-41fa-9696-7f7b656ee34b"] = "IWRMMachineGroup", ["fdf8a2b9-02de-47f4-bc26-aa85ab5e5267"] = "ITpmVirtualSmartCardManager2", ["3c745a97-f375-4150-be17-5950f694c699"] = "ITpmVirtualSmartCardManager3", ["03837543-098b-11d8-9414-505054503030"] = "IFolderAction", ["66a2db20-d706-11d0-a37b-00c04fc9da04"] = "IRemoteRouterRestart", ["91ae6020-9e3c-11cf-8d7c-00aa00c091be"] = "ICertPassage", ["906b0ce0-c70b-1067-b317-00dd010662da"] = "IXnRemote", ["03837533-098b-11d8-9414-505054503030"] = "IValueMapItem", ["0383751a-098b-11d8-9414-505054503030"] = "IApiTracingDataCollector", ["7fe0d935-dda6-443f-85d0-1cfb58fe41dd"] = "ICertAdminD2", ["bde95fdf-eee0-45de-9e12-e5a61cd0d4fe"] = "RCMPublic", ["5ff9bdf6-bd91-4d8b-a614-d6317acc8dd8"] = "IRemoteSstpCertCheck", ["8d9f4e40-a03d-11ce-8f69-08003e30051b"] = "pnp", ["76f03f96-cdfd-44fc-a22c-64950a001209"] = "IRemoteWinspool", ["0a74ef1c-41a4-4e06-83ae-dc74fb1cdd53"] = "idletask", ["8165b19e-8d3a-4d0b-80c8-97de310db583"] = "IServicedComponentInfo", ["6bffd098-a112-3610-9833-46c3f87e345a"] = "wkssvc", ["9556dc99-828c-11cf-a37e-00aa003240c7"] = "IWbemServices", ["3a410f21-553f-11d1-8e5e-00a0c92c9d5d"] = "IDMRemoteServer", ["03837506-098b-11d8-9414-505054503030"] = "IPerformanceCounterDataCollector", ["1c1c45ee-4395-11d2-b60b-00104b703efd"] = "IWbemFetchSmartEnum interface", ["12345778-1234-abcd-ef00-0123456789ab"] = "lsarpc", ["ccd8c074-d0e5-4a40-92b4-d074faa6ba28"] = "Witness", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c4"] = "NsiM", ["db90832f-6910-4d46-9f5e-9fd6bfa73903"] = "INtmsLibraryControl2", ["03837510-098b-11d8-9414-505054503030"] = "ITraceDataProviderCollection", ["51c82175-844e-4750-b0d8-ec255555bc06"] = "KMS", ["481e06cf-ab04-4498-8ffe-124a0a34296d"] = "IWRMCalendar", ["03837502-098b-11d8-9414-505054503030"] = "IDataCollectorCollection", ["03837541-098b-11d8-9414-505054503030"] = "IDataManager", ["4da1c422-943d-11d1-acae-00c04fc2aa3f"] = "trksvr", ["d2d79df7-3400-11d0-b40b-00aa005ff586"] = "IDMNotify", ["894de0c0-0d55-11d3-a322-00c04fa321a1"] = "InitShutdown", ["00020400-0000-0000-c000-000000000046"] = "IDispatch", ["7c4e1804-e342-483d-a43e-a850cfcc8d18"] = "IIISApplicationAdmin", ["00020403-0000-0000-c000-000000000046"] = "ITypeComp", ["135698d2-3a37-4d26-99df-e2bb6ae3ac61"] = "IVolumeClient3", ["4e934f30-341a-11d1-8fb1-00a024cb6019"] = "INtmsLibraryControl1", ["d02e4be0-3419-11d1-8fb1-00a024cb6019"] = "INtmsMediaServices1", ["4f7ca01c-a9e5-45b6-b142-2332a1339c1d"] = "IWRMAccounting", ["b057dc50-3059-11d1-8faf-00a024cb6019"] = "INtmsObjectManagement1", ["8298d101-f992-43b7-8eca-5052d885b995"] = "IMSAdminBase2W", ["0b6edbfa-4a24-4fc6-8a23-942b1eca65d1"] = "IRPCAsyncNotify", ["afc07e2e-311c-4435-808c-c483ffeec7c9"] = "lsacap", ["c49e32c7-bc8b-11d2-85d4-00105a1f8304"] = "IWbemBackupRestore interface", ["c5cebee2-9df5-4cdd-a08c-c2471bc144b4"] = "IResourceManager", ["03837544-098b-11d8-9414-505054503030"] = "IFolderActionCollection", ["82ad4280-036b-11cf-972c-00aa006887b0"] = "inetinfo", ["c3fcc19e-a970-11d2-8b5a-00a0c9b7c9c4"] = "IManagedObject", ["bc681469-9dd9-4bf4-9b3d-709f69efe431"] = "IWRMResourceGroup", ["484809d6-4239-471b-b5bc-61df8c23ac48"] = "TermSrvSession", ["1a1bb35f-abb8-451c-a1ae-33d98f1bef4a"] = "ITpmVirtualSmartCardManagerStatusCallback", ["da5a86c5-12c2-4943-ab30-7f74a813d853"] = "PerflibV2", ["038374ff-098b-11d8-9414-505054503030"] = "IDataCollector", ["1257b580-ce2f-4109-82d6-a9459d0bf6bc"] = "SessEnvPublicRpc", ["e65e8028-83e8-491b-9af7-aaf6bd51a0ce"] = "IServerHealthReport", ["f5cc5a18-4264-101a-8c59-08002b2f8426"] = "nspi", ["6b5bdd1e-528c-422c-af8c-a4079be4fe48"] = "RemoteFW", ["4b112204-0e19-11d3-b42b-0000f81feb9f"] = "ssdpsrv", ["3faf4738-3a21-4307-b46c-fdda9bb8c0d5"] = "AudioSrv", ["000001a0-0000-0000-c000-000000000046"] = "IRemoteSCMActivator", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d6"] = "dhcpcsvc6", ["29822ab7-f302-11d0-9953-00c04fd919c1"] = "IWamAdmin", ["11899a43-2b68-4a76-92e3-a3d6ad8c26ce"] = "TermServNotification", ["2c9273e0-1dc3-11d3-b364-00105a1f8177"] = "IWbemRefreshingServices interface", ["44aca675-e8fc-11d0-a07c-00c04fb68820"] = "IWbemCallResult interface", ["1ff70682-0a51-30e8-076d-740be8cee98b"] = "atsvc", ["a4f1db00-ca47-1067-b31f-00dd010662da"] = "exchange_mapi", ["6bffd098-a112-3610-9833-012892020162"] = "browser", ["541679AB-2E5F-11d3-B34E-00104BCC4B4A"] = "IWbemLoginHelper interface", ["2f5f6521-ca47-1068-b319-00dd010662db"] = "remotesp", ["d6d70ef0-0e3b-11cb-acc3-08002b1d29c3"] = "NsiS", ["5a7b91f8-ff00-11d0-a9b2-00c04fb6e6fc"] = "msgsvcsend", ["4bb8ab1d-9ef9-4100-8eb6-dd4b4e418b72"] = "IADProxy", ["d95afe70-a6d5-4259-822e-2c84da1ddb0d"] = "WindowsShutdown", ["0383753d-098b-11d8-9414-505054503030"] = "IScheduleCollection", ["03837524-098b-11d8-9414-505054503030"] = "IDataCollectorSetCollection", ["8da03f40-3419-11d1-8fb1-00a024cb6019"] = "INtmsSession1", ["03837512-098b-11d8-9414-505054503030"] = "ITraceDataProvider", ["5b821720-f63b-11d0-aad2-00c04fc324db"] = "dhcpsrv2", ["00020404-0000-0000-c000-000000000046"] = "IEnumVARIANT", ["112b1dff-d9dc-41f7-869f-d67fee7cb591"] = "ITpmVirtualSmartCardManager", ["6139d8a4-e508-4ebb-bac7-d7f275145897"] = "IRemoteIPV6Config", ["00020401-0000-0000-c000-000000000046"] = "ITypeInfo", ["1088a980-eae5-11d0-8d9b-00a02453c337"] = "qm2qm", ["d2d79df5-3400-11d0-b40b-00aa005ff586"] = "IVolumeClient", ["367abb81-9844-35f1-ad32-98f038001003"] = "svcctl", ["0383753a-098b-11d8-9414-505054503030"] = "ISchedule", ["df1941c5-fe89-4e79-bf10-463657acf44d"] = "efsrpc", ["2a3eb639-d134-422d-90d8-aaa1b5216202"] = "IResourceManager2", ["bd0c73bc-805b-4043-9c30-9a28d64dd7d2"] = "IIISCertObj", ["88143fd0-c28d-4b2b-8fef-8d882f6a9390"] = "TermServEnumeration", ["2f5f3220-c126-1076-b549-074d078619da"] = "nddeapi", ["76d12b80-3467-11d3-91ff-0090272f9ea3"] = "qmcomm2", ["fdb3a030-065f-11d1-bb9b-00a024ea5525"] = "qmcomm", ["01954e6b-9254-4e6e-808c-c9e05d007696"] = "IVssEnumMgmtObject", ["3bbed8d9-2c9a-4b21-8936-acb2f995be6c"] = "INtmsObjectManagement3", ["f612954d-3b0b-4c56-9563-227b7be624b4"] = "IMSAdminBase3W", ["c49e32c6-bc8b-11d2-85d4-00105a1f8304"] = "IWbemBackupRestoreEx interface", ["12b81e99-f207-4a4c-85d3-77b42f76fd14"] = "ISeclogon", ["ea0a3165-4834-11d2-a6f8-00c04fa346cc"] = "fax", ["d049b186-814f-11d1-9a3c-00c04fc9b232"] = "NtFrsApi", ["d99e6e70-fc88-11d0-b498-00a0c90312f3"] = "ICertRequestD", ["300f3532-38cc-11d0-a3f0-0020af6b0add"] = "trkwks", ["3919286a-b10c-11d0-9ba8-00c04fd92ef5"] = "dssetup", ["03837534-098b-11d8-9414-505054503030"] = "IValueMap", ["879c8bbe-41b0-11d1-be11-00c04fb6bf70"] = "IClientSink", ["338cd001-2244-31f1-aaaa-900038001003"] = "winreg", ["895a2c86-270d-489d-a6c0-dc2a9b35280e"] = "INtmsObjectManagement2", ["027947e1-d731-11ce-a357-000000000001"] = "IEnumWbemClassObject interface", ["e8fb8620-588f-11d2-9d61-00c04f79c5fe"] = "IIisServiceControl", ["833e4100-aff7-4ac3-aac2-9f24c1457bce"] = "IPCHCollection", ["66a2db22-d706-11d0-a37b-00c04fc9da04"] = "IRemoteICFICSConfig", ["f50aac00-c7f3-428e-a022-a6b71bfb9d43"] = "ICatDBSvc", ["44e265dd-7daf-42cd-8560-3cdb6e7a2729"] = "TsProxyRpcInterface", ["53b46b02-c73b-4a3e-8dee-b16b80672fc0"] = "TSVIPPublic", ["70b51430-b6ca-11d0-b9b9-00a0c922e750"] = "IMSAdminBaseW", ["86d35949-83c9-4044-b424-db363231fd0c"] = "ITaskSchedulerService", ["423ec01e-2e35-11d2-b604-00104b703efd"] = "IWbemWCOSmartEnum interface", ["59602eb6-57b0-4fd8-aa4b-ebf06971fe15"] = "IWRMPolicy", ["d4781cd6-e5d3-44df-ad94-930efe48a887"] = "IWbemLoginClientID", ["4d9f4ab8-7d1c-11cf-861e-0020af6e7c57"] = "IActivation", ["12345678-1234-abcd-ef00-0123456789ab"] = "spoolss", ["57674cd0-5200-11ce-a897-08002b2e9c6d"] = "lls_license", ["50abc2a4-574d-40b3-9d66-ee4fd5fba076"] = "dnsserver", ["b97db8b2-4c63-11cf-bff6-08002be23f2f"] = "clusapi", ["ae33069b-a2a8-46ee-a235-ddfd339be281"] = "IRPCRemoteObject", ["d99e6e71-fc88-11d0-b498-00a0c90312f3"] = "ICertAdminD", ["12345678-1234-abcd-ef00-01234567cffb"] = "netlogon", ["6099fc12-3eff-11d0-abd0-00c04fd91a4e"] = "faxclient", ["82273fdc-e32a-18c3-3f78-827929dc23ea"] = "eventlog", ["e1af8308-5d1f-11c9-91a4-08002b14a0fa"] = "epmapper", ["497d95a6-2d27-4bf5-9bbd-a6046957133c"] = "RCMListener", ["20610036-fa22-11cf-9823-00a0c911e5df"] = "rasrpc", ["8f09f000-b7ed-11ce-bbd2-00001a181cad"] = "dimsvc", ["3c4728c5-f0ab-448b-bda1-6ce01eb0a6d5"] = "RpcSrvDHCPC", ["fa7df749-66e7-4986-a27f-e2f04ae53772"] = "IVssSnapshotMgmt", ["4590f812-1d3a-11d0-891f-00aa004b2e24"] = "IWbemClassObject unmarshaler", ["41208ee0-e970-11d1-9b9e-00e02c064c39"] = "qmmgmt", ["081e7188-c080-4ff3-9238-29f66d6cabfd"] = "IMessenger", ["5ca4a760-ebb1-11cf-8611-00a0245420ed"] = "winstation_rpc", ["7c857801-7381-11cf-884d-00aa004b2e24"] = "IWbemObjectSink interface", ["22e5386d-8b12-4bf0-b0ec-6a1ea419e366"] = "NetEventForwarder", ["c8cb7687-e6d3-11d2-a958-00c04f682e16"] = "DAV RPC SERVICE", ["d3fbb514-0e3b-11cb-8fad-08002b1d29c3"] = "NsiC", ["f6beaff7-1e19-4fbb-9f8f-b89e2018337c"] = "IEventService", ["77df7a80-f298-11d0-8358-00a024c480a8"] = "dscomm", ["83da7c00-e84f-11d2-9807-00c04f8ec850"] = "sfcapi", ["bb39332c-bfee-4380-ad8a-badc8aff5bb6"] = "INtmsNotifySink", ["6619a740-8154-43be-a186-0319578e02db"] = "IRemoteDispatch", ["7c44d7d4-31d5-424c-bd5e-2b3e1f323d22"] = "dsaop", ["342cfd40-3c6c-11ce-a893-08002b2e9c6d"] = "llsrpc", ["5261574a-4572-206e-b268-6b199213b4e4"] = "AsyncEMSMDB", ["4b324fc8-1670-01d3-1278-5a47bf6ee188"] = "srvsvc", ["674b6698-ee92-11d0-ad71-00c04fd8fdff"] = "IWbemContext unmarshaler", ["0d72a7d4-6148-11d1-b4aa-00c04fb66ea0"] = "ICertProtect", ["708cca10-9569-11d1-b2a5-0060977d8118"] = "dscomm2", ["214a0f28-b737-4026-b847-4f9e37d79529"] = "IVssDifferentialSoftwareSnapshotMgmt", ["ae1c7110-2f60-11d3-8a39-00c04f72d8e3"] = "IVssEnumObject", ["03837516-098b-11d8-9414-505054503030"] = "IAlertDataCollector", ["21546ae8-4da5-445e-987f-627fea39c5e8"] = "IWRMConfig", ["034634fd-ba3f-11d1-856a-00a0c944138c"] = "IManageTelnetSessions", ["1544f5e0-613c-11d1-93df-00c04fd7bd09"] = "exchange_rfr", ["4fc742e0-4a10-11cf-8273-00aa004ae673"] = "netdfs", ["f309ad18-d86a-11d0-a075-00c04fb68820"] = "IWbemLevel1Login", ["20d15747-6c48-4254-a358-65039fd8c63c"] = "IServerHealthReport2", ["f5cc59b4-4264-101a-8c59-08002b2f8426"] = "FrsRpc", ["b9785960-524f-11df-8b6d-83dcded72085"] = "ISDKey", ["784b693d-95f3-420b-8126-365c098659f2"] = "IOCSPAdminD", ["e3514235-4b06-11d1-ab04-00c04fc2dcd2"] = "drsuapi", ["6bffd098-a112-3610-9833-46c3f874532d"] = "dhcpsrv", ["e3d0d746-d2af-40fd-8a7a-0d7078bb7092"] = "BitsPeerAuth", ["fc910418-55ca-45ef-b264-83d4ce7d30e0"] = "IWRMRemoteSessionMgmt", ["833e41aa-aff7-4ac3-aac2-9f24c1457bce"] = "ISAFSession", ["dc12a681-737f-11cf-884d-00aa004b2e24"] = "IWbemClassObject interface", ["00020411-0000-0000-c000-000000000046"] = "ITypeLib2", ["1a927394-352e-4553-ae3f-7cf4aafca620"] = "WdsRpcInterface", ["0b1c2170-5732-4e0e-8cd3-d9b16f3b84d7"] = "authzr", ["8d0ffe72-d252-11d0-bf8f-00c04fd9126b"] = "IKeySvc", ["5422fd3a-d4b8-4cef-a12e-e87d4ca22e90"] = "ICertRequestD2", ["f1e9c5b2-f59b-11d2-b362-00105a1f8177"] = "IWbemRemoteRefresher interface", ["811109bf-a4e1-11d1-ab54-00a0c91e9b45"] = "winsi2", ["c386ca3e-9061-4a72-821e-498d83be188f"] = "AudioRpc", ["69ab7050-3059-11d1-8faf-00a024cb6019"] = "INtmsObjectInfo1", ["a8e0653c-2744-4389-a61d-7373df8b2292"] = "FileServerVssAgent", ["0383750b-098b-11d8-9414-505054503030"] = "ITraceDataCollector", ["833e4200-aff7-4ac3-aac2-9f24c1457bce"] = "IPCHService", ["03837520-098b-11d8-9414-505054503030"] = "IDataCollectorSet", ["2f59a331-bf7d-48cb-9ec5-7c090d76e8b8"] = "lcrpc", ["00020412-0000-0000-c000-000000000046"] = "ITypeInfo2", ["8fb6d884-2388-11d0-8c35-00c04fda2795"] = "W32Time", ["f120a684-b926-447f-9df4-c966cb785648"] = "IRASrv", ["4bdafc52-fe6a-11d2-93f8-00105a11164a"] = "IVolumeClient2", ["c4b0c7d9-abe0-4733-a1e1-9fdedf260c7a"] = "IADProxy2", ["03837514-098b-11d8-9414-505054503030"] = "IConfigurationDataCollector", ["7d07f313-a53f-459a-bb12-012c15b1846e"] = "IRobustNtmsMediaServices1", ["00000131-0000-0000-c000-000000000046"] = "IRemUnknown", ["2f5f6520-ca46-1067-b319-00dd010662da"] = "tapsrv", ["00020402-0000-0000-c000-000000000046"] = "ITypeLib", ["c681d488-d850-11d0-8c52-00c04fd90f7e"] = "efsrpc2", ["897e2e5f-93f3-4376-9c9c-fd2277495c27"] = "FrsTransport", ["00000143-0000-0000-c000-000000000046"] = "IRemUnknown2", ["17fdd703-1827-4e34-79d4-24a55c53bb37"] = "msgsvc", ["45f52c28-7f9f-101a-b52b-08002b2efabe"] = "winspipe", ["66a2db1b-d706-11d0-a37b-00c04fc9da04"] = "IRemoteNetworkConfig", ["a359dec5-e813-4834-8a2a-ba7f1d777d76"] = "IWbemBackupRestoreEx interface", ["99fcfec4-5260-101b-bbcb-00aa0021347a"] = "IObjectExporter", ["67e08fc2-2984-4b62-b92e-fc1aae64bbbb"] = "IRemoteStringIdConfig", ["9a653086-174f-11d2-b5f9-00104b703efd"] = "IWbemClassObject interface", ["1a9134dd-7b39-45ba-ad88-44d01ca47f28"] = "RemoteRead", ["e33c0cc4-0482-101a-bc0c-02608c6ba218"] = "locator", ["deb01010-3a37-4d26-99df-e2bb6ae3ac61"] = "IVolumeClient4", ["3d267954-eeb7-11d1-b94e-00c04fa3080d"] = "HydraLsPipe", ["66a2db21-d706-11d0-a37b-00c04fc9da04"] = "IRemoteSetDnsConfig", ["68b58241-c259-4f03-a2e5-a2651dcbc930"] = "IKeySvc2", ["12345778-1234-abcd-ef00-0123456789ac"] = "samr", ["44aca674-e8fc-11d0-a07c-00c04fb68820"] = "IWbemContext interface", ["f31931a9-832d-481c-9503-887a0e6a79f0"] = "IWRMProtocol", ["378e52b0-c0a9-11cf-822d-00aa0051e40f"] = "sasec", ["29822ab8-f302-11d0-9953-00c04fd919c1"] = "IWamAdmin2", ["00000000-0000-0000-c000-000000000046"] = "IUnknown", ["3dde7c30-165d-11d1-ab8f-00805f14db40"] = "BackupKey", ["d61a27c6-8f53-11d0-bfa0-00a024151983"] = "CNtmsSvr", ["afa8bd80-7d8a-11c9-bef4-08002b102989"] = "mgmt" } &default=function(i: string): string { return fmt("unknown-%s", i); } &redef;

#@ base/protocols/dce-rpc/main
@load base/protocols/conn/removal-hooks
@load base/protocols/dce-rpc/consts
redef enum Log::ID += { DCE_RPC::LOG };
type DCE_RPC::Info: record { ts: time &log; uid: string &log; id: conn_id &log; rtt: interval &log &optional; named_pipe: string &log &optional; endpoint: string &log &optional; operation: string &log &optional; };
type DCE_RPC::State: record { uuid: string &optional; named_pipe: string &optional; ctx_to_uuid: table [count] of string &optional; };
type DCE_RPC::BackingState: record { info: DCE_RPC::Info ; state: DCE_RPC::State ; };
option DCE_RPC::ignored_operations: table [string] of set [string] = { ["spoolss"] = { "RpcSplOpenPrinter", "RpcClosePrinter" }, ["wkssvc"] = { "NetrWkstaGetInfo" }, ["winreg"] = { "BaseRegCloseKey", "BaseRegGetVersion", "BaseRegOpenKey", "BaseRegDeleteKeyEx", "BaseRegEnumKey", "OpenLocalMachine", "BaseRegQueryValue", "OpenClassesRoot" } } &redef;
const DCE_RPC::ports: set [port] = { 135/tcp } &redef;
global DCE_RPC::finalize_dce_rpc: Conn::RemovalHook ;
global DCE_RPC::log_policy: Log::PolicyHook ;
redef record connection += { dce_rpc: DCE_RPC::Info &optional; };
redef record connection += { dce_rpc_state: DCE_RPC::State &optional; };
redef record connection += { dce_rpc_backing: table [count] of DCE_RPC::BackingState &optional; };

#@ base/protocols/dhcp/__load__
@load base/protocols/dhcp/consts
@load base/protocols/dhcp/main

#@ base/protocols/dhcp/consts
const DHCP::message_types: table [count] of string = { [2] = "OFFER", [14] = "BULKLEASEQUERY", [6] = "NAK", [15] = "LEASEQUERYDONE", [16] = "ACTIVELEASEQUERY", [8] = "INFORM", [9] = "FORCERENEW", [1] = "DISCOVER", [11] = "LEASEUNASSIGNED", [7] = "RELEASE", [5] = "ACK", [10] = "LEASEQUERY", [4] = "DECLINE", [12] = "LEASEUNKNOWN", [13] = "LEASEACTIVE", [18] = "TLS", [3] = "REQUEST", [17] = "LEASEQUERYSTATUS" } &default=function(i: count): string { return fmt("unknown-message-type-%d", i); } ;
const DHCP::option_types: table [count] of string = { [39] = "Keepalive Data", [73] = "Finger-Server", [46] = "NETBIOS Node Type", [28] = "Broadcast Address", [212] = "OPTION_6RD", [9] = "LPR Server", [68] = "Home-Agent-Addrs", [53] = "DHCP Msg Type", [71] = "NNTP-Server", [52] = "Overload", [41] = "NIS Servers", [17] = "Root Path", [119] = "Domain Search", [81] = "Client FQDN", [88] = "BCMCS Controller Domain Name list", [29] = "Mask Discovery", [133] = "IEEE 802.1D/p Layer 2 Priority", [176] = "IP Telephone (Tentatively Assigned - 2005-06-23)", [213] = "OPTION_V4_ACCESS_DOMAIN", [54] = "DHCP Server Id", [95] = "LDAP", [90] = "Authentication", [252] = "auto-proxy-config", [146] = "RDNSS Selection", [86] = "NDS Tree Name", [1] = "Subnet Mask", [116] = "Auto-Config", [158] = "OPTION_V4_PCP_SERVER", [35] = "ARP Timeout", [135] = "HTTP Proxy for phone-specific applications", [3] = "Router", [114] = "URL", [140] = "OPTION-IPv4_FQDN-MoS", [44] = "NETBIOS Name Srv", [129] = "PXE - undefined (vendor specific)", [34] = "Trailers", [45] = "NETBIOS Dist Srv", [14] = "Merit Dump File", [31] = "Router Discovery", [82] = "Relay Agent Information", [56] = "DHCP Message", [7] = "Log Server", [66] = "Server-Name", [26] = "MTU Interface", [128] = "PXE - undefined (vendor specific)", [175] = "Etherboot (Tentatively Assigned - 2005-06-23)", [47] = "NETBIOS Scope", [70] = "POP3-Server", [93] = "Client System", [2] = "Time Offset", [132] = "IEEE 802.1Q VLAN ID", [72] = "WWW-Server", [24] = "MTU Timeout", [69] = "SMTP-Server", [99] = "GEOCONF_CIVIC", [161] = "OPTION_MUD_URL_V4 (TEMPORARY - registered 2016-11-17)", [61] = "Client Id", [60] = "Class Id", [51] = "Address Time", [37] = "Default TCP TTL", [18] = "Extension File", [157] = "data-source", [0] = "Pad", [220] = "Subnet Allocation Option", [137] = "OPTION_V4_LOST", [94] = "Client NDI", [19] = "Forward On/Off", [20] = "SrcRte On/Off", [33] = "Static Route", [75] = "StreetTalk-Server", [67] = "Bootfile-Name", [30] = "Mask Supplier", [15] = "Domain Name", [77] = "User-Class", [64] = "NIS-Domain-Name", [211] = "Reboot Time", [91] = "client-last-transaction-time option", [156] = "dhcp-state", [177] = "PacketCable and CableHome (replaced by 122)", [97] = "UUID/GUID", [55] = "Parameter List", [21] = "Policy Filter", [221] = "Virtual Subnet Selection (VSS) Option", [4] = "Time Server", [124] = "V-I Vendor Class", [130] = "PXE - undefined (vendor specific)", [12] = "Hostname", [155] = "query-end-time", [58] = "Renewal Time", [134] = "Diffserv Code Point (DSCP) for VoIP signalling and media streams", [80] = "Rapid Commit", [150] = "TFTP server address", [76] = "STDA-Server", [25] = "MTU Plateau", [142] = "OPTION-IPv4_Address-ANDSF", [16] = "Swap Server", [255] = "End", [59] = "Rebinding Time", [210] = "Path Prefix", [38] = "Keepalive Time", [154] = "query-start-time", [63] = "NetWare/IP Option", [42] = "NTP Servers", [57] = "DHCP Max Msg Size", [78] = "Directory Agent", [98] = "User-Auth", [113] = "Netinfo Tag", [11] = "RLP Server", [22] = "Max DG Assembly", [43] = "Vendor Specific", [136] = "OPTION_PANA_AGENT", [144] = "GeoLoc", [40] = "NIS Domain", [151] = "status-code", [208] = "PXELINUX Magic", [36] = "Ethernet", [6] = "Domain Server", [141] = "SIP UA Configuration Service Domains", [125] = "V-I Vendor-Specific Information", [8] = "Quotes Server", [23] = "Default IP TTL", [27] = "MTU Subnet", [145] = "FORCERENEW_NONCE_CAPABLE", [83] = "iSNS", [122] = "CCC", [159] = "OPTION_V4_PORTPARAMS", [92] = "associated-ip option", [10] = "Impress Server", [65] = "NIS-Server-Addr", [13] = "Boot File Size", [32] = "Router Request", [74] = "IRC-Server", [62] = "NetWare/IP Domain", [101] = "TCode", [89] = "BCMCS Controller IPv4 address option", [118] = "Subnet Selection Option", [138] = "OPTION_CAPWAP_AC_V4", [160] = "DHCP Captive-Portal", [139] = "OPTION-IPv4_Address-MoS", [120] = "SIP Servers DHCP Option", [152] = "base-time", [50] = "Address Request", [79] = "Service Scope", [121] = "Classless Static Route Option", [48] = "X Window Font", [85] = "NDS Servers", [49] = "X Window Manager", [209] = "Configuration File", [112] = "Netinfo Address", [5] = "Name Server", [100] = "PCode", [117] = "Name Service Search", [123] = "GeoConf Option", [131] = "PXE - undefined (vendor specific)", [87] = "NDS Context", [153] = "start-time-of-state" } &default=function(i: count): string { return fmt("unknown-option-type-%d", i); } ;

#@ base/protocols/dhcp/main
@load base/frameworks/cluster
@load base/protocols/dhcp/consts
redef enum Log::ID += { DHCP::LOG };
type DHCP::Info: record { ts: time &log; uids: set [string] &log; client_addr: addr &log &optional; server_addr: addr &log &optional; client_port: port &optional; server_port: port &optional; mac: string &log &optional; host_name: string &log &optional; client_fqdn: string &log &optional; domain: string &log &optional; requested_addr: addr &log &optional; assigned_addr: addr &log &optional; lease_time: interval &log &optional; client_message: string &log &optional; server_message: string &log &optional; msg_types: vector of string &log &default=vector(); duration: interval &log &default=0 secs; client_chaddr: string &optional; };
option DHCP::max_msg_types_per_log_entry: count = 50 &redef;
option DHCP::max_tracked_transactions: count = 100000 &redef;
option DHCP::max_txid_watch_time: interval = 30.0 secs &redef;
option DHCP::max_uids_per_log_entry: count = 10 &redef;
const DHCP::client_ports: set [port] = { 68/udp } &redef;
const DHCP::server_ports: set [port] = { 67/udp, 4011/udp } &redef;
global DHCP::log_info: DHCP::Info ;
global DHCP::aggregate_msgs: event (ts: time, id: conn_id, uid: string, is_orig: bool, msg: DHCP::Msg, options: DHCP::Options);
global DHCP::log_dhcp: event (rec: DHCP::Info);
global DHCP::log_policy: Log::PolicyHook ;
redef record DHCP::Info += { last_message_ts: time &optional; };
redef record connection += { dhcp: DHCP::Info &optional; };

#@ base/protocols/dnp3/__load__
@load base/protocols/dnp3/main

#@ base/protocols/dnp3/consts
const DNP3::function_codes: table [count] of string = { [19] = "SAVE_CONFIG", [20] = "ENABLE_UNSOLICITED", [33] = "AUTHENTICATE_REQ_NR", [14] = "WARM_RESTART", [15] = "INITIALIZE_DATA", [6] = "DIRECT_OPERATE_NR", [30] = "ABORT_FILE", [31] = "ACTIVATE_CONFIG", [28] = "GET_FILE_INFO", [23] = "DELAY_MEASURE", [8] = "IMMED_FREEZE_NR", [27] = "DELETE_FILE", [9] = "FREEZE_CLEAR", [7] = "IMMED_FREEZE", [10] = "FREEZE_CLEAR_NR", [21] = "DISABLE_UNSOLICITED", [4] = "OPERATE", [26] = "CLOSE_FILE", [13] = "COLD_RESTART", [12] = "FREEZE_AT_TIME_NR", [32] = "AUTHENTICATE_REQ", [130] = "UNSOLICITED_RESPONSE", [17] = "START_APPL", [25] = "OPEN_FILE", [2] = "WRITE", [29] = "AUTHENTICATE_FILE", [16] = "INITIALIZE_APPL", [24] = "RECORD_CURRENT_TIME", [1] = "READ", [11] = "FREEZE_AT_TIME", [5] = "DIRECT_OPERATE", [22] = "ASSIGN_CLASS", [18] = "STOP_APPL", [3] = "SELECT", [0] = "CONFIRM", [131] = "AUTHENTICATE_RESP", [129] = "RESPONSE" } &default=function(i: count): string { return fmt("unknown-%d", i); } &redef;

#@ base/protocols/dnp3/main
@load base/protocols/conn/removal-hooks
@load base/protocols/dnp3/consts
redef enum Log::ID += { DNP3::LOG };
type DNP3::Info: record { ts: time &log; uid: string &log; id: conn_id &log; fc_request: string &log &optional; fc_reply: string &log &optional; iin: count &log &optional; };
const DNP3::ports: set [port] = { 20000/udp, 20000/tcp } &redef;
global DNP3::log_dnp3: event (rec: DNP3::Info);
global DNP3::finalize_dnp3: Conn::RemovalHook ;
global DNP3::log_policy: Log::PolicyHook ;
redef record connection += { dnp3: DNP3::Info &optional; };

#@ base/protocols/dns/__load__
@load base/protocols/dns/check-event-handlers
@load base/protocols/dns/consts
@load base/protocols/dns/main

#@ base/protocols/dns/check-event-handlers

#@ base/protocols/dns/consts
const DNS::ANY: count = 255 ;
const DNS::DNS_OP_DSO: count = 6 ;
const DNS::DNS_OP_DYNAMIC_UPDATE: count = 5 ;
const DNS::DNS_OP_IQUERY: count = 1 ;
const DNS::DNS_OP_NOTIFY: count = 4 ;
const DNS::DNS_OP_QUERY: count = 0 ;
const DNS::DNS_OP_SERVER_STATUS: count = 2 ;
const DNS::EDNS: count = 41 ;
const DNS::NONE: count = 254 ;
const DNS::PTR: count = 12 ;
const DNS::algorithms: table [count] of string = { [254] = "PrivateOID", [2] = "Diffie_Hellman", [15] = "Ed25519", [6] = "DSA_NSEC3_SHA1", [14] = "ECDSA_curveP384withSHA384", [16] = "Ed448", [255] = "reserved255", [8] = "RSA_SHA256", [252] = "Indirect", [253] = "PrivateDNS", [1] = "RSA_MD5", [5] = "RSA_SHA1", [7] = "RSA_SHA1_NSEC3_SHA1", [10] = "RSA_SHA512", [4] = "Elliptic_Curve", [12] = "GOST_R_34_10_2001", [13] = "ECDSA_curveP256withSHA256", [3] = "DSA_SHA1", [0] = "reserved0" } &default=function(i: count): string { return fmt("algorithm-%d", i); } ;
const DNS::base_errors: table [count] of string = { [19] = "BADMODE", [3842] = "BADSIG", [20] = "BADNAME", [2] = "SERVFAIL", [14] = "unassigned-14", [15] = "unassigned-15", [6] = "YXDOMAIN", [16] = "BADVERS", [8] = "NXRRSet", [23] = "BADCOOKIE", [9] = "NOTAUTH", [1] = "FORMERR", [11] = "unassigned-11", [7] = "YXRRSET", [5] = "REFUSED", [10] = "NOTZONE", [21] = "BADALG", [4] = "NOTIMP", [22] = "BADTRUNC", [13] = "unassigned-13", [12] = "unassigned-12", [18] = "BADTIME", [17] = "BADKEY", [3] = "NXDOMAIN", [0] = "NOERROR" } &default=function(i: count): string { return fmt("rcode-%d", i); } ;
const DNS::classes: table [count] of string = { [254] = "C_NONE", [2] = "C_CSNET", [3] = "C_CHAOS", [255] = "C_ANY", [4] = "C_HESIOD", [1] = "C_INTERNET" } &default=function(i: count): string { return fmt("qclass-%d", i); } ;
const DNS::digests: table [count] of string = { [0] = "reserved0", [2] = "SHA256", [4] = "SHA384", [1] = "SHA1", [3] = "GOST_R_34_11_94" } &default=function(i: count): string { return fmt("digest-%d", i); } ;
const DNS::edns_zfield: table [count] of string = { [0] = "NOVALUE", [32768] = "DNS_SEC_OK" } &default="?";
const DNS::netbios_opcodes: table [count] of string = { [0] = "netbios-query", [6] = "netbios-release", [8] = "netbios-refresh", [7] = "netbios-wack", [5] = "netbios-registration" } &default=function(i: count): string { return fmt("netbios-opcode-%d", i); } ;
const DNS::opcodes: table [count] of string = { [0] = "query", [6] = "dso", [4] = "notify", [2] = "server-status", [1] = "iquery", [5] = "dynamic-update" } &default=function(i: count): string { return fmt("opcode-%d", i); } ;
const DNS::query_types: table [count] of string = { [19] = "X25", [20] = "ISDN", [33] = "SRV", [39] = "DNAME", [30] = "NXT", [46] = "RRSIG", [15] = "MX", [65422] = "XPF", [28] = "AAAA", [64] = "SVCB", [106] = "L64", [9] = "MR", [253] = "MAILB", [107] = "LP", [53] = "SMIMEA", [55] = "HIP", [52] = "TLSA", [251] = "IXFR", [21] = "RT", [4] = "MF", [12] = "PTR", [41] = "OPT", [58] = "TALINK", [17] = "RP", [105] = "L32", [254] = "MAILA", [32768] = "TA", [25] = "KEY", [32769] = "DLV", [65281] = "WINS", [29] = "LOC", [16] = "TXT", [255] = "*", [59] = "CDS", [38] = "A6", [252] = "AXFR", [63] = "ZONEMD", [42] = "APL", [57] = "RKEY", [1] = "A", [11] = "WKS", [35] = "NAPTR", [108] = "EUI48", [22] = "NSAP", [256] = "URI", [43] = "DS", [102] = "GID", [257] = "CAA", [65521] = "INTEGRITY", [3] = "MD", [44] = "SSHFP", [34] = "ATMA", [45] = "IPSECKEY", [40] = "SINK", [36] = "KX", [250] = "TSIG", [14] = "MINFO", [6] = "SOA", [31] = "EID", [23] = "NSAP-PTR", [8] = "MG", [27] = "GPOS", [56] = "NINFO", [7] = "MB", [10] = "NULL", [32] = "NIMLOC", [13] = "HINFO", [26] = "PX", [65] = "HTTPS", [62] = "CSYNC", [101] = "UID", [47] = "NSEC", [50] = "NSEC3", [2] = "NS", [65282] = "WINS-R", [48] = "DNSKEY", [24] = "SIG", [99] = "SPF", [49] = "DHCID", [109] = "EUI64", [249] = "TKEY", [103] = "UNSPEC", [5] = "CNAME", [104] = "NID", [61] = "OPENPGPKEY", [60] = "CDNSKEY", [100] = "UINFO", [51] = "NSEC3PARAM", [37] = "CERT", [18] = "AFSDB" } &default=function(i: count): string { return fmt("query-%d", i); } ;
const DNS::svcparam_keys: table [count] of string = { [2] = "no-default-alpn", [3] = "port", [5] = "ech", [0] = "mandatory", [6] = "ipv6hint", [4] = "ipv4hint", [1] = "alpn" } &default=function(i: count): string { return fmt("key%d", i); } ;

#@ base/protocols/dns/main
@load base/protocols/conn/removal-hooks
@load base/protocols/dns/consts
@load base/utils/queue
redef enum Log::ID += { DNS::LOG };
type DNS::Info: record { ts: time &log; uid: string &log; id: conn_id &log; proto: transport_proto &log; trans_id: count &log &optional; rtt: interval &log &optional; query: string &log &optional; qclass: count &log &optional; qclass_name: string &log &optional; qtype: count &log &optional; qtype_name: string &log &optional; rcode: count &log &optional; rcode_name: string &log &optional; AA: bool &log &default=F; TC: bool &log &default=F; RD: bool &log &default=F; RA: bool &log &default=F; Z: count &log &default=0; answers: vector of string &log &optional; TTLs: vector of interval &log &optional; rejected: bool &log &default=F; opcode: count &log &optional; opcode_name: string &log &optional; total_answers: count &optional; total_replies: count &optional; saw_query: bool &default=F; saw_reply: bool &default=F; };
type DNS::PendingMessages: table [count] of Queue::Queue;
type DNS::State: record { pending_query: DNS::Info &optional; pending_queries: DNS::PendingMessages &optional; pending_replies: DNS::PendingMessages &optional; };
option DNS::max_pending_msgs: count = 50 &redef;
option DNS::max_pending_query_ids: count = 50 &redef;
option DNS::multicast_subnets: set [subnet] = { 224.0.0.0/4, [ff00::]/8 } &redef;
const DNS::ports: set [port] = { 5353/udp, 137/udp, 5355/udp, 53/udp, 53/tcp } &redef;
global DNS::log_dns: event (rec: DNS::Info);
global DNS::do_reply: hook (c: connection, msg: dns_msg, ans: dns_answer, reply: string);
global DNS::finalize_dns: Conn::RemovalHook ;
global DNS::log_policy: Log::PolicyHook ;
global DNS::set_session: hook (c: connection, msg: dns_msg, is_query: bool);
redef record connection += { dns: DNS::Info &optional; };
redef record connection += { dns_state: DNS::State &optional; };

#@ base/protocols/finger/__load__
@load base/protocols/finger/main
@load base/protocols/finger/spicy-events

#@ base/protocols/finger/main
const Finger::ports: set [port] = { 79/tcp } &redef;

#@ base/protocols/finger/spicy-events
global finger_reply: event (c: connection, reply_line: string);
global finger_request: event (c: connection, full: bool, username: string, hostname: string);

#@ base/protocols/ftp/__load__
@load base/protocols/ftp/files
@load base/protocols/ftp/gridftp
@load base/protocols/ftp/info
@load base/protocols/ftp/main
@load base/protocols/ftp/utils-commands
@load base/protocols/ftp/utils

#@ base/protocols/ftp/files
@load base/frameworks/files
@load base/protocols/ftp/info
@load base/protocols/ftp/main
@load base/protocols/ftp/utils
@load base/utils/conn-ids
global FTP::describe_file: function (f: fa_file) : string;
global FTP::get_file_handle: function (c: connection, is_orig: bool) : string;
redef record fa_file += { ftp: FTP::Info &optional; };

#@ base/protocols/ftp/gridftp
@load base/frameworks/notice
@load base/protocols/conn
@load base/protocols/ftp/info
@load base/protocols/ftp/main
@load base/protocols/ssl
option GridFTP::max_time: interval = 2.0 mins &redef;
option GridFTP::size_threshold: count = 1073741824 &redef;
option GridFTP::skip_data: bool = T &redef;
global GridFTP::data_channel_detected: event (c: connection);
global GridFTP::data_channel_initial_criteria: function (c: connection) : bool;
redef record FTP::Info += { last_auth_requested: string &optional; };

#@ base/protocols/ftp/info
@load base/protocols/ftp/utils-commands
option FTP::default_capture_password: bool = F &redef;
type FTP::ExpectedDataChannel: record { passive: bool &log; orig_h: addr &log; resp_h: addr &log; resp_p: port &log; };
type FTP::Info: record { ts: time &log; uid: string &log; id: conn_id &log; user: string &log &default="<unknown>"; password: string &log &optional; command: string &log &optional; arg: string &log &optional; mime_type: string &log &optional; file_size: count &log &optional; reply_code: count &log &optional; reply_msg: string &log &optional; data_channel: FTP::ExpectedDataChannel &log &optional; cwd: string &default="."; cmdarg: FTP::CmdArg &optional; pending_commands: FTP::PendingCmds ; command_seq: count &default=0; passive: bool &default=F; capture_password: bool &default=FTP::default_capture_password; logged_command_seen: bool &default=F; fuid: string &optional &log; };

#@ base/protocols/ftp/main
@load base/frameworks/cluster
@load base/frameworks/notice/weird
@load base/protocols/conn/removal-hooks
@load base/protocols/ftp/info
@load base/protocols/ftp/utils-commands
@load base/protocols/ftp/utils
@load base/utils/addrs
@load base/utils/numbers
@load base/utils/paths
redef enum Log::ID += { FTP::LOG };
type FTP::ReplyCode: record { x: count ; y: count ; z: count ; };
option FTP::guest_ids: set [string] = { "guest", "anonymous", "ftpuser", "ftp" } &redef;
option FTP::log_at_least_one_command: bool = T &redef;
option FTP::logged_commands: set [string] = { "ACCT", "DELE", "APPE", "RETR", "PORT", "STOR", "EPRT", "PASV", "STOU", "EPSV" } &redef;
option FTP::max_arg_length: count = 4096 &redef;
option FTP::max_expected_data_channels: count = 100000 &redef;
option FTP::max_password_length: count = 128 &redef;
option FTP::max_pending_commands: count = 20 &redef;
option FTP::max_reply_msg_length: count = 4096 &redef;
option FTP::max_user_length: count = 128 &redef;
const FTP::ports: set [port] = { 2811/tcp, 21/tcp } &redef;
global FTP::log_ftp: event (rec: FTP::Info);
global FTP::finalize_ftp: Conn::RemovalHook ;
global FTP::finalize_ftp_data: hook (c: connection);
global FTP::log_policy: Log::PolicyHook ;
global FTP::parse_ftp_reply_code: function (code: count) : FTP::ReplyCode;
redef record connection += { ftp: FTP::Info &optional; };
redef record connection += { ftp_data_reuse: bool &default=F; };

#@ base/protocols/ftp/utils
@load base/protocols/ftp/info
@load base/utils/addrs
@load base/utils/paths
global FTP::build_url: function (rec: FTP::Info) : string;
global FTP::build_url_ftp: function (rec: FTP::Info) : string;
global FTP::describe: function (rec: FTP::Info) : string;

#@ base/protocols/ftp/utils-commands
type FTP::CmdArg: record { ts: time ; cmd: string &default="<unknown>"; arg: string &default=""; seq: count &default=0; cwd_consumed: bool &default=F; };
type FTP::PendingCmds: table [count] of FTP::CmdArg;
option FTP::cmd_reply_code: set [string, count] = { ["ABOR", 226], ["REIN", 120], ["STOU", 553], ["MLSD", 150], ["RNTO", 503], ["CDUP", 530], ["CDUP", 501], ["APPE", 425], ["SYST", 530], ["PORT", 421], ["TYPE", 501], ["LIST", 125], ["RNTO", 530], ["PWD", 501], ["STOR", 125], ["CDUP", 200], ["MLSD", 250], ["SITE", 500], ["CWD", 550], ["CDUP", 550], ["QUIT", 500], ["MKD", 257], ["ALLO", 500], ["LIST", 425], ["CLNT", 200], ["<init>", 0], ["ABOR", 501], ["FEAT", 502], ["MLST", 150], ["APPE", 150], ["STOU", 550], ["USER", 332], ["PASV", 227], ["SYST", 421], ["STRU", 530], ["EPRT", 501], ["PASV", 530], ["USER", 530], ["APPE", 125], ["CDUP", 421], ["STOU", 451], ["HELP", 214], ["NLST", 426], ["RNFR", 450], ["LPRT", 521], ["ALLO", 530], ["STAT", 501], ["MACB", 550], ["PASS", 332], ["SITE", 502], ["SIZE", 550], ["LIST", 451], ["LIST", 426], ["APPE", 426], ["SMNT", 530], ["MLST", 250], ["TYPE", 530], ["HELP", 500], ["RNTO", 553], ["STOR", 530], ["NLST", 150], ["NLST", 451], ["SMNT", 501], ["ACCT", 230], ["MDTM", 550], ["APPE", 452], ["LIST", 450], ["NLST", 250], ["MDTM", 500], ["RETR", 450], ["NLST", 502], ["TYPE", 504], ["MLSD", 550], ["MODE", 421], ["OPTS", 451], ["RETR", 426], ["APPE", 530], ["STRU", 504], ["STAT", 502], ["RETR", 125], ["EPRT", 200], ["ALLO", 202], ["MKD", 502], ["STOU", 501], ["SYST", 502], ["REIN", 220], ["MLSD", 501], ["DELE", 530], ["USER", 421], ["NLST", 530], ["TYPE", 200], ["RMD", 250], ["DELE", 421], ["FEAT", 211], ["APPE", 500], ["RETR", 501], ["ABOR", 225], ["CWD", 250], ["STOU", 110], ["ALLO", 504], ["RNTO", 532], ["PWD", 500], ["STOR", 110], ["MODE", 502], ["PORT", 200], ["NLST", 125], ["RETR", 110], ["ACCT", 503], ["RMD", 502], ["REST", 200], ["RETR", 226], ["PASV", 500], ["STRU", 501], ["LIST", 502], ["STAT", 530], ["RETR", 500], ["PASS", 501], ["STOR", 553], ["APPE", 550], ["SMNT", 550], ["PASV", 501], ["SYST", 501], ["MKD", 550], ["PASV", 502], ["MODE", 530], ["STAT", 450], ["APPE", 226], ["MACB", 500], ["PASS", 230], ["STAT", 212], ["PASV", 421], ["STOU", 530], ["PASS", 530], ["SITE", 202], ["PASS", 500], ["APPE", 450], ["STOR", 450], ["LIST", 250], ["NLST", 500], ["PWD", 502], ["RNFR", 500], ["STOR", 501], ["DELE", 500], ["HELP", 421], ["NLST", 425], ["NLST", 550], ["STOR", 451], ["SYST", 215], ["RETR", 425], ["APPE", 532], ["LIST", 150], ["CWD", 500], ["USER", 331], ["OPTS", 501], ["PASS", 503], ["STOU", 532], ["STOU", 150], ["QUIT", 221], ["ACCT", 202], ["STOR", 425], ["MKD", 421], ["TYPE", 500], ["STOU", 125], ["SYST", 500], ["CDUP", 502], ["RETR", 451], ["RNFR", 502], ["TYPE", 421], ["STOR", 500], ["SIZE", 500], ["HELP", 211], ["RNTO", 250], ["REIN", 502], ["STRU", 200], ["RMD", 421], ["<init>", 421], ["STAT", 211], ["<init>", 120], ["LIST", 550], ["ABOR", 500], ["NOOP", 200], ["REIN", 421], ["STOR", 150], ["SMNT", 502], ["CDUP", 250], ["PORT", 501], ["MODE", 504], ["STAT", 421], ["MODE", 501], ["MDTM", 213], ["MKD", 501], ["LIST", 421], ["MLST", 226], ["STOR", 226], ["NOOP", 421], ["PWD", 421], ["FEAT", 500], ["APPE", 250], ["CLNT", 500], ["LIST", 501], ["STOU", 425], ["LIST", 530], ["SITE", 530], ["STOU", 250], ["RETR", 150], ["RNTO", 500], ["MLST", 501], ["REST", 501], ["MKD", 530], ["RNFR", 530], ["ALLO", 200], ["STRU", 500], ["MLSD", 500], ["STOU", 426], ["STAT", 213], ["RNFR", 421], ["ALLO", 501], ["RETR", 421], ["APPE", 421], ["USER", 501], ["QUIT", 0], ["USER", 230], ["RNFR", 350], ["STOU", 551], ["MODE", 500], ["STOR", 426], ["REST", 530], ["SMNT", 421], ["ABOR", 502], ["ACCT", 421], ["APPE", 502], ["SITE", 214], ["CWD", 421], ["NLST", 450], ["STOU", 226], ["EPRT", 522], ["REST", 500], ["RMD", 550], ["LPRT", 501], ["EPSV", 501], ["HELP", 501], ["DELE", 450], ["NLST", 501], ["EPSV", 500], ["APPE", 552], ["EPRT", 500], ["PWD", 257], ["MODE", 200], ["NLST", 226], ["RMD", 500], ["CWD", 530], ["APPE", 501], ["RMD", 530], ["STOR", 452], ["<missing>", 0], ["RETR", 530], ["NOOP", 500], ["REIN", 500], ["STOR", 532], ["ABOR", 421], ["APPE", 551], ["SMNT", 500], ["STOR", 550], ["RNFR", 501], ["USER", 500], ["ALLO", 421], ["ACCT", 500], ["RNTO", 502], ["MKD", 500], ["PASS", 421], ["STOU", 552], ["STOU", 452], ["CWD", 501], ["PORT", 500], ["MLST", 500], ["STOU", 450], ["STOU", 421], ["ACCT", 530], ["STRU", 421], ["STOU", 500], ["SIZE", 501], ["MDTM", 501], ["ACCT", 501], ["REST", 502], ["STOR", 421], ["RNTO", 421], ["RETR", 250], ["MLSD", 226], ["LIST", 500], ["DELE", 502], ["SMNT", 250], ["OPTS", 200], ["SITE", 501], ["APPE", 553], ["PASS", 202], ["SIZE", 213], ["STOR", 250], ["DELE", 250], ["STOR", 551], ["PWD", 550], ["STAT", 500], ["RMD", 501], ["RNTO", 501], ["HELP", 200], ["MACB", 200], ["DELE", 501], ["LPRT", 500], ["LIST", 226], ["REST", 350], ["CDUP", 500], ["APPE", 451], ["EPSV", 229], ["RETR", 550], ["DELE", 550], ["PORT", 530], ["CWD", 502], ["STOR", 552], ["NLST", 421], ["HELP", 502], ["SITE", 200], ["<init>", 220], ["SMNT", 202], ["RNFR", 550], ["MLST", 550], ["REST", 421] } &redef;

#@ base/protocols/http/__load__
@load base/protocols/http/entities
@load base/protocols/http/files
@load base/protocols/http/main
@load base/protocols/http/utils

#@ base/protocols/http/entities
@load base/frameworks/files
@load base/frameworks/notice/weird
@load base/protocols/http/main
@load base/utils/files
@load base/utils/strings
type HTTP::Entity: record { filename: string &optional; };
option HTTP::max_files_orig: count = 15 &redef;
option HTTP::max_files_resp: count = 15 &redef;
global HTTP::max_files_policy: hook (f: fa_file, is_orig: bool);
redef record HTTP::Info += { orig_fuids: vector of string &log &optional; };
redef record HTTP::Info += { orig_filenames: vector of string &log &optional; };
redef record HTTP::Info += { orig_mime_types: vector of string &log &optional; };
redef record HTTP::Info += { resp_fuids: vector of string &log &optional; };
redef record HTTP::Info += { resp_filenames: vector of string &log &optional; };
redef record HTTP::Info += { resp_mime_types: vector of string &log &optional; };
redef record HTTP::Info += { current_entity: HTTP::Entity &optional; };
redef record HTTP::Info += { orig_mime_depth: count &default=0; };
redef record HTTP::Info += { resp_mime_depth: count &default=0; };
redef record fa_file += { http: HTTP::Info &optional; };

#@ base/protocols/http/files
@load base/frameworks/files
@load base/protocols/http/entities
@load base/protocols/http/main
@load base/protocols/http/utils
@load base/utils/conn-ids
global HTTP::describe_file: function (f: fa_file) : string;
global HTTP::get_file_handle: function (c: connection, is_orig: bool) : string;

#@ base/protocols/http/main
@load base/frameworks/tunnels
@load base/protocols/conn/removal-hooks
@load base/utils/files
@load base/utils/numbers
option HTTP::default_capture_password: bool = F &redef;
redef enum Log::ID += { HTTP::LOG };
type HTTP::Tags: enum { HTTP::EMPTY };
type HTTP::Info: record { ts: time &log; uid: string &log; id: conn_id &log; trans_depth: count &log; method: string &log &optional; host: string &log &optional; uri: string &log &optional; referrer: string &log &optional; version: string &log &optional; user_agent: string &log &optional; origin: string &log &optional; request_body_len: count &log &default=0; response_body_len: count &log &default=0; status_code: count &log &optional; status_msg: string &log &optional; info_code: count &log &optional; info_msg: string &log &optional; tags: set [HTTP::Tags] &log; username: string &log &optional; password: string &log &optional; capture_password: bool &default=HTTP::default_capture_password; proxied: set [string] &log &optional; range_request: bool &default=F; };
type HTTP::State: record { pending: table [count] of HTTP::Info ; current_request: count &default=0; current_response: count &default=0; trans_depth: count &default=0; };
option HTTP::http_methods: set [string] = { "POST", "PUT", "CONNECT", "BMOVE", "SEARCH", "TRACE", "QUERY", "LOCK", "PROPPATCH", "HEAD", "OPTIONS", "POLL", "REPORT", "SUBSCRIBE", "MOVE", "GET", "UNLOCK", "DELETE", "COPY", "MKCOL", "PROPFIND" } &redef;
option HTTP::max_pending_requests: count = 100 &redef;
option HTTP::proxy_headers: set [string] = { "CLIENT-IP", "X-FORWARDED-FROM", "VIA", "XROXY-CONNECTION", "PROXY-CONNECTION", "X-FORWARDED-FOR", "FORWARDED" } &redef;
const HTTP::default_max_field_string_bytes: count = 0 &redef;
const HTTP::ports: set [port] = { 80/tcp, 8888/tcp, 81/tcp, 8000/tcp, 3128/tcp, 8080/tcp, 631/tcp, 1080/tcp } &redef;
global HTTP::log_http: event (rec: HTTP::Info);
global HTTP::finalize_http: Conn::RemovalHook ;
global HTTP::log_policy: Log::PolicyHook ;
redef record connection += { http: HTTP::Info &optional; };
redef record connection += { http_state: HTTP::State &optional; };

#@ base/protocols/http/utils
@load base/protocols/http/main
@load base/utils/addrs
global HTTP::build_url: function (rec: HTTP::Info) : string;
global HTTP::build_url_http: function (rec: HTTP::Info) : string;
global HTTP::describe: function (rec: HTTP::Info) : string;
global HTTP::extract_keys: function (data: string, kv_splitter: pattern) : string_vec;

#@ base/protocols/imap/__load__
@load base/protocols/imap/main

#@ base/protocols/imap/main
const IMAP::ports: set [port] = { 143/tcp } &redef;

#@ base/protocols/irc/__load__
@load base/protocols/irc/dcc-send
@load base/protocols/irc/files
@load base/protocols/irc/main

#@ base/protocols/irc/dcc-send
@load base/frameworks/cluster
@load base/protocols/conn/removal-hooks
@load base/protocols/irc/main
@load base/utils/files
const IRC::max_dcc_expected_transfers: count = 5000 &redef;
global IRC::finalize_irc_data: Conn::RemovalHook ;
redef record IRC::Info += { dcc_file_name: string &log &optional; };
redef record IRC::Info += { dcc_file_size: count &log &optional; };
redef record IRC::Info += { dcc_mime_type: string &log &optional; };

#@ base/protocols/irc/files
@load base/frameworks/files
@load base/protocols/irc/dcc-send
@load base/utils/conn-ids
global IRC::get_file_handle: function (c: connection, is_orig: bool) : string;
redef record IRC::Info += { fuid: string &log &optional; };
redef record fa_file += { irc: IRC::Info &optional; };

#@ base/protocols/irc/main
redef enum Log::ID += { IRC::LOG };
type IRC::Info: record { ts: time &log; uid: string &log; id: conn_id &log; nick: string &log &optional; user: string &log &optional; command: string &log &optional; value: string &log &optional; addl: string &log &optional; };
const IRC::ports: set [port] = { 6666/tcp, 6669/tcp, 6668/tcp, 6667/tcp } &redef;
global IRC::irc_log: event (rec: IRC::Info);
global IRC::log_policy: Log::PolicyHook ;
redef record connection += { irc: IRC::Info &optional; };

#@ base/protocols/krb/__load__
@load base/protocols/krb/files
@load base/protocols/krb/main

#@ base/protocols/krb/consts
const KRB::cipher_name: table [count] of string = { [2] = "des-cbc-md4", [25] = "camellia128-cts-cmac", [14] = "rsaES-OAEP-ENV-OID", [15] = "des-ede3-cbc-Env-OID", [16] = "des3-cbc-sha1-kd", [24] = "rc4-hmac-exp", [23] = "rc4-hmac", [9] = "dsaWithSHA1-CmsOID", [1] = "des-cbc-crc", [11] = "sha1WithRSAEncryption-CmsOID", [7] = "des3-cbc-sha1", [5] = "des3-cbc-md5", [10] = "md5WithRSAEncryption-CmsOID", [13] = "rsaEncryption-EnvOID", [12] = "rc2CBC-EnvOID", [26] = "camellia256-cts-cmac", [65] = "subkey-keymaterial", [18] = "aes256-cts-hmac-sha1-96", [3] = "des-cbc-md5", [17] = "aes128-cts-hmac-sha1-96" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;
const KRB::error_msg: table [count] of string = { [19] = "KDC_ERR_SERVICE_REVOKED", [20] = "KDC_ERR_TGT_REVOKED", [33] = "KRB_AP_ERR_TKT_NYV", [39] = "KRB_AP_ERR_BADVERSION", [67] = "KRB_AP_ERR_NO_TGT", [73] = "KDC_ERR_REVOCATION_STATUS_UNKNOWN", [75] = "KDC_ERR_CLIENT_NAME_MISMATCH", [46] = "KRB_AP_ERR_MUT_FAIL", [15] = "KDC_ERR_SUMTYPE_NOSUPP", [64] = "KDC_ERROR_INVALID_SIG", [28] = "KDC_ERR_PATH_NOT_ACCEPTED", [9] = "KDC_ERR_NULL_KEY", [68] = "KDC_ERR_WRONG_REALM", [71] = "KDC_ERR_INVALID_CERTIFICATE", [52] = "KRB_ERR_RESPONSE_TOO_BIG", [21] = "KDC_ERR_CLIENT_NOTYET", [4] = "KDC_ERR_C_OLD_MAST_KVNO", [12] = "KDC_ERR_POLICY", [41] = "KRB_AP_ERR_MODIFIED", [17] = "KDC_ERR_TRTYPE_NOSUPP", [25] = "KDC_ERR_PREAUTH_REQUIRED", [76] = "KDC_ERR_KDC_NAME_MISMATCH", [29] = "KDC_ERR_SVC_UNAVAILABLE", [16] = "KDC_ERR_PADATA_TYPE_NOSUPP", [38] = "KRB_AP_ERR_BADADDR", [63] = "KDC_ERROR_KDC_NOT_TRUSTED", [42] = "KRB_AP_ERR_BADORDER", [1] = "KDC_ERR_NAME_EXP", [11] = "KDC_ERR_NEVER_VALID", [35] = "KRB_AP_ERR_NOT_US", [22] = "KDC_ERR_SERVICE_NOTYET", [3] = "KDC_ERR_BAD_PVNO", [44] = "KRB_AP_ERR_BADKEYVER", [34] = "KRB_AP_ERR_REPEAT", [45] = "KRB_AP_ERR_NOKEY", [40] = "KRB_AP_ERR_MSG_TYPE", [36] = "KRB_AP_ERR_BADMATCH", [14] = "KDC_ERR_ETYPE_NOSUPP", [6] = "KDC_ERR_C_PRINCIPAL_UNKNOWN", [31] = "KRB_AP_ERR_BAD_INTEGRITY", [8] = "KDC_ERR_PRINCIPAL_NOT_UNIQUE", [23] = "KDC_ERR_KEY_EXPIRED", [27] = "KDC_ERR_MUST_USE_USER2USER", [7] = "KDC_ERR_S_PRINCIPAL_UNKNOWN", [66] = "KDC_ERR_CERTIFICATE_MISMATCH", [10] = "KDC_ERR_CANNOT_POSTDATE", [32] = "KRB_AP_ERR_TKT_EXPIRED", [13] = "KDC_ERR_BADOPTION", [26] = "KDC_ERR_SERVER_NOMATCH", [65] = "KDC_ERR_KEY_TOO_WEAK", [62] = "KDC_ERROR_CLIENT_NOT_TRUSTED", [74] = "KDC_ERR_REVOCATION_STATUS_UNAVAILABLE", [47] = "KRB_AP_ERR_BADDIRECTION", [70] = "KDC_ERR_CANT_VERIFY_CERTIFICATE", [50] = "KRB_AP_ERR_INAPP_CKSUM", [2] = "KDC_ERR_SERVICE_EXP", [72] = "KDC_ERR_REVOKED_CERTIFICATE", [48] = "KRB_AP_ERR_METHOD", [24] = "KDC_ERR_PREAUTH_FAILED", [69] = "KRB_AP_ERR_USER_TO_USER_REQUIRED", [49] = "KRB_AP_ERR_BADSEQ", [5] = "KDC_ERR_S_OLD_MAST_KVNO", [61] = "KRB_ERR_FIELD_TOOLONG", [60] = "KRB_ERR_GENERIC", [51] = "KRB_AP_PATH_NOT_ACCEPTED", [37] = "KRB_AP_ERR_SKEW", [18] = "KDC_ERR_CLIENT_REVOKED", [0] = "KDC_ERR_NONE" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;

#@ base/protocols/krb/files
@load base/files/x509
@load base/frameworks/files
@load base/protocols/krb/main
@load base/utils/conn-ids
global KRB::describe_file: function (f: fa_file) : string;
global KRB::get_file_handle: function (c: connection, is_orig: bool) : string;
redef record KRB::Info += { client_cert: Files::Info &optional; };
redef record KRB::Info += { client_cert_subject: string &log &optional; };
redef record KRB::Info += { client_cert_fuid: string &log &optional; };
redef record KRB::Info += { server_cert: Files::Info &optional; };
redef record KRB::Info += { server_cert_subject: string &log &optional; };
redef record KRB::Info += { server_cert_fuid: string &log &optional; };

#@ base/protocols/krb/main
@load base/protocols/conn/removal-hooks
@load base/protocols/krb/consts
redef enum Log::ID += { KRB::LOG };
type KRB::Info: record { ts: time &log; uid: string &log; id: conn_id &log; request_type: string &log &optional; client: string &log &optional; service: string &log &optional; success: bool &log &optional; error_code: count &optional; error_msg: string &log &optional; from: time &log &optional; till: time &log &optional; cipher: string &log &optional; forwardable: bool &log &optional; renewable: bool &log &optional; logged: bool &default=F; };
option KRB::ignored_errors: set [string] = { "NEEDED_PREAUTH", "Need to use PA-ENC-TIMESTAMP/PA-PK-AS-REQ" } &redef;
const KRB::tcp_ports: set [port] = { 88/tcp } &redef;
const KRB::udp_ports: set [port] = { 88/udp } &redef;
global KRB::log_krb: event (rec: KRB::Info);
global KRB::finalize_krb: Conn::RemovalHook ;
global KRB::log_policy: Log::PolicyHook ;
redef record connection += { krb: KRB::Info &optional; };

#@ base/protocols/ldap/__load__
@load base/protocols/ldap/consts
@load base/protocols/ldap/main
@load base/protocols/ldap/spicy-events

#@ base/protocols/ldap/consts
const LDAP::EXTENDED_REQUESTS: table [string] of string = { ["1.3.6.1.4.1.1466.20037"] = "StartTLS", ["1.3.6.1.4.1.4203.1.11.3"] = "whoami" } &redef &default="unknown";
const LDAP::BIND_SASL: string = "bind SASL" ;
const LDAP::BIND_SICILY_NEGOTIATE: string = "sicily_negotiate" ;
const LDAP::BIND_SICILY_RESPONSE: string = "sicily_response" ;
const LDAP::BIND_SIMPLE: string = "bind simple" ;
const LDAP::PROTOCOL_OPCODES: table [LDAP::ProtocolOpcode] of string = { [LDAP::ProtocolOpcode_SEARCH_RESULT_REFERENCE] = "search", [LDAP::ProtocolOpcode_UNBIND_REQUEST] = "unbind", [LDAP::ProtocolOpcode_INTERMEDIATE_RESPONSE] = "intermediate", [LDAP::ProtocolOpcode_COMPARE_REQUEST] = "compare", [LDAP::ProtocolOpcode_COMPARE_RESPONSE] = "compare", [LDAP::ProtocolOpcode_MODIFY_REQUEST] = "modify", [LDAP::ProtocolOpcode_ABANDON_REQUEST] = "abandon", [LDAP::ProtocolOpcode_EXTENDED_RESPONSE] = "extended", [LDAP::ProtocolOpcode_ADD_REQUEST] = "add", [LDAP::ProtocolOpcode_EXTENDED_REQUEST] = "extended", [LDAP::ProtocolOpcode_ADD_RESPONSE] = "add", [LDAP::ProtocolOpcode_BIND_RESPONSE] = "bind", [LDAP::ProtocolOpcode_DEL_RESPONSE] = "delete", [LDAP::ProtocolOpcode_MODIFY_RESPONSE] = "modify", [LDAP::ProtocolOpcode_SEARCH_RESULT_DONE] = "search", [LDAP::ProtocolOpcode_DEL_REQUEST] = "delete", [LDAP::ProtocolOpcode_SEARCH_RESULT_ENTRY] = "search", [LDAP::ProtocolOpcode_MOD_DN_RESPONSE] = "modify", [LDAP::ProtocolOpcode_MOD_DN_REQUEST] = "modify", [LDAP::ProtocolOpcode_SEARCH_REQUEST] = "search", [LDAP::ProtocolOpcode_BIND_REQUEST] = "bind" } &default="unknown";
const LDAP::RESULT_CODES: table [LDAP::ResultCode] of string = { [LDAP::ResultCode_NO_RESULTS_RETURNED] = "no results returned", [LDAP::ResultCode_CONSTRAINT_VIOLATION] = "constraint violation", [LDAP::ResultCode_ATTRIBUTE_OR_VALUE_EXISTS] = "attribute or value exists", [LDAP::ResultCode_ALIAS_PROBLEM] = "alias problem", [LDAP::ResultCode_CLIENT_LOOP] = "client loop", [LDAP::ResultCode_NOT_ALLOWED_ON_RDN] = "not allowed on RDN", [LDAP::ResultCode_NAMING_VIOLATION] = "naming violation", [LDAP::ResultCode_CONNECT_ERROR] = "connect error", [LDAP::ResultCode_PARTIAL_RESULTS] = "partial results", [LDAP::ResultCode_ENTRY_ALREADY_EXISTS] = "entry already exists", [LDAP::ResultCode_REFERRAL_LIMIT_EXCEEDED] = "referral limit exceeded", [LDAP::ResultCode_UNWILLING_TO_PERFORM] = "unwilling to perform", [LDAP::ResultCode_AFFECTS_MULTIPLE_DSAS] = "affects multiple DSAs", [LDAP::ResultCode_UNAVAILABLE] = "unavailable", [LDAP::ResultCode_INVALID_ATTRIBUTE_SYNTAX] = "invalid attribute syntax", [LDAP::ResultCode_SIZE_LIMIT_EXCEEDED] = "size limit exceeded", [LDAP::ResultCode_UNAVAILABLE_CRITICAL_EXTENSION] = "unavailable critical extension", [LDAP::ResultCode_UNDEFINED_ATTRIBUTE_TYPE] = "undefined attribute type", [LDAP::ResultCode_NO_SUCH_OPERATION] = "no such operation", [LDAP::ResultCode_OTHER] = "other", [LDAP::ResultCode_SERVER_DOWN] = "server down", [LDAP::ResultCode_USER_CANCELED] = "user canceled", [LDAP::ResultCode_CONTROL_ERROR] = "control error", [LDAP::ResultCode_NO_SUCH_ATTRIBUTE] = "no such attribute", [LDAP::ResultCode_LCUP_INVALID_DATA] = "LCUP invalid data", [LDAP::ResultCode_LOOP_DETECT] = "loop detect", [LDAP::ResultCode_MORE_RESULTS_TO_RETURN] = "more results to return", [LDAP::ResultCode_NO_MEMORY] = "no memory", [LDAP::ResultCode_OPERATIONS_ERROR] = "operations error", [LDAP::ResultCode_AUTH_UNKNOWN] = "auth unknown", [LDAP::ResultCode_LCUP_UNSUPPORTED_SCHEME] = "LCUP unsupported scheme", [LDAP::ResultCode_ADMIN_LIMIT_EXCEEDED] = "admin limit exceeded", [LDAP::ResultCode_INTERMEDIATE_RESPONSE] = "intermediate response", [LDAP::ResultCode_TIME_LIMIT_EXCEEDED] = "time limit exceeded", [LDAP::ResultCode_UNKNOWN_TYPE] = "unknown type", [LDAP::ResultCode_INVALID_DNSYNTAX] = "invalid DN syntax", [LDAP::ResultCode_ALIAS_DEREFERENCING_PROBLEM] = "alias dereferencing problem", [LDAP::ResultCode_COMPARE_TRUE] = "compare true", [LDAP::ResultCode_SASL_BIND_IN_PROGRESS] = "SASL bind in progress", [LDAP::ResultCode_STRONGER_AUTH_REQUIRED] = "stronger auth required", [LDAP::ResultCode_ENCODING_ERROR] = "encoding error", [LDAP::ResultCode_LOCAL_ERROR] = "local error", [LDAP::ResultCode_ASSERTION_FAILED] = "assertion failed", [LDAP::ResultCode_AUTH_METHOD_NOT_SUPPORTED] = "auth method not supported", [LDAP::ResultCode_NOT_ALLOWED_ON_NON_LEAF] = "not allowed on non-leaf", [LDAP::ResultCode_NOT_SUPPORTED] = "not supported", [LDAP::ResultCode_REFERRAL] = "referral", [LDAP::ResultCode_OBJECT_CLASS_VIOLATION] = "object class violation", [LDAP::ResultCode_NO_SUCH_OBJECT] = "no such object", [LDAP::ResultCode_CONFIDENTIALITY_REQUIRED] = "confidentiality required", [LDAP::ResultCode_AMBIGUOUS_RESPONSE] = "ambiguous response", [LDAP::ResultCode_PARAM_ERROR] = "param error", [LDAP::ResultCode_CANCELED] = "canceled", [LDAP::ResultCode_RESULTS_TOO_LARGE] = "results too large", [LDAP::ResultCode_CONTROL_NOT_FOUND] = "control not found", [LDAP::ResultCode_INSUFFICIENT_ACCESS_RIGHTS] = "insufficient access rights", [LDAP::ResultCode_TOO_LATE] = "too late", [LDAP::ResultCode_PROTOCOL_ERROR] = "protocol error", [LDAP::ResultCode_CANNOT_CANCEL] = "cannot cancel", [LDAP::ResultCode_INAPPROPRIATE_AUTHENTICATION] = "inappropriate authentication", [LDAP::ResultCode_OBJECT_CLASS_MODS_PROHIBITED] = "object class mods prohibited", [LDAP::ResultCode_TIMEOUT] = "timeout", [LDAP::ResultCode_INVALID_CREDENTIALS] = "invalid credentials", [LDAP::ResultCode_COMPARE_FALSE] = "compare false", [LDAP::ResultCode_TLS_NOT_SUPPORTED] = "TLS not supported", [LDAP::ResultCode_OFFSET_RANGE_ERROR] = "offset range error", [LDAP::ResultCode_SORT_CONTROL_MISSING] = "sort control missing", [LDAP::ResultCode_INVALID_RESPONSE] = "invalid response", [LDAP::ResultCode_BUSY] = "busy", [LDAP::ResultCode_INAPPROPRIATE_MATCHING] = "inappropriate matching", [LDAP::ResultCode_LCUP_RELOAD_REQUIRED] = "LCUP reload required", [LDAP::ResultCode_SUCCESS] = "success", [LDAP::ResultCode_AUTHORIZATION_DENIED] = "authorization denied", [LDAP::ResultCode_FILTER_ERROR] = "filter error", [LDAP::ResultCode_DECODING_ERROR] = "decoding error" } &default="unknown";
const LDAP::SEARCH_DEREF_ALIASES: table [LDAP::SearchDerefAlias] of string = { [LDAP::SearchDerefAlias_DEREF_NEVER] = "never", [LDAP::SearchDerefAlias_DEREF_FINDING_BASE] = "finding", [LDAP::SearchDerefAlias_DEREF_ALWAYS] = "always", [LDAP::SearchDerefAlias_DEREF_IN_SEARCHING] = "searching" } &default="unknown";
const LDAP::SEARCH_SCOPES: table [LDAP::SearchScope] of string = { [LDAP::SearchScope_SEARCH_BASE] = "base", [LDAP::SearchScope_SEARCH_TREE] = "tree", [LDAP::SearchScope_SEARCH_SINGLE] = "single" } &default="unknown";

#@ base/protocols/ldap/main
@load base/frameworks/reporter
@load base/protocols/conn/removal-hooks
@load base/protocols/ldap/consts
redef enum Log::ID += { LDAP::LDAP_LOG };
redef enum Log::ID += { LDAP::LDAP_SEARCH_LOG };
type LDAP::MessageInfo: record { ts: time &log; uid: string &log; id: conn_id &log; message_id: int &log &optional; version: int &log &optional; opcode: string &log &optional; result: string &log &optional; diagnostic_message: string &log &optional; object: string &log &optional; argument: string &log &optional; };
type LDAP::SearchInfo: record { ts: time &log; uid: string &log; id: conn_id &log; message_id: int &log &optional; scope: string &log &optional; deref_aliases: string &log &optional; base_object: string &log &optional; result_count: count &log &optional; result: string &log &optional; diagnostic_message: string &log &optional; filter: string &log &optional; attributes: vector of string &log &optional; };
type LDAP::State: record { messages: table [int] of LDAP::MessageInfo &optional; searches: table [int] of LDAP::SearchInfo &optional; };
option LDAP::default_capture_password: bool = F &redef;
option LDAP::default_log_search_attributes: bool = F &redef;
const LDAP::max_pending_messages: count = 10 &redef;
const LDAP::max_pending_searches: count = 10 &redef;
const LDAP::ports_tcp: set [port] = { 3268/tcp, 389/tcp } &redef;
const LDAP::ports_udp: set [port] = { 389/udp } &redef;
global LDAP::log_ldap: event (rec: LDAP::MessageInfo);
global LDAP::log_ldap_search: event (rec: LDAP::SearchInfo);
global LDAP::finalize_ldap: Conn::RemovalHook ;
global LDAP::log_policy: Log::PolicyHook ;
global LDAP::log_policy_search: Log::PolicyHook ;
redef record connection += { ldap: LDAP::State &optional; };

#@ base/protocols/ldap/spicy-events
global LDAP::bind_request: event (c: connection, message_id: int, version: int, name: string, auth_type: LDAP::BindAuthType, auth_info: string);
global LDAP::extended_request: event (c: connection, message_id: int, request_name: string, request_value: string);
global LDAP::extended_response: event (c: connection, message_id: int, result: LDAP::ResultCode, response_name: string, response_value: string);
global LDAP::message: event (c: connection, message_id: int, opcode: LDAP::ProtocolOpcode, result: LDAP::ResultCode, matched_dn: string, diagnostic_message: string, object: string, argument: string);
global LDAP::search_request: event (c: connection, message_id: int, base_object: string, scope: LDAP::SearchScope, deref: LDAP::SearchDerefAlias, size_limit: int, time_limit: int, types_only: bool, filter: string, attributes: vector of string);
global LDAP::search_result_entry: event (c: connection, message_id: int, object_name: string);
global LDAP::starttls: event (c: connection);

#@ base/protocols/modbus/__load__
@load base/protocols/modbus/consts
@load base/protocols/modbus/main

#@ base/protocols/modbus/consts
const Modbus::exception_codes: table [count] of string = { [2] = "ILLEGAL_DATA_ADDRESS", [8] = "MEMORY_PARITY_ERROR", [11] = "GATEWAY_TARGET_DEVICE_FAILED_TO_RESPOND", [5] = "ACKNOWLEDGE", [3] = "ILLEGAL_DATA_VALUE", [10] = "GATEWAY_PATH_UNAVAILABLE", [6] = "SLAVE_DEVICE_BUSY", [4] = "SLAVE_DEVICE_FAILURE", [1] = "ILLEGAL_FUNCTION" } &default=function(i: count): string { return fmt("unknown-%d", i); } &redef;
const Modbus::function_codes: table [count] of string = { [40] = "PROGRAM_CONCEPT", [19] = "RESET_COMM_LINK_884_U84", [20] = "READ_FILE_RECORD", [15] = "WRITE_MULTIPLE_COILS", [6] = "WRITE_SINGLE_REGISTER", [14] = "POLL_584_984", [125] = "FIRMWARE_REPLACEMENT", [8] = "DIAGNOSTICS", [23] = "READ_WRITE_MULTIPLE_REGISTERS", [91] = "OBJECT_MESSAGING", [9] = "PROGRAM_484", [7] = "READ_EXCEPTION_STATUS", [127] = "REPORT_LOCAL_ADDRESS", [21] = "WRITE_FILE_RECORD", [10] = "POLL_484", [4] = "READ_INPUT_REGISTERS", [13] = "PROGRAM_584_984", [12] = "GET_COMM_EVENT_LOG", [41] = "MULTIPLE_FUNCTION_CODES", [17] = "REPORT_SLAVE_ID", [2] = "READ_DISCRETE_INPUTS", [16] = "WRITE_MULTIPLE_REGISTERS", [24] = "READ_FIFO_QUEUE", [90] = "PROGRAM_UNITY", [1] = "READ_COILS", [11] = "GET_COMM_EVENT_COUNTER", [5] = "WRITE_SINGLE_COIL", [126] = "PROGRAM_584_984_2", [22] = "MASK_WRITE_REGISTER", [43] = "ENCAP_INTERFACE_TRANSPORT", [18] = "PROGRAM_884_U84", [3] = "READ_HOLDING_REGISTERS" } &default=function(i: count): string { return fmt("unknown-%d", i); } &redef;

#@ base/protocols/modbus/main
@load base/protocols/modbus/consts
redef enum Log::ID += { Modbus::LOG };
type Modbus::Info: record { ts: time &log; uid: string &log; id: conn_id &log; tid: count &log &optional; unit: count &log &optional; func: string &log &optional; pdu_type: string &log &optional; exception: string &log &optional; };
const Modbus::ports: set [port] = { 502/tcp } &redef;
global Modbus::log_modbus: event (rec: Modbus::Info);
global Modbus::log_policy: Log::PolicyHook ;
redef record connection += { modbus: Modbus::Info &optional; };

#@ base/protocols/mqtt/__load__
@load base/protocols/mqtt/consts
@load base/protocols/mqtt/main

#@ base/protocols/mqtt/consts
const MQTT::msg_types: table [count] of string = { [2] = "connack", [11] = "unsuback", [5] = "pubrec", [7] = "pubcomp", [6] = "pubrel", [10] = "unsubscribe", [14] = "disconnect", [4] = "puback", [13] = "pingresp", [12] = "pingreq", [8] = "subscribe", [3] = "publish", [9] = "suback", [1] = "connect" } &default=function(i: count): string { return fmt("unknown-msg-type-%d", i); } ;
const MQTT::qos_levels: table [count] of string = { [0] = "at most once", [2] = "exactly once", [1] = "at least once" } &default=function(i: count): string { return fmt("unknown-qos-level-%d", i); } ;
const MQTT::return_codes: table [count] of string = { [2] = "Refused: identifier rejected", [3] = "Refused: server unavailable", [5] = "Refused: not authorized", [0] = "Connection Accepted", [4] = "Refused: bad user name or password", [1] = "Refused: unacceptable protocol version" } &default=function(i: count): string { return fmt("unknown-return-code-%d", i); } ;
const MQTT::versions: table [count] of string = { [4] = "3.1.1", [3] = "3.1", [5] = "5.0" } &default=function(i: count): string { return fmt("unknown-version-%d", i); } ;

#@ base/protocols/mqtt/main
@load base/protocols/mqtt/consts
redef enum Log::ID += { MQTT::CONNECT_LOG };
redef enum Log::ID += { MQTT::PUBLISH_LOG };
redef enum Log::ID += { MQTT::SUBSCRIBE_LOG };
type MQTT::ConnectInfo: record { ts: time &log; uid: string &log; id: conn_id &log; proto_name: string &log &optional; proto_version: string &log &optional; client_id: string &log &optional; connect_status: string &log &optional; will_topic: string &log &optional; will_payload: string &log &optional; };
type MQTT::PublishInfo: record { ts: time &log; uid: string &log; id: conn_id &log; from_client: bool &log; retain: bool &log; qos: string &log; status: string &log &default="incomplete_qos"; topic: string &log; payload: string &log; payload_len: count &log; ack: bool &default=F; rec: bool &default=F; rel: bool &default=F; comp: bool &default=F; qos_level: count &default=0; };
type MQTT::SubUnsub: enum { MQTT::SUBSCRIBE, MQTT::UNSUBSCRIBE };
type MQTT::SubscribeInfo: record { ts: time &log; uid: string &log; id: conn_id &log; action: MQTT::SubUnsub &log; topics: string_vec &log; qos_levels: index_vec &log &optional; granted_qos_level: count &log &optional; ack: bool &log &default=F; };
type MQTT::State: record { publish: table [count] of MQTT::PublishInfo &optional; subscribe: table [count] of MQTT::SubscribeInfo &optional; };
const MQTT::ports: set [port] = { 1883/tcp } &redef;
global MQTT::log_mqtt: event (rec: MQTT::ConnectInfo);
global MQTT::log_policy_connect: Log::PolicyHook ;
global MQTT::log_policy_publish: Log::PolicyHook ;
global MQTT::log_policy_subscribe: Log::PolicyHook ;
global MQTT::publish_expire: function (tbl: table [count] of MQTT::PublishInfo, idx: count) : interval;
global MQTT::subscribe_expire: function (tbl: table [count] of MQTT::SubscribeInfo, idx: count) : interval;
redef record connection += { mqtt: MQTT::ConnectInfo &optional; };
redef record connection += { mqtt_state: MQTT::State &optional; };

#@ base/protocols/mysql/__load__
@load base/protocols/mysql/main

#@ base/protocols/mysql/consts
const MySQL::commands: table [count] of string = { [19] = "table_dump", [20] = "connect_out", [14] = "ping", [15] = "time", [6] = "drop_db", [30] = "binlog_dump_gtid", [31] = "reset_connection", [28] = "stmt_fetch", [23] = "stmt_execute", [8] = "shutdown", [27] = "set_option", [9] = "statistics", [7] = "refresh", [10] = "process_info", [21] = "register_slave", [4] = "field_list", [26] = "stmt_reset", [13] = "debug", [12] = "process_kill", [17] = "change_user", [25] = "stmt_close", [2] = "init_db", [29] = "daemon", [16] = "delayed_insert", [24] = "stmt_send_long_data", [1] = "quit", [11] = "connect", [5] = "create_db", [22] = "stmt_prepare", [18] = "binlog_dump", [3] = "query", [0] = "sleep" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;

#@ base/protocols/mysql/main
@load base/protocols/conn/removal-hooks
@load base/protocols/mysql/consts
redef enum Log::ID += { mysql::LOG };
type MySQL::Info: record { ts: time &log; uid: string &log; id: conn_id &log; cmd: string &log; arg: string &log; success: bool &log &optional; rows: count &log &optional; response: string &log &optional; };
const MySQL::ports: set [port] = { 1434/tcp, 3306/tcp } &redef;
global MySQL::log_mysql: event (rec: MySQL::Info);
global MySQL::finalize_mysql: Conn::RemovalHook ;
global MySQL::log_policy: Log::PolicyHook ;
redef record connection += { mysql: MySQL::Info &optional; };

#@ base/protocols/ntlm/__load__
@load base/protocols/ntlm/main

#@ base/protocols/ntlm/main
@load base/protocols/conn/removal-hooks
redef enum Log::ID += { NTLM::LOG };
type NTLM::Info: record { ts: time &log; uid: string &log; id: conn_id &log; username: string &log &optional; hostname: string &log &optional; domainname: string &log &optional; server_nb_computer_name: string &log &optional; server_dns_computer_name: string &log &optional; server_tree_name: string &log &optional; success: bool &log &optional; done: bool &default=F; };
global NTLM::finalize_ntlm: Conn::RemovalHook ;
global NTLM::log_policy: Log::PolicyHook ;
redef record connection += { ntlm: NTLM::Info &optional; };

#@ base/protocols/ntp/__load__
@load base/protocols/ntp/consts
@load base/protocols/ntp/main

#@ base/protocols/ntp/consts
const NTP::modes: table [count] of string = { [2] = "symmetric passive", [5] = "broadcast server", [3] = "client", [7] = "reserved", [6] = "broadcast client", [4] = "server", [1] = "symmetric active" } &default=function(i: count): string { return fmt("unknown-%d", i); } &redef;

#@ base/protocols/ntp/main
redef enum Log::ID += { NTP::CONTROL_LOG };
redef enum Log::ID += { NTP::LOG };
redef enum Log::ID += { NTP::PRIVATE_LOG };
type NTP::ControlInfo: record { ts: time &log; uid: string &log; id: conn_id &log; version: count &log; mode: count &log; op_code: count &log; sequence: count &log; status: count &log; association_id: count &log; resp_bit: bool &log; err_bit: bool &log; more_bit: bool &log; data: string &log &optional; key_id: count &log &optional; crypto_checksum: string &log &optional; };
type NTP::Info: record { ts: time &log; uid: string &log; id: conn_id &log; version: count &log; mode: count &log; stratum: count &log; poll: interval &log; precision: interval &log; root_delay: interval &log; root_disp: interval &log; ref_id: string &log; ref_time: time &log; org_time: time &log; rec_time: time &log; xmt_time: time &log; num_exts: count &default=0 &log; };
type NTP::PrivateInfo: record { ts: time &log; uid: string &log; id: conn_id &log; version: count &log; mode: count &log; req_code: count &log; sequence: count &log; implementation: count &log; auth_bit: bool &log; err: count &log; data: string &log &optional; };
const NTP::ports: set [port] = { 123/udp } &redef;
global NTP::log_ntp: event (rec: NTP::Info);
global NTP::log_ntp_control: event (rec: NTP::ControlInfo);
global NTP::log_ntp_private: event (rec: NTP::PrivateInfo);
global NTP::log_policy: Log::PolicyHook ;
global NTP::log_policy_control: Log::PolicyHook ;
global NTP::log_policy_private: Log::PolicyHook ;
redef record connection += { ntp: NTP::Info &optional; };
redef record connection += { ntp_control: NTP::ControlInfo &optional; };
redef record connection += { ntp_private: NTP::PrivateInfo &optional; };

#@ base/protocols/pop3/__load__

#@ base/protocols/postgresql/__load__
@load base/protocols/postgresql/consts
@load base/protocols/postgresql/main
@load base/protocols/postgresql/spicy-events

#@ base/protocols/postgresql/consts
const PostgreSQL::auth_ids: table [count] of string = { [2] = "KerberosV5", [8] = "GSSAPIContinue", [11] = "SASLContinue", [3] = "CleartextPassword", [7] = "GSSAPI", [5] = "MD5Password", [9] = "SSPI", [10] = "SASL", [12] = "SASLFinal" } &default=function(i: count): string { return fmt("unknown-%d", i); } &redef;
const PostgreSQL::error_ids: table [string] of string = { ["R"] = "Routine", ["H"] = "Hint", ["D"] = "Detail", ["S"] = "SeverityLocalized", ["d"] = "Data", ["p"] = "InternalPosition", ["W"] = "Where", ["M"] = "Message", ["n"] = "Constraint", ["c"] = "Column", ["V"] = "Severity", ["t"] = "Table", ["C"] = "Code", ["F"] = "File", ["P"] = "Position", ["s"] = "Schema", ["q"] = "InternalQuery", ["L"] = "Line" } &default=function(i: string): string { return fmt("unknown-%s", i); } &redef;

#@ base/protocols/postgresql/main
@load base/protocols/conn/removal-hooks
@load base/protocols/postgresql/consts
@load base/protocols/postgresql/spicy-events
redef enum Log::ID += { PostgreSQL::LOG };
type PostgreSQL::Info: record { ts: time &log; uid: string &log; id: conn_id &log; user: string &optional &log; database: string &optional &log; application_name: string &optional &log; frontend: string &optional &log; frontend_arg: string &optional &log; backend: string &optional &log; backend_arg: string &optional &log; success: bool &optional &log; rows: count &optional &log; };
type PostgreSQL::Version: record { major: count ; minor: count ; };
type PostgreSQL::State: record { version: PostgreSQL::Version &optional; user: string &optional; database: string &optional; application_name: string &optional; rows: count &optional; errors: vector of string ; };
const PostgreSQL::ports: set [port] = { 5432/tcp } &redef;
global PostgreSQL::log_postgresql: event (rec: PostgreSQL::Info);
global PostgreSQL::finalize_postgresql: Conn::RemovalHook ;
redef record connection += { postgresql: PostgreSQL::Info &optional; };
redef record connection += { postgresql_state: PostgreSQL::State &optional; };

#@ base/protocols/postgresql/spicy-events
global PostgreSQL::authentication_ok: event (c: connection);
global PostgreSQL::authentication_request: event (c: connection, identifier: count, data: string);
global PostgreSQL::authentication_response: event (c: connection, data: string);
global PostgreSQL::backend_key_data: event (c: connection, process_id: count, secret_key: count);
global PostgreSQL::data_row: event (c: connection, column_values: count);
global PostgreSQL::error_response: event (c: connection);
global PostgreSQL::error_response_identified_field: event (c: connection, code: string, value: string);
global PostgreSQL::not_implemented: event (c: connection, is_orig: bool, typ: string, chunk: string);
global PostgreSQL::notice_response: event (c: connection);
global PostgreSQL::notice_response_identified_field: event (c: connection, code: string, value: string);
global PostgreSQL::parameter_status: event (c: connection, name: string, value: string);
global PostgreSQL::ready_for_query: event (c: connection, transaction_status: string);
global PostgreSQL::simple_query: event (c: connection, query: string);
global PostgreSQL::ssl_reply: event (c: connection, data: string);
global PostgreSQL::ssl_request: event (c: connection);
global PostgreSQL::startup_message: event (c: connection, major: count, minor: count);
global PostgreSQL::startup_parameter: event (c: connection, name: string, value: string);
global PostgreSQL::terminate: event (c: connection);

#@ base/protocols/quic/__load__
@load base/protocols/quic/consts
@load base/protocols/quic/main
@load base/protocols/quic/spicy-events

#@ base/protocols/quic/consts
const QUIC::version_strings: table [count] of string = { [4207849486] = "mvfst (faceb00e)", [4278190112] = "draft-32", [4278190110] = "draft-30", [4278190111] = "draft-30", [4278190114] = "draft-34", [4207849474] = "mvfst (faceb002)", [4278190108] = "draft-28", [4278190113] = "draft-33", [4278190104] = "draft-24", [4278190105] = "draft-25", [1] = "1", [1798521807] = "quicv2", [4207849491] = "mvfst (faceb013)", [4207849489] = "mvfst (faceb011)", [4278190106] = "draft-26", [4207849490] = "mvfst (faceb012)", [4278190107] = "draft-27", [4278190103] = "draft-23", [4278190102] = "draft-22", [4278190109] = "draft-29", [4207849473] = "mvfst (faceb001)" } &default=function(i: count): string { return fmt("unknown-%x", i); } ;

#@ base/protocols/quic/main
@load base/frameworks/notice/weird
@load base/protocols/conn/removal-hooks
@load base/protocols/quic/consts
redef enum Log::ID += { QUIC::LOG };
type QUIC::Info: record { ts: time &log; uid: string &log; id: conn_id &log; version: string &log; client_initial_dcid: string &log &optional; client_scid: string &log &optional; server_scid: string &log &optional; server_name: string &log &optional; client_protocol: string &log &optional; history: string &log &default=""; history_state: vector of string ; logged: bool &default=F; };
option QUIC::max_history_length: count = 100 &redef;
const QUIC::doq_ports: set [port] = { 784/udp, 853/udp } &redef;
const QUIC::max_discarded_packet_events: int = 100 &redef;
const QUIC::quic_ports: set [port] = { 443/udp } &redef;
global QUIC::log_quic: event (rec: QUIC::Info);
global QUIC::finalize_quic: Conn::RemovalHook ;
global QUIC::log_policy: Log::PolicyHook ;
redef record connection += { quic: QUIC::Info &optional; };

#@ base/protocols/quic/spicy-events
global QUIC::connection_close_frame: event (c: connection, is_orig: bool, version: count, dcid: string, scid: string, error_code: count, reason_phrase: string);
global QUIC::discarded_packet: event (c: connection, is_orig: bool, total_decrypted: count);
global QUIC::handshake_packet: event (c: connection, is_orig: bool, version: count, dcid: string, scid: string);
global QUIC::initial_packet: event (c: connection, is_orig: bool, version: count, dcid: string, scid: string);
global QUIC::retry_packet: event (c: connection, is_orig: bool, version: count, dcid: string, scid: string, retry_token: string, retry_integrity_tag: string);
global QUIC::short_header_packet_threshold_crossed: event (c: connection, is_orig: bool, threshold: count);
global QUIC::unhandled_version: event (c: connection, is_orig: bool, version: count, dcid: string, scid: string);
global QUIC::zero_rtt_packet: event (c: connection, is_orig: bool, version: count, dcid: string, scid: string);

#@ base/protocols/radius/__load__
@load base/protocols/radius/main

#@ base/protocols/radius/consts

#@ base/protocols/radius/main
@load base/protocols/conn/removal-hooks
@load base/protocols/radius/consts
@load base/utils/addrs
redef enum Log::ID += { RADIUS::LOG };
type RADIUS::Info: record { ts: time &log; uid: string &log; id: conn_id &log; username: string &log &optional; mac: string &log &optional; framed_addr: addr &log &optional; tunnel_client: string &log &optional; connect_info: string &log &optional; reply_msg: string &log &optional; result: string &log &optional; ttl: interval &log &optional; logged: bool &default=F; };
const RADIUS::ports: set [port] = { 1812/udp } &redef;
global RADIUS::log_radius: event (rec: RADIUS::Info);
global RADIUS::finalize_radius: Conn::RemovalHook ;
global RADIUS::log_policy: Log::PolicyHook ;
redef record connection += { radius: RADIUS::Info &optional; };

#@ base/protocols/rdp/__load__
@load base/protocols/rdp/consts
@load base/protocols/rdp/main

#@ base/protocols/rdp/consts
const RDP::builds: table [count] of string = { [2195] = "RDP 5.0", [7601] = "RDP 7.1", [6001] = "RDP 6.1", [6000] = "RDP 6.0", [419] = "RDP 4.0", [25282] = "RDP 8.0 (Mac)", [3790] = "RDP 5.2", [2600] = "RDP 5.1", [6002] = "RDP 6.2", [2221] = "RDP 5.0", [7600] = "RDP 7.0", [9600] = "RDP 8.1", [25189] = "RDP 8.0 (Mac)", [9200] = "RDP 8.0" } &default=function(i: count): string { return fmt("client_build-%d", i); } ;
const RDP::cert_types: table [count] of string = { [2] = "X.509", [1] = "RSA" } &default=function(i: count): string { return fmt("cert_type-%d", i); } ;
const RDP::color_depths: table [count] of string = { [8] = "32bit", [4] = "15bit", [2] = "16bit", [1] = "24bit" } &default=function(i: count): string { return fmt("color_depth-%d", i); } ;
const RDP::encryption_levels: table [count] of string = { [0] = "None", [2] = "Client compatible", [4] = "FIPS", [1] = "Low", [3] = "High" } &default=function(i: count): string { return fmt("encryption_level-%d", i); } ;
const RDP::encryption_methods: table [count] of string = { [0] = "None", [10] = "FIPS", [8] = "56bit", [2] = "128bit", [1] = "40bit" } &default=function(i: count): string { return fmt("encryption_method-%d", i); } ;
const RDP::failure_codes: table [count] of string = { [2] = "SSL_NOT_ALLOWED_BY_SERVER", [5] = "HYBRID_REQUIRED_BY_SERVER", [3] = "SSL_CERT_NOT_ON_SERVER", [6] = "SSL_WITH_USER_AUTH_REQUIRED_BY_SERVER", [4] = "INCONSISTENT_FLAGS", [1] = "SSL_REQUIRED_BY_SERVER" } &default=function(i: count): string { return fmt("failure_code-%d", i); } ;
const RDP::high_color_depths: table [count] of string = { [15] = "15bit", [16] = "16bit", [8] = "8bit", [4] = "4bit", [24] = "24bit" } &default=function(i: count): string { return fmt("high_color_depth-%d", i); } ;
const RDP::languages: table [count] of string = { [1154] = "Occitan", [66628] = "Tatar", [6153] = "English - Ireland", [658432] = "Phags-pa", [1080] = "Faroese", [67596] = "Belgian (Comma)", [11273] = "English - Trinidad", [71689] = "Scottish Gaelic", [263177] = "English - United States (Dvorak for right hand)", [1117184] = "Javanese", [1153] = "Maori - New Zealand", [1155] = "Corsican", [14337] = "Arabic - U.A.E.", [1140] = "Guarani - Paraguay", [66652] = "Cherokee Nation Phonetic", [1033] = "English - United States", [1129] = "Ibibio - Nigeria", [1053] = "Swedish", [12314] = "Serbian (Cyrillic) - Montenegro", [1134] = "Luxembourgish", [12297] = "English - Zimbabwe", [3079] = "German - Austria", [2070] = "Portuguese - Portugal", [66569] = "English - United States (Dvorak)", [5124] = "Chinese - Macao SAR", [68608] = "Myanmar", [1070] = "Sorbian", [1079] = "Georgian", [9226] = "Spanish - Colombia", [1089] = "Swahili", [66650] = "Syriac Phonetic", [1105] = "Tibetan - People's Republic of China", [17417] = "English - Malaysia", [1164] = "Dari", [9242] = "Serbian (Latin) - Serbia", [1064] = "Tajik", [14346] = "Spanish - Uruguay", [66604] = "Azerbaijani (Standard)", [1109] = "Burmese", [1158] = "K'iche", [1075] = "Venda", [4122] = "Croatian (Bosnia/Herzegovina)", [1128] = "Hausa - Nigeria", [1137] = "Kanuri - Nigeria", [66606] = "Sorbian Extended", [986112] = "Old Italic", [2141] = "Inuktitut (Latin) - Canada", [10249] = "English - Belize", [66565] = "Czech (QWERTY)", [11265] = "Arabic - Jordan", [197634] = "Bulgarian", [1081] = "Hindi", [1036] = "French - France", [1093] = "Bengali (India)", [132139] = "Armenian Phonetic", [4097] = "Arabic - Libya", [1133] = "Bashkir", [7227] = "Sami (Southern) - Sweden", [1039] = "Icelandic", [5146] = "Bosnian (Bosnia/Herzegovina)", [1059] = "Belarusian", [1088] = "Kyrgyz (Cyrillic)", [17418] = "Spanish - El Salvador", [22538] = "Spanish - Latin America", [6156] = "French - Monaco", [66568] = "Uyghur", [66641] = "Tibetan (PRC - Standard)", [132105] = "English - United States (International)", [66562] = "Bulgarian (Latin)", [1091] = "Uzbek (Latin)", [2128] = "Mongolian (Mongolian)", [66590] = "Thai Pattachote", [1043] = "Dutch - Netherlands", [132098] = "Bulgarian (phonetic layout)", [1052] = "Albanian - Albania", [1029] = "Czech", [2145] = "Nepali - India", [6154] = "Spanish - Panama", [197662] = "Thai Pattachote (non-ShiftLock)", [1115] = "Sinhalese - Sri Lanka", [328745] = "Persian (Standard)", [132134] = "Latvian (Standard)", [1135] = "Greenlandic", [9228] = "French - Democratic Rep. of Congo", [4155] = "Sami (Lule) - Norway", [66619] = "Sami Extended Norway", [1090] = "Turkmen", [66615] = "Georgian (QWERTY)", [199680] = "Tai Le", [1152] = "Uighur - China", [1065] = "Farsi", [10266] = "Serbian (Cyrillic) - Serbia", [3098] = "Serbian (Cyrillic)", [132151] = "Georgian (Ergonomic)", [2144] = "Kashmiri", [10241] = "Arabic - Syria", [2064] = "Italian - Switzerland", [1047] = "Rhaeto-Romanic", [1160] = "Wolof", [66688] = "Uyghur", [3076] = "Chinese - Hong Kong SAR", [2067] = "Dutch - Belgium", [13313] = "Arabic - Kuwait", [132165] = "Bangla (India)", [132142] = "Sorbian Standard", [2049] = "Arabic - Iraq", [132130] = "Ukrainian (Enhanced)", [3073] = "Arabic - Egypt", [1030] = "Danish", [15370] = "Spanish - Paraguay", [1131] = "Quecha - Bolivia", [1077] = "Zulu", [16394] = "Spanish - Bolivia", [132135] = "Lithuanian Standard", [1026] = "Bulgarian", [2055] = "German - Switzerland", [1082] = "Maltese", [8204] = "French - Reunion", [1071] = "FYRO Macedonian", [8218] = "Bosnian (Cyrillic) - Bosnia and Herzegovina", [12300] = "French - Cote d'Ivoire", [461824] = "Lisu (Basic)", [13321] = "English - Philippines", [1121] = "Nepali", [20490] = "Spanish - Puerto Rico", [3084] = "French - Canada", [69641] = "Canadian Multilingual Standard", [2155] = "Quecha - Ecuador", [1114] = "Syriac", [1066] = "Vietnamese", [1092] = "Tatar", [5132] = "French - Luxembourg", [1132] = "Sepedi", [263176] = "Greek (319) Latin", [14348] = "French - Morocco", [2074] = "Serbian (Latin)", [1098] = "Telugu", [1156] = "Alsatian", [1055] = "Turkish", [7178] = "Spanish - Dominican Republic", [9275] = "Sami (Inari) - Finland", [1083] = "Sami (Lappish)", [4106] = "Spanish - Guatemala", [3081] = "English - Australia", [5129] = "English - New Zealand", [1146] = "Mapudungun", [1037] = "Hebrew", [66598] = "Latvian (Legacy)", [1182720] = "Futhark", [1159] = "Kinyarwanda", [2057] = "English - United Kingdom", [2108] = "Irish", [1032] = "Greek", [1049] = "Russian", [2058] = "Spanish - Mexico", [132101] = "Czech Programmers", [132097] = "Arabic (102) AZERTY", [1067] = "Armenian - Armenia", [1054] = "Thai", [1143] = "Somali", [1031] = "German - Germany", [4108] = "French - Switzerland", [1103] = "Sanskrit", [15369] = "English - Hong Kong SAR", [133200] = "Mongolian (Mongolian Script - Standard)", [66585] = "Russian (Typewriter)", [197675] = "Armenian Typewriter", [9225] = "English - Caribbean", [2151] = "Pular - Senegal", [66561] = "Arabic (102)", [330752] = "Tifinagh (Basic)", [3153] = "Dzongkha", [66607] = "Macedonia (FYROM) - Standard", [1097] = "Tamil", [8201] = "English - Jamaica", [15361] = "Arabic - Bahrain", [4191] = "Central Atlas Tamazight (Tifinagh) - Morocco", [2115] = "Uzbek (Cyrillic)", [1062] = "Latvian", [4105] = "English - Canada", [1120] = "Kashmiri (Arabic)", [7169] = "Arabic - Tunisia", [2143] = "Tamazight (Latin)", [2118] = "Punjabi (Pakistan)", [13324] = "French - Mali", [66599] = "Lithuanian", [3082] = "Spanish - Spain (Modern Sort)", [8202] = "Spanish - Venezuela", [12289] = "Arabic - Lebanon", [7180] = "French - West Indies", [66629] = "Bangla (India - Legacy)", [67643] = "Finnish with Sami", [1142] = "Latin", [1074] = "Tswana", [1058] = "Ukrainian", [5130] = "Spanish - Costa Rica", [66603] = "Armenian Western", [1141] = "Hawaiian - United States", [1042] = "Korean", [8193] = "Arabic - Oman", [1086] = "Malay - Malaysia", [1106] = "Welsh", [197641] = "English - United States (Dvorak for left hand)", [66643] = "Khmer (NIDA)", [1122] = "French - West Indies", [1095] = "Gujarati", [18442] = "Spanish - Honduras", [1099] = "Kannada", [1087] = "Kazakh", [1094] = "Punjabi", [1035] = "Finnish", [66581] = "Polish (214)", [11274] = "Spanish - Argentina", [1069] = "Basque", [1111] = "Konkani", [1126] = "Edo", [3131] = "Sami (Northern) - Finland", [10252] = "French - Senegal", [1078] = "Afrikaans - South Africa", [1068] = "Azeri (Latin)", [592896] = "N'ko", [1124] = "Filipino", [2080] = "Urdu - India", [2052] = "Chinese - People's Republic of China", [1044] = "Norwegian (Bokmal)", [2068] = "Norwegian (Nynorsk)", [7177] = "English - South Africa", [1051648] = "Sora", [1034] = "Spanish - Spain (Traditional Sort)", [1028] = "Chinese - Taiwan", [66587] = "Slovak (QWERTY)", [133179] = "Sami Extended Finland-Sweden", [11290] = "Serbian (Latin) - Montenegro", [1084] = "Scottish Gaelic", [13322] = "Spanish - Chile", [132126] = "Thai Kedmanee (non-ShiftLock)", [6170] = "Serbian (Latin) - Bosnia and Herzegovina", [66584] = "Romanian (Standard)", [1051] = "Slovak", [66618] = "Maltese 48-key", [1096] = "Oriya", [2110] = "Malay - Brunei Darussalam", [31748] = "Chinese - Traditional", [328712] = "Greek Latin", [1116] = "Cherokee - United States", [396288] = "Tifinagh (Full)", [66567] = "German (IBM)", [58380] = "French - North Africa", [1038] = "Hungarian", [1061] = "Estonian", [16385] = "Arabic - Qatar", [527360] = "Lisu (Standard)", [1112] = "Manipuri", [789504] = "Gothic", [2060] = "French - Belgium", [16393] = "English - India", [132120] = "Romanian (Programmers)", [1025] = "Arabic - Saudi Arabia", [1119] = "Tamazight (Arabic)", [1104] = "Mongolian (Cyrillic)", [2129] = "Tibetan - Bhutan", [15372] = "French - Haiti", [1073] = "Tsonga", [66617] = "Hindi Traditional", [6203] = "Sami (Southern) - Norway", [19466] = "Spanish - Nicaragua", [5179] = "Sami (Lule) - Sweden", [6145] = "Arabic - Morocco", [1117] = "Inuktitut", [1138] = "Oromo", [197687] = "Georgian Ministry of Education and Science Schools", [263170] = "Bulgarian (phonetic traditional)", [920576] = "Osmanya", [10250] = "Spanish - Peru", [1041] = "Japanese", [4100] = "Chinese - Singapore", [21514] = "Spanish - United States", [1056] = "Urdu", [2121] = "Tamil - Sri Lanka", [1100] = "Malayalam", [1102] = "Marathi", [1125] = "Divehi", [1101] = "Assamese", [132121] = "Russian - Mnemonic", [2137] = "Sindhi - Pakistan", [2072] = "Romanian - Moldava", [2092] = "Azeri (Cyrillic)", [1130] = "Yoruba", [1127] = "Fulfulde - Nigeria", [1148] = "Mohawk", [66576] = "Italian (142)", [1139] = "Tigrigna - Ethiopia", [1048] = "Romanian", [12298] = "Spanish - Ecuador", [66570] = "Spanish Variation", [1110] = "Galician", [5121] = "Arabic - Algeria", [18441] = "English - Singapore", [2077] = "Swedish - Finland", [1076] = "Xhosa", [66582] = "Portuguese (Brazilian ABNT2)", [1108] = "Lao", [2073] = "Russian - Moldava", [263223] = "Georgian (Old Alphabets)", [1136] = "Igbo - Nigeria", [197640] = "Greek (220) Latin", [1150] = "Breton", [1113] = "Sindhi - India", [1050] = "Croatian", [1157] = "Yakut", [4103] = "German - Luxembourg", [394248] = "Greek Polytonic", [132104] = "Greek (319)", [1123] = "Pashto", [66651] = "Sinhala - wij 9", [8251] = "Sami (Skolt) - Finland", [1057] = "Indonesian", [2163] = "Tigrigna - Eritrea", [11276] = "French - Cameroon", [9217] = "Arabic - Yemen", [1107] = "Khmer", [2117] = "Bengali (Bangladesh)", [1063] = "Lithuanian", [1085] = "Yiddish", [14345] = "English - Indonesia", [855040] = "Ol Chiki", [1279] = "HID (Human Interface Device)", [1072] = "Sutu", [2107] = "Sami (Northern) - Sweden", [3179] = "Quecha - Peru\x09CB", [1145] = "Papiamentu", [5127] = "German - Liechtenstein", [66574] = "Hungarian 101-key", [1144] = "Yi", [66653] = "Inuktitut - Naqittaut", [1027] = "Catalan", [1060] = "Slovenian", [1046] = "Portuguese - Brazil", [1118] = "Amharic - Ethiopia", [723968] = "Buginese", [1040] = "Italian - Italy", [66661] = "Divehi Typewriter", [134144] = "New Tai Lue", [66591] = "Turkish F", [1045] = "Polish" } &default=function(i: count): string { return fmt("keyboard-%d", i); } ;
const RDP::results: table [count] of string = { [0] = "Success", [2] = "Resources not available", [4] = "Locked conference", [1] = "User rejected", [3] = "Rejected for symmetry breaking" } &default=function(i: count): string { return fmt("result-%d", i); } ;
const RDP::security_protocols: table [count] of string = { [0] = "RDP", [8] = "HYBRID_EX", [2] = "HYBRID", [1] = "SSL" } &default=function(i: count): string { return fmt("security_protocol-%d", i); } ;

#@ base/protocols/rdp/main
@load base/protocols/conn/removal-hooks
@load base/protocols/rdp/consts
redef enum Log::ID += { RDP::LOG };
type RDP::Info: record { ts: time &log; uid: string &log; id: conn_id &log; cookie: string &log &optional; result: string &log &optional; security_protocol: string &log &optional; client_channels: vector of string &log &optional; keyboard_layout: string &log &optional; client_build: string &log &optional; client_name: string &log &optional; client_dig_product_id: string &log &optional; desktop_width: count &log &optional; desktop_height: count &log &optional; requested_color_depth: string &log &optional; cert_type: string &log &optional; cert_count: count &log &default=0; cert_permanent: bool &log &optional; encryption_level: string &log &optional; encryption_method: string &log &optional; };
option RDP::disable_analyzer_after_detection: bool = F &redef;
option RDP::rdp_check_interval: interval = 10.0 secs &redef;
const RDP::rdp_ports: set [port] = { 3389/tcp } &redef;
const RDP::rdpeudp_ports: set [port] = { 3389/udp } &redef;
global RDP::log_rdp: event (rec: RDP::Info);
global RDP::finalize_rdp: Conn::RemovalHook ;
global RDP::log_policy: Log::PolicyHook ;
redef record RDP::Info += { analyzer_id: count &optional; };
redef record RDP::Info += { done: bool &default=F; };
redef record connection += { rdp: RDP::Info &optional; };

#@ base/protocols/redis/__load__
@load base/protocols/redis/main
@load base/protocols/redis/spicy-events

#@ base/protocols/redis/main
@load base/frameworks/signatures
@load base/protocols/conn/removal-hooks
@load base/protocols/redis/spicy-events
redef enum Log::ID += { Redis::LOG };
type Redis::Info: record { ts: time &log; uid: string &log; id: conn_id &log; cmd: Redis::Command &log; success: bool &log &optional; reply: Redis::ReplyData &log &optional; };
type Redis::NoReplyRange: record { begin: count ; end: count &optional; };
type Redis::RESPVersion: enum { Redis::RESP2, Redis::RESP3 };
type Redis::State: record { pending: table [count] of Redis::Info ; current_command: count &default=0; current_reply: count &default=0; no_reply_ranges: vector of Redis::NoReplyRange ; skip_commands: set [count] ; violation: bool &default=F; subscribed_mode: bool &default=F; resp_version: Redis::RESPVersion &default=Redis::RESP2; };
option Redis::max_aggregate_elements: count = 20000 &redef;
option Redis::max_pending_commands: count = 10000 &redef;
const Redis::max_value_size: count = 250 &redef;
const Redis::ports: set [port] = { 6379/tcp } &redef;
const Redis::enter_subscribed_mode: set [Redis::RedisCommand] = { Redis::RedisCommand_PSUBSCRIBE, Redis::RedisCommand_SSUBSCRIBE, Redis::RedisCommand_SUBSCRIBE } ;
const Redis::exit_subscribed_mode: set [Redis::RedisCommand] = { Redis::RedisCommand_RESET, Redis::RedisCommand_QUIT } ;
const Redis::no_response_commands: set [Redis::RedisCommand] = { Redis::RedisCommand_SSUBSCRIBE, Redis::RedisCommand_SUBSCRIBE, Redis::RedisCommand_PUNSUBSCRIBE, Redis::RedisCommand_SUNSUBSCRIBE, Redis::RedisCommand_UNSUBSCRIBE, Redis::RedisCommand_PSUBSCRIBE } ;
global Redis::finalize_redis: Conn::RemovalHook ;
global Redis::log_policy: Log::PolicyHook ;
redef record connection += { redis: Redis::Info &optional; };
redef record connection += { redis_state: Redis::State &optional; };

#@ base/protocols/redis/spicy-events
type Redis::AuthCommand: record { username: string &optional; password: string ; };
type Redis::Command: record { raw: vector of string ; name: string &log; key: string &log &optional; value: string &log &optional; known: Redis::RedisCommand &optional; };
type Redis::HelloCommand: record { requested_resp_version: string &optional; };
type Redis::ReplyData: record { attributes: string &optional; value: string &log; min_protocol_version: count ; };
type Redis::SetCommand: record { key: string &log; value: string &log; nx: bool ; xx: bool ; get: bool ; ex: count &optional; px: count &optional; exat: count &optional; pxat: count &optional; keep_ttl: bool ; };
global Redis::command: event (c: connection, cmd: Redis::Command);
global Redis::auth_command: event (c: connection, command: Redis::AuthCommand);
global Redis::error: event (c: connection, data: Redis::ReplyData);
global Redis::get_command: event (c: connection, key: string);
global Redis::hello_command: event (c: connection, command: Redis::HelloCommand);
global Redis::reply: event (c: connection, data: Redis::ReplyData);
global Redis::server_push: event (c: connection, data: Redis::ReplyData);
global Redis::set_command: event (c: connection, command: Redis::SetCommand);

#@ base/protocols/rfb/__load__
@load base/protocols/rfb/main

#@ base/protocols/rfb/main
@load base/protocols/conn/removal-hooks
redef enum Log::ID += { RFB::LOG };
type RFB::Info: record { ts: time &log; uid: string &log; id: conn_id &log; client_major_version: string &log &optional; client_minor_version: string &log &optional; server_major_version: string &log &optional; server_minor_version: string &log &optional; authentication_method: string &log &optional; auth: bool &log &optional; share_flag: bool &log &optional; desktop_name: string &log &optional; width: count &log &optional; height: count &log &optional; done: bool &default=F; };
global RFB::log_rfb: event (rec: RFB::Info);
global RFB::finalize_rfb: Conn::RemovalHook ;
global RFB::log_policy: Log::PolicyHook ;
redef record connection += { rfb: RFB::Info &optional; };

#@ base/protocols/sip/__load__
@load base/protocols/sip/main

#@ base/protocols/sip/main
@load base/protocols/conn/removal-hooks
@load base/utils/files
@load base/utils/numbers
redef enum Log::ID += { SIP::LOG };
type SIP::Info: record { ts: time &log; uid: string &log; id: conn_id &log; trans_depth: count &log; method: string &log &optional; uri: string &log &optional; date: string &log &optional; request_from: string &log &optional; request_to: string &log &optional; response_from: string &log &optional; response_to: string &log &optional; reply_to: string &log &optional; call_id: string &log &optional; seq: string &log &optional; subject: string &log &optional; request_path: vector of string &log &optional; response_path: vector of string &log &optional; user_agent: string &log &optional; status_code: count &log &optional; status_msg: string &log &optional; warning: string &log &optional; request_body_len: count &log &optional; response_body_len: count &log &optional; content_type: string &log &optional; };
type SIP::State: record { pending: table [count] of SIP::Info ; current_request: count &default=0; current_response: count &default=0; };
option SIP::sip_methods: set [string] = { "BYE", "SUBSCRIBE", "NOTIFY", "REGISTER", "INVITE", "CANCEL", "OPTIONS", "ACK" } &redef;
const SIP::max_request_path_length: count = 100 &redef;
const SIP::max_response_path_length: count = 100 &redef;
const SIP::ports: set [port] = { 5060/udp } &redef;
global SIP::log_sip: event (rec: SIP::Info);
global SIP::finalize_sip: Conn::RemovalHook ;
global SIP::log_policy: Log::PolicyHook ;
redef record connection += { sip: SIP::Info &optional; };
redef record connection += { sip_state: SIP::State &optional; };

#@ base/protocols/smb/__load__
@load base/protocols/smb/const-dos-error
@load base/protocols/smb/const-nt-status
@load base/protocols/smb/consts
@load base/protocols/smb/files
@load base/protocols/smb/main
@load base/protocols/smb/smb1-main
@load base/protocols/smb/smb2-main

#@ base/protocols/smb/const-dos-error
@load base/protocols/smb/consts

#@ base/protocols/smb/const-nt-status
@load base/protocols/smb/consts

#@ base/protocols/smb/consts
type SMB::StatusCode: record { id: string ; desc: string ; };
type SMB::rpc_cmd_table: table [count] of string;
const SMB::rpc_sub_cmds: table [string] of SMB::rpc_cmd_table = { ["4b324fc8-1670-01d3-1278-5a47bf6ee188"] = { [40] = "NetrSetFileSecurity", [45] = "NetrDfsDeleteLocalPartition", [19] = "NetrShareDelSticky", [20] = "NetrShareCheck", [33] = "NetprNameValidate", [39] = "NetrGetFileSecurity", [36] = "NetrShareEnumSticky", [30] = "NetprPathType", [14] = "NetrShareAdd", [15] = "NetrShareEnum", [46] = "NetrDfsSetLocalVolumeState", [31] = "NetprPathCanonicalize", [28] = "NetrRemoteTOD", [8] = "NetrConnectionEnum", [23] = "NetrServerDiskEnum", [27] = "NetrServerTransportDel", [9] = "NetrFileEnum", [53] = "NetrServerTransportDelEx", [55] = "NetrServerAliasEnum", [56] = "NetrServerAliasDel", [52] = "NetrDfsManagerReportSiteInfo", [21] = "NetrServerGetInfo", [10] = "NetrFileGetInfo", [32] = "NetprPathCompare", [12] = "NetrSessionEnum", [13] = "NetrSessionDel", [26] = "NetrServerTransportEnum", [41] = "NetrServerTransportAddEx", [17] = "NetrShareSetInfo", [50] = "NetrDfsModifyPrefix", [25] = "NetrServerTransportAdd", [16] = "NetrShareGetInfo", [24] = "NetrServerStatisticsGet", [48] = "NetrDfsCreateExitPoint", [38] = "NetrShareDelCommit", [54] = "NetrServerAliasAdd", [49] = "NetrDfsDeleteExitPoint", [57] = "NetrShareDelEx", [11] = "NetrFileClose", [35] = "NetprNameCompare", [22] = "NetrServerSetInfo", [43] = "NetrDfsGetVersion", [51] = "NetrDfsFixLocalVolume", [18] = "NetrShareDel", [37] = "NetrShareDelStart", [44] = "NetrDfsCreateLocalPartition", [34] = "NetprNameCanonicalize" }, ["6bffd098-a112-3610-9833-46c3f87e345a"] = { [2] = "NetrWkstaUserEnum", [25] = "NetrValidateName2", [20] = "NetrGetJoinInformation", [29] = "NetrSetPrimaryComputerName", [6] = "NetrWkstaTransportAdd", [30] = "NetrEnumerateComputerNames", [24] = "NetrRenameMachineInDomain2", [28] = "NetrRemoveAlternateComputerName", [23] = "NetrUnjoinDomain2", [8] = "NetrUseAdd", [9] = "NetrUseGetInfo", [27] = "NetrAddAlternateComputerName", [1] = "NetrWkstaSetInfo", [11] = "NetrUseEnum", [7] = "NetrWkstaTransportDel", [5] = "NetrWkstaTransportEnum", [10] = "NetrUseDel", [22] = "NetrJoinDomain2", [13] = "NetrWorkstationStatisticsGet", [26] = "NetrGetJoinableOUs2", [0] = "NetrWkstaGetInfo" } } &default=function(i: string): SMB::rpc_cmd_table { return table() &default=function(j: count): string { return fmt("unknown-%d", j); }; } &redef;
const SMB::rpc_uuids: table [string] of string = { ["4b324fc8-1670-01d3-1278-5a47bf6ee188"] = "Server Service", ["6bffd098-a112-3610-9833-46c3f87e345a"] = "Workstation Service" } &default=function(i: string): string { return fmt("unknown-uuid-%s", i); } &redef;
const SMB::srv_cmds: table [count] of string = { [40] = "NetrSetFileSecurity", [45] = "NetrDfsDeleteLocalPartition", [19] = "NetrShareDelSticky", [20] = "NetrShareCheck", [33] = "NetprNameValidate", [39] = "NetrGetFileSecurity", [36] = "NetrShareEnumSticky", [30] = "NetprPathType", [14] = "NetrShareAdd", [15] = "NetrShareEnum", [46] = "NetrDfsSetLocalVolumeState", [31] = "NetprPathCanonicalize", [28] = "NetrRemoteTOD", [8] = "NetrConnectionEnum", [23] = "NetrServerDiskEnum", [27] = "NetrServerTransportDel", [9] = "NetrFileEnum", [53] = "NetrServerTransportDelEx", [55] = "NetrServerAliasEnum", [56] = "NetrServerAliasDel", [52] = "NetrDfsManagerReportSiteInfo", [21] = "NetrServerGetInfo", [10] = "NetrFileGetInfo", [32] = "NetprPathCompare", [12] = "NetrSessionEnum", [13] = "NetrSessionDel", [26] = "NetrServerTransportEnum", [41] = "NetrServerTransportAddEx", [17] = "NetrShareSetInfo", [50] = "NetrDfsModifyPrefix", [25] = "NetrServerTransportAdd", [16] = "NetrShareGetInfo", [24] = "NetrServerStatisticsGet", [48] = "NetrDfsCreateExitPoint", [38] = "NetrShareDelCommit", [54] = "NetrServerAliasAdd", [49] = "NetrDfsDeleteExitPoint", [57] = "NetrShareDelEx", [11] = "NetrFileClose", [35] = "NetprNameCompare", [22] = "NetrServerSetInfo", [43] = "NetrDfsGetVersion", [51] = "NetrDfsFixLocalVolume", [18] = "NetrShareDel", [37] = "NetrShareDelStart", [44] = "NetrDfsCreateLocalPartition", [34] = "NetprNameCanonicalize" } &default=function(i: count): string { return fmt("unknown-srv-command-%d", i); } &redef;
const SMB::statuses: table [count] of SMB::StatusCode = { [0] = SMB::StatusCode($id="SUCCESS", $desc="The operation completed successfully.") } &default=function(i: count): SMB::StatusCode { local unknown = fmt("unknown-%d", i); return SMB::StatusCode($id=unknown, $desc=unknown); } &redef;
const SMB::wksta_cmds: table [count] of string = { [2] = "NetrWkstaUserEnum", [25] = "NetrValidateName2", [20] = "NetrGetJoinInformation", [29] = "NetrSetPrimaryComputerName", [6] = "NetrWkstaTransportAdd", [30] = "NetrEnumerateComputerNames", [24] = "NetrRenameMachineInDomain2", [28] = "NetrRemoveAlternateComputerName", [23] = "NetrUnjoinDomain2", [8] = "NetrUseAdd", [9] = "NetrUseGetInfo", [27] = "NetrAddAlternateComputerName", [1] = "NetrWkstaSetInfo", [11] = "NetrUseEnum", [7] = "NetrWkstaTransportDel", [5] = "NetrWkstaTransportEnum", [10] = "NetrUseDel", [22] = "NetrJoinDomain2", [13] = "NetrWorkstationStatisticsGet", [26] = "NetrGetJoinableOUs2", [0] = "NetrWkstaGetInfo" } &default=function(i: count): string { return fmt("unknown-wksta-command-%d", i); } &redef;
const SMB1::commands: table [count] of string = { [19] = "LOCK_AND_READ", [20] = "WRITE_AND_UNLOCK", [33] = "QUERY_SERVER", [39] = "IOCTL", [30] = "WRITE_MPX", [46] = "READ_ANDX", [15] = "CREATE_NEW", [28] = "READ_MPX_SECONDARY", [164] = "NT_CANCEL", [9] = "SET_INFORMATION", [53] = "FIND_NOTIFY_CLOSE", [52] = "FIND_CLOSE2", [4] = "CLOSE", [12] = "LOCK_BYTE_RANGE", [130] = "FIND", [41] = "COPY", [17] = "PROCESS_EXIT", [29] = "WRITE_RAW", [16] = "CHECK_DIRECTORY", [115] = "SESSION_SETUP_ANDX", [38] = "TRANSACTION_SECONDARY", [165] = "NT_RENAME", [193] = "WRITE_PRINT_FILE", [42] = "MOVE", [1] = "DELETE_DIRECTORY", [116] = "LOGOFF_ANDX", [11] = "WRITE", [113] = "TREE_DISCONNECT", [35] = "QUERY_INFORMATION2", [216] = "READ_BULK", [43] = "ECHO", [114] = "NEGOTIATE", [3] = "CREATE", [44] = "WRITE_AND_CLOSE", [129] = "SEARCH", [34] = "SET_INFORMATION2", [45] = "OPEN_ANDX", [40] = "IOCTL_SECONDARY", [194] = "CLOSE_PRINT_FILE", [36] = "LOCKING_ANDX", [14] = "CREATE_TEMPORARY", [6] = "DELETE", [31] = "WRITE_MPX_SECONDARY", [8] = "QUERY_INFORMATION", [192] = "OPEN_PRINT_FILE", [27] = "READ_MPX", [195] = "GET_PRINT_QUEUE", [7] = "RENAME", [10] = "READ", [32] = "WRITE_COMPLETE", [26] = "READ_RAW", [13] = "UNLOCK_BYTE_RANGE", [128] = "QUERY_INFORMATION_DISK", [218] = "WRITE_BULK_DATA", [217] = "WRITE_BULK", [160] = "NT_TRANSACT", [47] = "WRITE_ANDX", [50] = "TRANSACTION2", [2] = "OPEN", [132] = "FIND_CLOSE", [48] = "NEW_FILE_SIZE", [49] = "CLOSE_AND_TREE_DISC", [162] = "NT_CREATE_ANDX", [5] = "FLUSH", [112] = "TREE_CONNECT", [161] = "NT_TRANSACT_SECONDARY", [51] = "TRANSACTION2_SECONDARY", [37] = "TRANSACTION", [18] = "SEEK", [117] = "TREE_CONNECT_ANDX", [0] = "CREATE_DIRECTORY", [131] = "FIND_UNIQUE" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;
const SMB1::trans2_sub_commands: table [count] of string = { [2] = "FIND_NEXT2", [6] = "SET_PATH_INFORMATION", [14] = "SESSION_SETUP", [16] = "GET_DFS_REFERRAL", [8] = "SET_FILE_INFORMATION", [9] = "FSCTL", [1] = "FIND_FIRST2", [11] = "FIND_NOTIFY_FIRST", [7] = "QUERY_FILE_INFORMATION", [5] = "QUERY_PATH_INFORMATION", [10] = "IOCTL", [4] = "SET_FS_INFORMATION", [13] = "CREATE_DIRECTORY", [12] = "FIND_NOTIFY_NEXT", [3] = "QUERY_FS_INFORMATION", [17] = "REPORT_DFS_INCONSISTENCY", [0] = "OPEN2" } &default=function(i: count): string { return fmt("unknown-trans2-sub-cmd-%d", i); } ;
const SMB1::trans_sub_commands: table [count] of string = { [55] = "WRITE_NMPIPE", [38] = "TRANSACT_NMPIPE", [54] = "READ_NMPIPE", [33] = "QUERY_NMPIPE_STATE", [17] = "RAW_READ_NMPIPE", [35] = "PEEK_NMPIPE", [49] = "RAW_WRITE_NMPIPE", [34] = "QUERY_NMPIPE_INFO", [1] = "SET_NMPIPE_STATE", [83] = "WAIT_NMPIPE", [84] = "CALL_NMPIPE" } &default=function(i: count): string { return fmt("unknown-trans-sub-cmd-%d", i); } ;
const SMB2::commands: table [count] of string = { [2] = "LOGOFF", [14] = "QUERY_DIRECTORY", [15] = "CHANGE_NOTIFY", [6] = "CLOSE", [16] = "QUERY_INFO", [8] = "READ", [9] = "WRITE", [1] = "SESSION_SETUP", [11] = "IOCTL", [7] = "FLUSH", [5] = "CREATE", [10] = "LOCK", [4] = "TREE_DISCONNECT", [13] = "ECHO", [12] = "CANCEL", [18] = "OPLOCK_BREAK", [3] = "TREE_CONNECT", [17] = "SET_INFO", [0] = "NEGOTIATE_PROTOCOL" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;
const SMB2::dialects: table [count] of string = { [528] = "2.1", [770] = "3.0.2", [768] = "3.0", [767] = "2.1+", [514] = "2.0.2", [785] = "3.1.1" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;
const SMB2::share_types: table [count] of string = { [2] = "PIPE", [1] = "DISK", [3] = "PRINT" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;

#@ base/protocols/smb/files
@load base/frameworks/files
@load base/protocols/smb/main
global SMB::describe_file: function (f: fa_file) : string;
global SMB::get_file_handle: function (c: connection, is_orig: bool) : string;

#@ base/protocols/smb/main
@load base/protocols/smb/const-dos-error
@load base/protocols/smb/const-nt-status
@load base/protocols/smb/consts
redef enum Log::ID += { SMB::FILES_LOG };
redef enum Log::ID += { SMB::MAPPING_LOG };
type SMB::Action: enum { SMB::FILE_READ, SMB::FILE_WRITE, SMB::FILE_OPEN, SMB::FILE_CLOSE, SMB::FILE_DELETE, SMB::FILE_RENAME, SMB::FILE_SET_ATTRIBUTE, SMB::PIPE_READ, SMB::PIPE_WRITE, SMB::PIPE_OPEN, SMB::PIPE_CLOSE, SMB::PRINT_READ, SMB::PRINT_WRITE, SMB::PRINT_OPEN, SMB::PRINT_CLOSE };
type SMB::FileInfo: record { ts: time &log &default=double_to_time(0.0); uid: string &log; id: conn_id &log; fuid: string &log &optional; action: SMB::Action &log &optional; path: string &log &optional; name: string &log &optional; size: count &log &default=0; prev_name: string &log &optional; times: SMB::MACTimes &log &optional; };
type SMB::TreeInfo: record { ts: time &log &default=double_to_time(0.0); uid: string &log; id: conn_id &log; path: string &log &optional; service: string &log &optional; native_file_system: string &log &optional; share_type: string &log &default="DISK"; };
type SMB::CmdInfo: record { ts: time &log &default=double_to_time(0.0); uid: string &log; id: conn_id &log; command: string &log; sub_command: string &log &optional; argument: string &log &optional; status: string &log &optional; rtt: interval &log &optional; version: string &log; username: string &log &optional; tree: string &log &optional; tree_service: string &log &optional; referenced_file: SMB::FileInfo &log &optional; referenced_tree: SMB::TreeInfo &optional; };
type SMB::State: record { current_cmd: SMB::CmdInfo &optional; current_file: SMB::FileInfo &optional; current_tree: SMB::TreeInfo &optional; pending_cmds: table [count] of SMB::CmdInfo &optional; fid_map: table [count] of SMB::FileInfo &optional; tid_map: table [count] of SMB::TreeInfo &optional; pipe_map: table [count] of string &optional; recent_files: set [string] &default=set(); };
option SMB::enable_clear_script_state: bool = T &redef;
option SMB::logged_file_actions: set [SMB::Action] = { SMB::PRINT_CLOSE, SMB::FILE_DELETE, SMB::FILE_OPEN, SMB::FILE_RENAME, SMB::PRINT_OPEN } &redef;
const SMB::ports: set [port] = { 139/tcp, 445/tcp } &redef;
global SMB::log_policy_files: Log::PolicyHook ;
global SMB::log_policy_mapping: Log::PolicyHook ;
global SMB::set_current_file: function (smb_state: SMB::State, file_id: count) : any;
global SMB::write_file_log: function (state: SMB::State) : any;
redef record SMB::FileInfo += { fid: count &optional; };
redef record SMB::FileInfo += { uuid: string &optional; };
redef record connection += { smb_state: SMB::State &optional; };

#@ base/protocols/smb/smb1-main
@load base/protocols/smb/main
redef record SMB::CmdInfo += { smb1_offered_dialects: string_vec &optional; };

#@ base/protocols/smb/smb2-main
@load base/frameworks/notice/weird
@load base/protocols/smb/main
redef record SMB::CmdInfo += { smb2_offered_dialects: index_vec &optional; };
redef record SMB::CmdInfo += { smb2_create_options: count &default=0; };

#@ base/protocols/smtp/__load__
@load base/protocols/smtp/entities
@load base/protocols/smtp/files
@load base/protocols/smtp/main

#@ base/protocols/smtp/entities
@load base/frameworks/files
@load base/frameworks/notice/weird
@load base/protocols/smtp/main
@load base/utils/files
@load base/utils/strings
type SMTP::Entity: record { filename: string &optional; };
redef record SMTP::Info += { entity: SMTP::Entity &optional; };
redef record SMTP::State += { mime_depth: count &default=0; };

#@ base/protocols/smtp/files
@load base/frameworks/files
@load base/protocols/smtp/entities
@load base/protocols/smtp/main
@load base/utils/conn-ids
global SMTP::describe_file: function (f: fa_file) : string;
global SMTP::get_file_handle: function (c: connection, is_orig: bool) : string;
redef record SMTP::Info += { fuids: vector of string &log &default=vector(); };
redef record SMTP::Info += { rfc822_msg_fuid: string &optional; };

#@ base/protocols/smtp/main
@load base/frameworks/notice/weird
@load base/protocols/conn/removal-hooks
@load base/utils/addrs
@load base/utils/directions-and-hosts
@load base/utils/email
redef enum Log::ID += { SMTP::LOG };
type SMTP::Info: record { ts: time &log; uid: string &log; id: conn_id &log; trans_depth: count &log; helo: string &log &optional; mailfrom: string &log &optional; rcptto: set [string] &log &optional; date: string &log &optional; from: string &log &optional; to: set [string] &log &optional; cc: set [string] &log &optional; reply_to: string &log &optional; msg_id: string &log &optional; in_reply_to: string &log &optional; subject: string &log &optional; x_originating_ip: addr &log &optional; first_received: string &log &optional; second_received: string &log &optional; last_reply: string &log &optional; path: vector of addr &log &optional; user_agent: string &log &optional; tls: bool &log &default=F; process_received_from: bool &default=T; has_client_activity: bool &default=F; process_smtp_headers: bool &default=T; entity_count: count &default=0; };
type SMTP::State: record { helo: string &optional; messages_transferred: count &default=0; pending_messages: set [SMTP::Info] &optional; trans_mail_from_seen: bool &default=F; trans_rcpt_to_seen: bool &default=F; invalid_transactions: count &default=0; bdat_last_observed: bool &default=F; analyzer_id: count &optional; };
option SMTP::mail_path_capture: Host = ALL_HOSTS &redef;
option SMTP::mail_transaction_validation: bool = T &redef;
option SMTP::max_invalid_mail_transactions: count = 25 &redef;
const SMTP::max_cc_addresses: count = 1000 &redef;
const SMTP::max_path_length: count = 1000 &redef;
const SMTP::max_rcptto_addresses: count = 1000 &redef;
const SMTP::max_to_addresses: count = 1000 &redef;
const SMTP::ports: set [port] = { 25/tcp, 587/tcp } &redef;
global SMTP::log_smtp: event (rec: SMTP::Info);
global SMTP::finalize_smtp: Conn::RemovalHook ;
global SMTP::log_policy: Log::PolicyHook ;
global SMTP::describe: function (rec: SMTP::Info) : string;
redef record connection += { smtp: SMTP::Info &optional; };
redef record connection += { smtp_state: SMTP::State &optional; };

#@ base/protocols/snmp/__load__
@load base/protocols/snmp/main

#@ base/protocols/snmp/main
@load base/protocols/conn/removal-hooks
redef enum Log::ID += { SNMP::LOG };
type SNMP::Info: record { ts: time &log; uid: string &log; id: conn_id &log; duration: interval &log &default=0 secs; version: string &log; community: string &log &optional; get_requests: count &log &default=0; get_bulk_requests: count &log &default=0; get_responses: count &log &default=0; set_requests: count &log &default=0; display_string: string &log &optional; up_since: time &log &optional; };
const SNMP::ports: set [port] = { 162/udp, 161/udp } &redef;
const SNMP::version_map: table [count] of string = { [0] = "1", [1] = "2c", [3] = "3" } &redef &default="unknown";
global SNMP::log_snmp: event (rec: SNMP::Info);
global SNMP::finalize_snmp: Conn::RemovalHook ;
global SNMP::log_policy: Log::PolicyHook ;
redef record connection += { snmp: SNMP::Info &optional; };

#@ base/protocols/socks/__load__
@load base/protocols/socks/consts
@load base/protocols/socks/main

#@ base/protocols/socks/consts
type SOCKS::RequestType: enum { SOCKS::CONNECTION, SOCKS::PORT, SOCKS::UDP_ASSOCIATE };
const SOCKS::v4_status: table [count] of string = { [92] = "request failed because client is not running identd", [93] = "request failed because client's identd could not confirm the user ID string in the request", [90] = "succeeded", [91] = "general SOCKS server failure" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;
const SOCKS::v5_authentication_methods: table [count] of string = { [2] = "Username/Password", [8] = "Multi-Authentication Framework", [7] = "NDS Authentication", [5] = "Challenge-Response Authentication Method", [3] = "Challenge-Handshake Authentication Protocol", [0] = "No Authentication Required", [6] = "Secure Sockets Layer", [255] = "No Acceptable Methods", [1] = "GSSAPI" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;
const SOCKS::v5_status: table [count] of string = { [2] = "connection not allowed by ruleset", [8] = "Address type not supported", [5] = "Connection refused", [7] = "Command not supported", [3] = "Network unreachable", [0] = "succeeded", [6] = "TTL expired", [4] = "Host unreachable", [1] = "general SOCKS server failure" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;

#@ base/protocols/socks/main
@load base/frameworks/tunnels
@load base/protocols/conn/removal-hooks
@load base/protocols/socks/consts
option SOCKS::default_capture_password: bool = F &redef;
redef enum Log::ID += { SOCKS::LOG };
type SOCKS::Info: record { ts: time &log; uid: string &log; id: conn_id &log; version: count &log; user: string &log &optional; password: string &log &optional; status: string &log &optional; request: SOCKS::Address &log &optional; request_p: port &log &optional; bound: SOCKS::Address &log &optional; bound_p: port &log &optional; capture_password: bool &default=SOCKS::default_capture_password; };
const SOCKS::ports: set [port] = { 1080/tcp } &redef;
global SOCKS::log_socks: event (rec: SOCKS::Info);
global SOCKS::finalize_socks: Conn::RemovalHook ;
global SOCKS::log_policy: Log::PolicyHook ;
redef record connection += { socks: SOCKS::Info &optional; };

#@ base/protocols/ssh/__load__
@load base/protocols/ssh/main

#@ base/protocols/ssh/main
@load base/protocols/conn/removal-hooks
@load base/utils/directions-and-hosts
redef enum Log::ID += { SSH::LOG };
type SSH::Info: record { ts: time &log; uid: string &log; id: conn_id &log; version: count &log &optional; auth_success: bool &log &optional; auth_attempts: count &log &default=0; direction: Direction &log &optional; client: string &log &optional; server: string &log &optional; cipher_alg: string &log &optional; mac_alg: string &log &optional; compression_alg: string &log &optional; kex_alg: string &log &optional; host_key_alg: string &log &optional; host_key_fingerprint: string &log &optional; };
option SSH::compression_algorithms: set [string] = { "zlib@openssh.com", "zlib" } &redef;
option SSH::disable_analyzer_after_detection: bool = T &redef;
const SSH::ports: set [port] = { 22/tcp } &redef;
global SSH::log_ssh: event (rec: SSH::Info);
global ssh_auth_failed: event (c: connection);
global ssh_auth_result: event (c: connection, result: bool, auth_attempts: count);
global SSH::finalize_ssh: Conn::RemovalHook ;
global SSH::log_policy: Log::PolicyHook ;
redef record SSH::Info += { logged: bool &default=F; };
redef record SSH::Info += { capabilities: SSH::Capabilities &optional; };
redef record SSH::Info += { analyzer_id: count &optional; };
redef record connection += { ssh: SSH::Info &optional; };

#@ base/protocols/ssl/__load__
@load base/protocols/ssl/consts
@load base/protocols/ssl/ct-list
@load base/protocols/ssl/files
@load base/protocols/ssl/main
@load base/protocols/ssl/mozilla-ca-list

#@ base/protocols/ssl/consts
const SSL::ALERT: count = 21 ;
const SSL::APPLICATION_DATA: count = 23 ;
const SSL::CERTIFICATE: count = 11 ;
const SSL::CERTIFICATE_REQUEST: count = 13 ;
const SSL::CERTIFICATE_STATUS: count = 22 ;
const SSL::CERTIFICATE_URL: count = 21 ;
const SSL::CERTIFICATE_VERIFY: count = 15 ;
const SSL::CHANGE_CIPHER_SPEC: count = 20 ;
const SSL::CLIENT_HELLO: count = 1 ;
const SSL::CLIENT_KEY_EXCHANGE: count = 16 ;
const SSL::COMPRESSED_CERTIFICATE: count = 25 ;
const SSL::DTLSv10: count = 65279 ;
const SSL::DTLSv12: count = 65277 ;
const SSL::DTLSv13: count = 65276 ;
const SSL::EKT_KEY: count = 26 ;
const SSL::ENCRYPTED_EXTENSIONS: count = 8 ;
const SSL::FINISHED: count = 20 ;
const SSL::HANDSHAKE: count = 22 ;
const SSL::HEARTBEAT: count = 24 ;
const SSL::HELLO_REQUEST: count = 0 ;
const SSL::HELLO_RETRY_REQUEST: count = 6 ;
const SSL::HELLO_VERIFY_REQUEST: count = 3 ;
const SSL::KEY_UPDATE: count = 24 ;
const SSL::RETURN_ROUTABILITY_CHECK: count = 26 ;
const SSL::SERVER_HELLO: count = 2 ;
const SSL::SERVER_HELLO_DONE: count = 14 ;
const SSL::SERVER_KEY_EXCHANGE: count = 12 ;
const SSL::SESSION_TICKET: count = 4 ;
const SSL::SSL_EXTENSION_APPLICATION_LAYER_PROTOCOL_NEGOTIATION: count = 16 ;
const SSL::SSL_EXTENSION_APPLICATION_SETTING: count = 17513 ;
const SSL::SSL_EXTENSION_CACHED_INFO: count = 25 ;
const SSL::SSL_EXTENSION_CERTIFICATE_AUTHORITIES: count = 47 ;
const SSL::SSL_EXTENSION_CERT_TYPE: count = 9 ;
const SSL::SSL_EXTENSION_CHANNEL_ID: count = 30031 ;
const SSL::SSL_EXTENSION_CHANNEL_ID_NEW: count = 30032 ;
const SSL::SSL_EXTENSION_CLIENT_AUTHZ: count = 7 ;
const SSL::SSL_EXTENSION_CLIENT_CERTIFICATE_TYPE: count = 19 ;
const SSL::SSL_EXTENSION_CLIENT_CERTIFICATE_URL: count = 2 ;
const SSL::SSL_EXTENSION_COMPRESS_CERTIFICATE: count = 27 ;
const SSL::SSL_EXTENSION_CONNECTION_ID: count = 54 ;
const SSL::SSL_EXTENSION_CONNECTION_ID_DEPRECATED: count = 53 ;
const SSL::SSL_EXTENSION_COOKIE: count = 44 ;
const SSL::SSL_EXTENSION_DELEGATED_CREDENTIAL: count = 34 ;
const SSL::SSL_EXTENSION_DNSSEC_CHAIN: count = 59 ;
const SSL::SSL_EXTENSION_EARLY_DATA: count = 42 ;
const SSL::SSL_EXTENSION_ECH_OUTER_EXTENSION: count = 64768 ;
const SSL::SSL_EXTENSION_EC_POINT_FORMATS: count = 11 ;
const SSL::SSL_EXTENSION_ENCRYPTED_CLIENT_CERTIFICATES: count = 13180 ;
const SSL::SSL_EXTENSION_ENCRYPTED_CLIENT_HELLO: count = 65037 ;
const SSL::SSL_EXTENSION_ENCRYPT_THEN_MAC: count = 22 ;
const SSL::SSL_EXTENSION_EXTENDED_MASTER_SECRET: count = 23 ;
const SSL::SSL_EXTENSION_EXTERNAL_ID_HASH: count = 55 ;
const SSL::SSL_EXTENSION_EXTERNAL_SESSION_ID: count = 56 ;
const SSL::SSL_EXTENSION_HEARTBEAT: count = 15 ;
const SSL::SSL_EXTENSION_KEY_SHARE: count = 51 ;
const SSL::SSL_EXTENSION_KEY_SHARE_OLD: count = 40 ;
const SSL::SSL_EXTENSION_MAX_FRAGMENT_LENGTH: count = 1 ;
const SSL::SSL_EXTENSION_NEXT_PROTOCOL_NEGOTIATION: count = 13172 ;
const SSL::SSL_EXTENSION_OID_FILTERS: count = 48 ;
const SSL::SSL_EXTENSION_ORIGIN_BOUND_CERTIFICATES: count = 13175 ;
const SSL::SSL_EXTENSION_PADDING: count = 21 ;
const SSL::SSL_EXTENSION_PADDING_TEMP: count = 35655 ;
const SSL::SSL_EXTENSION_PASSWORD_SALT: count = 31 ;
const SSL::SSL_EXTENSION_POST_HANDSHAKE_AUTH: count = 49 ;
const SSL::SSL_EXTENSION_PRE_SHARED_KEY: count = 41 ;
const SSL::SSL_EXTENSION_PSK_KEY_EXCHANGE_MODES: count = 45 ;
const SSL::SSL_EXTENSION_PWD_CLEAR: count = 30 ;
const SSL::SSL_EXTENSION_PWD_PROTECT: count = 29 ;
const SSL::SSL_EXTENSION_QUIC_TRANSPORT_PARAMETERS: count = 57 ;
const SSL::SSL_EXTENSION_RECORD_SIZE_LIMIT: count = 28 ;
const SSL::SSL_EXTENSION_RENEGOTIATION_INFO: count = 65281 ;
const SSL::SSL_EXTENSION_RRC: count = 61 ;
const SSL::SSL_EXTENSION_SEQUENCE_NUMBER_ENCRYPTION_ALGORITHMS: count = 60 ;
const SSL::SSL_EXTENSION_SERVER_AUTHZ: count = 8 ;
const SSL::SSL_EXTENSION_SERVER_CERTIFICATE_TYPE: count = 20 ;
const SSL::SSL_EXTENSION_SERVER_NAME: count = 0 ;
const SSL::SSL_EXTENSION_SESSIONTICKET_TLS: count = 35 ;
const SSL::SSL_EXTENSION_SIGNATURE_ALGORITHMS: count = 13 ;
const SSL::SSL_EXTENSION_SIGNATURE_ALGORITHMS_CERT: count = 50 ;
const SSL::SSL_EXTENSION_SIGNED_CERTIFICATE_TIMESTAMP: count = 18 ;
const SSL::SSL_EXTENSION_SRP: count = 12 ;
const SSL::SSL_EXTENSION_STATUS_REQUEST: count = 5 ;
const SSL::SSL_EXTENSION_STATUS_REQUEST_V2: count = 17 ;
const SSL::SSL_EXTENSION_SUPPORTED_EKT_CIPHERS: count = 39 ;
const SSL::SSL_EXTENSION_SUPPORTED_GROUPS: count = 10 ;
const SSL::SSL_EXTENSION_SUPPORTED_VERSIONS: count = 43 ;
const SSL::SSL_EXTENSION_TICKETEARLYDATAINFO: count = 46 ;
const SSL::SSL_EXTENSION_TICKET_PINNING: count = 32 ;
const SSL::SSL_EXTENSION_TICKET_REQUEST: count = 58 ;
const SSL::SSL_EXTENSION_TLMSP: count = 36 ;
const SSL::SSL_EXTENSION_TLMSP_DELEGATE: count = 38 ;
const SSL::SSL_EXTENSION_TLMSP_PROXYING: count = 37 ;
const SSL::SSL_EXTENSION_TLS_CERT_WITH_EXTERN_PSK: count = 33 ;
const SSL::SSL_EXTENSION_TLS_FLAGS: count = 62 ;
const SSL::SSL_EXTENSION_TLS_LTS: count = 26 ;
const SSL::SSL_EXTENSION_TOKEN_BINDING: count = 24 ;
const SSL::SSL_EXTENSION_TRANSPARENCY_INFO: count = 52 ;
const SSL::SSL_EXTENSION_TRUNCATED_HMAC: count = 4 ;
const SSL::SSL_EXTENSION_TRUSTED_CA_KEYS: count = 3 ;
const SSL::SSL_EXTENSION_USER_MAPPING: count = 6 ;
const SSL::SSL_EXTENSION_USE_SRTP: count = 14 ;
const SSL::SSL_FORTEZZA_KEA_WITH_FORTEZZA_CBC_SHA: count = 29 ;
const SSL::SSL_FORTEZZA_KEA_WITH_NULL_SHA: count = 28 ;
const SSL::SSL_RSA_FIPS_WITH_3DES_EDE_CBC_SHA: count = 65279 ;
const SSL::SSL_RSA_FIPS_WITH_3DES_EDE_CBC_SHA_2: count = 65504 ;
const SSL::SSL_RSA_FIPS_WITH_DES_CBC_SHA: count = 65278 ;
const SSL::SSL_RSA_FIPS_WITH_DES_CBC_SHA_2: count = 65505 ;
const SSL::SSL_RSA_WITH_3DES_EDE_CBC_MD5: count = 65411 ;
const SSL::SSL_RSA_WITH_DES_CBC_MD5: count = 65410 ;
const SSL::SSL_RSA_WITH_IDEA_CBC_MD5: count = 65409 ;
const SSL::SSL_RSA_WITH_RC2_CBC_MD5: count = 65408 ;
const SSL::SSLv2: count = 2 ;
const SSL::SSLv20_CK_DES_192_EDE3_CBC_WITH_MD5: count = 458944 ;
const SSL::SSLv20_CK_DES_64_CBC_WITH_MD5: count = 393280 ;
const SSL::SSLv20_CK_IDEA_128_CBC_WITH_MD5: count = 327808 ;
const SSL::SSLv20_CK_RC2_128_CBC_EXPORT40_WITH_MD5: count = 262272 ;
const SSL::SSLv20_CK_RC2_128_CBC_WITH_MD5: count = 196736 ;
const SSL::SSLv20_CK_RC4_128_EXPORT40_WITH_MD5: count = 131200 ;
const SSL::SSLv20_CK_RC4_128_WITH_MD5: count = 65664 ;
const SSL::SSLv3: count = 768 ;
const SSL::SUPPLEMENTAL_DATA: count = 23 ;
const SSL::TLS12_CID: count = 25 ;
const SSL::TLS13_ACK: count = 26 ;
const SSL::TLS_AEGIS_128L_SHA256: count = 4871 ;
const SSL::TLS_AEGIS_256_SHA384: count = 4870 ;
const SSL::TLS_AES_128_CCM_8_SHA256: count = 4869 ;
const SSL::TLS_AES_128_CCM_SHA256: count = 4868 ;
const SSL::TLS_AES_128_GCM_SHA256: count = 4865 ;
const SSL::TLS_AES_256_GCM_SHA384: count = 4866 ;
const SSL::TLS_CECPQ1_ECDSA_WITH_AES_256_GCM_SHA384: count = 5818 ;
const SSL::TLS_CECPQ1_ECDSA_WITH_CHACHA20_POLY1305_SHA256: count = 5816 ;
const SSL::TLS_CECPQ1_RSA_WITH_AES_256_GCM_SHA384: count = 5817 ;
const SSL::TLS_CECPQ1_RSA_WITH_CHACHA20_POLY1305_SHA256: count = 5815 ;
const SSL::TLS_CHACHA20_POLY1305_SHA256: count = 4867 ;
const SSL::TLS_DHE_DSS_EXPORT1024_WITH_DES_CBC_SHA: count = 99 ;
const SSL::TLS_DHE_DSS_EXPORT1024_WITH_RC4_56_SHA: count = 101 ;
const SSL::TLS_DHE_DSS_EXPORT_WITH_DES40_CBC_SHA: count = 17 ;
const SSL::TLS_DHE_DSS_WITH_3DES_EDE_CBC_RMD: count = 114 ;
const SSL::TLS_DHE_DSS_WITH_3DES_EDE_CBC_SHA: count = 19 ;
const SSL::TLS_DHE_DSS_WITH_AES_128_CBC_RMD: count = 115 ;
const SSL::TLS_DHE_DSS_WITH_AES_128_CBC_SHA: count = 50 ;
const SSL::TLS_DHE_DSS_WITH_AES_128_CBC_SHA256: count = 64 ;
const SSL::TLS_DHE_DSS_WITH_AES_128_GCM_SHA256: count = 162 ;
const SSL::TLS_DHE_DSS_WITH_AES_256_CBC_RMD: count = 116 ;
const SSL::TLS_DHE_DSS_WITH_AES_256_CBC_SHA: count = 56 ;
const SSL::TLS_DHE_DSS_WITH_AES_256_CBC_SHA256: count = 106 ;
const SSL::TLS_DHE_DSS_WITH_AES_256_GCM_SHA384: count = 163 ;
const SSL::TLS_DHE_DSS_WITH_ARIA_128_CBC_SHA256: count = 49218 ;
const SSL::TLS_DHE_DSS_WITH_ARIA_128_GCM_SHA256: count = 49238 ;
const SSL::TLS_DHE_DSS_WITH_ARIA_256_CBC_SHA384: count = 49219 ;
const SSL::TLS_DHE_DSS_WITH_ARIA_256_GCM_SHA384: count = 49239 ;
const SSL::TLS_DHE_DSS_WITH_CAMELLIA_128_CBC_SHA: count = 68 ;
const SSL::TLS_DHE_DSS_WITH_CAMELLIA_128_CBC_SHA256: count = 189 ;
const SSL::TLS_DHE_DSS_WITH_CAMELLIA_128_GCM_SHA256: count = 49280 ;
const SSL::TLS_DHE_DSS_WITH_CAMELLIA_256_CBC_SHA: count = 135 ;
const SSL::TLS_DHE_DSS_WITH_CAMELLIA_256_CBC_SHA256: count = 195 ;
const SSL::TLS_DHE_DSS_WITH_CAMELLIA_256_GCM_SHA384: count = 49281 ;
const SSL::TLS_DHE_DSS_WITH_DES_CBC_SHA: count = 18 ;
const SSL::TLS_DHE_DSS_WITH_RC4_128_SHA: count = 102 ;
const SSL::TLS_DHE_DSS_WITH_SEED_CBC_SHA: count = 153 ;
const SSL::TLS_DHE_PSK_WITH_3DES_EDE_CBC_SHA: count = 143 ;
const SSL::TLS_DHE_PSK_WITH_AES_128_CBC_SHA: count = 144 ;
const SSL::TLS_DHE_PSK_WITH_AES_128_CBC_SHA256: count = 178 ;
const SSL::TLS_DHE_PSK_WITH_AES_128_CCM: count = 49318 ;
const SSL::TLS_DHE_PSK_WITH_AES_128_GCM_SHA256: count = 170 ;
const SSL::TLS_DHE_PSK_WITH_AES_256_CBC_SHA: count = 145 ;
const SSL::TLS_DHE_PSK_WITH_AES_256_CBC_SHA384: count = 179 ;
const SSL::TLS_DHE_PSK_WITH_AES_256_CCM: count = 49319 ;
const SSL::TLS_DHE_PSK_WITH_AES_256_GCM_SHA384: count = 171 ;
const SSL::TLS_DHE_PSK_WITH_ARIA_128_CBC_SHA256: count = 49254 ;
const SSL::TLS_DHE_PSK_WITH_ARIA_128_GCM_SHA256: count = 49260 ;
const SSL::TLS_DHE_PSK_WITH_ARIA_256_CBC_SHA384: count = 49255 ;
const SSL::TLS_DHE_PSK_WITH_ARIA_256_GCM_SHA384: count = 49261 ;
const SSL::TLS_DHE_PSK_WITH_CAMELLIA_128_CBC_SHA256: count = 49302 ;
const SSL::TLS_DHE_PSK_WITH_CAMELLIA_128_GCM_SHA256: count = 49296 ;
const SSL::TLS_DHE_PSK_WITH_CAMELLIA_256_CBC_SHA384: count = 49303 ;
const SSL::TLS_DHE_PSK_WITH_CAMELLIA_256_GCM_SHA384: count = 49297 ;
const SSL::TLS_DHE_PSK_WITH_CHACHA20_POLY1305_SHA256: count = 52397 ;
const SSL::TLS_DHE_PSK_WITH_NULL_SHA256: count = 180 ;
const SSL::TLS_DHE_PSK_WITH_NULL_SHA384: count = 181 ;
const SSL::TLS_DHE_PSK_WITH_RC4_128_SHA: count = 142 ;
const SSL::TLS_DHE_RSA_EXPORT_WITH_DES40_CBC_SHA: count = 20 ;
const SSL::TLS_DHE_RSA_WITH_3DES_EDE_CBC_RMD: count = 119 ;
const SSL::TLS_DHE_RSA_WITH_3DES_EDE_CBC_SHA: count = 22 ;
const SSL::TLS_DHE_RSA_WITH_AES_128_CBC_RMD: count = 120 ;
const SSL::TLS_DHE_RSA_WITH_AES_128_CBC_SHA: count = 51 ;
const SSL::TLS_DHE_RSA_WITH_AES_128_CBC_SHA256: count = 103 ;
const SSL::TLS_DHE_RSA_WITH_AES_128_CCM: count = 49310 ;
const SSL::TLS_DHE_RSA_WITH_AES_128_CCM_8: count = 49314 ;
const SSL::TLS_DHE_RSA_WITH_AES_128_GCM_SHA256: count = 158 ;
const SSL::TLS_DHE_RSA_WITH_AES_256_CBC_RMD: count = 121 ;
const SSL::TLS_DHE_RSA_WITH_AES_256_CBC_SHA: count = 57 ;
const SSL::TLS_DHE_RSA_WITH_AES_256_CBC_SHA256: count = 107 ;
const SSL::TLS_DHE_RSA_WITH_AES_256_CCM: count = 49311 ;
const SSL::TLS_DHE_RSA_WITH_AES_256_CCM_8: count = 49315 ;
const SSL::TLS_DHE_RSA_WITH_AES_256_GCM_SHA384: count = 159 ;
const SSL::TLS_DHE_RSA_WITH_ARIA_128_CBC_SHA256: count = 49220 ;
const SSL::TLS_DHE_RSA_WITH_ARIA_128_GCM_SHA256: count = 49234 ;
const SSL::TLS_DHE_RSA_WITH_ARIA_256_CBC_SHA384: count = 49221 ;
const SSL::TLS_DHE_RSA_WITH_ARIA_256_GCM_SHA384: count = 49235 ;
const SSL::TLS_DHE_RSA_WITH_CAMELLIA_128_CBC_SHA: count = 69 ;
const SSL::TLS_DHE_RSA_WITH_CAMELLIA_128_CBC_SHA256: count = 190 ;
const SSL::TLS_DHE_RSA_WITH_CAMELLIA_128_GCM_SHA256: count = 49276 ;
const SSL::TLS_DHE_RSA_WITH_CAMELLIA_256_CBC_SHA: count = 136 ;
const SSL::TLS_DHE_RSA_WITH_CAMELLIA_256_CBC_SHA256: count = 196 ;
const SSL::TLS_DHE_RSA_WITH_CAMELLIA_256_GCM_SHA384: count = 49277 ;
const SSL::TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256: count = 52394 ;
const SSL::TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256_OLD: count = 52245 ;
const SSL::TLS_DHE_RSA_WITH_DES_CBC_SHA: count = 21 ;
const SSL::TLS_DHE_RSA_WITH_SEED_CBC_SHA: count = 154 ;
const SSL::TLS_DH_ANON_EXPORT_WITH_DES40_CBC_SHA: count = 25 ;
const SSL::TLS_DH_ANON_EXPORT_WITH_RC4_40_MD5: count = 23 ;
const SSL::TLS_DH_ANON_WITH_3DES_EDE_CBC_SHA: count = 27 ;
const SSL::TLS_DH_ANON_WITH_AES_128_CBC_SHA: count = 52 ;
const SSL::TLS_DH_ANON_WITH_AES_128_CBC_SHA256: count = 108 ;
const SSL::TLS_DH_ANON_WITH_AES_128_GCM_SHA256: count = 166 ;
const SSL::TLS_DH_ANON_WITH_AES_256_CBC_SHA: count = 58 ;
const SSL::TLS_DH_ANON_WITH_AES_256_CBC_SHA256: count = 109 ;
const SSL::TLS_DH_ANON_WITH_AES_256_GCM_SHA384: count = 167 ;
const SSL::TLS_DH_ANON_WITH_ARIA_128_CBC_SHA256: count = 49222 ;
const SSL::TLS_DH_ANON_WITH_ARIA_128_GCM_SHA256: count = 49242 ;
const SSL::TLS_DH_ANON_WITH_ARIA_256_CBC_SHA384: count = 49223 ;
const SSL::TLS_DH_ANON_WITH_ARIA_256_GCM_SHA384: count = 49243 ;
const SSL::TLS_DH_ANON_WITH_CAMELLIA_128_CBC_SHA: count = 70 ;
const SSL::TLS_DH_ANON_WITH_CAMELLIA_128_CBC_SHA256: count = 191 ;
const SSL::TLS_DH_ANON_WITH_CAMELLIA_128_GCM_SHA256: count = 49284 ;
const SSL::TLS_DH_ANON_WITH_CAMELLIA_256_CBC_SHA: count = 137 ;
const SSL::TLS_DH_ANON_WITH_CAMELLIA_256_CBC_SHA256: count = 197 ;
const SSL::TLS_DH_ANON_WITH_CAMELLIA_256_GCM_SHA384: count = 49285 ;
const SSL::TLS_DH_ANON_WITH_DES_CBC_SHA: count = 26 ;
const SSL::TLS_DH_ANON_WITH_RC4_128_MD5: count = 24 ;
const SSL::TLS_DH_ANON_WITH_SEED_CBC_SHA: count = 155 ;
const SSL::TLS_DH_DSS_EXPORT_WITH_DES40_CBC_SHA: count = 11 ;
const SSL::TLS_DH_DSS_WITH_3DES_EDE_CBC_SHA: count = 13 ;
const SSL::TLS_DH_DSS_WITH_AES_128_CBC_SHA: count = 48 ;
const SSL::TLS_DH_DSS_WITH_AES_128_CBC_SHA256: count = 62 ;
const SSL::TLS_DH_DSS_WITH_AES_128_GCM_SHA256: count = 164 ;
const SSL::TLS_DH_DSS_WITH_AES_256_CBC_SHA: count = 54 ;
const SSL::TLS_DH_DSS_WITH_AES_256_CBC_SHA256: count = 104 ;
const SSL::TLS_DH_DSS_WITH_AES_256_GCM_SHA384: count = 165 ;
const SSL::TLS_DH_DSS_WITH_ARIA_128_CBC_SHA256: count = 49214 ;
const SSL::TLS_DH_DSS_WITH_ARIA_128_GCM_SHA256: count = 49240 ;
const SSL::TLS_DH_DSS_WITH_ARIA_256_CBC_SHA384: count = 49215 ;
const SSL::TLS_DH_DSS_WITH_ARIA_256_GCM_SHA384: count = 49241 ;
const SSL::TLS_DH_DSS_WITH_CAMELLIA_128_CBC_SHA: count = 66 ;
const SSL::TLS_DH_DSS_WITH_CAMELLIA_128_CBC_SHA256: count = 187 ;
const SSL::TLS_DH_DSS_WITH_CAMELLIA_128_GCM_SHA256: count = 49282 ;
const SSL::TLS_DH_DSS_WITH_CAMELLIA_256_CBC_SHA: count = 133 ;
const SSL::TLS_DH_DSS_WITH_CAMELLIA_256_CBC_SHA256: count = 193 ;
const SSL::TLS_DH_DSS_WITH_CAMELLIA_256_GCM_SHA384: count = 49283 ;
const SSL::TLS_DH_DSS_WITH_DES_CBC_SHA: count = 12 ;
const SSL::TLS_DH_DSS_WITH_SEED_CBC_SHA: count = 151 ;
const SSL::TLS_DH_RSA_EXPORT_WITH_DES40_CBC_SHA: count = 14 ;
const SSL::TLS_DH_RSA_WITH_3DES_EDE_CBC_SHA: count = 16 ;
const SSL::TLS_DH_RSA_WITH_AES_128_CBC_SHA: count = 49 ;
const SSL::TLS_DH_RSA_WITH_AES_128_CBC_SHA256: count = 63 ;
const SSL::TLS_DH_RSA_WITH_AES_128_GCM_SHA256: count = 160 ;
const SSL::TLS_DH_RSA_WITH_AES_256_CBC_SHA: count = 55 ;
const SSL::TLS_DH_RSA_WITH_AES_256_CBC_SHA256: count = 105 ;
const SSL::TLS_DH_RSA_WITH_AES_256_GCM_SHA384: count = 161 ;
const SSL::TLS_DH_RSA_WITH_ARIA_128_CBC_SHA256: count = 49216 ;
const SSL::TLS_DH_RSA_WITH_ARIA_128_GCM_SHA256: count = 49236 ;
const SSL::TLS_DH_RSA_WITH_ARIA_256_CBC_SHA384: count = 49217 ;
const SSL::TLS_DH_RSA_WITH_ARIA_256_GCM_SHA384: count = 49237 ;
const SSL::TLS_DH_RSA_WITH_CAMELLIA_128_CBC_SHA: count = 67 ;
const SSL::TLS_DH_RSA_WITH_CAMELLIA_128_CBC_SHA256: count = 188 ;
const SSL::TLS_DH_RSA_WITH_CAMELLIA_128_GCM_SHA256: count = 49278 ;
const SSL::TLS_DH_RSA_WITH_CAMELLIA_256_CBC_SHA: count = 134 ;
const SSL::TLS_DH_RSA_WITH_CAMELLIA_256_CBC_SHA256: count = 194 ;
const SSL::TLS_DH_RSA_WITH_CAMELLIA_256_GCM_SHA384: count = 49279 ;
const SSL::TLS_DH_RSA_WITH_DES_CBC_SHA: count = 15 ;
const SSL::TLS_DH_RSA_WITH_SEED_CBC_SHA: count = 152 ;
const SSL::TLS_ECCPWD_WITH_AES_128_CCM_SHA256: count = 49330 ;
const SSL::TLS_ECCPWD_WITH_AES_128_GCM_SHA256: count = 49328 ;
const SSL::TLS_ECCPWD_WITH_AES_256_CCM_SHA384: count = 49331 ;
const SSL::TLS_ECCPWD_WITH_AES_256_GCM_SHA384: count = 49329 ;
const SSL::TLS_ECDHE_ECDSA_WITH_3DES_EDE_CBC_SHA: count = 49160 ;
const SSL::TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: count = 49161 ;
const SSL::TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: count = 49187 ;
const SSL::TLS_ECDHE_ECDSA_WITH_AES_128_CCM: count = 49324 ;
const SSL::TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8: count = 49326 ;
const SSL::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: count = 49195 ;
const SSL::TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: count = 49162 ;
const SSL::TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384: count = 49188 ;
const SSL::TLS_ECDHE_ECDSA_WITH_AES_256_CCM: count = 49325 ;
const SSL::TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8: count = 49327 ;
const SSL::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: count = 49196 ;
const SSL::TLS_ECDHE_ECDSA_WITH_ARIA_128_CBC_SHA256: count = 49224 ;
const SSL::TLS_ECDHE_ECDSA_WITH_ARIA_128_GCM_SHA256: count = 49244 ;
const SSL::TLS_ECDHE_ECDSA_WITH_ARIA_256_CBC_SHA384: count = 49225 ;
const SSL::TLS_ECDHE_ECDSA_WITH_ARIA_256_GCM_SHA384: count = 49245 ;
const SSL::TLS_ECDHE_ECDSA_WITH_CAMELLIA_128_CBC_SHA256: count = 49266 ;
const SSL::TLS_ECDHE_ECDSA_WITH_CAMELLIA_128_GCM_SHA256: count = 49286 ;
const SSL::TLS_ECDHE_ECDSA_WITH_CAMELLIA_256_CBC_SHA384: count = 49267 ;
const SSL::TLS_ECDHE_ECDSA_WITH_CAMELLIA_256_GCM_SHA384: count = 49287 ;
const SSL::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: count = 52393 ;
const SSL::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256_OLD: count = 52244 ;
const SSL::TLS_ECDHE_ECDSA_WITH_NULL_SHA: count = 49158 ;
const SSL::TLS_ECDHE_ECDSA_WITH_RC4_128_SHA: count = 49159 ;
const SSL::TLS_ECDHE_PSK_WITH_3DES_EDE_CBC_SHA: count = 49204 ;
const SSL::TLS_ECDHE_PSK_WITH_AES_128_CBC_SHA: count = 49205 ;
const SSL::TLS_ECDHE_PSK_WITH_AES_128_CBC_SHA256: count = 49207 ;
const SSL::TLS_ECDHE_PSK_WITH_AES_128_CCM_8_SHA256: count = 53251 ;
const SSL::TLS_ECDHE_PSK_WITH_AES_128_CCM_SHA256: count = 53253 ;
const SSL::TLS_ECDHE_PSK_WITH_AES_128_CCM_SHA256_OLD: count = 53252 ;
const SSL::TLS_ECDHE_PSK_WITH_AES_128_GCM_SHA256: count = 53249 ;
const SSL::TLS_ECDHE_PSK_WITH_AES_256_CBC_SHA: count = 49206 ;
const SSL::TLS_ECDHE_PSK_WITH_AES_256_CBC_SHA384: count = 49208 ;
const SSL::TLS_ECDHE_PSK_WITH_AES_256_GCM_SHA384: count = 53250 ;
const SSL::TLS_ECDHE_PSK_WITH_ARIA_128_CBC_SHA256: count = 49264 ;
const SSL::TLS_ECDHE_PSK_WITH_ARIA_256_CBC_SHA384: count = 49265 ;
const SSL::TLS_ECDHE_PSK_WITH_CAMELLIA_128_CBC_SHA256: count = 49306 ;
const SSL::TLS_ECDHE_PSK_WITH_CAMELLIA_256_CBC_SHA384: count = 49307 ;
const SSL::TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256: count = 52396 ;
const SSL::TLS_ECDHE_PSK_WITH_NULL_SHA: count = 49209 ;
const SSL::TLS_ECDHE_PSK_WITH_NULL_SHA256: count = 49210 ;
const SSL::TLS_ECDHE_PSK_WITH_NULL_SHA384: count = 49211 ;
const SSL::TLS_ECDHE_PSK_WITH_RC4_128_SHA: count = 49203 ;
const SSL::TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA: count = 49170 ;
const SSL::TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: count = 49171 ;
const SSL::TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: count = 49191 ;
const SSL::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: count = 49199 ;
const SSL::TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: count = 49172 ;
const SSL::TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384: count = 49192 ;
const SSL::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: count = 49200 ;
const SSL::TLS_ECDHE_RSA_WITH_ARIA_128_CBC_SHA256: count = 49228 ;
const SSL::TLS_ECDHE_RSA_WITH_ARIA_128_GCM_SHA256: count = 49248 ;
const SSL::TLS_ECDHE_RSA_WITH_ARIA_256_CBC_SHA384: count = 49229 ;
const SSL::TLS_ECDHE_RSA_WITH_ARIA_256_GCM_SHA384: count = 49249 ;
const SSL::TLS_ECDHE_RSA_WITH_CAMELLIA_128_CBC_SHA256: count = 49270 ;
const SSL::TLS_ECDHE_RSA_WITH_CAMELLIA_128_GCM_SHA256: count = 49290 ;
const SSL::TLS_ECDHE_RSA_WITH_CAMELLIA_256_CBC_SHA384: count = 49271 ;
const SSL::TLS_ECDHE_RSA_WITH_CAMELLIA_256_GCM_SHA384: count = 49291 ;
const SSL::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: count = 52392 ;
const SSL::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256_OLD: count = 52243 ;
const SSL::TLS_ECDHE_RSA_WITH_NULL_SHA: count = 49168 ;
const SSL::TLS_ECDHE_RSA_WITH_RC4_128_SHA: count = 49169 ;
const SSL::TLS_ECDH_ANON_WITH_3DES_EDE_CBC_SHA: count = 49175 ;
const SSL::TLS_ECDH_ANON_WITH_AES_128_CBC_SHA: count = 49176 ;
const SSL::TLS_ECDH_ANON_WITH_AES_256_CBC_SHA: count = 49177 ;
const SSL::TLS_ECDH_ANON_WITH_NULL_SHA: count = 49173 ;
const SSL::TLS_ECDH_ANON_WITH_RC4_128_SHA: count = 49174 ;
const SSL::TLS_ECDH_ECDSA_WITH_3DES_EDE_CBC_SHA: count = 49155 ;
const SSL::TLS_ECDH_ECDSA_WITH_AES_128_CBC_SHA: count = 49156 ;
const SSL::TLS_ECDH_ECDSA_WITH_AES_128_CBC_SHA256: count = 49189 ;
const SSL::TLS_ECDH_ECDSA_WITH_AES_128_GCM_SHA256: count = 49197 ;
const SSL::TLS_ECDH_ECDSA_WITH_AES_256_CBC_SHA: count = 49157 ;
const SSL::TLS_ECDH_ECDSA_WITH_AES_256_CBC_SHA384: count = 49190 ;
const SSL::TLS_ECDH_ECDSA_WITH_AES_256_GCM_SHA384: count = 49198 ;
const SSL::TLS_ECDH_ECDSA_WITH_ARIA_128_CBC_SHA256: count = 49226 ;
const SSL::TLS_ECDH_ECDSA_WITH_ARIA_128_GCM_SHA256: count = 49246 ;
const SSL::TLS_ECDH_ECDSA_WITH_ARIA_256_CBC_SHA384: count = 49227 ;
const SSL::TLS_ECDH_ECDSA_WITH_ARIA_256_GCM_SHA384: count = 49247 ;
const SSL::TLS_ECDH_ECDSA_WITH_CAMELLIA_128_CBC_SHA256: count = 49268 ;
const SSL::TLS_ECDH_ECDSA_WITH_CAMELLIA_128_GCM_SHA256: count = 49288 ;
const SSL::TLS_ECDH_ECDSA_WITH_CAMELLIA_256_CBC_SHA384: count = 49269 ;
const SSL::TLS_ECDH_ECDSA_WITH_CAMELLIA_256_GCM_SHA384: count = 49289 ;
const SSL::TLS_ECDH_ECDSA_WITH_NULL_SHA: count = 49153 ;
const SSL::TLS_ECDH_ECDSA_WITH_RC4_128_SHA: count = 49154 ;
const SSL::TLS_ECDH_RSA_WITH_3DES_EDE_CBC_SHA: count = 49165 ;
const SSL::TLS_ECDH_RSA_WITH_AES_128_CBC_SHA: count = 49166 ;
const SSL::TLS_ECDH_RSA_WITH_AES_128_CBC_SHA256: count = 49193 ;
const SSL::TLS_ECDH_RSA_WITH_AES_128_GCM_SHA256: count = 49201 ;
const SSL::TLS_ECDH_RSA_WITH_AES_256_CBC_SHA: count = 49167 ;
const SSL::TLS_ECDH_RSA_WITH_AES_256_CBC_SHA384: count = 49194 ;
const SSL::TLS_ECDH_RSA_WITH_AES_256_GCM_SHA384: count = 49202 ;
const SSL::TLS_ECDH_RSA_WITH_ARIA_128_CBC_SHA256: count = 49230 ;
const SSL::TLS_ECDH_RSA_WITH_ARIA_128_GCM_SHA256: count = 49250 ;
const SSL::TLS_ECDH_RSA_WITH_ARIA_256_CBC_SHA384: count = 49231 ;
const SSL::TLS_ECDH_RSA_WITH_ARIA_256_GCM_SHA384: count = 49251 ;
const SSL::TLS_ECDH_RSA_WITH_CAMELLIA_128_CBC_SHA256: count = 49272 ;
const SSL::TLS_ECDH_RSA_WITH_CAMELLIA_128_GCM_SHA256: count = 49292 ;
const SSL::TLS_ECDH_RSA_WITH_CAMELLIA_256_CBC_SHA384: count = 49273 ;
const SSL::TLS_ECDH_RSA_WITH_CAMELLIA_256_GCM_SHA384: count = 49293 ;
const SSL::TLS_ECDH_RSA_WITH_NULL_SHA: count = 49163 ;
const SSL::TLS_ECDH_RSA_WITH_RC4_128_SHA: count = 49164 ;
const SSL::TLS_EMPTY_RENEGOTIATION_INFO_SCSV: count = 255 ;
const SSL::TLS_FALLBACK_SCSV: count = 22016 ;
const SSL::TLS_GOSTR341001_WITH_28147_CNT_IMIT: count = 129 ;
const SSL::TLS_GOSTR341001_WITH_NULL_GOSTR3411: count = 131 ;
const SSL::TLS_GOSTR341094_WITH_28147_CNT_IMIT: count = 128 ;
const SSL::TLS_GOSTR341094_WITH_NULL_GOSTR3411: count = 130 ;
const SSL::TLS_GOSTR341112_256_WITH_28147_CNT_IMIT: count = 49410 ;
const SSL::TLS_GOSTR341112_256_WITH_KUZNYECHIK_CTR_OMAC: count = 49408 ;
const SSL::TLS_GOSTR341112_256_WITH_KUZNYECHIK_MGM_L: count = 49411 ;
const SSL::TLS_GOSTR341112_256_WITH_KUZNYECHIK_MGM_S: count = 49413 ;
const SSL::TLS_GOSTR341112_256_WITH_MAGMA_CTR_OMAC: count = 49409 ;
const SSL::TLS_GOSTR341112_256_WITH_MAGMA_MGM_L: count = 49412 ;
const SSL::TLS_GOSTR341112_256_WITH_MAGMA_MGM_S: count = 49414 ;
const SSL::TLS_KRB5_EXPORT_WITH_DES_CBC_40_MD5: count = 41 ;
const SSL::TLS_KRB5_EXPORT_WITH_DES_CBC_40_SHA: count = 38 ;
const SSL::TLS_KRB5_EXPORT_WITH_RC2_CBC_40_MD5: count = 42 ;
const SSL::TLS_KRB5_EXPORT_WITH_RC2_CBC_40_SHA: count = 39 ;
const SSL::TLS_KRB5_EXPORT_WITH_RC4_40_MD5: count = 43 ;
const SSL::TLS_KRB5_EXPORT_WITH_RC4_40_SHA: count = 40 ;
const SSL::TLS_KRB5_WITH_3DES_EDE_CBC_MD5: count = 35 ;
const SSL::TLS_KRB5_WITH_3DES_EDE_CBC_SHA: count = 31 ;
const SSL::TLS_KRB5_WITH_DES_CBC_MD5: count = 34 ;
const SSL::TLS_KRB5_WITH_DES_CBC_SHA: count = 30 ;
const SSL::TLS_KRB5_WITH_IDEA_CBC_MD5: count = 37 ;
const SSL::TLS_KRB5_WITH_IDEA_CBC_SHA: count = 33 ;
const SSL::TLS_KRB5_WITH_RC4_128_MD5: count = 36 ;
const SSL::TLS_KRB5_WITH_RC4_128_SHA: count = 32 ;
const SSL::TLS_NULL_WITH_NULL_NULL: count = 0 ;
const SSL::TLS_PSK_DHE_WITH_AES_128_CCM_8: count = 49322 ;
const SSL::TLS_PSK_DHE_WITH_AES_256_CCM_8: count = 49323 ;
const SSL::TLS_PSK_WITH_3DES_EDE_CBC_SHA: count = 139 ;
const SSL::TLS_PSK_WITH_AES_128_CBC_SHA: count = 140 ;
const SSL::TLS_PSK_WITH_AES_128_CBC_SHA256: count = 174 ;
const SSL::TLS_PSK_WITH_AES_128_CCM: count = 49316 ;
const SSL::TLS_PSK_WITH_AES_128_CCM_8: count = 49320 ;
const SSL::TLS_PSK_WITH_AES_128_GCM_SHA256: count = 168 ;
const SSL::TLS_PSK_WITH_AES_256_CBC_SHA: count = 141 ;
const SSL::TLS_PSK_WITH_AES_256_CBC_SHA384: count = 175 ;
const SSL::TLS_PSK_WITH_AES_256_CCM: count = 49317 ;
const SSL::TLS_PSK_WITH_AES_256_CCM_8: count = 49321 ;
const SSL::TLS_PSK_WITH_AES_256_GCM_SHA384: count = 169 ;
const SSL::TLS_PSK_WITH_ARIA_128_CBC_SHA256: count = 49252 ;
const SSL::TLS_PSK_WITH_ARIA_128_GCM_SHA256: count = 49258 ;
const SSL::TLS_PSK_WITH_ARIA_256_CBC_SHA384: count = 49253 ;
const SSL::TLS_PSK_WITH_ARIA_256_GCM_SHA384: count = 49259 ;
const SSL::TLS_PSK_WITH_CAMELLIA_128_CBC_SHA256: count = 49300 ;
const SSL::TLS_PSK_WITH_CAMELLIA_128_GCM_SHA256: count = 49294 ;
const SSL::TLS_PSK_WITH_CAMELLIA_256_CBC_SHA384: count = 49301 ;
const SSL::TLS_PSK_WITH_CAMELLIA_256_GCM_SHA384: count = 49295 ;
const SSL::TLS_PSK_WITH_CHACHA20_POLY1305_SHA256: count = 52395 ;
const SSL::TLS_PSK_WITH_NULL_SHA256: count = 176 ;
const SSL::TLS_PSK_WITH_NULL_SHA384: count = 177 ;
const SSL::TLS_PSK_WITH_RC4_128_SHA: count = 138 ;
const SSL::TLS_RSA_EXPORT1024_WITH_DES_CBC_SHA: count = 98 ;
const SSL::TLS_RSA_EXPORT1024_WITH_RC2_CBC_56_MD5: count = 97 ;
const SSL::TLS_RSA_EXPORT1024_WITH_RC4_56_MD5: count = 96 ;
const SSL::TLS_RSA_EXPORT1024_WITH_RC4_56_SHA: count = 100 ;
const SSL::TLS_RSA_EXPORT_WITH_DES40_CBC_SHA: count = 8 ;
const SSL::TLS_RSA_EXPORT_WITH_RC2_CBC_40_MD5: count = 6 ;
const SSL::TLS_RSA_EXPORT_WITH_RC4_40_MD5: count = 3 ;
const SSL::TLS_RSA_PSK_WITH_3DES_EDE_CBC_SHA: count = 147 ;
const SSL::TLS_RSA_PSK_WITH_AES_128_CBC_SHA: count = 148 ;
const SSL::TLS_RSA_PSK_WITH_AES_128_CBC_SHA256: count = 182 ;
const SSL::TLS_RSA_PSK_WITH_AES_128_GCM_SHA256: count = 172 ;
const SSL::TLS_RSA_PSK_WITH_AES_256_CBC_SHA: count = 149 ;
const SSL::TLS_RSA_PSK_WITH_AES_256_CBC_SHA384: count = 183 ;
const SSL::TLS_RSA_PSK_WITH_AES_256_GCM_SHA384: count = 173 ;
const SSL::TLS_RSA_PSK_WITH_ARIA_128_CBC_SHA256: count = 49256 ;
const SSL::TLS_RSA_PSK_WITH_ARIA_128_GCM_SHA256: count = 49262 ;
const SSL::TLS_RSA_PSK_WITH_ARIA_256_CBC_SHA384: count = 49257 ;
const SSL::TLS_RSA_PSK_WITH_ARIA_256_GCM_SHA384: count = 49263 ;
const SSL::TLS_RSA_PSK_WITH_CAMELLIA_128_CBC_SHA256: count = 49304 ;
const SSL::TLS_RSA_PSK_WITH_CAMELLIA_128_GCM_SHA256: count = 49298 ;
const SSL::TLS_RSA_PSK_WITH_CAMELLIA_256_CBC_SHA384: count = 49305 ;
const SSL::TLS_RSA_PSK_WITH_CAMELLIA_256_GCM_SHA384: count = 49299 ;
const SSL::TLS_RSA_PSK_WITH_CHACHA20_POLY1305_SHA256: count = 52398 ;
const SSL::TLS_RSA_PSK_WITH_NULL_SHA256: count = 184 ;
const SSL::TLS_RSA_PSK_WITH_NULL_SHA384: count = 185 ;
const SSL::TLS_RSA_PSK_WITH_RC4_128_SHA: count = 146 ;
const SSL::TLS_RSA_WITH_3DES_EDE_CBC_RMD: count = 124 ;
const SSL::TLS_RSA_WITH_3DES_EDE_CBC_SHA: count = 10 ;
const SSL::TLS_RSA_WITH_AES_128_CBC_RMD: count = 125 ;
const SSL::TLS_RSA_WITH_AES_128_CBC_SHA: count = 47 ;
const SSL::TLS_RSA_WITH_AES_128_CBC_SHA256: count = 60 ;
const SSL::TLS_RSA_WITH_AES_128_CCM: count = 49308 ;
const SSL::TLS_RSA_WITH_AES_128_CCM_8: count = 49312 ;
const SSL::TLS_RSA_WITH_AES_128_GCM_SHA256: count = 156 ;
const SSL::TLS_RSA_WITH_AES_256_CBC_RMD: count = 126 ;
const SSL::TLS_RSA_WITH_AES_256_CBC_SHA: count = 53 ;
const SSL::TLS_RSA_WITH_AES_256_CBC_SHA256: count = 61 ;
const SSL::TLS_RSA_WITH_AES_256_CCM: count = 49309 ;
const SSL::TLS_RSA_WITH_AES_256_CCM_8: count = 49313 ;
const SSL::TLS_RSA_WITH_AES_256_GCM_SHA384: count = 157 ;
const SSL::TLS_RSA_WITH_ARIA_128_CBC_SHA256: count = 49212 ;
const SSL::TLS_RSA_WITH_ARIA_128_GCM_SHA256: count = 49232 ;
const SSL::TLS_RSA_WITH_ARIA_256_CBC_SHA384: count = 49213 ;
const SSL::TLS_RSA_WITH_ARIA_256_GCM_SHA384: count = 49233 ;
const SSL::TLS_RSA_WITH_CAMELLIA_128_CBC_SHA: count = 65 ;
const SSL::TLS_RSA_WITH_CAMELLIA_128_CBC_SHA256: count = 186 ;
const SSL::TLS_RSA_WITH_CAMELLIA_128_GCM_SHA256: count = 49274 ;
const SSL::TLS_RSA_WITH_CAMELLIA_256_CBC_SHA: count = 132 ;
const SSL::TLS_RSA_WITH_CAMELLIA_256_CBC_SHA256: count = 192 ;
const SSL::TLS_RSA_WITH_CAMELLIA_256_GCM_SHA384: count = 49275 ;
const SSL::TLS_RSA_WITH_DES_CBC_SHA: count = 9 ;
const SSL::TLS_RSA_WITH_IDEA_CBC_SHA: count = 7 ;
const SSL::TLS_RSA_WITH_NULL_MD5: count = 1 ;
const SSL::TLS_RSA_WITH_NULL_SHA: count = 2 ;
const SSL::TLS_RSA_WITH_NULL_SHA256: count = 59 ;
const SSL::TLS_RSA_WITH_RC4_128_MD5: count = 4 ;
const SSL::TLS_RSA_WITH_RC4_128_SHA: count = 5 ;
const SSL::TLS_RSA_WITH_SEED_CBC_SHA: count = 150 ;
const SSL::TLS_SHA256_SHA256: count = 49332 ;
const SSL::TLS_SHA384_SHA384: count = 49333 ;
const SSL::TLS_SM4_CCM_SM3: count = 199 ;
const SSL::TLS_SM4_GCM_SM3: count = 198 ;
const SSL::TLS_SRP_SHA_DSS_WITH_3DES_EDE_CBC_SHA: count = 49180 ;
const SSL::TLS_SRP_SHA_DSS_WITH_AES_128_CBC_SHA: count = 49183 ;
const SSL::TLS_SRP_SHA_DSS_WITH_AES_256_CBC_SHA: count = 49186 ;
const SSL::TLS_SRP_SHA_RSA_WITH_3DES_EDE_CBC_SHA: count = 49179 ;
const SSL::TLS_SRP_SHA_RSA_WITH_AES_128_CBC_SHA: count = 49182 ;
const SSL::TLS_SRP_SHA_RSA_WITH_AES_256_CBC_SHA: count = 49185 ;
const SSL::TLS_SRP_SHA_WITH_3DES_EDE_CBC_SHA: count = 49178 ;
const SSL::TLS_SRP_SHA_WITH_AES_128_CBC_SHA: count = 49181 ;
const SSL::TLS_SRP_SHA_WITH_AES_256_CBC_SHA: count = 49184 ;
const SSL::TLSv10: count = 769 ;
const SSL::TLSv11: count = 770 ;
const SSL::TLSv12: count = 771 ;
const SSL::TLSv13: count = 772 ;
const SSL::V2_CLIENT_HELLO: count = 301 ;
const SSL::V2_CLIENT_MASTER_KEY: count = 302 ;
const SSL::V2_ERROR: count = 300 ;
const SSL::V2_SERVER_HELLO: count = 304 ;
const SSL::alert_descriptions: table [count] of string = { [40] = "handshake_failure", [45] = "certificate_expired", [20] = "bad_record_mac", [46] = "certificate_unknown", [30] = "decompression_failure", [71] = "insufficient_security", [10] = "unexpected_message", [21] = "decryption_failed", [41] = "no_certificate", [47] = "illegal_parameter", [70] = "protocol_version", [80] = "internal_error", [50] = "decode_error", [120] = "no_application_protocol", [111] = "certificate_unobtainable", [115] = "unknown_psk_identity", [121] = "ech_required", [48] = "unknown_ca", [90] = "user_canceled", [42] = "bad_certificate", [49] = "access_denied", [86] = "inappropriate_fallback", [116] = "certificate_required", [113] = "bad_certificate_status_response", [112] = "unrecognized_name", [60] = "export_restriction", [22] = "record_overflow", [100] = "no_renegotiation", [51] = "decrypt_error", [43] = "unsupported_certificate", [114] = "bad_certificate_hash_value", [117] = "general_error", [0] = "close_notify", [44] = "certificate_revoked", [110] = "unsupported_extension" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;
const SSL::alert_levels: table [count] of string = { [2] = "fatal", [1] = "warning" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;
const SSL::cipher_desc: table [count] of string = { [49279] = "TLS_DH_RSA_WITH_CAMELLIA_256_GCM_SHA384", [53] = "TLS_RSA_WITH_AES_256_CBC_SHA", [49161] = "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", [198] = "TLS_SM4_GCM_SM3", [49284] = "TLS_DH_ANON_WITH_CAMELLIA_128_GCM_SHA256", [49278] = "TLS_DH_RSA_WITH_CAMELLIA_128_GCM_SHA256", [52394] = "TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256", [49330] = "TLS_ECCPWD_WITH_AES_128_CCM_SHA256", [5815] = "TLS_CECPQ1_RSA_WITH_CHACHA20_POLY1305_SHA256", [49251] = "TLS_ECDH_RSA_WITH_ARIA_256_GCM_SHA384", [146] = "TLS_RSA_PSK_WITH_RC4_128_SHA", [1] = "TLS_RSA_WITH_NULL_MD5", [35] = "TLS_KRB5_WITH_3DES_EDE_CBC_MD5", [102] = "TLS_DHE_DSS_WITH_RC4_128_SHA", [52393] = "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", [47802] = "grease_0xBABA", [49410] = "TLS_GOSTR341112_256_WITH_28147_CNT_IMIT", [14] = "TLS_DH_RSA_EXPORT_WITH_DES40_CBC_SHA", [49198] = "TLS_ECDH_ECDSA_WITH_AES_256_GCM_SHA384", [49239] = "TLS_DHE_DSS_WITH_ARIA_256_GCM_SHA384", [31] = "TLS_KRB5_WITH_3DES_EDE_CBC_SHA", [192] = "TLS_RSA_WITH_CAMELLIA_256_CBC_SHA256", [49283] = "TLS_DH_DSS_WITH_CAMELLIA_256_GCM_SHA384", [49291] = "TLS_ECDHE_RSA_WITH_CAMELLIA_256_GCM_SHA384", [49295] = "TLS_PSK_WITH_CAMELLIA_256_GCM_SHA384", [56] = "TLS_DHE_DSS_WITH_AES_256_CBC_SHA", [49268] = "TLS_ECDH_ECDSA_WITH_CAMELLIA_128_CBC_SHA256", [49281] = "TLS_DHE_DSS_WITH_CAMELLIA_256_GCM_SHA384", [49275] = "TLS_RSA_WITH_CAMELLIA_256_GCM_SHA384", [22016] = "TLS_FALLBACK_SCSV", [70] = "TLS_DH_ANON_WITH_CAMELLIA_128_CBC_SHA", [132] = "TLS_RSA_WITH_CAMELLIA_256_CBC_SHA", [4865] = "TLS_AES_128_GCM_SHA256", [49252] = "TLS_PSK_WITH_ARIA_128_CBC_SHA256", [49181] = "TLS_SRP_SHA_WITH_AES_128_CBC_SHA", [49205] = "TLS_ECDHE_PSK_WITH_AES_128_CBC_SHA", [49307] = "TLS_ECDHE_PSK_WITH_CAMELLIA_256_CBC_SHA384", [161] = "TLS_DH_RSA_WITH_AES_256_GCM_SHA384", [56026] = "grease_0xDADA", [60] = "TLS_RSA_WITH_AES_128_CBC_SHA256", [37] = "TLS_KRB5_WITH_IDEA_CBC_MD5", [185] = "TLS_RSA_PSK_WITH_NULL_SHA384", [49331] = "TLS_ECCPWD_WITH_AES_256_CCM_SHA384", [65279] = "SSL_RSA_FIPS_WITH_3DES_EDE_CBC_SHA", [49236] = "TLS_DH_RSA_WITH_ARIA_128_GCM_SHA256", [20] = "TLS_DHE_RSA_EXPORT_WITH_DES40_CBC_SHA", [49195] = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", [164] = "TLS_DH_DSS_WITH_AES_128_GCM_SHA256", [187] = "TLS_DH_DSS_WITH_CAMELLIA_128_CBC_SHA256", [49299] = "TLS_RSA_PSK_WITH_CAMELLIA_256_GCM_SHA384", [156] = "TLS_RSA_WITH_AES_128_GCM_SHA256", [97] = "TLS_RSA_EXPORT1024_WITH_RC2_CBC_56_MD5", [21] = "TLS_DHE_RSA_WITH_DES_CBC_SHA", [12] = "TLS_DH_DSS_WITH_DES_CBC_SHA", [49175] = "TLS_ECDH_ANON_WITH_3DES_EDE_CBC_SHA", [169] = "TLS_PSK_WITH_AES_256_GCM_SHA384", [155] = "TLS_DH_ANON_WITH_SEED_CBC_SHA", [49159] = "TLS_ECDHE_ECDSA_WITH_RC4_128_SHA", [5817] = "TLS_CECPQ1_RSA_WITH_AES_256_GCM_SHA384", [150] = "TLS_RSA_WITH_SEED_CBC_SHA", [131200] = "SSLv20_CK_RC4_128_EXPORT40_WITH_MD5", [25] = "TLS_DH_ANON_EXPORT_WITH_DES40_CBC_SHA", [49256] = "TLS_RSA_PSK_WITH_ARIA_128_CBC_SHA256", [49324] = "TLS_ECDHE_ECDSA_WITH_AES_128_CCM", [49321] = "TLS_PSK_WITH_AES_256_CCM_8", [49311] = "TLS_DHE_RSA_WITH_AES_256_CCM", [57] = "TLS_DHE_RSA_WITH_AES_256_CBC_SHA", [42] = "TLS_KRB5_EXPORT_WITH_RC2_CBC_40_MD5", [49193] = "TLS_ECDH_RSA_WITH_AES_128_CBC_SHA256", [49207] = "TLS_ECDHE_PSK_WITH_AES_128_CBC_SHA256", [65278] = "SSL_RSA_FIPS_WITH_DES_CBC_SHA", [49333] = "TLS_SHA384_SHA384", [49261] = "TLS_DHE_PSK_WITH_ARIA_256_GCM_SHA384", [108] = "TLS_DH_ANON_WITH_AES_128_CBC_SHA256", [49309] = "TLS_RSA_WITH_AES_256_CCM", [40] = "TLS_KRB5_EXPORT_WITH_RC4_40_SHA", [141] = "TLS_PSK_WITH_AES_256_CBC_SHA", [49285] = "TLS_DH_ANON_WITH_CAMELLIA_256_GCM_SHA384", [49244] = "TLS_ECDHE_ECDSA_WITH_ARIA_128_GCM_SHA256", [23] = "TLS_DH_ANON_EXPORT_WITH_RC4_40_MD5", [49246] = "TLS_ECDH_ECDSA_WITH_ARIA_128_GCM_SHA256", [65] = "TLS_RSA_WITH_CAMELLIA_128_CBC_SHA", [13] = "TLS_DH_DSS_WITH_3DES_EDE_CBC_SHA", [49206] = "TLS_ECDHE_PSK_WITH_AES_256_CBC_SHA", [101] = "TLS_DHE_DSS_EXPORT1024_WITH_RC4_56_SHA", [19018] = "grease_0x4A4A", [49412] = "TLS_GOSTR341112_256_WITH_MAGMA_MGM_L", [152] = "TLS_DH_RSA_WITH_SEED_CBC_SHA", [120] = "TLS_DHE_RSA_WITH_AES_128_CBC_RMD", [51914] = "grease_0xCACA", [49172] = "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", [49202] = "TLS_ECDH_RSA_WITH_AES_256_GCM_SHA384", [49260] = "TLS_DHE_PSK_WITH_ARIA_128_GCM_SHA256", [35466] = "grease_0x8A8A", [49323] = "TLS_PSK_DHE_WITH_AES_256_CCM_8", [100] = "TLS_RSA_EXPORT1024_WITH_RC4_56_SHA", [166] = "TLS_DH_ANON_WITH_AES_128_GCM_SHA256", [65411] = "SSL_RSA_WITH_3DES_EDE_CBC_MD5", [131] = "TLS_GOSTR341001_WITH_NULL_GOSTR3411", [149] = "TLS_RSA_PSK_WITH_AES_256_CBC_SHA", [96] = "TLS_RSA_EXPORT1024_WITH_RC4_56_MD5", [49242] = "TLS_DH_ANON_WITH_ARIA_128_GCM_SHA256", [39] = "TLS_KRB5_EXPORT_WITH_RC2_CBC_40_SHA", [49243] = "TLS_DH_ANON_WITH_ARIA_256_GCM_SHA384", [262272] = "SSLv20_CK_RC2_128_CBC_EXPORT40_WITH_MD5", [27242] = "grease_0x6A6A", [41] = "TLS_KRB5_EXPORT_WITH_DES_CBC_40_MD5", [60138] = "grease_0xEAEA", [49223] = "TLS_DH_ANON_WITH_ARIA_256_CBC_SHA384", [49192] = "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384", [54] = "TLS_DH_DSS_WITH_AES_256_CBC_SHA", [49264] = "TLS_ECDHE_PSK_WITH_ARIA_128_CBC_SHA256", [49249] = "TLS_ECDHE_RSA_WITH_ARIA_256_GCM_SHA384", [172] = "TLS_RSA_PSK_WITH_AES_128_GCM_SHA256", [49222] = "TLS_DH_ANON_WITH_ARIA_128_CBC_SHA256", [49267] = "TLS_ECDHE_ECDSA_WITH_CAMELLIA_256_CBC_SHA384", [49327] = "TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8", [114] = "TLS_DHE_DSS_WITH_3DES_EDE_CBC_RMD", [49230] = "TLS_ECDH_RSA_WITH_ARIA_128_CBC_SHA256", [34] = "TLS_KRB5_WITH_DES_CBC_MD5", [49191] = "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", [49292] = "TLS_ECDH_RSA_WITH_CAMELLIA_128_GCM_SHA256", [49302] = "TLS_DHE_PSK_WITH_CAMELLIA_128_CBC_SHA256", [178] = "TLS_DHE_PSK_WITH_AES_128_CBC_SHA256", [49216] = "TLS_DH_RSA_WITH_ARIA_128_CBC_SHA256", [7] = "TLS_RSA_WITH_IDEA_CBC_SHA", [49194] = "TLS_ECDH_RSA_WITH_AES_256_CBC_SHA384", [128] = "TLS_GOSTR341094_WITH_28147_CNT_IMIT", [49269] = "TLS_ECDH_ECDSA_WITH_CAMELLIA_256_CBC_SHA384", [49280] = "TLS_DHE_DSS_WITH_CAMELLIA_128_GCM_SHA256", [47] = "TLS_RSA_WITH_AES_128_CBC_SHA", [393280] = "SSLv20_CK_DES_64_CBC_WITH_MD5", [49254] = "TLS_DHE_PSK_WITH_ARIA_128_CBC_SHA256", [49179] = "TLS_SRP_SHA_RSA_WITH_3DES_EDE_CBC_SHA", [24] = "TLS_DH_ANON_WITH_RC4_128_MD5", [49301] = "TLS_PSK_WITH_CAMELLIA_256_CBC_SHA384", [69] = "TLS_DHE_RSA_WITH_CAMELLIA_128_CBC_SHA", [99] = "TLS_DHE_DSS_EXPORT1024_WITH_DES_CBC_SHA", [162] = "TLS_DHE_DSS_WITH_AES_128_GCM_SHA256", [126] = "TLS_RSA_WITH_AES_256_CBC_RMD", [104] = "TLS_DH_DSS_WITH_AES_256_CBC_SHA256", [61] = "TLS_RSA_WITH_AES_256_CBC_SHA256", [49409] = "TLS_GOSTR341112_256_WITH_MAGMA_CTR_OMAC", [49258] = "TLS_PSK_WITH_ARIA_128_GCM_SHA256", [49188] = "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384", [49240] = "TLS_DH_DSS_WITH_ARIA_128_GCM_SHA256", [49199] = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", [49282] = "TLS_DH_DSS_WITH_CAMELLIA_128_GCM_SHA256", [67] = "TLS_DH_RSA_WITH_CAMELLIA_128_CBC_SHA", [15] = "TLS_DH_RSA_WITH_DES_CBC_SHA", [49241] = "TLS_DH_DSS_WITH_ARIA_256_GCM_SHA384", [64] = "TLS_DHE_DSS_WITH_AES_128_CBC_SHA256", [52397] = "TLS_DHE_PSK_WITH_CHACHA20_POLY1305_SHA256", [106] = "TLS_DHE_DSS_WITH_AES_256_CBC_SHA256", [49255] = "TLS_DHE_PSK_WITH_ARIA_256_CBC_SHA384", [168] = "TLS_PSK_WITH_AES_128_GCM_SHA256", [49272] = "TLS_ECDH_RSA_WITH_CAMELLIA_128_CBC_SHA256", [179] = "TLS_DHE_PSK_WITH_AES_256_CBC_SHA384", [49163] = "TLS_ECDH_RSA_WITH_NULL_SHA", [130] = "TLS_GOSTR341094_WITH_NULL_GOSTR3411", [49308] = "TLS_RSA_WITH_AES_128_CCM", [4866] = "TLS_AES_256_GCM_SHA384", [191] = "TLS_DH_ANON_WITH_CAMELLIA_128_CBC_SHA256", [49211] = "TLS_ECDHE_PSK_WITH_NULL_SHA384", [49215] = "TLS_DH_DSS_WITH_ARIA_256_CBC_SHA384", [142] = "TLS_DHE_PSK_WITH_RC4_128_SHA", [49209] = "TLS_ECDHE_PSK_WITH_NULL_SHA", [49203] = "TLS_ECDHE_PSK_WITH_RC4_128_SHA", [65408] = "SSL_RSA_WITH_RC2_CBC_MD5", [16] = "TLS_DH_RSA_WITH_3DES_EDE_CBC_SHA", [165] = "TLS_DH_DSS_WITH_AES_256_GCM_SHA384", [49186] = "TLS_SRP_SHA_DSS_WITH_AES_256_CBC_SHA", [173] = "TLS_RSA_PSK_WITH_AES_256_GCM_SHA384", [49298] = "TLS_RSA_PSK_WITH_CAMELLIA_128_GCM_SHA256", [143] = "TLS_DHE_PSK_WITH_3DES_EDE_CBC_SHA", [14906] = "grease_0x3A3A", [49270] = "TLS_ECDHE_RSA_WITH_CAMELLIA_128_CBC_SHA256", [125] = "TLS_RSA_WITH_AES_128_CBC_RMD", [49326] = "TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8", [8] = "TLS_RSA_EXPORT_WITH_DES40_CBC_SHA", [49287] = "TLS_ECDHE_ECDSA_WITH_CAMELLIA_256_GCM_SHA384", [159] = "TLS_DHE_RSA_WITH_AES_256_GCM_SHA384", [32] = "TLS_KRB5_WITH_RC4_128_SHA", [138] = "TLS_PSK_WITH_RC4_128_SHA", [170] = "TLS_DHE_PSK_WITH_AES_128_GCM_SHA256", [49160] = "TLS_ECDHE_ECDSA_WITH_3DES_EDE_CBC_SHA", [49155] = "TLS_ECDH_ECDSA_WITH_3DES_EDE_CBC_SHA", [49253] = "TLS_PSK_WITH_ARIA_256_CBC_SHA384", [49310] = "TLS_DHE_RSA_WITH_AES_128_CCM", [49414] = "TLS_GOSTR341112_256_WITH_MAGMA_MGM_S", [49320] = "TLS_PSK_WITH_AES_128_CCM_8", [49] = "TLS_DH_RSA_WITH_AES_128_CBC_SHA", [49313] = "TLS_RSA_WITH_AES_256_CCM_8", [49238] = "TLS_DHE_DSS_WITH_ARIA_128_GCM_SHA256", [197] = "TLS_DH_ANON_WITH_CAMELLIA_256_CBC_SHA256", [49189] = "TLS_ECDH_ECDSA_WITH_AES_128_CBC_SHA256", [49293] = "TLS_ECDH_RSA_WITH_CAMELLIA_256_GCM_SHA384", [49314] = "TLS_DHE_RSA_WITH_AES_128_CCM_8", [49154] = "TLS_ECDH_ECDSA_WITH_RC4_128_SHA", [49263] = "TLS_RSA_PSK_WITH_ARIA_256_GCM_SHA384", [49274] = "TLS_RSA_WITH_CAMELLIA_128_GCM_SHA256", [49208] = "TLS_ECDHE_PSK_WITH_AES_256_CBC_SHA384", [49257] = "TLS_RSA_PSK_WITH_ARIA_256_CBC_SHA384", [49184] = "TLS_SRP_SHA_WITH_AES_256_CBC_SHA", [49232] = "TLS_RSA_WITH_ARIA_128_GCM_SHA256", [153] = "TLS_DHE_DSS_WITH_SEED_CBC_SHA", [49235] = "TLS_DHE_RSA_WITH_ARIA_256_GCM_SHA384", [28] = "SSL_FORTEZZA_KEA_WITH_NULL_SHA", [43690] = "grease_0xAAAA", [49229] = "TLS_ECDHE_RSA_WITH_ARIA_256_CBC_SHA384", [107] = "TLS_DHE_RSA_WITH_AES_256_CBC_SHA256", [52] = "TLS_DH_ANON_WITH_AES_128_CBC_SHA", [49266] = "TLS_ECDHE_ECDSA_WITH_CAMELLIA_128_CBC_SHA256", [199] = "TLS_SM4_CCM_SM3", [105] = "TLS_DH_RSA_WITH_AES_256_CBC_SHA256", [49231] = "TLS_ECDH_RSA_WITH_ARIA_256_CBC_SHA384", [49178] = "TLS_SRP_SHA_WITH_3DES_EDE_CBC_SHA", [49306] = "TLS_ECDHE_PSK_WITH_CAMELLIA_128_CBC_SHA256", [188] = "TLS_DH_RSA_WITH_CAMELLIA_128_CBC_SHA256", [196] = "TLS_DHE_RSA_WITH_CAMELLIA_256_CBC_SHA256", [29] = "SSL_FORTEZZA_KEA_WITH_FORTEZZA_CBC_SHA", [115] = "TLS_DHE_DSS_WITH_AES_128_CBC_RMD", [49411] = "TLS_GOSTR341112_256_WITH_KUZNYECHIK_MGM_L", [176] = "TLS_PSK_WITH_NULL_SHA256", [133] = "TLS_DH_DSS_WITH_CAMELLIA_256_CBC_SHA", [53253] = "TLS_ECDHE_PSK_WITH_AES_128_CCM_SHA256", [49214] = "TLS_DH_DSS_WITH_ARIA_128_CBC_SHA256", [49413] = "TLS_GOSTR341112_256_WITH_KUZNYECHIK_MGM_S", [49182] = "TLS_SRP_SHA_RSA_WITH_AES_128_CBC_SHA", [49226] = "TLS_ECDH_ECDSA_WITH_ARIA_128_CBC_SHA256", [6682] = "grease_0x1A1A", [116] = "TLS_DHE_DSS_WITH_AES_256_CBC_RMD", [158] = "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256", [49217] = "TLS_DH_RSA_WITH_ARIA_256_CBC_SHA384", [3] = "TLS_RSA_EXPORT_WITH_RC4_40_MD5", [4870] = "TLS_AEGIS_256_SHA384", [183] = "TLS_RSA_PSK_WITH_AES_256_CBC_SHA384", [49204] = "TLS_ECDHE_PSK_WITH_3DES_EDE_CBC_SHA", [49312] = "TLS_RSA_WITH_AES_128_CCM_8", [49157] = "TLS_ECDH_ECDSA_WITH_AES_256_CBC_SHA", [4867] = "TLS_CHACHA20_POLY1305_SHA256", [49262] = "TLS_RSA_PSK_WITH_ARIA_128_GCM_SHA256", [49213] = "TLS_RSA_WITH_ARIA_256_CBC_SHA384", [66] = "TLS_DH_DSS_WITH_CAMELLIA_128_CBC_SHA", [174] = "TLS_PSK_WITH_AES_128_CBC_SHA256", [49200] = "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", [49164] = "TLS_ECDH_RSA_WITH_RC4_128_SHA", [49218] = "TLS_DHE_DSS_WITH_ARIA_128_CBC_SHA256", [2] = "TLS_RSA_WITH_NULL_SHA", [49153] = "TLS_ECDH_ECDSA_WITH_NULL_SHA", [49318] = "TLS_DHE_PSK_WITH_AES_128_CCM", [49290] = "TLS_ECDHE_RSA_WITH_CAMELLIA_128_GCM_SHA256", [49166] = "TLS_ECDH_RSA_WITH_AES_128_CBC_SHA", [163] = "TLS_DHE_DSS_WITH_AES_256_GCM_SHA384", [49245] = "TLS_ECDHE_ECDSA_WITH_ARIA_256_GCM_SHA384", [182] = "TLS_RSA_PSK_WITH_AES_128_CBC_SHA256", [109] = "TLS_DH_ANON_WITH_AES_256_CBC_SHA256", [49332] = "TLS_SHA256_SHA256", [196736] = "SSLv20_CK_RC2_128_CBC_WITH_MD5", [49276] = "TLS_DHE_RSA_WITH_CAMELLIA_128_GCM_SHA256", [18] = "TLS_DHE_DSS_WITH_DES_CBC_SHA", [157] = "TLS_RSA_WITH_AES_256_GCM_SHA384", [0] = "TLS_NULL_WITH_NULL_NULL", [137] = "TLS_DH_ANON_WITH_CAMELLIA_256_CBC_SHA", [19] = "TLS_DHE_DSS_WITH_3DES_EDE_CBC_SHA", [49187] = "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", [52395] = "TLS_PSK_WITH_CHACHA20_POLY1305_SHA256", [52392] = "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", [49171] = "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", [49234] = "TLS_DHE_RSA_WITH_ARIA_128_GCM_SHA256", [65664] = "SSLv20_CK_RC4_128_WITH_MD5", [49196] = "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", [184] = "TLS_RSA_PSK_WITH_NULL_SHA256", [49322] = "TLS_PSK_DHE_WITH_AES_128_CCM_8", [255] = "TLS_EMPTY_RENEGOTIATION_INFO_SCSV", [59] = "TLS_RSA_WITH_NULL_SHA256", [38] = "TLS_KRB5_EXPORT_WITH_DES_CBC_40_SHA", [154] = "TLS_DHE_RSA_WITH_SEED_CBC_SHA", [49286] = "TLS_ECDHE_ECDSA_WITH_CAMELLIA_128_GCM_SHA256", [49265] = "TLS_ECDHE_PSK_WITH_ARIA_256_CBC_SHA384", [98] = "TLS_RSA_EXPORT1024_WITH_DES_CBC_SHA", [4868] = "TLS_AES_128_CCM_SHA256", [43] = "TLS_KRB5_EXPORT_WITH_RC4_40_MD5", [49303] = "TLS_DHE_PSK_WITH_CAMELLIA_256_CBC_SHA384", [10794] = "grease_0x2A2A", [49408] = "TLS_GOSTR341112_256_WITH_KUZNYECHIK_CTR_OMAC", [49317] = "TLS_PSK_WITH_AES_256_CCM", [49329] = "TLS_ECCPWD_WITH_AES_256_GCM_SHA384", [23130] = "grease_0x5A5A", [49197] = "TLS_ECDH_ECDSA_WITH_AES_128_GCM_SHA256", [194] = "TLS_DH_RSA_WITH_CAMELLIA_256_CBC_SHA256", [151] = "TLS_DH_DSS_WITH_SEED_CBC_SHA", [6] = "TLS_RSA_EXPORT_WITH_RC2_CBC_40_MD5", [145] = "TLS_DHE_PSK_WITH_AES_256_CBC_SHA", [49210] = "TLS_ECDHE_PSK_WITH_NULL_SHA256", [53250] = "TLS_ECDHE_PSK_WITH_AES_256_GCM_SHA384", [10] = "TLS_RSA_WITH_3DES_EDE_CBC_SHA", [148] = "TLS_RSA_PSK_WITH_AES_128_CBC_SHA", [49185] = "TLS_SRP_SHA_RSA_WITH_AES_256_CBC_SHA", [49233] = "TLS_RSA_WITH_ARIA_256_GCM_SHA384", [50] = "TLS_DHE_DSS_WITH_AES_128_CBC_SHA", [49316] = "TLS_PSK_WITH_AES_128_CCM", [49170] = "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA", [48] = "TLS_DH_DSS_WITH_AES_128_CBC_SHA", [52398] = "TLS_RSA_PSK_WITH_CHACHA20_POLY1305_SHA256", [49250] = "TLS_ECDH_RSA_WITH_ARIA_128_GCM_SHA256", [5] = "TLS_RSA_WITH_RC4_128_SHA", [49168] = "TLS_ECDHE_RSA_WITH_NULL_SHA", [53249] = "TLS_ECDHE_PSK_WITH_AES_128_GCM_SHA256", [49305] = "TLS_RSA_PSK_WITH_CAMELLIA_256_CBC_SHA384", [49156] = "TLS_ECDH_ECDSA_WITH_AES_128_CBC_SHA", [49319] = "TLS_DHE_PSK_WITH_AES_256_CCM", [49328] = "TLS_ECCPWD_WITH_AES_128_GCM_SHA256", [9] = "TLS_RSA_WITH_DES_CBC_SHA", [68] = "TLS_DHE_DSS_WITH_CAMELLIA_128_CBC_SHA", [53251] = "TLS_ECDHE_PSK_WITH_AES_128_CCM_8_SHA256", [49228] = "TLS_ECDHE_RSA_WITH_ARIA_128_CBC_SHA256", [180] = "TLS_DHE_PSK_WITH_NULL_SHA256", [4871] = "TLS_AEGIS_128L_SHA256", [17] = "TLS_DHE_DSS_EXPORT_WITH_DES40_CBC_SHA", [65505] = "SSL_RSA_FIPS_WITH_DES_CBC_SHA_2", [119] = "TLS_DHE_RSA_WITH_3DES_EDE_CBC_RMD", [52243] = "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256_OLD", [52244] = "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256_OLD", [186] = "TLS_RSA_WITH_CAMELLIA_128_CBC_SHA256", [49315] = "TLS_DHE_RSA_WITH_AES_256_CCM_8", [193] = "TLS_DH_DSS_WITH_CAMELLIA_256_CBC_SHA256", [189] = "TLS_DHE_DSS_WITH_CAMELLIA_128_CBC_SHA256", [49225] = "TLS_ECDHE_ECDSA_WITH_ARIA_256_CBC_SHA384", [135] = "TLS_DHE_DSS_WITH_CAMELLIA_256_CBC_SHA", [140] = "TLS_PSK_WITH_AES_128_CBC_SHA", [129] = "TLS_GOSTR341001_WITH_28147_CNT_IMIT", [49221] = "TLS_DHE_RSA_WITH_ARIA_256_CBC_SHA384", [49288] = "TLS_ECDH_ECDSA_WITH_CAMELLIA_128_GCM_SHA256", [49273] = "TLS_ECDH_RSA_WITH_CAMELLIA_256_CBC_SHA384", [49271] = "TLS_ECDHE_RSA_WITH_CAMELLIA_256_CBC_SHA384", [49325] = "TLS_ECDHE_ECDSA_WITH_AES_256_CCM", [49201] = "TLS_ECDH_RSA_WITH_AES_128_GCM_SHA256", [175] = "TLS_PSK_WITH_AES_256_CBC_SHA384", [26] = "TLS_DH_ANON_WITH_DES_CBC_SHA", [181] = "TLS_DHE_PSK_WITH_NULL_SHA384", [49300] = "TLS_PSK_WITH_CAMELLIA_128_CBC_SHA256", [147] = "TLS_RSA_PSK_WITH_3DES_EDE_CBC_SHA", [49190] = "TLS_ECDH_ECDSA_WITH_AES_256_CBC_SHA384", [49173] = "TLS_ECDH_ANON_WITH_NULL_SHA", [190] = "TLS_DHE_RSA_WITH_CAMELLIA_128_CBC_SHA256", [5818] = "TLS_CECPQ1_ECDSA_WITH_AES_256_GCM_SHA384", [103] = "TLS_DHE_RSA_WITH_AES_128_CBC_SHA256", [51] = "TLS_DHE_RSA_WITH_AES_128_CBC_SHA", [167] = "TLS_DH_ANON_WITH_AES_256_GCM_SHA384", [33] = "TLS_KRB5_WITH_IDEA_CBC_SHA", [171] = "TLS_DHE_PSK_WITH_AES_256_GCM_SHA384", [30] = "TLS_KRB5_WITH_DES_CBC_SHA", [327808] = "SSLv20_CK_IDEA_128_CBC_WITH_MD5", [177] = "TLS_PSK_WITH_NULL_SHA384", [52245] = "TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256_OLD", [55] = "TLS_DH_RSA_WITH_AES_256_CBC_SHA", [458944] = "SSLv20_CK_DES_192_EDE3_CBC_WITH_MD5", [49183] = "TLS_SRP_SHA_DSS_WITH_AES_128_CBC_SHA", [49289] = "TLS_ECDH_ECDSA_WITH_CAMELLIA_256_GCM_SHA384", [4] = "TLS_RSA_WITH_RC4_128_MD5", [124] = "TLS_RSA_WITH_3DES_EDE_CBC_RMD", [49158] = "TLS_ECDHE_ECDSA_WITH_NULL_SHA", [5816] = "TLS_CECPQ1_ECDSA_WITH_CHACHA20_POLY1305_SHA256", [58] = "TLS_DH_ANON_WITH_AES_256_CBC_SHA", [134] = "TLS_DH_RSA_WITH_CAMELLIA_256_CBC_SHA", [49224] = "TLS_ECDHE_ECDSA_WITH_ARIA_128_CBC_SHA256", [49174] = "TLS_ECDH_ANON_WITH_RC4_128_SHA", [49169] = "TLS_ECDHE_RSA_WITH_RC4_128_SHA", [49227] = "TLS_ECDH_ECDSA_WITH_ARIA_256_CBC_SHA384", [49212] = "TLS_RSA_WITH_ARIA_128_CBC_SHA256", [63] = "TLS_DH_RSA_WITH_AES_128_CBC_SHA256", [49162] = "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", [52396] = "TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256", [49237] = "TLS_DH_RSA_WITH_ARIA_256_GCM_SHA384", [11] = "TLS_DH_DSS_EXPORT_WITH_DES40_CBC_SHA", [39578] = "grease_0x9A9A", [49176] = "TLS_ECDH_ANON_WITH_AES_128_CBC_SHA", [22] = "TLS_DHE_RSA_WITH_3DES_EDE_CBC_SHA", [2570] = "grease_0x0A0A", [64250] = "grease_0xFAFA", [144] = "TLS_DHE_PSK_WITH_AES_128_CBC_SHA", [136] = "TLS_DHE_RSA_WITH_CAMELLIA_256_CBC_SHA", [49294] = "TLS_PSK_WITH_CAMELLIA_128_GCM_SHA256", [65409] = "SSL_RSA_WITH_IDEA_CBC_MD5", [65504] = "SSL_RSA_FIPS_WITH_3DES_EDE_CBC_SHA_2", [36] = "TLS_KRB5_WITH_RC4_128_MD5", [49180] = "TLS_SRP_SHA_DSS_WITH_3DES_EDE_CBC_SHA", [31354] = "grease_0x7A7A", [27] = "TLS_DH_ANON_WITH_3DES_EDE_CBC_SHA", [195] = "TLS_DHE_DSS_WITH_CAMELLIA_256_CBC_SHA256", [4869] = "TLS_AES_128_CCM_8_SHA256", [53252] = "TLS_ECDHE_PSK_WITH_AES_128_CCM_SHA256_OLD", [49296] = "TLS_DHE_PSK_WITH_CAMELLIA_128_GCM_SHA256", [49248] = "TLS_ECDHE_RSA_WITH_ARIA_128_GCM_SHA256", [62] = "TLS_DH_DSS_WITH_AES_128_CBC_SHA256", [160] = "TLS_DH_RSA_WITH_AES_128_GCM_SHA256", [139] = "TLS_PSK_WITH_3DES_EDE_CBC_SHA", [49259] = "TLS_PSK_WITH_ARIA_256_GCM_SHA384", [49219] = "TLS_DHE_DSS_WITH_ARIA_256_CBC_SHA384", [49247] = "TLS_ECDH_ECDSA_WITH_ARIA_256_GCM_SHA384", [49297] = "TLS_DHE_PSK_WITH_CAMELLIA_256_GCM_SHA384", [121] = "TLS_DHE_RSA_WITH_AES_256_CBC_RMD", [49165] = "TLS_ECDH_RSA_WITH_3DES_EDE_CBC_SHA", [49277] = "TLS_DHE_RSA_WITH_CAMELLIA_256_GCM_SHA384", [49220] = "TLS_DHE_RSA_WITH_ARIA_128_CBC_SHA256", [49167] = "TLS_ECDH_RSA_WITH_AES_256_CBC_SHA", [49177] = "TLS_ECDH_ANON_WITH_AES_256_CBC_SHA", [49304] = "TLS_RSA_PSK_WITH_CAMELLIA_128_CBC_SHA256", [65410] = "SSL_RSA_WITH_DES_CBC_MD5" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;
const SSL::ec_curves: table [count] of string = { [19] = "secp192r1", [20] = "secp224k1", [259] = "ffdhe6144", [33] = "brainpoolP512r1tls13", [39] = "GC512B", [30] = "x448", [15] = "secp160k1", [513] = "MLKEM768", [28] = "brainpoolP512r1", [43690] = "grease_0xAAAA", [9] = "sect283k1", [27242] = "grease_0x6A6A", [21] = "secp224r1", [4] = "sect193r1", [12] = "sect409r1", [41] = "curveSM2", [60138] = "grease_0xEAEA", [17] = "secp160r2", [25] = "secp521r1", [65281] = "arbitrary_explicit_prime_curves", [29] = "x25519", [16] = "secp160r1", [25497] = "X25519Kyber768Draft00", [512] = "MLKEM512", [38] = "GC512A", [16696] = "CECPQ2", [1] = "sect163k1", [6682] = "grease_0x1A1A", [11] = "sect409k1", [39578] = "grease_0x9A9A", [35] = "GC256B", [22] = "secp256k1", [256] = "ffdhe2048", [2570] = "grease_0x0A0A", [257] = "ffdhe3072", [14906] = "grease_0x3A3A", [64250] = "grease_0xFAFA", [47802] = "grease_0xBABA", [4590] = "curveSM2MLKEM768", [10794] = "grease_0x2A2A", [3] = "sect163r2", [25498] = "SecP256r1Kyber768Draft00", [23130] = "grease_0x5A5A", [34] = "GC256A", [40] = "GC512C", [4588] = "X25519MLKEM768", [36] = "GC256C", [14] = "sect571r1", [6] = "sect233k1", [31354] = "grease_0x7A7A", [31] = "brainpoolP256r1tls13", [8] = "sect239k1", [23] = "secp256r1", [27] = "brainpoolP384r1", [260] = "ffdhe8192", [7] = "sect233r1", [10] = "sect283r1", [32] = "brainpoolP384r1tls13", [13] = "sect571k1", [26] = "brainpoolP256r1", [19018] = "grease_0x4A4A", [514] = "MLKEM1024", [51914] = "grease_0xCACA", [2] = "sect163r1", [65282] = "arbitrary_explicit_char2_curves", [24] = "secp384r1", [35466] = "grease_0x8A8A", [258] = "ffdhe4096", [5] = "sect193r2", [56026] = "grease_0xDADA", [37] = "GC256D", [18] = "secp192k1", [4589] = "SecP384r1MLKEM1024", [4587] = "SecP256r1MLKEM768" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;
const SSL::ec_point_formats: table [count] of string = { [0] = "uncompressed", [2] = "ansiX962_compressed_char2", [1] = "ansiX962_compressed_prime" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;
const SSL::extensions: table [count] of string = { [19] = "client_certificate_type", [20] = "server_certificate_type", [33] = "tls_cert_with_extern_psk", [39] = "supported_ekt_ciphers", [64768] = "ech_outer_extensions", [46] = "TicketEarlyDataInfo", [15] = "heartbeat", [30] = "pwd_clear", [28] = "record_size_limit", [35655] = "padding", [43690] = "grease_0xAAAA", [9] = "cert_type", [53] = "connection_id_deprecated", [55] = "external_id_hash", [27242] = "grease_0x6A6A", [52] = "transparency_info", [21] = "padding", [4] = "truncated_hmac", [12] = "srp", [41] = "pre_shared_key", [13180] = "encrypted_client_certificates", [60138] = "grease_0xEAEA", [58] = "ticket_request", [17] = "status_request_v2", [13175] = "origin_bound_certificates", [30032] = "channel_id_new", [25] = "cached_info", [65281] = "renegotiation_info", [29] = "pwd_protect", [16] = "application_layer_protocol_negotiation", [59] = "dnssec_chain", [38] = "TLMSP_delegate", [54] = "connection_id", [42] = "early_data", [57] = "quic_transport_parameters", [1] = "max_fragment_length", [6682] = "grease_0x1A1A", [11] = "ec_point_formats", [39578] = "grease_0x9A9A", [35] = "SessionTicket TLS", [22] = "encrypt_then_mac", [2570] = "grease_0x0A0A", [43] = "supported_versions", [14906] = "grease_0x3A3A", [64250] = "grease_0xFAFA", [47802] = "grease_0xBABA", [10794] = "grease_0x2A2A", [3] = "trusted_ca_keys", [44] = "cookie", [23130] = "grease_0x5A5A", [17513] = "application_setting", [34] = "delegated_credential", [45] = "psk_key_exchange_modes", [40] = "key_share_old", [36] = "TLMSP", [14] = "use_srtp", [6] = "user_mapping", [31354] = "grease_0x7A7A", [31] = "password_salt", [23] = "extended_master_secret", [8] = "server_authz", [27] = "compress_certificate", [56] = "external_session_id", [13172] = "next_protocol_negotiation", [7] = "client_authz", [10] = "supported_groups", [32] = "ticket_pinning", [13] = "signature_algorithms", [26] = "tls_lts", [30031] = "channel_id", [62] = "tls_flags", [19018] = "grease_0x4A4A", [47] = "certificate_authorities", [50] = "signature_algorithms_cert", [51914] = "grease_0xCACA", [2] = "client_certificate_url", [48] = "oid_filters", [24] = "token_binding", [35466] = "grease_0x8A8A", [49] = "post_handshake_auth", [5] = "status_request", [65037] = "encrypted_client_hello", [56026] = "grease_0xDADA", [61] = "rrc", [60] = "sequence_number_encryption_algorithms", [51] = "key_share", [37] = "TLMSP_proxying", [18] = "signed_certificate_timestamp", [0] = "server_name" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;
const SSL::hash_algorithms: table [count] of string = { [2] = "sha1", [8] = "Intrinsic", [5] = "sha384", [3] = "sha224", [0] = "none", [6] = "sha512", [4] = "sha256", [1] = "md5" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;
const SSL::signature_algorithms: table [count] of string = { [2] = "dsa", [11] = "rsa_pss_sha512", [5] = "rsa_pss_sha384", [7] = "ed25519", [10] = "rsa_pss_sha384", [6] = "rsa_pss_sha512", [4] = "rsa_pss_sha256", [65] = "gostr34102012_256", [64] = "gostr34102012_256", [8] = "ed448", [3] = "ecdsa", [0] = "anonymous", [9] = "rsa_pss_sha256", [1] = "rsa" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;
const SSL::version_strings: table [count] of string = { [769] = "TLSv10", [65279] = "DTLSv10", [768] = "SSLv3", [770] = "TLSv11", [772] = "TLSv13", [2] = "SSLv2", [65276] = "DTLSv13", [771] = "TLSv12", [65277] = "DTLSv12" } &default=function(i: count): string { return fmt("unknown-%d", i); } ;

#@ base/protocols/ssl/ct-list
@load base/protocols/ssl

#@ base/protocols/ssl/files
@load base/files/x509
@load base/frameworks/files
@load base/protocols/ssl/main
@load base/utils/conn-ids
const SSL::log_include_client_certificate_subject_issuer: bool = F &redef;
const SSL::log_include_server_certificate_subject_issuer: bool = F &redef;
global SSL::describe_file: function (f: fa_file) : string;
global SSL::get_file_handle: function (c: connection, is_orig: bool) : string;
redef record SSL::Info += { cert_chain: vector of Files::Info &optional; };
redef record SSL::Info += { cert_chain_fps: vector of string &optional &log; };
redef record SSL::Info += { client_cert_chain: vector of Files::Info &optional; };
redef record SSL::Info += { client_cert_chain_fps: vector of string &optional &log; };
redef record SSL::Info += { subject: string &optional; };
redef record SSL::Info += { issuer: string &optional; };
redef record SSL::Info += { client_subject: string &optional; };
redef record SSL::Info += { client_issuer: string &optional; };
redef record SSL::Info += { sni_matches_cert: bool &log &optional; };
redef record SSL::Info += { server_depth: count &default=0; };
redef record SSL::Info += { client_depth: count &default=0; };

#@ base/protocols/ssl/main
@load base/frameworks/notice/weird
@load base/protocols/conn/removal-hooks
@load base/protocols/ssl/consts
redef enum Log::ID += { SSL::LOG };
type SSL::CTInfo: record { description: string ; operator: string ; key: string ; maximum_merge_delay: count ; url: string ; };
type SSL::Info: record { ts: time &log; uid: string &log; id: conn_id &log; version_num: count &optional; version: string &log &optional; cipher: string &log &optional; curve: string &log &optional; server_name: string &log &optional; session_id: string &optional; resumed: bool &log &default=F; client_ticket_empty_session_seen: bool &default=F; client_key_exchange_seen: bool &default=F; client_psk_seen: bool &default=F; last_alert: string &log &optional; next_protocol: string &log &optional; analyzer_id: count &optional; established: bool &log &default=F; logged: bool &default=F; hrr_seen: bool &default=F; ssl_history: string &log &default=""; };
option SSL::ct_logs: table [string] of SSL::CTInfo &redef;
option SSL::disable_analyzer_after_detection: bool = T &redef;
option SSL::max_ssl_history_length: count = 100 &redef;
const SSL::dtls_ports: set [port] = { 443/udp } &redef;
const SSL::root_certs: table [string] of string &redef;
const SSL::ssl_ports: set [port] = { 563/tcp, 995/tcp, 585/tcp, 443/tcp, 5223/tcp, 636/tcp, 992/tcp, 990/tcp, 993/tcp, 989/tcp, 614/tcp, 465/tcp } &redef;
global SSL::log_ssl: event (rec: SSL::Info);
global SSL::finalize_ssl: Conn::RemovalHook ;
global SSL::log_policy: Log::PolicyHook ;
global SSL::ssl_finishing: hook (c: connection);
global SSL::delay_log: function (info: SSL::Info, token: string) : any;
global SSL::undelay_log: function (info: SSL::Info, token: string) : any;
redef record SSL::Info += { delay_tokens: set [string] &optional; };
redef record connection += { ssl: SSL::Info &optional; };

#@ base/protocols/ssl/mozilla-ca-list
@load base/protocols/ssl

#@ base/protocols/syslog/__load__
@load base/protocols/syslog/consts
@load base/protocols/syslog/main
@load base/protocols/syslog/spicy-events

#@ base/protocols/syslog/consts
const Syslog::facility_codes: table [count] of string = { [19] = "LOCAL3", [2] = "MAIL", [20] = "LOCAL4", [14] = "ALERT", [15] = "CLOCK", [6] = "LPR", [16] = "LOCAL0", [8] = "UUCP", [23] = "LOCAL7", [9] = "CRON", [1] = "USER", [11] = "FTP", [999] = "UNSPECIFIED", [5] = "SYSLOG", [7] = "NEWS", [21] = "LOCAL5", [10] = "AUTHPRIV", [22] = "LOCAL6", [4] = "AUTH", [12] = "NTP", [13] = "AUDIT", [18] = "LOCAL2", [3] = "DAEMON", [17] = "LOCAL1", [0] = "KERN" } &default=function(i: count): string { return fmt("?-%d", i); } ;
const Syslog::severity_codes: table [count] of string = { [2] = "CRIT", [999] = "UNSPECIFIED", [5] = "NOTICE", [7] = "DEBUG", [3] = "ERR", [0] = "EMERG", [6] = "INFO", [4] = "WARNING", [1] = "ALERT" } &default=function(i: count): string { return fmt("?-%d", i); } ;

#@ base/protocols/syslog/main
@load base/protocols/syslog/consts
redef enum Log::ID += { Syslog::LOG };
type Syslog::Info: record { ts: time &log; uid: string &log; id: conn_id &log; proto: transport_proto &log; facility: string &log; severity: string &log; message: string &log; };
const Syslog::ports: set [port] = { 514/udp } &redef;
const Syslog::tcp_ports: set [port] = { 514/tcp } &redef;
global Syslog::log_policy: Log::PolicyHook ;
redef record connection += { syslog: Syslog::Info &optional; };

#@ base/protocols/syslog/spicy-events
global syslog_message: event (c: connection, facility: count, severity: count, msg: string);

#@ base/protocols/tunnels/__load__

#@ base/protocols/websocket/__load__
@load base/protocols/websocket/consts
@load base/protocols/websocket/main

#@ base/protocols/websocket/consts
const WebSocket::opcodes: table [count] of string = { [0] = "continuation", [9] = "ping", [10] = "pong", [2] = "binary", [8] = "close", [1] = "text" } &default=function(i: count): string { return fmt("unknown-%x", i); } &redef;
const WebSocket::HANDSHAKE_GUID: string = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11" ;
const WebSocket::OPCODE_BINARY: count = 2 ;
const WebSocket::OPCODE_CLOSE: count = 8 ;
const WebSocket::OPCODE_CONTINUATION: count = 0 ;
const WebSocket::OPCODE_PING: count = 9 ;
const WebSocket::OPCODE_PONG: count = 10 ;
const WebSocket::OPCODE_TEXT: count = 1 ;

#@ base/protocols/websocket/main
@load base/protocols/http
@load base/protocols/websocket/consts
redef enum Log::ID += { WebSocket::LOG };
type WebSocket::Info: record { ts: time &log; uid: string &log; id: conn_id &log; host: string &log &optional; uri: string &log &optional; user_agent: string &log &optional; subprotocol: string &log &optional; client_protocols: vector of string &log &optional; server_extensions: vector of string &log &optional; client_extensions: vector of string &log &optional; client_key: string &optional; server_accept: string &optional; };
global WebSocket::log_websocket: event (rec: WebSocket::Info);
global WebSocket::configure_analyzer: hook (c: connection, aid: count, config: WebSocket::AnalyzerConfig);
global WebSocket::log_policy: Log::PolicyHook ;
redef record connection += { websocket: WebSocket::Info &optional; };

#@ base/protocols/xmpp/__load__
@load base/protocols/xmpp/main

#@ base/protocols/xmpp/main
const XMPP::ports: set [port] = { 5222/tcp, 5269/tcp } &redef;

#@ base/utils/active-http
@load base/utils/exec
option ActiveHTTP::default_max_time: interval = 1.0 min &redef;
option ActiveHTTP::default_method: string = "GET" &redef;
type ActiveHTTP::Request: record { url: string ; method: string &default=ActiveHTTP::default_method; client_data: string &optional; max_time: interval &default=ActiveHTTP::default_max_time; addl_curl_args: string &optional; };
type ActiveHTTP::Response: record { code: count ; msg: string ; body: string &optional; headers: table [string] of string &optional; };
global ActiveHTTP::request: function (req: ActiveHTTP::Request) : ActiveHTTP::Response;

#@ base/utils/addrs
const ip_addr_regex: pattern = /^?((^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)|(^?((^?((^?((^?((^?(([0-9A-Fa-f]{1,4}:){7})$?)(^?([0-9A-Fa-f]{1,4})$?))$?)|(^?((^?((^?((^?((^?((^?((^?((^?(::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,6})?)$?)|(^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,5})?)$?))$?)|(^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){1}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,4})?)$?))$?)|(^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){2}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,3})?)$?))$?)|(^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){3}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,2})?)$?))$?)|(^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){4}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,1})?)$?))$?)|(^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){5}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,0})?)$?))$?)|(^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){6}::)$?))$?))$?)|(^?((^?(([0-9A-Fa-f]{1,4}:){6})$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?))$?)|(^?((^?((^?((^?((^?((^?((^?(::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,4})?)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?)|(^?((^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,3})?)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?))$?)|(^?((^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){1}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,2})?)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?))$?)|(^?((^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){2}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,1})?)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?))$?)|(^?((^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){3}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,0})?)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?))$?)|(^?((^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){4}::)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?))$?))$?))$?/ ;
const ipv4_addr_regex: pattern = /^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?/ ;
const ipv4_decim: pattern = /^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?/ ;
const ipv6_8hex_regex: pattern = /^?((^?(([0-9A-Fa-f]{1,4}:){7})$?)(^?([0-9A-Fa-f]{1,4})$?))$?/ ;
const ipv6_addr_regex: pattern = /^?((^?((^?((^?((^?(([0-9A-Fa-f]{1,4}:){7})$?)(^?([0-9A-Fa-f]{1,4})$?))$?)|(^?((^?((^?((^?((^?((^?((^?((^?(::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,6})?)$?)|(^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,5})?)$?))$?)|(^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){1}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,4})?)$?))$?)|(^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){2}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,3})?)$?))$?)|(^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){3}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,2})?)$?))$?)|(^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){4}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,1})?)$?))$?)|(^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){5}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,0})?)$?))$?)|(^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){6}::)$?))$?))$?)|(^?((^?(([0-9A-Fa-f]{1,4}:){6})$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?))$?)|(^?((^?((^?((^?((^?((^?((^?(::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,4})?)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?)|(^?((^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,3})?)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?))$?)|(^?((^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){1}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,2})?)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?))$?)|(^?((^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){2}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,1})?)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?))$?)|(^?((^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){3}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,0})?)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?))$?)|(^?((^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){4}::)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?))$?))$?/ ;
const ipv6_compressed_hex4dec_regex: pattern = /^?((^?((^?((^?((^?((^?((^?(::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,4})?)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?)|(^?((^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,3})?)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?))$?)|(^?((^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){1}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,2})?)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?))$?)|(^?((^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){2}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,1})?)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?))$?)|(^?((^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){3}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,0})?)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?))$?)|(^?((^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){4}::)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?))$?/ ;
const ipv6_compressed_hex_regex: pattern = /^?((^?((^?((^?((^?((^?((^?((^?(::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,6})?)$?)|(^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,5})?)$?))$?)|(^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){1}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,4})?)$?))$?)|(^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){2}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,3})?)$?))$?)|(^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){3}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,2})?)$?))$?)|(^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){4}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,1})?)$?))$?)|(^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){5}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,0})?)$?))$?)|(^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){6}::)$?))$?/ ;
const ipv6_compressed_hext4dec_lead_hextets0: pattern = /^?((^?(::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,4})?)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?/ ;
const ipv6_compressed_hext4dec_lead_hextets1: pattern = /^?((^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,3})?)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?/ ;
const ipv6_compressed_hext4dec_lead_hextets2: pattern = /^?((^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){1}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,2})?)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?/ ;
const ipv6_compressed_hext4dec_lead_hextets3: pattern = /^?((^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){2}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,1})?)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?/ ;
const ipv6_compressed_hext4dec_lead_hextets4: pattern = /^?((^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){3}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,0})?)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?/ ;
const ipv6_compressed_hext4dec_lead_hextets5: pattern = /^?((^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){4}::)$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?/ ;
const ipv6_compressed_lead_hextets0: pattern = /^?(::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,6})?)$?/ ;
const ipv6_compressed_lead_hextets1: pattern = /^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,5})?)$?/ ;
const ipv6_compressed_lead_hextets2: pattern = /^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){1}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,4})?)$?/ ;
const ipv6_compressed_lead_hextets3: pattern = /^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){2}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,3})?)$?/ ;
const ipv6_compressed_lead_hextets4: pattern = /^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){3}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,2})?)$?/ ;
const ipv6_compressed_lead_hextets5: pattern = /^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){4}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,1})?)$?/ ;
const ipv6_compressed_lead_hextets6: pattern = /^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){5}::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){0,0})?)$?/ ;
const ipv6_compressed_lead_hextets7: pattern = /^?([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){6}::)$?/ ;
const ipv6_hex4dec_regex: pattern = /^?((^?(([0-9A-Fa-f]{1,4}:){6})$?)(^?((^?((^?((^?((^?((^?((^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?)(^?(\.)$?))$?)(^?([0-9]{1}|[0-9]{2}|0[0-9]{2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$?))$?))$?/ ;
const ipv6_hextet: pattern = /^?([0-9A-Fa-f]{1,4})$?/ ;
global addr_to_uri: function (a: addr) : string;
global extract_ip_addresses: function (input: string, check_wrapping: bool &default = F) : string_vec;
global has_valid_octets: function (octets: string_vec) : bool;
global normalize_mac: function (a: string) : string;

#@ base/utils/backtrace
global print_backtrace: function (show_args: bool &default = F, one_line: bool &default = F, one_line_delim: string &default = "|", skip: count &default = 1, to_file: file) : any;

#@ base/utils/conn-ids
global directed_id_string: function (id: conn_id, is_orig: bool) : string;
global id_string: function (id: conn_id) : string;
global reverse_id_string: function (id: conn_id) : string;

#@ base/utils/dir
@load base/frameworks/reporter
@load base/utils/exec
@load base/utils/paths
option Dir::polling_interval: interval = 30.0 secs &redef;
global Dir::monitor: function (dir: string, callback: function (fname: string) : any, poll_interval: interval &default = Dir::polling_interval) : any;

#@ base/utils/directions-and-hosts
@load base/utils/site
type Direction: enum { INBOUND, OUTBOUND, BIDIRECTIONAL, NO_DIRECTION };
type Host: enum { LOCAL_HOSTS, REMOTE_HOSTS, ALL_HOSTS, NO_HOSTS };
global addr_matches_host: function (ip: addr, h: Host) : bool;
global id_matches_direction: function (id: conn_id, d: Direction) : bool;

#@ base/utils/email
global extract_email_addrs_set: function (str: string) : set [string];
global extract_email_addrs_vec: function (str: string) : string_vec;
global extract_first_email_addr: function (str: string) : string;
global split_mime_email_addresses: function (line: string) : set [string];

#@ base/utils/exec
@load base/frameworks/input
type Exec::Command: record { cmd: string ; stdin: string &default=""; read_files: set [string] &optional; uid: string &default=unique_id(""); };
type Exec::Result: record { exit_code: count &default=0; signal_exit: bool &default=F; stdout: vector of string &optional; stderr: vector of string &optional; files: table [string] of string_vec &optional; };
global Exec::run: function (cmd: Exec::Command) : Exec::Result;

#@ base/utils/files
@load base/utils/addrs
global extract_filename_from_content_disposition: function (data: string) : string;
global generate_extraction_filename: function (prefix: string, c: connection, suffix: string) : string;

#@ base/utils/geoip-distance
global haversine_distance_ip: function (a1: addr, a2: addr) : double;

#@ base/utils/hash_hrw
type HashHRW::Site: record { id: count ; user_data: any &optional; };
type HashHRW::SiteTable: table [count] of HashHRW::Site;
type HashHRW::Pool: record { sites: HashHRW::SiteTable &default=table(); };
global HashHRW::add_site: function (pool: HashHRW::Pool, site: HashHRW::Site) : bool;
global HashHRW::get_site: function (pool: HashHRW::Pool, key: any) : HashHRW::Site;
global HashHRW::rem_site: function (pool: HashHRW::Pool, site: HashHRW::Site) : bool;

#@ base/utils/numbers
global extract_count: function (s: string, get_first: bool &default = T) : count;

#@ base/utils/packages
global can_load: function (p: string) : bool;

#@ base/utils/paths
const absolute_path_pat: pattern = /^?((\/|[A-Za-z]:[\\\/]).*)$?/ ;
global build_path: function (dir: string, file_name: string) : string;
global build_path_compressed: function (dir: string, file_name: string) : string;
global extract_path: function (input: string) : string;

#@ base/utils/patterns
type PatternMatchResult: record { matched: bool ; str: string ; off: count ; };
global match_pattern: function (s: string, p: pattern) : PatternMatchResult;
global set_to_regex: function (ss: set [string], pat: string) : pattern;

#@ base/utils/queue
type Queue::Settings: record { max_len: count &optional; };
type Queue::Queue: record {  };
global Queue::get: function (q: Queue::Queue) : any;
global Queue::get_vector: function (q: Queue::Queue, ret: vector of any) : any;
global Queue::init: function (s: Queue::Settings &default = []) : Queue::Queue;
global Queue::len: function (q: Queue::Queue) : count;
global Queue::merge: function (q1: Queue::Queue, q2: Queue::Queue) : Queue::Queue;
global Queue::peek: function (q: Queue::Queue) : any;
global Queue::put: function (q: Queue::Queue, val: any) : any;
redef record Queue::Queue += { initialized: bool &default=F; };
redef record Queue::Queue += { vals: table [count] of any &optional; };
redef record Queue::Queue += { settings: Queue::Settings &optional; };
redef record Queue::Queue += { top: count &default=0; };
redef record Queue::Queue += { bottom: count &default=0; };
redef record Queue::Queue += { size: count &default=0; };

#@ base/utils/site
@load base/utils/patterns
option Site::local_admins: table [subnet] of set [string] &redef;
option Site::local_nets: set [subnet] &redef;
option Site::local_zones: set [string] &redef;
option Site::neighbor_nets: set [subnet] &redef;
option Site::neighbor_zones: set [string] &redef;
option Site::private_address_space: set [subnet] = { [64:ff9b:1::]/48, 198.18.0.0/15, [fc00::]/7, 100.64.0.0/10, [::]/128, [2002:ffff:ffff::]/48, [::1]/128, [fec0::]/10, [2002:cb00:7100::]/40, [2002:c633:6400::]/40, 240.0.0.0/4, [2002:a00::]/24, [100::]/64, 255.255.255.255/32, 192.0.0.0/24, 0.0.0.0/8, 239.0.0.0/8, [2001:2::]/48, 172.16.0.0/12, [2002:c000:200::]/40, [2002:f000::]/20, [2002:7f00::]/24, [2001::]/23, [2002:6440::]/26, [2002:c000::]/40, 10.0.0.0/8, 127.0.0.0/8, 224.0.0.0/24, 192.0.2.0/24, 192.168.0.0/16, [2002:ac10::]/28, [2002:a9fe::]/32, 169.254.0.0/16, [2002:c612::]/31, [2002::]/24, [fe80::]/10, [2001:db8::]/32, [2002:ef00::]/24, 203.0.113.0/24, [2002:e000::]/40, [2002:c0a8::]/32, 198.51.100.0/24 } &redef;
const Site::private_address_space_is_local: bool = T &redef;
global Site::local_nets_table: table [subnet] of subnet ;
global Site::get_emails: function (a: addr) : string;
global Site::is_local_addr: function (a: addr) : bool;
global Site::is_local_name: function (name: string) : bool;
global Site::is_neighbor_addr: function (a: addr) : bool;
global Site::is_neighbor_name: function (name: string) : bool;
global Site::is_private_addr: function (a: addr) : bool;

#@ base/utils/strings
global cut_tail: function (s: string, tail_len: count) : string;
global is_string_binary: function (s: string) : bool;
global string_escape: function (s: string, chars: string) : string;

#@ base/utils/thresholds
type TrackCount: record { n: count &default=0; index: count &default=0; };
const default_notice_thresholds: vector of count = vector(30, 100, 1000, 10000, 100000, 1000000, 10000000) &redef;
global check_threshold: function (v: vector of count, tracker: TrackCount) : bool;
global default_check_threshold: function (tracker: TrackCount) : bool;
global new_track_count: function () : TrackCount;

#@ base/utils/time
const null_ts: time = double_to_time(0.0) ;
global duration_to_mins_secs: function (dur: interval) : string;
global get_packet_lag: function () : interval;

#@ base/utils/urls
type URI: record { scheme: string &optional; netlocation: string ; portnum: count &optional; path: string ; file_name: string &optional; file_base: string &optional; file_ext: string &optional; params: table [string] of string &optional; };
const url_regex: pattern = /^?(^([a-zA-Z\-]{3,5}):\/\/(-\.)?([^[:blank:]\/?\.#-]+\.?)+(\/[^[:blank:]]*)?)$?/ &redef;
global decompose_uri: function (uri: string) : URI;
global find_all_urls: function (s: string) : string_set;
global find_all_urls_without_scheme: function (s: string) : string_set;

#@ policy/files/x509/disable-certificate-events-known-certs
@load base/files/x509
@load base/protocols/ssl
redef record SSL::Info += { always_raise_x509_events: bool &default=F; };
redef record X509::Info += { always_raise_x509_events: bool &default=F; };

#@ policy/files/zip/register

#@ policy/frameworks/analyzer/debug-logging
@load base/frameworks/analyzer
@load base/frameworks/config
@load base/frameworks/logging
redef enum Log::ID += { Analyzer::DebugLogging::LOG };
type Analyzer::DebugLogging::Info: record { ts: time &log; cause: string &log; analyzer_kind: string &log; analyzer_name: string &log; uid: string &log &optional; fuid: string &log &optional; id: conn_id &log &optional; failure_reason: string &log &optional; failure_data: string &log &optional; };
option Analyzer::DebugLogging::enable: bool = T &redef;
option Analyzer::DebugLogging::failure_data_max_size: count = 40 &redef;
option Analyzer::DebugLogging::ignore_analyzers: set [AllAnalyzers::Tag] &redef;
option Analyzer::DebugLogging::include_confirmations: bool = T &redef;
option Analyzer::DebugLogging::include_disabling: bool = T &redef;
global Analyzer::DebugLogging::log_policy: Log::PolicyHook ;

#@ policy/frameworks/analyzer/detect-protocols
@load base/frameworks/notice
@load base/protocols/conn/removal-hooks
@load base/utils/conn-ids
@load base/utils/site
redef enum Notice::Type += { ProtocolDetector::Protocol_Found };
redef enum Notice::Type += { ProtocolDetector::Server_Found };
type ProtocolDetector::dir: enum { ProtocolDetector::NONE, ProtocolDetector::INCOMING, ProtocolDetector::OUTGOING, ProtocolDetector::BOTH };
option ProtocolDetector::minimum_duration: interval = 30.0 secs &redef;
option ProtocolDetector::minimum_volume: double = 4000.0 &redef;
option ProtocolDetector::suppress_servers: set [AllAnalyzers::Tag] &redef;
option ProtocolDetector::valids: table [AllAnalyzers::Tag, addr, port] of ProtocolDetector::dir &redef;
const ProtocolDetector::check_interval: interval = 5.0 secs ;
global ProtocolDetector::servers: table [addr, port, string] of set [string] ;
global ProtocolDetector::finalize_protocol_detection: Conn::RemovalHook ;
global ProtocolDetector::found_protocol: function (c: connection, atype: AllAnalyzers::Tag, protocol: string) : any;

#@ policy/frameworks/analyzer/packet-segment-logging
option Analyzer::Logging::packet_segment_size: int = 255 &redef;
redef record Analyzer::Logging::Info += { packet_segment: string &optional &log; };
redef record connection += { packet_segment: string &optional &log; };

#@ policy/frameworks/cluster/backend/broker/__load__
@load policy/frameworks/cluster/backend/broker/backpressure
@load policy/frameworks/cluster/backend/broker/main
@load policy/frameworks/cluster/backend/broker/telemetry

#@ policy/frameworks/cluster/backend/broker/backpressure
@load base/frameworks/telemetry

#@ policy/frameworks/cluster/backend/broker/main

#@ policy/frameworks/cluster/backend/broker/telemetry
@load base/frameworks/telemetry

#@ policy/frameworks/cluster/backend/zeromq/__load__
@load policy/frameworks/cluster/backend/zeromq/main
@load policy/frameworks/cluster/backend/zeromq/options

#@ policy/frameworks/cluster/backend/zeromq/connect
@load policy/frameworks/cluster/backend/zeromq

#@ policy/frameworks/cluster/backend/zeromq/main
@load base/utils/addrs
@load policy/frameworks/cluster/backend/zeromq/options

#@ policy/frameworks/cluster/backend/zeromq/options
@load base/utils/addrs
const Cluster::Backend::ZeroMQ::connect_log_endpoints: vector of string &redef;
const Cluster::Backend::ZeroMQ::connect_xpub_endpoint: string = "tcp://127.0.0.1:5556" &redef;
const Cluster::Backend::ZeroMQ::connect_xpub_nodrop: bool = T &redef;
const Cluster::Backend::ZeroMQ::connect_xsub_endpoint: string = "tcp://127.0.0.1:5555" &redef;
const Cluster::Backend::ZeroMQ::curve_client_publickey: string = "" &redef;
const Cluster::Backend::ZeroMQ::curve_client_secretkey: string = "" &redef;
const Cluster::Backend::ZeroMQ::curve_server_publickey: string = "" &redef;
const Cluster::Backend::ZeroMQ::curve_server_secretkey: string = "" &redef;
const Cluster::Backend::ZeroMQ::debug_flags: count = 0 &redef;
const Cluster::Backend::ZeroMQ::hello_expiration: interval = 10.0 secs &redef;
const Cluster::Backend::ZeroMQ::internal_topic_prefix: string = "zeek.zeromq.internal." &redef;
const Cluster::Backend::ZeroMQ::ipv6: bool = F &redef;
const Cluster::Backend::ZeroMQ::linger_ms: int = 500 &redef;
const Cluster::Backend::ZeroMQ::listen_log_endpoint: string = "" &redef;
const Cluster::Backend::ZeroMQ::listen_xpub_endpoint: string = "tcp://127.0.0.1:5555" &redef;
const Cluster::Backend::ZeroMQ::listen_xpub_nodrop: bool = T &redef;
const Cluster::Backend::ZeroMQ::listen_xsub_endpoint: string = "tcp://127.0.0.1:5556" &redef;
const Cluster::Backend::ZeroMQ::log_immediate: bool = F &redef;
const Cluster::Backend::ZeroMQ::log_rcvbuf: int = -1 &redef;
const Cluster::Backend::ZeroMQ::log_rcvhwm: int = 1000 &redef;
const Cluster::Backend::ZeroMQ::log_sndbuf: int = -1 &redef;
const Cluster::Backend::ZeroMQ::log_sndhwm: int = 1000 &redef;
const Cluster::Backend::ZeroMQ::onloop_queue_hwm: count = 10000 &redef;
const Cluster::Backend::ZeroMQ::poll_max_messages: count = 100 &redef;
const Cluster::Backend::ZeroMQ::proxy_io_threads: count = 2 &redef;
const Cluster::Backend::ZeroMQ::run_proxy_thread: bool = F &redef;
const Cluster::Backend::ZeroMQ::xpub_sndbuf: int = -1 &redef;
const Cluster::Backend::ZeroMQ::xpub_sndhwm: int = 1000 &redef;
const Cluster::Backend::ZeroMQ::xsub_rcvbuf: int = -1 &redef;
const Cluster::Backend::ZeroMQ::xsub_rcvhwm: int = 1000 &redef;
const Cluster::Backend::ZeroMQ::node_topic_prefix: string = "zeek.cluster.node" &redef;
const Cluster::Backend::ZeroMQ::nodeid_topic_prefix: string = "zeek.cluster.nodeid" &redef;
global Cluster::Backend::ZeroMQ::hello: event (name: string, id: string);
global Cluster::Backend::ZeroMQ::monitoring_event: event (number: count, value: count, address: string);
global Cluster::Backend::ZeroMQ::subscription: event (topic: string);
global Cluster::Backend::ZeroMQ::unsubscription: event (topic: string);

#@ policy/frameworks/cluster/experimental
@load base/frameworks/cluster
const Cluster::Experimental::cluster_started_topic: string = "zeek/cluster/experimental/started" &redef;
global Cluster::Experimental::cluster_started: event ();
global Cluster::Experimental::node_fully_connected: event (name: string, id: string, resending: bool);

#@ policy/frameworks/cluster/nodes-experimental/manager
@load base/frameworks/cluster
@load policy/frameworks/cluster/experimental

#@ policy/frameworks/cluster/websocket/server
@load base/frameworks/cluster
@load base/utils/numbers
@load policy/frameworks/cluster/backend/zeromq

#@ policy/frameworks/conn_key/vlan_fivetuple
redef record conn_id_ctx += { vlan: int &log &optional; };
redef record conn_id_ctx += { inner_vlan: int &log &optional; };

#@ policy/frameworks/control/controllee
@load base/frameworks/broker
@load base/frameworks/control

#@ policy/frameworks/control/controller
@load base/frameworks/broker
@load base/frameworks/control

#@ policy/frameworks/files/detect-MHR
@load base/frameworks/files
@load base/frameworks/notice
@load policy/frameworks/files/hash-all-files
redef enum Notice::Type += { TeamCymruMalwareHashRegistry::Match };
option TeamCymruMalwareHashRegistry::match_file_types: pattern = /\x00none\x00/ &redef;
option TeamCymruMalwareHashRegistry::match_sub_url: string = "https://www.virustotal.com/gui/search/%s" &redef;
option TeamCymruMalwareHashRegistry::notice_threshold: count = 10 &redef;

#@ policy/frameworks/files/entropy-test-all-files
redef record Files::Info += { entropy: double &log &optional; };

#@ policy/frameworks/files/extract-all-files
@load base/files/extract

#@ policy/frameworks/files/hash-all-files
@load base/files/hash

#@ policy/frameworks/intel/do_expire
@load base/frameworks/intel

#@ policy/frameworks/intel/do_notice
@load base/frameworks/intel
@load base/frameworks/notice
redef enum Notice::Type += { Intel::Notice };
redef record Intel::MetaData += { do_notice: bool &default=F; };
redef record Intel::MetaData += { if_in: Intel::Where &default=Intel::IN_ANYWHERE; };

#@ policy/frameworks/intel/removal
@load base/frameworks/intel
redef record Intel::MetaData += { remove: bool &default=F; };

#@ policy/frameworks/intel/seen/__load__
@load policy/frameworks/intel/seen/conn-established
@load policy/frameworks/intel/seen/dns
@load policy/frameworks/intel/seen/file-hashes
@load policy/frameworks/intel/seen/file-names
@load policy/frameworks/intel/seen/http-headers
@load policy/frameworks/intel/seen/http-url
@load policy/frameworks/intel/seen/pubkey-hashes
@load policy/frameworks/intel/seen/smb-filenames
@load policy/frameworks/intel/seen/smtp-url-extraction
@load policy/frameworks/intel/seen/smtp
@load policy/frameworks/intel/seen/ssl
@load policy/frameworks/intel/seen/x509

#@ policy/frameworks/intel/seen/conn-established
@load base/frameworks/intel
@load policy/frameworks/intel/seen/where-locations

#@ policy/frameworks/intel/seen/dns
@load base/frameworks/intel
@load policy/frameworks/intel/seen/where-locations

#@ policy/frameworks/intel/seen/file-hashes
@load base/frameworks/intel
@load policy/frameworks/intel/seen/where-locations

#@ policy/frameworks/intel/seen/file-names
@load base/frameworks/intel
@load policy/frameworks/intel/seen/where-locations

#@ policy/frameworks/intel/seen/http-headers
@load base/frameworks/intel
@load base/utils/addrs
@load policy/frameworks/intel/seen/where-locations

#@ policy/frameworks/intel/seen/http-url
@load base/frameworks/intel
@load base/protocols/http/utils
@load policy/frameworks/intel/seen/where-locations

#@ policy/frameworks/intel/seen/manage-event-groups
@load base/frameworks/reporter
@load policy/frameworks/intel/seen
const Intel::manage_seen_event_groups: bool = T &redef;

#@ policy/frameworks/intel/seen/pubkey-hashes
@load base/frameworks/intel
@load base/protocols/ssh
@load policy/frameworks/intel/seen/where-locations

#@ policy/frameworks/intel/seen/smb-filenames
@load base/frameworks/intel
@load base/protocols/smb
@load policy/frameworks/intel/seen/where-locations

#@ policy/frameworks/intel/seen/smtp
@load base/frameworks/intel
@load base/protocols/smtp
@load base/utils/email
@load policy/frameworks/intel/seen/where-locations

#@ policy/frameworks/intel/seen/smtp-url-extraction
@load base/frameworks/intel
@load base/protocols/smtp
@load base/utils/urls
@load policy/frameworks/intel/seen/where-locations

#@ policy/frameworks/intel/seen/ssl
@load base/frameworks/intel
@load base/protocols/ssl
@load policy/frameworks/intel/seen/where-locations

#@ policy/frameworks/intel/seen/where-locations
@load base/frameworks/intel
redef enum Intel::Where += { Conn::IN_ORIG };
redef enum Intel::Where += { Conn::IN_RESP };
redef enum Intel::Where += { DNS::IN_REQUEST };
redef enum Intel::Where += { DNS::IN_RESPONSE };
redef enum Intel::Where += { Files::IN_HASH };
redef enum Intel::Where += { Files::IN_NAME };
redef enum Intel::Where += { HTTP::IN_HOST_HEADER };
redef enum Intel::Where += { HTTP::IN_REFERRER_HEADER };
redef enum Intel::Where += { HTTP::IN_URL };
redef enum Intel::Where += { HTTP::IN_USER_AGENT_HEADER };
redef enum Intel::Where += { HTTP::IN_X_FORWARDED_FOR_HEADER };
redef enum Intel::Where += { SMB::IN_FILE_NAME };
redef enum Intel::Where += { SMTP::IN_CC };
redef enum Intel::Where += { SMTP::IN_FROM };
redef enum Intel::Where += { SMTP::IN_HEADER };
redef enum Intel::Where += { SMTP::IN_MAIL_FROM };
redef enum Intel::Where += { SMTP::IN_MESSAGE };
redef enum Intel::Where += { SMTP::IN_RCPT_TO };
redef enum Intel::Where += { SMTP::IN_RECEIVED_HEADER };
redef enum Intel::Where += { SMTP::IN_REPLY_TO };
redef enum Intel::Where += { SMTP::IN_TO };
redef enum Intel::Where += { SMTP::IN_X_ORIGINATING_IP_HEADER };
redef enum Intel::Where += { SSH::IN_SERVER_HOST_KEY };
redef enum Intel::Where += { SSL::IN_SERVER_NAME };
redef enum Intel::Where += { X509::IN_CERT };

#@ policy/frameworks/intel/seen/x509
@load base/files/x509
@load base/frameworks/intel
@load policy/frameworks/intel/seen/where-locations
option Intel::enable_x509_ext_subject_alternative_name: bool = T &redef;

#@ policy/frameworks/intel/whitelist
@load base/frameworks/intel
redef record Intel::MetaData += { whitelist: bool &default=F; };

#@ policy/frameworks/management/__load__
@load policy/frameworks/management/config
@load policy/frameworks/management/log
@load policy/frameworks/management/persistence
@load policy/frameworks/management/request
@load policy/frameworks/management/types
@load policy/frameworks/management/util

#@ policy/frameworks/management/agent/__load__

#@ policy/frameworks/management/agent/api
@load base/frameworks/supervisor/control
@load policy/frameworks/management/types
const Management::Agent::API::version: count = 1 ;
global Management::Agent::API::agent_standby_request: event (reqid: string);
global Management::Agent::API::agent_standby_response: event (reqid: string, result: Management::Result);
global Management::Agent::API::agent_welcome_request: event (reqid: string);
global Management::Agent::API::agent_welcome_response: event (reqid: string, result: Management::Result);
global Management::Agent::API::deploy_request: event (reqid: string, config: Management::Configuration, force: bool &default = F);
global Management::Agent::API::deploy_response: event (reqid: string, results: Management::ResultVec);
global Management::Agent::API::get_nodes_request: event (reqid: string);
global Management::Agent::API::get_nodes_response: event (reqid: string, result: Management::Result);
global Management::Agent::API::node_dispatch_request: event (reqid: string, action: vector of string, nodes: set [string] &default=set());
global Management::Agent::API::node_dispatch_response: event (reqid: string, results: Management::ResultVec);
global Management::Agent::API::notify_agent_hello: event (instance: string, id: string, connecting: bool, api_version: count);
global Management::Agent::API::notify_change: event (instance: string, n: Management::Node, old: Management::State, new: Management::State);
global Management::Agent::API::notify_error: event (instance: string, msg: string, node: string &default = "");
global Management::Agent::API::notify_log: event (instance: string, msg: string, node: string &default = "");
global Management::Agent::API::restart_request: event (reqid: string, nodes: set [string] &default=set());
global Management::Agent::API::restart_response: event (reqid: string, results: Management::ResultVec);

#@ policy/frameworks/management/agent/boot
@load base/utils/paths
@load policy/frameworks/management/agent/config

#@ policy/frameworks/management/agent/config
@load base/misc/installation
@load policy/frameworks/management
@load policy/frameworks/management/controller/config
const Management::Agent::archive_cmd: string = "" &redef;
const Management::Agent::archive_dir: string = "/usr/local/zeek/logs" &redef;
const Management::Agent::archive_interval: interval = 0 secs &redef;
const Management::Agent::archive_logs: bool = T &redef;
const Management::Agent::controller: Broker::NetworkInfo = { address="127.0.0.1" bound_port=2150/tcp } &redef;
const Management::Agent::default_port: port = 2151/tcp &redef;
const Management::Agent::directory: string = "" &redef;
const Management::Agent::listen_address: string = "" &redef;
const Management::Agent::listen_port: string = "" &redef;
const Management::Agent::name: string = "" &redef;
const Management::Agent::stderr_file: string = "stderr" &redef;
const Management::Agent::stdout_file: string = "stdout" &redef;
const Management::Agent::topic_prefix: string = "zeek/management/agent" &redef;
global Management::Agent::endpoint_info: function () : Broker::EndpointInfo;
global Management::Agent::get_name: function () : string;
global Management::Agent::instance: function () : Management::Instance;

#@ policy/frameworks/management/agent/main
@load base/frameworks/broker
@load base/utils/paths
@load policy/frameworks/management
@load policy/frameworks/management/agent/api
@load policy/frameworks/management/agent/config
@load policy/frameworks/management/node/api
@load policy/frameworks/management/node/config
@load policy/frameworks/management/supervisor/api
@load policy/frameworks/management/supervisor/config
type Management::Agent::Runtime::DeployState: record { nodes_pending: set [string] ; };
type Management::Agent::Runtime::NodeDispatchState: record { action: vector of string ; requests: set [string] &default=set(); };
type Management::Agent::Runtime::RestartState: record { requests: set [string] &default=set(); };
type Management::Agent::Runtime::SupervisorState: record { node: string &default=""; status: Supervisor::Status &optional; restart_result: bool &optional; };
global Management::Agent::Runtime::trigger_log_archival: event (run_archival: bool &default = T);
redef record Management::Request::Request += { supervisor_state_agent: Management::Agent::Runtime::SupervisorState &optional; };
redef record Management::Request::Request += { deploy_state_agent: Management::Agent::Runtime::DeployState &optional; };
redef record Management::Request::Request += { node_dispatch_state_agent: Management::Agent::Runtime::NodeDispatchState &optional; };
redef record Management::Request::Request += { restart_state_agent: Management::Agent::Runtime::RestartState &optional; };

#@ policy/frameworks/management/config
@load base/misc/installation
@load policy/frameworks/cluster/backend/broker
@load policy/frameworks/management/types
const Management::connect_retry: interval = 1.0 sec &redef;
const Management::default_address: string = "0.0.0.0" &redef;
const Management::role: Management::Role = Management::NONE &redef;
const Management::spool_dir: string = "" &redef;
const Management::state_dir: string = "" &redef;
global Management::get_spool_dir: function () : string;
global Management::get_state_dir: function () : string;

#@ policy/frameworks/management/controller/__load__

#@ policy/frameworks/management/controller/api
@load policy/frameworks/management/types
const Management::Controller::API::version: count = 1 ;
global Management::Controller::API::deploy_request: event (reqid: string);
global Management::Controller::API::deploy_response: event (reqid: string, results: Management::ResultVec);
global Management::Controller::API::get_configuration_request: event (reqid: string, deployed: bool);
global Management::Controller::API::get_configuration_response: event (reqid: string, result: Management::Result);
global Management::Controller::API::get_id_value_request: event (reqid: string, id: string, nodes: set [string] &default=set());
global Management::Controller::API::get_id_value_response: event (reqid: string, results: Management::ResultVec);
global Management::Controller::API::get_instances_request: event (reqid: string);
global Management::Controller::API::get_instances_response: event (reqid: string, result: Management::Result);
global Management::Controller::API::get_nodes_request: event (reqid: string);
global Management::Controller::API::get_nodes_response: event (reqid: string, results: Management::ResultVec);
global Management::Controller::API::notify_agents_ready: event (instances: set [string]);
global Management::Controller::API::restart_request: event (reqid: string, nodes: set [string] &default=set());
global Management::Controller::API::restart_response: event (reqid: string, results: Management::ResultVec);
global Management::Controller::API::stage_configuration_request: event (reqid: string, config: Management::Configuration);
global Management::Controller::API::stage_configuration_response: event (reqid: string, results: Management::ResultVec);
global Management::Controller::API::test_timeout_request: event (reqid: string, with_state: bool);
global Management::Controller::API::test_timeout_response: event (reqid: string, result: Management::Result);

#@ policy/frameworks/management/controller/boot
@load base/utils/paths
@load policy/frameworks/management/controller/config

#@ policy/frameworks/management/controller/config
@load policy/frameworks/management
const Management::Controller::auto_assign_broker_ports: bool = T &redef;
const Management::Controller::auto_assign_broker_start_port: port = 2200/tcp &redef;
const Management::Controller::auto_assign_metrics_ports: bool = T &redef;
const Management::Controller::auto_assign_metrics_start_port: port = 9000/tcp &redef;
const Management::Controller::default_port: port = 2150/tcp &redef;
const Management::Controller::default_port_websocket: port = 2149/tcp &redef;
const Management::Controller::directory: string = "" &redef;
const Management::Controller::listen_address: string = "" &redef;
const Management::Controller::listen_address_websocket: string = "" &redef;
const Management::Controller::listen_port: string = "" &redef;
const Management::Controller::listen_port_websocket: string = "" &redef;
const Management::Controller::name: string = "" &redef;
const Management::Controller::stderr_file: string = "stderr" &redef;
const Management::Controller::stdout_file: string = "stdout" &redef;
const Management::Controller::tls_options_websocket: Cluster::WebSocketTLSOptions &redef;
const Management::Controller::topic: string = "zeek/management/controller" &redef;
const Management::Controller::store_name: string = "controller" ;
global Management::Controller::endpoint_info: function () : Broker::EndpointInfo;
global Management::Controller::endpoint_info_websocket: function () : Broker::EndpointInfo;
global Management::Controller::get_name: function () : string;
global Management::Controller::network_info: function () : Broker::NetworkInfo;
global Management::Controller::network_info_websocket: function () : Broker::NetworkInfo;

#@ policy/frameworks/management/controller/main
@load base/frameworks/broker
@load base/frameworks/cluster
@load policy/frameworks/management
@load policy/frameworks/management/agent/api
@load policy/frameworks/management/agent/config
@load policy/frameworks/management/controller/api
@load policy/frameworks/management/controller/config
type Management::Controller::Runtime::ConfigState: enum { Management::Controller::Runtime::STAGED, Management::Controller::Runtime::READY, Management::Controller::Runtime::DEPLOYED };
type Management::Controller::Runtime::DeployState: record { config: Management::Configuration ; is_internal: bool &default=F; requests: set [string] &default=set(); };
type Management::Controller::Runtime::GetNodesState: record { requests: set [string] &default=set(); };
type Management::Controller::Runtime::NodeDispatchState: record { action: vector of string ; requests: set [string] &default=set(); };
type Management::Controller::Runtime::RestartState: record { requests: set [string] &default=set(); };
type Management::Controller::Runtime::TestState: record { };
redef record Management::Request::Request += { deploy_state: Management::Controller::Runtime::DeployState &optional; };
redef record Management::Request::Request += { get_nodes_state: Management::Controller::Runtime::GetNodesState &optional; };
redef record Management::Request::Request += { node_dispatch_state: Management::Controller::Runtime::NodeDispatchState &optional; };
redef record Management::Request::Request += { restart_state: Management::Controller::Runtime::RestartState &optional; };
redef record Management::Request::Request += { test_state: Management::Controller::Runtime::TestState &optional; };

#@ policy/frameworks/management/log
@load policy/frameworks/management/config
redef enum Log::ID += { Management::Log::LOG };
type Management::Log::Info: record { ts: time &log; node: string &log; level: string &log; role: string &log; message: string &log; };
type Management::Log::Level: enum { Management::Log::DEBUG, Management::Log::INFO, Management::Log::WARNING, Management::Log::ERROR };
global Management::Log::log_policy: Log::PolicyHook ;
global Management::Log::debug: function (message: string) : any;
global Management::Log::error: function (message: string) : any;
global Management::Log::info: function (message: string) : any;
global Management::Log::warning: function (message: string) : any;

#@ policy/frameworks/management/node/__load__
@load policy/frameworks/management/node/main

#@ policy/frameworks/management/node/api
@load policy/frameworks/management/types
global Management::Node::API::node_dispatch_request: event (reqid: string, action: vector of string, nodes: set [string] &default=set());
global Management::Node::API::node_dispatch_response: event (reqid: string, result: Management::Result);
global Management::Node::API::notify_node_hello: event (node: string);

#@ policy/frameworks/management/node/config
const Management::Node::node_topic: string = "zeek/management/node" &redef;
const Management::Node::stderr_file: string = "stderr" &redef;
const Management::Node::stdout_file: string = "stdout" &redef;

#@ policy/frameworks/management/node/main
@load base/frameworks/broker/store
@load base/frameworks/cluster
@load base/frameworks/logging/writers/ascii
@load base/misc/installation
@load base/utils/paths
@load policy/frameworks/management
@load policy/frameworks/management/agent/config
@load policy/frameworks/management/node/api
@load policy/frameworks/management/node/config

#@ policy/frameworks/management/persistence
@load base/misc/installation
@load base/utils/paths
@load policy/frameworks/management/config

#@ policy/frameworks/management/request
@load policy/frameworks/management/config
@load policy/frameworks/management/types
type Management::Request::Request: record { id: string ; parent_id: string &optional; results: Management::ResultVec &optional; finished: bool &default=F; };
const Management::Request::timeout_interval: interval = 10.0 secs &redef;
global Management::Request::null_req: Management::Request::Request ;
global Management::Request::request_expired: event (req: Management::Request::Request);
global Management::Request::create: function (reqid: string &default = EAZk938eUP3ZisBy5) : Management::Request::Request;
global Management::Request::finish: function (reqid: string) : bool;
global Management::Request::is_null: function (request: Management::Request::Request) : bool;
global Management::Request::lookup: function (reqid: string) : Management::Request::Request;
global Management::Request::to_string: function (request: Management::Request::Request) : string;
redef record Management::Request::Request += { finish: function (req: Management::Request::Request) : void &optional; };

#@ policy/frameworks/management/supervisor/__load__
@load policy/frameworks/management/supervisor/main

#@ policy/frameworks/management/supervisor/api
@load policy/frameworks/management/types
global Management::Supervisor::API::notify_node_exit: event (node: string, outputs: Management::NodeOutputs);

#@ policy/frameworks/management/supervisor/config
const Management::Supervisor::output_max_lines: count = 100 &redef;
const Management::Supervisor::print_stderr: bool = F &redef;
const Management::Supervisor::print_stdout: bool = F &redef;
const Management::Supervisor::topic_prefix: string = "zeek/management/supervisor" &redef;

#@ policy/frameworks/management/supervisor/main
@load base/utils/paths
@load base/utils/queue
@load policy/frameworks/management/node/config
@load policy/frameworks/management/supervisor/api
@load policy/frameworks/management/supervisor/config
@load policy/frameworks/management/types

#@ policy/frameworks/management/types
type Management::Instance: record { name: string ; host: addr ; listen_port: port &optional; };
type Management::Option: record { name: string ; value: string ; };
type Management::State: enum { Management::PENDING, Management::RUNNING, Management::STOPPED, Management::FAILED, Management::CRASHED, Management::UNKNOWN };
type Management::Node: record { name: string ; instance: string ; role: Supervisor::ClusterRole ; state: Management::State ; p: port &optional; scripts: vector of string &optional; options: set [Management::Option] &optional; interface: string &optional; cpu_affinity: int &optional; env: table [string] of string &default=table(); metrics_port: port &optional; };
type Management::Configuration: record { id: string &default=Fm22x30CduPMuXAq1; instances: set [Management::Instance] &default=set(); nodes: set [Management::Node] &default=set(); };
type Management::InstanceVec: vector of Management::Instance;
type Management::NodeOutputs: record { stdout: string ; stderr: string ; };
type Management::Role: enum { Management::NONE, Management::AGENT, Management::CONTROLLER, Management::NODE };
type Management::NodeStatus: record { node: string ; state: Management::State ; mgmt_role: Management::Role &default=Management::NONE; cluster_role: Supervisor::ClusterRole &default=Supervisor::NONE; pid: int &optional; p: port &optional; metrics_port: port &optional; };
type Management::NodeStatusVec: vector of Management::NodeStatus;
type Management::Result: record { reqid: string ; success: bool &default=T; instance: string &optional; data: any &optional; error: string &optional; node: string &optional; };
type Management::ResultVec: vector of Management::Result;
global Management::result_to_string: function (res: Management::Result) : string;
global Management::result_vec_to_string: function (res: Management::ResultVec) : string;

#@ policy/frameworks/management/util
global Management::Util::set_to_vector: function (ss: set [string]) : vector of string;

#@ policy/frameworks/netcontrol/catch-and-release
@load base/frameworks/cluster
@load base/frameworks/netcontrol
redef enum Log::ID += { NetControl::CATCH_RELEASE };
type NetControl::BlockInfo: record { block_until: time &optional; watch_until: time ; num_reblocked: count &default=0; current_interval: count ; current_block_id: string ; location: string &optional; };
type NetControl::CatchReleaseActions: enum { NetControl::INFO, NetControl::ADDED, NetControl::DROP_REQUESTED, NetControl::DROPPED, NetControl::UNBLOCK, NetControl::FORGOTTEN, NetControl::SEEN_AGAIN };
type NetControl::CatchReleaseInfo: record { ts: time &log; rule_id: string &log &optional; ip: addr &log; action: NetControl::CatchReleaseActions &log; block_interval: interval &log &optional; watch_interval: interval &log &optional; blocked_until: time &log &optional; watched_until: time &log &optional; num_blocked: count &log &optional; location: string &log &optional; message: string &log &optional; plugin: string &log &optional; };
option NetControl::catch_release_warn_blocked_ip_encountered: bool = F &redef;
const NetControl::catch_release_intervals: vector of interval = vector(10.0 mins, 1.0 hr, 1.0 day, 7.0 days) &redef;
const NetControl::watch_connections: bool = T &redef;
global NetControl::catch_release_add: event (a: addr, location: string);
global NetControl::catch_release_block_delete: event (a: addr);
global NetControl::catch_release_block_new: event (a: addr, b: NetControl::BlockInfo);
global NetControl::catch_release_delete: event (a: addr, reason: string);
global NetControl::catch_release_encountered: event (a: addr);
global NetControl::catch_release_forgotten: event (a: addr, bi: NetControl::BlockInfo);
global NetControl::log_netcontrol_catch_release: event (rec: NetControl::CatchReleaseInfo);
global NetControl::log_policy_catch_release: Log::PolicyHook ;
global NetControl::catch_release_seen: function (a: addr) : any;
global NetControl::drop_address_catch_release: function (a: addr, location: string &default = "") : NetControl::BlockInfo;
global NetControl::get_catch_release_info: function (a: addr) : NetControl::BlockInfo;
global NetControl::unblock_address_catch_release: function (a: addr, reason: string &default = "") : bool;

#@ policy/frameworks/notice/__load__
@load policy/frameworks/notice/extend-email/hostnames

#@ policy/frameworks/notice/actions/drop
@load base/frameworks/netcontrol
@load base/frameworks/notice/main
@load policy/frameworks/netcontrol/catch-and-release
redef record Notice::Info += { dropped: bool &log &default=F; };

#@ policy/frameworks/notice/community-id
@load base/frameworks/notice
@load base/protocols/conn
@load policy/protocols/conn/community-id-logging
option CommunityID::Notice::enabled: bool = T &redef;
redef record Notice::Info += { community_id: string &optional &log; };

#@ policy/frameworks/notice/extend-email/hostnames
@load base/frameworks/notice/main

#@ policy/frameworks/packet-filter/shunt
@load base/frameworks/notice
@load base/frameworks/packet-filter
redef enum Notice::Type += { PacketFilter::Cannot_BPF_Shunt_Conn };
redef enum Notice::Type += { PacketFilter::No_More_Conn_Shunts_Available };
const PacketFilter::max_bpf_shunts: count = 100 &redef;
global PacketFilter::current_shunted_conns: function () : set [conn_id];
global PacketFilter::current_shunted_host_pairs: function () : set [conn_id];
global PacketFilter::force_unshunt_host_pair: function (id: conn_id) : bool;
global PacketFilter::shunt_conn: function (id: conn_id) : bool;
global PacketFilter::shunt_host_pair: function (id: conn_id) : bool;
global PacketFilter::unshunt_host_pair: function (id: conn_id) : bool;

#@ policy/frameworks/signatures/iso-9660

#@ policy/frameworks/software/version-changes
@load base/frameworks/notice
@load base/frameworks/software
redef enum Notice::Type += { Software::Software_Version_Change };
option Software::interesting_version_changes: set [string] &redef;

#@ policy/frameworks/software/vulnerable
@load base/frameworks/control
@load base/frameworks/notice
@load base/frameworks/software
redef enum Notice::Type += { Software::Vulnerable_Version };
type Software::VulnerableVersionRange: record { min: Software::Version &optional; max: Software::Version ; };
option Software::vulnerable_versions_update_endpoint: string = "" &redef;
option Software::vulnerable_versions_update_interval: interval = 1.0 hr &redef;
const Software::vulnerable_versions: table [string] of set [Software::VulnerableVersionRange] &redef;

#@ policy/frameworks/software/windows-version-detection
@load base/frameworks/software
@load base/protocols/http
redef enum Software::Type += { OS::WINDOWS };
type Software::name_and_version: record { name: string ; version: Software::Version ; };
const OS::crypto_api_mapping: table [string] of Software::name_and_version = { ["Microsoft-CryptoAPI/5.131.2195.6661"] = [$name="Windows", $version=[$major=5, $minor=131, $minor2=2195, $minor3=6661, $addl="2000 SP4"]], ["Microsoft-CryptoAPI/5.131.2195.6824"] = [$name="Windows", $version=[$major=5, $minor=131, $minor2=2195, $minor3=6824, $addl="2000 with MS04-11"]], ["Microsoft-CryptoAPI/5.131.2195.6926"] = [$name="Windows", $version=[$major=5, $minor=131, $minor2=2195, $minor3=6926, $addl="2000 with Hotfix 98830"]], ["Microsoft-CryptoAPI/5.131.2600.0"] = [$name="Windows", $version=[$major=5, $minor=131, $minor2=2600, $minor3=0, $addl="XP SP0"]], ["Microsoft-CryptoAPI/5.131.2600.1106"] = [$name="Windows", $version=[$major=5, $minor=131, $minor2=2600, $minor3=1106, $addl="XP SP1"]], ["Microsoft-CryptoAPI/5.131.2600.2180"] = [$name="Windows", $version=[$major=5, $minor=131, $minor2=2600, $minor3=2180, $addl="XP SP2"]], ["Microsoft-CryptoAPI/5.131.2600.3180"] = [$name="Windows", $version=[$major=5, $minor=131, $minor2=2600, $minor3=3180, $addl="XP SP3 Beta 1"]], ["Microsoft-CryptoAPI/5.131.2600.3205"] = [$name="Windows", $version=[$major=5, $minor=131, $minor2=2600, $minor3=3205, $addl="XP SP3 Beta 2"]], ["Microsoft-CryptoAPI/5.131.2600.3249"] = [$name="Windows", $version=[$major=5, $minor=131, $minor2=2600, $minor3=3249, $addl="XP SP3 RC Beta"]], ["Microsoft-CryptoAPI/5.131.2600.3264"] = [$name="Windows", $version=[$major=5, $minor=131, $minor2=2600, $minor3=3264, $addl="XP SP3 RC1"]], ["Microsoft-CryptoAPI/5.131.2600.3282"] = [$name="Windows", $version=[$major=5, $minor=131, $minor2=2600, $minor3=3282, $addl="XP SP3 RC1 Update"]], ["Microsoft-CryptoAPI/5.131.2600.3300"] = [$name="Windows", $version=[$major=5, $minor=131, $minor2=2600, $minor3=3300, $addl="XP SP3 RC2"]], ["Microsoft-CryptoAPI/5.131.2600.3311"] = [$name="Windows", $version=[$major=5, $minor=131, $minor2=2600, $minor3=3311, $addl="XP SP3 RC2 Update"]], ["Microsoft-CryptoAPI/5.131.2600.5508"] = [$name="Windows", $version=[$major=5, $minor=131, $minor2=2600, $minor3=5508, $addl="XP SP3 RC2 Update 2"]], ["Microsoft-CryptoAPI/5.131.2600.5512"] = [$name="Windows", $version=[$major=5, $minor=131, $minor2=2600, $minor3=5512, $addl="XP SP3"]], ["Microsoft-CryptoAPI/5.131.3790.0"] = [$name="Windows", $version=[$major=5, $minor=131, $minor2=3790, $minor3=0, $addl="XP x64 or Server 2003 SP0"]], ["Microsoft-CryptoAPI/5.131.3790.1830"] = [$name="Windows", $version=[$major=5, $minor=131, $minor2=3790, $minor3=1830, $addl="XP x64 or Server 2003 SP1"]], ["Microsoft-CryptoAPI/5.131.3790.3959"] = [$name="Windows", $version=[$major=5, $minor=131, $minor2=3790, $minor3=3959, $addl="XP x64 or Server 2003 SP2"]], ["Microsoft-CryptoAPI/5.131.3790.5235"] = [$name="Windows", $version=[$major=5, $minor=131, $minor2=3790, $minor3=5235, $addl="XP x64 or Server 2003 with MS13-095"]], ["Microsoft-CryptoAPI/6.0"] = [$name="Windows", $version=[$major=6, $minor=0, $addl="Vista or Server 2008"]], ["Microsoft-CryptoAPI/6.1"] = [$name="Windows", $version=[$major=6, $minor=1, $addl="7 or Server 2008 R2"]], ["Microsoft-CryptoAPI/6.2"] = [$name="Windows", $version=[$major=6, $minor=2, $addl="8 or Server 2012"]], ["Microsoft-CryptoAPI/6.3"] = [$name="Windows", $version=[$major=6, $minor=3, $addl="8.1 or Server 2012 R2"]], ["Microsoft-CryptoAPI/6.4"] = [$name="Windows", $version=[$major=6, $minor=4, $addl="10 Technical Preview"]], ["Microsoft-CryptoAPI/10.0"] = [$name="Windows", $version=[$major=10, $minor=0]] } &redef;

#@ policy/frameworks/spicy/resource-usage

#@ policy/frameworks/storage/backend/redis/__load__
@load policy/frameworks/storage/backend/redis/main

#@ policy/frameworks/storage/backend/redis/main
@load base/frameworks/storage/main
const Storage::Backend::Redis::default_connect_timeout: interval = 5.0 secs &redef;
const Storage::Backend::Redis::default_operation_timeout: interval = 5.0 secs &redef;
type Storage::Backend::Redis::Options: record { server_host: string &optional; server_port: port &default=6379/tcp; server_unix_socket: string &optional; key_prefix: string &default=""; connect_timeout: interval &default=Storage::Backend::Redis::default_connect_timeout; operation_timeout: interval &default=Storage::Backend::Redis::default_operation_timeout; username: string &optional; password: string &optional; };
redef record Storage::BackendOptions += { redis: Storage::Backend::Redis::Options &optional; };

#@ policy/frameworks/storage/backend/sqlite/__load__
@load policy/frameworks/storage/backend/sqlite/main

#@ policy/frameworks/storage/backend/sqlite/main
@load base/frameworks/storage/main
type Storage::Backend::SQLite::Options: record { database_path: string ; table_name: string ; busy_timeout: interval &default=5.0 secs; pragma_commands: table [string] of string &ordered &optional; pragma_timeout: interval &default=500.0 msecs; pragma_wait_on_busy: interval &default=5.0 msecs; };
redef record Storage::BackendOptions += { sqlite: Storage::Backend::SQLite::Options &optional; };

#@ policy/frameworks/telemetry/log
@load base/frameworks/telemetry
redef enum Log::ID += { Telemetry::LOG };
redef enum Log::ID += { Telemetry::LOG_HISTOGRAM };
type Telemetry::HistogramInfo: record { ts: time &log; peer: string &log; name: string &log; labels: vector of string &log; label_values: vector of string &log; bounds: vector of double &log; values: vector of double &log; sum: double &log; observations: double &log; };
type Telemetry::Info: record { ts: time &log; peer: string &log; metric_type: string &log; name: string &log; labels: vector of string &log; label_values: vector of string &log; value: double &log; };
option Telemetry::log_interval: interval = 1.0 min &redef;
option Telemetry::log_prefixes: set [string] = { "process", "zeek" } &redef;
global Telemetry::log_telemetry: event (rec: Telemetry::Info);
global Telemetry::log_telemetry_histogram: event (rec: Telemetry::HistogramInfo);
global Telemetry::log_policy: Log::PolicyHook ;
global Telemetry::log_policy_histogram: Log::PolicyHook ;

#@ policy/integration/collective-intel/__load__
@load policy/integration/collective-intel/main

#@ policy/integration/collective-intel/main
@load base/frameworks/intel
type Intel::CIF: record { tags: string &optional &log; confidence: double &optional &log; source: string &optional &log; description: string &optional &log; firstseen: string &optional &log; lastseen: string &optional &log; };
redef record Intel::Info += { cif: Intel::CIF &log &optional; };
redef record Intel::MetaData += { cif_tags: string &optional; };
redef record Intel::MetaData += { cif_confidence: double &optional; };
redef record Intel::MetaData += { cif_source: string &optional; };
redef record Intel::MetaData += { cif_description: string &optional; };
redef record Intel::MetaData += { cif_firstseen: string &optional; };
redef record Intel::MetaData += { cif_lastseen: string &optional; };

#@ policy/misc/capture-loss
@load base/frameworks/notice
redef enum Log::ID += { CaptureLoss::LOG };
redef enum Notice::Type += { CaptureLoss::Too_Little_Traffic };
redef enum Notice::Type += { CaptureLoss::Too_Much_Loss };
type CaptureLoss::Info: record { ts: time &log; ts_delta: interval &log; peer: string &log; gaps: count &log; acks: count &log; percent_lost: double &log; };
option CaptureLoss::initial_watch_interval: interval = 1.0 min &redef;
option CaptureLoss::minimum_acks: count = 1 &redef;
option CaptureLoss::too_much_loss: double = 0.1 &redef;
option CaptureLoss::watch_interval: interval = 15.0 mins &redef;
global CaptureLoss::log_policy: Log::PolicyHook ;

#@ policy/misc/detect-traceroute/__load__
@load policy/misc/detect-traceroute/main

#@ policy/misc/detect-traceroute/main
@load base/frameworks/signatures
@load base/frameworks/sumstats
redef enum Log::ID += { Traceroute::LOG };
redef enum Notice::Type += { Traceroute::Detected };
type Traceroute::Info: record { ts: time &log; src: addr &log; dst: addr &log; proto: string &log; };
const Traceroute::icmp_time_exceeded_interval: interval = 3.0 mins &redef;
const Traceroute::icmp_time_exceeded_threshold: double = 3.0 &redef;
const Traceroute::require_low_ttl_packets: bool = T &redef;
global Traceroute::log_traceroute: event (rec: Traceroute::Info);
global Traceroute::log_policy: Log::PolicyHook ;

#@ policy/misc/dump-events
option DumpEvents::include: pattern = /^?(.*)$?/ &redef;
option DumpEvents::include_args: bool = T &redef;
option DumpEvents::use_json: bool = F &redef;
const DumpEvents::dump_all_events: bool = F &redef;

#@ policy/misc/loaded-scripts
@load base/utils/paths
redef enum Log::ID += { LoadedScripts::LOG };
type LoadedScripts::Info: record { name: string &log; };
global LoadedScripts::log_policy: Log::PolicyHook ;

#@ policy/misc/profiling

#@ policy/misc/stats
@load base/frameworks/notice
@load base/frameworks/telemetry
@load base/utils/time
redef enum Log::ID += { Stats::LOG };
type Stats::Info: record { ts: time &log; peer: string &log; mem: count &log; pkts_proc: count &log; bytes_recv: count &log; pkts_dropped: count &log &optional; pkts_link: count &log &optional; pkt_lag: interval &log &optional; pkts_filtered: count &log &optional; events_proc: count &log; events_queued: count &log; active_tcp_conns: count &log; active_udp_conns: count &log; active_icmp_conns: count &log; tcp_conns: count &log; udp_conns: count &log; icmp_conns: count &log; timers: count &log; active_timers: count &log; files: count &log; active_files: count &log; dns_requests: count &log; active_dns_requests: count &log; reassem_tcp_size: count &log; reassem_file_size: count &log; reassem_frag_size: count &log; reassem_unknown_size: count &log; };
option Stats::report_interval: interval = 5.0 mins &redef;
global Stats::log_stats: event (rec: Stats::Info);
global Stats::log_policy: Log::PolicyHook ;

#@ policy/misc/systemd-generator
@load base/frameworks/cluster
@load base/frameworks/cluster/nodes/logger
@load base/frameworks/logging

#@ policy/misc/trim-trace-file
const TrimTraceFile::trim_interval: interval = 10.0 mins &redef;
global TrimTraceFile::go: event (first_trim: bool);

#@ policy/misc/unknown-protocols
@load base/frameworks/notice
redef enum Log::ID += { UnknownProtocol::LOG };
type UnknownProtocol::Info: record { ts: time &log; analyzer: string &log; protocol_id: string &log; protocol_id_num: count ; first_bytes: string &log; analyzer_history: vector of string &log; };
global UnknownProtocol::log_policy: Log::PolicyHook ;

#@ policy/misc/weird-stats
@load base/frameworks/cluster
@load base/frameworks/sumstats
redef enum Log::ID += { WeirdStats::LOG };
type WeirdStats::Info: record { ts: time &log; name: string &log; num_seen: count &log; };
const WeirdStats::weird_stat_interval: interval = 15.0 mins &redef;
global WeirdStats::log_weird_stats: event (rec: WeirdStats::Info);
global WeirdStats::log_policy: Log::PolicyHook ;

#@ policy/misc/zeromq-multi-host-auto-setup
@load policy/frameworks/cluster/backend/zeromq

#@ policy/protocols/conn/community-id-logging
@load base/protocols/conn
option CommunityID::do_base64: bool = T &redef;
option CommunityID::seed: count = 0 &redef;
redef record Conn::Info += { community_id: string &optional &log; };

#@ policy/protocols/conn/disable-unknown-ip-proto-support
@load base/frameworks/analyzer/main
@load base/protocols/conn

#@ policy/protocols/conn/failed-service-logging
@load base/frameworks/analyzer/dpd
@load base/protocols/conn
redef record Conn::Info += { failed_service: set [string] &log &optional &ordered; };

#@ policy/protocols/conn/ip-proto-name-logging
@load base/protocols/conn
redef record Conn::Info += { ip_proto_name: string &log &optional; };

#@ policy/protocols/conn/known-hosts
@load base/frameworks/cluster
@load base/frameworks/storage/async
@load base/frameworks/storage/sync
@load base/utils/directions-and-hosts
@load policy/frameworks/storage/backend/sqlite
redef enum Log::ID += { Known::HOSTS_LOG };
type Known::HostsInfo: record { ts: time &log; host: addr &log; };
option Known::host_store_timeout: interval = 15.0 secs &redef;
option Known::host_tracking: Host = LOCAL_HOSTS &redef;
const Known::enable_hosts_persistence: bool = F &redef;
const Known::host_store_backend_options: Storage::BackendOptions &redef;
const Known::host_store_backend_type: Storage::Backend = Storage::STORAGE_BACKEND_SQLITE &redef;
const Known::host_store_expiry: interval = 1.0 day &redef;
const Known::host_store_name: string = "zeek/known/hosts" &redef;
const Known::host_store_prefix: string = "zeekknownhosts" &redef;
const Known::use_host_store: bool = F &redef;
global Known::host_broker_store: Cluster::StoreInfo ;
global Known::host_store_backend: opaque of Storage::BackendHandle ;
const Known::hosts: set [addr] &redef;
global Known::log_known_hosts: event (rec: Known::HostsInfo);
global Known::log_policy_hosts: Log::PolicyHook ;

#@ policy/protocols/conn/known-services
@load base/frameworks/cluster
@load base/frameworks/storage/async
@load base/frameworks/storage/sync
@load base/utils/directions-and-hosts
@load policy/frameworks/storage/backend/sqlite
redef enum Log::ID += { Known::SERVICES_LOG };
type Known::AddrPortServTriplet: record { host: addr ; p: port ; serv: string ; };
type Known::ServicesInfo: record { ts: time &log; host: addr &log; port_num: port &log; port_proto: transport_proto &log; service: set [string] &log; };
option Known::service_store_timeout: interval = 15.0 secs &redef;
option Known::service_tracking: Host = LOCAL_HOSTS &redef;
option Known::service_udp_requires_response: bool = T &redef;
const Known::enable_services_persistence: bool = F &redef;
const Known::service_store_backend_options: Storage::BackendOptions &redef;
const Known::service_store_backend_type: Storage::Backend = Storage::STORAGE_BACKEND_SQLITE &redef;
const Known::service_store_expiry: interval = 1.0 day &redef;
const Known::service_store_name: string = "zeek/known/services" &redef;
const Known::service_store_prefix: string = "zeekknownservices" &redef;
const Known::use_service_store: bool = F &redef;
global Known::service_broker_store: Cluster::StoreInfo ;
global Known::service_store_backend: opaque of Storage::BackendHandle ;
global Known::services: table [addr, port] of set [string] ;
global Known::log_known_services: event (rec: Known::ServicesInfo);
global Known::log_policy_services: Log::PolicyHook ;
redef record connection += { known_services_done: bool &default=F; };

#@ policy/protocols/conn/mac-logging
@load base/protocols/conn
redef record Conn::Info += { orig_l2_addr: string &log &optional; };
redef record Conn::Info += { resp_l2_addr: string &log &optional; };

#@ policy/protocols/conn/multicast-participants
@load base/packet-protocols/igmp/types
@load base/protocols/conn
redef enum Log::ID += { Conn::MULTICAST_PARTICIPANTS_LOG };
type Conn::MulticastParticipantsInfo: record { ts: time &log; cid: string &log; orig_h: addr &log; group_addr: addr &log; group_p: port &log; participants: set [addr] &log; };
const Conn::max_igmp_groups: count = 500 &redef;
const Conn::max_igmp_sources_per_group: count = 500 &redef;
global Conn::log_multicast: event (rec: Conn::MulticastParticipantsInfo);
global Conn::log_policy_multicast: Log::PolicyHook ;
redef record connection += { multicast_srcs: set [addr] &optional; };

#@ policy/protocols/conn/pppoe-session-id-logging
@load base/protocols/conn
redef record Conn::Info += { pppoe_session_id: count &log &optional; };

#@ policy/protocols/conn/speculative-service
@load base/protocols/conn
redef record Conn::Info += { speculative_service: string &log &optional; };
redef record connection += { speculative_service: set [string] &default=set(); };

#@ policy/protocols/conn/vlan-logging
@load base/protocols/conn
redef record Conn::Info += { vlan: int &log &optional; };
redef record Conn::Info += { inner_vlan: int &log &optional; };

#@ policy/protocols/conn/weirds
@load base/frameworks/notice
redef enum Notice::Type += { Conn::Content_Gap };
redef enum Notice::Type += { Conn::Retransmission_Inconsistency };

#@ policy/protocols/dhcp/msg-orig
@load base/protocols/dhcp
redef record DHCP::Info += { msg_orig: vector of addr &log &default=vector(); };

#@ policy/protocols/dhcp/software
@load base/frameworks/software
@load base/protocols/dhcp
redef enum Software::Type += { DHCP::CLIENT };
redef enum Software::Type += { DHCP::SERVER };
redef record DHCP::Info += { client_software: string &log &optional; };
redef record DHCP::Info += { server_software: string &log &optional; };

#@ policy/protocols/dhcp/sub-opts
@load base/protocols/dhcp
redef record DHCP::Info += { circuit_id: string &log &optional; };
redef record DHCP::Info += { agent_remote_id: string &log &optional; };
redef record DHCP::Info += { subscriber_id: string &log &optional; };

#@ policy/protocols/dns/auth-addl
@load base/protocols/dns/main
redef record DNS::Info += { auth: set [string] &log &optional; };
redef record DNS::Info += { addl: set [string] &log &optional; };

#@ policy/protocols/dns/detect-external-names
@load base/frameworks/notice
@load base/utils/site
redef enum Notice::Type += { DNS::External_Name };
option DNS::skip_resp_host_port_pairs: set [addr, port] = { [224.0.0.251, 5353/udp], [[ff02::fb], 5353/udp] } &redef;

#@ policy/protocols/dns/disable-opcode-log-fields
@load base/protocols/dns

#@ policy/protocols/dns/log-original-query-case
@load base/protocols/dns/main
redef record DNS::Info += { original_query: string &log &optional; };

#@ policy/protocols/ftp/detect
@load base/frameworks/notice
@load base/protocols/ftp
redef enum Notice::Type += { FTP::Site_Exec_Success };

#@ policy/protocols/ftp/detect-bruteforcing
@load base/frameworks/sumstats
@load base/protocols/ftp
@load base/utils/time
redef enum Notice::Type += { FTP::Bruteforcing };
const FTP::bruteforce_measurement_interval: interval = 15.0 mins &redef;
const FTP::bruteforce_threshold: double = 20.0 &redef;

#@ policy/protocols/ftp/software
@load base/frameworks/software
redef enum Software::Type += { FTP::CLIENT };
redef enum Software::Type += { FTP::SERVER };

#@ policy/protocols/http/detect-sql-injection
@load base/frameworks/notice
@load base/frameworks/sumstats
@load base/protocols/http
redef enum HTTP::Tags += { HTTP::URI_SQLI };
redef enum Notice::Type += { HTTP::SQL_Injection_Attacker };
redef enum Notice::Type += { HTTP::SQL_Injection_Victim };
const HTTP::match_sql_injection_uri: pattern = /\x00none\x00/ &redef;
const HTTP::sqli_requests_interval: interval = 5.0 mins &redef;
const HTTP::sqli_requests_threshold: double = 50.0 &redef;
global HTTP::sqli_policy: hook (c: connection, method: string, unescaped_URI: string);
redef record SumStats::Observation += { uid: string &optional; };

#@ policy/protocols/http/detect-webapps
@load base/frameworks/signatures
@load base/frameworks/software
@load base/protocols/http
redef enum Software::Type += { HTTP::WEB_APPLICATION };
redef record Software::Info += { url: string &optional &log; };

#@ policy/protocols/http/header-names
@load base/protocols/http/main
option HTTP::log_client_header_names: bool = T &redef;
option HTTP::log_server_header_names: bool = F &redef;
redef record HTTP::Info += { client_header_names: vector of string &log &optional; };
redef record HTTP::Info += { server_header_names: vector of string &log &optional; };

#@ policy/protocols/http/software
@load base/frameworks/software
redef enum Software::Type += { HTTP::APPSERVER };
redef enum Software::Type += { HTTP::BROWSER };
redef enum Software::Type += { HTTP::SERVER };
option HTTP::ignored_user_agents: pattern = /^?(NO_DEFAULT)$?/ &redef;

#@ policy/protocols/http/software-browser-plugins
@load base/frameworks/software
@load base/protocols/http
redef enum Software::Type += { HTTP::BROWSER_PLUGIN };
redef record HTTP::Info += { omniture: bool &default=F; };
redef record HTTP::Info += { flash_version: string &optional; };

#@ policy/protocols/http/var-extraction-cookies
@load base/protocols/http/main
@load base/protocols/http/utils
redef record HTTP::Info += { cookie_vars: vector of string &optional &log; };

#@ policy/protocols/http/var-extraction-uri
@load base/protocols/http
redef record HTTP::Info += { uri_vars: vector of string &optional &log; };

#@ policy/protocols/krb/md5-ticket-logging
@load base/protocols/krb
redef record KRB::Info += { auth_ticket: string &log &optional; };
redef record KRB::Info += { new_ticket: string &log &optional; };

#@ policy/protocols/krb/ticket-logging
@load base/protocols/krb
redef record KRB::Info += { auth_ticket_sha256: string &log &optional; };
redef record KRB::Info += { new_ticket_sha256: string &log &optional; };

#@ policy/protocols/modbus/known-masters-slaves
@load base/protocols/modbus
redef enum Log::ID += { Known::MODBUS_LOG };
type Known::ModbusDeviceType: enum { Known::MODBUS_MASTER, Known::MODBUS_SLAVE };
type Known::ModbusInfo: record { ts: time &log; host: addr &log; device_type: Known::ModbusDeviceType &log; };
const Known::modbus_nodes: set [addr, Known::ModbusDeviceType] &redef;
global Known::log_known_modbus: event (rec: Known::ModbusInfo);
global Known::log_policy_modbus: Log::PolicyHook ;

#@ policy/protocols/modbus/track-memmap
@load base/protocols/modbus
@load base/utils/directions-and-hosts
redef enum Log::ID += { Modbus::REGISTER_CHANGE_LOG };
type Modbus::MemmapInfo: record { ts: time &log; uid: string &log; id: conn_id &log; register: count &log; old_val: count &log; new_val: count &log; delta: interval &log; };
type Modbus::RegisterValue: record { last_set: time ; value: count ; };
type Modbus::Registers: table [count] of Modbus::RegisterValue;
option Modbus::track_memmap: Host = ALL_HOSTS &redef;
global Modbus::device_registers: table [addr] of Modbus::Registers ;
global Modbus::changed_register: event (c: connection, register: count, old_val: count, new_val: count, delta: interval);
global Modbus::log_policy_register_change: Log::PolicyHook ;
redef record Modbus::Info += { track_address: count &default=0; };

#@ policy/protocols/mysql/software
@load base/frameworks/software
redef enum Software::Type += { MySQL::SERVER };

#@ policy/protocols/rdp/indicate_ssl
@load base/protocols/rdp
@load base/protocols/ssl
redef record RDP::Info += { ssl: bool &log &default=F; };

#@ policy/protocols/smb/log-cmds
@load base/protocols/smb
redef enum Log::ID += { SMB::CMD_LOG };
option SMB::ignored_command_statuses: set [string] = { "MORE_PROCESSING_REQUIRED" } &redef;
global SMB::log_policy: Log::PolicyHook ;

#@ policy/protocols/smtp/blocklists
@load base/frameworks/notice
@load base/protocols/smtp
redef enum Notice::Type += { SMTP::Blocklist_Blocked_Host };
redef enum Notice::Type += { SMTP::Blocklist_Error_Message };
option SMTP::blocklist_error_messages: pattern = /\x00none\x00/ &redef;

#@ policy/protocols/smtp/detect-suspicious-orig
@load base/frameworks/notice/main
@load base/protocols/smtp/main
redef enum Notice::Type += { SMTP::Suspicious_Origination };
option SMTP::suspicious_origination_countries: set [string] &redef;
option SMTP::suspicious_origination_networks: set [subnet] &redef;

#@ policy/protocols/smtp/entities-excerpt
@load base/protocols/smtp/entities
option SMTP::default_entity_excerpt_len: count = 0 &redef;
redef record SMTP::Entity += { excerpt: string &log &default=""; };

#@ policy/protocols/smtp/software
@load base/frameworks/software/main
@load base/protocols/smtp/main
redef enum Software::Type += { SMTP::MAIL_CLIENT };
redef enum Software::Type += { SMTP::MAIL_SERVER };
redef enum Software::Type += { SMTP::WEBMAIL_SERVER };
option SMTP::detect_clients_in_messages_from: Host = LOCAL_HOSTS &redef;
option SMTP::webmail_user_agents: pattern = /^?((^?((^?((^?((^?((^?(^iPlanet Messenger)$?)|(^?(^Sun Java\(tm\) System Messenger Express)$?))$?)|(^?(\(IMP\))$?))$?)|(^?(^SquirrelMail)$?))$?)|(^?(^NeoMail)$?))$?)|(^?(ZimbraWebClient)$?))$?/ &redef;
redef record SMTP::Info += { is_webmail: bool &log &default=F; };

#@ policy/protocols/ssh/detect-bruteforcing
@load base/frameworks/intel
@load base/frameworks/notice
@load base/frameworks/sumstats
@load base/protocols/ssh
redef enum Intel::Where += { SSH::SUCCESSFUL_LOGIN };
redef enum Notice::Type += { SSH::Login_By_Password_Guesser };
redef enum Notice::Type += { SSH::Password_Guessing };
const SSH::guessing_timeout: interval = 30.0 mins &redef;
const SSH::ignore_guessers: table [subnet] of subnet &redef;
const SSH::password_guesses_limit: double = 30.0 &redef;

#@ policy/protocols/ssh/geo-data
@load base/frameworks/notice
@load base/protocols/ssh
redef enum Notice::Type += { SSH::Watched_Country_Login };
option SSH::watched_countries: set [string] = { "RO" } &redef;
redef record SSH::Info += { remote_location: geo_location &log &optional; };

#@ policy/protocols/ssh/interesting-hostnames
@load base/frameworks/notice
redef enum Notice::Type += { SSH::Interesting_Hostname_Login };
option SSH::interesting_hostnames: pattern = /^?((^?((^?((^?((^?((^?((^?(^d?ns[0-9]*\.)$?)|(^?(^smtp[0-9]*\.)$?))$?)|(^?(^mail[0-9]*\.)$?))$?)|(^?(^pop[0-9]*\.)$?))$?)|(^?(^imap[0-9]*\.)$?))$?)|(^?(^www[0-9]*\.)$?))$?)|(^?(^ftp[0-9]*\.)$?))$?/ &redef;

#@ policy/protocols/ssh/md5-host-key-logging
@load base/protocols/ssh
redef record SSH::Info += { host_key: string &log &optional; };

#@ policy/protocols/ssh/software
@load base/frameworks/software
redef enum Software::Type += { SSH::CLIENT };
redef enum Software::Type += { SSH::SERVER };

#@ policy/protocols/ssl/certificate-request-info
@load base/protocols/ssl
redef record SSL::Info += { requested_client_certificate_authorities: vector of string &optional &log; };

#@ policy/protocols/ssl/decryption
@load base/frameworks/input
@load base/frameworks/notice
@load base/protocols/conn
@load base/protocols/ssl
const SSL::keylog_file: string = "" &redef;
const SSL::secret_expiration: interval = 5.0 mins &redef;
global SSL::add_keys: event (client_random: string, keys: string);
global SSL::add_secret: event (client_random: string, secrets: string);
redef record SSL::Info += { client_random: string &optional; };

#@ policy/protocols/ssl/expiring-certs
@load base/files/x509
@load base/frameworks/notice
@load base/protocols/ssl
@load base/utils/directions-and-hosts
redef enum Notice::Type += { SSL::Certificate_Expired };
redef enum Notice::Type += { SSL::Certificate_Expires_Soon };
redef enum Notice::Type += { SSL::Certificate_Not_Valid_Yet };
option SSL::notify_certs_expiration: Host = LOCAL_HOSTS &redef;
option SSL::notify_when_cert_expiring_in: interval = 30.0 days &redef;

#@ policy/protocols/ssl/heartbleed
@load base/frameworks/notice
@load base/protocols/ssl
redef enum Notice::Type += { Heartbleed::SSL_Heartbeat_Attack };
redef enum Notice::Type += { Heartbleed::SSL_Heartbeat_Attack_Success };
redef enum Notice::Type += { Heartbleed::SSL_Heartbeat_Many_Requests };
redef enum Notice::Type += { Heartbleed::SSL_Heartbeat_Odd_Length };
redef record SSL::Info += { last_originator_heartbeat_request_size: count &optional; };
redef record SSL::Info += { last_responder_heartbeat_request_size: count &optional; };
redef record SSL::Info += { originator_heartbeats: count &default=0; };
redef record SSL::Info += { responder_heartbeats: count &default=0; };
redef record SSL::Info += { heartbleed_detected: bool &default=F; };
redef record SSL::Info += { enc_appdata_packages: count &default=0; };
redef record SSL::Info += { enc_appdata_bytes: count &default=0; };

#@ policy/protocols/ssl/known-certs
@load base/files/x509
@load base/frameworks/cluster
@load base/frameworks/storage/async
@load base/frameworks/storage/sync
@load base/protocols/ssl
@load base/utils/directions-and-hosts
@load policy/frameworks/storage/backend/sqlite
redef enum Log::ID += { Known::CERTS_LOG };
type Known::AddrCertHashPair: record { host: addr ; hash: string ; };
type Known::CertsInfo: record { ts: time &log; host: addr &log; port_num: port &log &optional; subject: string &log &optional; issuer_subject: string &log &optional; serial: string &log &optional; };
option Known::cert_store_expiry: interval = 1.0 day &redef;
option Known::cert_store_timeout: interval = 15.0 secs &redef;
option Known::cert_tracking: Host = LOCAL_HOSTS &redef;
const Known::cert_store_backend_options: Storage::BackendOptions &redef;
const Known::cert_store_backend_type: Storage::Backend = Storage::STORAGE_BACKEND_SQLITE &redef;
const Known::cert_store_name: string = "zeek/known/certs" &redef;
const Known::cert_store_prefix: string = "zeekknowncerts" &redef;
const Known::enable_certs_persistence: bool = F &redef;
const Known::use_cert_store: bool = F &redef;
global Known::cert_broker_store: Cluster::StoreInfo ;
global Known::cert_store_backend: opaque of Storage::BackendHandle ;
const Known::certs: set [addr, string] &redef;
global Known::log_known_certs: event (rec: Known::CertsInfo);
global Known::log_policy_certs: Log::PolicyHook ;

#@ policy/protocols/ssl/log-certs-base64
@load base/files/x509
@load base/protocols/ssl
redef record X509::Info += { cert: string &log &optional; };

#@ policy/protocols/ssl/log-hostcerts-only
@load base/files/x509
@load base/protocols/ssl

#@ policy/protocols/ssl/ssl-log-ext
@load base/protocols/ssl
redef record SSL::Info += { server_version: count &log &optional; };
redef record SSL::Info += { client_version: count &log &optional; };
redef record SSL::Info += { client_ciphers: vector of count &log &optional; };
redef record SSL::Info += { ssl_client_exts: vector of count &log &optional; };
redef record SSL::Info += { ssl_server_exts: vector of count &log &optional; };
redef record SSL::Info += { ticket_lifetime_hint: count &log &optional; };
redef record SSL::Info += { dh_param_size: count &log &optional; };
redef record SSL::Info += { point_formats: vector of count &log &optional; };
redef record SSL::Info += { client_curves: vector of count &log &optional; };
redef record SSL::Info += { orig_alpn: vector of string &log &optional; };
redef record SSL::Info += { client_supported_versions: vector of count &log &optional; };
redef record SSL::Info += { server_supported_version: count &log &optional; };
redef record SSL::Info += { psk_key_exchange_modes: vector of count &log &optional; };
redef record SSL::Info += { client_key_share_groups: vector of count &log &optional; };
redef record SSL::Info += { server_key_share_group: count &log &optional; };
redef record SSL::Info += { client_comp_methods: vector of count &log &optional; };
redef record SSL::Info += { comp_method: count &optional; };
redef record SSL::Info += { sigalgs: vector of count &log &optional; };
redef record SSL::Info += { hashalgs: vector of count &log &optional; };
redef record SSL::Info += { ech_kdf_id: count &log &optional; };
redef record SSL::Info += { ech_aead_id: count &log &optional; };

#@ policy/protocols/ssl/validate-certs
@load base/frameworks/cluster
@load base/frameworks/notice
@load base/protocols/ssl
redef enum Notice::Type += { SSL::Invalid_Server_Cert };
const SSL::recently_validated_certs: table [string] of X509::Result &read_expire=5.0 mins &redef;
const SSL::ssl_cache_intermediate_ca: bool = T &redef;
const SSL::ssl_store_valid_chain: bool = F &redef;
global SSL::intermediate_add: event (key: string, value: vector of opaque of x509);
global SSL::new_intermediate: event (key: string, value: vector of opaque of x509);
redef record SSL::Info += { validation_status: string &log &optional; };
redef record SSL::Info += { validation_code: int &optional; };
redef record SSL::Info += { valid_chain: vector of opaque of x509 &optional; };

#@ policy/protocols/ssl/validate-ocsp
@load base/frameworks/notice
@load base/protocols/ssl
redef enum Notice::Type += { SSL::Invalid_Ocsp_Response };
redef record SSL::Info += { ocsp_status: string &log &optional; };
redef record SSL::Info += { ocsp_response: string &optional; };

#@ policy/protocols/ssl/validate-sct
@load base/protocols/ssl
@load policy/protocols/ssl/validate-certs
redef SSL::ssl_store_valid_chain = T;
type SSL::SctSource: enum { SSL::SCT_X509_EXT, SSL::SCT_TLS_EXT, SSL::SCT_OCSP_EXT };
type SSL::SctInfo: record { version: count ; logid: string ; timestamp: count ; sig_alg: count ; hash_alg: count ; signature: string ; source: SSL::SctSource ; valid: bool &optional; };
redef record SSL::Info += { valid_scts: count &optional; };
redef record SSL::Info += { invalid_scts: count &optional; };
redef record SSL::Info += { valid_ct_logs: count &log &optional; };
redef record SSL::Info += { valid_ct_operators: count &log &optional; };
redef record SSL::Info += { valid_ct_operators_list: set [string] &optional; };
redef record SSL::Info += { ct_proofs: vector of SSL::SctInfo &default=vector(); };

#@ policy/protocols/ssl/weak-keys
@load base/frameworks/notice
@load base/protocols/ssl
@load base/utils/directions-and-hosts
redef enum Notice::Type += { SSL::Old_Version };
redef enum Notice::Type += { SSL::Weak_Cipher };
redef enum Notice::Type += { SSL::Weak_Key };
option SSL::notify_dh_length_shorter_cert_length: bool = T &redef;
option SSL::notify_minimal_key_length: count = 2048 &redef;
option SSL::notify_weak_keys: Host = LOCAL_HOSTS &redef;
option SSL::tls_minimum_version: count = 769 &redef;
option SSL::unsafe_ciphers_regex: pattern = /^?((_EXPORT_)|(_RC4_))$?/ &redef;

#@ policy/tuning/json-logs

#@ policy/tuning/track-all-assets
@load base/frameworks/software
@load policy/protocols/conn/known-hosts
@load policy/protocols/conn/known-services
@load policy/protocols/ssl/known-certs

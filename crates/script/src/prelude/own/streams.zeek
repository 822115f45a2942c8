# Streams of the logs that the engine writes itself, and how its rows get to those that scripts have a part in
# (traffic/rows.rs): a row is written once the other events of its packet are handled.

#@ base/init-bare
global Log::weir_track: function(owner: string, id: Log::ID, record: any): bool;
global Log::weir_write: function(id: Log::ID, row: any, owner: any): bool;

event Log::weir_row(id: Log::ID, row: any, owner: any)
	{
	Log::weir_write(id, row, owner);
	}

#@ base/files/pe/main
event zeek_init() &priority=5
	{
	Log::create_stream(PE::LOG, [$columns=PE::Info, $ev=PE::log_pe, $path="pe", $policy=PE::log_policy]);
	}

#@ base/frameworks/files/main
event zeek_init() &priority=5
	{
	Log::create_stream(Files::LOG, [$columns=Files::Info, $ev=Files::log_files, $path="files", $policy=Files::log_policy]);
	}

#@ base/frameworks/tunnels/main
event zeek_init() &priority=5
	{
	Log::create_stream(Tunnel::LOG, [$columns=Tunnel::Info, $path="tunnel", $policy=Tunnel::log_policy]);
	}

#@ base/frameworks/analyzer/logging
event zeek_init() &priority=5
	{
	Log::create_stream(Analyzer::Logging::LOG, [$columns=Analyzer::Logging::Info, $ev=Analyzer::Logging::log_analyzer, $path="analyzer", $policy=Analyzer::Logging::log_policy]);
	}

#@ base/frameworks/packet-filter/main
event zeek_init() &priority=5
	{
	Log::create_stream(PacketFilter::LOG, [$columns=PacketFilter::Info, $path="packet_filter", $policy=PacketFilter::log_policy]);
	}

#@ policy/protocols/conn/known-hosts
event zeek_init() &priority=5
	{
	Log::create_stream(Known::HOSTS_LOG, [$columns=Known::HostsInfo, $ev=Known::log_known_hosts, $path="known_hosts", $policy=Known::log_policy_hosts]);
	}

#@ policy/protocols/conn/known-services
event zeek_init() &priority=5
	{
	Log::create_stream(Known::SERVICES_LOG, [$columns=Known::ServicesInfo, $ev=Known::log_known_services, $path="known_services", $policy=Known::log_policy_services]);
	}

#@ policy/protocols/ssl/known-certs
event zeek_init() &priority=5
	{
	Log::create_stream(Known::CERTS_LOG, [$columns=Known::CertsInfo, $ev=Known::log_known_certs, $path="known_certs", $policy=Known::log_policy_certs]);
	}

#@ policy/misc/capture-loss
event zeek_init() &priority=5
	{
	Log::create_stream(CaptureLoss::LOG, [$columns=CaptureLoss::Info, $path="capture_loss", $policy=CaptureLoss::log_policy]);
	}

#@ policy/misc/stats
event zeek_init() &priority=5
	{
	Log::create_stream(Stats::LOG, [$columns=Stats::Info, $ev=Stats::log_stats, $path="stats", $policy=Stats::log_policy]);
	}

#@ policy/misc/detect-traceroute/main
event zeek_init() &priority=5
	{
	Log::create_stream(Traceroute::LOG, [$columns=Traceroute::Info, $ev=Traceroute::log_traceroute, $path="traceroute", $policy=Traceroute::log_policy]);
	}

#@ base/protocols/conn/main
event zeek_init() &priority=5
	{
	Log::create_stream(Conn::LOG, [$columns=Conn::Info, $ev=Conn::log_conn, $path="conn", $policy=Conn::log_policy]);
	}

#@ base/protocols/irc/main
event zeek_init() &priority=5
	{
	Log::create_stream(IRC::LOG, [$columns=IRC::Info, $ev=IRC::irc_log, $path="irc", $policy=IRC::log_policy]);
	}

#@ base/protocols/ftp/main
event zeek_init() &priority=5
	{
	Log::create_stream(FTP::LOG, [$columns=FTP::Info, $ev=FTP::log_ftp, $path="ftp", $policy=FTP::log_policy]);
	}

#@ base/protocols/ssh/main
event zeek_init() &priority=5
	{
	Log::create_stream(SSH::LOG, [$columns=SSH::Info, $ev=SSH::log_ssh, $path="ssh", $policy=SSH::log_policy]);
	}

#@ base/protocols/dhcp/main
event zeek_init() &priority=5
	{
	Log::create_stream(DHCP::LOG, [$columns=DHCP::Info, $ev=DHCP::log_dhcp, $path="dhcp", $policy=DHCP::log_policy]);
	}

#@ base/protocols/rdp/main
event zeek_init() &priority=5
	{
	Log::create_stream(RDP::LOG, [$columns=RDP::Info, $ev=RDP::log_rdp, $path="rdp", $policy=RDP::log_policy]);
	}

#@ base/protocols/redis/main
event zeek_init() &priority=5
	{
	Log::create_stream(Redis::LOG, [$columns=Redis::Info, $path="redis", $policy=Redis::log_policy]);
	}

#@ base/protocols/rfb/main
event zeek_init() &priority=5
	{
	Log::create_stream(RFB::LOG, [$columns=RFB::Info, $ev=RFB::log_rfb, $path="rfb", $policy=RFB::log_policy]);
	}

#@ base/protocols/mqtt/main
event zeek_init() &priority=5
	{
	Log::create_stream(MQTT::CONNECT_LOG, [$columns=MQTT::ConnectInfo, $ev=MQTT::log_mqtt, $path="mqtt_connect", $policy=MQTT::log_policy_connect]);
	Log::create_stream(MQTT::SUBSCRIBE_LOG, [$columns=MQTT::SubscribeInfo, $path="mqtt_subscribe", $policy=MQTT::log_policy_subscribe]);
	Log::create_stream(MQTT::PUBLISH_LOG, [$columns=MQTT::PublishInfo, $path="mqtt_publish", $policy=MQTT::log_policy_publish]);
	}

#@ base/protocols/syslog/main
event zeek_init() &priority=5
	{
	Log::create_stream(Syslog::LOG, [$columns=Syslog::Info, $path="syslog", $policy=Syslog::log_policy]);
	}

#@ base/protocols/http/main
event zeek_init() &priority=5
	{
	Log::create_stream(HTTP::LOG, [$columns=HTTP::Info, $ev=HTTP::log_http, $path="http", $policy=HTTP::log_policy, $max_field_string_bytes=HTTP::default_max_field_string_bytes]);
	}

#@ base/protocols/mysql/main
event zeek_init() &priority=5
	{
	Log::create_stream(mysql::LOG, [$columns=MySQL::Info, $ev=MySQL::log_mysql, $path="mysql", $policy=MySQL::log_policy]);
	}

#@ base/protocols/smtp/main
event zeek_init() &priority=5
	{
	Log::create_stream(SMTP::LOG, [$columns=SMTP::Info, $ev=SMTP::log_smtp, $path="smtp", $policy=SMTP::log_policy]);
	}

#@ base/protocols/dce-rpc/main
event zeek_init() &priority=5
	{
	Log::create_stream(DCE_RPC::LOG, [$columns=DCE_RPC::Info, $path="dce_rpc", $policy=DCE_RPC::log_policy]);
	}

#@ base/protocols/modbus/main
event zeek_init() &priority=5
	{
	Log::create_stream(Modbus::LOG, [$columns=Modbus::Info, $ev=Modbus::log_modbus, $path="modbus", $policy=Modbus::log_policy]);
	}

#@ base/protocols/ldap/main
event zeek_init() &priority=5
	{
	Log::create_stream(LDAP::LDAP_LOG, [$columns=LDAP::MessageInfo, $ev=LDAP::log_ldap, $path="ldap", $policy=LDAP::log_policy]);
	Log::create_stream(LDAP::LDAP_SEARCH_LOG, [$columns=LDAP::SearchInfo, $ev=LDAP::log_ldap_search, $path="ldap_search", $policy=LDAP::log_policy_search]);
	}

#@ base/protocols/postgresql/main
event zeek_init() &priority=5
	{
	Log::create_stream(PostgreSQL::LOG, [$columns=PostgreSQL::Info, $ev=PostgreSQL::log_postgresql, $path="postgresql"]);
	}

#@ base/protocols/ntp/main
event zeek_init() &priority=5
	{
	Log::create_stream(NTP::LOG, [$columns=NTP::Info, $ev=NTP::log_ntp, $path="ntp", $policy=NTP::log_policy]);
	}

#@ base/protocols/smb/main
event zeek_init() &priority=5
	{
	Log::create_stream(SMB::FILES_LOG, [$columns=SMB::FileInfo, $path="smb_files", $policy=SMB::log_policy_files]);
	Log::create_stream(SMB::MAPPING_LOG, [$columns=SMB::TreeInfo, $path="smb_mapping", $policy=SMB::log_policy_mapping]);
	}

#@ base/protocols/sip/main
event zeek_init() &priority=5
	{
	Log::create_stream(SIP::LOG, [$columns=SIP::Info, $ev=SIP::log_sip, $path="sip", $policy=SIP::log_policy]);
	}

#@ base/files/x509/log-ocsp
event zeek_init() &priority=5
	{
	Log::create_stream(OCSP::LOG, [$columns=OCSP::Info, $ev=OCSP::log_ocsp, $path="ocsp", $policy=OCSP::log_policy]);
	}

#@ base/protocols/dns/main
event zeek_init() &priority=5
	{
	Log::create_stream(DNS::LOG, [$columns=DNS::Info, $ev=DNS::log_dns, $path="dns", $policy=DNS::log_policy]);
	}

#@ base/protocols/dnp3/main
event zeek_init() &priority=5
	{
	Log::create_stream(DNP3::LOG, [$columns=DNP3::Info, $ev=DNP3::log_dnp3, $path="dnp3", $policy=DNP3::log_policy]);
	}

#@ base/protocols/socks/main
event zeek_init() &priority=5
	{
	Log::create_stream(SOCKS::LOG, [$columns=SOCKS::Info, $ev=SOCKS::log_socks, $path="socks", $policy=SOCKS::log_policy]);
	}

#@ base/protocols/websocket/main
event zeek_init() &priority=5
	{
	Log::create_stream(WebSocket::LOG, [$columns=WebSocket::Info, $ev=WebSocket::log_websocket, $path="websocket", $policy=WebSocket::log_policy]);
	}

#@ base/protocols/krb/main
event zeek_init() &priority=5
	{
	Log::create_stream(KRB::LOG, [$columns=KRB::Info, $ev=KRB::log_krb, $path="kerberos", $policy=KRB::log_policy]);
	}

#@ base/protocols/snmp/main
event zeek_init() &priority=5
	{
	Log::create_stream(SNMP::LOG, [$columns=SNMP::Info, $ev=SNMP::log_snmp, $path="snmp", $policy=SNMP::log_policy]);
	}

#@ base/files/x509/main
event zeek_init() &priority=5
	{
	Log::create_stream(X509::LOG, [$columns=X509::Info, $ev=X509::log_x509, $path="x509", $policy=X509::log_policy, $max_field_string_bytes=X509::default_max_field_string_bytes,
	    $max_field_container_elements=X509::default_max_field_container_elements, $max_total_container_elements=X509::default_max_total_container_elements]);
	}

#@ base/protocols/ssl/main
event zeek_init() &priority=5
	{
	Log::create_stream(SSL::LOG, [$columns=SSL::Info, $ev=SSL::log_ssl, $path="ssl", $policy=SSL::log_policy]);
	}

#@ base/protocols/quic/main
event zeek_init() &priority=5
	{
	Log::create_stream(QUIC::LOG, [$columns=QUIC::Info, $ev=QUIC::log_quic, $path="quic", $policy=QUIC::log_policy]);
	}

#@ base/protocols/radius/main
event zeek_init() &priority=5
	{
	Log::create_stream(RADIUS::LOG, [$columns=RADIUS::Info, $ev=RADIUS::log_radius, $path="radius", $policy=RADIUS::log_policy]);
	}

#@ base/protocols/ntlm/main
event zeek_init() &priority=5
	{
	Log::create_stream(NTLM::LOG, [$columns=NTLM::Info, $path="ntlm", $policy=NTLM::log_policy]);
	}

# Ports at which servers of each protocol are likely.

#@ base/init-bare
redef likely_server_ports += { 2123/udp, 2152/udp, 3544/udp, 4789/udp, 5072/udp, 6081/udp };

#@ base/init-default
redef likely_server_ports += { 102/tcp, 69/udp, 113/tcp, 137/tcp, 1812/tcp, 5353/tcp, 5355/tcp, 784/udp };

#@ base/protocols/dce-rpc/main
redef likely_server_ports += { 135/tcp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_DCE_RPC, DCE_RPC::ports);
	}

#@ base/protocols/dhcp/main
redef likely_server_ports += { 67/udp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_DHCP, set(), DHCP::server_ports);
	Analyzer::register_for_ports(Analyzer::ANALYZER_DHCP, set(), DHCP::client_ports);
	}

#@ base/protocols/dnp3/main
redef likely_server_ports += { 20000/tcp, 20000/udp };

#@ base/protocols/dns/main
redef likely_server_ports += { 53/tcp, 53/udp, 137/udp, 5353/udp, 5355/udp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_DNS, DNS::ports);
	}

#@ base/protocols/finger/main
redef likely_server_ports += { 79/tcp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_FINGER, Finger::ports);
	}

#@ base/protocols/ftp/main
redef likely_server_ports += { 21/tcp, 2811/tcp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_FTP, FTP::ports);
	}

#@ base/protocols/http/main
redef likely_server_ports += { 80/tcp, 81/tcp, 631/tcp, 1080/tcp, 3128/tcp, 8000/tcp, 8080/tcp, 8888/tcp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_HTTP, HTTP::ports);
	}

#@ base/protocols/imap/main
redef likely_server_ports += { 143/tcp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_IMAP, IMAP::ports);
	}

#@ base/protocols/irc/main
redef likely_server_ports += { 6666/tcp, 6667/tcp, 6668/tcp, 6669/tcp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_IRC, IRC::ports);
	}

#@ base/protocols/krb/main
redef likely_server_ports += { 88/tcp, 88/udp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_KRB_TCP, KRB::tcp_ports);
	Analyzer::register_for_ports(Analyzer::ANALYZER_KRB, KRB::udp_ports);
	}

#@ base/protocols/ldap/main
redef likely_server_ports += { 389/tcp, 389/udp, 3268/tcp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_LDAP_TCP, LDAP::ports_tcp);
	Analyzer::register_for_ports(Analyzer::ANALYZER_LDAP_UDP, LDAP::ports_udp);
	}

#@ base/protocols/modbus/main
redef likely_server_ports += { 502/tcp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_MODBUS, Modbus::ports);
	}

#@ base/protocols/mqtt/main
redef likely_server_ports += { 1883/tcp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_MQTT, MQTT::ports);
	}

#@ base/protocols/mysql/main
redef likely_server_ports += { 1434/tcp, 3306/tcp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_MYSQL, MySQL::ports);
	}

#@ base/protocols/ntp/main
redef likely_server_ports += { 123/udp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_NTP, NTP::ports);
	}

#@ base/protocols/pop3/__load__
redef likely_server_ports += { 110/tcp };

#@ base/protocols/postgresql/main
redef likely_server_ports += { 5432/tcp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_POSTGRESQL, PostgreSQL::ports);
	}

#@ base/protocols/radius/main
redef likely_server_ports += { 1812/udp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_RADIUS, RADIUS::ports);
	}

#@ base/protocols/rdp/main
redef likely_server_ports += { 3389/tcp, 3389/udp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_RDP, RDP::rdp_ports);
	Analyzer::register_for_ports(Analyzer::ANALYZER_RDPEUDP, RDP::rdpeudp_ports);
	}

#@ base/protocols/redis/main
redef likely_server_ports += { 6379/tcp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_REDIS, Redis::ports);
	}

#@ base/protocols/rfb/main
redef likely_server_ports += { 5900/tcp, 5901/tcp, 5902/tcp, 5903/tcp, 5904/tcp, 5905/tcp, 5906/tcp, 5907/tcp, 5908/tcp, 5909/tcp };

#@ base/protocols/sip/main
redef likely_server_ports += { 5060/tcp, 5061/tcp, 5060/udp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_SIP, SIP::ports);
	}

#@ base/protocols/smb/main
redef likely_server_ports += { 139/tcp, 445/tcp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_SMB, SMB::ports);
	}

#@ base/protocols/smtp/main
redef likely_server_ports += { 25/tcp, 587/tcp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_SMTP, SMTP::ports);
	}

#@ base/protocols/snmp/main
redef likely_server_ports += { 161/udp, 162/udp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_SNMP, SNMP::ports);
	}

#@ base/protocols/socks/main
redef likely_server_ports += { 1080/tcp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_SOCKS, SOCKS::ports);
	}

#@ base/protocols/ssh/main
redef likely_server_ports += { 22/tcp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_SSH, SSH::ports);
	}

#@ base/protocols/ssl/main
redef likely_server_ports += { 443/tcp, 563/tcp, 585/tcp, 614/tcp, 636/tcp, 989/tcp, 990/tcp, 992/tcp, 993/tcp, 995/tcp, 5223/tcp, 443/udp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_SSL, SSL::ssl_ports);
	Analyzer::register_for_ports(Analyzer::ANALYZER_DTLS, SSL::dtls_ports);
	}

#@ base/protocols/syslog/main
redef likely_server_ports += { 514/udp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_SYSLOG, Syslog::ports);
	}

#@ base/protocols/xmpp/main
redef likely_server_ports += { 5222/tcp, 5269/tcp };
event zeek_init() &priority=5
	{
	Analyzer::register_for_ports(Analyzer::ANALYZER_XMPP, XMPP::ports);
	}

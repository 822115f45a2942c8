type string_vec: vector of string;
type index_vec: vector of count;
type addr_set: set[addr];
type string_set: set[string];
type any_vec: vector of any;
type transport_proto: enum { unknown_transport, tcp, udp, icmp };
type conn_id: record { orig_h: addr; orig_p: port; resp_h: addr; resp_p: port; };

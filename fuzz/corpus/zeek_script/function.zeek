module Test;
export { type Row: record { a: count &default=1; b: set[string] &optional &log; } &log; }
global rows: table[addr, string] of Row = table() &create_expire=1 min;
function sum(v: vector of count): count { local n = 0; for ( i, x in v ) n += x; return n; }
event zeek_init() &priority=5
	{
	local f = function(x: count): count { return x + 1; };
	switch ( f(2) ) { case 3: print /a+b?/ in "ab", fmt("%d %s", sum(vector(1, 2)), 1.2.3.4/24); break; default: break; }
	when ( |rows| > 1 ) { print "more"; } timeout 1 sec { schedule 2 sec { Test::later("x") }; }
	}

global zeek_init: event();
global zeek_done: event();

signature a-b {
  ip-proto == tcp
  src-ip == [fe80::0]/16, 10.0.0.0/8
  header ip[16:4] & 0xff == 1.2.3.4/16
  payload /^GET .*(root|\x00)$/i
  requires-reverse-signature ! c
  tcp-state established,originator
  event found "x"
}
signature c { payload-size > 5 enable "http" }

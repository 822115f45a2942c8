"""Costs of loading rules: sets that would make a matcher, a group or a compiler large. A row returns rules."""

import pathlib
import shutil

from measure import Table


def command(binary, rules):
    """A run over a capture of no packets, which is the start alone."""
    pathlib.Path("nothing.pcap").write_bytes(bytes.fromhex("d4c3b2a1020004000000000000000000" "0000040001000000"))
    pathlib.Path("some.rules").write_text(rules)
    shutil.rmtree("out", ignore_errors=True)
    pathlib.Path("out").mkdir()
    return [binary, "-q", "-r", "nothing.pcap", "-S", "some.rules", "-l", "out"]


TABLE = Table(command, nothing='alert tcp any any -> any any (content:"nothing"; sid:1;)\n')
row = TABLE.row


def rule(number, options, head="tcp any any -> any any"):
    return f'alert {head} ({options}; sid:{number};)\n'


def rules(n, options, head="tcp any any -> any any"):
    """n rules of two functions of a number, or texts."""
    given = [made if callable(made) else lambda _, made=made: made for made in (options, head)]
    return "".join(rule(i + 1, given[0](i), given[1](i)) for i in range(n))


def word(i):
    """A text of eight letters that looks like chance."""
    mixed = i * 2654435761 & 0xFFFFFFFFFF
    return "".join("abcdefghijklmnopqrstuvwxyz012345"[mixed >> 5 * place & 31] for place in range(8))


@row(2_500)
def ports_of_their_own(n):
    return rules(n, lambda i: f'content:"{word(i)}"', lambda i: f"tcp any any -> any {i % 65000 + 1}")


@row(2_500)
def ports_nested(n):
    return rules(n, lambda i: f'content:"{word(i)}"', lambda i: f"tcp any any -> any {i % 30000 + 1}:{65535 - i % 30000}")


@row(500)
def ports_listed(n):
    return rules(n, lambda i: f'content:"{word(i)}"', lambda i: f"tcp any any -> any [{','.join(str((i * 31 + k * 977) % 65000 + 1) for k in range(40))}]")


@row(500)
def ports_denied(n):
    return rules(n, lambda i: f'content:"{word(i)}"', lambda i: f"tcp any any -> any [!{i + 1},!{i + 9}:{i + 20}]")


@row(500)
def addresses_listed(n):
    return rules(n, "dsize:>0", lambda i: f"ip [{','.join(f'{i % 200 + 1}.{k}.{i // 200 % 250}.0/24' for k in range(40))}] any -> any any")


@row(500)
def addresses_nested(n):
    return rules(n, "dsize:>0", lambda i: f"ip [10.0.0.0/8,!10.{i % 250}.0.0/16,10.{i % 250}.{i // 250}.0/24] any -> any any")


@row(2_500)
def literals_short_on_few_ports(n):
    return rules(n, lambda i: f'content:"|{i >> 8 & 255:02x} {i & 255:02x}|"', lambda i: f"tcp any any -> any {i % 100 + 1}")


@row(2_500)
def literals_short(n):
    return rules(n, lambda i: f'content:"|{i >> 8 & 255:02x} {i & 255:02x}|"')


@row(2_500)
def literals_of_one_byte(n):
    return rules(n, lambda i: f'content:"|{i & 255:02x}|"')


@row(2_500)
def literals_alike(n):
    """All begin and end with the same bytes."""
    return rules(n, lambda i: f'content:"aaaaaaaaaaaa{word(i)}aaaaaaaaaaaa"; nocase')


@row(2_500)
def literals_repeated(n):
    return rules(n, 'content:"the same in all of them"')


@row(200)
def literals_long(n):
    return rules(n, lambda i: f'content:"{"".join(word(i * 30 + k) for k in range(30))}"')


@row(2_500)
def literals_at_the_start(n):
    return rules(n, lambda i: f'content:"{word(i)}"; startswith')


@row(2_500)
def literals_of_protocols(n):
    names = ["http", "tls", "dns", "smtp", "ftp", "ssh", "smb"]
    return rules(n, lambda i: f'content:"{word(i)}"', lambda i: f"{names[i % 7]} any any -> any any")


@row(2_500)
def literals_of_buffers(n):
    buffers = ["http.uri", "http.host", "http.user_agent", "http.request_body", "file.data", "tls.sni", "dns.query"]
    return rules(n, lambda i: f'{buffers[i % 7]}; content:"{word(i)}"')


@row(50)
def contents_of_a_rule(n):
    return rules(50, lambda i: "; ".join(f'content:"{word(i * n + k)}"; distance:0' for k in range(n)))


@row(500)
def expressions(n):
    return rules(n, lambda i: f'content:"{word(i)}"; pcre:"/{word(i)}[a-f0-9]{{8,64}}(x|y|z)+{word(i + 1)}/Ri"')


@row(500)
def expressions_alone(n):
    return rules(n, lambda i: f'pcre:"/[a-f0-9]{{8}}{word(i)}/"')


@row(2_500)
def flowbits_in_chains(n):
    return rules(n, lambda i: f'content:"{word(i)}"; flowbits:isset,bit{i}; flowbits:set,bit{i + 1}')


@row(500)
def flowbits_in_lists(n):
    return rules(n, lambda i: f'content:"{word(i)}"; flowbits:isset,{"|".join(f"bit{(i + k) % n}" for k in range(20))}; flowbits:set,bit{i}')


@row(1_000)
def variables(n):
    return rules(n, lambda i: f'content:"{word(i)}"; byte_extract:2,0,v{i},relative; content:"x"; offset:v{i}; byte_test:2,>,v{i},4,relative')


@row(2_500)
def thresholds(n):
    return rules(n, lambda i: f'content:"{word(i)}"; threshold:type limit,track by_src,count 1,seconds {i + 1}')


@row(2_500)
def numbers_repeated(n):
    """All but the last are refused."""
    return "".join(rule(1, f'content:"{word(i)}"; rev:{i + 1}') for i in range(n))


@row(2_500)
def mistakes(n):
    return rules(n, lambda i: f'content:"{word(i)}"; contnet:"{word(i)}"') + rule(n + 1, 'content:"nothing"')


@row(2_500)
def messages(n):
    return rules(n, lambda i: f'msg:"{word(i) * 8}"; content:"{word(i)}"; metadata:{word(i)} {word(i)}, a {word(i + 1)}; reference:url,{word(i)}.example; classtype:misc-activity')

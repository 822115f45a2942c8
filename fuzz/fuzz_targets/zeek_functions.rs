//! Any bytes as the arguments of built-in functions of scripts, and of those that read bytes for the frameworks: each call is a handler
//! of its own, so that an error of one is none of the others.

#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use weir_script::values::Value;
use weir_script::{Driver, Script};

/// Calls with the bytes in three ways: `s` is the input, `t` its first line, `n` a small number of it.
const CALLS: &str = r#"
encode_base64(s); decode_base64(s); decode_base64(s, t); is_valid_base64(s); bytestring_to_hexstr(s);
hexstr_to_bytestring(s); uuid_to_string(s); find_entropy(s); hexdump(s); levenshtein_distance(s, t);
safe_shell_quote(s); str_split_indices(s, vector(n, 1)); compress_path(s); fmt(s, t, n); cat_sep(t, t, s);
md5_hash(s); sha1_hash(s); sha256_hash(s); sha512_hash(s); md5_hmac(s, t); fnv1a32(s); hrw_weight(n, 3);
clean(s); escape_string(s); to_string_literal(s); count_substr(s, t); edit(s, "x"); ends_with(s, t); starts_with(s, t);
is_ascii(s); ljust(s, n, "-"); rjust(s, n, "-"); zfill(s, n); lstrip(s, t); rstrip(s, t); strip(s); remove_prefix(s, t);
remove_suffix(s, t); reverse(s); strcmp(s, t); string_fill(n, s); string_to_ascii_hex(s); strstr(s, t);
sub_bytes(s, n, 3); subst_string(s, t, "y"); swap_case(s); to_lower(s); to_upper(s); to_title(s); find_str(s, t);
rfind_str(s, t); find_all(s, /a+|b./); find_last(s, /[0-9]+/); sub(s, /a/, t); gsub(s, /[a-c]/, t);
split_string(s, /,/); split_string1(s, /:/); split_string_all(s, /[ \t]+/); split_string_n(s, /-/, T, n);
string_to_pattern(t, T); string_to_pattern(t, F); convert_for_pattern(s); parse_ftp_port(s); parse_ftp_pasv(s);
parse_eftp_port(s); parse_ftp_epsv(s); is_valid_ip(s); is_valid_subnet(s); ptr_name_to_addr(s); routing0_data_to_addrs(s);
to_count(s); to_int(s); to_double(s); to_addr(s); to_subnet(s); to_port(s); bytestring_to_double(s); bytestring_to_float(s);
bytestring_to_count(s); raw_bytes_to_v4_addr(s); raw_bytes_to_v6_addr(s); strftime(t, double_to_time(n)); strptime(t, s);
from_json(s, string_vec); to_json(s); unescape_URI(s); decode_netbios_name(s); decode_netbios_name_type(s);
str_smith_waterman(t, s, [$min_strlen=2, $sw_variant=1]); paraglob_match(paraglob_init(vector(t, "a*")), s); file_mode(n);
identify_data(s); extract_ip_addresses(s); decompose_uri(s); find_all_urls(s); join_string_vec(split_string(s, /,/), t);
x509_verify(vector(x509_from_der(s)), table(["r"] = s)); sct_verify(x509_from_der(s), t, t, s, n, 4, t);
x509_ocsp_verify(vector(x509_from_der(s)), s, table(["r"] = s)); parse_distinguished_name(s);
extract_first_email_addr(s); string_to_ascii_hex(t); is_valid_ip(t); s[n:3]; s[-2]; t in s; s + t; |s|; s == t
"#;

/// A program with the calls.
fn prepare() -> Driver {
    let mut driver = Driver::new(Some("/nonexistent"));
    driver.engine.output.captured = Some((Vec::new(), String::new()));
    let mut text = "@load base/utils/addrs\n@load base/utils/urls\n@load base/utils/email\n".to_owned();
    for call in CALLS.split(';').map(str::trim).filter(|call| !call.is_empty()) {
        text.push_str(&format!("event calls(s: string, t: string, n: count) {{ print {call}; }}\n"));
    }
    driver.read(&[Script::Text("calls.zeek".to_owned(), text.into_bytes())]);
    assert_eq!(driver.engine.errors, 0, "a call is none: {:?}", driver.engine.output.captured);
    driver.engine.limits.steps = 1 << 20;
    driver.engine.limits.entries = 1 << 20;
    driver
}

thread_local! {
    static DRIVER: RefCell<Driver> = RefCell::new(prepare());
}

fuzz_target!(|input: &[u8]| {
    DRIVER.with_borrow_mut(|driver| {
        let first = input.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let small = input.first().map_or(0, |byte| u64::from(*byte));
        let arguments = [Value::string(input), Value::string(first), Value::Count(small)];
        let number = driver.engine.program.function_named("calls").expect("the event is declared");
        let ended = driver.engine.handle(number, &arguments);
        assert!(ended.is_ok());
        driver.engine.output.captured = Some((Vec::new(), String::new()));
    });
});

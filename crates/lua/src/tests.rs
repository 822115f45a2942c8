//! Scripts as rules run them: what they are given, what they answer, and what ends them.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use weir_base::{Direction, Timestamp, Turn};
use weir_detect::buffer::MAX_VARIABLES;
use weir_detect::dataset::{DataKind, Datasets, Description};
use weir_detect::names::{NameKind, NameTable};
use weir_detect::script::{
    ScriptArgument, ScriptFacts, ScriptFailure, ScriptLanguage, ScriptRunner, ScriptSurroundings, ScriptView,
};
use weir_detect::state::FlowDetect;
use weir_detect::view::FlowProtocol;
use weir_packet::{LinkType, Packet, RawPacket};
use weir_rules::RuleInfo;

use crate::{LuaLanguage, LuaSettings, OutputScript, Say};

/// A folder of scripts, with the language that reads them.
struct Bench {
    folder: PathBuf,
    language: LuaLanguage,
    names: NameTable,
    datasets: Arc<Datasets>,
    said: Arc<Mutex<Vec<String>>>,
}

impl Bench {
    fn new(name: &str, all_functions: bool) -> Self {
        let folder = std::env::temp_dir().join(format!("weir-lua-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&said);
        let settings = LuaSettings {
            folder: folder.clone(),
            max_bytes: 500_000,
            max_instructions: 500_000,
            all_functions,
            log_folder: "/logs".to_owned(),
            say: Say(Arc::new(move |level, text| heard.lock().unwrap().push(format!("{level}: {text}")))),
        };
        let (names, datasets) = (NameTable::default(), Arc::default());
        Self { folder, language: LuaLanguage::new(settings, &[]), names, datasets, said }
    }

    fn write(&self, text: &str) {
        std::fs::write(self.folder.join("test.lua"), text).unwrap();
    }

    fn read(&self, text: &str) -> Result<weir_detect::script::CheckScript, String> {
        self.write(text);
        let byte_variables = ["first".into(), "second".into()];
        self.language
            .read_check("test.lua", &ScriptFacts { names: &self.names, byte_variables: &byte_variables })
    }

    fn runner(&self) -> Box<dyn ScriptRunner> {
        let (names, turn) = (self.names.list(), Turn::alone());
        self.language.runner(&ScriptSurroundings { names: &names, datasets: &self.datasets, turn: &turn })
    }

    /// Returns the answers of `match` to so many calls, one runner for all.
    fn ask(&self, text: &str, times: usize) -> Vec<Result<bool, ScriptFailure>> {
        let script = self.read(text).unwrap();
        let (mut runner, mut state) = (self.runner(), FlowDetect::default());
        (0..times).map(|_| with_view(&mut state, |view| runner.matches(script.id, view))).collect()
    }

    fn transform(&self, text: &str, input: &str) -> String {
        self.write(text);
        let script = self.language.read_transform("test.lua", &["one", " two"]).unwrap();
        let mut output = Vec::new();
        self.runner().transform(script, input.as_bytes(), &mut output);
        String::from_utf8(output).unwrap()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn with_view<T>(state: &mut FlowDetect, work: impl FnOnce(ScriptView<'_>) -> T) -> T {
    let raw = RawPacket {
        number: 7,
        time: Timestamp::new(1_700_000_000, 5_000),
        link: LinkType::ETHERNET,
        interface: 0,
        bytes: b"whole",
        wire_length: 5,
    };
    let packet = Packet::empty(&raw);
    let mut byte_variables = [0; MAX_VARIABLES];
    byte_variables[1] = 99;
    let rule = RuleInfo { sid: 12, msg: "said".into(), ..RuleInfo::default() };
    let buffer = ScriptArgument { name: "buffer", bytes: b"a text", offset: 4 };
    work(ScriptView {
        rule: &rule,
        arguments: &[buffer],
        packet: &packet,
        direction: Direction::ToServer,
        flow: None,
        protocol: FlowProtocol::default(),
        state: Some(state),
        transaction: None,
        byte_variables: &byte_variables,
    })
}

const INIT: &str = "function init() return {} end\n";

/// A script of which this is the function `match`.
fn matching(body: &str) -> String {
    format!("{INIT}function match(args) {body} end")
}

#[test]
fn what_a_match_is() {
    let bench = Bench::new("answers", false);
    let cases = [
        ("return 1", Ok(true)),
        ("return 1.0", Ok(true)),
        ("return 0", Ok(false)),
        ("return 2", Ok(false)),
        ("return", Ok(false)),
        ("return true", Ok(false)),
        ("return {retval = 1}", Ok(true)),
        ("return {retval = '1'}", Ok(true)),
        ("return {retval = 0}", Ok(false)),
        ("return args.buffer == 'a text' and args.offset == 5 and 1 or 0", Ok(true)),
        ("error('mine')", Err(ScriptFailure::Error)),
        ("local a = nil; return a.b", Err(ScriptFailure::Error)),
    ];
    for (body, expected) in cases {
        assert_eq!(bench.ask(&matching(body), 1), [expected], "{body}");
    }
    let said = &bench.said.lock().unwrap()[0];
    let expected = "warning: Lua script failed to run successfully: ";
    assert!(said.starts_with(expected) && said.ends_with("test.lua:2: mine"), "{said}");
}

#[test]
fn a_script_keeps_its_globals_between_calls() {
    let bench = Bench::new("globals", false);
    let text = format!(
        "{INIT}function thread_init() count = 10 end\nfunction match() count = count + 1; return count == 12 and 1 or 0 end"
    );
    assert_eq!(bench.ask(&text, 3), [Ok(false), Ok(true), Ok(false)]);
}

#[test]
fn no_script_hangs_or_blows_up() {
    let bench = Bench::new("limits", false);
    let deep = "local function f(n) return 1 + f(n + 1) end return f(1)";
    let cases = [
        ("while true do end", ScriptFailure::Instructions),
        ("for i = 1, math.huge do local s = i end", ScriptFailure::Instructions),
        ("local t = {} while true do t[#t + 1] = {} end", ScriptFailure::Memory),
        ("return #string.rep('x', 1 << 30)", ScriptFailure::Memory),
        ("local s = 'x' while true do s = s .. s end", ScriptFailure::Memory),
        ("return ('a'):rep(5000):find('.-.-.-.-b')", ScriptFailure::Instructions),
        ("return ('a'):rep(5000):match('a*a*a*a*b')", ScriptFailure::Instructions),
        ("for _ in ('a'):rep(5000):gmatch('.-.-.-b') do end", ScriptFailure::Instructions),
        ("return ('a'):rep(5000):gsub('.-.-.-b', '')", ScriptFailure::Instructions),
        ("return ('a'):rep(50000):gsub('', ('b'):rep(50000))", ScriptFailure::Memory),
        ("local t = {} for i = 1, 1000000 do table.insert(t, 1, i) end", ScriptFailure::Instructions),
        ("local s = ('a'):rep(50000) while true do s:upper() end", ScriptFailure::Instructions),
        (
            "local t = {} for i = 1, 9999 do t[i] = -i end while true do table.sort(t) end",
            ScriptFailure::Instructions,
        ),
        ("pcall(print)", ScriptFailure::Blocked),
        ("load('return 1')()", ScriptFailure::Blocked),
        ("setmetatable({}, {})", ScriptFailure::Blocked),
        ("return io.open('/etc/passwd')", ScriptFailure::Error),
        ("return os.getenv('HOME')", ScriptFailure::Error),
        ("return require('io')", ScriptFailure::Error),
        (deep, ScriptFailure::Memory),
    ];
    for (body, expected) in cases {
        let answers = bench.ask(&matching(&format!("if again then return 1 end again = true; {body}")), 2);
        assert_eq!(answers, [Err(expected), Ok(true)], "{body}: it ends, and can be asked again");
    }
}

#[test]
fn the_end_of_a_script_is_not_held_back() {
    let bench = Bench::new("escape", true);
    for body in [
        "while true do pcall(function() while true do end end) end",
        "while true do xpcall(function() while true do end end, function() while true do end end) end",
        "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
        "while true do coroutine.wrap(function() while true do end end)() end",
    ] {
        assert_eq!(bench.ask(&matching(body), 1), [Err(ScriptFailure::Instructions)], "{body}");
    }
    for allowed in [
        "pcall(error) == false and os.time() > 0 and io.open ~= nil",
        "select('#', xpcall(function(...) return ... end, print, 1, 2)) == 3",
        "select(2, xpcall(error, function(why) return why .. '!' end, 'no')) == 'no!'",
        "pcall(setmetatable, {}, {__gc = print}) == false and setmetatable({}, {__index = {a = 1}}).a == 1",
    ] {
        assert_eq!(bench.ask(&matching(&format!("return {allowed} and 1 or 0")), 1), [Ok(true)], "{allowed}");
    }
}

#[test]
fn what_a_script_asks_for() {
    let bench = Bench::new("needs", false);
    let tail = "function match() return 0 end";
    let cases = [
        ("return {}", Ok(vec![])),
        ("return {packet = true, payload = tostring(true), stream = false}", Ok(vec!["packet", "payload"])),
        ("local needs = {} needs['http.uri'] = 'true' return needs", Ok(vec!["http.uri"])),
        ("return 1", Err("init function in script should return table, returned is not table")),
        ("error('no')", Err("couldn't run script 'init' function: ")),
        ("while true do end", Err("couldn't run script 'init' function: ")),
    ];
    for (body, expected) in cases {
        let read = bench.read(&format!("function init() {body} end {tail}")).map(|script| script.needs);
        match (read, expected) {
            (Ok(needs), Ok(expected)) => assert_eq!(needs, expected, "{body}"),
            (Err(message), Err(expected)) => assert!(message.starts_with(expected), "{body}: {message}"),
            (read, _) => panic!("{body}: {read:?}"),
        }
    }
}

#[test]
fn scripts_that_are_refused() {
    let bench = Bench::new("refused", false);
    for (text, expected) in [
        ("function init() return {} end", "no match function in script"),
        ("function match() return 0 end", "no init function in script"),
        ("function", "couldn't load file: "),
        ("error('at once')", "couldn't prime file: "),
        ("while true do end", "couldn't prime file: "),
        ("\u{1b}Lua", "couldn't load file: "),
    ] {
        let message = bench.read(text).unwrap_err();
        assert!(message.starts_with(expected), "{text}: {message}");
    }
    let facts = ScriptFacts { names: &bench.names, byte_variables: &[] };
    let message = bench.language.read_check("none.lua", &facts).unwrap_err();
    assert!(message.ends_with("none.lua: No such file or directory"), "{message}");
}

#[test]
fn libraries() {
    let bench = Bench::new("libraries", false);
    let cases = [
        ("base64", "l.encode('ab') == 'YWI=' and l.decode('YWI=') == 'ab' and l.encode_nopad('ab') == 'YWI'"),
        ("base64", "l.decode_nopad('YWI') == 'ab'"),
        ("base64", "l.decode_padopt('YWI') == 'ab' and l.decode_padopt('YWI=') == 'ab'"),
        ("base64", "l.decode_rfc4648('YWI=') == 'ab' and l.decode_rfc2045('Y W\\r\\nI=') == 'ab'"),
        (
            "hashing",
            "l.md5_hex_digest('a') == '0cc175b9c0f1b6a831c399e269772661' and #l.sha256_digest('') == 32",
        ),
        ("config", "l.log_path() == '/logs'"),
        (
            "util",
            "l.thread_info().id == 1 and l.thread_info().name == 'W#01' and l.thread_info().group_name == 'Detect'",
        ),
        ("rule", "l.get_rule():sid() == 12 and l.get_rule():msg() == 'said'"),
        ("rule", "l.get_rule():action() == 'alert' and l.get_rule():priority() == 3"),
        ("packet", "l.get():pcap_cnt() == 7 and l.get():packet() == 'whole' and l.get():sp() == nil"),
        ("packet", "l.get():timestamp() == 1700000000 and select(2, l.get():timestamp()) == 5"),
        ("packet", "tostring(l.get():timestamp()) == '1700000000.0'"),
        ("rule", "l.get_rule():class_description() == nil and l.get_rule():gid() == 1"),
        ("flow", "l.get() == nil and select(2, l.get()) == 'failed to get flow'"),
        ("file", "l.get_file() == nil"),
    ];
    for (library, condition) in cases {
        let text = format!(
            "local l = require('suricata.{library}')\n{}",
            matching(&format!("return {condition} and 1 or 0"))
        );
        assert_eq!(bench.ask(&text, 1), [Ok(true)], "{library}: {condition}");
    }
    for name in ["suricata.none", "socket"] {
        let message = bench.read(&format!("require('{name}')\n{}", matching("return 1"))).unwrap_err();
        assert!(message.ends_with(&format!("Module not found: {name}")), "{message}");
    }
}

#[test]
fn hashers_end_once() {
    let bench = Bench::new("hashers", false);
    let open = "local h = require('suricata.hashing').sha1()\n";
    let whole = matching(
        "h:update('a') h:update('b') return h:finalize_to_hex() == 'da23614e02469a0d7c7bd1bdab5c9c474b1904dc' and 1 or 0",
    );
    assert_eq!(bench.ask(&format!("{open}{whole}"), 2), [Ok(true), Err(ScriptFailure::Error)]);
}

#[test]
fn methods_know_their_objects() {
    let bench = Bench::new("selves", false);
    let open = "local p = require('suricata.packet').get\nlocal h = require('suricata.hashing')\n";
    for body in ["p().sp()", "p().sp({})", "p().sp(h.md5())", "h.md5().update({}, 'x')"] {
        let answers = bench.ask(&format!("{open}{}", matching(body)), 1);
        assert_eq!(answers, [Err(ScriptFailure::Error)], "{body}");
    }
}

#[test]
fn variables_of_flows() {
    let bench = Bench::new("variables", false);
    let text = "
        local flowint, flowvar = require('suricata.flowint'), require('suricata.flowvar')
        function init() flowint.register('count') flowvar.register('text') return {} end
        function thread_init() count, text = flowint.get('count'), flowvar.get('text') end
        function match()
            if count:value() == nil then
                if count:decr() ~= 0 or count:incr() ~= 1 or count:set(5) ~= 5 then return 0 end
                text:set('abcdef', 3)
                return 1
            end
            if count:value() == 5 and text:value() == 'abc' then count:set(6) return 1 end
            text:set('abc', -1)
        end";
    let answers = bench.ask(text, 3);
    assert_eq!(answers, [Ok(true), Ok(true), Err(ScriptFailure::Error)]);
    assert_eq!(bench.names.list().kind(weir_detect::state::NameId(0)), Some(NameKind::FlowInteger));
    let many =
        "function init() for i = 1, 20 do require('suricata.flowint').register('n' .. i) end return {} end";
    assert!(bench.read(&format!("{many} {}", matching("return 1"))).is_ok(), "the later init counts");
    let message = bench.read(&format!("{} {many}", matching("return 1"))).unwrap_err();
    assert!(message.contains("too many flowints registered"), "{message}");
    let unknown = "local v = require('suricata.flowvar').get('other')\n";
    assert_eq!(
        bench.ask(&format!("{unknown}{}", matching("return v:value()")), 1),
        [Err(ScriptFailure::Error)]
    );
}

#[test]
fn byte_variables_of_the_rule() {
    let bench = Bench::new("bytes", false);
    let text = "
        local bytevar = require('suricata.bytevar')
        function init(sig) bytevar.map(sig, 'second') return {} end
        function thread_init() second = bytevar.get('second') end
        function match() return second:value() == 99 and 1 or 0 end";
    assert_eq!(bench.ask(text, 1), [Ok(true)]);
    let message = bench.read(&text.replace("'second') return", "'third') return")).unwrap_err();
    assert!(message.contains("unknown byte_extract or byte_math variable: third"), "{message}");
}

#[test]
fn sets_of_rules() {
    let bench = Bench::new("sets", false);
    let text = Description { kind: Some(DataKind::Text), ..Description::default() };
    bench.datasets.open("seen", &text).unwrap();
    let script = "
        local dataset = require('suricata.dataset')
        function init() return {} end
        function thread_init() set = dataset.new() set:get('seen') end
        function match(args)
            local missing, why = dataset.new():get('other')
            if why ~= 'dataset not found' then return 0 end
            return set:add(args.buffer, #args.buffer)
        end";
    assert_eq!(bench.ask(script, 2), [Ok(true), Ok(false)]);
    assert!(bench.language.changes_sets());
    let seen = bench.datasets.named("seen", DataKind::Text).unwrap();
    assert!(seen.find(b"a text").is_some());
}

#[test]
fn functions_of_patterns() {
    let bench = Bench::new("patterns", false);
    for condition in [
        "('hello'):find('l') == 3 and select(2, ('hello'):find('l+')) == 4",
        "('a.b'):find('.', 1, true) == 2 and ('abc'):find('b', -2) == 2 and ('abc'):find('a', 2) == nil",
        "('abc'):find('', 10) == nil and ('abc'):find('', 4) == 4",
        "select('#', ('k=v'):find('(%w)=(%w)')) == 4 and select(3, ('k=v'):find('(%w)=(%w)')) == 'k'",
        "('k=v'):match('(%w)=(%w)') == 'k' and ('abc'):match('%a+') == 'abc' and ('abc'):match('()', 3) == 3",
        "(function() local n = 0 for k, v in ('a=1, b=2'):gmatch('(%w)=(%w)') do n = n + v end return n end)() == 3",
        "(function() local n = 0 for w in ('abc'):gmatch('') do n = n + 1 end return n end)() == 4",
        "(function() local n = 0 for w in ('^a^a'):gmatch('^a') do n = n + 1 end return n end)() == 2",
        "('hello'):gsub('l', 'L') == 'heLLo' and select(2, ('hello'):gsub('l', 'L')) == 2",
        "('hello'):gsub('l', 'L', 1) == 'heLlo' and ('hello'):gsub('', '-') == '-h-e-l-l-o-'",
        "('abc'):gsub('%w', '%0%0') == 'aabbcc' and ('abc'):gsub('(a)(b)', '%2%1%%') == 'ba%c'",
        "('abc'):gsub('%w', {a = 'x', b = false, c = 1}) == 'xb1'",
        "('abc'):gsub('b', function(letter) return letter:upper() end) == 'aBc'",
        "('abc'):gsub('^a', 'x') == 'xbc' and ('aaa'):gsub('^a', 'x') == 'xaa' and ('abc'):gsub('c$', 1.5) == 'ab1.5'",
        "('ab'):upper() == 'AB' and ('ab'):rep(2, '-') == 'ab-ab' and table.concat({1, 2}, ',') == '1,2'",
        "table.remove({1, 2, 3}, 1) == 1 and #table.move({1, 2}, 1, 2, 2) == 3 and select('#', table.unpack({1, 2})) == 2",
    ] {
        let answers = bench.ask(&matching(&format!("return ({condition}) and 1 or 0")), 1);
        assert_eq!(answers, [Ok(true)], "{condition}");
    }
    for wrong in ["('a'):find('%')", "('a'):gsub('a', '%2')", "('a'):gsub('a', true)", "('a'):find('[a')"] {
        assert_eq!(bench.ask(&matching(wrong), 1), [Err(ScriptFailure::Error)], "{wrong}");
    }
}

#[test]
fn transforms() {
    let bench = Bench::new("transforms", false);
    let cases = [
        ("return input:upper(), #input", "abc", "ABC"),
        ("return input, 2", "abc", "ab"),
        ("return input, 200", "abc", "abc"),
        ("return input .. args[1] .. args[2], 10", "abc", "abcone two"),
        ("return input:upper()", "abc", "abc"),
        ("return input:upper(), 0", "abc", "abc"),
        ("return nil, 3", "abc", "abc"),
        ("error('no')", "abc", "abc"),
        ("while true do end", "abc", "abc"),
        ("return 'never', 5", "", ""),
    ];
    for (body, input, expected) in cases {
        let text = format!("function transform(input, args) {body} end");
        assert_eq!(bench.transform(&text, input), expected, "{body}");
    }
    bench.write("function other() end");
    assert_eq!(
        bench.language.read_transform("test.lua", &[]),
        Err("no transform function in script".to_owned())
    );
}

#[test]
fn workers_draw_the_same_random_numbers() {
    let bench = Bench::new("random", false);
    let text = format!("first = math.random(1 << 40)\n{}", matching("return first"));
    let script = bench.read(&text.replace("return first", "error(first)")).unwrap();
    for _ in 0..2 {
        let mut state = FlowDetect::default();
        let mut runner = bench.runner();
        assert!(with_view(&mut state, |view| runner.matches(script.id, view)).is_err());
    }
    let said = bench.said.lock().unwrap();
    assert_eq!(said.len(), 2);
    assert_eq!(said[0], said[1]);
}

#[test]
fn outputs_that_are_refused() {
    let bench = Bench::new("outputs", false);
    let say = Say(Arc::new(|_, _| ()));
    let log = "function log() end";
    for (text, expected) in [
        (format!("function init() return {{type = 'flow'}} end {log}"), None),
        (
            format!(
                "function init() return {{protocol = 'http'}} end {log} function setup() error('no') end"
            ),
            Some("couldn't run script 'setup' function: "),
        ),
        (format!("function init() return {{type = 'stats'}} end {log}"), None),
        (format!("function init() return {{type = 'packet'}} end {log}"), None),
        (format!("function init() return {{streaming = 'tcp'}} end {log}"), None),
        (format!("function init() return {{type = 'streaming', filter = 'tcp'}} end {log}"), None),
        (
            format!("function init() return {{type = 'other'}} end {log}"),
            Some("unknown key and/or value: k='type', v='other'"),
        ),
        (
            format!("function init() return {{type = 'packet', protocol = 'http'}} end {log}"),
            Some("invalid combination of 'needs' in the script"),
        ),
        (format!("function init() return {{}} end {log}"), Some("asks for nothing")),
        (
            format!("function init() return 1 end {log}"),
            Some("init function in script should return table, returned is not table"),
        ),
        (
            format!("function init() end {log}"),
            Some("init function in script should return table, nothing returned"),
        ),
        (format!("function init() error('why') end {log}"), Some("couldn't run script 'init' function: ")),
        ("error('at once')".to_owned(), Some("couldn't prime file: ")),
        ("function".to_owned(), Some("couldn't load file: ")),
        (log.to_owned(), Some("no init function in script")),
        ("function init() return {type = 'flow'} end".to_owned(), Some("no log function in script")),
    ] {
        bench.write(&text);
        let path = bench.folder.join("test.lua");
        let refused = OutputScript::open(&path, "", &[], "/logs".to_owned(), say.clone()).err();
        match (refused, expected) {
            (None, None) => {}
            (Some(message), Some(expected)) => assert!(message.contains(expected), "{text}: {message}"),
            (refused, _) => panic!("{text}: {refused:?}"),
        }
    }
}

//! Numbers read from buffers: `byte_test`, `byte_jump`, `byte_extract` and `byte_math`.

use weir_rules::value::{comma_list, key_value, parse_number};
use weir_rules::{Quotes, RuleOption, Span, Spanned, SyntaxError};

use crate::builder::keyword::Keyword;
use crate::builder::{List, RuleBuilder};
use crate::model::buffer::bytes::{
    ByteExtract, ByteJump, ByteMath, ByteTest, Comparison, Encoding, Operation, Read,
};
use crate::model::buffer::{Check, Number};

/// Farthest offset either way.
const MAX_OFFSET: i64 = 65_535;

/// Most bytes of a binary number.
const MAX_BINARY: i64 = 8;

/// Most bytes of a number in text: octal digits of 64 bits.
const MAX_TEXT: i64 = 23;

/// Most decimal digits of a number that is kept.
const MAX_DECIMAL: i64 = 20;

/// Most hexadecimal digits of a number that is kept.
const MAX_HEXADECIMAL: i64 = 14;

/// Most bytes of a number that `byte_math` reads.
const MAX_MATH: i64 = 4;

/// Most digits of a number that `byte_math` reads.
const MAX_MATH_TEXT: i64 = 10;

/// Largest multiplier.
const MAX_MULTIPLIER: u64 = 65_535;

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[
    Keyword::new(
        "byte_test",
        [
            "byte_test:<bytes>, [!]<operator>, <value>, <offset>[, relative][, big|little|dce]\
             [, string, dec|hex|oct][, bitmask <mask>];",
            "Reads a number and compares it. Operators are < > = <= >= & ^.",
            "byte_test:2,>,1000,4,relative,little;",
        ],
        byte_test,
    ),
    Keyword::new(
        "byte_jump",
        [
            "byte_jump:<bytes>, <offset>[, relative][, multiplier <n>][, big|little|dce][, string, dec|hex|oct]\
             [, align][, from_beginning|from_end][, post_offset <n>][, bitmask <mask>];",
            "Reads a number and goes that many bytes further, for what is relative to it.",
            "byte_jump:2,0,relative; content:\"|00|\"; within:1;",
        ],
        byte_jump,
    ),
    Keyword::new(
        "byte_extract",
        [
            "byte_extract:<bytes>, <offset>, <name>[, relative][, multiplier <n>][, big|little|dce]\
             [, string, dec|hex|oct][, align 2|4];",
            "Reads a number into a variable that later options of the rule can use.",
            "byte_extract:1,0,size,relative; content:\"end\"; distance:size;",
        ],
        byte_extract,
    ),
    Keyword::new(
        "byte_math",
        [
            "byte_math:bytes <n>, offset <n>, oper +|-|*|/|<<|>>, rvalue <n>, result <name>[, relative]\
             [, endian big|little|dce][, string dec|hex|oct][, dce][, bitmask <mask>];",
            "Reads a number, calculates with it, and keeps the result in a variable.",
            "byte_math:bytes 2, offset 0, oper +, rvalue 4, result end; isdataat:!end;",
        ],
        byte_math,
    ),
];

/// Options of all four about reading a number.
#[derive(Default)]
struct Options {
    relative: bool,
    /// An option that stands twice.
    repeated: Option<&'static str>,
    encoding: Option<Encoding>,
    text: bool,
    /// The base of digits.
    base: Option<u32>,
    mask: Option<u32>,
    /// The option `dce` stands among them.
    dce: bool,
    /// Different byte orders stand among them.
    mixed: bool,
}

impl Options {
    /// Takes an option in if it is one of those that all share.
    fn take(&mut self, item: &Spanned) -> Result<bool, SyntaxError> {
        let (key, value) = key_value(item);
        let endian = match (key.as_str(), value.as_str()) {
            ("relative", "") => {
                let before = std::mem::replace(&mut self.relative, true);
                self.repeat("relative", before);
                return Ok(true);
            }
            ("string", base) => {
                let before = std::mem::replace(&mut self.text, true);
                self.repeat("string", before);
                if !base.is_empty() {
                    self.base(&value)?;
                }
                return Ok(true);
            }
            ("dec" | "hex" | "oct", "") => {
                self.base(&key)?;
                return Ok(true);
            }
            ("bitmask", _) => {
                let mask = parse_number(&value).ok().and_then(|mask| u32::try_from(mask).ok());
                let Some(mask) = mask.filter(|mask| *mask != 0) else {
                    return Err(item.error("A bitmask is a number of at most 32 bits that is not zero."));
                };
                let before = self.mask.replace(mask).is_some();
                self.repeat("bitmask", before);
                return Ok(true);
            }
            ("endian", word) => word,
            (word @ ("big" | "little" | "dce"), "") => word,
            _ => return Ok(false),
        };
        let encoding = match endian {
            "big" => Encoding::Big,
            "little" => Encoding::Little,
            "dce" => {
                self.dce = true;
                Encoding::Protocol
            }
            _ => return Err(item.error(format!("`{endian}` is no byte order: big, little or dce."))),
        };
        let before = self.encoding.replace(encoding);
        self.mixed |= before.is_some_and(|found| found != encoding);
        self.repeat("endian", before.is_some());
        Ok(true)
    }

    /// Notes that an option stands there, and did so `before`.
    fn repeat(&mut self, name: &'static str, before: bool) {
        if before {
            self.repeated.get_or_insert(name);
        }
    }

    /// Refuses an option that stands twice, for the keywords that do.
    fn once(&self, option: &RuleOption) -> Result<(), SyntaxError> {
        match self.repeated {
            Some(name) => Err(option.error(format!("{name} specified more than once for {}.", option.name))),
            None => Ok(()),
        }
    }

    fn base(&mut self, word: &Spanned) -> Result<(), SyntaxError> {
        let base = match word.as_str() {
            "dec" => 10,
            "hex" => 16,
            "oct" => 8,
            other => return Err(word.error(format!("`{other}` is no base: dec, hex or oct."))),
        };
        let before = self.base.replace(base).is_some();
        self.repeat("base", before);
        Ok(())
    }

    /// The number's place and form.
    fn read(
        &self,
        option: &RuleOption,
        rule: &mut RuleBuilder<'_>,
        count: &Spanned,
        offset: Number,
        least: i64,
    ) -> Result<Read, SyntaxError> {
        if self.base.is_some() && !self.text {
            let written = option.value.as_deref().unwrap_or_default();
            return Err(option.error(format!("Cannot use a base without \"string\": {written}")));
        }
        let encoding = match self.encoding {
            _ if self.text => Encoding::Text(self.base.unwrap_or(0)),
            Some(encoding) => encoding,
            None => Encoding::Unstated,
        };
        if self.dce {
            if self.text || self.mixed || self.base.is_some() {
                return Err(dce_with_others(option));
            }
            // In a sticky buffer the byte order says nothing of the protocol.
            if !rule.in_buffer() {
                require_dce(option, rule)?;
            }
        }
        let most = if matches!(encoding, Encoding::Text(_)) { MAX_TEXT } else { MAX_BINARY };
        let least = if matches!(encoding, Encoding::Text(_)) { 0 } else { least };
        let count = rule.number(option, count, least, most)?;
        let list = self.list(rule);
        rule.reaches(option, count, list)?;
        rule.reaches(option, offset, list)?;
        Ok(Read { count, offset, relative: self.relative, encoding, mask: self.mask })
    }
}

impl Options {
    /// The list that the number is read in.
    fn list(&self, rule: &RuleBuilder<'_>) -> List {
        if self.relative { rule.relative_list() } else { rule.current() }
    }
}

fn dce_with_others(option: &RuleOption) -> SyntaxError {
    option.error(format!("Invalid option. A {} keyword with dce holds other invalid modifiers.", option.name))
}

/// The byte order is that of DCE/RPC: the rule looks at nothing else.
fn require_dce(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let protocols = rule.environment.fields.protocols_named("dcerpc");
    if protocols.is_empty() {
        return Err(option.error("The byte order `dce` needs the protocol dcerpc, which is not there."));
    }
    let admitted = &mut rule.head.app_protocols;
    if admitted.is_empty() {
        *admitted = protocols;
        return Ok(());
    }
    admitted.retain(|p| protocols.contains(p));
    if admitted.is_empty() {
        return Err(option.error("The byte order `dce` does not go with the rule's protocol."));
    }
    Ok(())
}

fn parts(option: &RuleOption, least: usize) -> Result<Vec<Spanned>, SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let items = comma_list(&text);
    if items.len() < least || items.iter().any(|item| item.is_empty()) {
        return Err(text.error(format!("`{}` needs at least {least} values between commas.", option.name)));
    }
    Ok(items)
}

fn unknown(option: &RuleOption, item: &Spanned) -> SyntaxError {
    match option.name.to_ascii_lowercase().as_str() {
        "byte_test" => item.error(format!("Unknown value: \"{item}\"")),
        "byte_jump" => item.error(format!("Unknown option: \"{item}\"")),
        name => item.error(format!("`{name}` does not know the option `{item}`.")),
    }
}

/// A number that may use all 64 bits, or a variable.
fn value(option: &RuleOption, rule: &RuleBuilder<'_>, text: &Spanned) -> Result<Number, SyntaxError> {
    match parse_number(text) {
        Ok(number) => Ok(Number::Value(number as i64)),
        Err(_) => rule.number(option, text, i64::from(i32::MIN), i64::MAX),
    }
}

/// A number where no variable may stand.
fn plain_number(option: &RuleOption, text: &Spanned, low: i64, high: i64) -> Result<Number, SyntaxError> {
    match text.parse::<i64>() {
        Ok(number) if (low..=high).contains(&number) => Ok(Number::Value(number)),
        _ => {
            Err(text
                .error(format!("`{}` takes a number from {low} to {high} here, not `{text}`.", option.name)))
        }
    }
}

fn byte_test(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let items = parts(option, 4)?;
    let [count, operator, wanted, offset, rest @ ..] = items.as_slice() else { return Ok(()) };
    let mut options = Options::default();
    for item in rest {
        if !options.take(item)? && item != "rawbytes" {
            return Err(unknown(option, item));
        }
    }
    let (sign, negated) = match operator.strip_prefix('!') {
        Some(rest) => (rest.trim_start(), true),
        None => (operator.as_str(), false),
    };
    let comparison = match sign {
        "<" => Comparison::Less,
        ">" => Comparison::Greater,
        "=" => Comparison::Equal,
        "" if negated => Comparison::Equal,
        "<=" => Comparison::LessOrEqual,
        ">=" => Comparison::GreaterOrEqual,
        "&" => Comparison::And,
        "^" => Comparison::Xor,
        _ => {
            return Err(operator
                .error("Invalid operator")
                .with_help("comparisons are < > = <= >= & ^, each with or without `!`"));
        }
    };
    let value = value(option, rule, wanted)?;
    let offset = rule.number(option, offset, -MAX_OFFSET, MAX_OFFSET)?;
    let read = options.read(option, rule, count, offset, 1)?;
    rule.reaches(option, value, options.list(rule))?;
    let relative = read.relative;
    rule.push_check(
        option,
        Check::ByteTest(Box::new(ByteTest { read, comparison, negated, value, relative })),
    )
}

fn multiplier(text: &Spanned) -> Result<u32, SyntaxError> {
    match parse_number(text) {
        Ok(number @ 1..=MAX_MULTIPLIER) => Ok(number as u32),
        _ => Err(text.error(format!("A multiplier lies between 1 and {MAX_MULTIPLIER}."))),
    }
}

fn byte_jump(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let items = parts(option, 2)?;
    let [count, offset, rest @ ..] = items.as_slice() else { return Ok(()) };
    let mut options = Options::default();
    let (mut factor, mut align, mut from_beginning, mut from_end) = (1, false, false, false);
    let mut post_offset = Number::Value(0);
    for item in rest {
        if options.take(item)? {
            continue;
        }
        let (key, argument) = key_value(item);
        match (key.as_str(), argument.as_str()) {
            ("multiplier", _) => factor = multiplier(&argument)?,
            ("post_offset", _) => post_offset = rule.number(option, &argument, -MAX_OFFSET, MAX_OFFSET)?,
            ("align", "") => align = true,
            ("from_beginning", "") => from_beginning = true,
            ("from_end", "") => from_end = true,
            ("rawbytes", "") => {}
            _ => return Err(unknown(option, item)),
        }
    }
    if from_beginning && from_end {
        return Err(
            option.error("'from_end' and 'from_beginning' cannot be used in the same byte_jump statement")
        );
    }
    if (from_beginning || from_end) && options.dce {
        return Err(dce_with_others(option));
    }
    let offset = rule.number(option, offset, -MAX_OFFSET, MAX_OFFSET)?;
    let read = options.read(option, rule, count, offset, 0)?;
    let jump = ByteJump {
        relative: read.relative,
        read,
        multiplier: factor,
        align,
        from_beginning,
        from_end,
        post_offset,
    };
    rule.push_check(option, Check::ByteJump(Box::new(jump)))
}

fn byte_extract(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let items = parts(option, 3)?;
    let [count, offset, name, rest @ ..] = items.as_slice() else { return Ok(()) };
    let mut options = Options::default();
    let (mut factor, mut align) = (1, 0);
    for item in rest {
        if options.take(item)? {
            continue;
        }
        let (key, argument) = key_value(item);
        match (key.as_str(), argument.as_str()) {
            ("multiplier", _) => factor = multiplier(&argument)?,
            ("align", "2") => align = 2,
            ("align", "4") => align = 4,
            ("align", _) => return Err(item.error("`align` takes 2 or 4.")),
            _ => return Err(unknown(option, item)),
        }
    }
    options.once(option)?;
    if options.mask.is_some() {
        return Err(option.error("`byte_extract` takes no bitmask; `byte_math` does."));
    }
    if options.text && options.encoding.is_some() {
        return Err(option.error("byte_extract can't have a string and a byte order."));
    }
    let offset = plain_number(option, offset, i16::MIN.into(), i16::MAX.into())?;
    let plain = plain_number(option, count, 0, u8::MAX.into()).map(|_| ());
    let read = options.read(option, rule, count, offset, 1)?;
    plain?;
    let most = match read.encoding {
        Encoding::Text(10) => MAX_DECIMAL,
        Encoding::Text(16) => MAX_HEXADECIMAL,
        _ => MAX_TEXT,
    };
    if matches!(read.count, Number::Value(count) if count > most) {
        return Err(count
            .error(format!("byte_extract can't process more than {most} bytes in \"string\" extraction")));
    }
    // Defined last, so that the option cannot use its own result.
    let slot = rule.define_variable(name, options.list(rule))?;
    let extract = ByteExtract { relative: read.relative, read, multiplier: factor, align, slot };
    rule.push_check(option, Check::ByteExtract(Box::new(extract)))
}

fn byte_math(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let items = parts(option, 5)?;
    let mut options = Options::default();
    let (mut count, mut offset, mut operation, mut operand, mut result) = (None, None, None, None, None);
    for item in &items {
        if options.take(item)? {
            continue;
        }
        let (key, argument) = key_value(item);
        let fresh = match key.as_str() {
            "bytes" => count.replace(argument).is_none(),
            "offset" => offset.replace(plain_number(option, &argument, -MAX_OFFSET, MAX_OFFSET)?).is_none(),
            "oper" => operation.replace(parse_operation(&argument)?).is_none(),
            "rvalue" => operand.replace(rule.number(option, &argument, 0, u32::MAX.into())?).is_none(),
            "result" => result.replace(argument).is_none(),
            _ => return Err(unknown(option, item)),
        };
        if !fresh {
            return Err(item.error(format!("`{key}` stands twice.")));
        }
    }
    let (Some(count), Some(offset), Some(operation), Some(operand), Some(result)) =
        (count, offset, operation, operand, result)
    else {
        return Err(option
            .error("`byte_math` needs bytes, offset, oper, rvalue and result.")
            .with_help("write `byte_math:bytes 2, offset 0, oper +, rvalue 4, result end;`"));
    };
    options.once(option)?;
    if options.text && options.base.is_none() {
        return Err(option.error("`string` takes a base in `byte_math`: dec, hex or oct."));
    }
    let read = options.read(option, rule, &count, offset, 1)?;
    let shifts = matches!(operation, Operation::ShiftLeft | Operation::ShiftRight);
    let most = if options.text && !shifts { MAX_MATH_TEXT } else { MAX_MATH };
    if matches!(read.count, Number::Value(count) if count > most) {
        return Err(count.error(format!(
            "`byte_math` reads at most {MAX_MATH} bytes, or {MAX_MATH_TEXT} of a string that is not shifted."
        )));
    }
    rule.reaches(option, operand, options.list(rule))?;
    let slot = rule.define_variable(&result, options.list(rule))?;
    let math = ByteMath { relative: read.relative, read, operation, operand, slot };
    rule.push_check(option, Check::ByteMath(Box::new(math)))
}

fn parse_operation(text: &Spanned) -> Result<Operation, SyntaxError> {
    Ok(match text.as_str() {
        "+" => Operation::Add,
        "-" => Operation::Subtract,
        "*" => Operation::Multiply,
        "/" => Operation::Divide,
        "<<" => Operation::ShiftLeft,
        ">>" => Operation::ShiftRight,
        _ => {
            let span = Span::new(0, text.len().max(1));
            return Err(text
                .slice(span)
                .error(format!("`{text}` is no operation of `byte_math`."))
                .with_help("operations are + - * / << >>"));
        }
    })
}

//! Searches in the words of who knows the logs: `src_ip:10.0.0.0/8 and http.hostname:*evil*`.
//!
//! A condition is a field, a sign and a value: `:` holds where a text is the value (with `*` and `?` for any letters), an
//! address is in the network, a number or a moment is equal, a list has it; `=`, `!=`, `<`, `<=`, `>`, `>=` compare. A value
//! alone is looked for in all texts. Conditions stand together with `and` (or nothing between), `or`, `not` and brackets.

use std::fmt::Write;

use arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::Column;
use datafusion::functions_nested::expr_fn::array_to_string;
use datafusion::logical_expr::{Expr, Operator, binary_expr, cast, lit, not};
use datafusion::prelude::SessionContext;

use crate::functions;

/// Brackets within brackets at most.
const DEEPEST: usize = 64;
/// Letters of a search at most.
const LONGEST: usize = 16 * 1024;
/// Conditions of a search at most.
const MOST: usize = 250;

/// A search that was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// Holds for all records.
    All,
    /// Both hold.
    And(Box<Self>, Box<Self>),
    /// One of them holds.
    Or(Box<Self>, Box<Self>),
    /// It does not hold.
    Not(Box<Self>),
    /// A condition on a field.
    Field {
        /// The field's name.
        name: String,
        /// The sign.
        sign: Sign,
        /// The value.
        value: String,
        /// The value stood in quotes, so that no letter of it has a meaning.
        quoted: bool,
    },
    /// A text that stands anywhere.
    Anywhere(String),
}

/// What stands between a field and a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// `:`
    Is,
    /// `=`
    Equal,
    /// `!=`
    Other,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
}

/// Signs as they are written, the longer ones first.
const SIGNS: [(&str, Sign); 7] = [
    ("!=", Sign::Other),
    ("<=", Sign::AtMost),
    (">=", Sign::AtLeast),
    ("<", Sign::Less),
    (">", Sign::More),
    ("=", Sign::Equal),
    (":", Sign::Is),
];

/// A piece of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Open,
    Close,
    And,
    Or,
    Not,
    Sign(Sign),
    Word { text: String, quoted: bool },
}

impl Search {
    /// Reads a search; the error is a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!("A search may have {LONGEST} letters."));
        }
        let tokens = tokens(text)?;
        if tokens.iter().filter(|token| matches!(token, Token::Word { .. })).count() > 2 * MOST {
            return Err(format!("A search may have {MOST} conditions."));
        }
        if tokens.is_empty() {
            return Ok(Self::All);
        }
        let mut parser = Parser { tokens: tokens.into_iter().peekable(), depth: 0 };
        let search = parser.either()?;
        match parser.tokens.next() {
            None => Ok(search),
            Some(Token::Close) => Err("There is a ) without its (.".to_owned()),
            Some(token) => Err(format!("{} is not expected here.", shown(&token))),
        }
    }

    /// Returns the condition on rows of a table; fields that it has not hold for no row.
    pub fn condition(&self, schema: &Schema, context: &SessionContext) -> Expr {
        match self {
            Self::All => lit(true),
            Self::And(one, other) => one.condition(schema, context).and(other.condition(schema, context)),
            Self::Or(one, other) => one.condition(schema, context).or(other.condition(schema, context)),
            // A field that is not there makes a condition neither true nor false; what is not true is what is searched for.
            Self::Not(inner) => not(inner.condition(schema, context).is_true()),
            Self::Field { name, sign, value, quoted } => match schema.field_with_name(name) {
                Ok(field) => of_field(field, *sign, value, *quoted, context),
                Err(_) => lit(false),
            },
            Self::Anywhere(text) => {
                let pattern = format!("%{}%", escaped(text));
                let columns = schema.fields().iter().filter_map(|field| as_text(field));
                columns
                    .map(|column| column.ilike(lit(pattern.clone())))
                    .reduce(Expr::or)
                    .unwrap_or(lit(false))
            }
        }
    }

    /// Returns the names of all fields that are asked for.
    pub fn fields(&self) -> Vec<&str> {
        match self {
            Self::All | Self::Anywhere(_) => Vec::new(),
            Self::And(one, other) | Self::Or(one, other) => [one.fields(), other.fields()].concat(),
            Self::Not(inner) => inner.fields(),
            Self::Field { name, .. } => vec![name],
        }
    }
}

/// A column, whatever letters its name has.
pub(crate) fn column(name: &str) -> Expr {
    Expr::Column(Column::from_name(name))
}

const fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::Utf8View | DataType::LargeUtf8)
}

/// A column as text, where it has texts.
fn as_text(field: &Field) -> Option<Expr> {
    let column = column(field.name());
    match field.data_type() {
        kind if is_text(kind) => Some(column),
        DataType::List(item) | DataType::LargeList(item) if is_text(item.data_type()) => {
            Some(array_to_string(column, lit("\n")))
        }
        DataType::List(_) | DataType::LargeList(_) | DataType::Struct(_) => Some(functions::shown(column)),
        _ => None,
    }
}

fn of_field(field: &Field, sign: Sign, value: &str, quoted: bool, context: &SessionContext) -> Expr {
    let name = column(field.name());
    let operator = match sign {
        Sign::Is | Sign::Equal => Operator::Eq,
        Sign::Other => Operator::NotEq,
        Sign::Less => Operator::Lt,
        Sign::AtMost => Operator::LtEq,
        Sign::More => Operator::Gt,
        Sign::AtLeast => Operator::GtEq,
    };
    if sign == Sign::Is && !quoted && value == "*" {
        return name.is_not_null();
    }
    match field.data_type() {
        kind if is_text(kind) => {
            if sign == Sign::Is && !quoted {
                if value.contains('/') && value.parse::<ipnet::IpNet>().is_ok() {
                    return call(context, "cidr_match", vec![name, lit(value)]);
                }
                if value.contains(['*', '?']) {
                    return name.ilike(lit(pattern(value)));
                }
            }
            binary_expr(name, operator, lit(value))
        }
        DataType::List(item) | DataType::LargeList(item) if is_text(item.data_type()) => {
            // Each value stands on a line of its own.
            let all = binary_expr(
                binary_expr(lit("\n"), Operator::StringConcat, array_to_string(name, lit("\n"))),
                Operator::StringConcat,
                lit("\n"),
            );
            let value = if quoted { escaped(value) } else { pattern(value) };
            let has = all.ilike(lit(format!("%\n{value}\n%")));
            if sign == Sign::Other { not(has) } else { has }
        }
        DataType::List(_) | DataType::LargeList(_) | DataType::Struct(_) => {
            let value = if quoted { escaped(value) } else { pattern(value) };
            functions::shown(name).ilike(lit(format!("%{value}%")))
        }
        DataType::Boolean => {
            let truth = matches!(value.to_ascii_lowercase().as_str(), "true" | "t" | "yes" | "1");
            binary_expr(name, operator, lit(truth))
        }
        DataType::Timestamp(..) => match weir_columns::times::parse(&moment(value)) {
            Some(micros) => {
                let zone = Some(crate::kinds::ZONE.into());
                let moment = datafusion::common::ScalarValue::TimestampMicrosecond(Some(micros), zone);
                binary_expr(name, operator, Expr::Literal(moment, None))
            }
            None => lit(false),
        },
        _ => match (value.parse::<i64>(), value.parse::<f64>()) {
            (Ok(number), _) => binary_expr(name, operator, lit(number)),
            (_, Ok(number)) => binary_expr(cast(name, DataType::Float64), operator, lit(number)),
            _ => lit(false),
        },
    }
}

/// `2024-01-31` and `2024-01-31 12:00` as whole moments.
fn moment(text: &str) -> String {
    let mut whole = text.replacen(' ', "T", 1);
    if let Some(rest) = "2000-01-01T00:00:00".get(whole.len()..).filter(|_| whole.len() >= 10) {
        whole.push_str(rest);
    }
    whole
}

/// Calls a function of this crate.
fn call(context: &SessionContext, name: &str, arguments: Vec<Expr>) -> Expr {
    match context.state().scalar_functions().get(name) {
        Some(function) => function.call(arguments),
        None => lit(false),
    }
}

/// Letters that a pattern of SQL gives a meaning to, without it.
fn escaped(text: &str) -> String {
    text.chars()
        .flat_map(|letter| matches!(letter, '%' | '_' | '\\').then_some('\\').into_iter().chain([letter]))
        .collect()
}

/// `*` and `?` as patterns of SQL write them.
fn pattern(text: &str) -> String {
    let mut pattern = String::new();
    for letter in text.chars() {
        match letter {
            '*' => pattern.push('%'),
            '?' => pattern.push('_'),
            other => pattern.push_str(&escaped(other.encode_utf8(&mut [0; 4]))),
        }
    }
    pattern
}

fn shown(token: &Token) -> String {
    match token {
        Token::Open => "(".to_owned(),
        Token::Close => ")".to_owned(),
        Token::And => "and".to_owned(),
        Token::Or => "or".to_owned(),
        Token::Not => "not".to_owned(),
        Token::Sign(sign) => {
            SIGNS.iter().find(|(_, known)| known == sign).map_or("", |(text, _)| text).to_owned()
        }
        Token::Word { text, .. } => text.clone(),
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(letter) = rest.chars().next() {
        // A value may have signs within it, as in `a:b:c` and in addresses.
        let is_value = matches!(tokens.last(), Some(Token::Sign(_)));
        if letter == '"' {
            let (word, after) = in_quotes(rest.get(1..).unwrap_or_default())?;
            tokens.push(Token::Word { text: word, quoted: true });
            rest = after.trim_start();
            continue;
        }
        if let (false, Some((sign, kind))) = (is_value, SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)))
        {
            tokens.push(Token::Sign(*kind));
            rest = rest.get(sign.len()..).unwrap_or_default().trim_start();
            continue;
        }
        if let Some(bracket) = match letter {
            '(' => Some(Token::Open),
            ')' => Some(Token::Close),
            _ => None,
        } {
            tokens.push(bracket);
            rest = rest.get(1..).unwrap_or_default().trim_start();
            continue;
        }
        let ends = |letter: char| {
            letter.is_whitespace()
                || matches!(letter, '(' | ')' | '"')
                || (!is_value && matches!(letter, ':' | '=' | '<' | '>' | '!'))
        };
        let end = rest.find(ends).unwrap_or(rest.len()).max(letter.len_utf8());
        let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        tokens.push(match word.to_ascii_lowercase().as_str() {
            "and" | "&&" if !is_value => Token::And,
            "or" | "||" if !is_value => Token::Or,
            "not" | "!" if !is_value => Token::Not,
            _ => Token::Word { text: word.to_owned(), quoted: false },
        });
        rest = after.trim_start();
    }
    Ok(tokens)
}

/// Returns the text up to the next quote, `\"` being none, and what is behind it.
fn in_quotes(text: &str) -> Result<(String, &str), String> {
    let mut word = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Ok((word, text.get(at + 1..).unwrap_or_default())),
            '\\' => word.extend(letters.next().map(|(_, letter)| letter)),
            letter => word.push(letter),
        }
    }
    Err("A quote is not closed.".to_owned())
}

struct Parser {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
    depth: usize,
}

impl Parser {
    fn either(&mut self) -> Result<Search, String> {
        let mut search = self.both()?;
        while self.tokens.next_if_eq(&Token::Or).is_some() {
            search = Search::Or(Box::new(search), Box::new(self.both()?));
        }
        Ok(search)
    }

    fn both(&mut self) -> Result<Search, String> {
        let mut search = self.one()?;
        loop {
            let said = self.tokens.next_if_eq(&Token::And).is_some();
            if !said && matches!(self.tokens.peek(), None | Some(Token::Or | Token::Close)) {
                return Ok(search);
            }
            search = Search::And(Box::new(search), Box::new(self.one()?));
        }
    }

    fn one(&mut self) -> Result<Search, String> {
        match self.tokens.next() {
            Some(Token::Not) => {
                self.deeper()?;
                let inner = self.one()?;
                self.depth -= 1;
                Ok(Search::Not(Box::new(inner)))
            }
            Some(Token::Open) => {
                self.deeper()?;
                let inner = self.either()?;
                self.depth -= 1;
                match self.tokens.next() {
                    Some(Token::Close) => Ok(inner),
                    _ => Err("There is a ( without its ).".to_owned()),
                }
            }
            Some(Token::Word { text, .. }) => {
                let Some(Token::Sign(sign)) = self.tokens.next_if(|token| matches!(token, Token::Sign(_)))
                else {
                    return Ok(Search::Anywhere(text));
                };
                match self.tokens.next() {
                    Some(Token::Word { text: value, quoted }) => {
                        Ok(Search::Field { name: text, sign, value, quoted })
                    }
                    _ => Err(format!("There is no value for {text}.")),
                }
            }
            Some(token) => Err(format!("{} is not expected here.", shown(&token))),
            None => Err("A condition is missing at the end.".to_owned()),
        }
    }

    fn deeper(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > DEEPEST { Err(format!("A search may nest {DEEPEST} deep.")) } else { Ok(()) }
    }
}

impl std::fmt::Display for Search {
    /// Writes the search with all brackets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::All => Ok(()),
            Self::And(one, other) => write!(f, "({one} and {other})"),
            Self::Or(one, other) => write!(f, "({one} or {other})"),
            Self::Not(inner) => write!(f, "not {inner}"),
            Self::Field { name, sign, value, quoted } => {
                write!(f, "{name}{}", shown(&Token::Sign(*sign)))?;
                if *quoted { write!(f, "{value:?}") } else { f.write_str(value) }
            }
            Self::Anywhere(text) => {
                f.write_char('"')?;
                f.write_str(&text.replace('\\', "\\\\").replace('"', "\\\""))?;
                f.write_char('"')
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_understood() {
        let cases = [
            ("", ""),
            ("evil", "\"evil\""),
            ("src_ip:10.0.0.0/8 and http.hostname:*evil*", "(src_ip:10.0.0.0/8 and http.hostname:*evil*)"),
            ("a:1 b:2 or c:3", "((a:1 and b:2) or c:3)"),
            ("a:1 and (b:2 or not c:3)", "(a:1 and (b:2 or not c:3))"),
            ("src_ip:fe80::1", "src_ip:fe80::1"),
            ("dest_port >= 1024", "dest_port>=1024"),
            ("http.url:\"/a b\\\"c\"", "http.url:\"/a b\\\"c\""),
            ("! a:1", "not a:1"),
            ("a!=1", "a!=1"),
            ("a:and", "a:and"),
            ("url:http://x/?q=1", "url:http://x/?q=1"),
        ];
        for (text, expected) in cases {
            assert_eq!(
                Search::parse(text).map(|search| search.to_string()).as_deref(),
                Ok(expected),
                "{text}"
            );
        }
    }

    #[test]
    fn searches_that_are_not_understood() {
        let (deep, many) = ("(".repeat(100), "a ".repeat(501));
        let cases = [
            ("a:", "There is no value for a."),
            ("(a:1", "There is a ( without its )."),
            ("a:1)", "There is a ) without its (."),
            ("a:1 or", "A condition is missing at the end."),
            ("and", "and is not expected here."),
            ("a:\"x", "A quote is not closed."),
            (":x", ": is not expected here."),
            (deep.as_str(), "A search may nest 64 deep."),
            (many.as_str(), "A search may have 250 conditions."),
        ];
        for (text, expected) in cases {
            assert_eq!(Search::parse(text), Err(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn moments() {
        for (text, expected) in [
            ("2024-01-31", "2024-01-31T00:00:00"),
            ("2024-01-31 12:30", "2024-01-31T12:30:00"),
            ("2024-01-31T12:30:01.5Z", "2024-01-31T12:30:01.5Z"),
            ("x", "x"),
        ] {
            assert_eq!(moment(text), expected);
        }
    }
}

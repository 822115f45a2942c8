//! Lines that a query can leave out without parsing them.

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use memchr::memmem::Finder;

use crate::kinds::Kind;
use crate::schema::TableColumn;

/// Texts that stand in each line of which a query wants to know: those that columns of text are compared with.
#[derive(Debug, Default)]
pub struct Wanted {
    texts: Vec<Finder<'static>>,
}

impl Wanted {
    /// Reads the filters of a query.
    pub fn by(filters: &[Expr], columns: &[TableColumn]) -> Self {
        let mut wanted = Self::default();
        filters.iter().for_each(|filter| wanted.add(filter, columns));
        wanted
    }

    fn add(&mut self, filter: &Expr, columns: &[TableColumn]) {
        let Expr::BinaryExpr(BinaryExpr { left, op, right }) = filter else { return };
        match op {
            Operator::And => {
                self.add(left, columns);
                self.add(right, columns);
            }
            Operator::Eq => match (&**left, &**right) {
                (Expr::Column(column), Expr::Literal(value, _))
                | (Expr::Literal(value, _), Expr::Column(column)) => {
                    let is_text = columns
                        .iter()
                        .any(|(path, kind)| *kind == Kind::Text && path.join(".") == column.name);
                    if is_text && let Some(text) = text_of(value).filter(|text| stands_as_it_is(text)) {
                        self.texts.push(Finder::new(text.as_bytes()).into_owned());
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// Whether a line may be one that is wanted; escapes may hide any text.
    pub fn may_hold(&self, line: &[u8]) -> bool {
        self.texts.iter().all(|text| text.find(line).is_some())
            || memchr::memmem::find(line, b"\\u").is_some()
            || memchr::memmem::find(line, b"\\x").is_some()
    }
}

fn text_of(value: &ScalarValue) -> Option<&str> {
    match value {
        ScalarValue::Utf8(text) | ScalarValue::Utf8View(text) | ScalarValue::LargeUtf8(text) => {
            text.as_deref()
        }
        _ => None,
    }
}

/// Whether every log writes the text without an escape, and whether no number or truth, of which there are many forms, is
/// shown like it.
fn stands_as_it_is(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b" .:-_+=;@()[]".contains(&byte);
    text.len() > 1
        && text.bytes().all(plain)
        && text.parse::<f64>().is_err()
        && !matches!(text, "true" | "false")
        && text != "(empty)"
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::logical_expr::{col, lit};

    #[test]
    fn lines_that_can_be_left_out() {
        let columns =
            [(vec!["a".to_owned()], Kind::Text), (vec!["n".to_owned()], Kind::Int { negative: false })];
        let cases = [
            (col("a").eq(lit("1.2.3.4")), 1),
            (lit("x.y").eq(col("a")).and(col("n").eq(lit("zz"))), 1),
            (col("a").eq(lit("12")), 0),
            (col("a").eq(lit("true")), 0),
            (col("a").eq(lit("a/b")), 0),
            (col("a").eq(lit("ä")), 0),
            (col("a").not_eq(lit("1.2.3.4")), 0),
            (col("a").eq(lit("1.2.3.4")).or(col("n").gt(lit(3))), 0),
        ];
        for (filter, texts) in cases {
            assert_eq!(Wanted::by(std::slice::from_ref(&filter), &columns).texts.len(), texts, "{filter}");
        }
        let wanted = Wanted::by(&[col("a").eq(lit("1.2.3.4"))], &columns);
        let lines = [
            ("{\"a\":\"1.2.3.4\"}", true),
            ("{\"a\":\"1.2.3.5\"}", false),
            ("{\"a\":\"\\u0031.2.3.4\"}", true),
        ];
        for (line, held) in lines {
            assert_eq!(wanted.may_hold(line.as_bytes()), held, "{line}");
        }
    }
}

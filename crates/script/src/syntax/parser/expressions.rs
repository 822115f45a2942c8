//! Expressions with operators.

use super::{Host, Parse, Parser, deepest};
use crate::syntax::ast::{Expr, Kind, Operator, Prefix};

/// Operators by rank; higher ones bind closer. Comparisons do not chain.
const RANKS: [(&str, Operator, u8); 20] = [
    ("||", Operator::Or, 1),
    ("&&", Operator::And, 2),
    ("<", Operator::Less, 3),
    ("<=", Operator::LessEqual, 3),
    (">", Operator::Greater, 3),
    (">=", Operator::GreaterEqual, 3),
    ("==", Operator::Equal, 3),
    ("!=", Operator::NotEqual, 3),
    ("in", Operator::In, 4),
    ("!in", Operator::NotIn, 4),
    ("|", Operator::BitOr, 5),
    ("^", Operator::BitXor, 6),
    ("&", Operator::BitAnd, 7),
    ("<<", Operator::ShiftLeft, 8),
    (">>", Operator::ShiftRight, 8),
    ("+", Operator::Add, 9),
    ("-", Operator::Subtract, 9),
    ("*", Operator::Multiply, 10),
    ("/", Operator::Divide, 10),
    ("%", Operator::Modulo, 10),
];

const COMPARISON: u8 = 3;

impl<H: Host> Parser<'_, H> {
    /// Reads an expression.
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        self.deeper(|this| {
            let start = this.span;
            let left = this.choice()?;
            if this.accept("=")? {
                let right = this.initial_value()?;
                let depth = left.depth.max(right.depth);
                return this.node(Kind::Assign(Box::new(left), Box::new(right)), start, depth);
            }
            for (sign, operator) in [("+=", Operator::Add), ("-=", Operator::Subtract)] {
                if this.accept(sign)? {
                    let right = this.initial_value()?;
                    let depth = left.depth.max(right.depth);
                    return this.node(Kind::Update(operator, Box::new(left), Box::new(right)), start, depth);
                }
            }
            Ok(left)
        })
    }

    /// Reads an expression that is no assignment.
    pub(super) fn no_assignment(&mut self) -> Parse<Expr> {
        self.deeper(Self::choice)
    }

    fn choice(&mut self) -> Parse<Expr> {
        let start = self.span;
        let test = self.binary(1)?;
        if !self.accept("?")? {
            return Ok(test);
        }
        let yes = self.expression()?;
        self.expect(":")?;
        let no = self.no_assignment()?;
        let depth = test.depth.max(yes.depth).max(no.depth);
        self.node(Kind::Choice(Box::new(test), Box::new(yes), Box::new(no)), start, depth)
    }

    fn operator(&self) -> Option<(Operator, u8)> {
        if self.in_size && self.is("|") {
            return None;
        }
        RANKS.iter().find(|(sign, ..)| self.is(sign)).map(|(_, operator, rank)| (*operator, *rank))
    }

    fn binary(&mut self, least: u8) -> Parse<Expr> {
        let start = self.span;
        let mut left = self.prefix()?;
        let mut compared = false;
        while let Some((operator, rank)) = self.operator() {
            if rank < least || (compared && rank == COMPARISON) {
                break;
            }
            compared = rank == COMPARISON;
            self.advance()?;
            let right = self.deeper(|this| this.binary(rank + 1))?;
            let depth = left.depth.max(right.depth);
            left = self.node(Kind::Binary(operator, Box::new(left), Box::new(right)), start, depth)?;
        }
        Ok(left)
    }

    fn prefix(&mut self) -> Parse<Expr> {
        self.deeper(Self::prefix_inner)
    }

    fn prefix_inner(&mut self) -> Parse<Expr> {
        let start = self.span;
        let signs = [
            ("!", Prefix::Not),
            ("~", Prefix::Complement),
            ("-", Prefix::Negate),
            ("+", Prefix::Plus),
            ("++", Prefix::Increment),
            ("--", Prefix::Decrement),
        ];
        for (sign, prefix) in signs {
            if self.accept(sign)? {
                let inner = self.prefix()?;
                let depth = inner.depth;
                return self.node(Kind::Unary(prefix, Box::new(inner)), start, depth);
            }
        }
        if self.accept("local")? {
            let name = self.plain_name()?;
            self.expect("=")?;
            let value = self.no_assignment()?;
            let depth = value.depth;
            return self.node(Kind::Declare(name, Box::new(value)), start, depth);
        }
        if self.accept("hook")? {
            let call = self.binary(COMPARISON + 1)?;
            let depth = call.depth;
            return self.node(Kind::Hook(Box::new(call)), start, depth);
        }
        for (word, is_add) in [("add", true), ("delete", false)] {
            if self.accept(word)? {
                let inner = self.prefix()?;
                let depth = inner.depth;
                let inner = Box::new(inner);
                let kind = if is_add { Kind::Add(inner) } else { Kind::Delete(inner) };
                return self.node(kind, start, depth);
            }
        }
        let base = self.primary()?;
        self.postfix(base)
    }

    fn postfix(&mut self, mut base: Expr) -> Parse<Expr> {
        let start = base.span;
        loop {
            let outer = std::mem::replace(&mut self.in_size, false);
            let next = self.one_postfix(base, start);
            self.in_size = outer;
            match next? {
                Ok(more) => base = more,
                Err(done) => return Ok(done),
            }
        }
    }

    /// Reads one thing behind an expression; `Err` gives back what has none.
    fn one_postfix(&mut self, base: Expr, start: crate::source::Span) -> Parse<Result<Expr, Expr>> {
        let depth = base.depth;
        if self.is("[") {
            self.advance()?;
            return self.index(base, start).map(Ok);
        }
        if self.is("(") {
            self.advance()?;
            let arguments = if self.is("$") { self.field_assignments(")")? } else { self.expressions(")")? };
            self.expect(")")?;
            let depth = depth.max(deepest(&arguments));
            return self.node(Kind::Call(Box::new(base), arguments), start, depth).map(Ok);
        }
        if self.is("$") || self.is("?$") {
            let is_test = self.is("?$");
            self.advance()?;
            let name = self.field_name()?;
            let base = Box::new(base);
            let kind = if is_test { Kind::HasField(base, name, 0) } else { Kind::Field(base, name, 0) };
            return self.node(kind, start, depth).map(Ok);
        }
        for (word, which) in [("as", 0), ("is", 1), ("?as", 2)] {
            if self.accept(word)? {
                let ty = self.type_expression()?;
                let base = Box::new(base);
                let kind = match which {
                    0 => Kind::Cast(base, ty),
                    1 => Kind::Is(base, ty),
                    _ => Kind::CanCast(base, ty),
                };
                return self.node(kind, start, depth).map(Ok);
            }
        }
        Ok(Err(base))
    }

    fn index(&mut self, base: Expr, start: crate::source::Span) -> Parse<Expr> {
        let depth = base.depth;
        if self.accept(":")? {
            let to = if self.is("]") { None } else { Some(Box::new(self.expression()?)) };
            self.expect("]")?;
            let depth = depth.max(to.as_ref().map_or(0, |to| to.depth));
            return self.node(Kind::Slice(Box::new(base), None, to), start, depth);
        }
        let first = self.expression()?;
        if self.accept(":")? {
            let to = if self.is("]") { None } else { Some(Box::new(self.expression()?)) };
            self.expect("]")?;
            let depth = depth.max(first.depth).max(to.as_ref().map_or(0, |to| to.depth));
            return self.node(Kind::Slice(Box::new(base), Some(Box::new(first)), to), start, depth);
        }
        let mut all = vec![first];
        while self.accept(",")? {
            all.push(self.expression()?);
        }
        self.expect("]")?;
        let depth = depth.max(deepest(&all));
        self.node(Kind::Index(Box::new(base), all), start, depth)
    }
}

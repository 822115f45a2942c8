//! Expressions to sets, with variables looked up and all that is asked again remembered.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use super::address::{AddressRange, AddressSet};
use super::expression::{Expression, ExpressionKind, Leaf, Set, parse};
use super::port::{PortRange, PortSet};
use crate::RuleHash;
use crate::diagnostic::SyntaxError;
use crate::text::Span;

/// Most variables on the way from a rule to a value.
const MAX_VARIABLE_DEPTH: usize = 64;

/// Most variables within variables that a `!` is looked for in.
const MAX_NEGATION_DEPTH: usize = 4;

/// Where the text of `$NAME` comes from; names are given without the dollar sign.
pub trait Variables {
    /// The expression an address variable stands for.
    fn addresses(&self, name: &str) -> Option<&str>;
    /// The expression a port variable stands for.
    fn ports(&self, name: &str) -> Option<&str>;
}

/// Variables in two maps from name to expression.
#[derive(Clone, Debug, Default)]
pub struct VariableMap {
    /// Address variables.
    pub addresses: HashMap<String, String>,
    /// Port variables.
    pub ports: HashMap<String, String>,
}

impl Variables for VariableMap {
    fn addresses(&self, name: &str) -> Option<&str> {
        self.addresses.get(name).map(String::as_str)
    }

    fn ports(&self, name: &str) -> Option<&str> {
        self.ports.get(name).map(String::as_str)
    }
}

/// Resolves the expressions of a rule set. Equal texts give the same shared set, and equal sets of
/// different texts too, so that rules can be grouped by pointer.
pub struct Resolver<'v> {
    variables: &'v dyn Variables,
    addresses: Memory<AddressRange>,
    ports: Memory<PortRange>,
}

impl<'v> Resolver<'v> {
    /// A resolver with an empty memory.
    pub fn new(variables: &'v dyn Variables) -> Self {
        Self { variables, addresses: Memory::default(), ports: Memory::default() }
    }

    /// Whether the expression, or a variable in it, takes addresses away (`!`).
    pub fn negates(&self, text: &str) -> bool {
        self.negates_within(text, MAX_NEGATION_DEPTH)
    }

    fn negates_within(&self, text: &str, depth: usize) -> bool {
        let of_name = |part: &str| {
            let end = part.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-'));
            self.variables.addresses(part.get(..end.unwrap_or(part.len())).unwrap_or_default())
        };
        let mut named = text.split('$').skip(1).filter_map(of_name);
        text.contains('!') || depth > 0 && named.any(|value| self.negates_within(value, depth - 1))
    }

    /// The addresses that `text` stands for. Errors are placed in `text`.
    pub fn addresses(&mut self, text: &str) -> Result<Arc<AddressSet>, SyntaxError> {
        let variables = self.variables;
        self.addresses.resolve(text, &|name| variables.addresses(name))
    }

    /// The ports that `text` stands for. Errors are placed in `text`.
    pub fn ports(&mut self, text: &str) -> Result<Arc<PortSet>, SyntaxError> {
        let variables = self.variables;
        self.ports.resolve(text, &|name| variables.ports(name))
    }
}

type Lookup<'a> = dyn Fn(&str) -> Option<&'a str> + 'a;

/// Sets that an expression includes and excludes before the one is taken from the other.
#[derive(Clone)]
struct Flattened<L> {
    included: Vec<L>,
    excluded: Vec<L>,
}

impl<L: Leaf> Flattened<L> {
    fn new() -> Self {
        Self { included: Vec::new(), excluded: Vec::new() }
    }

    fn add(&mut self, leaves: &[L], negated: bool) {
        if negated { &mut self.excluded } else { &mut self.included }.extend_from_slice(leaves);
    }

    /// Each side sorted and merged, so that variables that repeat themselves do not grow.
    fn merged(self) -> Self {
        Self {
            included: L::Set::from_leaves(&self.included).leaves(),
            excluded: L::Set::from_leaves(&self.excluded).leaves(),
        }
    }
}

/// Expressions resolved before, of one kind.
struct Memory<L: Leaf> {
    expressions: HashMap<Box<str>, Result<Arc<L::Set>, SyntaxError>, RuleHash>,
    variables: HashMap<Box<str>, Result<Arc<Flattened<L>>, String>>,
    sets: HashSet<Arc<L::Set>>,
}

impl<L: Leaf> Default for Memory<L> {
    fn default() -> Self {
        Self { expressions: HashMap::default(), variables: HashMap::new(), sets: HashSet::new() }
    }
}

impl<L: Leaf> Memory<L>
where
    L::Set: Eq + Hash,
{
    fn resolve<'a>(&mut self, text: &str, lookup: &Lookup<'a>) -> Result<Arc<L::Set>, SyntaxError> {
        if let Some(known) = self.expressions.get(text) {
            return known.clone();
        }
        let resolved = self.resolve_new(text, lookup);
        self.expressions.insert(text.into(), resolved.clone());
        resolved
    }

    fn resolve_new<'a>(&mut self, text: &str, lookup: &Lookup<'a>) -> Result<Arc<L::Set>, SyntaxError> {
        let expression = parse::<L>(text)?;
        let mut flattened = Flattened::new();
        self.flatten(&expression, false, &mut flattened, lookup, &mut Vec::new())?;
        let included = match flattened.included.as_slice() {
            [] => L::Set::any(),
            leaves => L::Set::from_leaves(leaves),
        };
        let left = included.without(&L::Set::from_leaves(&flattened.excluded));
        if left.is_empty() {
            let message = format!("No {} is left: all that is included is negated as well.", L::WHAT);
            return Err(SyntaxError::new(Span::new(0, text.len()), message).with_help(
                "a variable that stands for `any` can not be negated, and `!` inside a negated list includes",
            ));
        }
        if let Some(shared) = self.sets.get(&left) {
            return Ok(Arc::clone(shared));
        }
        let shared = Arc::new(left);
        self.sets.insert(Arc::clone(&shared));
        Ok(shared)
    }

    /// Adds what `expression` names to `into`; `open` are the variables being looked up, outermost first.
    fn flatten<'a>(
        &mut self,
        expression: &Expression<L>,
        negated: bool,
        into: &mut Flattened<L>,
        lookup: &Lookup<'a>,
        open: &mut Vec<String>,
    ) -> Result<(), SyntaxError> {
        match &expression.kind {
            ExpressionKind::Any => into.add(&L::Set::any().leaves(), negated),
            ExpressionKind::Leaf(leaf) => into.add(&[*leaf], negated),
            ExpressionKind::Not(inner) => self.flatten(inner, !negated, into, lookup, open)?,
            ExpressionKind::List(items) => {
                for item in items {
                    self.flatten(item, negated, into, lookup, open)?;
                }
            }
            ExpressionKind::Variable(name) => {
                let value = self
                    .variable(name, lookup, open)
                    .map_err(|message| SyntaxError::new(expression.span, message))?;
                into.add(&value.included, negated);
                into.add(&value.excluded, !negated);
            }
        }
        Ok(())
    }

    fn variable<'a>(
        &mut self,
        name: &str,
        lookup: &Lookup<'a>,
        open: &mut Vec<String>,
    ) -> Result<Arc<Flattened<L>>, String> {
        if let Some(known) = self.variables.get(name) {
            return known.clone();
        }
        if open.iter().any(|other| other == name) {
            return Err(format!(
                "The variable ${name} is defined by itself: {} -> {name}.",
                open.join(" -> ")
            ));
        }
        if open.len() == MAX_VARIABLE_DEPTH {
            return Err(format!("Variables name each other more than {MAX_VARIABLE_DEPTH} deep."));
        }
        let value = match lookup(name) {
            None => Err(format!("The {} variable ${name} is not defined.", L::WHAT)),
            Some(text) => {
                open.push(name.to_owned());
                let mut flattened = Flattened::new();
                let done = parse::<L>(text.trim())
                    .and_then(|expression| self.flatten(&expression, false, &mut flattened, lookup, open));
                open.pop();
                match done {
                    Ok(()) => Ok(Arc::new(flattened.merged())),
                    Err(error) => Err(format!("In the value of ${name}: {}", error.message)),
                }
            }
        };
        self.variables.insert(name.into(), value.clone());
        value
    }
}

#[cfg(test)]
mod tests;

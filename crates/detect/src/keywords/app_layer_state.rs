//! `app-layer-state`: how far a transaction has come.

use std::sync::Arc;

use weir_applayer::{Access, Field, FieldDirection, Progress, Protocol, Transaction, TransactionCheck};
use weir_base::Direction;
use weir_rules::{Quotes, RuleOption, Span, Spanned, SyntaxError};

use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::model::hook::STATE_KEYWORD;
use crate::model::signature::{FieldRow, ValueMatch};

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[Keyword::new(
    STATE_KEYWORD,
    [
        "app-layer-state:[<|>]<state>;",
        "The transaction is at this state of the rule's protocol, before it (`<`) or past it (`>`).",
        "app-layer-state:>request_headers;",
    ],
    app_layer_state,
)];

/// Relation of the state to that of the rule.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Before,
    At,
    Past,
}

struct StateCheck {
    relation: Relation,
    state: Progress,
}

impl TransactionCheck for StateCheck {
    fn matches(&self, transaction: &dyn Transaction, direction: Direction) -> bool {
        let progress = transaction.meta().progress[direction];
        match self.relation {
            Relation::Before => progress < self.state,
            Relation::At => progress == self.state,
            Relation::Past => progress > self.state,
        }
    }
}

const fn field(direction: FieldDirection) -> Field {
    let access = Access::Check(|_| Err("States are compared by the keyword app-layer-state.".to_owned()));
    Field::new(STATE_KEYWORD, direction, Progress(0), access).doc("How far the transaction has come.")
}

static REQUEST: Field = field(FieldDirection::ToServer);
static RESPONSE: Field = field(FieldDirection::ToClient);

fn app_layer_state(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let mut name = option.argument(false, Quotes::Optional)?.text;
    let relation = match name.as_bytes().first() {
        Some(b'<') => Relation::Before,
        Some(b'>') => Relation::Past,
        _ => Relation::At,
    };
    if relation != Relation::At {
        name = name.slice(Span::new(1, name.len())).trimmed();
    }
    let protocols = rule.head.app_protocols.clone();
    if protocols.is_empty() {
        return Err(option.name.error("`app-layer-state` needs a rule on an application protocol."));
    }
    let found = protocols.iter().find_map(|&protocol| {
        Direction::BOTH.into_iter().find_map(|direction| {
            let states = protocol.states[direction];
            let state = states.iter().position(|state| *state == name.as_str())?;
            Some((protocol, direction, state, states.len() - 1))
        })
    });
    let Some((protocol, direction, state, last)) = found else { return Err(unknown(&name, &protocols)) };
    if (relation == Relation::Before && state == 0) || (relation == Relation::Past && state == last) {
        return Err(name.error(format!(
            "No transaction is ever {name} in that way: it is the {} state.",
            if state == 0 { "first" } else { "last" }
        )));
    }
    let field = match direction {
        Direction::ToServer => &REQUEST,
        Direction::ToClient => &RESPONSE,
    };
    let check = StateCheck { relation, state: Progress(state as u8) };
    let value = ValueMatch::Check(Arc::new(check));
    let same = protocols.iter().filter(|other| other.states[direction] == protocol.states[direction]);
    let rows: Vec<FieldRow> = same.map(|&protocol| FieldRow { protocol, field }).collect();
    rule.push_value(option, field.name, &rows, value)
}

fn unknown(name: &Spanned, protocols: &[&'static Protocol]) -> SyntaxError {
    let states: Vec<&str> = protocols
        .iter()
        .flat_map(|protocol| Direction::BOTH.into_iter().flat_map(|direction| protocol.states[direction]))
        .copied()
        .collect();
    name.error(format!("The rule's protocol has no state `{name}`."))
        .with_help(format!("its states are {}", states.join(", ")))
}

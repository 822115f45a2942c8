//! `rpc`: calls of ONC RPC (RFC 5531), by the numbers of program, version and procedure.

use weir_base::Reader;
use weir_packet::Transport;
use weir_rules::value::comma_list;
use weir_rules::{Quotes, RuleOption, Spanned, SyntaxError};

use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::model::signature::PacketCheck;
use crate::model::view::PacketView;

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[Keyword::new(
    "rpc",
    [
        "rpc:<program>[,<version>|*[,<procedure>|*]];",
        "The packet is a call of Sun RPC to this program; numbers only.",
        "rpc:100000,*,3;",
    ],
    rpc,
)];

/// The message type of a call.
const CALL: u32 = 0;

/// A call, as far as the keyword names it.
#[derive(Debug, PartialEq, Eq)]
struct RpcCall {
    program: u32,
    version: Option<u32>,
    procedure: Option<u32>,
}

impl RpcCall {
    /// Whether `message` is such a call.
    fn is(&self, message: &[u8]) -> Option<bool> {
        let mut reader = Reader::new(message);
        let _transaction = reader.u32()?;
        let kind = reader.u32()?;
        let _rpc_version = reader.u32()?;
        let (program, version, procedure) = (reader.u32()?, reader.u32()?, reader.u32()?);
        Some(
            kind == CALL
                && program == self.program
                && self.version.is_none_or(|wanted| wanted == version)
                && self.procedure.is_none_or(|wanted| wanted == procedure),
        )
    }
}

impl PacketCheck for RpcCall {
    fn matches(&self, view: &PacketView<'_>) -> bool {
        let payload = view.facts.packet.payload;
        let message = match view.facts.packet.transport {
            // Over TCP the length of the fragment goes before.
            Transport::Tcp(_) => payload.get(4..).unwrap_or_default(),
            Transport::Udp(_) => payload,
            _ => return false,
        };
        self.is(message).unwrap_or(false)
    }
}

fn rpc(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let items = comma_list(&text);
    let number = |item: Option<&Spanned>| match item {
        None => Ok(None),
        Some(item) if item.as_str() == "*" => Ok(None),
        Some(item) => item.parse().map(Some).map_err(|_| item.error(format!("`{item}` is no number."))),
    };
    let program =
        number(items.first())?.ok_or_else(|| text.error("The number of the program is missing."))?;
    if items.len() > 3 {
        return Err(text.error("At most a program, a version and a procedure can be named."));
    }
    let (version, procedure) = (number(items.get(1))?, number(items.get(2))?);
    rule.push_header_check(RpcCall { program, version, procedure });
    Ok(())
}

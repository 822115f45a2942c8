//! Fields of transactions.

use weir_applayer::{Access, Field, Progress, Transaction, TransactionCheck, bytes, downcast};
use weir_base::Direction;

use super::text::narrow;
use super::transaction::{COMPLETE, Command, Connect, Content, SmbTransaction};
use crate::dcerpc::fields;
use crate::gssapi::ntlmssp::Authenticate;

const NAMED_PIPE: Access = bytes!(SmbTransaction, |tx, _| connect(tx)
    .filter(|connect| connect.is_pipe)
    .map(|connect| connect.shown(tx.command)));
const SHARE: Access = bytes!(SmbTransaction, |tx, _| connect(tx)
    .filter(|connect| !connect.is_pipe)
    .map(|connect| connect.shown(tx.command)));
const USER: Access = weir_applayer::build!(SmbTransaction, |tx, _, out| {
    client(tx).map(|client| out.extend(narrow(&client.user))).is_some()
});
const DOMAIN: Access = weir_applayer::build!(SmbTransaction, |tx, _, out| {
    client(tx).map(|client| out.extend(narrow(&client.domain))).is_some()
});
const STUB: Access = bytes!(SmbTransaction, |tx, direction| tx
    .call()?
    .exchange
    .stub(direction)
    .filter(|stub| !stub.is_empty()));

fn connect(tx: &SmbTransaction) -> Option<&Connect> {
    if let Content::Connect(connect) = &tx.content { Some(connect) } else { None }
}

fn client(tx: &SmbTransaction) -> Option<&Authenticate> {
    if let Content::Setup(setup) = &tx.content { setup.ntlm.as_ref() } else { None }
}

/// The rows.
pub(super) const FIELDS: &[Field] = &[
    Field::to_server("smb.named_pipe", COMPLETE, NAMED_PIPE)
        .aliases(&["smb_named_pipe"])
        .doc("The name of the share of pipes that is connected."),
    // One whose answer is not there yet may be of files.
    Field::to_server("smb.share", Progress(0), SHARE)
        .aliases(&["smb_share"])
        .doc("The name of the share of files that is connected."),
    Field::to_server("smb.ntlmssp_user", COMPLETE, USER)
        .aliases(&["smb_ntlmssp_user"])
        .doc("The user as whom a client makes itself known by NTLM."),
    Field::to_server("smb.ntlmssp_domain", COMPLETE, DOMAIN)
        .aliases(&["smb_ntlmssp_domain"])
        .doc("The domain of the user as whom a client makes itself known by NTLM."),
    Field::both("smb.version", Progress(0), Access::Check(version))
        .doc("The version of SMB that a message is of: `1`, or `2` for that and what came later."),
    Field::both("file.data", Progress(0), Access::FileData)
        .aliases(&["file_data"])
        .doc("The content of files."),
    Field::both("file.name", Progress(0), Access::FileName)
        .aliases(&["file_name"])
        .doc("The names of files."),
    fields::INTERFACE,
    fields::OPERATION,
    fields::stub(STUB),
];

struct IsVersion(u8);

/// `smb.version:2;`
fn version(option: Option<&str>) -> Result<Box<dyn TransactionCheck>, String> {
    match option.unwrap_or_default().trim() {
        "1" => Ok(Box::new(IsVersion(1))),
        "2" => Ok(Box::new(IsVersion(2))),
        other => Err(format!("`{other}` is no version of SMB: it should be 1 or 2.")),
    }
}

impl TransactionCheck for IsVersion {
    fn matches(&self, transaction: &dyn Transaction, _: Direction) -> bool {
        downcast::<SmbTransaction>(transaction).is_some_and(|tx| match tx.command {
            Command::One(_) => self.0 == 1,
            Command::Two(_) => self.0 == 2,
        })
    }
}

//! The names of interfaces and of their operations, as their specifications have them and Zeek's logs show them.

mod operations;

use std::borrow::Cow;

use super::uuid::Uuid;

/// An interface that has a name.
struct Interface {
    uuid: Uuid,
    name: &'static str,
    /// The operations from the first one on, between blanks; `-` for one without a name.
    operations: &'static str,
}

const fn interface(uuid: u128, name: &'static str, operations: &'static str) -> Interface {
    Interface { uuid: Uuid(uuid), name, operations }
}

fn find(uuid: Uuid) -> Option<&'static Interface> {
    operations::INTERFACES.iter().find(|interface| interface.uuid == uuid)
}

/// The name of an interface.
pub fn endpoint(uuid: Uuid) -> Cow<'static, str> {
    find(uuid).map_or_else(|| format!("unknown-{uuid}").into(), |interface| interface.name.into())
}

/// The name of an operation of an interface.
pub fn operation(uuid: Uuid, number: u16) -> Cow<'static, str> {
    let mut names = find(uuid).map_or("", |interface| interface.operations).split_ascii_whitespace();
    match names.nth(number.into()) {
        None | Some("-") => format!("unknown-{number}").into(),
        Some(name) => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_calls() {
        let cases = [
            ("367abb81-9844-35f1-ad32-98f038001003", 15, "svcctl", "OpenSCManagerW"),
            ("12345678-1234-abcd-ef00-01234567cffb", 26, "netlogon", "NetrServerAuthenticate3"),
            ("12345778-1234-abcd-ef00-0123456789ab", 76, "lsarpc", "LsarLookupSids3"),
            ("12345778-1234-abcd-ef00-0123456789ac", 64, "samr", "SamrConnect5"),
            ("4b324fc8-1670-01d3-1278-5a47bf6ee188", 57, "srvsvc", "NetrShareDelEx"),
            ("338cd001-2244-31f1-aaaa-900038001003", 22, "winreg", "BaseRegSetValue"),
            ("e3514235-4b06-11d1-ab04-00c04fc2dcd2", 12, "drsuapi", "DRSCrackNames"),
            ("6bffd098-a112-3610-9833-46c3f87e345a", 31, "wkssvc", "NetrWorkstationResetDfsCache"),
            ("12345678-1234-abcd-ef00-0123456789ab", 69, "spoolss", "RpcSplOpenPrinter"),
            ("000001a0-0000-0000-c000-000000000046", 4, "IRemoteSCMActivator", "RemoteCreateInstance"),
            ("9556dc99-828c-11cf-a37e-00aa003240c7", 24, "IWbemServices", "ExecMethod"),
            ("9556dc99-828c-11cf-a37e-00aa003240c7", 0, "IWbemServices", "unknown-0"),
            ("e1af8308-5d1f-11c9-91a4-08002b14a0fa", 42, "epmapper", "unknown-42"),
            (
                "00020400-0000-0000-c000-000000000046",
                6,
                "unknown-00020400-0000-0000-c000-000000000046",
                "unknown-6",
            ),
        ];
        for (text, number, name, called) in cases {
            let uuid = Uuid::parse(text).unwrap();
            assert_eq!((&*endpoint(uuid), &*operation(uuid, number)), (name, called));
        }
    }

    #[test]
    fn every_interface_stands_once() {
        let mut all: Vec<_> = operations::INTERFACES.iter().map(|interface| interface.uuid).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), operations::INTERFACES.len());
    }
}

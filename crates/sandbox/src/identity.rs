//! The user and groups that a process becomes. They are those of `/etc/passwd` and `/etc/group`, or numbers.

use std::fs;
use std::io;
use std::os::unix::fs::chown;
use std::path::Path;

use rustix::process::{Gid, Uid, geteuid, getgid, getuid};
use rustix::thread::{set_keep_capabilities, set_thread_groups, set_thread_res_gid, set_thread_res_uid};

/// Where users are listed.
const USERS: &str = "/etc/passwd";
/// Where groups are listed.
const GROUPS: &str = "/etc/group";

/// A user and groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    user: Option<u32>,
    group: u32,
    /// Further groups.
    groups: Vec<u32>,
}

impl Identity {
    /// Finds a user and a group by name or number; without a group it is that of the user. The error is a sentence.
    pub fn named(user: Option<&str>, group: Option<&str>) -> Result<Self, String> {
        let list = |path: &str| fs::read_to_string(path).unwrap_or_default();
        Self::listed(user, group, &list(USERS), &list(GROUPS))
    }

    fn listed(user: Option<&str>, group: Option<&str>, users: &str, groups: &str) -> Result<Self, String> {
        let missing = |kind: &str, name: &str, list: &str| {
            format!("There is no {kind} {name} in {list}. Make it, or name another one.")
        };
        let found = match user {
            None => None,
            Some(name) => {
                Some(entry(users, name).or_else(|| number(name)).ok_or(missing("user", name, USERS))?)
            }
        };
        let own_group = match group {
            Some(name) => {
                entry(groups, name).or_else(|| number(name)).ok_or(missing("group", name, GROUPS))?.number
            }
            None => found.as_ref().and_then(|user| user.group).unwrap_or_else(|| getgid().as_raw()),
        };
        // With a group of its own choice the process has no other.
        let further = match (&found, group) {
            (Some(user), None) => memberships(groups, user.name),
            _ => Vec::new(),
        };
        Ok(Self { user: found.map(|user| user.number), group: own_group, groups: further })
    }

    /// Whether the process is this user, of this group, already.
    pub fn is_own(&self) -> bool {
        let user = self.user.is_none_or(|user| getuid().as_raw() == user && geteuid().as_raw() == user);
        user && getgid().as_raw() == self.group
    }

    /// Gives a file or folder to the user.
    pub fn give(&self, path: &Path) -> io::Result<()> {
        chown(path, self.user, Some(self.group))
    }

    /// Becomes this user. Capabilities that the process may have stay so, but are not in effect.
    pub fn assume(&self) -> io::Result<()> {
        set_keep_capabilities(true)?;
        let groups: Vec<Gid> = self.groups.iter().copied().map(Gid::from_raw).collect();
        set_thread_groups(&groups)?;
        let group = Gid::from_raw(self.group);
        set_thread_res_gid(group, group, group)?;
        if let Some(user) = self.user.map(Uid::from_raw) {
            set_thread_res_uid(user, user, user)?;
        }
        set_keep_capabilities(false)?;
        Ok(())
    }
}

/// A line of a list.
#[derive(Debug, PartialEq, Eq)]
struct Entry<'a> {
    name: &'a str,
    number: u32,
    /// Group of a user.
    group: Option<u32>,
}

/// `name:password:number:group…`
fn entry<'a>(list: &'a str, name: &str) -> Option<Entry<'a>> {
    list.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next().filter(|own| *own == name && !name.is_empty())?;
        let number = fields.nth(1)?.parse().ok()?;
        Some(Entry { name, number, group: fields.next().and_then(|group| group.parse().ok()) })
    })
}

/// A number in place of a name.
fn number(name: &str) -> Option<Entry<'_>> {
    Some(Entry { name, number: name.parse().ok()?, group: None })
}

/// Groups that have a user among their members: `name:password:number:member,member`.
fn memberships(groups: &str, user: &str) -> Vec<u32> {
    let member = |line: &str| {
        let mut fields = line.split(':').skip(2);
        let number = fields.next()?.parse().ok()?;
        fields.next()?.split(',').any(|member| member.trim() == user).then_some(number)
    };
    groups.lines().filter_map(member).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const USERS: &str = "root:x:0:0:root:/root:/bin/sh\nweir:x:990:980::/:/bin/false\n";
    const GROUPS: &str = "root:x:0:\nweir:x:980:\nadm:x:4:syslog,weir\nlogs:x:5:weirs\n";

    #[test]
    fn users_have_their_groups() {
        let found = |user, group| Identity::listed(user, group, USERS, GROUPS);
        let is = |user, group, groups: &[u32]| Ok(Identity { user, group, groups: groups.to_vec() });
        assert_eq!(found(Some("weir"), None), is(Some(990), 980, &[4]));
        assert_eq!(found(Some("weir"), Some("adm")), is(Some(990), 4, &[]));
        assert_eq!(found(Some("12"), Some("13")), is(Some(12), 13, &[]));
        assert_eq!(found(None, Some("weir")), is(None, 980, &[]));
        for (user, group, word) in
            [("wei", None, "no user wei"), ("weir", Some("x"), "no group x"), ("", None, "user")]
        {
            let sentence = found(Some(user), group).expect_err("there is none");
            assert!(sentence.contains(word), "{sentence}");
        }
    }
}

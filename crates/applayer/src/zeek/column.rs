//! Typed columns: a stream is declared once, with the names and types of its columns, and gets a row with a field for
//! each, so that a row that lacks a column, or has a value of another type, does not compile. In the default row every
//! column is unset, for rows of which little is known.
//!
//! ```
//! use weir_applayer::zeek::column::{Text, Vector};
//! use weir_applayer::zeek_stream;
//!
//! zeek_stream! {
//!     /// The syslog log.
//!     pub static STREAM: "syslog" of a connection;
//!     /// A row of it.
//!     pub struct Row {
//!         proto: Enum,
//!         facility: Text,
//!         kind as "type": Text,
//!         sizes: Vector<Count>,
//!     }
//! }
//!
//! let row = Row { proto: "udp".into(), facility: Text::UNSET, kind: "x".into(), sizes: Vector::UNSET };
//! assert_eq!((STREAM.columns.len(), STREAM.columns[2].0), (row.values().len(), "type"));
//! ```

use std::net::IpAddr;

use weir_base::{Duration, Timestamp};

use super::stream::ZeekValue;

/// Declares the type of a column, and the values that it takes: each as it is, and where there may be none.
macro_rules! columns {
    ($($(#[$doc:meta])* $name:ident { $($from:ty => $make:expr),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<'a>(ZeekValue<'a>);

        impl $name<'_> {
            /// Nothing stands there.
            pub const UNSET: Self = Self(ZeekValue::Unset);
        }

        impl Default for $name<'_> {
            #[inline]
            fn default() -> Self {
                Self::UNSET
            }
        }

        impl<'a> From<$name<'a>> for ZeekValue<'a> {
            #[inline]
            fn from(column: $name<'a>) -> Self {
                column.0
            }
        }

        $(
            impl<'a> From<$from> for $name<'a> {
                #[inline]
                fn from(value: $from) -> Self {
                    Self(($make)(value))
                }
            }

            impl<'a> From<Option<$from>> for $name<'a> {
                #[inline]
                fn from(value: Option<$from>) -> Self {
                    value.map_or(Self::UNSET, Self::from)
                }
            }
        )*
    )*};
}

columns! {
    /// `bool`
    Bool { bool => ZeekValue::Bool }
    /// `count`
    Count {
        u64 => ZeekValue::Count,
        u32 => |value: u32| ZeekValue::Count(value.into()),
        u16 => |value: u16| ZeekValue::Count(value.into()),
        u8 => |value: u8| ZeekValue::Count(value.into()),
        usize => |value: usize| ZeekValue::Count(value as u64),
    }
    /// `int`
    Int {
        i64 => ZeekValue::Int,
        i32 => |value: i32| ZeekValue::Int(value.into()),
    }
    /// `double`
    Double { f64 => ZeekValue::Double }
    /// `time`
    Time { Timestamp => ZeekValue::Time }
    /// `interval`
    Interval { Duration => ZeekValue::span }
    /// `string`, any bytes
    Text {
        &'a [u8] => ZeekValue::String,
        &'a str => |value: &'a str| ZeekValue::String(value.as_bytes()),
        &'a Vec<u8> => |value: &'a Vec<u8>| ZeekValue::String(value),
        &'a String => |value: &'a String| ZeekValue::String(value.as_bytes()),
    }
    /// `enum`
    Enum {
        &'a [u8] => ZeekValue::String,
        &'a str => |value: &'a str| ZeekValue::String(value.as_bytes()),
    }
    /// `subnet`
    Subnet { &'a str => |value: &'a str| ZeekValue::String(value.as_bytes()) }
    /// `addr`
    Addr { IpAddr => ZeekValue::Addr }
    /// `port`
    Port { u16 => ZeekValue::Port }
    /// `set[…]`, unset where it is empty
    Set { &'a [ZeekValue<'a>] => ZeekValue::list }
    /// `vector[…]`, unset where it is empty
    Vector { &'a [ZeekValue<'a>] => ZeekValue::list }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Text<'a> {
    fn from(value: &'a [u8; N]) -> Self {
        value[..].into()
    }
}

impl Time<'_> {
    /// A moment in seconds since 1970, where that may be before.
    pub const fn seconds(value: f64) -> Self {
        Self(ZeekValue::Seconds(value))
    }
}

impl Interval<'_> {
    /// A span in seconds, where nanoseconds are not enough.
    pub const fn seconds(value: f64) -> Self {
        Self(ZeekValue::Seconds(value))
    }

    /// A span in nanoseconds, perhaps negative.
    pub const fn nanos(value: i64) -> Self {
        Self(ZeekValue::Interval(value))
    }
}

impl<'a> Set<'a> {
    /// Members, also where there are none.
    pub const fn even_if_empty(members: &'a [ZeekValue<'a>]) -> Self {
        Self(ZeekValue::List(members))
    }
}

impl<'a> Vector<'a> {
    /// Members, also where there are none.
    pub const fn even_if_empty(members: &'a [ZeekValue<'a>]) -> Self {
        Self(ZeekValue::List(members))
    }
}

/// Declares a stream of Zeek's logs and the struct of its rows ([`crate::zeek::column`]). A stream `of a connection`
/// begins with `ts`, `uid` and the two ends, which the sink writes; one `of its own` does not.
///
/// Columns that stand there only where a script is loaded come behind the others, each with its script:
/// `with static MORE { vlan: Int of Vlans }`. The struct has fields for them, too, and its values are those of the
/// scripts that are loaded.
#[macro_export]
macro_rules! zeek_stream {
    (
        $(#[$about:meta])*
        $vis:vis static $stream:ident: $name:literal of $owner:ident $kind:ident;
        $(#[$row_about:meta])*
        $row_vis:vis struct $row:ident {
            $($(#[$doc:meta])* $field:ident $(as $column:literal)?: $type:ident $(<$member:ident>)?),* $(,)?
        }
    ) => {
        $crate::zeek_stream! {
            @declare [$(#[$about])*] $vis $stream, $name, $owner $kind;
            [$(#[$row_about])*] $row_vis $row;
            $([$(#[$doc])*] $field $(as $column)?: $type $(<$member>)?,)*;
        }

        impl<'a> $row<'a> {
            /// The values of the columns, in order.
            #[inline]
            $row_vis fn values(self) -> [$crate::ZeekValue<'a>; $crate::zeek_stream!(@count $($field)*)] {
                [$(self.$field.into()),*]
            }
        }
    };
    (
        $(#[$about:meta])*
        $vis:vis static $stream:ident: $name:literal of $owner:ident $kind:ident;
        $(#[$row_about:meta])*
        $row_vis:vis struct $row:ident {
            $($(#[$doc:meta])* $field:ident $(as $column:literal)?: $type:ident $(<$member:ident>)?),* $(,)?
        }
        with $more_vis:vis static $more:ident {
            $($added:ident: $added_type:ident $(<$added_member:ident>)? of $script:ident),* $(,)?
        }
    ) => {
        $crate::zeek_stream! {
            @declare [$(#[$about])*] $vis $stream, $name, $owner $kind;
            [$(#[$row_about])*] $row_vis $row;
            $([$(#[$doc])*] $field $(as $column)?: $type $(<$member>)?,)*;
            $([] $added: $added_type $(<$added_member>)?,)*
        }

        $more_vis static $more: [$crate::zeek::ScriptColumn; $crate::zeek_stream!(@count $($added)*)] = [
            $($crate::zeek::ScriptColumn {
                stream: &$stream,
                script: $crate::zeek::Script::$script,
                column: (
                    $crate::zeek_stream!(@name $added),
                    $crate::zeek_stream!(@type $added_type $($added_member)?),
                ),
            }),*
        ];

        impl<'a> $row<'a> {
            /// The values of the columns, in order; of those that scripts add where the script is loaded.
            #[inline]
            $row_vis fn values(
                self,
                is_loaded: impl Fn($crate::zeek::Script) -> bool,
            ) -> $crate::zeek::ZeekValues<'a, { $crate::zeek_stream!(@count $($field)* $($added)*) }> {
                let mut values = $crate::zeek::ZeekValues::from_slice(&[$(self.$field.into()),*]);
                $(
                    if is_loaded($crate::zeek::Script::$script) {
                        values.push(self.$added.into());
                    }
                )*
                values
            }
        }
    };
    (
        @declare [$($about:tt)*] $vis:vis $stream:ident, $name:literal, $owner:ident $kind:ident;
        [$($row_about:tt)*] $row_vis:vis $row:ident;
        $([$($doc:tt)*] $field:ident $(as $column:literal)?: $type:ident $(<$member:ident>)?,)*;
        $([] $added:ident: $added_type:ident $(<$added_member:ident>)?,)*
    ) => {
        $($about)*
        $vis static $stream: $crate::ZeekStream = $crate::ZeekStream {
            name: $name,
            connection: $crate::zeek_stream!(@connection $owner $kind),
            columns: &[$((
                $crate::zeek_stream!(@name $field $($column)?),
                $crate::zeek_stream!(@type $type $($member)?),
            )),*],
        };

        $($row_about)*
        #[derive(Clone, Copy, Debug, Default)]
        $row_vis struct $row<'a> {
            $(
                #[doc = concat!("Column `", $crate::zeek_stream!(@name $field $($column)?), "`")]
                $($doc)*
                pub $field: $crate::zeek::column::$type<'a>,
            )*
            $(
                #[doc = concat!("Column `", stringify!($added), "`")]
                pub $added: $crate::zeek::column::$added_type<'a>,
            )*
        }
    };
    (@connection a connection) => { true };
    (@connection its own) => { false };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $column:literal) => { $column };
    (@type Text) => { $crate::ZeekType::String };
    (@type Set $member:ident) => { $crate::ZeekType::Set(&$crate::zeek_stream!(@type $member)) };
    (@type Vector $member:ident) => { $crate::ZeekType::Vector(&$crate::zeek_stream!(@type $member)) };
    (@type $type:ident) => { $crate::ZeekType::$type };
    (@count) => { 0 };
    (@count $field:ident $($rest:ident)*) => { 1 + $crate::zeek_stream!(@count $($rest)*) };
}

#[cfg(test)]
mod tests {
    use super::Text;
    use crate::zeek::Script;

    zeek_stream! {
        static STREAM: "sample" of its own;
        struct Row {
            host: Text,
            sizes: Vector<Count>,
        }
        with static MORE {
            vlan: Int of Vlans,
            uri_vars: Vector<Text> of UriVariables,
            inner_vlan: Int of Vlans,
        }
    }

    #[test]
    fn columns_of_scripts_stand_where_these_are_loaded() {
        assert_eq!(STREAM.columns.len(), 2);
        let added: Vec<_> = MORE.iter().map(|more| (more.script, more.column.0)).collect();
        let vlans = Script::Vlans;
        assert_eq!(added, [(vlans, "vlan"), (Script::UriVariables, "uri_vars"), (vlans, "inner_vlan")]);
        let row =
            Row { host: Text::from("a"), vlan: 1_i64.into(), inner_vlan: 2_i64.into(), ..Row::default() };
        for (loaded, expected) in [
            (&[][..], "String([97]) Unset"),
            (&[Script::UriVariables], "String([97]) Unset Unset"),
            (&[vlans], "String([97]) Unset Int(1) Int(2)"),
            (&[vlans, Script::UriVariables], "String([97]) Unset Int(1) Unset Int(2)"),
        ] {
            let values = row.values(|script| loaded.contains(&script));
            let shown: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
            assert_eq!(shown.join(" "), expected);
        }
    }
}

//! Places and networks of addresses, from databases in MaxMind's format.

use std::net::IpAddr;
use std::os::unix::fs::MetadataExt as _;

use maxminddb::{PathElement, Reader};

use crate::builtins::{Builtin, argument, row, text};
use crate::values::Value;
use crate::vm::Engine;

/// Longest database, in bytes.
const MOST_BYTES: u64 = 1 << 30;

/// Built-in functions.
pub const ROWS: &[Builtin] = &[
    row("mmdb_open_location_db", "(f: string): bool", |e, a| {
        e.frameworks.geography.location = Database::open(&text(a, 0));
        Ok(Value::Bool(e.frameworks.geography.location.is_some()))
    }),
    row("mmdb_open_asn_db", "(f: string): bool", |e, a| {
        e.frameworks.geography.network = Database::open(&text(a, 0));
        Ok(Value::Bool(e.frameworks.geography.network.is_some()))
    }),
    row("lookup_location", "", |e, a| Ok(location(e, &argument(a, 0)))),
    row("lookup_autonomous_system", "", |e, a| Ok(network(e, &argument(a, 0)))),
];

/// Databases that are open.
#[derive(Default)]
pub struct Geography {
    location: Option<Database>,
    network: Option<Database>,
    has_searched: (bool, bool),
    checked: f64,
}

struct Database {
    path: String,
    mark: (u64, i64, u64),
    reader: Reader<Vec<u8>>,
}

impl Database {
    fn open(path: &str) -> Option<Self> {
        let mark = mark(path)?;
        if mark.2 > MOST_BYTES {
            return None;
        }
        let reader = Reader::from_source(std::fs::read(path).ok()?).ok()?;
        Some(Self { path: path.to_owned(), mark, reader })
    }

    fn text(&self, address: IpAddr, path: &[PathElement<'_>]) -> Option<String> {
        self.reader.lookup(address).ok()?.decode_path::<&str>(path).ok()?.map(str::to_owned)
    }

    fn number(&self, address: IpAddr, path: &[PathElement<'_>]) -> Option<f64> {
        self.reader.lookup(address).ok()?.decode_path::<f64>(path).ok()?
    }
}

fn mark(path: &str) -> Option<(u64, i64, u64)> {
    let known = std::fs::metadata(path).ok()?;
    known.is_file().then(|| (known.ino(), known.mtime(), known.len()))
}

/// Returns the first database of these names in the folders that scripts set.
fn search(engine: &Engine, names: &[&str]) -> Option<Database> {
    let text = |name: &str| engine.global(name).map(|value| value.text()).unwrap_or_default();
    let mut folders = vec![text("mmdb_dir")];
    if let Some(Value::Vector(more)) = engine.global("mmdb_dir_fallbacks") {
        folders.extend(more.all().iter().map(Value::text));
    }
    folders
        .iter()
        .filter(|folder| !folder.is_empty())
        .flat_map(|folder| names.iter().map(move |name| (folder, name)))
        .find_map(|(folder, name)| Database::open(&format!("{folder}/{}", text(name))))
}

/// Opens databases when they are first asked for, and again where their files have changed.
fn prepare(engine: &mut Engine) {
    if !std::mem::replace(&mut engine.frameworks.geography.has_searched.0, true)
        && engine.frameworks.geography.location.is_none()
    {
        engine.frameworks.geography.location = search(engine, &["mmdb_city_db", "mmdb_country_db"]);
    }
    if !std::mem::replace(&mut engine.frameworks.geography.has_searched.1, true)
        && engine.frameworks.geography.network.is_none()
    {
        engine.frameworks.geography.network = search(engine, &["mmdb_asn_db"]);
    }
    let pause = engine.global("mmdb_stale_check_interval").map_or(-1.0, |value| value.double());
    let now = engine.now();
    let state = &mut engine.frameworks.geography;
    if pause < 0.0 || now - state.checked < pause {
        return;
    }
    state.checked = now;
    for database in [&mut state.location, &mut state.network] {
        if let Some(known) = database
            && mark(&known.path) != Some(known.mark)
        {
            *database = Database::open(&known.path.clone());
        }
    }
}

fn address_of(value: &Value) -> Option<IpAddr> {
    let Value::Addr(address) = value else { return None };
    match address.octets() {
        [a, b, c, d] => Some(IpAddr::from([*a, *b, *c, *d])),
        octets => <[u8; 16]>::try_from(octets).ok().map(IpAddr::from),
    }
}

fn location(engine: &mut Engine, value: &Value) -> Value {
    prepare(engine);
    let mut fields = Vec::new();
    if let (Some(address), Some(database)) = (address_of(value), &engine.frameworks.geography.location) {
        let key = PathElement::Key;
        let texts = [
            ("country_code", database.text(address, &[key("country"), key("iso_code")])),
            (
                "region",
                database.text(address, &[key("subdivisions"), PathElement::Index(0), key("iso_code")]),
            ),
            ("city", database.text(address, &[key("city"), key("names"), key("en")])),
        ];
        fields.extend(texts.into_iter().filter_map(|(name, text)| Some((name, Value::string(text?)))));
        let numbers = [
            ("latitude", database.number(address, &[key("location"), key("latitude")])),
            ("longitude", database.number(address, &[key("location"), key("longitude")])),
        ];
        fields.extend(numbers.into_iter().filter_map(|(name, number)| Some((name, Value::Double(number?)))));
    }
    engine.record_of("geo_location", &fields)
}

fn network(engine: &mut Engine, value: &Value) -> Value {
    prepare(engine);
    let mut fields = Vec::new();
    if let (Some(address), Some(database)) = (address_of(value), &engine.frameworks.geography.network) {
        let found = database.reader.lookup(address).ok();
        let number = found.and_then(|found| {
            found.decode_path::<u32>(&[PathElement::Key("autonomous_system_number")]).ok().flatten()
        });
        let name = database.text(address, &[PathElement::Key("autonomous_system_organization")]);
        fields.extend(number.map(|number| ("number", Value::Count(u64::from(number)))));
        fields.extend(name.map(|name| ("organization", Value::string(name))));
    }
    engine.record_of("geo_autonomous_system", &fields)
}

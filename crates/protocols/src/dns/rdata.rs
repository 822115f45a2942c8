//! The data of resource records, by type. Data that does not fit its type is kept as it is.
//!
//! RFC 1035 section 3.3, 3596 (AAAA), 2782 (SRV), 4255 (SSHFP), 6891 (OPT), 4034 (DNSSEC),
//! 3403 (NAPTR), 8659 (CAA), 9460 (SVCB and HTTPS), 1876 (LOC).

use weir_base::Reader;

use super::name::{Name, NameFlaws, Names};

/// Most strings of one TXT record.
const MAX_STRINGS: usize = 4096;

/// Most options of one OPT record, and parameters of one SVCB record.
const MAX_OPTIONS: usize = 1024;

/// The data of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RData {
    /// IPv4 address.
    A([u8; 4]),
    /// IPv6 address.
    Aaaa([u8; 16]),
    /// The name that a CNAME, NS, PTR, DNAME, MB, MD, MF, MG or MR record leads to.
    Name(Name),
    /// A mail exchanger.
    Mx {
        /// Lower is preferred.
        preference: u16,
        /// Its name.
        exchange: Name,
    },
    /// Strings of a TXT or SPF record.
    Text(Vec<Vec<u8>>),
    /// Start of authority.
    Soa(Box<Soa>),
    /// Service location.
    Srv(Box<Srv>),
    /// SSH key fingerprint.
    Sshfp {
        /// Key algorithm.
        algorithm: u8,
        /// Hash of the fingerprint.
        hash: u8,
        /// The fingerprint.
        fingerprint: Vec<u8>,
    },
    /// EDNS options.
    Opt(Vec<(u16, Vec<u8>)>),
    /// Two names: responsible person's mailbox and text (RP), or mailing-list boxes (MINFO).
    Pair(Box<(Name, Name)>),
    /// Host information.
    Hinfo {
        /// Hardware.
        cpu: Vec<u8>,
        /// Operating system.
        os: Vec<u8>,
    },
    /// A signature: what it covers, its algorithm and its signer.
    Rrsig {
        /// Type of the records signed.
        covered: u16,
        /// Signing algorithm.
        algorithm: u8,
        /// Name of the signer.
        signer: Name,
    },
    /// A public key.
    Dnskey {
        /// Flags.
        flags: u16,
        /// Algorithm.
        algorithm: u8,
    },
    /// Delegation signer.
    Ds {
        /// Algorithm of the key.
        algorithm: u8,
        /// Digest type.
        digest_type: u8,
    },
    /// The next name of a zone.
    Nsec(Name),
    /// Naming authority pointer.
    Naptr(Box<Naptr>),
    /// Certification authority authorization.
    Caa {
        /// Flags.
        flags: u8,
        /// Property.
        tag: Vec<u8>,
        /// Its value.
        value: Vec<u8>,
    },
    /// Service binding (SVCB and HTTPS).
    Svcb {
        /// Zero for an alias.
        priority: u16,
        /// Where the service is.
        target: Name,
        /// Parameters by key.
        parameters: Vec<(u16, Vec<u8>)>,
    },
    /// Location.
    Loc {
        /// Size, horizontal precision and vertical precision.
        precisions: [u8; 3],
    },
    /// Another type, or data that does not fit its type.
    Raw(Vec<u8>),
}

/// Start of authority.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Soa {
    /// The zone's primary server.
    pub mname: Name,
    /// Mailbox of who is responsible.
    pub rname: Name,
    /// Version of the zone.
    pub serial: u32,
    /// Seconds between refreshes.
    pub refresh: u32,
    /// Seconds until a failed refresh is retried.
    pub retry: u32,
    /// Seconds after which the zone is no longer authoritative.
    pub expire: u32,
    /// Least time to live.
    pub minimum: u32,
}

/// Service location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Srv {
    /// Lower is preferred.
    pub priority: u16,
    /// Share among those of the same priority.
    pub weight: u16,
    /// Port of the service.
    pub port: u16,
    /// Its host.
    pub target: Name,
}

/// Naming authority pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naptr {
    /// Order in which records are looked at.
    pub order: u16,
    /// Preference among those of the same order.
    pub preference: u16,
    /// Flags.
    pub flags: Vec<u8>,
    /// Service.
    pub service: Vec<u8>,
    /// Rewriting rule.
    pub regexp: Vec<u8>,
    /// The next name to look up.
    pub replacement: Name,
}

/// Record types that this file tells apart.
pub mod types {
    #![allow(missing_docs, reason = "IANA's names say all there is to say")]
    pub const A: u16 = 1;
    pub const NS: u16 = 2;
    pub const MD: u16 = 3;
    pub const MF: u16 = 4;
    pub const CNAME: u16 = 5;
    pub const SOA: u16 = 6;
    pub const MB: u16 = 7;
    pub const MG: u16 = 8;
    pub const MR: u16 = 9;
    pub const NULL: u16 = 10;
    pub const WKS: u16 = 11;
    pub const PTR: u16 = 12;
    pub const HINFO: u16 = 13;
    pub const MINFO: u16 = 14;
    pub const MX: u16 = 15;
    pub const TXT: u16 = 16;
    pub const RP: u16 = 17;
    pub const AAAA: u16 = 28;
    pub const LOC: u16 = 29;
    pub const NIMLOC: u16 = 32;
    pub const SRV: u16 = 33;
    pub const NAPTR: u16 = 35;
    pub const A6: u16 = 38;
    pub const DNAME: u16 = 39;
    pub const OPT: u16 = 41;
    pub const DS: u16 = 43;
    pub const SSHFP: u16 = 44;
    pub const RRSIG: u16 = 46;
    pub const NSEC: u16 = 47;
    pub const DNSKEY: u16 = 48;
    pub const NSEC3: u16 = 50;
    pub const NSEC3PARAM: u16 = 51;
    pub const SVCB: u16 = 64;
    pub const HTTPS: u16 = 65;
    pub const SPF: u16 = 99;
    pub const TKEY: u16 = 249;
    pub const TSIG: u16 = 250;
    pub const CAA: u16 = 257;
}

impl RData {
    /// Reads the data between `start` and `end` of the message of `names`, and the flaws of names in it.
    pub fn read(names: &mut Names<'_>, start: usize, end: usize, rrtype: u16) -> (Self, NameFlaws) {
        let bytes = names.message().get(start..end).unwrap_or_default();
        let mut data = Data { names, start, reader: Reader::new(bytes), flaws: NameFlaws::default() };
        match data.of_type(rrtype) {
            Some(parsed) => (parsed, data.flaws),
            None => (RData::Raw(bytes.to_vec()), NameFlaws::default()),
        }
    }

    /// Whether records that name data by its type show it as sent: nothing they show is read of it.
    pub const fn is_shown_as_sent(&self) -> bool {
        matches!(
            self,
            RData::Pair(_)
                | RData::Hinfo { .. }
                | RData::Rrsig { .. }
                | RData::Dnskey { .. }
                | RData::Ds { .. }
                | RData::Nsec(_)
                | RData::Naptr(_)
                | RData::Caa { .. }
                | RData::Svcb { .. }
                | RData::Loc { .. }
        )
    }

    /// Bytes of the names in it, which pointers make longer than on the wire, and of the boxes they are in.
    pub fn names_size(&self) -> usize {
        match self {
            RData::Name(name)
            | RData::Mx { exchange: name, .. }
            | RData::Nsec(name)
            | RData::Rrsig { signer: name, .. }
            | RData::Svcb { target: name, .. } => name.text.len(),
            RData::Soa(soa) => size_of::<Soa>() + soa.mname.text.len() + soa.rname.text.len(),
            RData::Srv(srv) => size_of::<Srv>() + srv.target.text.len(),
            RData::Pair(names) => size_of::<[Name; 2]>() + names.0.text.len() + names.1.text.len(),
            RData::Naptr(naptr) => size_of::<Naptr>() + naptr.replacement.text.len(),
            _ => 0,
        }
    }
}

struct Data<'a, 'm> {
    names: &'a mut Names<'m>,
    start: usize,
    reader: Reader<'m>,
    flaws: NameFlaws,
}

impl Data<'_, '_> {
    fn of_type(&mut self, rrtype: u16) -> Option<RData> {
        Some(match rrtype {
            types::A => RData::A(self.whole()?),
            types::AAAA => RData::Aaaa(self.whole()?),
            types::NS | types::CNAME | types::PTR | types::DNAME => RData::Name(self.name()?),
            types::MB | types::MD | types::MF | types::MG | types::MR => RData::Name(self.name()?),
            types::MX => RData::Mx { preference: self.reader.u16()?, exchange: self.name()? },
            types::TXT | types::SPF => RData::Text(self.strings()?),
            types::SOA => RData::Soa(Box::new(self.soa()?)),
            types::SRV => RData::Srv(Box::new(self.srv()?)),
            types::SSHFP => RData::Sshfp {
                algorithm: self.reader.u8()?,
                hash: self.reader.u8()?,
                fingerprint: self.reader.rest().to_vec(),
            },
            types::OPT => RData::Opt(self.options()?),
            types::RP | types::MINFO => RData::Pair(Box::new((self.name()?, self.name()?))),
            types::HINFO => RData::Hinfo { cpu: self.string()?, os: self.string()? },
            types::RRSIG => self.rrsig()?,
            types::DNSKEY => {
                let flags = self.reader.u16()?;
                self.reader.skip(1)?;
                RData::Dnskey { flags, algorithm: self.reader.u8()? }
            }
            types::DS => {
                self.reader.skip(2)?;
                RData::Ds { algorithm: self.reader.u8()?, digest_type: self.reader.u8()? }
            }
            types::NSEC => RData::Nsec(self.name()?),
            types::NAPTR => RData::Naptr(Box::new(self.naptr()?)),
            types::CAA => RData::Caa {
                flags: self.reader.u8()?,
                tag: self.string()?,
                value: self.reader.rest().to_vec(),
            },
            types::SVCB | types::HTTPS => RData::Svcb {
                priority: self.reader.u16()?,
                target: self.name()?,
                parameters: self.options()?,
            },
            types::LOC => {
                self.reader.skip(1)?;
                RData::Loc { precisions: self.reader.array()? }
            }
            _ => return None,
        })
    }

    fn whole<const N: usize>(&mut self) -> Option<[u8; N]> {
        let bytes = self.reader.array()?;
        self.reader.is_empty().then_some(bytes)
    }

    fn name(&mut self) -> Option<Name> {
        let at = self.start + self.reader.position();
        let (name, end) = self.names.read(at)?;
        self.reader.skip(end.checked_sub(at)?)?;
        self.flaws = self.flaws.or(name.flaws);
        Some(name)
    }

    fn string(&mut self) -> Option<Vec<u8>> {
        let length = self.reader.u8()?;
        self.reader.take(usize::from(length)).map(<[u8]>::to_vec)
    }

    fn strings(&mut self) -> Option<Vec<Vec<u8>>> {
        let mut strings = Vec::new();
        while !self.reader.is_empty() && strings.len() < MAX_STRINGS {
            strings.push(self.string()?);
        }
        Some(strings)
    }

    /// Numbered values, each with a length.
    fn options(&mut self) -> Option<Vec<(u16, Vec<u8>)>> {
        let mut options = Vec::new();
        while !self.reader.is_empty() && options.len() < MAX_OPTIONS {
            let (code, length) = (self.reader.u16()?, self.reader.u16()?);
            options.push((code, self.reader.take(usize::from(length))?.to_vec()));
        }
        Some(options)
    }

    fn soa(&mut self) -> Option<Soa> {
        Some(Soa {
            mname: self.name()?,
            rname: self.name()?,
            serial: self.reader.u32()?,
            refresh: self.reader.u32()?,
            retry: self.reader.u32()?,
            expire: self.reader.u32()?,
            minimum: self.reader.u32()?,
        })
    }

    fn srv(&mut self) -> Option<Srv> {
        Some(Srv {
            priority: self.reader.u16()?,
            weight: self.reader.u16()?,
            port: self.reader.u16()?,
            target: self.name()?,
        })
    }

    fn rrsig(&mut self) -> Option<RData> {
        let (covered, algorithm) = (self.reader.u16()?, self.reader.u8()?);
        // Labels, original time to live, expiration, inception, key tag.
        self.reader.skip(1 + 4 + 4 + 4 + 2)?;
        Some(RData::Rrsig { covered, algorithm, signer: self.name()? })
    }

    fn naptr(&mut self) -> Option<Naptr> {
        Some(Naptr {
            order: self.reader.u16()?,
            preference: self.reader.u16()?,
            flags: self.string()?,
            service: self.string()?,
            regexp: self.string()?,
            replacement: self.name()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name { text: text.into(), ..Name::default() }
    }

    #[test]
    fn data_by_type() {
        let cases: [(u16, &[u8], RData); 13] = [
            (types::A, &[1, 2, 3, 4], RData::A([1, 2, 3, 4])),
            (types::A, &[1, 2, 3], RData::Raw(vec![1, 2, 3])),
            (types::A, &[], RData::Raw(vec![])),
            (types::CNAME, b"\x01b\xc0\x00", RData::Name(name("b.a"))),
            (types::MX, b"\x00\x0a\x01m\0", RData::Mx { preference: 10, exchange: name("m") }),
            (types::TXT, b"\x02ab\0\x01c", RData::Text(vec![b"ab".to_vec(), vec![], b"c".to_vec()])),
            (types::TXT, b"\x05ab", RData::Raw(b"\x05ab".to_vec())),
            (types::SSHFP, &[1, 2, 0xaa], RData::Sshfp { algorithm: 1, hash: 2, fingerprint: vec![0xaa] }),
            (types::OPT, &[0, 10, 0, 1, 9], RData::Opt(vec![(10, vec![9])])),
            (
                types::CAA,
                b"\0\x05issueca.org",
                RData::Caa { flags: 0, tag: b"issue".to_vec(), value: b"ca.org".to_vec() },
            ),
            (types::DS, &[1, 1, 8, 2, 5], RData::Ds { algorithm: 8, digest_type: 2 }),
            (types::HINFO, b"\x01x\x01y", RData::Hinfo { cpu: b"x".to_vec(), os: b"y".to_vec() }),
            (
                types::HTTPS,
                b"\x00\x01\0\x00\x01\x00\x03\x02h3",
                RData::Svcb { priority: 1, target: name(""), parameters: vec![(1, b"\x02h3".to_vec())] },
            ),
        ];
        for (rrtype, bytes, expected) in cases {
            let mut message = b"\x01a\0".to_vec();
            message.extend(bytes);
            message.extend(b"what follows");
            let (found, _) = RData::read(&mut Names::new(&message), 3, 3 + bytes.len(), rrtype);
            assert_eq!(found, expected, "type {rrtype}");
        }
    }
}

//! Many globs, matched against one string.

/// Globs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Globs {
    globs: Vec<Vec<u8>>,
}

impl Globs {
    /// Takes globs; each counts once.
    pub fn new(mut globs: Vec<Vec<u8>>) -> Self {
        globs.sort();
        globs.dedup();
        Self { globs }
    }

    /// Returns the globs that match all of the text, in their order.
    pub fn matching(&self, text: &[u8]) -> Vec<&[u8]> {
        self.globs.iter().map(Vec::as_slice).filter(|glob| is_match(glob, text)).collect()
    }
}

/// Returns whether a glob matches. Only the last star is ever tried again, so that time is bounded by the product of the
/// lengths.
fn is_match(glob: &[u8], text: &[u8]) -> bool {
    let (mut at, mut place) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while place < text.len() {
        let byte = text.get(place).copied().unwrap_or(0);
        match glob.get(at) {
            Some(b'*') => {
                star = Some((at + 1, place));
                at += 1;
                continue;
            }
            Some(_) => {
                if let Some(width) = one(glob.get(at..).unwrap_or(&[]), byte) {
                    at += width;
                    place += 1;
                    continue;
                }
            }
            None => {}
        }
        let Some((after, from)) = star else { return false };
        star = Some((after, from + 1));
        at = after;
        place = from + 1;
    }
    glob.get(at..).unwrap_or(&[]).iter().all(|byte| *byte == b'*')
}

/// Returns the bytes of the glob that match one byte.
fn one(glob: &[u8], byte: u8) -> Option<usize> {
    match glob.first()? {
        b'?' => Some(1),
        b'\\' => (glob.get(1) == Some(&byte)).then_some(2),
        b'[' => {
            let end = glob.iter().skip(2).position(|known| *known == b']')? + 2;
            let mut class = glob.get(1..end)?;
            let negated = matches!(class.first(), Some(b'!' | b'^'));
            if negated {
                class = class.get(1..)?;
            }
            let mut is_in = false;
            while let Some(first) = class.first() {
                if class.get(1) == Some(&b'-') && class.len() > 2 {
                    is_in |= (*first..=*class.get(2)?).contains(&byte);
                    class = class.get(3..)?;
                } else {
                    is_in |= *first == byte;
                    class = class.get(1..)?;
                }
            }
            (is_in != negated).then_some(end + 1)
        }
        known => (*known == byte).then_some(1),
    }
}

//! Whether an interface that is listened on is up, down or away, and the sentences that tell of it.

use crate::SourceError;

/// Attempts to listen anew on an interface until the reason of their failure is told.
const PATIENCE: u32 = 50;

/// State of the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Up,
    Down,
    /// It is not there, or cannot be listened on, after so many attempts.
    Gone(u32),
}

/// An interface as a thread that listens on it knows it.
#[derive(Debug)]
pub struct Link {
    interface: String,
    state: State,
    news: Vec<String>,
}

impl Link {
    /// One that is up.
    pub fn of(interface: &str) -> Self {
        Self { interface: interface.to_owned(), state: State::Up, news: Vec::new() }
    }

    /// Whether it went down.
    pub fn is_down(&self) -> bool {
        self.state == State::Down
    }

    /// Packets come, or the system says that it is up.
    #[inline]
    pub fn is_up(&mut self) {
        if self.state == State::Down {
            self.state = State::Up;
            self.tell_of_it("is up again");
        }
    }

    /// It is there, and takes nothing in.
    pub fn goes_down(&mut self) {
        if self.state == State::Up {
            self.state = State::Down;
            self.tell_of_it("went down: it is waited for");
        }
    }

    /// It is not there any more.
    pub fn goes_away(&mut self) {
        self.state = State::Gone(0);
        self.tell_of_it("is gone: it is waited for");
    }

    /// It was gone, and is listened on again.
    pub fn returns(&mut self) {
        self.state = State::Up;
        self.tell_of_it("is back");
    }

    /// It is back and cannot be listened on: perhaps others still hold what was theirs of it.
    pub fn stays_away(&mut self, error: &SourceError) {
        if let State::Gone(attempts) = self.state {
            if attempts == PATIENCE {
                self.news.push(error.to_string());
            }
            self.state = State::Gone(attempts.saturating_add(1));
        }
    }

    /// Tells a sentence.
    pub fn tell(&mut self, sentence: String) {
        self.news.push(sentence);
    }

    /// Takes the sentences since the last time.
    pub fn take_news(&mut self) -> Vec<String> {
        std::mem::take(&mut self.news)
    }

    fn tell_of_it(&mut self, what: &str) {
        self.news.push(format!("The interface {} {what}.", self.interface));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_of_an_interface() {
        let mut link = Link::of("eth0");
        link.is_up();
        link.goes_down();
        link.goes_down();
        assert!(link.is_down());
        link.is_up();
        link.goes_away();
        let error = SourceError::NoInterface { option: "-i", section: "test" };
        (0..2 * PATIENCE).for_each(|_| link.stays_away(&error));
        link.returns();
        assert!(!link.is_down());
        let told = link.take_news();
        let parts = ["went down", "is up again", "is gone", "no interface", "is back"];
        assert_eq!(told.len(), parts.len(), "{told:?}");
        assert!(told.iter().zip(parts).all(|(sentence, part)| sentence.contains(part)), "{told:?}");
        assert!(link.take_news().is_empty());
    }
}

//! The contexts of an association: which interface a call is made of, by the number that a bind gave it.

use std::collections::VecDeque;

use super::pdu::{Decision, Offer};
use super::uuid::Uuid;

/// Most contexts of an association; the oldest one goes where there are more.
pub const MAX_CONTEXTS: usize = 256;

/// Most of them that have the same number: each call in it keeps them. One that was refused goes before others.
pub const MAX_SAME: usize = 8;

/// A context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Context {
    /// Its number.
    pub number: u16,
    /// The interface.
    pub interface: Uuid,
    /// The interface's version, major and minor.
    pub version: (u16, u16),
    /// The call that offered it; none once another one has the same number.
    call: Option<u32>,
    /// Its place among the contexts offered with it.
    place: usize,
    /// It was offered in a first fragment.
    pub in_first_fragment: bool,
    /// Result of the negotiation, once that is known.
    pub result: Option<Decision>,
}

impl Context {
    /// A context that needs no bind.
    pub const fn unbound(interface: Uuid, version: (u16, u16)) -> Self {
        Self {
            number: 0,
            interface,
            version,
            call: None,
            place: 0,
            in_first_fragment: true,
            result: Some((0, 0)),
        }
    }

    /// Whether the server accepted it.
    pub fn is_accepted(&self) -> bool {
        self.result.is_some_and(|(result, _)| result == 0)
    }
}

/// All contexts of an association, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Contexts(VecDeque<Context>);

impl Contexts {
    /// A call offers contexts, or more of them.
    pub fn offer(&mut self, call: u32, in_first_fragment: bool, offers: &[Offer]) {
        if in_first_fragment {
            self.0
                .iter_mut()
                .filter(|context| context.call == Some(call))
                .for_each(|context| context.call = None);
        }
        for (place, offer) in offers.iter().enumerate() {
            self.make_room(offer.context);
            self.0.push_back(Context {
                number: offer.context,
                interface: offer.interface,
                version: offer.version,
                call: Some(call),
                place,
                in_first_fragment,
                result: None,
            });
        }
    }

    /// Forgets a context where there are too many, or too many of this number.
    fn make_room(&mut self, number: u16) {
        let same = || self.0.iter().enumerate().filter(|(_, context)| context.number == number);
        let gone = if same().count() >= MAX_SAME {
            let refused = same().find(|(_, context)| context.result.is_some_and(|(result, _)| result != 0));
            refused.or_else(|| same().next()).map(|(place, _)| place)
        } else {
            (self.0.len() >= MAX_CONTEXTS).then_some(0)
        };
        if let Some(gone) = gone {
            self.0.remove(gone);
        }
    }

    /// A call's contexts are accepted, each or not. One that is accepted takes the place of older ones of its
    /// number; one that is refused changes nothing of them.
    pub fn answer(&mut self, call: u32, results: &[Decision]) {
        let open = |context: &Context| context.call == Some(call) && context.result.is_none();
        let mut place = self.0.len();
        while let Some(before) = place.checked_sub(1) {
            place = before;
            let Some(context) = self.0.get_mut(place).filter(|context| open(context)) else { continue };
            context.result = results.get(context.place).copied();
            if context.is_accepted() {
                let number = context.number;
                let mut at = 0;
                let all = self.0.len();
                self.0.retain(|context| {
                    at += 1;
                    at > place || context.number != number
                });
                place -= all - self.0.len();
            }
        }
    }

    /// The contexts that a call offered: the last ones, at most so many.
    pub fn offered_by(&self, call: u32, most: usize) -> Vec<Context> {
        let offered = self.0.iter().rev().filter(|context| context.call == Some(call));
        let mut contexts: Vec<_> = offered.take(most).copied().collect();
        contexts.reverse();
        contexts
    }

    /// The contexts of a number.
    pub fn numbered(&self, number: u16) -> Vec<Context> {
        self.0.iter().filter(|context| context.number == number).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offers(from: u16, count: u16) -> Vec<Offer> {
        let offer = |context| Offer { context, interface: Uuid(context.into()), version: (1, 0) };
        (from..from + count).map(offer).collect()
    }

    #[test]
    fn answers_go_to_their_offers() {
        let mut contexts = Contexts::default();
        contexts.offer(1, true, &offers(0, 2));
        contexts.offer(2, false, &offers(1, 1));
        contexts.answer(1, &[(2, 1), (0, 0)]);
        let results = |contexts: Vec<Context>| contexts.iter().map(|found| found.result).collect::<Vec<_>>();
        let offered = |contexts: &Contexts, call| results(contexts.offered_by(call, MAX_CONTEXTS));
        assert_eq!(offered(&contexts, 1), [Some((2, 1)), Some((0, 0))]);
        assert_eq!(results(contexts.numbered(1)), [Some((0, 0)), None]);
        contexts.answer(2, &[]);
        assert_eq!(offered(&contexts, 2), [None]);
        contexts.offer(1, true, &offers(5, 1));
        contexts.answer(1, &[(0, 0)]);
        assert_eq!(offered(&contexts, 1), [Some((0, 0))], "the call's number is another one's");
        contexts.offer(1, false, &offers(6, 2));
        assert_eq!(offered(&contexts, 1), [Some((0, 0)), None, None]);
        assert_eq!(results(contexts.offered_by(1, 2)), [None, None]);
    }

    #[test]
    fn an_accepted_context_takes_the_place_of_older_ones() {
        let mut contexts = Contexts::default();
        for (call, offer) in [(1, offers(0, 3)), (2, offers(1, 1)), (3, offers(2, 1))] {
            contexts.offer(call, true, &offer);
            contexts.answer(call, &[(if call == 2 { 2 } else { 0 }, 0); 3]);
        }
        let calls = |number| contexts.numbered(number).iter().map(|found| found.call).collect::<Vec<_>>();
        assert_eq!([calls(0), calls(1), calls(2)], [vec![Some(1)], vec![Some(1), Some(2)], vec![Some(3)]]);
    }

    #[test]
    fn contexts_are_bounded() {
        let mut contexts = Contexts::default();
        for call in 0..10 {
            contexts.offer(call, true, &offers(0, 200));
        }
        assert_eq!(contexts.0.len(), MAX_CONTEXTS);
        assert_eq!(contexts.offered_by(9, MAX_CONTEXTS).len(), 200);
        let mut contexts = Contexts::default();
        contexts.offer(1, true, &offers(7, 1));
        contexts.answer(1, &[(0, 0)]);
        contexts.offer(2, true, &offers(7, 1));
        contexts.answer(2, &[(2, 0)]);
        for call in 3..100 {
            contexts.offer(call, true, &offers(7, 1));
            contexts.answer(call, &[(2, 0)]);
        }
        let accepted: Vec<bool> = contexts.numbered(7).iter().map(Context::is_accepted).collect();
        assert_eq!((accepted.len(), accepted[0]), (MAX_SAME, true));
    }
}

//! The table of findings: names, severities, and why each matters.

use crate::finding::Severity;

/// A kind of finding.
#[derive(Debug)]
pub struct Lint {
    /// Its name, which never changes.
    pub name: &'static str,
    /// Severity by default.
    pub severity: Severity,
    /// Summary, in a few words.
    pub summary: &'static str,
    /// Reason that it matters, in a sentence or two.
    pub why: &'static str,
}

macro_rules! lints {
    ($($constant:ident $name:literal $severity:ident $summary:literal $why:literal)*) => {
        $(
            #[doc = $summary]
            pub(crate) static $constant: Lint =
                Lint { name: $name, severity: Severity::$severity, summary: $summary, why: $why };
        )*

        /// Every kind of finding.
        pub static LINTS: &[&Lint] = &[$(&$constant),*];
    };
}

lints! {
    SCRIPT_FAULT "script-fault" Error
        "A script of Zeek's language, or a file of signatures, that cannot be run."
        "Nothing of a run begins while a script has a fault."
    SCRIPT_DOUBT "script-doubt" Warning
        "Something in a script that is out of date, that nobody uses, or that cannot happen."
        "The script runs, and is unlikely to do what was meant."
    SCRIPT_COST "script-cost" Warning
        "A handler of an event that comes with each packet or piece of data."
        "One thread runs all handlers: what comes so often decides how fast the whole run is. Events of connections and messages come seldom."
    NOT_A_RULE "not-a-rule" Error
        "A line that is no rule."
        "What cannot be read as a rule is not loaded."
    MISSING_SEMICOLON "missing-semicolon" Error
        "An option without the `;` that ends it."
        "Each option ends with `;`, also the last one."
    UNESCAPED_SEMICOLON "unescaped-semicolon" Error
        "A `;` inside quotes without a backslash before it."
        "The first `;` ends an option, quotes or not, so that the rest is read as another option."
    MISSING_PARENTHESIS "missing-parenthesis" Warning
        "A rule without the `)` at its end."
        "The rule loads here; other readers of rule files refuse it."
    LEADING_SPACE "leading-space" Warning
        "A line that begins with a space."
        "Such a line is passed over without a word, as a comment would be."
    UNKNOWN_KEYWORD "unknown-keyword" Error
        "A keyword that does not exist."
        "The rule is not loaded."
    UNSUPPORTED_KEYWORD "unsupported-keyword" Error
        "A documented keyword that is not built in."
        "The rule is right, and is not loaded here: a rule is never run with a part of it left out."
    UNKNOWN_PROTOCOL "unknown-protocol" Error
        "A protocol that does not exist."
        "The rule is not loaded."
    UNSUPPORTED_PROTOCOL "unsupported-protocol" Error
        "A documented protocol, or a hook of one, that is not built in."
        "The rule is right, and is not loaded here."
    BAD_ADDRESS "bad-address" Error
        "Addresses or ports that cannot be read, or a variable that is not set."
        "The rule is not loaded. Variables are those of the configuration given with -c."
    BAD_VALUE "bad-value" Error
        "A value that its keyword does not take."
        "The rule is not loaded."
    MODIFIER_WITHOUT_CONTENT "modifier-without-content" Error
        "A modifier with no content before it."
        "A modifier (`nocase`, `depth`, `http_uri`, …) changes the content before it."
    UNREACHABLE_WITHIN "unreachable-within" Error
        "A `within` that is smaller than its content."
        "`within` counts to the end of the content, so that the content can never lie there."
    UNREACHABLE_CONTENT "unreachable-content" Error
        "Contents that do not fit the size the rule asks for."
        "The rule can never match."
    CASE_NEVER_MATCHES "case-never-matches" Error
        "A content that can never be in its buffer because of its case or its transforms."
        "The buffer holds what normalisation or transforms made of the traffic; the content has bytes that they never make."
    CONTRADICTORY_FLOW "contradictory-flow" Error
        "A direction in which the rule's buffers are never filled."
        "What the client sends is never in a buffer of what the server sends."
    DSIZE_WITH_STREAM "dsize-with-stream" Error
        "A check on a single packet beside buffers of transactions."
        "A transaction is not part of one packet, so that the two can never be true of the same thing."
    CONTRADICTORY_PARTS "contradictory-parts" Error
        "Parts of a rule that exclude each other."
        "The rule is not loaded."
    RULE_WITHOUT_SID "rule-without-sid" Error
        "A rule without a number."
        "Alerts, thresholds and updates name rules by their numbers."
    DUPLICATE_SID "duplicate-sid" Error
        "A number that another rule has."
        "Of two rules with the same number only the one with the higher revision is loaded."
    REQUIREMENT_NOT_MET "requirement-not-met" Hint
        "A rule that asks for what is not there (`requires`)."
        "It is left out, which is no error."
    RETIRED_EVENT "retired-event" Warning
        "A rule on an event that does not exist any more."
        "It is left out."
    UNKNOWN_CLASSTYPE "unknown-classtype" Warning
        "A class that classification.config does not have."
        "Alerts then have no category, and the default priority."
    UNKNOWN_REFERENCE "unknown-reference" Warning
        "A kind of reference that reference.config does not have."
        "Nothing can make a link of it."
    RULE_WITHOUT_MSG "rule-without-msg" Warning
        "A rule without a message."
        "Whoever reads the alert has nothing but a number."
    RULE_WITHOUT_REV "rule-without-rev" Hint
        "A rule without a revision."
        "Alerts of two versions of the rule cannot be told apart, and tools that update rules go by it."
    RULE_WITHOUT_CLASSTYPE "rule-without-classtype" Hint
        "A rule without a class."
        "Its alerts have no category, and the priority 3."
    DUPLICATE_OPTION "duplicate-option" Warning
        "The same option twice."
        "One of them has no effect, or was meant to be another."
    NO_FAST_PATTERN "no-fast-pattern" Warning
        "A rule on bytes with no literal that a prefilter can look for."
        "The rule is inspected for every packet or transaction that its header admits."
    PCRE_WITHOUT_CONTENT "pcre-without-content" Warning
        "A regular expression with no content beside it."
        "The expression is run on every packet or transaction that the header admits; a literal that must be there too would spare most of it."
    NEGATED_CONTENT_ONLY "negated-content-only" Warning
        "Contents that must all be absent."
        "What must be absent cannot be looked for ahead: the rule is inspected for all that its header admits, and fires on most of it."
    SHORT_FAST_PATTERN "short-fast-pattern" Warning
        "A literal of one or two bytes for the prefilter."
        "So short a literal is in most traffic, so that the prefilter spares next to nothing."
    FLOWBIT_NEVER_SET "flowbit-never-set" Warning
        "A bit that is asked for, and that no rule sets."
        "The rule can never match."
    FLOWBIT_NEVER_TESTED "flowbit-never-tested" Hint
        "A bit that is set, and that no rule asks for."
        "Setting it has no effect on any alert."
    UNUSED_BYTE_VARIABLE "unused-byte-variable" Warning
        "A number that is read from the traffic and never used."
        "The option then only asks that the bytes be there."
    BOTH_DIRECTIONS_HTTP "both-directions-http" Hint
        "A buffer of HTTP that requests and responses have, without a direction."
        "The rule is inspected twice as often as it needs to be, and fires on what the author did not think of."
    RAW_CONTENT_IN_HTTP "raw-content-in-http" Hint
        "A content of the raw stream in a rule on HTTP."
        "It does not see what is compressed, chunked or encoded, and can match in any part of the message."
    PORT_ANY_CONTENT_ONLY "port-any-content-only" Hint
        "Contents alone, from any port to any port."
        "The contents are looked for in all traffic of the transport, of whatever protocol."
    CONTENT_WITHOUT_FLOW "content-without-flow" Hint
        "A rule on the bytes of TCP without `flow`."
        "It is inspected in both directions, and matches packets that no connection carries."
    RELATIVE_TO_NOTHING "relative-to-nothing" Hint
        "A `distance` or `within` with no match before it in its buffer."
        "It counts from the start of the buffer, which `offset` and `depth` say openly."
    REPEATED_CONTENT "repeated-content" Hint
        "A content that stands twice in the same buffer."
        "Without a place of its own, the second one is found where the first one is."
    REDUNDANT_NOCASE "redundant-nocase" Hint
        "A `nocase` on what has no case."
        "It changes nothing that the rule matches."
    DEPRECATED_SPELLING "deprecated-spelling" Hint
        "An older spelling of a buffer."
        "Sticky buffers say once where the options that follow look, for every kind of option; the older modifiers exist for contents only, and new buffers have none."
    OTHER_WARNING "other-warning" Warning
        "Something that the rule compiler has to say."
        "The rule loads, but may not mean what it says."
}

/// The kind of finding of that name.
pub(crate) fn named(name: &str) -> Option<&'static Lint> {
    LINTS.iter().copied().find(|lint| lint.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_documented() {
        for (index, lint) in LINTS.iter().enumerate() {
            assert!(LINTS.iter().skip(index + 1).all(|other| other.name != lint.name), "{}", lint.name);
            assert!(lint.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", lint.name);
            assert!(lint.summary.ends_with('.') && lint.why.ends_with('.'), "{}", lint.name);
            assert!(std::ptr::eq(named(lint.name).expect("is there"), *lint));
        }
    }
}

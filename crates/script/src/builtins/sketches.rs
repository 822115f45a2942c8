//! Bloom filters, cardinality, top-k, entropy, globs.

use std::rc::Rc;

use super::{Builtin, argument, bytes, count, double, row};
use crate::types::TypeId;
use crate::values::opaque::{Bloom, Cardinality, Entropy, Globs, TopK};
use crate::values::{Opaque, OpaqueValue, Value, VectorValue};
use crate::vm::{Engine, Outcome};

pub(super) const ROWS: &[Builtin] = &[
    row(
        "bloomfilter_basic_init",
        "(fp: double, capacity: count, name: string &default=\"\"): opaque of bloomfilter",
        |e, a| {
            let rate = double(a, 0);
            if !(0.0..=1.0).contains(&rate) {
                e.complain("false-positive rate must take value between 0 and 1");
                return Ok(Value::Unset);
            }
            let (hashes, cells) = Bloom::dimensions(rate, count(a, 1));
            Ok(made(Opaque::Bloom(Bloom::new(hashes, cells, 1, bytes(a, 2)))))
        },
    ),
    row(
        "bloomfilter_basic_init2",
        "(k: count, cells: count, name: string &default=\"\"): opaque of bloomfilter",
        |e, a| {
            if count(a, 0) == 0 || count(a, 1) == 0 {
                e.complain(if count(a, 0) == 0 {
                    "k must be non-negative"
                } else {
                    "num of cells must be non-negative"
                });
                return Ok(Value::Unset);
            }
            Ok(made(Opaque::Bloom(Bloom::new(count(a, 0), count(a, 1), 1, bytes(a, 2)))))
        },
    ),
    row(
        "bloomfilter_counting_init",
        "(k: count, cells: count, max: count, name: string &default=\"\"): opaque of bloomfilter",
        |_, a| Ok(made(Opaque::Bloom(Bloom::new(count(a, 0), count(a, 1), count(a, 2).max(2), bytes(a, 3))))),
    ),
    row("bloomfilter_add", "(bf: opaque of bloomfilter, x: any): any", |e, a| {
        with_bloom(e, a, "incompatible Bloom filter types", |bloom, value| {
            bloom.add(value);
            Value::Unset
        })
    }),
    row("bloomfilter_lookup", "(bf: opaque of bloomfilter, x: any): count", |e, a| {
        with_bloom(e, a, "incompatible Bloom filter types", |bloom, value| Value::Count(bloom.count(value)))
    }),
    row("bloomfilter_decrement", "(bf: opaque of bloomfilter, x: any): bool", |e, a| {
        with_bloom(e, a, "incompatible Bloom filter types", |bloom, value| Value::Bool(bloom.remove(value)))
    }),
    row("bloomfilter_clear", "(bf: opaque of bloomfilter): any", |_, a| {
        with(a, 0, |opaque| {
            if let Opaque::Bloom(bloom) = opaque {
                bloom.clear();
            }
        });
        Ok(Value::Unset)
    }),
    row(
        "bloomfilter_merge",
        "(bf1: opaque of bloomfilter, bf2: opaque of bloomfilter): opaque of bloomfilter",
        |e, a| combined(e, a, false),
    ),
    row(
        "bloomfilter_intersect",
        "(bf1: opaque of bloomfilter, bf2: opaque of bloomfilter): opaque of bloomfilter",
        |e, a| combined(e, a, true),
    ),
    row("bloomfilter_internal_state", "(bf: opaque of bloomfilter): string", |_, a| {
        let mut text = String::new();
        with(a, 0, |opaque| {
            if let Opaque::Bloom(bloom) = opaque {
                text = bloom.state();
            }
        });
        Ok(Value::string(text))
    }),
    row("hll_cardinality_init", "(err: double, confidence: double): opaque of cardinality", |_, a| {
        Ok(made(Opaque::Cardinality(Cardinality::new(double(a, 0), double(a, 1)))))
    }),
    row("hll_cardinality_add", "(handle: opaque of cardinality, elem: any): bool", hll_add),
    row("hll_cardinality_copy", "(handle: opaque of cardinality): opaque of cardinality", |_, a| {
        match argument(a, 0) {
            Value::Opaque(opaque) => Ok(Value::Opaque(Rc::new(opaque.duplicate()))),
            _ => Ok(Value::Unset),
        }
    }),
    row("hll_cardinality_estimate", "(handle: opaque of cardinality): double", |_, a| {
        let mut estimate = 0.0;
        with(a, 0, |opaque| {
            if let Opaque::Cardinality(cardinality) = opaque {
                estimate = cardinality.estimate();
            }
        });
        Ok(Value::Double(estimate))
    }),
    row(
        "hll_cardinality_merge_into",
        "(handle1: opaque of cardinality, handle2: opaque of cardinality): bool",
        |e, a| {
            let mut other = None;
            with(a, 1, |opaque| other = Some(opaque.clone()));
            let mut is_done = false;
            with(a, 0, |opaque| {
                if let (Opaque::Cardinality(own), Some(Opaque::Cardinality(more))) = (opaque, &other) {
                    let fits = own.element.is_none() || more.element.is_none() || own.element == more.element;
                    is_done = fits && own.merge(more);
                    own.element = own.element.or(more.element);
                }
            });
            if !is_done {
                e.complain("incompatible HLL data type");
            }
            Ok(Value::Bool(is_done))
        },
    ),
    row("topk_init", "(size: count): opaque of topk", |_, a| Ok(made(Opaque::TopK(TopK::new(count(a, 0)))))),
    row("topk_add", "(handle: opaque of topk, value: any): any", topk_add),
    row("topk_get_top", "(handle: opaque of topk, k: count): any_vec", |e, a| {
        let mut all = Vec::new();
        let mut element = None;
        with_topk(a, |topk| {
            all = topk.top(count(a, 1));
            element = topk.element;
        });
        let ty = e.program.types.vector(element.unwrap_or(TypeId::ANY));
        Ok(Value::Vector(Rc::new(VectorValue::new(ty, all))))
    }),
    row("topk_count", "(handle: opaque of topk, value: any): count", |e, a| {
        let mut found = None;
        with_topk(a, |topk| found = topk.count(&argument(a, 1)));
        Ok(Value::Count(topk_known(e, found, "GetCount")))
    }),
    row("topk_epsilon", "(handle: opaque of topk, value: any): count", |e, a| {
        let mut found = None;
        with_topk(a, |topk| found = topk.epsilon(&argument(a, 1)));
        Ok(Value::Count(topk_known(e, found, "GetEpsilon")))
    }),
    row("topk_size", "(handle: opaque of topk): count", |_, a| {
        let mut size = 0;
        with_topk(a, |topk| size = topk.size());
        Ok(Value::Count(size))
    }),
    row("topk_sum", "(handle: opaque of topk): count", |e, a| {
        let (mut sum, mut is_pruned) = (0, false);
        with_topk(a, |topk| (sum, is_pruned) = (topk.sum(), topk.is_pruned()));
        if is_pruned {
            e.report("warning", "", "TopkVal::GetSum on pruned data structure. Reported values do not represent total element count");
        }
        Ok(Value::Count(sum))
    }),
    row("topk_merge", "(handle1: opaque of topk, handle2: opaque of topk): any", |e, a| merge(e, a, false)),
    row("topk_merge_prune", "(handle1: opaque of topk, handle2: opaque of topk): any", |e, a| {
        merge(e, a, true)
    }),
    row("find_entropy", "(data: string): entropy_test_result", |e, a| {
        let mut entropy = Entropy::default();
        entropy.add(bytes(a, 0));
        Ok(findings(e, &entropy))
    }),
    row("entropy_test_init", "(): opaque of entropy", |_, _| Ok(made(Opaque::Entropy(Box::default())))),
    row("entropy_test_add", "(handle: opaque of entropy, data: string): bool", |_, a| {
        let mut is_done = false;
        with(a, 0, |opaque| {
            if let Opaque::Entropy(entropy) = opaque {
                entropy.add(bytes(a, 1));
                is_done = true;
            }
        });
        Ok(Value::Bool(is_done))
    }),
    row("entropy_test_finish", "(handle: opaque of entropy): entropy_test_result", |e, a| {
        let mut taken = Entropy::default();
        with(a, 0, |opaque| {
            if let Opaque::Entropy(entropy) = opaque {
                taken = (**entropy).clone();
            }
        });
        Ok(findings(e, &taken))
    }),
    row("paraglob_init", "(v: any): opaque of paraglob", |_, a| {
        let globs = argument(a, 0).vector().map(|vector| vector.all()).unwrap_or_default();
        Ok(made(Opaque::Globs(Globs::new(globs.iter().map(|glob| glob.bytes().to_vec()).collect()))))
    }),
    row("paraglob_match", "(handle: opaque of paraglob, match: string): string_vec", |e, a| {
        let mut found = Vec::new();
        with(a, 0, |opaque| {
            if let Opaque::Globs(globs) = opaque {
                found.extend(globs.matching(bytes(a, 1)).into_iter().map(Value::string));
            }
        });
        Ok(super::text::strings(e, found))
    }),
    row("paraglob_equals", "(p_one: opaque of paraglob, p_two: opaque of paraglob): bool", |_, a| {
        let mut other = None;
        with(a, 1, |opaque| other = Some(opaque.clone()));
        let mut is_equal = false;
        with(a, 0, |opaque| {
            is_equal =
                matches!((opaque, &other), (Opaque::Globs(one), Some(Opaque::Globs(two))) if one == two)
        });
        Ok(Value::Bool(is_equal))
    }),
];

fn made(opaque: Opaque) -> Value {
    Value::Opaque(Rc::new(OpaqueValue::new(opaque)))
}

fn with(a: &[Value], place: usize, change: impl FnOnce(&mut Opaque)) {
    if let Some(Value::Opaque(opaque)) = a.get(place)
        && let Ok(mut inner) = opaque.inner.try_borrow_mut()
    {
        change(&mut inner);
    }
}

fn with_topk(a: &[Value], change: impl FnOnce(&mut TopK)) {
    with(a, 0, |opaque| {
        if let Opaque::TopK(topk) = opaque {
            change(topk);
        }
    });
}

/// Runs something on a filter, unless the value's type is another one than that of earlier values.
fn with_bloom(
    engine: &mut Engine,
    a: &[Value],
    sentence: &str,
    change: impl FnOnce(&mut Bloom, &Value) -> Value,
) -> Outcome<Value> {
    let value = argument(a, 1);
    let ty = engine.type_of(&value);
    let mut result = None;
    with(a, 0, |opaque| {
        if let Opaque::Bloom(bloom) = opaque
            && *bloom.element.get_or_insert(ty) == ty
        {
            result = Some(change(bloom, &value));
        }
    });
    Ok(result.unwrap_or_else(|| {
        engine.complain(sentence);
        Value::Count(0)
    }))
}

fn combined(engine: &mut Engine, a: &[Value], both: bool) -> Outcome<Value> {
    let mut other = None;
    with(a, 1, |opaque| other = Some(opaque.clone()));
    let mut new = None;
    let mut clash = false;
    with(a, 0, |opaque| {
        if let (Opaque::Bloom(own), Some(Opaque::Bloom(more))) = (opaque, &other) {
            clash = own.element.is_some() && more.element.is_some() && own.element != more.element;
            new = own.combined(more, both);
            if let Some(new) = &mut new {
                new.element = own.element.or(more.element);
            }
        }
    });
    if clash {
        engine.complain("incompatible Bloom filter types");
        return Ok(Value::Unset);
    }
    match new {
        Some(new) => Ok(made(Opaque::Bloom(new))),
        None => {
            engine.complain("failed to merge Bloom filter");
            Ok(Value::Unset)
        }
    }
}

fn hll_add(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let value = argument(a, 1);
    let ty = engine.type_of(&value);
    let mut is_done = false;
    with(a, 0, |opaque| {
        if let Opaque::Cardinality(cardinality) = opaque
            && *cardinality.element.get_or_insert(ty) == ty
        {
            cardinality.add(&value);
            is_done = true;
        }
    });
    if !is_done {
        engine.complain("incompatible HLL data type");
    }
    Ok(Value::Bool(is_done))
}

fn topk_add(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let value = argument(a, 1);
    let ty = engine.type_of(&value);
    let mut is_done = false;
    with_topk(a, |topk| {
        if *topk.element.get_or_insert(ty) == ty {
            topk.add(&value);
            is_done = true;
        }
    });
    if !is_done {
        engine.complain("Trying to add element to topk with differing type");
    }
    Ok(Value::Unset)
}

fn topk_known(engine: &mut Engine, found: Option<u64>, what: &str) -> u64 {
    found.unwrap_or_else(|| {
        engine.report("error", "", &format!("{what} for element that is not in top-k"));
        0
    })
}

fn merge(engine: &mut Engine, a: &[Value], prune: bool) -> Outcome<Value> {
    let mut other = None;
    with(a, 1, |opaque| other = Some(opaque.clone()));
    let mut clash = false;
    with_topk(a, |own| {
        if let Some(Opaque::TopK(more)) = &other {
            clash = own.element.is_some() && more.element.is_some() && own.element != more.element;
            if !clash {
                own.element = own.element.or(more.element);
                own.merge(more, prune);
            }
        }
    });
    if clash {
        engine.complain("Trying to merge top-k elements of differing types");
    }
    Ok(Value::Unset)
}

/// Returns what the tests of randomness found.
pub(crate) fn findings(engine: &mut Engine, entropy: &Entropy) -> Value {
    let found = entropy.findings();
    let fields = [
        ("entropy", Value::Double(found.entropy)),
        ("chi_square", Value::Double(found.chi_square)),
        ("mean", Value::Double(found.mean)),
        ("monte_carlo_pi", Value::Double(found.pi)),
        ("serial_correlation", Value::Double(found.correlation)),
    ];
    engine.record_of("entropy_test_result", &fields)
}

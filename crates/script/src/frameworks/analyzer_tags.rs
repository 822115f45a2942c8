//! Tags of analyzers, as scripts name them.

use std::rc::Rc;

use crate::types::TypeId;
use crate::values::{Value, VectorValue};
use crate::vm::Engine;

/// Returns the tag of any analyzer of a name.
pub(super) fn tag(engine: &Engine, name: &str) -> Option<Value> {
    let modules = ["Analyzer", "PacketAnalyzer", "Files"];
    modules.iter().find_map(|module| engine.program.enum_named(&format!("{module}::ANALYZER_{name}")))
}

/// Returns whether the tag of an analyzer is one of a module, by its own name or by that among all.
pub(super) fn is_of(engine: &Engine, tag: &Value, module: &str) -> bool {
    let Value::Enum(ty, number) = tag else { return false };
    let Some(name) = engine.types().enumeration(*ty).and_then(|tags| tags.names.get(number)) else {
        return false;
    };
    let kind = match module {
        "PacketAnalyzer::" => "AllAnalyzers::PACKETANALYZER_",
        "Files::" => "AllAnalyzers::FILES_",
        _ => "AllAnalyzers::ANALYZER_ANALYZER_",
    };
    name.starts_with(module) || name.starts_with(kind)
}

/// Returns the analyzers of a kind as scripts know components.
pub(super) fn components(engine: &mut Engine, category: &str) -> Value {
    let module = match category {
        "ANALYZER" => "Analyzer::ANALYZER_",
        "PACKET ANALYZER" => "PacketAnalyzer::ANALYZER_",
        "FILE ANALYZER" => "Files::ANALYZER_",
        _ => "?",
    };
    let tags = engine.tag_type().and_then(|ty| engine.types().enumeration(ty));
    let names =
        tags.into_iter().flat_map(|tags| &tags.values).filter_map(|(name, _)| name.strip_prefix(module));
    let names: Vec<String> = names.map(str::to_owned).collect();
    let mut all = Vec::with_capacity(names.len());
    for name in names {
        let is_on = !engine.frameworks.steering.disabled.contains(name.as_str());
        let fields = [
            ("name", Value::string(&name)),
            ("canonical_name", Value::string(&name)),
            ("tag", Value::string(format!("ANALYZER_{name}"))),
            ("enabled", Value::Bool(is_on)),
        ];
        all.push(engine.record_of("PluginComponent", &fields));
    }
    let ty = engine.program.type_named("plugin_component_vec").unwrap_or(TypeId::ANY);
    Value::Vector(Rc::new(VectorValue::new(ty, all)))
}

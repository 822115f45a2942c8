//! Transforms: what is done to a buffer before its checks see it.

use crate::model::script::{ScriptId, ScriptRunner};

/// One transform.
#[derive(Clone)]
pub struct Transform {
    /// The keyword with its option, which identifies it (`xor:"0a0d"`).
    pub name: std::sync::Arc<str>,
    /// Reads the first buffer and appends the result to the second, which is empty.
    pub apply: TransformFn,
    /// Whether bytes can stand in what the transform makes; none where any can.
    pub possible: Option<fn(&[u8]) -> bool>,
}

/// Reads the first buffer and appends to the second.
type Apply = dyn Fn(&[u8], &mut Vec<u8>) + Send + Sync;

/// The work of a transform, with what its keyword made of the option.
#[derive(Clone)]
pub enum TransformFn {
    /// A function.
    Plain(std::sync::Arc<Apply>),
    /// A script.
    Script(ScriptId),
}

/// Working memory of transforms.
#[derive(Default)]
pub struct TransformScratch {
    spare: Vec<u8>,
    /// Runner of scripts.
    scripts: Option<Box<dyn ScriptRunner>>,
}

impl TransformScratch {
    /// Memory with what runs scripts, where some transform is one.
    pub fn new(scripts: Option<Box<dyn ScriptRunner>>) -> Self {
        Self { spare: Vec::new(), scripts }
    }
}

impl PartialEq for Transform {
    /// Two transforms are the same where their names are; what they do follows from the name.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Transform {}

impl Transform {
    /// A transform named `name`.
    pub fn new(
        name: impl Into<std::sync::Arc<str>>,
        apply: impl Fn(&[u8], &mut Vec<u8>) + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), apply: TransformFn::Plain(std::sync::Arc::new(apply)), possible: None }
    }

    /// A transform named `name` that a script does.
    pub fn script(name: impl Into<std::sync::Arc<str>>, script: ScriptId) -> Self {
        Self { name: name.into(), apply: TransformFn::Script(script), possible: None }
    }

    fn run(&self, input: &[u8], output: &mut Vec<u8>, scripts: &mut Option<Box<dyn ScriptRunner>>) {
        match (&self.apply, scripts) {
            (TransformFn::Plain(apply), _) => apply(input, output),
            (TransformFn::Script(script), Some(runner)) => runner.transform(*script, input, output),
            (TransformFn::Script(_), None) => output.extend_from_slice(input),
        }
    }
}

impl std::fmt::Debug for Transform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

/// Applies `transforms` in order to `input`; the result is in `output`.
pub fn apply_all(
    transforms: &[Transform],
    input: &[u8],
    output: &mut Vec<u8>,
    scratch: &mut TransformScratch,
) {
    output.clear();
    let Some((first, rest)) = transforms.split_first() else {
        output.extend_from_slice(input);
        return;
    };
    let TransformScratch { spare, scripts } = scratch;
    first.run(input, output, scripts);
    for transform in rest {
        std::mem::swap(output, spare);
        output.clear();
        transform.run(spare, output, scripts);
    }
}

/// `input` after `transforms`: itself where there are none, else in `output`.
pub fn applied<'a>(
    transforms: &[Transform],
    input: &'a [u8],
    output: &'a mut Vec<u8>,
    scratch: &mut TransformScratch,
) -> &'a [u8] {
    if transforms.is_empty() {
        return input;
    }
    apply_all(transforms, input, output, scratch);
    output
}

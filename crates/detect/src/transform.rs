//! Transforms: what is done to a buffer before its checks see it.

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
pub struct TransformFn(pub std::sync::Arc<Apply>);

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
        Self { name: name.into(), apply: TransformFn(std::sync::Arc::new(apply)), possible: None }
    }
}

impl std::fmt::Debug for Transform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

/// Applies `transforms` in order to `input`; the result is in `output`. `spare` is working memory.
pub fn apply_all(transforms: &[Transform], input: &[u8], output: &mut Vec<u8>, spare: &mut Vec<u8>) {
    output.clear();
    let Some((first, rest)) = transforms.split_first() else {
        output.extend_from_slice(input);
        return;
    };
    (first.apply.0)(input, output);
    for transform in rest {
        std::mem::swap(output, spare);
        output.clear();
        (transform.apply.0)(spare, output);
    }
}

/// `input` after `transforms`: itself where there are none, else in `output`. `spare` is working memory.
pub fn applied<'a>(
    transforms: &[Transform],
    input: &'a [u8],
    output: &'a mut Vec<u8>,
    spare: &mut Vec<u8>,
) -> &'a [u8] {
    if transforms.is_empty() {
        return input;
    }
    apply_all(transforms, input, output, spare);
    output
}

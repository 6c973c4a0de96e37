//! Stubs of Python: `x.pyi` describes what `x.py` beside it declares.

use std::collections::HashSet;

use super::change::{Code, Content, File, Version};
use super::declaration::retain;

/// Leaves out what only one side of a stub has and the module beside it has on the other side: a description that comes or goes
/// is no declaration that does. `before` and `after` are what was read of the module.
pub fn leave_out_described(file: &mut File, before: Option<&Code>, after: Option<&Code>) {
    let [old, new] =
        [&file.old, &file.new].map(|side| names(side.as_ref().and_then(Version::code)));
    for (side, other, module) in [(&mut file.new, &old, before), (&mut file.old, &new, after)] {
        let module = names(module);
        if let Some(Content::Code(code)) = side.as_mut().map(|version| &mut version.content) {
            retain(&mut code.declarations, |one| {
                other.contains(&one.name) || !module.contains(&one.name)
            });
        }
    }
}

fn names(code: Option<&Code>) -> HashSet<String> {
    let all = code.map_or(&[][..], |code| &code.declarations);
    all.iter().map(|one| one.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::compare;
    use crate::symbol::Language;

    #[test]
    fn a_description_that_comes_or_goes_is_no_news() {
        let read = |path: &str, text: &str| Version::of_text(path, Language::Python, text);
        let module = read("a.py", "class A:\n    def f(self): pass\ndef g(): pass\n");
        let stub = "class A:\n    def f(self) -> int: ...\ndef h() -> int: ...\n";
        let news = |old: Option<&str>, new: Option<&str>| -> Vec<String> {
            let side = |text: Option<&str>| text.map(|text| read("a.pyi", text));
            let mut file = File {
                old: side(old),
                new: side(new),
            };
            leave_out_described(&mut file, module.code(), module.code());
            let list = compare(vec![file]).list.into_iter();
            list.map(|one| format!("{:?} {}", one.how, one.declaration().name))
                .collect()
        };
        assert_eq!(news(None, Some(stub)), ["Added h"]);
        assert_eq!(news(Some(stub), None), ["Removed h"]);
        let other = stub.replace("int", "str").replace("def h", "def i");
        assert_eq!(
            news(Some(stub), Some(&other)),
            ["Signature A.f", "Removed h", "Added i"]
        );
    }
}

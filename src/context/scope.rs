//! Context lists: who says what belongs to a turn. One entry a line; blank lines and `#` comments say nothing.

/// The most entries that are read of one list.
pub const ENTRIES_MAX: usize = 100_000;
/// How deep lists may name lists.
pub const NESTING_MAX: usize = 16;

/// Where an entry was listed, strongest first: a body is shown at the strongest scope that names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// For this turn only.
    Turn,
    /// For all turns of a session.
    Session,
    /// For every session.
    Global,
}

impl Scope {
    /// Every scope, strongest first.
    pub const ALL: [Self; 3] = [Self::Turn, Self::Session, Self::Global];

    /// The heading of its part of the summary.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Turn => "Turn",
            Self::Session => "Session",
            Self::Global => "Global",
        }
    }
}

/// The scopes that name a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScopeSet(u8);

impl ScopeSet {
    /// Adds a scope.
    pub fn insert(&mut self, scope: Scope) {
        self.0 |= 1 << scope as u8;
    }

    /// True when the scope is in it.
    #[must_use]
    pub fn contains(self, scope: Scope) -> bool {
        self.0 & 1 << scope as u8 != 0
    }

    /// The strongest scope in it; that of an empty set is the weakest there is.
    #[must_use]
    pub fn strongest(self) -> Scope {
        Scope::ALL
            .into_iter()
            .find(|scope| self.contains(*scope))
            .unwrap_or(Scope::Global)
    }
}

/// A list as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// The scope that its entries belong to.
    pub scope: Scope,
    /// Its path as people know it.
    pub name: String,
    /// What it lists.
    pub entries: Vec<Vec<u8>>,
    /// Why it could not be read, or not to its end.
    pub fault: Option<String>,
    /// True when the user said it now, and it is not what a file of the repository says.
    pub is_personal: bool,
}

impl List {
    /// Reads a list's text: at most [`ENTRIES_MAX`] entries.
    #[must_use]
    pub fn parse(scope: Scope, name: impl Into<String>, text: &[u8]) -> Self {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let mut said = lines.filter(|line| !line.is_empty() && line[0] != b'#');
        let entries = said
            .by_ref()
            .take(ENTRIES_MAX)
            .map(<[u8]>::to_vec)
            .collect();
        let fault = said
            .next()
            .map(|_| format!("only the first {ENTRIES_MAX} entries of this list are read"));
        Self {
            scope,
            name: name.into(),
            entries,
            fault,
            is_personal: false,
        }
    }

    /// A list that cannot be read.
    #[must_use]
    pub fn unreadable(scope: Scope, name: impl Into<String>, reason: String) -> Self {
        Self {
            scope,
            name: name.into(),
            entries: Vec::new(),
            fault: Some(reason),
            is_personal: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_blank_lines_and_line_ends_say_nothing() {
        let list = List::parse(
            Scope::Turn,
            "x",
            b"\xef\xbb\xbfa.md\r\n\n  # no\n\tb c.md  \n#x\nd#e",
        );
        assert_eq!(
            (list.entries, list.fault),
            (
                vec![b"a.md".to_vec(), b"b c.md".to_vec(), b"d#e".to_vec()],
                None
            )
        );
        assert!(List::parse(Scope::Turn, "x", b"").entries.is_empty());
    }

    #[test]
    fn a_list_beyond_the_limit_says_so() {
        let list = List::parse(Scope::Turn, "x", "a\n".repeat(ENTRIES_MAX + 1).as_bytes());
        assert_eq!(
            (list.entries.len(), list.fault.is_some()),
            (ENTRIES_MAX, true)
        );
        let list = List::parse(Scope::Turn, "x", "a\n".repeat(ENTRIES_MAX).as_bytes());
        assert_eq!(
            (list.entries.len(), list.fault.is_some()),
            (ENTRIES_MAX, false)
        );
    }

    #[test]
    fn the_strongest_scope_counts() {
        let mut scopes = ScopeSet::default();
        scopes.insert(Scope::Global);
        assert_eq!(scopes.strongest(), Scope::Global);
        scopes.insert(Scope::Turn);
        assert_eq!(
            (scopes.strongest(), scopes.contains(Scope::Session)),
            (Scope::Turn, false)
        );
    }
}

//! What git tells hooks of, as far as it matters here.

/// A moment at which git runs a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookEvent {
    /// After a commit, a cherry-pick, and each step of most rebases.
    PostCommit,
    /// After a merge or a pull that was no rebase.
    PostMerge,
    /// After an amended commit or a rebase.
    PostRewrite,
    /// After each patch of `git am`.
    PostApplypatch,
    /// After a checkout, a switch, and a new worktree.
    PostCheckout,
    /// Before a push; only where the user names it.
    PrePush,
    /// In a bare repository, after a push arrived; only where the user names it.
    PostReceive,
}

impl HookEvent {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::PostCommit,
        Self::PostMerge,
        Self::PostRewrite,
        Self::PostApplypatch,
        Self::PostCheckout,
        Self::PrePush,
        Self::PostReceive,
    ];

    /// Those of a repository with a work tree, unless the user names others.
    pub const USUAL: [Self; 5] = [
        Self::PostCommit,
        Self::PostMerge,
        Self::PostRewrite,
        Self::PostApplypatch,
        Self::PostCheckout,
    ];

    /// The name that git gives it, which is the name of the hook's file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::PostCommit => "post-commit",
            Self::PostMerge => "post-merge",
            Self::PostRewrite => "post-rewrite",
            Self::PostApplypatch => "post-applypatch",
            Self::PostCheckout => "post-checkout",
            Self::PrePush => "pre-push",
            Self::PostReceive => "post-receive",
        }
    }

    /// The event of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }

    /// True for the events for which git-lfs puts in hooks of its own.
    #[must_use]
    pub fn is_of_lfs(self) -> bool {
        matches!(
            self,
            Self::PostCommit | Self::PostMerge | Self::PostCheckout | Self::PrePush
        )
    }

    /// The file that a hook is renamed to when it cannot hold a block.
    #[must_use]
    pub fn chained_name(self) -> String {
        format!("{}.merkle-chained", self.name())
    }
}

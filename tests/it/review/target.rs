//! The six texts that reviews are measured by, each on a branch that is a reduction of the real one: what a person wrote down of what
//! a program can know comes out, in that order, in at most 1.3 times the tokens of the whole text.
//!
//! The figures on the real branches, and what comes in another order there, stand in decision 51.

use git_merkle::base::token::estimate;

use crate::support::Sandbox;

/// Flask 809d5a88: one default, twice.
const REDIRECT: &str = r#"
    commit first
    + src/flask/__init__.py = from .helpers import redirect as redirect
    + src/flask/helpers.py
      | def redirect(location: str, code: int = 302, Response=None):
      |     """Creates a redirect."""
      |     return current_app.redirect(location, code=code)
    + src/flask/sansio/app.py
      | class App:
      |     def redirect(self, location: str, code: int = 302):
      |         return _redirect(location, code=code)
    + examples/tutorial/flaskr/auth.py
      | from flask import redirect
      |
      | def register():
      |     return redirect("/")
    + tests/test_helpers.py
      | from flask import redirect
      |
      | def test_redirect():
      |     assert redirect("/").status_code == 302
    + CHANGES.rst = Version 3.2
    commit second
    + src/flask/helpers.py
      | def redirect(location: str, code: int = 303, Response=None):
      |     """Creates a redirect."""
      |     return current_app.redirect(location, code=code)
    + src/flask/sansio/app.py
      | class App:
      |     def redirect(self, location: str, code: int = 303):
      |         return _redirect(location, code=code)
    + CHANGES.rst = Version 3.2, redirect uses 303
"#;

/// Flask c34d6e81: bodies that use a new private class.
const TEARDOWN: &str = r#"
    commit first
    + src/flask/helpers.py = def get_debug_flag(): return False
    + src/flask/app.py
      | from .helpers import get_debug_flag
      |
      | class Flask:
      |     def do_teardown_request(self, ctx, exc=None):
      |         """Called after the request."""
      |         for func in reversed(self.teardown_request_funcs):
      |             self.ensure_sync(func)(exc)
      |         request_tearing_down.send(self, exc=exc)
      |
      |     def do_teardown_appcontext(self, ctx, exc=None):
      |         """Called right before."""
      |         for func in reversed(self.teardown_appcontext_funcs):
      |             self.ensure_sync(func)(exc)
      |         appcontext_tearing_down.send(self, exc=exc)
    + src/flask/ctx.py
      | from .helpers import get_debug_flag
      |
      | class AppContext:
      |     def pop(self, exc=None):
      |         """Pops it."""
      |         try:
      |             if self._request is not None:
      |                 self.app.do_teardown_request(self, exc)
      |                 self._request.close()
      |         finally:
      |             self.app.do_teardown_appcontext(self, exc)
      |             _cv_app.reset(self._cv_token)
      |             self._cv_token = None
      |             appcontext_popped.send(self.app)
    + CHANGES.rst = Version 3.2
    commit second
    + src/flask/helpers.py
      | def get_debug_flag(): return False
      |
      | class _CollectErrors:
      |     """Records and silences an error raised within it."""
      |
      |     def __init__(self):
      |         self.errors = []
      |
      |     def __enter__(self):
      |         pass
      |
      |     def __exit__(self, exc_type, exc_val, exc_tb):
      |         if exc_val is not None:
      |             self.errors.append(exc_val)
      |         return True
      |
      |     def raise_any(self, message):
      |         if self.errors:
      |             raise BaseExceptionGroup(message, self.errors)
    + src/flask/app.py
      | from .helpers import _CollectErrors, get_debug_flag
      |
      | class Flask:
      |     def do_teardown_request(self, ctx, exc=None):
      |         """Called after the request."""
      |         collect_errors = _CollectErrors()
      |         for func in reversed(self.teardown_request_funcs):
      |             with collect_errors:
      |                 self.ensure_sync(func)(exc)
      |         with collect_errors:
      |             request_tearing_down.send(self, exc=exc)
      |         collect_errors.raise_any("Errors during request teardown")
      |
      |     def do_teardown_appcontext(self, ctx, exc=None):
      |         """Called right before."""
      |         collect_errors = _CollectErrors()
      |         for func in reversed(self.teardown_appcontext_funcs):
      |             with collect_errors:
      |                 self.ensure_sync(func)(exc)
      |         with collect_errors:
      |             appcontext_tearing_down.send(self, exc=exc)
      |         collect_errors.raise_any("Errors during app teardown")
    + src/flask/ctx.py
      | from .helpers import _CollectErrors, get_debug_flag
      |
      | class AppContext:
      |     def pop(self, exc=None):
      |         """Pops it."""
      |         collect_errors = _CollectErrors()
      |         if self._request is not None:
      |             with collect_errors:
      |                 self.app.do_teardown_request(self, exc)
      |             with collect_errors:
      |                 self._request.close()
      |         with collect_errors:
      |             self.app.do_teardown_appcontext(self, exc)
      |         _cv_app.reset(self._cv_token)
      |         self._cv_token = None
      |         with collect_errors:
      |             appcontext_popped.send(self.app)
      |         collect_errors.raise_any("Errors during context teardown")
    + CHANGES.rst = Version 3.2, all callbacks are called
"#;

/// Flask adf36367: a class is merged into another, and names stay as proxies.
const CONTEXTS: &str = r#"
    commit first
    + src/flask/globals.py
      | _cv_request = ContextVar("flask.request_ctx")
      | request_ctx: RequestContext = LocalProxy(_cv_request, unbound_message="Working outside of request context.")
      | request: Request = LocalProxy(_cv_request, "request", unbound_message="Working outside of request context.")
      | session: SessionMixin = LocalProxy(_cv_request, "session", unbound_message="Working outside of request context.")
    + src/flask/ctx.py
      | from .globals import _cv_request
      |
      | class AppContext:
      |     def __init__(self, app):
      |         self.app = app
      |
      |     def pop(self, exc=_sentinel):
      |         if exc is _sentinel:
      |             exc = sys.exc_info()[1]
      |         self.app.do_teardown_appcontext(exc)
      |
      | class RequestContext:
      |     def __init__(self, app, environ, request=None):
      |         self.app = app
      |         self.request = request
      |
      |     def copy(self):
      |         return RequestContext(self.app, self.environ, self.request)
      |
      |     def match_request(self):
      |         self.request.match()
      |
      |     def push(self):
      |         _cv_request.set(self)
    + src/flask/app.py
      | from .ctx import AppContext, RequestContext
      | from .globals import request, request_ctx, session
      |
      | class Flask:
      |     def do_teardown_appcontext(self, exc=_sentinel):
      |         if exc is _sentinel:
      |             exc = sys.exc_info()[1]
      |         for func in self.funcs:
      |             func(exc)
      |
      |     def request_context(self, environ) -> RequestContext:
      |         return RequestContext(self, environ)
      |
      |     def dispatch_request(self):
      |         return request_ctx.request
    + src/flask/views.py
      | from .globals import request, session
      |
      | def view():
      |     return request, session
    + src/flask/debughelpers.py
      | from .globals import request
      |
      | def explain():
      |     return request
    commit second
    + src/flask/globals.py
      | class RequestProxy(ProxyMixin[Request], Request): ...
      | class SessionMixinProxy(ProxyMixin[SessionMixin], SessionMixin): ...
      |
      | request: RequestProxy = LocalProxy(_cv_app, "request", unbound_message="Working outside of request context, which is needed.")
      | session: SessionMixinProxy = LocalProxy(_cv_app, "session", unbound_message="Working outside of request context, which is needed.")
    + src/flask/ctx.py
      | from .globals import _cv_app
      |
      | class AppContext:
      |     def __init__(self, app, *, request=None, session=None):
      |         self.app = app
      |         self._request = request
      |         self._session = session
      |
      |     def copy(self):
      |         return AppContext(self.app, request=self._request, session=self._session)
      |
      |     def match_request(self):
      |         self._request.match()
      |
      |     def pop(self, exc=None):
      |         self.app.do_teardown_appcontext(exc)
    + src/flask/app.py
      | from .ctx import AppContext
      | from .globals import request, session
      |
      | class Flask:
      |     def do_teardown_appcontext(self, exc=None):
      |         for func in self.funcs:
      |             func(exc)
      |
      |     def request_context(self, environ) -> AppContext:
      |         return AppContext.from_environ(self, environ)
      |
      |     def dispatch_request(self):
      |         return request
"#;

/// jj 2afb2cb17..93ba64d50: modules that stand in a crate of their own, and are passed on.
const CORE: &str = r"
    commit first
    + lib/Cargo.toml = [package]
    + lib/src/lib.rs
      | pub mod dag_walk;
      | pub mod diff;
      | pub mod git;
    + lib/src/dag_walk.rs
      | pub fn dfs<T>(start: T) -> Vec<T> {
      |     vec![start]
      | }
    + lib/src/diff.rs
      | pub fn find_line_ranges(text: &[u8]) -> usize {
      |     text.len()
      | }
    + lib/src/git.rs
      | use crate::dag_walk::dfs;
      |
      | pub fn import() -> Vec<u8> {
      |     dfs(1)
      | }
    commit second
    > lib/src/dag_walk.rs -> core/src/dag_walk.rs
    > lib/src/diff.rs -> core/src/diff.rs
    + core/Cargo.toml = [package]
    + core/src/lib.rs
      | pub mod dag_walk;
      | pub mod diff;
    + lib/src/lib.rs
      | pub mod git;
      | pub use jj_core::dag_walk;
      | pub use jj_core::diff;
";

/// jj f3115e386: a field becomes a map, and functions get a parameter.
const HEADS: &str = r"
    commit first
    + lib/src/lib.rs
      | pub mod git;
      | pub mod op_store;
      | pub mod simple_op_store;
      | pub mod view;
    + lib/src/op_store.rs
      | pub struct View {
      |     pub git_head: RefTarget,
      |     pub wc: u8,
      | }
    + lib/src/simple_op_store.rs
      | use crate::op_store::View;
      |
      | pub fn view_to_proto(view: &View) -> Proto {
      |     let head = view.git_head.clone();
      |     Proto { head }
      | }
    + lib/src/view.rs
      | use crate::op_store;
      |
      | pub struct View {
      |     data: op_store::View,
      | }
      |
      | impl View {
      |     pub fn git_head(&self) -> &RefTarget {
      |         &self.data.git_head
      |     }
      |
      |     pub fn set_git_head_target(&mut self, target: RefTarget) {
      |         self.data.git_head = target;
      |     }
      |
      |     pub fn remove_wc_commit(&mut self, name: &WorkspaceName) {
      |         self.data.wc = 0;
      |     }
      | }
    + lib/src/git.rs
      | use crate::view::View;
      |
      | pub fn import_head(view: &mut View) -> u8 {
      |     view.set_git_head_target(1);
      |     1
      | }
    + lib/src/protos/simple_op_store.proto
      | message View {
      |   RefTarget git_head = 9;
      | }
    + lib/src/protos/simple_op_store.rs
      | // This file is @generated by prost-build.
      | pub struct View {
      |     pub git_head: RefTarget,
      | }
    commit second
    + lib/src/op_store.rs
      | pub struct View {
      |     pub git_heads: BTreeMap<WorkspaceNameBuf, RefTarget>,
      |     pub wc: u8,
      | }
    + lib/src/simple_op_store.rs
      | use crate::op_store::View;
      |
      | pub fn view_to_proto(view: &View) -> Proto {
      |     let heads = view.git_heads.clone();
      |     Proto { heads }
      | }
    + lib/src/view.rs
      | use crate::op_store;
      |
      | pub struct View {
      |     data: op_store::View,
      | }
      |
      | impl View {
      |     pub fn git_head(&self, workspace: &WorkspaceName) -> &RefTarget {
      |         self.data.git_heads.get(workspace)
      |     }
      |
      |     pub fn set_git_head_target(&mut self, workspace: &WorkspaceName, target: RefTarget) {
      |         self.data.git_heads.insert(workspace, target);
      |     }
      |
      |     pub fn remove_wc_commit(&mut self, name: &WorkspaceName) {
      |         self.data.wc = 0;
      |         self.data.git_heads.remove(name);
      |     }
      | }
    + lib/src/git.rs
      | use crate::view::View;
      |
      | pub fn import_head(view: &mut View, workspace: &WorkspaceName) -> u8 {
      |     view.set_git_head_target(workspace, 1);
      |     1
      | }
    + lib/src/protos/simple_op_store.proto
      | message GitHead {
      |   string workspace = 1;
      | }
      | message View {
      |   RefTarget git_head = 9 [deprecated = true];
      |   repeated GitHead git_heads = 13;
      | }
    + lib/src/protos/simple_op_store.rs
      | // This file is @generated by prost-build.
      | pub struct View {
      |     pub git_head: RefTarget,
      |     pub git_heads: Vec<GitHead>,
      | }
";

/// hugo f228c87d4: two bodies that call a new private function.
const SYMLINKS: &str = r#"
    commit first
    + hugofs/nosymlinks_fs.go
      | package hugofs
      |
      | func (fs *DropSymlinksFs) Stat(name string) (os.FileInfo, error) {
      |     fi, err := fs.lstat(name)
      |     if err != nil {
      |         return nil, err
      |     }
      |     return fi, nil
      | }
    + hugofs/rootmapping_fs.go
      | package hugofs
      |
      | func (fs *RootMappingFs) statRoot(root *RootMapping, filename string) (FileMetaInfo, error) {
      |     fi, err := fs.lstat(filename)
      |     if fi.Mode()&os.ModeSymlink != 0 {
      |         return nil, os.ErrNotExist
      |     }
      |     return fi, err
      | }
    commit second
    + hugofs/nosymlinks_fs.go
      | package hugofs
      |
      | func hasSymlinkParent(fs afero.Fs, base, name string) (bool, error) {
      |     for name != base {
      |         parent := filepath.Dir(name)
      |         if parent == name || parent == base || parent == "." {
      |             return false, nil
      |         }
      |         fi, err := LstatIfPossible(fs, parent)
      |         if err != nil {
      |             return false, err
      |         }
      |         if fi.Mode()&os.ModeSymlink != 0 {
      |             return true, nil
      |         }
      |         name = parent
      |     }
      |     return false, nil
      | }
      |
      | func (fs *DropSymlinksFs) Stat(name string) (os.FileInfo, error) {
      |     fi, err := fs.lstat(name)
      |     if err != nil {
      |         return nil, err
      |     }
      |     symlinkParent, err := hasSymlinkParent(fs.Fs, "", name)
      |     if err != nil {
      |         return nil, err
      |     }
      |     if symlinkParent {
      |         return nil, os.ErrNotExist
      |     }
      |     return fi, nil
      | }
    + hugofs/rootmapping_fs.go
      | package hugofs
      |
      | func (fs *RootMappingFs) statRoot(root *RootMapping, filename string) (FileMetaInfo, error) {
      |     fi, err := fs.lstat(filename)
      |     if fi.Mode()&os.ModeSymlink != 0 {
      |         return nil, os.ErrNotExist
      |     }
      |     symlinkParent, err := hasSymlinkParent(fs.Fs, root.To, filename)
      |     if symlinkParent {
      |         return nil, os.ErrNotExist
      |     }
      |     return fi, err
      | }
"#;

/// A branch, the tokens of the whole text that was written down for the real one, and what stands in the review in this order.
const TARGETS: [(&str, u64, &[&str]); 6] = [
    (
        REDIRECT,
        239,
        &[
            "2 signatures changed, nothing added or removed · 2 of 3 files are code",
            "(code: int = 302→303) in redirect, App.redirect",
            "← examples/tutorial/flaskr/auth.py, src/flask/__init__.py, 1 test",
        ],
    ),
    (
        TEARDOWN,
        281,
        &[
            "Same public declarations, 3 bodies changed, 1 private · 3 of 4 files are code",
            "AppContext.pop",
            "Flask.{do_teardown_request, do_teardown_appcontext}",
            "+ class _CollectErrors (5 members)",
        ],
    ),
    (
        CONTEXTS,
        412,
        &[
            "− class RequestContext (",
            "− request_ctx",
            "exc=_sentinel→None), body in ",
            "Flask.request_context -> RequestContext→AppContext",
            "AppContext.__init__(…, +*",
            "request: Request→RequestProxy",
            "session: SessionMixin→SessionMixinProxy",
        ],
    ),
    (
        CORE,
        255,
        &[
            "2 moved",
            "moved: lib/src/{dag_walk,diff}.rs → core/src/",
            "pub mod→use jj_core:: … in dag_walk, diff   lib/src/lib.rs",
            "+ module dag_walk, module diff   core/src/lib.rs",
            "core/Cargo.toml",
        ],
    ),
    (
        HEADS,
        345,
        &[
            "− View::git_head   lib/src/op_store.rs",
            "+workspace: &WorkspaceName",
            "View.git_head = 9+ [deprecated = true]",
            "+ struct GitHead",
            "View::remove_wc_commit",
        ],
    ),
    (
        SYMLINKS,
        252,
        &[
            "Same public declarations, 2 bodies changed, 1 private · 2 of 2 files are code",
            "DropSymlinksFs.Stat",
            "RootMappingFs.statRoot",
            "+ hasSymlinkParent",
        ],
    ),
];

#[test]
fn what_was_written_down_comes_out_in_its_order() {
    for (branch, tokens, said) in TARGETS {
        let sandbox = Sandbox::new();
        let repo = sandbox.filled(branch);
        let text = repo.merkle(&["review", "HEAD^!"]).ok();
        let mut from = 0;
        for part in said {
            let at = text[from..].find(part);
            let at = at.unwrap_or_else(|| panic!("'{part}' behind {from} in\n{text}"));
            from += at + part.len();
        }
        let used = estimate(&text);
        assert!(10 * used <= 13 * tokens, "{used} of {tokens} in\n{text}");
    }
}

/// Before, what was not committed was left out without a word.
#[test]
fn the_work_tree_can_be_reviewed_in_the_place_of_head() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.fill("commit one\n+ a.py\n  | def one():\n  |     return 1");
    let clean = repo.merkle(&["review", "HEAD"]).exits(0);
    assert!(!clean.err().contains("--worktree"), "{clean}");
    std::fs::write(repo.path("a.py"), "def one(x):\n    return 1\n").expect("writable");
    std::fs::write(repo.path("b.py"), "def two():\n    return 2\n").expect("writable");
    let told = repo.merkle(&["review", "HEAD"]).exits(0);
    let remark = "what is not committed is not reviewed; 'git merkle review --worktree' has it";
    assert!(told.err().contains(remark), "{told}");
    let whole = repo.merkle(&["review", "--worktree"]).exits(0);
    assert_eq!(whole.err(), "");
    assert!(
        whole.out().contains("one(+x)   a.py:1") && whole.out().contains("+ two   b.py:1"),
        "{whole}"
    );
    let json = repo
        .merkle(&["review", "--worktree", "--json"])
        .json("review");
    assert_eq!(json["new"]["revision"], "the work tree");
    repo.git(&["branch", "old"]).ok();
    let _ = repo
        .merkle(&["review", "--worktree", "HEAD..old"])
        .exits(129);
}

/// Before, a remark about what is not committed read every untracked file, and ended the review where a filter forbade that.
#[test]
fn what_is_not_tracked_is_not_read_for_a_remark() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.fill(
        "commit one\n+ a.py\n  | def one():\n  |     return 1\n+ .gitattributes = *.bin filter=own",
    );
    repo.git(&["config", "filter.own.clean", "false"]).ok();
    repo.git(&["config", "filter.own.required", "true"]).ok();
    std::fs::write(repo.path("z.bin"), "bytes").expect("writable");
    let told = repo.merkle(&["review", "HEAD"]).exits(0);
    assert!(told.err().contains("--worktree"), "{told}");
    let _ = repo.merkle(&["note", "a.py", "-m", "Fine."]).exits(0);
    let bare = sandbox.bare("hub");
    repo.run("git")
        .args(["push", "-q"])
        .arg(bare.path(""))
        .arg("main")
        .run()
        .ok();
    let refused = bare.merkle(&["review", "--worktree", "main"]);
    assert!(refused.err().contains("bare repository"), "{refused}");
}

//! Python, JavaScript, Ruby and Bash. What a reader sees of a small but realistic file.

use super::outline_of;

const PYTHON: &str = r#"#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""Reads configuration from files.

Longer text.
"""
from __future__ import annotations

import os, sys
from typing import (
    Any,
    Optional as Opt,
)

__all__ = ["Config", "load", "reexported"]

DEFAULT: int = 5
_cache = {}

try:
    import json
except ImportError:
    json = None


@dataclass(frozen=True)
class Config(Base, metaclass=Meta):
    """One configuration. Immutable."""

    __slots__ = ("path",)
    path: str = "x"
    items = [1,
             2]

    def __init__(self, path):
        self.path = path

    @property
    def size(self, *, deep: bool = False) -> int:
        """Counts
        the keys.
        """
        def inner():
            pass
        return 1

    def _private(self):
        pass

    class Error(Exception):
        pass


async def load(path: str,
               *args,
               **kwargs) -> Config:
    return Config(path)


def helper():
    pass


if __name__ == "__main__":
    main = load("x")
"#;

#[test]
fn python() {
    insta::assert_snapshot!(outline_of("sample.py", PYTHON), @r#"
    Reads configuration from files.

    Python source, 50+ lines, 3 public items.

    - `class Config(Base, metaclass=Meta)` (`@dataclass(frozen=True)`): One configuration.
      - fields `path: str = "x"`, `items`
      - `def __init__(self, path)`
      - `def size(self, *, deep: bool = False) -> int` (`@property`): Counts the keys.
      - `class Error(Exception)`
    - `async def load(path: str, *args, **kwargs) -> Config`
    - re-export `reexported`

    Not public:

    - `def _private(self)` of `Config`
    - `def helper()`
    - `DEFAULT: int = 5`
    - `_cache = {}`

    Imports: `os, sys`, `from typing import (Any, Optional as Opt)`, `json`
    "#);
}

const JAVASCRIPT: &str = "/**
 * @fileoverview Talks to the server.
 * @author an author
 */
import fs from 'fs';
import { join,
  sep } from 'path';

/** One client. It reconnects. */
export default class Client extends Base {
  static retries = 3;
  #secret = 1;

  constructor(url, { retries = 3 } = {}) {
    super();
  }

  /** Sends. */
  async send(message) {
    const inner = () => 1;
  }

  get size() { return 1; }
  _hidden() {}
}

export const LIMIT = 10, parse = async (text) => {
  return text;
};
function later() {}
function* generate() {}
export { later as now };
export { a, b } from './other';
export * from './all';
";

#[test]
fn javascript() {
    insta::assert_snapshot!(outline_of("sample.js", JAVASCRIPT), @r"
    Talks to the server.

    JavaScript source, 20+ lines, 7 public items.

    - `export default class Client extends Base`: One client.
      - field `static retries = 3`
      - `constructor(url, { retries = 3 } = {})`
      - `async send(message)`: Sends.
      - `get size()`
    - `parse = async (text)`
    - `function later()` (`export { later as now }`)
    - `LIMIT = 10`
    - re-exports `{ a, b } from './other'`, `* from './all'`

    Not public:

    - `_hidden()` of `Client`
    - `function* generate()`

    Imports: `fs from 'fs'`, `{join, sep} from 'path'`
    ");
}

const COMMON_JS: &str = "'use strict';
const fs = require('fs');
const { join } = require('path');

// Makes a server.
function Server(options) {
  this.options = options;
}

/** Starts it. */
Server.prototype.listen = function (port) {
  return port;
};
Server.create = (options) => new Server(options);

function helper() {}
const table = {
  a: 1,
};

module.exports = { Server, alias: helper, close() {}, limit: 12 };
exports.extra = function (x) { return x; };
";

#[test]
fn common_js() {
    insta::assert_snapshot!(outline_of("common.js", COMMON_JS), @r"
    JavaScript source, 20+ lines, 5 public items.

    - `function Server(options)`: Makes a server.
      - `Server.prototype.listen = function (port)`: Starts it.
      - `Server.create = (options)`
    - `function helper()` (`exports.alias`)
    - `close()`
    - `exports.extra = function (x)`
    - `limit: 12`

    Not public:

    - `const table`

    Imports: `fs = require('fs')`, `{join} = require('path')`
    ");
}

const RUBY: &str = r#"# frozen_string_literal: true

# Keeps values by key.

require 'json'
require_relative "base"

module Store
  VERSION = "1.0"

  # One store. Not thread safe.
  class Memory < Base
    include Enumerable
    attr_accessor :name, :limit

    # Finds a value.
    def get(key, default = nil, *rest, deep: false, &block)
      1
    end

    def name=(value); end

    def self.open(path) = new(path)

    class << self
      def default; end
    end

    private

    def evict
    end

    public def size; end
    private def hidden; end
  end
end

def top(x) = x
"#;

#[test]
fn ruby() {
    insta::assert_snapshot!(outline_of("sample.rb", RUBY), @r#"
    Keeps values by key.

    Ruby source, 20+ lines, 3 public items.

    - `module Store`
      - `VERSION = "1.0"`
      - `class Memory < Base`: One store.
        - fields `name`, `limit`
        - `def get(key, default = nil, *rest, deep: false, &block)`: Finds a value.
        - `def name=(value)`
        - `def self.open(path)`
        - `def self.default`
        - mixes in `Enumerable`
    - `def top(x)`

    Not public:

    - `def evict` of `Memory`
    - `def size` of `Memory`
    - `private def hidden` of `Memory`

    Imports: `json`, `base`
    "#);
}

const BASH: &str = r#"#!/bin/bash
#
# Builds the release.
#
# Usage: build.sh

set -euo pipefail
source ./lib/common.sh
. "$HOME/extra.sh"

ROOT=$(pwd)
readonly VERSION=1.0
export PATH="$ROOT/bin:$PATH"

# Prints a message and stops.
die() {
  local inner=1
  echo "$1" >&2
}

function _hidden { :; }

if [ -n "$CI" ]; then
  report() { :; }
fi

main "$@"
"#;

#[test]
fn bash() {
    insta::assert_snapshot!(outline_of("sample.sh", BASH), @r#"
    Builds the release.

    Shell source, 20+ lines, 4 public items.

    - `die()`: Prints a message and stops.
    - `report()`
    - `readonly VERSION=1.0`
    - `export PATH="$ROOT/bin:$PATH"`

    Not public:

    - `function _hidden`
    - `ROOT=$(pwd)`

    Imports: `./lib/common.sh`, `"$HOME/extra.sh"`
    "#);
}

#[test]
fn tests_are_known_by_their_titles() {
    let js = "describe('req', function () {\n  describe('.get(field)', () => {\n    it('should work', function (done) { helper() })\n    it(\"throws\", () => {})\n  })\n})\nvar app = exports = module.exports = {}\napp.use = function use(fn) {}\n";
    insta::assert_snapshot!(outline_of("a.test.js", js), @r"
    JavaScript source, under 10 lines, 1 public item.

    - `var app = exports = module.exports = {}`
      - `app.use = function use(fn)`

    Tests:

    - `req › .get(field)`: `should work`, `throws`
    ");
    let rust = "rgtest!(r16, |dir: Dir| {\n    dir.create(\"x\");\n});\nrgtest!(r25, |dir: Dir| {});\nprintln!(x);\n";
    insta::assert_snapshot!(outline_of("a.rs", rust), @r"
    Rust source, under 10 lines.

    Tests: `r16`, `r25`
    ");
    let shell =
        "test_description='says what'\n. ./lib.sh\ntest_expect_success 'it works' '\n\ttrue\n'\n";
    insta::assert_snapshot!(outline_of("t0001.sh", shell), @r"
    Shell source, under 10 lines.

    Not public:

    - `test_description='says what'`

    Tests: `it works`

    Imports: `./lib.sh`
    ");
    let ruby = "describe Rack::Protection do\n  it \"runs\" do\n    x\n  end\nend\n";
    insta::assert_snapshot!(outline_of("a_spec.rb", ruby), @r"
    Ruby source, under 10 lines.

    Tests:

    - `Rack::Protection`: `runs`
    ");
}

#[test]
fn what_only_looks_like_a_test_is_none() {
    let js = "describe('app', function () {\n  it('sets \"etag fn\"', function () {\n    test.set('Content-Type', 'a')\n  })\n  it.only('b', () => {})\n})\n";
    insta::assert_snapshot!(outline_of("a.test.js", js), @r#"
    JavaScript source, under 10 lines.

    Tests:

    - `app`: `sets "etag fn"`, `b`
    "#);
    let ruby = "RSpec.describe Shop::Cart do\n  let(:a) { 1 }\n  describe '.token' do\n    it 'is \"new\"' do\n    end\n  end\nend\nclass CartTest < Minitest::Test\n  it 'adds' do\n  end\nend\n";
    insta::assert_snapshot!(outline_of("a_spec.rb", ruby), @r#"
    Ruby source, 10+ lines, 1 public item.

    - `class CartTest < Minitest::Test`

    Tests:

    - `Shop::Cart › .token`: `is "new"`
    - `CartTest`: `adds`
    "#);
}

#[test]
fn a_server_says_what_it_answers_to() {
    let js = "'use strict'\n\n/**\n * Module dependencies.\n */\n\nvar app = module.exports = express();\n\n/**\n * GET search for :query.\n */\n\napp.get('/search/:query', function (req, res) {});\napp.post('/', a, b);\napp.get('title');\nclient.fetch('/x', y);\n\n/**\n * Makes it.\n */\n\nexports.make = function (a) {}\n";
    insta::assert_snapshot!(outline_of("a.js", js), @r"
    JavaScript source, 20+ lines, 4 public items.

    - `exports.make = function (a)`: Makes it.
    - `GET /search/:query`: GET search for :query.
    - `var app = module.exports = express()`
    - route `POST /`
    ");
    let ruby = "require 'sinatra/base'\nclass Stream < Sinatra::Base\n  # Streams.\n  get '/' do\n    x\n  end\n  post('/a') { b }\n  get '/no'\nend\n";
    insta::assert_snapshot!(outline_of("a.rb", ruby), @r"
    Ruby source, under 10 lines, 1 public item.

    - `class Stream < Sinatra::Base`
      - `GET /`: Streams.
      - `POST /a`

    Imports: `sinatra/base`
    ");
}

#[test]
fn ruby_tests_are_found_in_modules_within_modules() {
    let ruby = "module Shop\n  module Tests\n    module Cart\n      def setup\n      end\n\n      test \"cart: adds\" do\n      end\n      describe 'total' do\n        it('sums') { x }\n      end\n    end\n  end\nend\n";
    insta::assert_snapshot!(outline_of("cart.rb", ruby), @r"
    Ruby source, 10+ lines, 1 public item.

    - `module Shop`
      - `module Tests`
        - `module Cart`
          - `def setup`

    Tests:

    - `Shop › Tests › Cart`: `cart: adds`
    - `Shop › Tests › Cart › total`: `sums`
    ");
}

#[test]
fn a_comment_above_modules_within_modules_is_about_the_innermost() {
    let ruby = "# frozen_string_literal: true\n\n# Keeps answers of the backend.\nmodule Shop\n  module Backend\n    module Cache\n      extend self\n      extend Store\n\n      class << self\n        # Where they are kept.\n        def store(name)\n        end\n      end\n    end\n  end\nend\n";
    insta::assert_snapshot!(outline_of("cache.rb", ruby), @r"
    Keeps answers of the backend.

    Ruby source, 10+ lines, 1 public item.

    - `module Shop`
      - `module Backend`
        - `module Cache`
          - `def self.store(name)`: Where they are kept.
          - mixes in `Store`
    ");
    let ruby = "# Sells things.\n\nrequire 'x'\n\n# Counts things.\nmodule Shop\n  module Backend\n    class Counter\n      def add\n      end\n    end\n  end\nend\n";
    insta::assert_snapshot!(outline_of("counter.rb", ruby), @r"
    Sells things.

    Ruby source, 10+ lines, 1 public item.

    - `module Shop`
      - `module Backend`
        - `class Counter`: Counts things.
          - `def add`

    Imports: `x`
    ");
}

#[test]
fn shell_comments_belong_to_the_function_below_and_headings_to_nothing() {
    let shell = "#!/bin/sh\nset -e\n\n# ---------- defaults ----------\nBIN=./a\n\n# Settings that may be changed:\nSPLIT=h\n\n# Shows what came since the last look.\nLAST=0\nrecent() {\n    tail -c \"$LAST\" x\n}\n\n# Makes a picture.\ndraw() {\n    true\n} >/dev/null 2>&1\n\n# ====== helpers ======\nusage() {\n    exit 1\n}\n";
    insta::assert_snapshot!(outline_of("a.sh", shell), @r"
    Shell source, 20+ lines, 3 public items.

    - `recent()`: Shows what came since the last look.
    - `draw()`: Makes a picture.
    - `usage()`

    Not public:

    - `BIN=./a`
    - `SPLIT=h`
    - `LAST=0`
    ");
}

#[test]
fn a_patch_of_what_is_global_is_no_member() {
    let js = "'use strict'\nconst shop = require('shop')\nDate.now = function () { return 1 }\nprocess.stdout.write = (text) => {}\nglobalThis.log = function (text) {}\nArray.prototype.last = function () {}\nCart.add = function (item) {}\nmodule.exports = shop\n";
    insta::assert_snapshot!(outline_of("a.js", js), @r"
    JavaScript source, under 10 lines, 1 public item.

    - members of `Array`
      - `Array.prototype.last = function ()`
    - members of `Cart`
      - `Cart.add = function (item)`
    - re-export `shop`

    Imports: `shop = require('shop')`
    ");
    let own = "var process = module.exports = {};\nprocess.nextTick = function (fun) {};\n";
    insta::assert_snapshot!(outline_of("browser.js", own), @r"
    JavaScript source, under 10 lines, 1 public item.

    - `var process = module.exports = {}`
      - `process.nextTick = function (fun)`
    ");
}

#[test]
fn what_is_offered_under_another_name_says_so() {
    let text = "const till = require('./till');
function add(item) { return item; }
function count() {}
module.exports = { add, size: count, till, pay: till };
exports.default = add;
";
    insta::assert_snapshot!(outline_of("shop.js", text), @r"
    JavaScript source, under 10 lines, 4 public items.

    - `function add(item)` (`exports.default`)
    - `function count()` (`exports.size`)
    - re-exports `till`, `pay = till`

    Imports: `till = require('./till')`
    ");
    let text = "import { Till, Box as Store } from './till';
import type { Price } from './price';
function count(): number { return 1; }
export { Till, Store as Shop, count as size };
export type { Price };
export type {
  Coin,
  Note,
} from './coin';
";
    insta::assert_snapshot!(outline_of("shop.ts", text), @r"
    TypeScript source, under 10 lines, 6 public items.

    - `function count(): number` (`export { count as size }`)
    - re-exports `type { Coin, Note } from './coin'`, `Till`, `Store as Shop`, `type Price`

    Imports: `{Till, Box as Store} from './till'`, `{Price} from './price'`
    ");
    let text = "import { Till } from './till';
import { Price } from './price';

declare namespace shop {
  export { Till as Box };
  export type { Price };
  export interface Item { id: number }
  interface Hidden { id: number }
}
declare function shop(): shop.Item;
export = shop;
";
    insta::assert_snapshot!(outline_of("shop.d.ts", text), @r"
    TypeScript source, 10+ lines, 4 public items.

    - `declare namespace shop` (`export = shop`)
      - `export interface Item`
        - field `id: number`
      - re-exports `Till as Box`, `type Price`
    - `declare function shop(): shop.Item`

    Not public:

    - `interface Hidden` in `shop`

    Imports: `{Till} from './till'`, `{Price} from './price'`
    ");
}

#[test]
fn what_is_declared_to_exist_elsewhere_is_public() {
    let text = "import { Till } from './till';
declare module './shop' {
  interface Settings {
    till: Till;
    size?: number;
  }
  namespace prices { interface Price { sum: number } }
}
declare global {
  interface Window { till: Till }
}
namespace own { interface Hidden { id: number } }
";
    insta::assert_snapshot!(outline_of("more.ts", text), @r"
    TypeScript source, 10+ lines, 3 public items.

    - `declare module './shop'`
      - `interface Settings`
        - fields `till: Till`, `size?: number`
      - `namespace prices`
        - `interface Price`
          - field `sum: number`
    - `interface Window`
      - field `till: Till`

    Not public:

    - `interface Hidden` in `own`
    - `namespace own`

    Imports: `{Till} from './till'`
    ");
}

#[test]
fn a_default_that_is_called_or_an_object_is_told_by_its_keys() {
    for (text, expected) in [
        (
            "import { make } from 'tool';\nexport default make({\n  test: {\n    globals: true,\n  },\n  mode: 'fast',\n  setup() {},\n});\n",
            "- `export default make(…)`\n  - fields `test`, `mode: 'fast'`\n  - `setup()`\n",
        ),
        (
            "export default {\n  name: 'shop',\n  data: () => {\n    return 1;\n  },\n} satisfies Shop;\n",
            "- `export default {…}`\n  - field `name: 'shop'`\n  - `data: ()`\n",
        ),
        (
            "module.exports = tool.make(\n  one,\n  { 'a-b': [\n  ] },\n);\n",
            "- `module.exports = tool.make(…)`\n  - field `'a-b'`\n",
        ),
        ("export default make();\n", "- `export default make()`\n"),
        (
            "export default new Till({\n  open: true,\n});\n",
            "- `export default new Till(…)`\n  - field `open: true`\n",
        ),
    ] {
        let outline = outline_of("config.ts", text);
        assert!(outline.contains(expected), "{outline}");
    }
}

#[test]
fn tests_are_known_by_what_runs_them() {
    let text = "'use strict'

const t = require('node:test')
const till = require('./till')

t.test('opens', { timeout: 1 }, async (t) => {
  t.plan(2)
  await t.test('with a key', async (t) => {})
  t.test('without', (t) => {})
})
pattern.test('neither');
/x/.test('no');
";
    insta::assert_snapshot!(outline_of("till.test.js", text), @r"
    JavaScript source, 10+ lines.

    Tests:

    - `opens`: `with a key`, `without`

    Imports: `t = require('node:test')`, `till = require('./till')`
    ");
    let text = "import { till } from './till.ts'

Deno.test('Opens it', async () => {})
Deno.test({ name: 'Closes it', fn() {} })
Deno.test(function counts() {})
it.each([1, 2])('counts %s', (n) => {})
test.each`a | b
${1} | ${2}`('adds', () => {})
describe.skipIf(slow)('slowly', () => {
  it.only('waits', () => {})
})
";
    insta::assert_snapshot!(outline_of("till.test.ts", text), @r"
    TypeScript source, 10+ lines.

    Tests:

    - others: `Opens it`, `Closes it`, `counts`, `counts %s`, `adds`
    - `slowly`: `waits`

    Imports: `{till} from './till.ts'`
    ");
    let text = "import { till } from './till'\nconst shop = require('./shop')\ntill.open()\n";
    insta::assert_snapshot!(outline_of("start.js", text), @r"
    JavaScript source, under 10 lines.

    - line `till.open()`

    Imports: `{till} from './till'`, `shop = require('./shop')`
    ");
}

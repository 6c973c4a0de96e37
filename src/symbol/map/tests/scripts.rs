//! Python, JavaScript, TypeScript, Ruby, Bash, and documents.

use super::map_of;

#[test]
fn python() {
    insta::assert_snapshot!(map_of(&[
        ("shop/__init__.py", "from .store import Store, open_store\n__all__ = [\"Store\", \"open_store\"]\n"),
        ("shop/store.py", "\"\"\"Keeps things.\"\"\"\nimport os.path, json as j\nfrom typing import Optional\nfrom shop.model import Item\nfrom . import util\n\nLIMIT = 10\n\nclass Store(Base, metaclass=Meta):\n    items: list[Item] = []\n\n    def __init__(self, path: str, *, limit: int = LIMIT, **rest) -> None:\n        self.path = path\n\n    @property\n    def size(self) -> int:\n        return len(self.items)\n\n    async def add_item(self, item: Item, where: Optional[str] = None) -> bool:\n        return util.is_valid(item)\n\n    def _check(self): pass\n\ndef open_store(path):\n    return Store(path)\n"),
        ("shop/model.py", "class Item:\n    def price(self): return 1\n"),
        ("shop/util.py", "def is_valid(item, /, *args): return True\n"),
        ("tests/test_store.py", "from shop import open_store\n\ndef test_add():\n    store = open_store('x')\n    store.add_item(1)\n"),
    ]), @r"
    shop/__init__.py ←2
      i→ shop/store.py
    shop/model.py ←1
      c Item ←1
        m price()
    shop/store.py ←2
      i→ shop/__init__.py,shop/model.py,shop/util.py
      i json,os,typing
      v LIMIT
      c Store(Base) ←1
        p items →Item
        m __init__(path,limit?,**rest)
        p path
        m size()->int
        am add_item(item,where?)->bool ←1 →Item,is_valid
        m _check()
      f open_store(path) ←2
    shop/util.py ←1
      f is_valid(item,*args) ←1
    tests/test_store.py
      i→ shop/__init__.py
      f test_add() →add_item,open_store
    ");
}

#[test]
fn javascript() {
    insta::assert_snapshot!(map_of(&[
        ("lib/index.js", "const { readAll } = require('./read')\nconst fs = require('fs')\n\nclass Queue extends Base {\n  #inner = []\n  limit = 3\n  constructor(size, { eager = true } = {}) { super(); this.size = size }\n  async drain(...rest) { return readAll(this.size) }\n  static of(a = 1) { return new Queue(a) }\n}\n\nmodule.exports = { Queue, start: async (port, host = 'x') => { fs.open(port) } }\n"),
        ("lib/read.js", "function readAll (size) { return parse(size) }\nconst parse = text => text\nexports.readAll = readAll\n"),
    ]), @r"
    lib/index.js
      i→ lib/read.js
      i fs
      c Queue(Base)
        p #inner
        p limit
        m constructor(size,{}?)
        p size
        am drain(...rest) →readAll
        m of(a?)
      af start(port,host?)
    lib/read.js ←1
      f readAll(size) ←1
      f parse(text)
    ");
}

#[test]
fn typescript() {
    insta::assert_snapshot!(map_of(&[
        ("src/api.ts", "import type { User } from './types.js'\nimport { Client } from '@scope/client'\nimport * as path from 'node:path'\n\nexport async function fetchUser(id: string, options?: { deep: boolean }): Promise<User | undefined> {\n  return new Client().get(id)\n}\n\nexport abstract class Api<T extends User> extends Client implements Closeable, Named {\n  private cache?: Map<string, T>\n  constructor(private readonly base: string, retries = 3) { super() }\n  abstract name(): string\n  get size(): number { return 1 }\n}\n\nexport const toName = (user: User): string => user.name\n"),
        ("src/index.ts", "export { fetchUser } from './api'\nexport * from './types'\n"),
        ("src/types.ts", "export interface User { id: string; name?: string }\nexport type Id = string\nexport enum Role { Admin = 1, Guest }\n"),
        ("src/ui/View.tsx", "import { fetchUser, toName } from '..'\nexport function View({ id }: { id: string }) { const user = fetchUser(id); return <b>{toName(user)}</b> }\n"),
    ]), @r"
    src/api.ts ←2
      i→ src/types.ts
      i @scope/client,node:path
      af fetchUser(id,options?)->Promise<User|undefined> ←2 →User
      c Api(Client,Closeable,Named) →User
        p cache?
        p base
        m constructor(base,retries?)
        m name()->string
        m size()->number
      f toName(user)->string ←1 →User
    src/index.ts ←1
      i→ src/api.ts,src/types.ts
    src/types.ts ←2
      c User ←1
        p id
        p name?
      c Id
      c Role
        p Admin
        p Guest
    src/ui/View.tsx
      i→ src/index.ts
      f View({}) →fetchUser,toName
    ");
}

#[test]
fn ruby_and_bash() {
    insta::assert_snapshot!(map_of(&[
        ("lib/shop.rb", "require 'json'\nrequire 'shop/store'\n\nmodule Shop\n  VERSION = '1'\n  def self.open(path, limit = 10, *rest, deep: false, name:, &block)\n    Store.new(path)\n  end\nend\n"),
        ("lib/shop/store.rb", "require_relative '../helper'\nmodule Shop\n  class Store < Base\n    include Enumerable\n    attr_reader :path\n    def initialize(path) @path = path end\n    def each_item = help_out(path)\n    private\n    def secret; end\n  end\nend\n"),
        ("lib/helper.rb", "def help_out(x)\n  x\nend\n"),
        ("bin/run.sh", "#!/bin/bash\nsource \"$(dirname \"$0\")/lib.sh\"\nreadonly LIMIT=3\nmain() {\n  log_line \"$LIMIT\"\n}\nmain\n"),
        ("bin/lib.sh", "log_line() {\n  echo \"$1\"\n}\n"),
    ]), @r"
    bin/lib.sh ←1
      f log_line() ←1
    bin/run.sh
      i→ bin/lib.sh
      v LIMIT
      f main() →log_line
    lib/helper.rb ←1
      f help_out(x) ←1
    lib/shop.rb
      i→ lib/shop/store.rb
      i json
      c Shop
        v VERSION
        f open(path,limit?,*rest,deep?,name,&block) →Store
    lib/shop/store.rb ←1
      i→ lib/helper.rb
      c Shop
        c Store(Base,Enumerable) ←1
          p path
          m initialize(path)
          m each_item() →help_out
          m secret()
    ");
}

#[test]
fn documents_and_other_files() {
    insta::assert_snapshot!(map_of(&[
        ("README.md", "# Shop\n\nText.\n\n## Use\n\n```sh\n# no heading\n```\n\n### More `code`\n\n## End\n"),
        ("data.bin", "\0\u{1}"),
        ("empty.rs", ""),
        ("notes.txt", "a\n"),
        ("Makefile", "all:\n\techo\n"),
    ]), @r"
    Makefile
      f all
    README.md
      # Shop
        # Use
          # More `code`
        # End
    data.bin
    empty.rs
    notes.txt
    ");
}

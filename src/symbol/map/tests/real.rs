//! What reading the maps of real projects against their sources found, one small file for each.

use super::map_of;

#[test]
fn cpp_macros_around_names_hide_nothing() {
    insta::assert_snapshot!(map_of(&[
        ("include/shop/cart.h", "#ifndef SHOP_CART_H_\n#define SHOP_CART_H_\n#include \"shop/export.h\"\nSHOP_BEGIN_NAMESPACE\nnamespace shop {\nclass Item;\nclass SHOP_EXPORT Cart : public Base {\n public:\n  explicit Cart(int size);\n  Cart(const Cart&) = delete;\n  SHOP_NODISCARD bool Add(const Item& item) SHOP_LOCKS_REQUIRED(lock_);\n  SHOP_CONSTEXPR operator bool() const { return true; }\n  friend bool operator<(const Cart& a, const Cart& b) { return &a < &b; }\n private:\n  Lock lock_;\n  int size_ GUARDED_BY(lock_);\n};\ntemplate <typename T>\nSHOP_API const T* first(const T& list);\n}\nSHOP_END_NAMESPACE\n#endif\n"),
        ("src/cart.cc", "#include \"shop/cart.h\"\nnamespace shop {\nbool Cart::Add(const Item& item) { return Store(item); }\n}\n"),
    ]), @r#"
    include/shop/cart.h ←1
      i "shop/export.h"
      c shop
        c Cart(Base)
          m Cart(size)
          m Cart(Cart)
          m Add(item)->bool
          m operator bool()
          m operator<(a,b)->bool
          p lock_
          p size_
        f first(list)->T*
    src/cart.cc
      i→ include/shop/cart.h
      c shop
        c Cart
          m Add(item)->bool
    "#);
}

#[test]
fn cpp_members_of_templates_and_unions() {
    insta::assert_snapshot!(map_of(&[
        ("list.h", "template <typename Key, class Order>\nclass List {\n public:\n  List(Order order, int* place);\n  class Iterator {\n   public:\n    const Key& key() const;\n  };\n  bool Has(const Key& key) const;\n private:\n  struct Node;\n  Node* Make(const Key& key, int height);\n  union { int small_; double large_; };\n  operator Key*() const;\n};\ntemplate <typename Key, class Order>\nstruct List<Key, Order>::Node { Key const key; };\ntemplate <typename Key, class Order>\ntypename List<Key, Order>::Node* List<Key, Order>::Make(const Key& key, int height) { return nullptr; }\ntemplate <typename Key, class Order>\ninline const Key& List<Key, Order>::Iterator::key() const { return *node_; }\ntemplate <typename Key, class Order>\nList<Key, Order>::List(Order order, int* place) {}\n"),
        ("compare.h", "#pragma once\ninline bool operator<(int a, Version b);\ntemplate <typename T> bool Version::Part<std::pair<int, a::b>>::has(T value) { return true; }\ntemplate <int A < 3> bool operator<<(Out& out, Version b);\n"),
    ]), @r"
    compare.h
      f operator<(a,b)->bool
      c Version::Part
        m has(value)->bool
    list.h
      c List
        m List(order,place)
        c Iterator
          m key()->Key&
        m Has(key)->bool
        m Make(key,height)->Node*
        p small_
        p large_
        m operator Key*()
      c List<Key, Order>::Node
        p key
    ");
}

#[test]
fn java_names_from_outside_are_not_those_here() {
    insta::assert_snapshot!(map_of(&[
        ("src/a/Objects.java", "package a;\npublic class Objects {\n  static Object requireValue(Object value) { return value; }\n}\n"),
        ("src/a/Outside.java", "package a;\nimport java.util.Objects;\nsealed interface Outside permits Outside.Some {\n  record Some(Object value) implements Outside {\n    Some { Objects.requireValue(value); }\n  }\n}\n"),
        ("src/a/Inside.java", "package a;\nclass Inside {\n  Object find() { return Objects.requireValue(null); }\n}\n"),
    ]), @r"
    src/a/Inside.java
      c Inside
        m find()->Object →Objects.requireValue
    src/a/Objects.java ←1
      c Objects ←1
        m requireValue(value)->Object ←1
    src/a/Outside.java
      i java.util
      c Outside(Some)
        c Some(Outside)
          m Some()
    ");
}

#[test]
fn ruby_says_more_with_calls() {
    insta::assert_snapshot!(map_of(&[
        ("lib/shop.rb", "module Shop\n  autoload :Cart, \"shop/cart\"\n  module Marker\n  end\n  Price = Struct.new(:amount, :currency) do\n    def zero?\n      amount == 0\n    end\n  end\n  begin\n    require \"fast_json\"\n  rescue LoadError\n    class Json\n    end\n  end\nend\n"),
        ("lib/shop/cart.rb", "module Shop\n  class Cart\n    include Marker\n    extend Enumerable\n    attr_reader :items, # what is in it\n                # who it belongs to\n                :owner\n    class << self\n      alias [] new\n      attr_accessor :limit\n    end\n    if RUBY_VERSION > \"3\"\n      def total(tax: 0, *rest, &block) = items.sum\n    end\n    define_method(:clear) { |force| @items = [] }\n    alias :empty! :reset unless method_defined?(:empty!)\n    alias_method :reset, :clear\n    def_delegator :@items, :size, :count\n    private\n    attr_writer :owner\n    refine String do\n      def shout = upcase\n    end\n  end\nend\n"),
    ]), @r"
    lib/shop.rb ←1
      i→ lib/shop/cart.rb
      i fast_json
      c Shop
        c Marker ←1
        c Price
          p amount
          p currency
          m zero?()
        c Json
    lib/shop/cart.rb ←1
      c Shop
        c Cart(Marker,Enumerable) →Marker
          p items
          p owner
          m []()
          p limit
          m total(tax?,*rest,&block)
          m clear()
          m empty!()
          m reset()
          m count()
          m shout()
    ");
}

#[test]
fn typescript_fields_among_parameters_and_arrows() {
    insta::assert_snapshot!(map_of(&[
        ("src/cart.ts", "declare global {\n  interface Window { cart: Cart }\n}\nexport default abstract class Cart<T extends object = {}> {\n  constructor(public readonly owner: string, private items: T[] = [], @Inject() protected log?: Log, size = 3) {}\n  each(visit: (item: T, at: number) => void, done = () => {}): void {}\n  find(match: (item: T) => boolean): T | undefined\n  find(name: string): T | undefined\n  find(what: unknown): T | undefined { return undefined }\n  protected abstract price(item: T): number\n}\nexport declare function open(name: string): Cart<object>\nexport declare const enum Size { Small = 's', Large = 'l' }\n"),
    ]), @r"
    src/cart.ts
      c Window
        p cart
      c Cart
        p owner
        p items
        p log?
        m constructor(owner,items?,log?,size?)
        m each(visit,done?)
        m find(match)->T|undefined
        m find(name)->T|undefined
        m find(what)->T|undefined
        m price(item)->number
      f open(name)->Cart<object>
      c Size
        p Small
        p Large
    ");
}

#[test]
fn bash_variables_stand_once_and_functions_are_found_behind_what_cannot_be_read() {
    insta::assert_snapshot!(map_of(&[
        ("bin/run", "#!/usr/bin/env bash\nFILE=a\nFILE=b\nexport ROOT=/x\nsource \"$ROOT/lib/shop/log.bash\"\ncase \"$1\" in\n  -v) LEVEL=2 ;;\n  -h) function usage { say hi; } ;;\nesac\nmain() { say \"$FILE\"; }\n"),
        ("bin/other", "#!/bin/sh\nshow() { echo \"$FILE\"; cd \"$ROOT\"; }\n"),
        ("lib/shop/log.bash", "say() { echo \"$1\"; }\n"),
        ("lib/shop/theme.bash", "theme() {\n    if a; then\n        case $x in\n            a) b=( [ ;;\n    fi\n}\n\nicons() {\n    say x\n}\n\nfunction font {\n    say y\n}\n"),
    ]), @r"
    bin/other
      f show() →ROOT
    bin/run ←1
      i→ lib/shop/log.bash
      v FILE
      v ROOT ←1
      v LEVEL
      f usage() →say
      f main() →say
    lib/shop/log.bash ←1
      f say() ←1
    lib/shop/theme.bash
      f theme()
      v b
      f icons()
      f font()
    ");
}

#[test]
fn what_stands_behind_a_type_is_a_member_of_that_type() {
    insta::assert_snapshot!(map_of(&[
        ("src/a/Numbers.java", "package a;\npublic class Numbers {\n  public static int min(int a, int b) { return a; }\n  public static String valueOf(int a) { return null; }\n}\n"),
        ("src/a/Other.java", "package a;\nclass Other {\n  int low() { return Math.min(1, 2); }\n  String text(Numbers numbers) { return String.valueOf(3); }\n  int least() { return Numbers.min(4, 5); }\n  Object kind(Object value) { return value.getClass(); }\n}\n"),
        ("src/a/Kind.java", "package a;\npublic class Kind {\n  public Kind getClass(String name) { return null; }\n}\n"),
        ("b/list.rs", "pub struct List;\nimpl List {\n    pub fn of(size: usize) -> Self { Self::with(size) }\n    fn with(size: usize) -> Self { List }\n}\n"),
        ("b/use.rs", "use crate::list::List;\npub fn both() { List::of(1); Vec::of(2); }\n"),
    ]), @r"
    b/list.rs ←1
      c List ←1
        m of(size)->Self ←1
        m with(size)->Self
    b/use.rs
      f both() →List::of
    src/a/Kind.java
      c Kind
        m getClass(name)->Kind
    src/a/Numbers.java ←1
      c Numbers ←1
        m min(a,b)->int ←1
        m valueOf(a)->String
    src/a/Other.java
      c Other
        m low()->int
        m text(numbers)->String →Numbers
        m least()->int →Numbers.min
        m kind(value)->Object
    ");
}

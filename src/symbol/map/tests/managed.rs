//! Java, C# and PHP.

use super::map_of;

#[test]
fn java() {
    insta::assert_snapshot!(map_of(&[
        ("src/main/java/com/example/shop/Store.java", "package com.example.shop;\n\nimport java.util.List;\nimport com.example.model.*;\nimport static com.example.util.Texts.shorten;\n\n/** Keeps. */\npublic class Store<T extends Item> extends Base implements AutoCloseable, Comparable<Store<T>> {\n  public static final int LIMIT = 10;\n  private List<T> items;\n  public Store(int limit, String... names) {}\n  @Override public void close() {}\n  protected synchronized List<T> findAll(final String text, int[] sizes) throws Exception { return Finder.byName(shorten(text)); }\n}\n"),
        ("src/main/java/com/example/shop/Finder.java", "package com.example.shop;\nclass Finder {\n  static <T> List<T> byName(String name) { return null; }\n}\n"),
        ("src/main/java/com/example/model/Item.java", "package com.example.model;\npublic record Item(String name, int price) {}\n"),
        ("src/main/java/com/example/util/Texts.java", "package com.example.util;\npublic final class Texts {\n  public static String shorten(String text) { return text; }\n}\n"),
    ]), @r"
    src/main/java/com/example/model/Item.java ←1
      c Item ←1
    src/main/java/com/example/shop/Finder.java ←1
      c Finder ←1
        m byName(name)->List<T> ←1
    src/main/java/com/example/shop/Store.java
      i→ src/main/java/com/example/util/Texts.java,src/main/java/com/example/model/
      i java.util
      c Store(Base,AutoCloseable,Comparable) →Item
        v LIMIT
        p items
        m Store(limit,names)
        m close()
        m findAll(text,sizes)->List<T> →Finder.byName,shorten
    src/main/java/com/example/util/Texts.java ←1
      c Texts ←1
        m shorten(text)->String ←1
    ");
}

#[test]
fn csharp() {
    insta::assert_snapshot!(map_of(&[
        ("src/Store.cs", "using System;\nusing Shop.Model;\n\nnamespace Shop\n{\n  public class Store : Base<Item>, IDisposable\n  {\n    public const int Limit = 10;\n    public string Name { get; set; }\n    private readonly List<Item> _items;\n    public Store(int limit = 3, params string[] names) : base(limit) {}\n    public async Task<Item> FindAsync([In] string name, CancellationToken token = default) { return ItemFactory.CreateItem(name); }\n    public void Dispose() {}\n  }\n}\n"),
        ("src/Model/Item.cs", "namespace Shop.Model;\npublic record Item(string Name);\npublic static class ItemFactory { public static Item CreateItem(string name) => new(name); }\npublic enum Size { Small, Large = 3 }\n"),
    ]), @r"
    src/Model/Item.cs ←1
      c Item ←1
      c ItemFactory ←1
        m CreateItem(name)->Item ←1
      c Size
        p Small
        p Large
    src/Store.cs
      i Shop.Model,System
      c Store(Base,IDisposable) →Item
        v Limit
        p Name
        p _items →Item
        m Store(limit?,names)
        am FindAsync(name,token?)->Task<Item> →Item,ItemFactory.CreateItem
        m Dispose()
    ");
}

/// Before, no attribute was referred to by the name that all files write.
#[test]
fn attributes_of_csharp_are_meant_by_their_short_names() {
    let map = map_of(&[
        (
            "src/Key.cs",
            "public class KeyAttribute : Attribute {}\npublic class Lock : Attribute {}\npublic class RowAttribute : Attribute {}\npublic class CellAttribute : Attribute {}\n",
        ),
        (
            "src/Item.cs",
            "[assembly: Row]\nclass Item { [Key, Cell(1)] int a; [Lock] int b; int c(int[] Row) => list[Row]; }\n",
        ),
        (
            "src/Other.cs",
            "class Other { int a(int Key) => list[Key]; }\n",
        ),
    ]);
    for line in [
        "  c KeyAttribute(Attribute) ←1\n",
        "  c Lock(Attribute) ←1\n",
        "  c RowAttribute(Attribute) ←1\n",
        "  c CellAttribute(Attribute) ←1\n",
    ] {
        assert!(map.contains(line), "{line}: {map}");
    }
}

#[test]
fn parts_of_a_class_of_csharp_are_referred_to_together() {
    let map = map_of(&[
        (
            "src/Client.cs",
            "public partial class Client { public Client() {} void IShop.Sell() {} }\n",
        ),
        (
            "src/Client.Send.cs",
            "public partial class Client { public int SendAll() => 1; }\n",
        ),
        (
            "test/ATest.cs",
            "class ATest { void A() { var a = new Client(); a.SendAll(); } }\n",
        ),
    ]);
    for line in [
        "src/Client.cs ←1\n",
        "src/Client.Send.cs ←1\n",
        "  c Client ←1\n",
        " m Sell()\n",
    ] {
        assert!(map.contains(line), "{line}: {map}");
    }
}

#[test]
fn php() {
    insta::assert_snapshot!(map_of(&[
        ("src/Store.php", "<?php\nnamespace App;\n\nuse App\\Model\\{Item, Price as P};\nuse Psr\\Log\\LoggerInterface;\nrequire_once __DIR__ . '/functions.php';\n\nabstract class Store extends Base implements Countable, JsonSerializable\n{\n    use Loggable;\n    public const LIMIT = 10;\n    private ?array $items = null;\n    public function __construct(private LoggerInterface $log, int $limit = 3, string ...$names) {}\n    abstract public function findItem(?string $name): ?Item;\n    protected static function make(): static { return format_price(new Item()); }\n}\n"),
        ("src/Model/Item.php", "<?php\nnamespace App\\Model;\nfinal class Item { public function price(): float { return 1.0; } }\n"),
        ("src/functions.php", "<?php\nfunction format_price(Item $item, &$out = null): string { return ''; }\ndefine('MAX', 3);\n"),
    ]), @r"
    src/Model/Item.php ←2
      c Item ←2
        m price()->float
    src/Store.php
      i→ src/Model/Item.php,src/functions.php
      i App,Psr
      c Store(Base,Countable,JsonSerializable,Loggable)
        v LIMIT
        p $items
        m __construct(log,limit?,...names)
        m findItem(name)->?Item →Item
        m make()->static →Item,format_price
    src/functions.php ←1
      f format_price(item,out?)->string ←1 →Item
      v MAX
    ");
}

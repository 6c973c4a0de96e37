//! Java, C#, PHP and TypeScript. What a reader sees of a small but realistic file.

use super::outline_of;

const JAVA: &str = r#"/*
 * Licensed to you under one or more agreements.
 */
package org.example.store;

import java.util.List;
import java.util.Map;
import static java.lang.Math.*;

/**
 * Keeps values by key.
 *
 * @param <T> what is kept
 */
@Deprecated
public final class Sample<T extends Comparable<T>> extends Base implements Closeable, Store<T> {
    public static final int LIMIT = 10;
    private int size;
    public String name = "x";

    /** Makes {@link Sample} of a size. */
    public Sample(int size) {
        this.size = size;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <R> R get(
            @NotNull String key,
            int depth) throws IOException {
        class Local {}
        return null;
    }

    void packagePrivate() {}

    public interface Listener {
        void changed(String key);
        int PRIORITY = 2;
    }

    public enum Level {
        LOW, HIGH(1) { };
        Level(int... x) {}
        public int rank() { return 1; }
    }
}

record Point(int x, int y) { }
"#;

#[test]
fn java() {
    insta::assert_snapshot!(outline_of("Sample.java", JAVA), @r#"
    Keeps values by key.

    Java source, 20+ lines, 1 public item.

    - `public final class Sample<T extends Comparable<T>> extends Base implements Closeable, Store<T>` (`@Deprecated`)
      - field `String name = "x"`
      - `public static final int LIMIT = 10`
      - `public Sample(int size)`: Makes Sample of a size.
      - `public <R> R get(@NotNull String key, int depth) throws IOException`
      - `public interface Listener`
        - `void changed(String key)`
        - `int PRIORITY = 2`
      - `public enum Level`
        - variants `LOW`, `HIGH(1)`
        - `public int rank()`

    Not public:

    - `void packagePrivate()` of `Sample`
    - `Level(int... x)` of `Level`
    - `record Point(int x, int y)`

    Imports: `java.util.{List, Map}`, `java.lang.Math.*`
    "#);
}

const CSHARP: &str = r#"using System;
using System.Collections.Generic;
using static System.Math;

namespace Example.Store;

/// <summary>
/// Keeps values, see <see cref="Level"/>.
/// </summary>
[Serializable]
public sealed class Sample<T> : Base, IStore<T> where T : class
{
    public const int Limit = 10;
    private readonly int size;
    public string Name { get; set; } = "x";
    public event Action Changed;

    public Sample(int size) : base(size) { this.size = size; }

    /// <inheritdoc/>
    [Obsolete("no")]
    public async Task<T> GetAsync([NotNull] string key, int depth = 1) => default;

    internal void Hidden() { }

    public class Inner { }
}

public interface IStore<T>
{
    int Count { get; }
    void Clear();
}

public enum Level { Low = 1, High }
public record Point(int X, int Y);
public delegate void Handler(object sender);
internal class Secret { }
"#;

#[test]
fn csharp() {
    insta::assert_snapshot!(outline_of("Sample.cs", CSHARP), @r#"
    C# source, 20+ lines, 5 public items.

    - `public sealed class Sample<T> : Base, IStore<T> where T : class` (`[Serializable]`): Keeps values, see Level.
      - field `event Action Changed`
      - property `string Name`
      - `public const int Limit = 10`
      - `public Sample(int size)`
      - `public async Task<T> GetAsync([NotNull] string key, int depth = 1)` (`[Obsolete("no")]`)
      - `public class Inner`
    - `public interface IStore<T>`
      - property `int Count`
      - `void Clear()`
    - `public enum Level`
      - variants `Low = 1`, `High`
    - `public record Point(int X, int Y)`
    - `public delegate void Handler(object sender)`

    Not public:

    - `internal void Hidden()` of `Sample`
    - `internal class Secret`

    Imports: `System`, `System.Collections.Generic`, `System.Math`
    "#);
}

const PHP: &str = r"<?php
/**
 * Keeps values by key.
 *
 * @package Example
 */

declare(strict_types=1);

namespace Example\Store;

use Psr\Log\LoggerInterface;
use Example\Base\{First, Second as Other};

const LIMIT = 10;

/** One store. */
#[Attribute]
final class Memory extends Base implements Store, \Countable
{
    use LogsThings;

    public const VERSION = '1.0';
    protected array $values = [];
    public ?string $name = null;

    public function __construct(private int $limit)
    {
    }

    /** Finds a value. */
    public static function get(string $key, int ...$rest): ?string
    {
        $inner = function () {};
        return null;
    }

    private function evict(): void {}
}

interface Store { public function clear(): void; }
trait LogsThings { function log() {} }
enum Level: string { case Low = 'low'; case High = 'high'; }

function open_store(int $limit = 1): Memory { return new Memory($limit); }
define('DEBUG', false);
require_once __DIR__ . '/extra.php';
";

#[test]
fn php() {
    insta::assert_snapshot!(outline_of("sample.php", PHP), @r"
    Keeps values by key.

    PHP source, 20+ lines, 7 public items.

    - `final class Memory extends Base implements Store, \Countable` (`#[Attribute]`): One store.
      - field `?string $name = null`
      - `public const VERSION = '1.0'`
      - `public function __construct(private int $limit)`
      - `public static function get(string $key, int ...$rest): ?string`: Finds a value.
      - mixes in `LogsThings`
    - `interface Store`
      - `public function clear(): void`
    - `trait LogsThings`
      - `function log()`
    - `enum Level: string`
      - variants `Low = 'low'`, `High = 'high'`
    - `function open_store(int $limit = 1): Memory`
    - `const LIMIT = 10`
    - `define('DEBUG', false)`

    Not public:

    - `private function evict(): void` of `Memory`

    Imports: `Psr\Log\LoggerInterface`, `Example\Base\{First, Second as Other}`, `__DIR__ . '/extra.php'`
    ");
}

const TYPESCRIPT: &str = "// @ts-check
import type { Config } from './config';

/** A store of things. */
export interface Store<T> extends Base {
  readonly size: number;
  name?: string;
  get(key: string): T | undefined;
}

export type Key = string | number;

export enum Level { Low = 1, High }

declare module 'legacy' {
  export function old(): void;
}

export namespace Util {
  export const depth: number = 1;
  const hidden = 2;
}

@injectable()
export abstract class Memory<T> implements Store<T> {
  private map: Map<string, T> = new Map();
  public limit = 3;
  constructor(private readonly config: Config) { super(); }
  @log() public get(key: string): T | undefined { return undefined; }
  protected abstract clear(): void;
}

export function open(path: string): Store<string>;
export function open(path: string, flags: number): Store<string>;
export function open(path: string, flags?: number) { return null as any; }

function internal() {}
";

#[test]
fn typescript() {
    insta::assert_snapshot!(outline_of("sample.ts", TYPESCRIPT), @r"
    TypeScript source, 20+ lines, 7 public items.

    - `export interface Store<T> extends Base`: A store of things.
      - fields `readonly size: number`, `name?: string`
      - `get(key: string): T | undefined`
    - `export abstract class Memory<T> implements Store<T>` (`@injectable()`)
      - field `limit = 3`
      - `constructor(private readonly config: Config)`
      - `public get(key: string): T | undefined` (`@log()`)
    - `export enum Level`
      - variants `Low = 1`, `High`
    - `export namespace Util`
      - `export const depth: number = 1`
    - `declare module 'legacy'`
      - `export function old(): void`
    - `export function open(path: string): Store<string>`
    - `export function open(path: string, flags: number): Store<string>`
    - `export function open(path: string, flags?: number)`
    - `export type Key = string | number`

    Not public:

    - `protected abstract clear(): void` of `Memory`
    - `function internal()`
    - `const hidden = 2` in `Util`

    Imports: `{Config} from './config'`
    ");
}

const TSX: &str = r#"import React, { useState } from 'react';

interface Props { title: string; }

/** Shows a title. */
export const Header = ({ title }: Props) => {
  return <h1 className="x">{title}</h1>;
};

export default function App(): JSX.Element {
  return <Header title="a" />;
}
"#;

#[test]
fn tsx() {
    insta::assert_snapshot!(outline_of("sample.tsx", TSX), @r"
    TSX source, 10+ lines, 2 public items.

    - `export const Header = ({ title }: Props)`: Shows a title.
    - `export default function App(): JSX.Element`

    Not public:

    - `interface Props`

    Imports: `React, {useState} from 'react'`
    ");
}

#[test]
fn lines_of_the_preprocessor_stand_in_no_signature() {
    let text = "namespace Shop;\n/// <summary>Keeps items.</summary>\npublic sealed class Cart : ICart, IDisposable\n#if ASYNC\n    , IAsyncDisposable\n#endif\n{\n    readonly int _a;\n#if ASYNC\n    readonly int _b;\n#endif\n    internal Cart(\n        int a,\n#if ASYNC\n        int b,\n#endif\n        string path = @\"c:\\\")\n    {\n    }\n\n#if ASYNC\n    /// <summary>Adds one.</summary>\n    public void Add(int c) { }\n#endif\n}\n";
    insta::assert_snapshot!(outline_of("Cart.cs", text), @r#"
    Keeps items.

    C# source, 20+ lines, 1 public item.

    - `public sealed class Cart : ICart, IDisposable, IAsyncDisposable`
      - `public void Add(int c)`: Adds one.

    Not public:

    - `internal Cart(int a, int b, string path = @"c:\")` of `Cart`
    "#);
}

#[test]
fn properties_of_csharp_are_no_fields() {
    let text = "namespace Shop;

public class Item
{
    public int Id { get; set; }
    /// <summary>What it is called.</summary>
    public string Name => \"x\";
    protected int Count { get; }
    private protected int Own { get; }
    protected internal void Add(int n) { }
    public int weight;
}

internal sealed class Till
{
    /// <summary>Whether it is open.</summary>
    public bool IsOpen { get; private set; }
    public void Close() { }
}
";
    insta::assert_snapshot!(outline_of("Item.cs", text), @r"
    C# source, 10+ lines, 1 public item.

    - `public class Item`
      - field `int weight`
      - properties `int Id`, `protected int Count`
      - `public string Name`: What it is called.
      - `protected internal void Add(int n)`

    Not public:

    - `internal sealed class Till`
    - `public void Close()` of `Till`
    - `private protected int Own` of `Item`
    - `public bool IsOpen` of `Till`: Whether it is open.
    ");
}

#[test]
fn lines_to_the_compiler_of_csharp_belong_to_no_declaration() {
    let text = "#nullable enable
#pragma warning disable A1
namespace Shop;

public class Till
{
    #region Closing
    /// <summary>
    /// Closes it.
    /// </summary>
#pragma warning disable A2 // no wait
#pragma warning disable A3
    public async Task CloseAsync()
#pragma warning restore A2 // no wait
    {
    }
    #endregion
}
";
    insta::assert_snapshot!(outline_of("Till.cs", text), @r"
    C# source, 10+ lines, 1 public item.

    - `public class Till`
      - `public async Task CloseAsync()`: Closes it.
    ");
}

#[test]
fn what_types_of_others_build_on_is_public_in_java() {
    let text = "package shop;

/** Keeps items, see the <a href=\"https://a.b\">book</a> of {@link shop.Till tills}. */
public class Shop {
    protected int size;
    /** Adds one. */
    protected void add(String item) {}
    void count() {}
}
";
    insta::assert_snapshot!(outline_of("Shop.java", text), @r"
    Keeps items, see the book of tills.

    Java source, under 10 lines, 1 public item.

    - `public class Shop`
      - field `protected int size`
      - `protected void add(String item)`: Adds one.

    Not public:

    - `void count()` of `Shop`
    ");
}

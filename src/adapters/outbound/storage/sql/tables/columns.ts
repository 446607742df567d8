import { z } from 'zod';
import { visibleText } from '../../../../../domain/base/visible-text.ts';

/** Parses stored JSON; a schema mismatch is a fault in the database, and thrown. */
export const fromJson = <T>(schema: z.ZodType<T>, text: string): T => schema.parse(JSON.parse(text));

export const Strings = z.array(z.string());

/**
 * Text that may come from a host. It is cleaned before it is stored, but rows of version 1.1 have it unchanged:
 * reading it through this avoids a migration that would rewrite every job.
 */
export const hostText = <T extends string | null>(text: T): T =>
  (text === null ? null : visibleText(text)) as T;

/** A column's value, as both databases store it. */
type Raw = string | number | null;

/** A column's value in a row (`R`) and as a property (`T`). `N`: its name, unless that follows from the property's. */
export interface Column<T, R extends Raw = Raw, N extends string = string> {
  readonly read: (raw: R) => T;
  readonly write: (value: T) => R;
  readonly name?: N;
  readonly takesNull?: boolean;
}

// oxlint-disable-next-line typescript/no-explicit-any -- from a type to itself, which `asItIs` says
const same = (value: any): any => value;
const isSame = (read: unknown): boolean => read === same;
const asItIs = <T extends Raw>(): Column<T, T> => ({ read: same, write: same });

export const int = asItIs<number>();
export const text = asItIs<string>();
/** Text of which only these values are written. */
export const oneOf = <T extends string>(): Column<T, T> => asItIs<T>();

/** Text that a host may have written. */
export const hostWritten: Column<string, string> = { read: hostText, write: same };

export const flag: Column<boolean, number> = { read: (raw) => raw === 1, write: Number };

const MAX_SHORT = 255;
/** Text that is cut to the length of its column. */
export const shortText: Column<string, string> = { read: same, write: (value) => value.slice(0, MAX_SHORT) };

/** A value stored as JSON. A schema mismatch is a fault in the database, and thrown. */
export const json = <T>(schema: z.ZodType<T>): Column<Readonly<T>, string> => ({
  read: (raw) => fromJson(schema, raw),
  write: (value) => JSON.stringify(value),
});

/** A list kept as JSON; an empty one as NULL, as in rows older than the column. */
export const listOrNull = <T>(schema: z.ZodType<readonly T[]>): Column<readonly T[], string | null> => ({
  read: (raw) => (raw === null ? [] : fromJson(schema, raw)),
  write: (value) => (value.length === 0 ? null : JSON.stringify(value)),
  takesNull: true,
});

export const orNull = <T, R extends Raw, N extends string>(
  column: Column<T, R, N>,
): Column<T | null, R | null, N> => ({
  ...column,
  read: isSame(column.read) ? same : (raw) => (raw === null ? null : column.read(raw)),
  write: (value) => (value === null ? null : column.write(value)),
  takesNull: true,
});

export const orElse = <T, R extends Raw, N extends string>(
  column: Column<T, R, N>,
  fallback: T,
): Column<T, R | null, N> => ({
  ...column,
  read: (raw) => (raw === null ? fallback : column.read(raw)),
  takesNull: true,
});

/** A column whose name does not follow from its property's. */
export const named = <T, R extends Raw, N extends string>(
  name: N,
  column: Column<T, R>,
): Column<T, R, N> => ({ ...column, name });

// oxlint-disable-next-line typescript/no-explicit-any -- a column of any types
type AnyColumn = Column<any, any, any>;

/** The columns of an entity by its properties; a plain object means a nested object. */
export interface Shape {
  readonly [property: string]: AnyColumn | NullableGroup<Shape> | Shape;
}

interface NullableGroup<S extends Shape> {
  readonly group: S;
}

/** An object in the entity that is `null` if one of its columns is that should not be. */
export const nullable = <S extends Shape>(shape: S): NullableGroup<S> => ({ group: shape });

type EntityOf<S> = {
  readonly [P in keyof S]: S[P] extends Column<infer T, infer _R, infer _N>
    ? T
    : S[P] extends { readonly group: infer G }
      ? EntityOf<G> | null
      : EntityOf<S[P]>;
};

/** `serverId` is `server_id`. */
type Snake<P extends string> = P extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';
type NameOf<P extends string, N> = N extends string ? (string extends N ? Snake<P> : N) : never;

/** The names and values of a shape's columns, including nested groups. */
type Cells<S> = {
  [P in keyof S & string]: S[P] extends Column<infer _T, infer R, infer N>
    ? readonly [NameOf<P, N>, R]
    : S[P] extends { readonly group: infer G }
      ? OrNull<Cells<G>>
      : Cells<S[P]>;
}[keyof S & string];
type OrNull<C> = C extends readonly [infer N, infer R] ? readonly [N, R | null] : never;
type RowOf<S> = RowOfCells<Cells<S>>;
type RowOfCells<C> = {
  readonly [E in C as E extends readonly [infer N extends string, unknown] ? N : never]: E extends readonly [
    string,
    infer R,
  ]
    ? R
    : never;
};

type Given<S> = { readonly [P in keyof S]?: EntityOf<S>[P] | undefined };

/** The names of a table's columns, and how to read and write them. */
export interface Columns<S> {
  readonly names: readonly string[];
  readonly read: (row: RowOf<S>) => EntityOf<S>;
  /** The columns of the properties that are given; those that are undefined are left out. */
  readonly write: <G extends Given<S>>(given: G) => RowOf<Pick<S, keyof G & keyof S>>;
  readonly shape: S;
}

/** A row as both databases give it. */
export type Row<C> = C extends Columns<infer S> ? RowOf<S> : never;

type Values = Readonly<Record<string, unknown>>;

/** How a part of a shape is read, as JavaScript, and written. */
interface ColumnPlan {
  readonly names: readonly string[];
  /** Names of the columns that are never NULL. */
  readonly needed: readonly string[];
  readonly source: string;
  readonly write: (value: Values | null) => object;
}

const isColumn = (part: Shape[string]): part is AnyColumn =>
  'read' in part && typeof part.read === 'function';
const isNullable = (part: object): part is NullableGroup<Shape> => 'group' in part;
const snake = (property: string): string =>
  property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const cell = (name: string): string => `row[${JSON.stringify(name)}]`;

/** Defines a table's columns, once: their names, and how rows and entities become each other. */
export function columns<S extends Shape>(shape: S): Columns<S> {
  const reads: AnyColumn['read'][] = [];
  const { names, source, write } = group(shape, reads);
  // An object literal made of names in this program only: a loop over the columns takes several times as long.
  // oxlint-disable-next-line typescript/no-implied-eval -- nothing from outside is in the source
  const read = new Function('reads', `return (row) => ${source};`)(reads);
  return { names, read, write, shape } as unknown as Columns<S>;
}

function group(shape: Shape, reads: AnyColumn['read'][]): ColumnPlan {
  const parts = Object.entries(shape).map(
    ([property, part]) => [property, compiled(property, part, reads)] as const,
  );
  const writers = new Map(parts.map(([property, { write }]) => [property, write]));
  return {
    names: parts.flatMap(([, { names }]) => names),
    needed: parts.flatMap(([, { needed }]) => needed),
    source: `({ ${parts.map(([property, { source }]) => `${JSON.stringify(property)}: ${source}`).join(', ')} })`,
    write: (given) =>
      Object.assign(
        {},
        ...Object.entries(given ?? {}).map(([property, value]) =>
          value === undefined ? undefined : writers.get(property)?.(value as Values),
        ),
      ),
  };
}

function compiled(property: string, part: Shape[string], reads: AnyColumn['read'][]): ColumnPlan {
  if (isColumn(part)) return single(part.name ?? snake(property), part, reads);
  if (!isNullable(part)) return group(part, reads);
  const { names, needed, source, write } = group(part.group, reads);
  return {
    names,
    needed: [],
    source: `(${needed.map((name) => `${cell(name)} === null`).join(' || ')} ? null : ${source})`,
    write: (value) => (value === null ? Object.fromEntries(names.map((name) => [name, null])) : write(value)),
  };
}

function single(name: string, column: AnyColumn, reads: AnyColumn['read'][]): ColumnPlan {
  return {
    names: [name],
    needed: column.takesNull ? [] : [name],
    source: isSame(column.read) ? cell(name) : `reads[${reads.push(column.read) - 1}](${cell(name)})`,
    write: (value) => ({ [name]: column.write(value) }),
  };
}

import * as z from 'zod';
import { cutText, withoutEscapes } from '../../../domain/base/visible-text.ts';
import type { JsonOperation, ToolForm, ToolHints } from './operation.ts';

/**
 * Characters of a result if the caller asked for no more: 2,500 tokens at four characters each, less the note on
 * what servers wrote. Codex and Claude Code cut long results or refuse them.
 */
const MAX_CHARACTERS = 9_600;
/** The longest text in a concise result. */
const MAX_TEXT = 300;
/** Entries of a list if the caller names no limit. */
export const FEW = 25;

export type Fields = Readonly<Record<string, unknown>>;

/** A tool whose input and result differ from those of the operation. */
export function toolForm<I extends z.ZodObject>(form: {
  readonly hints: ToolHints;
  readonly description: string;
  readonly input: I;
  readonly output: z.ZodObject;
  readonly repeats?: number;
  /** A different operation for some inputs. */
  readonly instead?: (input: z.output<I>) => JsonOperation | null;
  /** The operation's input. */
  readonly request?: (input: z.output<I>) => object;
  /** Renders the body of a successful reply. */
  readonly present: (body: Fields, input: z.output<I>) => object;
}): ToolForm {
  const { present, request, instead, ...rest } = form;
  return {
    ...rest,
    ...(instead ? { instead: (input) => instead(input as z.output<I>) } : {}),
    ...(request ? { request: (input) => request(input as z.output<I>) } : {}),
    result: (status, body, input) => (status < 400 ? present(body as Fields, input as z.output<I>) : null),
  };
}

/** Entries whose shape another tool's schema shows. */
export const brief = z.looseObject({});

/** A view as tools show it: nothing is null, and what is unknown is left out. */
export function shown(schema: z.ZodObject): z.ZodObject {
  return z.strictObject(
    Object.fromEntries(
      Object.entries(schema.shape).map(([name, each]) => [name, shownType(each).optional()]),
    ),
  );
}

/** The same with types for the main fields alone; others may be there. */
export const mainly = (schema: z.ZodObject, names: readonly string[]): z.ZodObject =>
  z.looseObject(
    Object.fromEntries(names.map((name) => [name, shownType(schema.shape[name] ?? z.unknown()).optional()])),
  );

function shownType(type: z.core.$ZodType): z.ZodType {
  if (type instanceof z.ZodNullable || type instanceof z.ZodOptional) return shownType(type.unwrap());
  if (type instanceof z.ZodArray) return z.array(shownType(type.element));
  return type instanceof z.ZodObject ? shown(type) : (type as z.ZodType);
}

/** Without nulls, empty lists and what terminals obey; long texts are cut. */
export function concise(value: unknown): unknown {
  if (typeof value === 'string') return short(value);
  if (Array.isArray(value)) return value.map(concise);
  if (typeof value !== 'object' || value === null) return value;
  return conciseEntry(value as Fields);
}

export function conciseEntry(entry: Fields): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(entry)) {
    if (value === null || value === undefined) continue;
    if (Array.isArray(value) && value.length === 0) continue;
    kept[name] = typeof value === 'string' || typeof value === 'object' ? concise(value) : value;
  }
  return kept;
}

export function short(text: string, longest = MAX_TEXT): string {
  const words = text.includes('\u001b') ? withoutEscapes(text) : text;
  return cutText(words, longest);
}

export const pick = (entry: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.flatMap((name) => (name in entry ? [[name, entry[name]]] : [])));

const MAX_FIELDS = 40;

/** How much of each entry a list shows. */
export const detailFields = (entry: z.ZodObject) => ({
  detail: detail.optional(),
  fields: fieldsOf(Object.keys(entry.shape)).optional(),
});

export const detail = z.enum(['concise', 'full']);

const fieldsOf = (known: readonly string[]) =>
  z
    .array(z.string().max(80))
    .min(1)
    .max(MAX_FIELDS)
    .refine((names) => names.every((name) => known.includes(name)), `Must be of: ${known.join(', ')}.`);

/** The window that the caller wants of a list; without a limit as many entries as fit. */
export const windowFields = {
  limit: z.int().min(1).max(100).optional(),
  offset: z.int().min(0).default(0),
};

export const windowShape = {
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
  next_offset: z.int().optional(),
};

interface ListRequest {
  readonly detail?: 'concise' | 'full' | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly limit?: number | undefined;
}

/** A list as a tool shows it. `next_offset`: there is more. */
export function listResult(
  body: Fields,
  member: string,
  input: ListRequest,
  {
    always,
    row,
    more = {},
  }: {
    /** Fields that identify an entry. */
    readonly always: readonly string[];
    readonly row: (entry: Fields) => Fields;
    readonly more?: Fields;
  },
): Fields {
  const entries = body[member] as readonly Fields[];
  const { fields } = input;
  const rows = fields
    ? entries.map((entry) => conciseEntry(pick(entry, [...new Set([...always, ...fields])])))
    : input.detail === 'full'
      ? entries
      : entries.map((entry) => conciseEntry(row(entry)));
  const isAsked = input.limit !== undefined || input.detail === 'full';
  const fit = isAsked ? rows : fitting(rows, MAX_CHARACTERS - JSON.stringify(more).length);
  const { total, limit, offset } = body as { total: number; limit: number; offset: number };
  const next = offset + fit.length;
  return {
    [member]: fit,
    total,
    limit,
    offset,
    ...(next < total && fit.length > 0 ? { next_offset: next } : {}),
    ...more,
  };
}

/** The first entries, as many as fit; at least one. */
export function fitting<T>(entries: readonly T[], characters: number): readonly T[] {
  let left = characters;
  const end = entries.findIndex((entry, index) => {
    left -= JSON.stringify(entry).length + 1;
    return left < 0 && index > 0;
  });
  return end === -1 ? entries : entries.slice(0, end);
}

import { isUtf8 } from 'node:buffer';
import * as z from 'zod';
import type { Listing, WrittenFile } from '../../../../application/files/jail-file-ops.ts';
import type { FilePart } from '../../../../application/files/read-part.ts';
import { toIso } from '../../../../domain/base/instant.ts';
import { findInvisible } from '../../../../domain/base/visible-text.ts';
import { count, text, textOrNull, time } from './values.ts';

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'Must be 64 lower-case hex digits.');

export const entrySchema = z.strictObject({
  name: text,
  rel: text.describe('Path in the file root, for other calls'),
  kind: z
    .enum(['file', 'dir', 'link', 'other'])
    .describe('Links are not followed; other: FIFO, socket or device'),
  size: count.describe('In bytes'),
  mtime: time,
  escaped: z.boolean().describe('The name is shown with escapes and cannot be used in calls'),
});

export const listingSchema = z.strictObject({
  jail: text.describe('The directory on the host'),
  rel: text,
  truncated: z.boolean().describe('There are more entries'),
  entries: z.array(entrySchema),
  total: count.describe('Number of entries, up to 10,000'),
  offset: count,
});

export function listingView({
  jail,
  path,
  truncated,
  entries,
  total,
  offset,
}: Listing): z.output<typeof listingSchema> {
  const above = path.isRoot ? '' : `${String(path)}/`;
  return {
    jail,
    rel: String(path),
    truncated,
    entries: entries.map(({ shown, kind, size, modifiedAt }) => ({
      name: shown.text,
      rel: `${above}${shown.text}`,
      kind,
      size,
      mtime: toIso(modifiedAt),
      escaped: shown.escaped,
    })),
    total,
    offset,
  };
}

export const contentSchema = z.strictObject({
  rel: text,
  encoding: z.enum(['utf-8', 'base64']),
  truncated: z.boolean().describe('There is more; continue at next_offset'),
  bytes: count.describe('Size of the whole file'),
  offset: count,
  next_offset: count.nullable(),
  sha256: textOrNull.describe('SHA-256 of the file if this is all of it; pass it to write_file as if_match'),
  text: text.optional(),
  content_base64: text.optional(),
  invisible_characters: z
    .strictObject({
      count: z.int().min(1),
      first: z.array(z.strictObject({ line: z.int().min(1), column: z.int().min(1), character: text })),
    })
    .optional()
    .describe('The text contains invisible characters, which can hide instructions; lines count from 1'),
});

/** Text if it is UTF-8 without NUL, else base64. Partial text ends with a complete character. */
export function contentView(
  { path, size, offset, bytes }: FilePart,
  digest: (content: Uint8Array) => string,
): z.output<typeof contentSchema> {
  const goesOn = offset + bytes.length < size && bytes.length > 0;
  const whole = goesOn ? wholeCharacters(bytes) : bytes;
  const isText = isUtf8(whole) && !whole.includes(0);
  const shown = Buffer.from(isText ? whole : bytes);
  const next = offset + shown.length;
  return {
    rel: String(path),
    encoding: isText ? 'utf-8' : 'base64',
    truncated: goesOn,
    bytes: size,
    offset,
    next_offset: goesOn ? next : null,
    sha256: offset === 0 && !goesOn ? digest(bytes) : null,
    ...(isText ? textView(shown.toString('utf8')) : { content_base64: shown.toString('base64') }),
  };
}

/** The unchanged text, and the positions of invisible characters in it. */
function textView(content: string) {
  const invisible = findInvisible(content);
  if (invisible === null) return { text: content };
  return { text: content, invisible_characters: { count: invisible.count, first: [...invisible.first] } };
}

/** Without the bytes of a character whose other bytes are missing: at most three. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  for (let cut = 0; cut < 4 && cut < bytes.length; cut += 1) {
    const shorter = bytes.subarray(0, bytes.length - cut);
    if (isUtf8(shorter)) return shorter;
  }
  return bytes;
}

export const writtenSchema = z.strictObject({
  ok: z.literal(true),
  rel: text,
  bytes: count,
  sha256,
  overwrite: z.boolean().describe('An existing file was replaced'),
});

export const writtenView = ({
  path,
  size,
  sha256: hash,
  before,
}: WrittenFile): z.output<typeof writtenSchema> => ({
  ok: true,
  rel: String(path),
  bytes: size,
  sha256: hash,
  overwrite: before !== null,
});

import { createHash } from 'node:crypto';
import * as z from 'zod';
import { JailFileOps, MAX_LISTED } from '../../../../application/files/jail-file-ops.ts';
import { MAX_READ, type ReadRange } from '../../../../application/files/read-part.ts';
import { type ErrorCode, InvalidInput } from '../../../../domain/base/errors.ts';
import { serverId } from '../fields.ts';
import { operation, READS } from '../operation.ts';
import { brief, type Fields, fitting, mainly, short, toolForm } from '../tool-form.ts';
import { contentSchema, contentView, listingSchema, listingView } from '../views/file-view.ts';
import { text } from '../views/values.ts';

/** The longest path is shorter; the rules of file roots report faults. */
export const path = z.string().max(4_096);
export const directory = path.describe('Directory; empty: the file root');

/** Possible errors of all operations on a server's files, in Drover and on the host. */
export const FILE_ERRORS: readonly ErrorCode[] = [
  'server_not_found',
  'own_machine_restricted',
  'files_not_configured',
  'jail_unusable',
  'path_refused',
  'file_not_found',
  'not_a_directory',
  'host_permission_denied',
  'host_unreachable',
  'host_auth_failed',
  'host_key_unknown',
  'host_key_mismatch',
  'host_connection_lost',
  'host_timeout',
  'host_command_failed',
  'host_tool_missing',
  'host_unsupported',
  'key_not_found',
];

export const digest = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

export const COMPOSE = 'services:\n  app:\n    image: app:1.4\n';

/** Lines of one call if only the first is named. */
const USUAL_LINES = 200;
const MAX_LAST_LINES = 10_000;

function rangeOf(range: {
  readonly offset: number;
  readonly length?: number | undefined;
  readonly from_line?: number | undefined;
  readonly to_line?: number | undefined;
  readonly last_lines?: number | undefined;
}): ReadRange {
  const {
    from_line: from = 1,
    to_line: to = from + USUAL_LINES - 1,
    last_lines: last,
    offset,
    length,
  } = range;
  const hasPlaces = range.from_line !== undefined || range.to_line !== undefined;
  if (!hasPlaces && last === undefined) return { offset, length };
  if (offset !== 0 || length !== undefined || (hasPlaces && last !== undefined)) {
    const message = 'Pass from_line and to_line, last_lines, or offset and length.';
    throw new InvalidInput([{ path: last === undefined ? '/from_line' : '/last_lines', message }]);
  }
  if (last !== undefined) return { lastLines: last };
  if (to < from) throw new InvalidInput([{ path: '/to_line', message: 'Must not be before from_line.' }]);
  return { fromLine: from, toLine: to };
}

/** Entries in an agent's list: what rel and name say together is not said again. */
const MAX_LISTING = 8_800;

function presentListing(body: Fields, input: { readonly limit?: number | undefined }): object {
  const { jail, rel, entries, total, offset } = body as ReturnType<typeof listingView>;
  const rows = entries.map(({ name: entry, kind, size, mtime, escaped }) => ({
    name: short(entry),
    kind,
    ...(kind === 'file' ? { size } : {}),
    mtime,
    ...(escaped ? { escaped } : {}),
  }));
  const fit = input.limit === undefined ? fitting(rows, MAX_LISTING) : rows;
  const next = offset + fit.length;
  return {
    jail,
    rel,
    entries: fit,
    total,
    offset,
    ...(next < total && fit.length > 0 ? { next_offset: next } : {}),
  };
}

export const listFiles = operation({
  name: 'list_files',
  scope: 'files',
  effect: 'reads',
  title: 'List files',
  description:
    "Lists a directory of a server's file root (jail), the only directory that file tools can access: at most 500 entries a call, by name; truncated means there are more: continue with offset. Start with an empty p and descend with the entries' rel. Symbolic links are listed but not followed. Denied names (keys, .ssh, operator rules) are listed but cannot be opened. Next: read_file.",
  input: z.strictObject({
    server_id: serverId,
    p: directory.default(''),
    limit: z.int().min(1).max(MAX_LISTED).default(MAX_LISTED).describe('Maximum number of entries to return'),
    offset: z.int().min(0).default(0).describe('Number of entries to skip'),
  }),
  output: listingSchema,
  group: 'Files',
  errors: FILE_ERRORS,
  examples: [
    {
      title: 'A directory of the file root',
      input: { server_id: 1, p: 'app' },
      output: {
        jail: '/srv/compose',
        rel: 'app',
        truncated: false,
        entries: [
          {
            name: 'compose.yaml',
            rel: 'app/compose.yaml',
            kind: 'file',
            size: COMPOSE.length,
            mtime: '2026-11-20T05:00:00.000Z',
            escaped: false,
          },
        ],
        total: 1,
        offset: 0,
      },
    },
  ],
  routes: [{ method: 'GET', path: '/servers/{server_id}/files', status: 200 }],
  tool: toolForm({
    hints: READS,
    description:
      "Lists a directory of a server's file root (jail), the only directory that file tools can access. Use it to find a file: start with an empty p, and descend with rel plus name. Links are not followed; keys and denied names cannot be opened. Next: read_file, write_file.",
    input: z.strictObject({
      server_id: serverId,
      p: directory.default(''),
      limit: z.int().min(1).max(MAX_LISTED).optional(),
      offset: z.int().min(0).default(0),
    }),
    output: z.strictObject({
      jail: text,
      rel: text,
      entries: z.array(brief),
      total: z.int(),
      offset: z.int(),
      next_offset: z.int().optional(),
    }),
    present: presentListing,
  }),
  async run(useCases, actor, { server_id, p, limit, offset }) {
    return listingView(await useCases.get(JailFileOps).list(actor, server_id, p, { limit, offset }));
  },
});

export const readFile = operation({
  name: 'read_file',
  scope: 'files',
  effect: 'reads',
  title: 'Read a file',
  description:
    "Reads a file in a server's file root: up to 256 KiB per call, as text if it is UTF-8, otherwise as base64. If truncated is true, continue at next_offset; bytes is the total size. Pass sha256 to write_file as if_match, so that you only overwrite what you have read.",
  input: z.strictObject({
    server_id: serverId,
    p: path.describe('Path of the file in the file root'),
    offset: z.int().min(0).default(0).describe('First byte to read'),
    length: z.int().min(1).max(MAX_READ).optional().describe('Bytes to read; default and maximum: 256 KiB'),
    from_line: z.int().min(1).optional().describe('First line, counted from 1; instead of offset'),
    to_line: z.int().min(1).optional().describe('Last line, included'),
    last_lines: z
      .int()
      .min(1)
      .max(MAX_LAST_LINES)
      .optional()
      .describe('Lines at the end of the file; instead of the others'),
  }),
  output: contentSchema,
  group: 'Files',
  errors: [...FILE_ERRORS, 'not_a_file', 'changed_since_read'],
  examples: [
    {
      title: 'A small text file',
      input: { server_id: 1, p: 'app/compose.yaml' },
      output: {
        rel: 'app/compose.yaml',
        encoding: 'utf-8',
        truncated: false,
        bytes: COMPOSE.length,
        offset: 0,
        next_offset: null,
        sha256: digest(Buffer.from(COMPOSE)),
        text: COMPOSE,
      },
    },
  ],
  routes: [{ method: 'GET', path: '/servers/{server_id}/files/content', status: 200 }],
  tool: toolForm({
    hints: READS,
    description:
      "Reads a file in a server's file root: all of it up to 256 KiB, or length bytes at offset, from_line to to_line, or the last_lines. Use it before write_file, and pass sha256 there as if_match. truncated: continue at next_offset. Text if it is UTF-8, otherwise base64.",
    input: z.strictObject({
      server_id: serverId,
      p: path.describe('Path of the file'),
      offset: z.int().min(0).default(0),
      length: z.int().min(1).max(MAX_READ).optional(),
      from_line: z.int().min(1).optional(),
      to_line: z.int().min(1).optional(),
      last_lines: z.int().min(1).max(MAX_LAST_LINES).optional(),
    }),
    output: mainly(contentSchema, [
      'rel',
      'encoding',
      'bytes',
      'next_offset',
      'sha256',
      'text',
      'content_base64',
    ]),
    present: (body) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)),
  }),
  async run(useCases, actor, { server_id, p, ...range }) {
    const part = await useCases.get(JailFileOps).read(actor, server_id, p, rangeOf(range));
    return contentView(part, digest);
  },
});

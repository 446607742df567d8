import * as z from 'zod';
import { seenHash } from '../../../../application/files/file-changes.ts';
import { JailFileOps } from '../../../../application/files/jail-file-ops.ts';
import { serverId } from '../fields.ts';
import { operation, type ToolHints } from '../operation.ts';
import { sha256, writtenSchema, writtenView } from '../views/file-view.ts';
import { text } from '../views/values.ts';
import { COMPOSE, digest, directory, FILE_ERRORS, path } from './files.ts';

const name = z.string().min(1).max(1_024);

/** Changes that may be irreversible. */
const changes = (idempotentHint: boolean): ToolHints => ({
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint,
  openWorldHint: false,
});

async function* once(content: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content, 'utf8');
}

/** In place of a hash, which callers cannot send: the user saw that there is no such file. */
const NO_FILE = 'none';

export const writeFile = operation({
  name: 'write_file',
  scope: 'files',
  effect: 'changes',
  title: 'Write a file',
  description:
    "Creates or replaces a text file in a server's file root, completely or not at all; a replaced file keeps its owner and permissions. Use it after read_file, and pass its sha256 as if_match. changed_since_read: someone else changed the file; read it again and merge. Directories are not created: call mkdir first.",
  input: z.strictObject({
    server_id: serverId,
    p: directory,
    name: name.describe('The name of the file in that directory'),
    text: z
      .string()
      .refine((value) => !/\p{Cs}/u.test(value), 'Must be well-formed text.')
      .describe('The whole content'),
    if_match: sha256.optional().describe('SHA-256 of the file to replace'),
  }),
  output: writtenSchema,
  group: 'Files',
  errors: [...FILE_ERRORS, 'not_a_file', 'file_too_large', 'changed_since_read', 'disk_full'],
  examples: [
    {
      title: 'Replace a file',
      input: {
        server_id: 1,
        p: 'app',
        name: 'compose.yaml',
        text: COMPOSE.replace('1.4', '1.5'),
        if_match: digest(Buffer.from(COMPOSE)),
      },
      output: {
        ok: true,
        rel: 'app/compose.yaml',
        bytes: COMPOSE.length,
        sha256: digest(Buffer.from(COMPOSE.replace('1.4', '1.5'))),
        overwrite: true,
      },
    },
  ],
  routes: [{ method: 'PUT', path: '/servers/{server_id}/files/content', status: 200 }],
  tool: { hints: changes(true) },
  change: ({ server_id: server, p, name: file, text: content, if_match: ifMatch }) => ({
    kind: 'write_file',
    serverId: server,
    p,
    name: file,
    text: content,
    ifMatch,
  }),
  pinned: (input, { state }) => ({ ...input, if_match: seenHash(state) ?? NO_FILE }),
  async run(useCases, actor, { server_id, p, name: file, text: content, if_match: ifMatch }) {
    const expected = ifMatch === NO_FILE ? { onlyNew: true } : { ifMatch };
    const order = { p, name: file, content: once(content), ...expected };
    return writtenView(await useCases.get(JailFileOps).write(actor, server_id, order));
  },
});

export const mkdir = operation({
  name: 'mkdir',
  scope: 'files',
  effect: 'changes',
  title: 'Create a directory',
  description:
    "Creates a directory in directory p of a server's file root; the parent must exist. file_exists: the name is in use, see list_files. Use it before write_file for a new directory.",
  input: z.strictObject({
    server_id: serverId,
    p: directory,
    name: name.describe('The name of the new directory'),
  }),
  output: z.strictObject({ ok: z.literal(true), rel: text }),
  group: 'Files',
  errors: [...FILE_ERRORS, 'file_exists', 'disk_full'],
  examples: [
    {
      title: 'A new directory',
      input: { server_id: 1, p: 'app', name: 'conf' },
      output: { ok: true, rel: 'app/conf' },
    },
  ],
  routes: [{ method: 'POST', path: '/servers/{server_id}/files/mkdir', status: 200 }],
  tool: { hints: changes(false) },
  change: (input) => ({ kind: 'mkdir', serverId: input.server_id, p: input.p, name: input.name }),
  async run(useCases, actor, { server_id, p, name: made }) {
    const rel = await useCases.get(JailFileOps).makeDirectory(actor, server_id, p, made);
    return { ok: true as const, rel: String(rel) };
  },
});

export const renameFile = operation({
  name: 'rename_file',
  scope: 'files',
  effect: 'changes',
  title: 'Rename a file',
  description:
    "Renames a file or directory within directory p of a server's file root. src and dest are names, not paths. It never replaces anything: file_exists means that dest is in use. Use list_files before.",
  input: z.strictObject({
    server_id: serverId,
    p: directory.default(''),
    src: name.describe('The current name'),
    dest: name.describe('The new name'),
  }),
  output: z.strictObject({ ok: z.literal(true), from: text, to: text }),
  group: 'Files',
  errors: [...FILE_ERRORS, 'file_exists', 'disk_full'],
  examples: [
    {
      title: 'Rename a directory',
      input: { server_id: 1, p: 'app', src: 'conf', dest: 'conf.old' },
      output: { ok: true, from: 'app/conf', to: 'app/conf.old' },
    },
  ],
  routes: [{ method: 'POST', path: '/servers/{server_id}/files/rename', status: 200 }],
  tool: { hints: changes(false) },
  change: ({ server_id: server, ...names }) => ({ kind: 'rename_file', serverId: server, ...names }),
  async run(useCases, actor, { server_id, p, src, dest }) {
    const { from, to } = await useCases.get(JailFileOps).rename(actor, server_id, { p, src, dest });
    return { ok: true as const, from: String(from), to: String(to) };
  },
});

export const deleteFile = operation({
  name: 'delete_file',
  scope: 'files',
  effect: 'changes',
  title: 'Delete a file',
  description:
    "Permanently deletes a file, a symbolic link (not its target) or an empty directory in a server's file root. directory_not_empty: delete its contents first, see list_files. Ask the user before you delete anything that you did not create.",
  input: z.strictObject({ server_id: serverId, p: path.describe('Path to delete in the file root') }),
  output: z.strictObject({ ok: z.literal(true), rel: text }),
  group: 'Files',
  errors: [...FILE_ERRORS, 'not_a_file', 'directory_not_empty'],
  examples: [
    {
      title: 'An empty directory',
      input: { server_id: 1, p: 'app/conf.old' },
      output: { ok: true, rel: 'app/conf.old' },
    },
  ],
  routes: [{ method: 'DELETE', path: '/servers/{server_id}/files', status: 200 }],
  tool: { hints: changes(false) },
  change: (input) => ({ kind: 'delete_file', serverId: input.server_id, p: input.p }),
  async run(useCases, actor, { server_id, p }) {
    const rel = await useCases.get(JailFileOps).remove(actor, server_id, p);
    return { ok: true as const, rel: String(rel) };
  },
});

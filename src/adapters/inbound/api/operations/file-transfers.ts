import * as z from 'zod';
import { serverId } from '../fields.ts';
import { downloadOperation, uploadOperation } from '../operation.ts';
import { sha256, writtenSchema, writtenView } from '../views/file-view.ts';
import { directory, FILE_ERRORS, path } from './files.ts';

export const uploadFile = uploadOperation({
  name: 'upload_file',
  scope: 'files',
  effect: 'changes',
  title: 'Upload a file',
  description:
    "Puts a file of any kind into a server's jail as it comes, whole or not at all; one of that name is replaced, and keeps its owner and permissions. Send a form (multipart/form-data): the fields first, the part file last; its filename is the name in the directory p. The largest file is set by SERVICE_FILE_LIMIT_MIB.",
  input: z.strictObject({
    server_id: serverId,
    p: directory,
    if_match: sha256.optional().describe('SHA-256 of the file that may be replaced'),
  }),
  output: writtenSchema,
  group: 'Files',
  errors: [...FILE_ERRORS, 'not_a_file', 'file_too_large', 'changed_since_read', 'disk_full'],
  examples: [
    {
      title: 'A file into a directory',
      input: { server_id: 1, p: 'app' },
      output: {
        ok: true,
        rel: 'app/logo.png',
        bytes: 5,
        sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
        overwrite: false,
      },
    },
  ],
  routes: [{ method: 'POST', path: '/servers/{server_id}/files', status: 200 }],
  async receive(useCases, actor, { server_id, p, if_match: ifMatch }, { name, content, signal }) {
    const order = { p, name, content, ifMatch, signal, purpose: 'bulk' as const };
    return writtenView(await useCases.jailFileOps.write(actor, server_id, order));
  },
});

export const downloadFile = downloadOperation({
  name: 'download_file',
  scope: 'files',
  effect: 'reads',
  title: 'Download a file',
  description:
    "Gives a file of a server's jail, byte by byte, up to the size that SERVICE_FILE_LIMIT_MIB sets. Repr-Digest carries its SHA-256; a file that changes while it is sent breaks the connection off before its end.",
  input: z.strictObject({ server_id: serverId, p: path.describe('The file, from the jail') }),
  group: 'Files',
  errors: [...FILE_ERRORS, 'not_a_file', 'file_too_large', 'changed_since_read'],
  examples: [{ title: 'A file', input: { server_id: 1, p: 'app/compose.yaml' }, output: {} }],
  routes: [{ method: 'GET', path: '/servers/{server_id}/files/download', status: 200 }],
  async give(useCases, actor, { server_id, p }, signal) {
    const { path: found, ...file } = await useCases.jailFileOps.download(actor, server_id, p, signal);
    return { name: found.entry.name, ...file };
  },
});

import * as z from 'zod';
import { JailFileOps } from '../../../../application/files/jail-file-ops.ts';
import { serverId } from '../fields.ts';
import { downloadOperation, uploadOperation } from '../operation.ts';
import { sha256, writtenSchema, writtenView } from '../views/file-view.ts';
import { directory, FILE_ERRORS, path } from './files.ts';

export const uploadFile = uploadOperation({
  name: 'upload_file',
  scope: 'files',
  effect: 'refused',
  title: 'Upload a file',
  description:
    'Uploads a file of any type into the file root (`jail`) of a server, completely or not at all. An existing file is replaced and keeps its owner and permissions. Send multipart/form-data: the fields first, the file part last; its filename becomes the name in directory p. SERVICE_FILE_LIMIT_MIB sets the maximum size.',
  input: z.strictObject({
    server_id: serverId,
    p: directory,
    if_match: sha256.optional().describe('SHA-256 of the file to replace'),
  }),
  output: writtenSchema,
  group: 'Files',
  errors: [...FILE_ERRORS, 'not_a_file', 'file_too_large', 'changed_since_read', 'disk_full'],
  examples: [
    {
      title: 'Upload into a directory',
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
    return writtenView(await useCases.get(JailFileOps).write(actor, server_id, order));
  },
});

export const downloadFile = downloadOperation({
  name: 'download_file',
  scope: 'files',
  effect: 'reads',
  title: 'Download a file',
  description:
    'Downloads a file from the file root (`jail`) of a server, up to the size set by SERVICE_FILE_LIMIT_MIB. Repr-Digest carries its SHA-256. If the file changes during the download, the connection closes before the end.',
  input: z.strictObject({ server_id: serverId, p: path.describe('Path of the file in the file root') }),
  group: 'Files',
  errors: [...FILE_ERRORS, 'not_a_file', 'file_too_large', 'changed_since_read'],
  examples: [{ title: 'A file', input: { server_id: 1, p: 'app/compose.yaml' }, output: {} }],
  routes: [{ method: 'GET', path: '/servers/{server_id}/files/download', status: 200 }],
  async give(useCases, actor, { server_id, p }, signal) {
    const { path: found, ...file } = await useCases.get(JailFileOps).download(actor, server_id, p, signal);
    return { name: found.entry.name, ...file };
  },
});

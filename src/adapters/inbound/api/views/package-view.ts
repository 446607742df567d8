import * as z from 'zod';
import type { ServerPackage } from '../../../../domain/fleet/installed-package.ts';
import { id, text } from './values.ts';

export const packageSchema = z.strictObject({
  server_id: id,
  server_name: text,
  system: text.describe('ID and VERSION_ID of os-release, such as debian:12'),
  name: text,
  version: text,
  source: text.describe('Source package, or the package itself'),
  source_version: text,
});

export const packageView = (found: ServerPackage): z.output<typeof packageSchema> => ({
  server_id: found.serverId,
  server_name: found.serverName,
  system: found.system,
  name: found.name,
  version: found.version,
  source: found.source,
  source_version: found.sourceVersion,
});

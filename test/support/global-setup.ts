import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MariaDbServer, startMariaDb } from './mariadb-server.ts';
import { SOCKET_VARIABLE, serveResources } from './resource-server.ts';

/** Runs once around all integration files: what they share starts when first asked for and ends here. */
export default async function setup(): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(tmpdir(), 'drover-resources-'));
  const socket = join(dir, 'socket');
  let mariaDb: Promise<MariaDbServer> | undefined;
  const close = await serveResources(socket, {
    mariadb: async () => (await (mariaDb ??= startMariaDb())).origin,
  });
  process.env[SOCKET_VARIABLE] = socket;
  return async () => {
    await close();
    await mariaDb?.then(
      (server) => server.stop(),
      () => {},
    );
    await rm(dir, { recursive: true, force: true });
  };
}

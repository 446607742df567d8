import type { DumpFile } from '../../src/application/ports/backups/backup-engine.ts';
import type { StoredDump } from '../../src/application/ports/backups/dump-store.ts';
import { describeDump } from '../../src/domain/backups/dump.ts';
import type { ApplicationScene } from './application-scene.ts';

/** A dump of the PostgreSQL database `shop` with a password. */
export const addDump = (scene: ApplicationScene, sourceId: number, name = '1'): Promise<StoredDump> =>
  scene.dumps.add(
    describeDump({
      sourceId,
      name,
      kind: 'postgres',
      database: 'shop',
      user: 'backup',
      password: 'kept before',
      at: scene.clock.now(),
    }),
    () => 'sealed',
    () => ({}),
  );

/** The dump that a backup takes of it. */
export const dumpFile = (name: string): DumpFile => ({
  path: `drover-dumps/${name}.postgres.sql`,
  async *read() {
    yield Buffer.from('-- PostgreSQL database dump complete\n');
  },
});

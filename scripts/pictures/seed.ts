import type { Database } from '../../src/adapters/outbound/storage/sql/database.ts';
import { SqlInventoryStore } from '../../src/adapters/outbound/storage/sql/stores/sql-inventory-store.ts';
import { SqlServerStore } from '../../src/adapters/outbound/storage/sql/stores/sql-server-store.ts';
import { SqlSettingStore } from '../../src/adapters/outbound/storage/sql/stores/sql-setting-store.ts';
import { SqlSnapshotStore } from '../../src/adapters/outbound/storage/sql/stores/sql-snapshot-store.ts';
import { SqlSourceStore } from '../../src/adapters/outbound/storage/sql/stores/sql-source-store.ts';
import { describeSource } from '../../src/domain/backups/backup-source.ts';
import { DAY, HOUR, MINUTE } from '../../src/domain/base/instant.ts';
import { describeServer } from '../../src/domain/fleet/server-description.ts';
import { fakeInventory } from '../../test/fakes/fake-host-facts.ts';

const GIB = 2 ** 30;
const NAMES =
  'auth-1 backup-1 cache-1 ci-1 ci-2 db-1 db-2 edge-ams edge-fra files-1 git-1 mail-1 monitor-1 web-1 web-2 web-3';
const SYSTEMS = [
  'Debian GNU/Linux 12 (bookworm)',
  'Ubuntu 24.04.2 LTS',
  'Alpine Linux v3.21',
  'Fedora Linux 42',
];
const none = () => ({});

/** A realistic fleet, mostly healthy: for pictures alone. The first picture is of `web-1`. */
export async function seedFleet(database: Database): Promise<void> {
  const now = Date.now();
  const servers = new SqlServerStore(database);
  const settings = new SqlSettingStore(database);
  // Else the machine on which the pictures are taken would be in them.
  await settings.setOnce('this_machine_enrolled', new Date(now).toISOString());
  for (const [index, name] of NAMES.split(' ').entries()) {
    const { id } = await servers.add(
      describeServer({
        name,
        connection: 'ssh',
        hostname: `${name}.example.org`,
        sshUsername: 'drover',
        become: 'sudo',
        tags: [name.replace(/-.*/, ''), index % 3 === 0 ? 'fra' : 'ams'],
        features: { backup: true, os_patch: true, docker: name.startsWith('web') },
      }),
      now - 90 * DAY,
      none,
    );
    await servers.learn(id, {
      osPretty: SYSTEMS[index % SYSTEMS.length] ?? null,
      arch: 'x86_64',
      cpuCores: 4,
      cpuLoad: 0.42,
      memoryTotalBytes: 8 * GIB,
      memoryUsedBytes: (2 + (index % 4)) * GIB,
      diskTotalBytes: 160 * GIB,
      diskUsedBytes: (30 + 5 * index) * GIB,
      lastSeenAt: now - index * 3 * MINUTE,
      inventoryAt: now - index * 3 * MINUTE,
      lastBackupAt: now - 5 * HOUR - index * MINUTE,
      lastVerifiedAt: now - 2 * DAY,
      osUpdatesCount: index % 3 === 0 ? 4 : 0,
      securityUpdatesCount: 0,
      lastOsCheckAt: now - 6 * HOUR,
      rebootPending: false,
    });
  }
  await trouble(servers, now);
  await backups(database, now);
}

async function trouble(servers: SqlServerStore, now: number): Promise<void> {
  const id = async (name: string): Promise<number> => (await servers.findByName(name))?.id ?? 0;
  await servers.learn(await id('edge-ams'), {
    contactFailedSince: now - 25 * MINUTE,
    contactError: 'host_timeout',
    lastSeenAt: now - 85 * MINUTE,
  });
  await servers.learn(await id('files-1'), { lastBackupAt: now - 3 * DAY });
  await servers.learn(await id('mail-1'), { securityUpdatesCount: 3, osUpdatesCount: 7 });
  await servers.learn(await id('web-1'), { securityUpdatesCount: 1, osUpdatesCount: 4 });
  await servers.learn(await id('db-2'), { rebootPending: true });
}

/** Four weeks of nightly backups that grow. */
async function backups(database: Database, now: number): Promise<void> {
  const web = await new SqlServerStore(database).findByName('web-1');
  if (!web) throw new Error('web-1 is there');
  await new SqlInventoryStore(database).save(web.id, {
    ...fakeInventory({
      cpuCores: 4,
      memoryTotalBytes: 8 * GIB,
      uptimeSeconds: 41 * 86_400,
      packagesCount: 612,
      failedUnits: [],
    }),
    at: now - 2 * MINUTE,
  });
  const described = describeSource({ serverId: web.id, name: 'www', paths: ['/srv/www', '/etc'], at: now });
  const source = await new SqlSourceStore(database).add(described, none);
  const snapshots = new SqlSnapshotStore(database);
  for (let night = 27; night >= 0; night -= 1) {
    const at = now - night * DAY - 5 * HOUR;
    await snapshots.add({
      serverId: web.id,
      sourceId: source.id,
      sourceName: source.name,
      jobId: null,
      engine: 'rsync',
      name: new Date(at).toISOString(),
      startedAt: at - 3 * MINUTE,
      finishedAt: at,
      fileCount: 18_400 + (27 - night) * 61,
      totalBytes: Math.round((5.1 + (27 - night) * 0.07 + ((night * 7) % 5) * 0.05) * GIB),
      transferredBytes: Math.round(((night * 13) % 9) * 0.02 * GIB) + 31_000_000,
      vanishedCount: 0,
      manifestSha256: '0'.repeat(64),
    });
  }
}

// What writing samples adds to an inventory of a real sshd host, on both databases.
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import mysql from 'mysql2/promise';
import { ShellHostFacts } from '../src/adapters/outbound/hosts/facts/shell-host-facts.ts';
import { SshRemoteHosts } from '../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import { type Database, openDatabase } from '../src/adapters/outbound/storage/sql/database.ts';
import { migrate } from '../src/adapters/outbound/storage/sql/migrate.ts';
import { SqlInventoryStore } from '../src/adapters/outbound/storage/sql/stores/sql-inventory-store.ts';
import { SqlServerStore } from '../src/adapters/outbound/storage/sql/stores/sql-server-store.ts';
import { SystemRandomness } from '../src/adapters/outbound/system/system-randomness.ts';
import { RefreshInventory } from '../src/application/fleet/refresh-inventory.ts';
import { DAY, HOUR } from '../src/domain/base/instant.ts';
import { sampleOf } from '../src/domain/fleet/sample.ts';
import { RecordingLogger } from '../test/fakes/recording-logger.ts';
import { startMariaDb } from '../test/support/mariadb-server.ts';
import { startSshd } from '../test/support/sshd.ts';
import { needs } from './lib/needs.ts';
import { type Row, report } from './lib/report.ts';
import { seedServers } from './metrics/seed.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 300);
const WARM_UP = 30;
/** Servers whose history is full. */
const SERVERS = 20;
const HISTORY = 30 * DAY;
const { signal } = new AbortController();

/** The store without samples: all else is the same, in the same transaction. */
class UnsampledStore extends SqlInventoryStore {
  constructor(database: Database) {
    super(
      new Proxy(database, {
        get(target, name) {
          if (name === 'transaction')
            return (body: (trx: Knex.Transaction) => Promise<unknown>) =>
              target.transaction((trx) => body(unsampled(trx)));
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      }),
    );
  }

  override diskDays(): ReturnType<SqlInventoryStore['diskDays']> {
    return Promise.resolve([]);
  }
}

const NOTHING = { insert: () => ({ onConflict: () => ({ merge: () => Promise.resolve() }) }) };

const unsampled = (trx: Knex.Transaction): Knex.Transaction =>
  new Proxy(trx, {
    apply: (target, self, args) =>
      args[0] === 'server_samples' ? NOTHING : Reflect.apply(target as never, self, args),
  });

interface Taken {
  readonly wall: number;
  readonly cpu: number;
}

async function rowOf(name: string, url: string | null, hosts: SshRemoteHosts): Promise<Row> {
  const dir = await mkdtemp(join(tmpdir(), 'drover-bench-'));
  const database = openDatabase({ url, dataDir: dir });
  await migrate(database, { owner: 'bench', log: new RecordingLogger() });
  await seedServers(database, SERVERS);
  const server = await new SqlServerStore(database).find(1);
  if (server === null) throw new Error('there is no server');
  const clock = { now: () => Date.now(), sleep: () => Promise.resolve() };
  const refreshed = (inventories: SqlInventoryStore): RefreshInventory =>
    new RefreshInventory({
      opener: { open: () => hosts.connect(sshd.access()) } as never,
      facts: new ShellHostFacts({ randomness: new SystemRandomness() }),
      inventories,
      recordHostState: { execute: () => Promise.resolve() },
      osSupport: { endOf: () => Promise.resolve(null) },
      clock,
    });
  const store = new SqlInventoryStore(database);
  const [sampled, plain] = [refreshed(store), refreshed(new UnsampledStore(database))];
  const now = Date.now();
  const sample = sampleOf(await sampled.execute(server, signal), {});
  const history = Array.from({ length: HISTORY / HOUR }, (_, hour) => ({ ...sample, at: now - hour * HOUR }));
  for (let id = 1; id <= SERVERS; id += 1) await store.addSamples(id, history);
  const taken: Record<'sampled' | 'plain', Taken[]> = { sampled: [], plain: [] };
  const take = async (what: RefreshInventory): Promise<Taken> => {
    const [began, used] = [performance.now(), process.cpuUsage()];
    await what.execute(server, signal);
    const { user, system } = process.cpuUsage(used);
    return { wall: performance.now() - began, cpu: (user + system) / 1_000 };
  };
  // In turns, each first half the time.
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const first = round % 2 === 0 ? await take(sampled) : null;
    const second = await take(plain);
    const third = first ?? (await take(sampled));
    if (round < 0) continue;
    taken.plain.push(second);
    taken.sampled.push(third);
  }
  await database.close();
  await rm(dir, { recursive: true });
  const row = {
    database: name,
    'inventory ms': median(taken.sampled, 'wall'),
    'without samples ms': median(taken.plain, 'wall'),
    times: 0,
    'cpu ms': mean(taken.sampled),
    'without samples cpu ms': mean(taken.plain),
  };
  row.times = round(row['inventory ms'] / row['without samples ms'], 3);
  console.log(JSON.stringify(row));
  return row;
}

const round = (value: number, digits = 2): number => Math.round(value * 10 ** digits) / 10 ** digits;
const median = (all: readonly Taken[], of: keyof Taken): number =>
  round(all.map((each) => each[of]).toSorted((one, other) => one - other)[all.length >> 1] ?? 0);
const mean = (all: readonly Taken[]): number =>
  round(all.reduce((sum, { cpu }) => sum + cpu, 0) / all.length);

needs({ programs: ['mariadbd', '/usr/sbin/sshd'] });
const sshd = await startSshd();
const hosts = new SshRemoteHosts();
const mariadb = await startMariaDb();
try {
  const connection = await mysql.createConnection({ uri: mariadb.origin });
  await connection.query('CREATE DATABASE bench_inventory');
  await connection.end();
  const rows = [
    await rowOf('SQLite', null, hosts),
    await rowOf('MariaDB', `${mariadb.origin}/bench_inventory`, hosts),
  ];
  report('inventory', rows, {
    rounds: ROUNDS,
    'load of the machine at the end, on its cores': loadavg().map((load) => round(load, 1)),
  });
} finally {
  await hosts.closeAll();
  await mariadb.stop();
  await sshd.stop();
}

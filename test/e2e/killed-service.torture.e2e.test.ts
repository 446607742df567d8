import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { GaleraCluster } from '../support/galera.ts';
import { freshMariaDb } from '../support/mariadb.ts';
import { eventually } from '../support/processes.ts';
import { type JobDetail, RestClient } from '../support/rest-client.ts';
import { rounds, TORTURE } from '../support/rounds.ts';
import { Service, type ServiceOptions, useService } from '../support/service.ts';
import { processesWith } from '../support/traces.ts';
import { treeOf } from '../support/tree.ts';
import { enrol } from './enrol.ts';
import { filesOf, listed, onDisk, shown } from './snapshots.ts';

/**
 * On a line of this many Mbit/s. At 64 the transfer takes about 1.5 s: a kill hits it as often as its surroundings.
 */
const LINE = 'tc qdisc replace dev eth0 root tbf rate "$1mbit" burst 64kb latency 200ms';
const MIB = 1024 * 1024;
const LARGE_BYTES = 12 * MIB;
const KILLS = rounds(4, 100);
const MAX_LIFE_MS = 3_000;
/** Well before the lease of the killed worker runs out. */
const FOUND_WITHIN_MS = 20_000;
/** New content for the large file, some for one of many small ones. */
const CHANGE = `mkdir -p /srv/data/many && cd /srv/data && dd if=/dev/urandom of=large bs=1M count=12 status=none &&
for n in $(seq 200); do [ -e "many/$n" ] || echo "$n" >"many/$n"; done && date +%N >"many/$1"`;

/** `beside`: settings of a second replica, which is killed in every other round in place of the first. */
function killing(
  databaseOf: () => Promise<ServiceOptions>,
  beside: (() => ServiceOptions) | null = null,
): void {
  const host = useHost();
  const service = useService(databaseOf);
  let second: Service | undefined;
  let kills = 0;
  let rest: RestClient;
  let id: number;
  beforeAll(async () => {
    rest = new RestClient(service().url, await service().token());
    id = await enrol(service(), host(), 'web', { options: ['--features', 'backup=on'] });
    const added = await service().cli(['source', 'add', 'web', '--name', 'data', '--path', '/srv/data']);
    expect(added).toMatchObject({ code: 0 });
    await host().exec(LINE, [beside ? '64' : '16']);
    if (beside) second = await Service.start({ ...beside(), dataDir: service().dataDir });
  });
  afterAll(() => second?.remove());

  /** Kills it, restarts it, and returns how the job ended. */
  async function killAndStart(job: number): Promise<JobDetail> {
    const victim = second && kills % 2 === 1 ? second : service();
    kills += 1;
    await victim.kill9();
    await victim.start();
    return eventually('the job of the killed service has ended', FOUND_WITHIN_MS, async () => {
      const seen = await rest.job(job);
      return seen.done ? seen : undefined;
    });
  }

  /** A snapshot whose process died between publishing and recording is recorded by the sweep of the next start. */
  const agreed = (): Promise<readonly string[]> =>
    eventually('list and store agree', FOUND_WITHIN_MS, async () => {
      const names = (await listed(rest, id)).map(({ name }) => name);
      return isDeepStrictEqual(names, await onDisk(service(), id)) ? names : undefined;
    });

  /** Whatever is listed or looks like a snapshot is whole. */
  async function expectWhole(): Promise<void> {
    await agreed();
    const list = await listed(rest, id);
    for (const snapshot of list) {
      const files = Object.values(await treeOf(filesOf(service(), snapshot)))
        .map((described) => described.split(' '))
        .filter(([type]) => type === 'file');
      const bytes = files.reduce((sum, [, , , , size]) => sum + Number(size), 0);
      expect([files.length, bytes]).toEqual([snapshot.file_count, snapshot.total_bytes]);
    }
    expect(await agreed()).toEqual(list.map(({ name }) => name));
  }

  const digestOn = async (): Promise<string> =>
    (await host().exec('sha256sum /srv/data/large')).split(' ')[0] ?? '';

  // With a second replica it is unknown which of the two has the job.
  if (!beside)
    it('ends the job, shows no half snapshot, and goes on with what it has', async () => {
      await host().exec(CHANGE, ['1']);
      const job = await rest.begin(id, { job_type: 'backup' });
      await rest.jobThat('is half done', job, ({ percent }) => (percent ?? 0) >= 40);
      expect(await killAndStart(job)).toMatchObject({ status: 'failed', error_code: 'worker_lost' });
      expect([await listed(rest, id), await shown(service(), id), await onDisk(service(), id)]).toEqual([
        [],
        [],
        [],
      ]);
      expect((await rest.get(`/api/v1/servers/${id}`)).body).toMatchObject({ last_backup_at: null });

      await host().exec(LINE, ['64']);
      const next = await rest.run(id, { job_type: 'backup' });
      expect(next).toMatchObject({ status: 'success', error: null });
      expect(next.log_lines?.join('\n')).toContain('Continuing with what an interrupted backup received.');
      const [snapshot] = await listed(rest, id);
      if (!snapshot) throw new Error('there is a snapshot');
      expect(snapshot.transferred_bytes).toBeLessThan(LARGE_BYTES * 0.75);
      expect((await treeOf(filesOf(service(), snapshot)))['srv/data/large']).toContain(await digestOn());
      await expectWhole();
    });

  it(`does so whenever it is killed, ${KILLS} times of ${KILLS}`, async () => {
    const outcomes: Record<string, number> = {};
    for (let round = 0; round < KILLS; round += 1) {
      await host().exec(CHANGE, [String((round % 200) + 1)]);
      const job = await rest.begin(id, { job_type: 'backup' });
      await sleep(Math.random() * MAX_LIFE_MS);
      const ended = await killAndStart(job);
      const outcome = ended.error_code ?? ended.status;
      expect(outcome).toBeOneOf(['success', 'worker_lost']);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      await expectWhole();
      if (round % 4 !== 3) continue;
      expect(await rest.run(id, { job_type: 'backup' })).toMatchObject({ status: 'success' });
      const [snapshot] = await listed(rest, id);
      if (!snapshot) throw new Error('there is a snapshot');
      expect((await treeOf(filesOf(service(), snapshot)))['srv/data/large']).toContain(await digestOn());
      expect(await onDisk(service(), id)).toEqual((await listed(rest, id)).map(({ name }) => name));
    }
    console.log(`${KILLS} kills: ${JSON.stringify(outcomes)}`);
  });

  it('leaves no process behind, here or there', async () => {
    const store = join(service().dataDir, 'backups');
    await eventually('nothing works on the backups any more', FOUND_WITHIN_MS, async () => {
      const there = await host().exec("cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' || true");
      const isOver = !there.includes('--server') && processesWith(store).length === 0;
      return isOver ? true : undefined;
    });
  });
}

describeWith(['fleet', 'rsync'], 'a service on SQLite that is killed in the middle of a backup', () =>
  killing(async () => ({})),
);

// Only the store differs, which has its own races and kills: the long run is enough.
if (TORTURE) {
  describeWith(
    ['fleet', 'rsync', 'mariadb'],
    'a service on MariaDB that is killed in the middle of a backup',
    () => {
      let database: { url: string; drop: () => Promise<void> } | undefined;
      afterAll(() => database?.drop());
      killing(async () => {
        database = await freshMariaDb();
        return { settings: { SERVICE_DATABASE_URL: database.url } };
      });
    },
  );

  describeWith(
    ['fleet', 'rsync', 'galera'],
    'one of two replicas on a Galera cluster that is killed in the middle of a backup',
    () => {
      let cluster: GaleraCluster | undefined;
      afterAll(() => cluster?.stop());
      const on = (...nodes: readonly number[]): ServiceOptions => ({
        settings: { SERVICE_DATABASE_URL: cluster?.url(...nodes) ?? '' },
      });
      killing(
        async () => {
          cluster = await GaleraCluster.start();
          return on(0, 1, 2);
        },
        () => on(1, 2, 0),
      );
    },
  );
}

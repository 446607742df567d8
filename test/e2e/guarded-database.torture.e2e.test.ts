import { beforeAll, expect, it } from 'vitest';
import { fingerprint } from '../fleet/data-image.ts';
import { emptyDocker, imageName, waitForDocker } from '../fleet/docker.ts';
import {
  dumpOf,
  offerDatabase,
  publishDatabase,
  queryIn,
  startDatabaseProject,
} from '../fleet/postgres-image.ts';
import { useDockerHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { type JobDetail, RestClient } from '../support/rest-client.ts';
import { rounds } from '../support/rounds.ts';
import { useService } from '../support/service.ts';
import { enrol } from './enrol.ts';

const SHOP = '/srv/stacks/shop';
const DB = 'shop-db-1';
const image = imageName('shop-db');

/** Of four rollbacks, two with a kill and one with a cut. */
const TROUBLES = ['kill', 'cut', 'kill', 'none'] as const;
/** Where the trouble comes: each round at another point of the update. */
const POINTS = [
  /Stopping the project/,
  /The data is saved/,
  /Not healthy/,
  /Rolling back/,
  /The data is restored/,
];

describeWith(['docker', 'databases'], 'PostgreSQL in a container whose new image migrates its data', () => {
  const host = useDockerHost();
  const service = useService();
  let rest: RestClient;
  let id: number;
  beforeAll(async () => {
    await waitForDocker(host());
    await emptyDocker(host());
    await publishDatabase(host(), image);
    rest = new RestClient(service().url, await service().token());
    id = await enrol(service(), host(), 'web', { options: ['--features', 'docker=on,backup=on'] });
    const source = ['source', 'add', 'web', '--name', 'data', '--path', SHOP];
    const dump = ['dump', 'add', 'web', 'data', '--name', 'shop', '--kind', 'postgres'];
    for (const args of [source, [...dump, '--docker', DB, '--database', 'shop']]) {
      expect(await service().cli(args)).toMatchObject({ code: 0 });
    }
  });

  const query = (sql: string) => queryIn(host(), DB, sql);
  const state = async () => [
    await dumpOf(host(), DB),
    await fingerprint(host(), `${SHOP}/files`),
    await host().exec(
      "docker inspect --format '{{.Image}} {{.State.Running}} {{.State.Health.Status}}' \"$1\"; docker images --digests --no-trunc --format '{{.Repository}} {{.Tag}} {{.Digest}} {{.ID}}' | sort; find /var/lib/docker/volumes /srv -maxdepth 3 -name '.drover-guard*'",
      [DB],
    ),
  ];
  const begin = () => rest.begin(id, { job_type: 'container_patch', guard: true, observe_minutes: 0 });
  const textOf = ({ error, log_lines: lines }: JobDetail) => `${error ?? ''}\n${lines?.join('\n') ?? ''}`;
  const fresh = async () => {
    await host().exec('[ ! -d "$1" ] || { cd "$1" && docker compose down -v; } >&2', [SHOP]);
    await emptyDocker(host());
    await offerDatabase(host(), image, 'v1');
    await startDatabaseProject(host(), SHOP, image);
  };

  const rollbacks = rounds(1, 20);
  it(`is rolled back with its data, ${rollbacks} times of ${rollbacks}, killed and cut off meanwhile`, async () => {
    await fresh();
    await offerDatabase(host(), image, 'broken');
    const counts = { kill: 0, cut: 0, none: 0 };
    for (let round = 0; round < rollbacks; round += 1) {
      const trouble = TROUBLES[round % TROUBLES.length] ?? 'none';
      const point = POINTS[round % POINTS.length] ?? /Stopping/;
      await query(`INSERT INTO notes SELECT max(n) + 1, 'round ${round}' FROM notes`);
      const before = await state();
      const job = await begin();
      await rest.jobThat(
        `is at ${point.source}`,
        job,
        ({ done, log_lines: lines }) => done || (lines ?? []).some((line) => point.test(line)),
      );
      if (trouble === 'cut') await host().killConnections();
      if (trouble === 'kill') {
        await service().kill9();
        await service().start();
      }
      const failed = await rest.jobEnd(job);
      expect(failed, textOf(failed)).toMatchObject({
        status: 'failed',
        error_code: 'deploy_failed',
        result: { rolled_back: true, changes: [] },
      });
      expect(textOf(failed)).toMatch(/Migrated the schema[\s\S]*The data is restored/);
      expect(await state()).toEqual(before);
      counts[trouble] += 1;
    }
    expect(await query('SELECT version FROM schema_version')).toBe('1\n');
    console.info(`${rollbacks} rollbacks`, counts);
  });

  const updates = rounds(1, 20);
  it(`stays if it is healthy, with its migrated data, ${updates} times of ${updates}`, async () => {
    for (let round = 0; round < updates; round += 1) {
      await fresh();
      await query("INSERT INTO notes VALUES (5001, 'before')");
      await offerDatabase(host(), image, 'v2');
      const done = await rest.jobEnd(await begin());
      expect(done, textOf(done)).toMatchObject({
        status: 'success',
        result: { changes: [{ service: 'db' }] },
      });
      const found = await query('SELECT version, body FROM schema_version, notes WHERE n = 5001');
      expect(found).toBe('2|v2:before\n');
      expect((await state()).at(-1)).toContain(' true healthy\n');
      expect((await state()).at(-1)).not.toContain('.drover-guard');
    }
  });
});

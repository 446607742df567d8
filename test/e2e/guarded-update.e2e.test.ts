import { beforeAll, expect, it } from 'vitest';
import { fingerprint, publishDataImage, startDataProject } from '../fleet/data-image.ts';
import { emptyDocker, imageName, waitForDocker } from '../fleet/docker.ts';
import { useDockerHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { enrol } from './enrol.ts';

const SHOP = '/srv/stacks/shop';
const db = imageName('db');

describeWith('docker', 'a project whose data an update migrates', () => {
  const host = useDockerHost();
  const service = useService();
  let rest: RestClient;
  let id: number;
  let volume: string;
  let v1: string;
  beforeAll(async () => {
    await waitForDocker(host());
    await emptyDocker(host());
    v1 = await publishDataImage(host(), db, 1);
    await startDataProject(host(), SHOP, db);
    volume = (await host().exec("docker volume inspect --format '{{.Mountpoint}}' shop_data")).trim();
    rest = new RestClient(service().url, await service().token());
    id = await enrol(service(), host(), 'web', { options: ['--features', 'docker=on,backup=on'] });
  });

  const run = (body: object = {}) => rest.run(id, { job_type: 'container_patch', ...body });
  const state = async () => [
    await fingerprint(host(), volume),
    await fingerprint(host(), `${SHOP}/files`),
    await host().exec(
      "docker inspect --format '{{.Image}} {{.State.Running}}' shop-db-1; docker images --digests --no-trunc --format '{{.Repository}} {{.Tag}} {{.Digest}} {{.ID}}' | sort; find / -xdev -name '.drover-guard*' -not -path '/proc/*'",
    ),
  ];
  const save = (path: string) => ({ kind: 'save', directory: SHOP, service: 'db', path });

  it('is not guarded while no backup source covers its data, and is skipped if that is asked for', async () => {
    await publishDataImage(host(), db, 2, 'broken');
    expect((await run({ dry_run: true })).result).toMatchObject({
      changes: [{ kind: 'image' }],
      unguarded: [{ directory: SHOP, reason: expect.stringContaining('source') }],
    });
    expect((await run({ dry_run: true, guard: true })).result).toMatchObject({
      changes: [],
      left_alone: [{ directory: SHOP, service: 'db' }],
    });
  });

  it('shows in a dry run what is saved, by which backups, and what a rollback restores', async () => {
    await service().cli(['source', 'add', 'web', '--name', 'data', '--path', volume, '--path', SHOP]);
    const before = await state();
    expect(await run({ dry_run: true })).toMatchObject({
      status: 'success',
      result: {
        changes: [{ kind: 'image', service: 'db', from: v1 }, save(`${SHOP}/files`), save(volume)],
        guarded: [
          {
            directory: SHOP,
            backups: [{ source: 'data', last_bytes: null }],
            checks: expect.arrayContaining(['db: http 8080 /version 200']),
            observe_minutes: 2,
            rollback: 'images and data',
          },
        ],
      },
    });
    expect(await state()).toEqual(before);
  });

  it('is rolled back with its data, byte for byte, if a check of the user fails while it is observed', async () => {
    const before = await state();
    await publishDataImage(host(), db, 3);
    const dry = await run({ dry_run: true, observe_minutes: 1 });
    const failed = await run({ plan_id: dry.id, observe_minutes: 1 });
    expect(failed, failed.log_lines?.join('\n')).toMatchObject({
      status: 'failed',
      error_code: 'deploy_failed',
      result: {
        rolled_back: true,
        changes: [],
        guarded: [{ directory: SHOP }],
        projects: [{ reason: expect.stringMatching(/^The (http|command) check of db failed/) }],
      },
    });
    expect(failed.log_lines?.join('\n')).toMatch(/migrated[\s\S]*The data is restored[\s\S]*Rolled back\./);
    expect(await state()).toEqual(before);
    const { body } = await rest.get(`/api/v1/servers/${id}/snapshots`);
    expect(body).toMatchObject({ snapshots: [{ source: 'data' }] });
  });

  it('is rolled back with its data after the work on the server was killed', async () => {
    const before = await state();
    const started = await rest.begin(id, { job_type: 'container_patch', observe_minutes: 60 });
    await rest.jobThat('is observed', started, ({ log_lines: lines }) =>
      (lines ?? []).some((line) => line.includes('Observing')),
    );
    await host().exec('kill -KILL $(cat /root/.drover/runs/*/process | cut -d" " -f1)');
    expect(await rest.jobEnd(started)).toMatchObject({
      error_code: 'deploy_failed',
      result: { rolled_back: true },
    });
    expect(await state()).toEqual(before);
  });

  it('keeps its migrated data if it is healthy, observed meanwhile', async () => {
    const v2 = await publishDataImage(host(), db, 2);
    const done = await run({ guard: true, observe_minutes: 0 });
    expect(done, done.log_lines?.join('\n')).toMatchObject({
      status: 'success',
      result: { changes: [{ from: v1, to: v2 }], guarded: [{ paths: [`${SHOP}/files`, volume] }] },
    });
    expect(await host().exec('docker exec shop-db-1 cat /data/table')).toBe('2:first\n2:second\n');
    expect((await state()).at(-1)).not.toContain('.drover-guard');
  });
});

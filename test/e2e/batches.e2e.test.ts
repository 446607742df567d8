import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { batchMemberSchema, batchSchema } from '../../src/adapters/inbound/api/views/batch-view.ts';
import { jobDetailSchema, jobSchema } from '../../src/adapters/inbound/api/views/job-view.ts';
import { scheduleRunSchema, scheduleSchema } from '../../src/adapters/inbound/api/views/schedule-view.ts';
import { openDatabase } from '../../src/adapters/outbound/storage/sql/database.ts';
import { describeSource } from '../../src/domain/backups/backup-source.ts';
import { describeServer } from '../../src/domain/fleet/server-description.ts';
import { describeWith } from '../support/capabilities.ts';
import { eventually } from '../support/processes.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { sqlStores } from '../support/sql-stores.ts';

const HOSTS = 20;
/** Its source is not there, so that its backup fails. */
const FAILING = 9;

const Started = z.object({ batch_id: z.int() });
const Shown = z.object({ batch: batchSchema, members: z.array(batchMemberSchema), total: z.int() });
const Jobs = z.object({ jobs: z.array(jobSchema) });
const ScheduleShown = z.object({ schedule: scheduleSchema, runs: z.array(scheduleRunSchema) });

describeWith('rsync', 'twenty hosts and a service that takes them on', () => {
  const service = useService();
  let data: string;
  let rest: RestClient;
  let schedule: number;
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'drover-batches-'));
    await writeFile(join(data, 'file'), 'content');
    const database = openDatabase({ url: null, dataDir: service().dataDir });
    try {
      const { servers, sources } = sqlStores(database);
      for (let n = 1; n <= HOSTS; n += 1) {
        const name = `host-${String(n).padStart(2, '0')}`;
        const described = describeServer({
          name,
          connection: 'local',
          tags: ['batch'],
          features: { backup: true },
        });
        const { id } = await servers.add(described, Date.now(), () => ({}));
        const paths = [n === FAILING ? join(data, 'not-there') : data];
        await sources.add(describeSource({ serverId: id, name: 'data', paths, at: Date.now() }), () => ({}));
      }
    } finally {
      await database.close();
    }
    rest = new RestClient(service().url, await service().token());
    const added = await rest.post('/api/v1/schedules', {
      name: 'minutely',
      selector: { ids: [1] },
      cron: '* * * * *',
      job_type: 'backup',
    });
    schedule = scheduleSchema.parse(added.body).id;
  });
  afterAll(() => rm(data, { recursive: true, force: true }));

  const shown = async (id: number) => Shown.parse((await rest.get(`/api/v1/batches/${id}`)).body);
  const end = (id: number) =>
    eventually('the batch has ended', 180_000, async () => {
      const now = await shown(id);
      return now.batch.done ? now : undefined;
    });
  const begin = async (body: object): Promise<number> => {
    const {
      status,
      body: reply,
      text,
    } = await rest.post('/api/v1/jobs', {
      selector: { tags: ['batch'] },
      job_type: 'backup',
      ...body,
    });
    expect(status, text).toBe(202);
    return Started.parse(reply).batch_id;
  };

  it('stops as told: canaries first, and no further once a host has failed', async () => {
    const id = await begin({ max_parallel: 4, canary: 2, stop_after_failures: 1 });
    const { batch, members } = await end(id);
    expect(batch).toMatchObject({ status: 'stopped', stop_reason: expect.stringContaining('failed') });
    expect(batch.hosts).toMatchObject({ total: HOSTS, failed: 1, waiting: 0, active: 0, skipped: 0 });
    expect(batch.hosts.left_out).toBeGreaterThanOrEqual(HOSTS - FAILING - 4);
    expect(members.filter(({ status }) => status === 'failed').map((each) => each.server_name)).toEqual([
      'host-09',
    ]);

    const { jobs } = Jobs.parse((await rest.get('/api/v1/jobs?limit=100')).body);
    const jobOf = (serverId: number | undefined) => jobs.find((job) => job.server_id === serverId);
    const canaries = members.slice(0, 2).map(({ server_id }) => jobOf(server_id));
    const others = members.slice(2).flatMap(({ server_id }) => jobOf(server_id) ?? []);
    const lastCanary = Math.max(...canaries.map((job) => Date.parse(job?.finished_at ?? '')));
    for (const job of others) expect(Date.parse(job.created_at)).toBeGreaterThanOrEqual(lastCanary);
  });

  it('takes a batch on after kill -9: every host gets its one job', async () => {
    const id = await begin({ max_parallel: 3 });
    await eventually('some hosts are done', 120_000, async () =>
      (await shown(id)).batch.hosts.success >= 3 ? true : undefined,
    );
    await service().kill9();
    await service().start();
    const { batch, members } = await end(id);
    const jobIds = members.map(({ job_id }) => job_id);
    expect(batch.hosts).toMatchObject({ waiting: 0, active: 0, skipped: 0, left_out: 0 });
    expect(jobIds).not.toContain(null);
    expect(new Set(jobIds).size).toBe(HOSTS);
    // Those that ran when the service was killed were lost with it; the failing host fails anyway.
    expect(batch.hosts.failed).toBeLessThanOrEqual(1 + 3);
    expect(batch.status).toBe('failed');
  });

  it('removes replaced images if asked to, and so does a schedule', async () => {
    const asked = { selector: { ids: [1, 2] }, job_type: 'container_patch', prune: true };
    const { batch } = await end(await begin(asked));
    expect(batch).toMatchObject({ prune: true, hosts: { skipped: 2 } });
    const named = { ...asked, name: 'images', cron: '0 4 * * *', enabled: false };
    const { status, body } = await rest.post('/api/v1/schedules', named);
    expect([status, scheduleSchema.parse(body).prune]).toEqual([201, true]);
    const refused = await rest.post('/api/v1/jobs', { ...asked, job_type: 'os_patch' });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: '/prune' }] } });
  });

  it('tells the command line how it went', async () => {
    const args = ['job', 'start', 'backup', '--server', 'host-01,host-02', '--wait', '--json'];
    const well = await service().cli(args);
    expect(well.code).toBe(0);
    expect(batchSchema.parse((well.json as { batch: unknown }).batch).hosts.success).toBe(2);
    const badly = await service().cli(['job', 'start', 'backup', '--server', 'host-01,host-09', '--wait']);
    expect([badly.code, badly.stdout]).toEqual([1, expect.stringContaining('failed: 1 success, 1 failed.')]);
  });

  it('ran its schedule meanwhile, by the minute', async () => {
    const { runs } = await eventually('the schedule has run', 150_000, async () => {
      const { body } = await rest.get(`/api/v1/schedules/${schedule}`);
      const now = ScheduleShown.parse(body);
      return now.runs.some(({ outcome }) => outcome === 'started') ? now : undefined;
    });
    const started = runs.find(({ outcome }) => outcome === 'started');
    expect(started?.at).toMatch(/:00\.000Z$/);
    const { body } = await rest.get(`/api/v1/jobs/${started?.job_id}`);
    expect(jobDetailSchema.parse(body)).toMatchObject({ scheduled: true, requested_by: 'schedule minutely' });
  });
});

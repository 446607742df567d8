import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Agent } from '../support/agent.ts';
import { eventually } from '../support/processes.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';

const MINUTE_MS = 60_000;
const CLOSED = 'outside_maintenance_window';
/** The service's own machine, which is there from the start. */
const ID = 1;

const Batch = z.object({
  batch: z.object({ done: z.boolean(), status: z.string() }),
  members: z.array(z.unknown()),
});
const Schedule = z.object({ id: z.int() });
const Shown = z.object({ runs: z.array(z.unknown()) });

/** A minute of every day that is half a day away. */
function farFromNow(): string {
  const then = new Date(Date.now() + 12 * 60 * MINUTE_MS);
  return `${then.getUTCMinutes()} ${then.getUTCHours()} * * *`;
}

describe('a server whose window is closed', () => {
  const service = useService();
  let rest: RestClient;
  let agent: Agent;
  beforeAll(async () => {
    const token = await service().token();
    rest = new RestClient(service().url, token);
    agent = await Agent.connect(service().url, token);
    expect((await service().cli(['server', 'features', String(ID), 'os_patch=on'])).code).toBe(0);
    const window = ['window', 'add', 'later', '--server', String(ID), '--cron', farFromNow(), '--for', '10m'];
    expect((await service().cli([...window, '--zone', 'UTC'])).code).toBe(0);
  });
  afterAll(() => agent?.close());

  it.each(['os_patch', 'host_reboot'])('takes no %s over REST, and says when it opens', async (job_type) => {
    expect(await rest.post(`/api/v1/servers/${ID}/jobs`, { job_type })).toMatchObject({
      status: 409,
      body: { code: CLOSED, detail: expect.stringMatching(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/) },
    });
  });

  it('takes none from an agent', async () => {
    expect(await agent.call('trigger_job', { server_id: ID, job_type: 'os_patch' })).toMatchObject({
      isError: true,
      body: { code: CLOSED },
    });
  });

  it('takes none at the command line, where an operator can say that it is to be', async () => {
    const start = ['job', 'start', String(ID), 'host_reboot'];
    expect(await service().cli(start)).toMatchObject({
      code: expect.any(Number),
      stderr: expect.stringContaining(CLOSED),
    });
    // Accepted, and then refused by its runner: this machine does not restart itself.
    const forced = await service().cli([...start, '--outside-window', '--wait', '--json']);
    expect(forced.json).toMatchObject({ job: { status: 'failed', error_code: 'host_unsupported' } });
  });

  it('is skipped by a batch, which says why', async () => {
    const body = { job_type: 'os_patch', selector: { ids: [ID] } };
    const { batch_id } = z.object({ batch_id: z.int() }).parse((await rest.post('/api/v1/jobs', body)).body);
    const ended = await eventually('the batch has ended', 60_000, async () => {
      const now = Batch.parse((await rest.get(`/api/v1/batches/${batch_id}`)).body);
      return now.batch.done ? now : undefined;
    });
    expect(ended).toMatchObject({
      batch: { status: 'failed' },
      members: [{ status: 'skipped', code: CLOSED, job_id: null }],
    });
  });

  it('is refused to a schedule, whose record says so', async () => {
    const made = await rest.post('/api/v1/schedules', {
      name: 'patches',
      selector: { ids: [ID] },
      cron: farFromNow(),
      job_type: 'os_patch',
    });
    const { id } = Schedule.parse(made.body);
    await service().cli(['schedule', 'run-now', String(id)]);
    const { runs } = Shown.parse((await rest.get(`/api/v1/schedules/${id}`)).body);
    expect(runs).toMatchObject([{ outcome: 'refused', code: CLOSED, job_id: null }]);
  });

  it('does not start what was accepted in time and waited until the window had closed', async () => {
    await service().stop();
    await service().cli(['window', 'disable', 'later']);
    const start = ['job', 'start', String(ID), 'host_reboot'];
    const accepted = await service().cli([...start, '--json']);
    expect(accepted.json).toMatchObject({ status: 'pending' });
    const { job_id } = z.object({ job_id: z.int() }).parse(accepted.json);
    await service().cli(['window', 'enable', 'later']);
    await service().start();
    const ended = await service().cli(['job', 'show', String(job_id), '--wait', '--json']);
    expect(ended.json).toMatchObject({ status: 'failed', error_code: CLOSED });
  });

  it('takes what changes nothing', async () => {
    for (const body of [{ job_type: 'os_patch', dry_run: true }, { job_type: 'os_update_check' }]) {
      const started = await rest.post(`/api/v1/servers/${ID}/jobs`, body);
      expect(started.status, started.text).toBe(202);
    }
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { useHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { type JobDetail, RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { enrol } from './enrol.ts';

const DOWN = 'host_unreachable';
const Started = z.object({ job: z.object({ id: z.int() }) });

describeWith('fleet', 'a job for a host that is down', () => {
  const host = useHost();
  const service = useService();
  let rest: RestClient;
  let id: number;
  beforeAll(async () => {
    rest = new RestClient(service().url, await service().token());
    id = await enrol(service(), host(), 'laptop', { options: ['--features', 'os_patch=on'] });
  });

  const check = (minutes: number) => ({ job_type: 'os_update_check', wait_for_host_minutes: minutes });
  const waits = (job: JobDetail): boolean => job.status === 'pending' && job.current !== null;

  it('waits through a kill of the service, holds nothing up, and runs once the host is back', async () => {
    await host().powerOff();
    const waiting = await rest.begin(id, check(10));
    const job = await rest.jobThat('waits', waiting, waits);
    expect(job).toMatchObject({ current: expect.stringContaining('laptop'), error_code: null });
    // A job of the same host that does not wait is not held up by it.
    expect(await rest.run(id, { job_type: 'os_patch', dry_run: true })).toMatchObject({
      status: 'failed',
      error_code: DOWN,
    });
    await service().kill9();
    await service().start();
    expect(waits(await rest.job(waiting))).toBe(true);
    await host().start();
    expect(await rest.jobEnd(waiting)).toMatchObject({ status: 'success', error_code: null });
  });

  describe('once the host is down again', () => {
    beforeAll(() => host().powerOff());

    it('is cancelled at once while it waits', async () => {
      const { job } = await service().ask(Started, [
        'job',
        'start',
        'laptop',
        'os_update_check',
        '--wait-for-host',
        '60',
      ]);
      await rest.jobThat('waits', job.id, waits);
      expect((await rest.post(`/api/v1/jobs/${job.id}/cancel`)).status).toBe(202);
      expect(await rest.job(job.id)).toMatchObject({ status: 'cancelled' });
    });

    it('fails with the usual code when its time is up', async () => {
      expect(await rest.run(id, check(1))).toMatchObject({ status: 'failed', error_code: DOWN });
    });

    it.each([
      [{ job_type: 'os_update_check', wait_for_host_minutes: 1_441 }, '/wait_for_host_minutes'],
      [{ job_type: 'os_update_check', wait_for_host_minutes: -1 }, '/wait_for_host_minutes'],
      [{ job_type: 'host_reboot', wait_for_host_minutes: 5 }, '/wait_for_host_minutes'],
    ])('is refused for %j', async (body, path) => {
      const { status, body: problem } = await rest.post(`/api/v1/servers/${id}/jobs`, body);
      expect(status).toBe(422);
      expect(JSON.stringify(problem)).toContain(path);
    });
  });
});

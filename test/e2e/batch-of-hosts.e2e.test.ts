import { beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { batchMemberSchema, batchSchema } from '../../src/adapters/inbound/api/views/batch-view.ts';
import { publish } from '../fleet/apt-repo.ts';
import { enrolAll } from '../fleet/enrol-all.ts';
import type { FleetHost } from '../fleet/host.ts';
import { useFleet } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { eventually } from '../support/processes.ts';
import { type JobDetail, RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';

const HOSTS = 20;
const AT_ONCE = 4;
/** Among the first to be patched after the canaries; its package cannot be configured. */
const FAILING = 'h14';

const Started = z.object({ batch_id: z.int() });
const Shown = z.object({ batch: batchSchema, members: z.array(batchMemberSchema) });
type Member = z.infer<typeof batchMemberSchema>;

const INSTALL = 'for name; do dpkg -i "/srv/apt/pool/stable/${name}_1.0_all.deb" >&2; done';
const VERSION = "dpkg-query -W -f '${Version}' demo-lib";
/** apt's changes so far. */
const PATCHED = 'cat /var/log/apt/history.log 2>/dev/null || :';

describeWith('fleet', 'patches of twenty hosts, of which one fails', () => {
  const hosts = useFleet(HOSTS);
  const service = useService();
  let rest: RestClient;
  beforeAll(async () => {
    await Promise.all(
      hosts().map(async (host) => {
        await host.exec(INSTALL, ['demo-lib', ...(host.name === FAILING ? ['demo-broken'] : [])]);
        await publish(host, 'v2');
      }),
    );
    const { secret } = await enrolAll(service().dataDir, hosts(), ['web']);
    rest = new RestClient(service().url, secret);
  });

  /** Starts a batch, and waits for its end. */
  const patch = async (body: object): Promise<z.infer<typeof Shown>> => {
    const reply = await rest.post('/api/v1/jobs', { job_type: 'os_patch', max_parallel: AT_ONCE, ...body });
    expect(reply.status, reply.text).toBe(202);
    const { batch_id } = Started.parse(reply.body);
    return eventually('the batch has ended', 120_000, async () => {
      const now = Shown.parse((await rest.get(`/api/v1/batches/${batch_id}`)).body);
      return now.batch.done ? now : undefined;
    });
  };
  const hostOf = (member: Member): FleetHost => {
    const found = hosts().find(({ name }) => name === member.server_name);
    if (!found) throw new Error(`there is no host ${member.server_name}`);
    return found;
  };
  const withStatus = (members: readonly Member[], status: Member['status']): Member[] =>
    members.filter((member) => member.status === status);

  it('stop as configured: the canaries first, no host after the failure, and unstarted ones are as they were', async () => {
    const selector = { tags: ['web'] };
    const { batch, members } = await patch({ selector, canary: 2, stop_after_failures: 1 });
    expect(batch).toMatchObject({ status: 'stopped', hosts: { total: HOSTS, failed: 1, skipped: 0 } });
    const [patched, untouched] = [withStatus(members, 'success'), withStatus(members, 'left_out')];
    expect(patched.length + untouched.length).toBe(HOSTS - 1);
    expect(untouched).not.toEqual([]);
    const failed = withStatus(members, 'failed');
    expect(failed.map(({ server_name }) => server_name)).toEqual([FAILING]);

    for (const member of patched) {
      expect(await hostOf(member).exec(VERSION)).toBe('1.0+deb12u1');
      expect(await hostOf(member).exec('dpkg --audit')).toBe('');
    }
    for (const member of untouched) {
      expect(await hostOf(member).exec(VERSION)).toBe('1.0');
      expect(await hostOf(member).exec(PATCHED)).toBe('');
    }
    const jobs = await Promise.all(members.flatMap(({ job_id }) => (job_id ? [rest.job(job_id)] : [])));
    const ended = ({ finished_at }: JobDetail): number => Date.parse(finished_at ?? '');
    const begun = (job: JobDetail): number => Date.parse(job.created_at);
    const canaries = Math.max(...jobs.slice(0, 2).map(ended));
    for (const job of jobs.slice(2)) expect(begun(job)).toBeGreaterThanOrEqual(canaries);
    // the loop may just have run when the host failed
    const failure = Math.max(...jobs.filter(({ id }) => id === failed[0]?.job_id).map(ended));
    expect(jobs.filter((job) => begun(job) > failure).length).toBeLessThanOrEqual(AT_ONCE);
  });

  it('name the package, and go on once that host is fixed: each is patched once', async () => {
    const failing = hosts().find(({ name }) => name === FAILING);
    expect(await failing?.exec('dpkg --audit')).toContain('demo-broken');
    expect((await rest.get('/api/v1/jobs?status_filter=failed')).text).toContain('demo-broken');
    await failing?.exec('dpkg --purge demo-broken >&2');
    const { batch } = await patch({ selector: { tags: ['web'] }, max_parallel: HOSTS });
    expect(batch).toMatchObject({ status: 'success', hosts: { success: HOSTS } });
    for (const host of hosts()) {
      expect(await host.exec(VERSION)).toBe('1.0+deb12u1');
      expect((await host.exec(PATCHED)).match(/^Upgrade: demo-lib/gm)).toHaveLength(1);
    }
  });
});

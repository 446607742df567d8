import { beforeAll, expect, it } from 'vitest';
import { installDemo, publish } from '../fleet/apt-repo.ts';
import { useHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { eventually } from '../support/processes.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { enrol } from './enrol.ts';

const APP = { kind: 'upgrade', name: 'demo-app', from: '1.0', to: '2.0', security: false };
const KERNEL = { kind: 'upgrade', name: 'demo-kernel', from: '1.0', to: '1.1', security: true };
const LIB = { kind: 'upgrade', name: 'demo-lib', from: '1.0', to: '1.0+deb12u1', security: true };

describeWith('fleet', 'a host with updates pending, one of them held', () => {
  const host = useHost();
  const service = useService();
  let rest: RestClient;
  let id: number;
  beforeAll(async () => {
    rest = new RestClient(service().url, await service().token());
    await installDemo(host(), { broken: true });
    await host().exec('apt-mark hold demo-lib demo-broken');
    await publish(host(), 'v2');
    id = await enrol(service(), host(), 'web', {
      user: 'drover',
      options: ['--sudo', '--features', 'os_patch=on'],
    });
  });

  const server = async () => (await rest.get(`/api/v1/servers/${id}`)).body;
  const run = (body: object) => rest.run(id, { job_type: 'os_patch', ...body });
  const begin = (body: object) => rest.post(`/api/v1/servers/${id}/jobs`, { job_type: 'os_patch', ...body });
  /** Leftovers of runs. */
  const LEFT = 'find /root/.drover/runs -mindepth 2 ! -name started ! -name forgotten';
  const version = (name: string) => host().exec('dpkg-query -W -f \'${Version}\' "$1"', [name]);

  it('is checked', async () => {
    expect(await rest.run(id, { job_type: 'os_update_check' })).toMatchObject({ status: 'success' });
    expect(await server()).toMatchObject({ os_updates_count: 2, security_updates_count: 1 });
  });

  it('tells in a dry run what would change, and changes nothing', async () => {
    const dry = await run({ dry_run: true });
    expect(dry).toMatchObject({
      status: 'success',
      summary: expect.stringContaining('which were not refreshed'),
      result: {
        dry_run: true,
        changes: [APP, KERNEL],
        changes_count: 2,
        security_count: 1,
        held: [{ name: 'demo-broken' }, { name: 'demo-lib', from: '1.0', to: '1.0+deb12u1', held: true }],
        kept_back: [],
      },
    });
    expect(dry.summary).toContain('2 held');
    const { body } = await rest.get(`/api/v1/jobs/${dry.id}?detail=true`);
    const said = JSON.stringify(body);
    expect(said).toContain('Held on the host: demo-lib 1.0 -> 1.0+deb12u1');
    expect(said).toContain(`start the job with the same parameters and plan ${dry.id} before`);
    expect(await version('demo-app')).toBe('1.0');
  });

  it('is patched by the plan, reports what changed, what was held and that it needs a reboot, and leaves nothing', async () => {
    const dry = await run({ dry_run: true });
    expect(dry.result).toMatchObject({ plan_id: dry.id, plan_expires_at: expect.any(String) });
    const done = await run({ plan_id: dry.id });
    expect(done, done.error ?? '').toMatchObject({
      status: 'success',
      result: {
        dry_run: false,
        plan_id: dry.id,
        changes: [APP, KERNEL],
        held: [{ name: 'demo-broken' }, { name: 'demo-lib' }],
        kept_back: [],
        reboot_pending: true,
      },
    });
    expect(done.phases.map(({ name }) => name)).toEqual([
      'Reading the host',
      'Working out the upgrade',
      'Reading the host',
      'Upgrading packages',
      'Removing packages that are no longer needed',
      'Reading the host',
    ]);
    expect(done.phases[3]).toMatchObject({ done: 2, total: 2, unit: 'packages' });
    expect(await version('demo-app')).toBe('2.0');
    expect(await version('demo-lib')).toBe('1.0');
    expect(await server()).toMatchObject({
      os_updates_count: 0,
      security_updates_count: 0,
      reboot_pending: true,
    });
    // It goes once the result is stored, when the job shows as ended; a mark prevents a late start for a week.
    await eventually('the run is removed', 60_000, async () =>
      (await host().exec(LEFT)) === '' ? true : undefined,
    );
    expect(await begin({ plan_id: dry.id })).toMatchObject({ status: 409, body: { code: 'plan_used' } });
  });

  it('does nothing by a plan that it has outgrown, and says how', async () => {
    await host().exec('apt-mark unhold demo-lib');
    const dry = await run({ dry_run: true });
    expect(dry.result).toMatchObject({ changes: [LIB] });
    await host().exec('apt-mark hold demo-lib');
    expect(await run({ plan_id: dry.id })).toMatchObject({
      status: 'failed',
      error_code: 'plan_drifted',
      error: expect.stringContaining('no longer needed: demo-lib 1.0 -> 1.0+deb12u1'),
      result: { changes: [], drift_count: 1, no_longer: [LIB], instead: [] },
    });
    expect(await version('demo-lib')).toBe('1.0');
  });

  it('takes no plan that is none for it', async () => {
    const check = await rest.run(id, { job_type: 'os_update_check', dry_run: true });
    for (const plan_id of [check.id, 9_999]) {
      expect(await begin({ plan_id })).toMatchObject({ status: 404, body: { code: 'plan_not_found' } });
    }
    expect(await begin({ plan_id: check.id, dry_run: true })).toMatchObject({ status: 422 });
  });

  it('is cancelled while it waits for another package manager: nothing is changed, and nothing is left', async () => {
    await host().exec('apt-mark unhold demo-lib');
    const holding =
      'import fcntl, time; f = open("/var/lib/dpkg/lock-frontend", "w"); fcntl.lockf(f, fcntl.LOCK_EX); time.sleep(300)';
    await host().exec('setsid python3 -c "$1" >/dev/null 2>&1 </dev/null & echo $! >/run/holder; sleep 1', [
      holding,
    ]);
    const job = await rest.begin(id, { job_type: 'os_patch' });
    await eventually('it waits', 60_000, async () =>
      JSON.stringify(await rest.job(job)).includes('waiting for it') ? true : undefined,
    );
    await rest.post(`/api/v1/jobs/${job}/cancel`, {});
    expect(await rest.jobEnd(job)).toMatchObject({
      status: 'cancelled',
      summary: 'Cancelled before any package was changed.',
    });
    await host().exec('kill $(cat /run/holder)');
    expect(await version('demo-lib')).toBe('1.0');
    await eventually('the run is removed', 60_000, async () =>
      (await host().exec(LEFT)) === '' ? true : undefined,
    );
  });

  it('fails if a package cannot be configured, names it and reports what changed all the same', async () => {
    await host().exec('apt-mark unhold demo-lib demo-broken');
    const failed = await run({ os_steps: ['upgrade'] });
    expect(failed).toMatchObject({
      status: 'failed',
      error_code: 'patch_failed',
      error: expect.stringMatching(/demo-broken.*dpkg --configure -a/),
      result: { changes: [{ name: 'demo-broken', to: '1.1' }, LIB] },
    });
    expect(await host().exec('dpkg --audit')).toContain('demo-broken');
  });

  it('reports a package that is not configured before it is patched again', async () => {
    const unfinished =
      'These packages are only partly installed; an update finishes them first: demo-broken.';
    expect(await run({ dry_run: true })).toMatchObject({ result: { notes: [unfinished] } });
    const checked = await rest.run(id, { job_type: 'os_update_check' });
    expect(checked).toMatchObject({
      result: { updates_count: 0, notes: expect.arrayContaining([unfinished]) },
    });
  });
});

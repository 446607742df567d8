import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { type SystemdHost, startSystemdHost } from '../fleet/systemd-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { eventually } from '../support/processes.ts';
import { type JobDetail, RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { addSystemdHost } from './add-systemd-host.ts';
import { SlowPatches } from './slow-patches.ts';
import { WEB_PORT, WebPackage } from './web-package.ts';

const Guarded = z.object({ guard: z.object({ saved: z.object({ path: z.string(), bytes: z.int() }) }) });
/** A guarded update copies, backs up, and gives services half a minute: on a busy machine that takes minutes. */
const WITHIN_MS = 200_000;
const GUARDED = { guard: true, observe_minutes: 0 };
const CHECK = `http ${WEB_PORT} / 200 demo-web`;

describeWith(['fleet', 'families', 'nspawn'], 'guarded package updates', () => {
  const service = useService();
  let host: SystemdHost;
  const web = new WebPackage(() => host);
  const slow = new SlowPatches(() => host);
  let rest: RestClient;
  let id: number;
  let failed: JobDetail;
  beforeAll(async () => {
    host = await startSystemdHost();
    await web.install('1.0');
    rest = new RestClient(service().url, await service().token());
    id = await addSystemdHost(service(), host, 'os_patch=on,backup=on');
    const checked = await service().cli(['server', 'edit', 'real', '--check', CHECK, '--check', 'tcp 9']);
    expect(checked.code, checked.stderr).toBe(0);
  }, 300_000);
  afterAll(() => host?.stop());

  const run = async (body: object = {}) =>
    rest.jobEnd(await rest.begin(id, { job_type: 'os_patch', ...GUARDED, ...body }), WITHIN_MS);
  const copies = async () => (await host.exec('ls /var/backups/drover 2>/dev/null || :')).trim().split('\n');

  it('keep the previous configuration and the package database on the server, and say so in the dry run', async () => {
    await web.publish('1.1');
    await rest.run(id, { job_type: 'os_update_check' });
    const dry = await run({ dry_run: true });
    expect(dry, dry.error ?? '').toMatchObject({
      status: 'success',
      result: {
        changes: [{ name: 'demo-web', to: '1.1' }],
        guard: { saves: expect.arrayContaining(['/etc']), checks: [CHECK, 'tcp 9'], observe_minutes: 0 },
      },
    });
    const done = await run({ plan_id: dry.id });
    expect(done, done.log_lines?.join('\n')).toMatchObject({
      status: 'success',
      result: {
        changes: [{ name: 'demo-web', from: '1.0', to: '1.1' }],
        guard: { worse: [], failed_before: ['tcp 9'] },
      },
    });
    const { saved } = Guarded.parse(done.result).guard;
    expect(saved.bytes).toBeGreaterThan(1_000);
    expect(await host.exec('tar -xzOf "$1/files.tar.gz" etc/demo-web.conf', [saved.path])).toBe(
      'version=1.0\n',
    );
    expect(await host.exec('tar -xzOf "$1/files.tar.gz" var/lib/dpkg/status', [saved.path])).toMatch(
      /Package: demo-web\n[^]*?Version: 1\.0\n/,
    );
    expect(await host.exec('stat -c %a /var/backups/drover "$1" "$1/files.tar.gz"', [saved.path])).toBe(
      '700\n700\n600\n',
    );
  });

  it('leave no copy behind if there is nothing to update', async () => {
    const before = await copies();
    expect(await run()).toMatchObject({ status: 'success', result: { changes: [] } });
    expect(await copies()).toEqual(before);
  });

  it('fail if a unit, a port or a check is worse than before, and name that and the packages', async () => {
    await service().cli(['source', 'add', 'real', '--name', 'config', '--path', '/etc']);
    await web.publish('2.0', 'broken');
    failed = await run();
    expect(failed, failed.log_lines?.join('\n')).toMatchObject({
      status: 'failed',
      error_code: 'patch_unhealthy',
      error: expect.stringContaining('demo-web 1.1 -> 2.0'),
      result: {
        changes: [{ name: 'demo-web', from: '1.1', to: '2.0' }],
        guard: {
          backups: ['config'],
          worse: [
            { kind: 'unit', name: 'demo-web.service' },
            { kind: 'port', name: `tcp 0.0.0.0:${WEB_PORT}` },
            { kind: 'check', name: CHECK },
          ],
        },
      },
    });
    const { body } = await rest.get(`/api/v1/servers/${id}/snapshots`);
    expect(body).toMatchObject({ snapshots: [{ source: 'config' }] });
  });

  it('that failed are undone by a downgrade, which a user starts by its plan', async () => {
    const shown = await service().cli(['job', 'show', String(failed.id)]);
    expect(shown.stdout).toContain('demo-web.service');
    expect(shown.stdout).toContain(`drover job downgrade ${failed.id}`);
    const over = { job_type: 'os_downgrade', dry_run: true };
    expect((await rest.post(`/api/v1/servers/${id}/jobs`, over)).status).toBe(422);

    const dry = await service().cli(['job', 'downgrade', String(failed.id), '--wait', '--json']);
    const down = { kind: 'downgrade', name: 'demo-web', from: '2.0', to: '1.1' };
    expect(dry.json, dry.stderr).toMatchObject({ result: { changes: [down], left_alone: [] } });
    expect(await web.version()).toBe('2.0');
    const plan = String((dry.json as JobDetail).id);
    const done = await service().cli([
      'job',
      'downgrade',
      String(failed.id),
      '--plan',
      plan,
      '--wait',
      '--json',
    ]);
    expect(done.json, done.stderr).toMatchObject({ status: 'success', result: { changes: [down] } });
    expect(await web.version()).toBe('1.1');
    await eventually('its service runs', 60_000, async () => (await web.works()) || undefined);
  });

  it('go on while the service is down, and report what they found', async () => {
    await slow.prepare();
    await web.publish('3.0');
    const job = await slow.begin(rest, id, GUARDED, WITHIN_MS);
    await service().kill9();
    await service().start();
    await host.exec('touch /srv/slow/go');
    expect(await rest.jobEnd(job, WITHIN_MS)).toMatchObject({
      status: 'success',
      result: { guard: { worse: [] } },
    });
    expect(await web.works()).toBe(true);
  });

  it('that a reboot interrupts are completed, and report what changed', async () => {
    const job = await slow.begin(rest, id, GUARDED, WITHIN_MS);
    await host.tryExec('systemctl reboot --force --force');
    await eventually('the host is back', 60_000, async () =>
      (await host.tryExec('touch /srv/slow/go')).code === 0 ? true : undefined,
    );
    const ended = await rest.jobEnd(job, WITHIN_MS);
    expect(ended, ended.log_lines?.join('\n')).toMatchObject({
      status: 'failed',
      error_code: 'work_interrupted',
      result: {
        changes: [{ name: 'demo-slow', from: '1.1', to: '1.2' }],
        guard: { worse: expect.any(Array) },
      },
    });
    expect(await host.exec('dpkg --audit')).toBe('');
  });

  it('keep the newest three copies of the four that were taken', async () => {
    expect(await copies()).toHaveLength(3);
  });
});

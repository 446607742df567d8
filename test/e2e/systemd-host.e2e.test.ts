import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SystemdHost, startSystemdHost } from '../fleet/systemd-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { eventually } from '../support/processes.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { addSystemdHost } from './add-systemd-host.ts';
import { SlowPatches } from './slow-patches.ts';

const BOOTED_WITHIN_MS = 120_000;

describeWith(['fleet', 'families', 'nspawn'], 'a host that systemd boots', () => {
  const service = useService();
  let host: SystemdHost;
  const patches = new SlowPatches(() => host);
  let rest: RestClient;
  let id: number;
  beforeAll(async () => {
    host = await startSystemdHost();
    await patches.prepare();
    rest = new RestClient(service().url, await service().token());
    id = await addSystemdHost(service(), host, 'os_patch=on');
  }, BOOTED_WITHIN_MS);
  afterAll(() => host?.stop());

  const bootId = async () => (await host.exec('cat /proc/sys/kernel/random/boot_id')).trim();

  it('goes on with a patch although all that SSH had started is killed: the work is a separate unit', async () => {
    const job = await patches.begin(rest, id);
    const units = 'systemctl list-units --no-legend --plain "drover-run-*"';
    expect(await host.exec(units)).toMatch(/^drover-run-\S+\.service +loaded +active/);
    await host.tryExec('systemctl kill --kill-who=all --signal=KILL ssh.service');
    const ended = await eventually('the host can be reached again', 60_000, async () =>
      (await host.tryExec('systemctl is-active ssh.service')).code === 0 ? true : undefined,
    ).then(() => patches.end(rest, job));
    await patches.expectWhole(ended);
    expect(await host.exec(units)).toBe('');
  });

  it('is restarted after its grace, and is back with another boot id', async () => {
    const former = await bootId();
    const done = await rest.run(id, { job_type: 'host_reboot', grace_seconds: 3 });
    expect(done, done.error ?? '').toMatchObject({
      status: 'success',
      result: { former_boot_id: former, boot_id: await bootId(), reboot_pending: false },
    });
    expect(await bootId()).not.toBe(former);
    expect(done.log_lines?.join('\n')).toMatch(/The host restarts at .*The host was asked to restart/s);
  });

  it('is left as it is where the job is cancelled within its grace', async () => {
    const former = await bootId();
    const job = await rest.begin(id, { job_type: 'host_reboot', grace_seconds: 600 });
    await rest.jobThat('waits', job, ({ current }) => current?.startsWith('Restarts in') === true);
    expect(await rest.post(`/api/v1/jobs/${job}/cancel`)).toMatchObject({ status: 202 });
    expect(await rest.jobEnd(job)).toMatchObject({ status: 'cancelled' });
    expect(await bootId()).toBe(former);
  });

  it('reports that a patch was interrupted if the host reboots in its middle', async () => {
    const job = await patches.begin(rest, id);
    await host.tryExec('systemctl reboot --force --force');
    expect(await rest.jobEnd(job)).toMatchObject({ status: 'failed', error_code: 'work_interrupted' });
    await host.exec('touch /srv/slow/go');
    // It first completes what the reboot interrupted.
    expect(await rest.run(id, { job_type: 'os_patch' })).toMatchObject({ status: 'success' });
    expect(await host.exec('dpkg --audit')).toBe('');
  });
});

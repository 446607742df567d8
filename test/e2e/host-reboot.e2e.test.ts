import { beforeAll, expect, it } from 'vitest';
import { REBOOT } from '../../src/application/fleet/reboot-scripts.ts';
import { useHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { eventually } from '../support/processes.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { enrol } from './enrol.ts';

/** The test hosts have no init that restarts them: this one only records the request, and the test cuts the power. */
const SHUTDOWN = `cat >/usr/local/sbin/shutdown <<'END'
#!/bin/sh
echo "$*" >>/srv/asked
END
chmod 755 /usr/local/sbin/shutdown`;

describeWith('fleet', 'a host that is restarted', () => {
  const host = useHost();
  const service = useService();
  let rest: RestClient;
  let id: number;
  beforeAll(async () => {
    rest = new RestClient(service().url, await service().token());
    await host().exec(SHUTDOWN);
    await host().exec('touch /run/reboot-required');
    id = await enrol(service(), host(), 'web', { options: ['--features', 'os_patch=on'] });
  });

  const bootId = async () => (await host().exec('cat /proc/sys/kernel/random/boot_id')).trim();
  const asked = () =>
    eventually('the host was asked to restart', 60_000, async () =>
      (await host().tryExec('cat /srv/asked')).code === 0 ? true : undefined,
    );

  it('is left alone by a dry run', async () => {
    expect(await rest.run(id, { job_type: 'host_reboot', dry_run: true })).toMatchObject({
      status: 'success',
      result: { dry_run: true, reboot_pending: true },
    });
    expect((await host().tryExec('cat /srv/asked')).code).not.toBe(0);
  });

  it('is waited for, also by a service that was killed meanwhile, until it is back', async () => {
    const former = await bootId();
    const job = await rest.begin(id, { job_type: 'host_reboot' });
    await asked();
    expect(await rest.post(`/api/v1/servers/${id}/jobs`, { job_type: 'os_update_check' })).toMatchObject({
      status: 409,
    });
    await host().powerOff();
    await service().kill9();
    await service().start();
    await host()
      .exec('rm -f /run/reboot-required')
      .catch(() => undefined);
    await host().start();
    const ended = await rest.jobEnd(job);
    expect(ended, ended.error ?? '').toMatchObject({
      status: 'success',
      result: { former_boot_id: former, boot_id: await bootId(), reboot_pending: false },
    });
    expect(await host().readFile('/srv/asked')).toBe('-r now\n');
    expect((await rest.get(`/api/v1/servers/${id}`)).body).toMatchObject({ reboot_pending: false });
    // A worker that was halted before it asked may ask only now: the boot that it meant is over.
    await host().exec(REBOOT, [former]);
    await host().exec(REBOOT, [await bootId()]);
    const all = await eventually('the later one asks', 60_000, async () => {
      const text = await host().readFile('/srv/asked');
      return text === '-r now\n' ? undefined : text;
    });
    expect(all).toBe('-r now\n-r now\n');
  });

  it('is not the machine that the service runs on', async () => {
    expect((await service().cli(['server', 'features', '1', 'os_patch=on'])).code).toBe(0);
    expect(await rest.run(1, { job_type: 'host_reboot' })).toMatchObject({
      status: 'failed',
      error_code: 'host_unsupported',
    });
  });
});

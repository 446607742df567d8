import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { composeByPodman, publishByPodman, waitForPodman } from '../fleet/podman.ts';
import { usePodmanHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { eventually } from '../support/processes.ts';
import { type JobDetail, RestClient } from '../support/rest-client.ts';
import { rounds } from '../support/rounds.ts';
import { useService } from '../support/service.ts';
import { enrol } from './enrol.ts';

const SHOP = '/srv/stacks/shop';
const IMAGE = 'localhost:5000/team/shop:1';
const KILLS = rounds(1, 20);
const MAX_LIFE_MS = 4_000;
const ENDED_WITHIN_MS = 60_000;
const UNIT = `[Service]
ExecStart=/bin/sleep infinity
`;
/** When each of the two was started, and whether it runs. */
const SEEN = `printf '%s %s' "$(systemctl is-active demo.service)" "$(podman ps -q --filter label=com.docker.compose.project=shop | wc -l)"`;

/** Backups that stop a unit and a compose project, and the service that is killed meanwhile. */
describeWith('podman', 'a backup that stops what it reads', () => {
  const host = usePodmanHost();
  const service = useService();
  let rest: RestClient;
  let id: number;
  beforeAll(async () => {
    await waitForPodman(host());
    await host().writeFile('/etc/systemd/system/demo.service', UNIT);
    await host().writeFile('/etc/systemd/system/idle.service', UNIT);
    await host().exec('systemctl daemon-reload && systemctl start demo.service');
    await publishByPodman(host(), IMAGE, 'v1');
    const compose = { services: { web: { image: IMAGE, restart: 'unless-stopped' }, db: { image: IMAGE } } };
    await host().writeFile(`${SHOP}/compose.yaml`, JSON.stringify(compose));
    await composeByPodman(host(), SHOP, ['up', '-d', '--wait']);
    await host().exec('mkdir -p /srv/data && head -c 30000000 /dev/urandom >/srv/data/large');
    rest = new RestClient(service().url, await service().token());
    id = await enrol(service(), host(), 'web', {
      user: 'drover',
      options: ['--sudo', '--features', 'backup=on'],
    });
    const stops = ['unit:demo', 'unit:idle', 'compose:shop'].flatMap((what) => ['--stop', what]);
    const args = ['source', 'add', 'web', '--name', 'data', '--path', '/srv/data', ...stops];
    expect(await service().cli(args)).toMatchObject({ code: 0 });
  });

  const seen = (): Promise<string> => host().exec(SEEN);
  const touch = () =>
    host().exec('date +%N >/srv/data/changed; head -c 8000000 /dev/urandom >/srv/data/other');
  const ended = (job: number): Promise<JobDetail> =>
    eventually('the job has ended', ENDED_WITHIN_MS, async () => {
      const now = await rest.job(job);
      return now.done ? now : undefined;
    });
  const stopped = () =>
    eventually('it is stopped', ENDED_WITHIN_MS, async () =>
      (await seen()) === 'inactive 0' ? true : undefined,
    );

  it('says before what it would stop, and starts it again', async () => {
    const plan = await rest.run(id, { job_type: 'backup', dry_run: true });
    expect(plan).toMatchObject({
      status: 'success',
      result: {
        stops: [
          { source: 'data', kind: 'unit', name: 'demo.service' },
          { source: 'data', kind: 'unit', name: 'idle.service' },
          { source: 'data', kind: 'compose', name: 'shop' },
        ],
      },
    });
    expect(await seen()).toBe('active 2');
    const done = await rest.run(id, { job_type: 'backup' });
    expect(done).toMatchObject({ status: 'success', error: null });
    expect(done.log_lines?.join('\n')).toContain('Stopped: unit demo.service.');
    expect(await seen()).toBe('active 2');
    expect((await host().tryExec('systemctl is-active idle.service')).stdout.trim()).toBe('inactive');
    const listed = await rest.get(`/api/v1/servers/${id}/sources`);
    expect(listed.text).toContain('{"kind":"compose","name":"shop"}');
  });

  it('starts it again in a job that is cancelled, and in one whose connection is cut', async () => {
    await touch();
    const job = await rest.begin(id, { job_type: 'backup' });
    await stopped();
    await rest.post(`/api/v1/jobs/${job}/cancel`);
    expect((await ended(job)).status).toBeOneOf(['cancelled', 'success']);
    expect(await seen()).toBe('active 2');
    await touch();
    const cut = await rest.begin(id, { job_type: 'backup' });
    await stopped();
    await host().cut();
    await sleep(3_000);
    await host().heal();
    expect((await ended(cut)).status).toBeOneOf(['failed', 'success']);
    expect(await seen()).toBe('active 2');
  });

  it('starts again what a restart of the host leaves stopped', async () => {
    await touch();
    const job = await rest.begin(id, { job_type: 'backup' });
    await stopped();
    await host().powerOff();
    await host().start();
    await waitForPodman(host());
    expect((await ended(job)).status).toBeOneOf(['failed', 'success']);
    expect(await seen()).toBe('active 2');
    expect((await host().tryExec('systemctl is-active idle.service')).stdout.trim()).toBe('inactive');
  });

  it('reads nothing where something cannot be stopped, and says what did not start', async () => {
    const add = (name: string, what: string) =>
      service().cli(['source', 'add', 'web', '--name', name, '--path', '/srv/data', '--stop', what]);
    const added = await add('gone', 'unit:gone');
    expect([added.code, added.stdout]).toEqual([
      0,
      expect.stringContaining('unit gone.service is not on the host'),
    ]);
    expect(await service().cli(['source', 'check', 'web', 'gone', '--json'])).toMatchObject({
      code: 1,
      json: { ok: false, checks: [{ kind: 'hook', ok: false, code: 'hook_failed' }] },
    });
    expect(await service().cli(['source', 'check', 'web', 'data'])).toMatchObject({ code: 0 });
    const dry = await rest.run(id, { job_type: 'backup', source_filter: 'gone', dry_run: true });
    expect(dry).toMatchObject({ status: 'failed', error_code: 'hook_failed' });
    const gone = await rest.run(id, { job_type: 'backup', source_filter: 'gone' });
    expect(gone).toMatchObject({ status: 'failed', error_code: 'hook_failed' });
    await host().exec('mkdir -p /run/systemd/system/frail.service.d');
    await host().writeFile(
      '/etc/systemd/system/frail.service',
      '[Service]\nExecStartPre=/bin/test -e /srv/may-start\nExecStart=/bin/sleep infinity\n',
    );
    await host().exec(
      'touch /srv/may-start; systemctl daemon-reload; systemctl start frail; rm /srv/may-start',
    );
    expect(await add('frail', 'unit:frail')).toMatchObject({ code: 0 });
    const frail = await rest.run(id, { job_type: 'backup', source_filter: 'frail' });
    expect(frail).toMatchObject({ status: 'failed', error_code: 'hook_failed' });
    expect(frail.error).toContain('unit frail.service');
    for (const name of ['gone', 'frail']) await service().cli(['source', 'remove', 'web', name, '--yes']);
  });

  it(`starts it again at once when the service is killed and comes back, ${KILLS} times of ${KILLS}`, async () => {
    let heldAtKill = 0;
    for (let round = 0; round < KILLS; round += 1) {
      await touch();
      const job = await rest.begin(id, { job_type: 'backup' });
      if (round % 2 === 0) await stopped();
      else await sleep(Math.random() * MAX_LIFE_MS);
      await service().kill9();
      if ((await seen()) !== 'active 2') heldAtKill += 1;
      await service().start();
      const after = await ended(job);
      expect(after.error_code ?? after.status).toBeOneOf(['success', 'worker_lost']);
      expect(await seen()).toBe('active 2');
    }
    console.info(`killed ${KILLS} times, ${heldAtKill} of them while it was stopped`);
    expect(heldAtKill).toBeGreaterThan(0);
  }, 3_600_000);
});

import { beforeAll, expect, it } from 'vitest';
import { emptyDocker, imageName, publishImage, waitForDocker } from '../fleet/docker.ts';
import { useDockerHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { eventually } from '../support/processes.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { enrol } from './enrol.ts';
import { listed } from './snapshots.ts';

const SHOP = '/srv/stacks/shop';
const IMAGE = imageName('shop');
const WITHIN_MS = 90_000;
const PASSWORD = 'correct horse battery';
/** Names of the services that run, in alphabetical order. */
const RUNNING = `docker ps --filter label=com.docker.compose.project=shop --format '{{.Label "com.docker.compose.service"}}' | sort | tr '\\n' ' '`;
/** When each was started last. */
const STARTED = `docker ps -aq --filter label=com.docker.compose.project=shop | xargs docker inspect --format '{{.Name}} {{.State.StartedAt}}' | sort`;

describeWith('docker', 'a backup that stops a Compose project of Docker', () => {
  const host = useDockerHost();
  const service = useService();
  let rest: RestClient;
  let id: number;
  beforeAll(async () => {
    await waitForDocker(host());
    await emptyDocker(host());
    await publishImage(host(), IMAGE, 'v1');
    // a container that was stopped manually comes back with the host only under the first policy, and "idle" is not
    // running at all
    const services = {
      always: { image: IMAGE, restart: 'always' },
      idle: { image: IMAGE, restart: 'unless-stopped' },
      never: { image: IMAGE, restart: 'no' },
      unless: { image: IMAGE, restart: 'unless-stopped' },
    };
    await host().writeFile(`${SHOP}/compose.yaml`, JSON.stringify({ services }));
    await host().exec('cd "$1" && docker compose up -d --wait >&2 && docker compose stop idle >&2', [SHOP]);
    await host().exec('mkdir -p /srv/data && head -c 20000000 /dev/urandom >/srv/data/large');
    rest = new RestClient(service().url, await service().token());
    id = await enrol(service(), host(), 'web', {
      user: 'drover',
      options: ['--sudo', '--features', 'backup=on'],
    });
    await host().exec('install -d -o drover /srv/repository');
    const repository = ['repository', 'add', 'disk', '--url', '/srv/repository', '--password-file', '-'];
    expect(await service().cli(repository, { input: PASSWORD })).toMatchObject({ code: 0 });
    for (const [name, ...options] of [['tree'], ['restic', '--repository', 'disk']] as const) {
      const source = [
        'source',
        'add',
        'web',
        '--name',
        name,
        '--path',
        '/srv/data',
        '--stop',
        'compose:shop',
      ];
      expect(await service().cli([...source, ...options])).toMatchObject({ code: 0 });
    }
  });

  const running = async () => (await host().exec(RUNNING)).trim();
  const stopped = () =>
    eventually('all of it is stopped', WITHIN_MS, async () => ((await running()) === '' ? true : undefined));
  const ended = (job: number) =>
    eventually('the job has ended', WITHIN_MS, async () => {
      const now = await rest.job(job);
      return now.done ? now : undefined;
    });
  const more = () => host().exec('head -c 20000000 /dev/urandom >/srv/data/large');

  it.each(['tree', 'restic'])('starts exactly what ran, with the engine of "%s"', async (source) => {
    const before = await host().exec(STARTED);
    const done = await rest.run(id, { job_type: 'backup', source_filter: source });
    expect(done, done.error ?? '').toMatchObject({ status: 'success' });
    expect(await running()).toBe('always never unless');
    const after = await host().exec(STARTED);
    const [same, others] = [before.split('\n'), after.split('\n')].map((lines) =>
      lines.filter((line) => line.includes('idle')),
    );
    expect(same).toEqual(others);
    expect(after.split('\n').filter((line) => before.includes(line) && line !== '')).toEqual(same);
    const [snapshot] = await listed(rest, id);
    expect(snapshot).toMatchObject({ engine: source === 'tree' ? 'rsync' : 'restic', file_count: 1 });
  });

  it.each(['tree', 'restic'])(
    'starts it again when the job is cancelled, with the engine of "%s"',
    async (source) => {
      await more();
      const job = await rest.begin(id, { job_type: 'backup', source_filter: source });
      await stopped();
      await rest.post(`/api/v1/jobs/${job}/cancel`);
      expect((await ended(job)).status).toBeOneOf(['cancelled', 'success']);
      expect(await running()).toBe('always never unless');
    },
  );

  it('starts what does not come back with a host that restarts in the middle', async () => {
    await more();
    const job = await rest.begin(id, { job_type: 'backup', source_filter: 'tree' });
    await stopped();
    await host().powerOff();
    await host().start();
    await waitForDocker(host());
    // all may have been read before
    expect((await ended(job)).status).toBeOneOf(['failed', 'success']);
    expect(await running()).toBe('always never unless');
  });

  it('starts it also if the service was killed before the host restarted', async () => {
    await more();
    const job = await rest.begin(id, { job_type: 'backup', source_filter: 'restic' });
    await stopped();
    await service().kill9();
    await host().powerOff();
    await host().start();
    await waitForDocker(host());
    expect(await running()).toBe('always');
    await service().start();
    const after = await ended(job);
    expect(after.error_code ?? after.status).toBeOneOf(['success', 'worker_lost']);
    expect(await running()).toBe('always never unless');
    expect(await rest.run(id, { job_type: 'backup' })).toMatchObject({ status: 'success' });
  });
});

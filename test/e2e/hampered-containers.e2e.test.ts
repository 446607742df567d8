import { beforeAll, beforeEach, expect, it } from 'vitest';
import { emptyDocker, imageName, publishImage, waitForDocker } from '../fleet/docker.ts';
import { useDockerHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { enrol } from './enrol.ts';

const SHOP = '/srv/stacks/shop';
const app = imageName('app');
const RUNS = '/root/.drover/runs';
/** A program that the image does not have: the container is recreated, and cannot start. */
const BROKEN = JSON.stringify({ services: { web: { image: app, command: ['/nowhere'] } } });
/** From less than a run needs to start to some pages beyond: its next record finds no space. */
const TIGHT_KIB = [16, 56, 60, 64];

describeWith('docker', 'containers of a host that is in trouble', () => {
  const host = useDockerHost();
  const service = useService();
  let rest: RestClient;
  let id: number;
  beforeAll(async () => {
    await waitForDocker(host());
    await emptyDocker(host());
    await publishImage(host(), app, 'v1');
    rest = new RestClient(service().url, await service().token());
    id = await enrol(service(), host(), 'web', { options: ['--features', 'docker=on'] });
  });
  beforeEach(async () => {
    await host().writeFile(`${SHOP}/compose.yaml`, JSON.stringify({ services: { web: { image: app } } }));
    await host().exec('cd "$1" && docker compose up -d --wait >&2', [SHOP]);
  });

  const deploy = () => rest.run(id, { job_type: 'docker_stack_deploy', source_filter: SHOP });
  const running = async () =>
    (await host().exec("docker ps --format '{{.Names}} {{.Status}}'")).replace(/Up .*/, 'Up').trim();

  it('without a health check count as well once they have run for ten seconds', async () => {
    await publishImage(host(), app, 'plain');
    const job = await rest.run(id, { job_type: 'container_patch', source_filter: SHOP });
    expect(job, job.error ?? '').toMatchObject({ status: 'success', result: { changes_count: 1 } });
    expect(await running()).toBe('shop-web-1 Up');
    const asked = { job_type: 'docker_stack_restart', source_filter: SHOP };
    expect(await rest.run(id, asked)).toMatchObject({ status: 'success' });
  });

  it('without a health check that end within these ten seconds are reported', async () => {
    const web = { image: app, command: ['sh', '-c', 'sleep 2; exit 3'] };
    await host().writeFile(`${SHOP}/compose.yaml`, JSON.stringify({ services: { web } }));
    expect((await deploy()).error).toContain('web ended with exit code 3');
  });

  it.each(TIGHT_KIB)('go on as they were where %i KiB are too few to note them down', async (kib) => {
    await host().exec('mkdir -p "$1" && mount -t tmpfs -o "size=$2k" tmpfs "$1"', [RUNS, String(kib)]);
    try {
      await host().writeFile(`${SHOP}/compose.yaml`, BROKEN);
      const job = await deploy();
      expect(await running(), job.error ?? '').toBe('shop-web-1 Up');
      expect(job).toMatchObject({
        status: 'failed',
        error: expect.stringMatching(/ room | space | is full\./),
      });
    } finally {
      await host().exec('umount --lazy "$1"', [RUNS]);
    }
  });

  it('of a project with more services than are managed are let alone, and it is said why', async () => {
    const many = Array.from({ length: 201 }, (_, index) => [`s${index}`, { image: app }]);
    await host().writeFile(`${SHOP}/compose.yaml`, JSON.stringify({ services: Object.fromEntries(many) }));
    const job = await deploy();
    expect(job).toMatchObject({ status: 'failed', error_code: 'compose_invalid' });
    expect(job.error).toContain('201 services');
    expect(await running()).toBe('shop-web-1 Up');
  });

  it('are not reported if the engine is down, which is reported in its own words', async () => {
    await host().exec('mv /var/run/docker.sock /var/run/docker.sock.away');
    try {
      const job = await rest.run(id, { job_type: 'container_update_check' });
      expect(job).toMatchObject({ status: 'failed', error_code: 'host_command_failed' });
      expect(job.error).toContain('Cannot connect to the Docker daemon');
    } finally {
      await host().exec('mv /var/run/docker.sock.away /var/run/docker.sock');
    }
  });
});

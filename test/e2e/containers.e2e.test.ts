import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyDocker, imageName, publishImage, waitForDocker } from '../fleet/docker.ts';
import { useDockerHost } from '../fleet/use-host.ts';
import { Agent } from '../support/agent.ts';
import { Person } from '../support/browser.ts';
import { describeWith } from '../support/capabilities.ts';
import { Effort } from '../support/effort.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { enrol } from './enrol.ts';

const SHOP = '/srv/stacks/shop';
const BLOG = '/srv/stacks/blog';
const app = imageName('app');
const other = imageName('other');
const file = (image: string) => JSON.stringify({ services: { web: { image } } });

describeWith('docker', 'a host with compose projects', () => {
  const host = useDockerHost();
  const service = useService();
  let rest: RestClient;
  let id: number;
  let v1: string;
  let v2: string;
  beforeAll(async () => {
    await waitForDocker(host());
    await emptyDocker(host());
    v1 = await publishImage(host(), app, 'v1');
    await publishImage(host(), other, 'v1');
    await host().writeFile(`${SHOP}/compose.yaml`, file(app));
    await host().writeFile(`${BLOG}/compose.yaml`, file(other));
    await host().exec(
      'for each in shop blog; do (cd "/srv/stacks/$each" && docker compose up -d --wait >&2); done; cd /srv/stacks/blog && docker compose stop >&2',
    );
    rest = new RestClient(service().url, await service().token());
    id = await enrol(service(), host(), 'web', {
      user: 'drover',
      options: ['--sudo', '--features', 'docker=on'],
    });
  });

  const run = (job_type: string, body: object = {}) => rest.run(id, { job_type, ...body });
  const server = async () => (await rest.get(`/api/v1/servers/${id}`)).body;
  const edition = async (container: string) =>
    (await host().exec('docker exec "$1" cat /edition', [container])).trim();
  const change = (from: string, to: string) => ({
    kind: 'image',
    directory: SHOP,
    service: 'web',
    image: app,
    from,
    to,
  });
  const state = () =>
    host().exec(
      "docker ps -aq | xargs docker inspect --format '{{.Name}} {{.Image}} {{.State.Running}}' | sort; docker images --digests --no-trunc --format '{{.Repository}} {{.Tag}} {{.Digest}} {{.ID}}' | sort",
    );

  describe('whose registry has nothing newer', () => {
    it('is checked, and has no update', async () => {
      expect(await run('container_update_check')).toMatchObject({
        status: 'success',
        result: { updates_count: 0, unknown_count: 0, services_count: 2 },
      });
      expect(await server()).toMatchObject({
        container_updates_count: 0,
        last_container_check_at: expect.any(String),
      });
    });
  });

  describe('whose registry has a newer image', () => {
    beforeAll(async () => {
      v2 = await publishImage(host(), app, 'v2');
      await publishImage(host(), other, 'v2');
    });

    it('is checked by an agent, and both projects have an update', async () => {
      const agent = await Agent.connect(service().url, await service().token('read,jobs', 'mcp-look'));
      const started = await agent.call('trigger_job', { server_id: id, job_type: 'container_update_check' });
      expect(started).toMatchObject({ isError: false, body: { http_status: 202 } });
      await rest.jobEnd(Number(started.body['job_id']));
      const { body } = await agent.call('inventory', { server_id: id });
      expect(JSON.stringify(body)).toContain('"update":true');
      expect(await server()).toMatchObject({ container_updates_count: 2 });
      await agent.close();
    });

    it('keeps what was learnt when its inventory is read again', async () => {
      await service().cli(['server', 'check', 'web']);
      const { body } = await rest.get(`/api/v1/servers/${id}/inventory`);
      expect(body).toMatchObject({
        containers: expect.arrayContaining([
          expect.objectContaining({ project: 'shop', path: SHOP, update: true }),
        ]),
      });
    });

    it('tells in a dry run from which digest to which, and leaves the stopped project alone', async () => {
      const before = await state();
      expect(await run('container_patch', { dry_run: true })).toMatchObject({
        status: 'success',
        result: {
          dry_run: true,
          plan_id: expect.any(Number),
          changes: [change(v1, v2)],
          left_alone: [{ directory: BLOG, service: 'web', reason: expect.stringContaining('stopped') }],
        },
      });
      expect(await state()).toBe(before);
    });

    it('is patched by the plan through an agent, and leaves nothing behind', async () => {
      const dry = await run('container_patch', { dry_run: true });
      const agent = await Agent.connect(service().url, await service().token('read,jobs', 'mcp-patch'));
      const request = { server_id: id, job_type: 'container_patch', plan_id: dry.id };
      const started = await agent.call('trigger_job', request);
      await agent.close();
      const done = await rest.jobEnd(Number(started.body['job_id']));
      expect(done, done.error ?? '').toMatchObject({
        status: 'success',
        result: { plan_id: dry.id, changes: [change(v1, v2)], rolled_back: false },
      });
      expect(await edition('shop-web-1')).toBe('v2');
      expect(await server()).toMatchObject({ container_updates_count: 1 });
      const left = 'find /root/.drover/runs -mindepth 2 ! -name started ! -name forgotten';
      expect(await host().exec(left)).toBe('');
    });
  });

  describe('whose registry has a newer image that is broken', () => {
    let broken: string;
    beforeAll(async () => {
      broken = await publishImage(host(), app, 'broken');
    });

    it('goes back to the previous image, and says so everywhere', async () => {
      const before = await state();
      const failed = await run('container_patch', { source_filter: SHOP });
      expect(failed).toMatchObject({
        status: 'failed',
        error_code: 'deploy_failed',
        error: expect.stringMatching(/web became unhealthy.*rolled back/),
        result: {
          changes: [],
          rolled_back: true,
          projects: [{ directory: SHOP, state: 'rolled_back', reason: expect.stringContaining('web') }],
        },
      });
      expect(failed.log_lines?.join('\n')).toMatch(/Not healthy: web unhealthy[\s\S]*Rolled back\./);
      expect(await state()).toBe(before);
      expect(await edition('shop-web-1')).toBe('v2');
    });

    it('refuses a plan that the registry has outgrown', async () => {
      const dry = await run('container_patch', { dry_run: true, source_filter: SHOP });
      expect(dry.result).toMatchObject({ changes: [change(v2, broken)] });
      const v3 = await publishImage(host(), app, 'v1');
      expect(await run('container_patch', { plan_id: dry.id, source_filter: SHOP })).toMatchObject({
        status: 'failed',
        error_code: 'plan_drifted',
        result: { no_longer: [change(v2, broken)], instead: [change(v2, v3)] },
      });
    });
  });

  it('removes what was replaced where it is asked to, through the command line', async () => {
    await publishImage(host(), app, 'v1');
    const what = ['container_patch', '--source', SHOP, '--service', 'web', '--prune'];
    const { code, json } = await service().cli(['job', 'start', 'web', ...what, '--wait', '--json']);
    expect({ code, json }).toMatchObject({ code: 0, json: { job: { status: 'success' } } });
    expect(await edition('shop-web-1')).toBe('v1');
    expect(await host().exec('docker images --digests --no-trunc')).not.toContain(v2);
  });

  describeWith('chromium', 'in front of a person', () => {
    let person: Person;
    beforeAll(async () => {
      await publishImage(host(), app, 'v2');
      await run('container_update_check');
      person = await Person.sitDown(service().url);
      await person.signUp(service().process);
    });
    afterAll(() => person?.leave());

    const menu = (effort: Effort) => effort.press('More actions: shop-web-1');
    const jobEnds = async (): Promise<void> => {
      await person.page.waitForURL(/\/jobs\/\d+$/);
      await person.page.locator('#job-state').getByText('succeeded').waitFor();
    };

    it('has its container updated with six clicks, by the dry run', async () => {
      await person.page.goto(service().url);
      const effort = new Effort(person);
      await effort.press('web');
      await effort.click(person.page.locator('main').getByRole('link', { name: /^Containers/ }));
      await menu(effort);
      await person.look('container-menu');
      await effort.press('Update…');
      await effort.press('Preview (dry run)');
      await person.page.getByRole('button', { name: 'Apply this plan' }).waitFor();
      expect(await edition('shop-web-1')).toBe('v1');
      await effort.press('Apply this plan');
      await jobEnds();
      expect(effort).toMatchObject({ clicks: 6, fields: 0 });
      expect(await edition('shop-web-1')).toBe('v2');
    });

    it('has its container restarted, and its log read', async () => {
      const started = () => host().exec("docker inspect --format '{{.State.StartedAt}}' shop-web-1");
      const before = await started();
      await person.page.goto(`${service().url}/servers/${id}/containers`);
      const effort = new Effort(person);
      await menu(effort);
      await effort.press('Restart…');
      await effort.press('Preview (dry run)');
      await person.page.getByRole('button', { name: 'Apply this plan' }).waitFor();
      await effort.press('Apply this plan');
      await jobEnds();
      expect(await started()).not.toBe(before);
      await host().exec('docker exec shop-web-1 sh -c "echo served >/proc/1/fd/1"');
      await person.page.goto(`${service().url}/servers/${id}/containers`);
      await person.press('Logs: shop-web-1');
      await person.page.getByLabel('Log of shop-web-1').getByText('served').waitFor();
      await person.type('Search the lines shown', 'FOLLOWED');
      await host().exec('docker exec shop-web-1 sh -c "echo followed >/proc/1/fd/1"');
      await person.page.getByLabel('Log of shop-web-1').getByText('followed').waitFor();
      await person.look('container-log');
    });
  });

  it('has a project checked, stopped, started and restarted', async () => {
    const at = { source_filter: SHOP };
    expect(await run('docker_stack_check', at)).toMatchObject({
      status: 'success',
      result: { services: [{ name: 'web', state: 'running', drift: false }], drifted: false },
    });
    const running = () => host().exec('docker ps -q --filter name=shop-web-1 | wc -l');
    expect(await run('docker_stack_stop', at)).toMatchObject({ status: 'success' });
    expect((await running()).trim()).toBe('0');
    expect(await run('docker_stack_start', at)).toMatchObject({ status: 'success' });
    expect(await run('docker_stack_restart', at)).toMatchObject({ status: 'success' });
    expect((await running()).trim()).toBe('1');
  });

  it('has an edited project deployed, by plan, and reports if it does not become healthy', async () => {
    const at = { source_filter: SHOP };
    await host().writeFile(`${SHOP}/compose.yaml`, file(other));
    expect(await run('docker_stack_check', at)).toMatchObject({ result: { drifted: true } });
    const dry = await run('docker_stack_deploy', { ...at, dry_run: true });
    expect(dry.result).toMatchObject({ changes: [{ kind: 'recreate', service: 'web', image: other }] });
    const done = await run('docker_stack_deploy', { ...at, plan_id: dry.id });
    expect(done, done.error ?? '').toMatchObject({ status: 'success' });
    expect(await host().exec("docker inspect --format '{{.Config.Image}}' shop-web-1")).toBe(`${other}\n`);
    await host().writeFile(`${SHOP}/compose.yaml`, '{"services": {"web": {}}}');
    expect(await run('docker_stack_deploy', at)).toMatchObject({
      status: 'failed',
      error_code: 'compose_invalid',
    });
  });

  it('finds a project without containers in a directory that the server was given, and no other', async () => {
    await host().writeFile('/srv/more/new/compose.yaml', file(app));
    await host().writeFile('/etc/evil/compose.yaml', file(app));
    const at = { source_filter: '/srv/more/new' };
    expect(await run('docker_stack_deploy', at)).toMatchObject({ error_code: 'project_not_found' });
    await service().cli(['server', 'edit', 'web', '--compose-dir', '/srv/more']);
    const done = await run('docker_stack_deploy', at);
    expect(done, done.error ?? '').toMatchObject({ status: 'success' });
    expect(await edition('new-web-1')).toBe('v2');
    expect(await run('docker_stack_deploy', { source_filter: '/etc/evil' })).toMatchObject({
      error_code: 'project_not_found',
    });
  });

  it('is let alone by tokens for other features, and by all while its flag is off', async () => {
    const limited = new RestClient(service().url, await service().token('read,jobs,feature:os', 'limited'));
    const body = { job_type: 'container_patch' };
    expect(await limited.post(`/api/v1/servers/${id}/jobs`, body)).toMatchObject({ status: 403 });
    await service().cli(['server', 'features', 'web', 'docker=off']);
    expect(await rest.post(`/api/v1/servers/${id}/jobs`, body)).toMatchObject({
      status: 400,
      body: { code: 'feature_disabled' },
    });
  });
});

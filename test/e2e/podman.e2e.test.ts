import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ImageEdition } from '../fleet/docker.ts';
import { COMPOSE, composeByPodman, publishByPodman, waitForPodman } from '../fleet/podman.ts';
import { usePodmanHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { enrol } from './enrol.ts';

const SHOP = '/srv/stacks/shop';
const HELLO = '/srv/stacks/hello';
/** As compose files usually have them; the host's registry stands for Docker Hub. */
const app = 'app:1';
const other = 'team/other';
const broken = 'team/broken';
const IN_REGISTRY = {
  [app]: 'localhost:5000/library/app:1',
  [other]: 'localhost:5000/team/other:latest',
  [broken]: 'localhost:5000/team/broken:latest',
} as const;
const file = (image: string) => JSON.stringify({ services: { web: { image, restart: 'unless-stopped' } } });
const TEMPLATE = {
  'template.json': JSON.stringify({
    name: 'hello',
    variables: [
      { name: 'image', type: 'string' },
      { name: 'password', type: 'secret' },
    ],
  }),
  'compose.yaml': `services:
  app:
    image: "@{image}"
    environment:
      PASSWORD: "@{password}"
`,
};

/** The podman of Debian 12, 4.3, which has no compose command and needs systemd for its health checks. */
describeWith('podman', 'a host with podman', () => {
  const host = usePodmanHost();
  const service = useService();
  let rest: RestClient;
  let id: number;
  let v1: string;
  let v2: string;
  beforeAll(async () => {
    await waitForPodman(host());
    // As in the package podman-docker: the command docker is podman.
    await host().writeFile('/usr/bin/docker', '#!/bin/sh\nexec /usr/bin/podman "$@"\n');
    await host().exec('chmod 755 /usr/bin/docker');
    v1 = await publish(app, 'v1');
    await host().writeFile(`${SHOP}/compose.yaml`, file(app));
    await composeByPodman(host(), SHOP, ['up', '-d', '--wait']);
    rest = new RestClient(service().url, await service().token());
    id = await enrol(service(), host(), 'web', {
      user: 'drover',
      options: ['--sudo', '--features', 'docker=on'],
    });
    const edited = await service().cli(['server', 'edit', 'web', '--compose-dir', '/srv/stacks']);
    expect(edited, edited.stderr).toMatchObject({ code: 0 });
  });

  const publish = (image: keyof typeof IN_REGISTRY, edition: ImageEdition, created?: string) =>
    publishByPodman(host(), IN_REGISTRY[image], edition, created);
  const run = (job_type: string, body: object = {}) => rest.run(id, { job_type, ...body });
  const edition = async (container: string) =>
    (await host().exec('podman exec "$1" cat /edition', [container])).trim();
  const change = (from: string, to: string) =>
    expect.objectContaining({ directory: SHOP, service: 'web', image: `docker.io/library/${app}`, from, to });
  const state = () =>
    host().exec(
      "podman ps -aq | xargs -r podman inspect --format '{{.Name}} {{.Image}} {{.State.Running}}' | sort; podman images --digests --no-trunc --format '{{.Repository}} {{.Tag}} {{.Digest}} {{.ID}}' | sort",
    );

  it('is checked, and has an update once the registry has a newer image', async () => {
    expect(await run('container_update_check')).toMatchObject({
      status: 'success',
      result: { updates_count: 0, unknown_count: 0, services_count: 1 },
    });
    v2 = await publish(app, 'v2');
    expect(await run('container_update_check')).toMatchObject({
      status: 'success',
      result: { updates_count: 1, unknown_count: 0 },
    });
    const { body } = await rest.get(`/api/v1/servers/${id}/inventory`);
    expect(body).toMatchObject({
      containers: [
        expect.objectContaining({ name: 'shop-web-1', project: 'shop', path: SHOP, update: true }),
      ],
    });
  });

  it('shows in a dry run what would change, and is patched by that plan', async () => {
    const before = await state();
    const dry = await run('container_patch', { dry_run: true });
    expect(dry).toMatchObject({ status: 'success', result: { dry_run: true, changes: [change(v1, v2)] } });
    expect(await state()).toBe(before);
    const done = await run('container_patch', { plan_id: dry.id });
    expect(done, done.error ?? '').toMatchObject({
      status: 'success',
      result: { plan_id: dry.id, changes: [change(v1, v2)], rolled_back: false },
    });
    expect(await edition('shop-web-1')).toBe('v2');
  });

  it.each([
    ['broken', /web became unhealthy.*rolled back/],
    ['crashing', /web (ended with exit code 3|keeps restarting).*rolled back/],
  ] as const)('goes back to the previous image if the newer one is %s, and says so', async (bad, error) => {
    await publish(app, bad);
    const before = await state();
    const failed = await run('container_patch', { source_filter: SHOP });
    expect(failed, failed.log_lines?.join('\n')).toMatchObject({
      status: 'failed',
      error_code: 'deploy_failed',
      error: expect.stringMatching(error),
      result: {
        changes: [],
        rolled_back: true,
        projects: [{ directory: SHOP, state: 'rolled_back', reason: expect.stringContaining('web') }],
      },
    });
    expect(await state()).toBe(before);
    expect(await edition('shop-web-1')).toBe('v2');
  });

  it('tries again if compose fails once while it goes back', async () => {
    await publish(app, 'broken');
    const before = await state();
    const real = `${COMPOSE}.real`;
    await host().exec('mv "$1" "$2"', [COMPOSE, real]);
    // The second "up" is the first of the rollback; it fails as if a container had been restarted before its removal.
    await host().writeFile(
      COMPOSE,
      `#!/bin/sh\ncase " $* " in *' up '*) echo up >>/tmp/ups; [ "$(wc -l </tmp/ups)" -ne 2 ] || exit 1 ;; esac\nexec ${real} "$@"\n`,
    );
    await host().exec('chmod 755 "$1"', [COMPOSE]);
    const failed = await run('container_patch', { source_filter: SHOP });
    await host().exec('mv "$1" "$2"', [real, COMPOSE]);
    expect(failed, failed.log_lines?.join('\n')).toMatchObject({
      error_code: 'deploy_failed',
      result: { rolled_back: true },
    });
    expect(await state()).toBe(before);
  });

  it('removes what was replaced where it is asked to', async () => {
    await publish(app, 'v1');
    const done = await run('container_patch', { source_filter: SHOP, prune: true });
    expect(done, done.error ?? '').toMatchObject({ status: 'success' });
    expect(await edition('shop-web-1')).toBe('v1');
    expect(await host().exec('podman images --digests --no-trunc')).not.toContain(v2);
  });

  it('keeps an image of an hour pending until it has the minimum age, and takes one of four days', async () => {
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    const policy = ['policy', 'add', 'careful', '--all', '--min-age-by-hand', '72h'];
    expect(await service().cli(policy)).toMatchObject({ code: 0 });
    await publish(app, 'v2', hoursAgo(1));
    const before = await state();
    expect(await run('container_patch')).toMatchObject({
      status: 'success',
      result: {
        changes: [],
        left_alone: [{ directory: SHOP, service: 'web', reason: expect.stringContaining('1 hour old') }],
      },
    });
    expect(await state()).toBe(before);
    await publish(app, 'v2', hoursAgo(96));
    expect(await run('container_patch')).toMatchObject({ status: 'success', result: { changes_count: 1 } });
    expect(await edition('shop-web-1')).toBe('v2');
    expect(await service().cli(['policy', 'remove', 'careful', '--yes'])).toMatchObject({ code: 0 });
  });

  it('has its data saved by a guarded update, and restored with the image if that fails', async () => {
    const data = '/srv/data/shop';
    const log = async () => (await host().exec('cat "$1/log"', [data])).trim();
    await host().exec('mkdir -p "$1" && echo first >"$1/log"', [data]);
    await publish(app, 'v2');
    const web = {
      image: app,
      restart: 'unless-stopped',
      volumes: [`${data}:/data`],
      labels: { 'drover.check.data': 'command ["test", "-f", "/data/log"]' },
      command: ['sh', '-c', 'echo started >>/data/log; exec sh /main'],
    };
    await host().writeFile(`${SHOP}/compose.yaml`, JSON.stringify({ services: { web } }));
    await host().exec(
      'podman pull -q localhost:5000/library/app:1 && podman tag localhost:5000/library/app:1 docker.io/library/app:1',
    );
    await composeByPodman(host(), SHOP, ['up', '-d', '--wait']);
    expect(await service().cli(['server', 'features', 'web', 'backup=on'])).toMatchObject({ code: 0 });
    const source = ['source', 'add', 'web', '--name', 'data', '--path', '/srv'];
    expect(await service().cli(source)).toMatchObject({ code: 0 });
    await publish(app, 'broken');
    const before = [await state(), await log()];
    const guarded = { source_filter: SHOP, guard: true, observe_minutes: 0 };
    const dry = await run('container_patch', { ...guarded, dry_run: true });
    const created_at = '2026-11-01T10:00:00.000Z';
    expect(dry.result).toMatchObject({
      guarded: [{ checks: ['web: command ["test","-f","/data/log"]'], restores: { paths: [data] } }],
      images: [
        {
          service: 'web',
          from: { version: 'v2', created_at },
          to: { version: 'broken', created_at },
          changelog_url: 'https://github.com/shop/app/releases',
        },
      ],
    });
    const failed = await run('container_patch', guarded);
    expect(failed, failed.log_lines?.join('\n')).toMatchObject({
      error_code: 'deploy_failed',
      result: { rolled_back: true },
    });
    expect(failed.log_lines?.join('\n')).toContain('The data is restored.');
    // What the previous container writes when it starts again.
    expect([await state(), await log()]).toEqual([before[0], `${before[1]}\nstarted`]);
    await publish(app, 'v1');
    const done = await run('container_patch', guarded);
    const saved = { status: 'success', result: { guarded: [{ paths: [data] }] } };
    expect(done, done.log_lines?.join('\n')).toMatchObject(saved);
    expect(await edition('shop-web-1')).toBe('v1');
    expect(await host().exec('find /srv -name ".drover-guard*"')).toBe('');
  });

  it('has a project checked, stopped, started and restarted', async () => {
    const at = { source_filter: SHOP };
    expect(await run('docker_stack_check', at)).toMatchObject({
      status: 'success',
      result: { services: [{ name: 'web', state: 'running', drift: false }], drifted: false },
    });
    const running = async () => (await host().exec('podman ps -q --filter name=shop-web-1 | wc -l')).trim();
    expect(await run('docker_stack_stop', at)).toMatchObject({ status: 'success' });
    expect(await running()).toBe('0');
    expect(await run('docker_stack_start', at)).toMatchObject({ status: 'success' });
    expect(await running()).toBe('1');
    const started = () => host().exec("podman inspect --format '{{.State.StartedAt}}' shop-web-1");
    const before = await started();
    expect(await run('docker_stack_restart', at)).toMatchObject({ status: 'success' });
    expect(await running()).toBe('1');
    expect(await started()).not.toBe(before);
  });

  it('has an edited project deployed, by plan, and told where compose does not accept it', async () => {
    const at = { source_filter: SHOP };
    await publish(other, 'v1');
    await host().writeFile(`${SHOP}/compose.yaml`, file(other));
    expect(await run('docker_stack_check', at)).toMatchObject({ result: { drifted: true } });
    const dry = await run('docker_stack_deploy', { ...at, dry_run: true });
    expect(dry.result).toMatchObject({ changes: [{ kind: 'recreate', service: 'web', image: other }] });
    const done = await run('docker_stack_deploy', { ...at, plan_id: dry.id });
    expect(done, done.error ?? '').toMatchObject({ status: 'success' });
    expect(await host().exec("podman inspect --format '{{.ImageName}}' shop-web-1")).toBe(
      `docker.io/${other}:latest\n`,
    );
    await host().writeFile(`${SHOP}/compose.yaml`, '{"services": {"web": {}}}');
    expect(await run('docker_stack_deploy', at)).toMatchObject({ error_code: 'compose_invalid' });
  });

  it.each([
    [
      'compose',
      'mv "$1" "$1.away"',
      'mv "$1.away" "$1"',
      /Compose version 2 is not installed.*podman-compose/,
    ],
    [
      "podman's socket",
      'systemctl stop podman.socket podman.service && rm -f /run/podman/podman.sock',
      'systemctl start podman.socket',
      /systemctl enable --now podman\.socket/,
    ],
  ])('reports what is missing if %s is not there', async (_what, take, giveBack, said) => {
    await host().exec(take, [COMPOSE]);
    const missing = { error_code: 'host_tool_missing', error: expect.stringMatching(said) };
    for (const job of ['docker_stack_check', 'docker_stack_restart']) {
      expect(await run(job, { source_filter: SHOP })).toMatchObject(missing);
    }
    await host().exec(giveBack, [COMPOSE]);
  });

  describe('and a template', () => {
    beforeAll(async () => {
      const folder = await mkdtemp(join(tmpdir(), 'drover-hello-'));
      for (const [name, content] of Object.entries(TEMPLATE)) await writeFile(join(folder, name), content);
      expect(await service().cli(['template', 'import', folder])).toMatchObject({ code: 0 });
      await rm(folder, { recursive: true });
    });
    const password = 'a "quoted" $(id) ${HOME} secret';
    const inside = async () => (await host().exec('podman exec hello-app-1 cat /proc/1/environ')).split('\0');

    it('has it deployed, and brought back where a change of it does not become healthy', async () => {
      const done = await run('template_deploy', {
        source_filter: HELLO,
        template: 'hello',
        variables: { image: app, password },
      });
      expect(done, done.log_lines?.join('\n')).toMatchObject({
        status: 'success',
        result: { outcome: 'done', project: 'hello' },
      });
      expect(await inside()).toContain(`PASSWORD=${password}`);
      await publish(broken, 'broken');
      const before = await host().readFile(`${HELLO}/compose.yaml`);
      const failed = await run('template_redeploy', { source_filter: HELLO, variables: { image: broken } });
      expect(failed, failed.log_lines?.join('\n')).toMatchObject({
        status: 'failed',
        error_code: 'deploy_failed',
        result: { outcome: 'rolled_back' },
      });
      expect(await host().readFile(`${HELLO}/compose.yaml`)).toBe(before);
      expect(await inside()).toContain(`PASSWORD=${password}`);
    });
  });
});

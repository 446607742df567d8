import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { publishImage, waitForDocker } from '../fleet/docker.ts';
import { useDockerHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { enrol } from './enrol.ts';

const DIRECTORY = '/srv/stacks/hello';
const SECRET = 'a "quoted" $(touch /owned) `id` ${HOME} $$ # x: y\\n';
const GREETING = 'hello\n  privileged: true\n#';

const TEMPLATE = {
  'template.json': JSON.stringify({
    name: 'hello',
    variables: [
      { name: 'edition', type: 'choice', choices: ['1', '2', '3'], default: '1' },
      { name: 'greeting', type: 'string' },
      { name: 'replicas', type: 'integer', default: 1 },
      { name: 'password', type: 'secret' },
    ],
  }),
  'compose.yaml': `services:
  app:
    image: localhost:5000/hello:@{edition}
    environment:
      PASSWORD: "@{password}"
      GREETING: "@{greeting}"
    volumes: ["./conf:/conf:ro"]
    deploy: { replicas: !!int "@{replicas}" }
`,
  'conf/app.conf': 'edition = @{edition}\n',
};

describeWith('docker', 'a template on a host with docker', () => {
  const host = useDockerHost();
  const service = useService();
  let rest: RestClient;
  let id: number;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'drover-hello-'));
    await write(TEMPLATE);
    rest = new RestClient(service().url, await service().token());
    await waitForDocker(host());
    await publishImage(host(), 'localhost:5000/hello:1', 'v1');
    await publishImage(host(), 'localhost:5000/hello:2', 'v2');
    await publishImage(host(), 'localhost:5000/hello:3', 'broken');
    id = await enrol(service(), host(), 'web', {
      user: 'drover',
      options: ['--sudo', '--features', 'docker=on'],
    });
    const edited = await service().cli(['server', 'edit', 'web', '--compose-dir', '/srv/stacks']);
    expect(edited, edited.stderr).toMatchObject({ code: 0 });
    expect(await service().cli(['template', 'import', folder])).toMatchObject({ code: 0 });
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
  }

  const deploy = (body: object) =>
    rest.run(id, { job_type: 'template_deploy', source_filter: DIRECTORY, ...body });
  const again = (body: object) =>
    rest.run(id, { job_type: 'template_redeploy', source_filter: DIRECTORY, ...body });
  const running = async () =>
    (await host().exec("docker ps --format '{{.Image}} {{.Names}}' | sort"))
      .trim()
      .split('\n')
      .filter(Boolean);
  const inside = (name: string) =>
    host()
      .exec('docker exec hello-app-1 sh -c "cat /proc/1/environ"')
      .then((text) =>
        text
          .split('\0')
          .find((each) => each.startsWith(`${name}=`))
          ?.slice(name.length + 1),
      );
  const onHost = (path: string) => host().readFile(`${DIRECTORY}/${path}`);

  it('is shown by a dry run at the command line, without the secret, and nothing is changed', async () => {
    const file = join(folder, '..', `${folder.split('/').at(-1)}.json`);
    await writeFile(file, JSON.stringify({ password: SECRET, greeting: GREETING }), { mode: 0o600 });
    try {
      const args = ['job', 'start', 'web', 'template_deploy', '--template', 'hello', '--source', DIRECTORY];
      const dry = await service().cli([...args, '--values', file, '--dry-run', '--follow']);
      expect(dry.stderr + dry.stdout).not.toContain('quoted');
      expect(dry).toMatchObject({ code: 0 });
      expect(dry.stdout).toContain('+      PASSWORD: "********"');
      expect(dry.stdout).toContain('+edition = 1');
      expect(dry.stdout).toContain('service app: create (localhost:5000/hello:1)');
    } finally {
      await rm(file);
    }
    expect(await running()).toEqual([]);
    expect((await host().tryExec('ls "$1"', [DIRECTORY])).code).not.toBe(0);
  });

  it('is deployed by a plan, with each value in its place, and its secret readable by root alone', async () => {
    const variables = { password: SECRET, greeting: GREETING };
    const dry = await deploy({ template: 'hello', variables, dry_run: true });
    expect(dry, dry.error ?? '').toMatchObject({
      status: 'success',
      result: { plan_id: dry.id, changes_count: 3 },
    });
    const done = await deploy({ plan_id: dry.id });
    expect(done, done.log_lines?.join('\n')).toMatchObject({
      status: 'success',
      result: { outcome: 'done', project: 'hello' },
    });
    expect(await running()).toEqual(['localhost:5000/hello:1 hello-app-1']);
    expect(await inside('PASSWORD')).toBe(SECRET);
    expect(await inside('GREETING')).toBe(GREETING);
    expect(await host().exec('docker inspect --format "{{.HostConfig.Privileged}}" hello-app-1')).toContain(
      'false',
    );
    expect(
      (await host().exec('cd "$1" && stat -c "%a %U" compose.yaml conf/app.conf', [DIRECTORY])).trim(),
    ).toMatch(/^600 \w+\n6?[46]44 \w+$/);
    expect((await host().tryExec('ls /owned')).code).not.toBe(0);
    expect(JSON.stringify([dry, done])).not.toContain('quoted');
  });

  it('is listed with its server, and changes nothing if nothing is to change', async () => {
    const { body } = await rest.get(`/api/v1/servers/${id}/deployments`);
    expect(body).toMatchObject({
      deployments: [{ directory: DIRECTORY, template: 'hello', template_version: 1, secrets: ['password'] }],
    });
    expect((await again({ dry_run: true })).result).toMatchObject({ changes: [] });
  });

  it('that does not become healthy is rolled back to previous files and images', async () => {
    const before = await onHost('compose.yaml');
    const failed = await again({ variables: { edition: '3', password: 'another password' } });
    expect(failed).toMatchObject({
      status: 'failed',
      error_code: 'deploy_failed',
      result: { outcome: 'rolled_back' },
    });
    expect(await onHost('compose.yaml')).toBe(before);
    expect(await running()).toEqual(['localhost:5000/hello:1 hello-app-1']);
    expect(await inside('PASSWORD')).toBe(SECRET);
    expect(JSON.stringify(failed)).not.toContain('another password');
  });

  it('does nothing by a plan if a file was edited meanwhile', async () => {
    const dry = await again({ variables: { edition: '2' }, dry_run: true });
    await host().writeFile(`${DIRECTORY}/conf/app.conf`, 'edited\n');
    expect(await again({ plan_id: dry.id })).toMatchObject({ status: 'failed', error_code: 'plan_drifted' });
    expect(await onHost('conf/app.conf')).toBe('edited\n');
  });

  it('follows no link in the project, neither to read nor to write', async () => {
    await host().exec('cd "$1" && mv conf conf.kept && ln -s /etc conf && echo root >/etc/app.conf', [
      DIRECTORY,
    ]);
    try {
      const dry = await again({ variables: { edition: '2' }, dry_run: true });
      expect(dry).toMatchObject({ status: 'failed', error_code: 'path_refused' });
      expect(await again({ variables: { edition: '2' } })).toMatchObject({ status: 'failed' });
      expect(await host().readFile('/etc/app.conf')).toBe('root\n');
    } finally {
      await host().exec('cd "$1" && rm conf /etc/app.conf && mv conf.kept conf', [DIRECTORY]);
    }
    expect(await running()).toEqual(['localhost:5000/hello:1 hello-app-1']);
  });

  it('is deployed again from its next version, with the values of before and what is changed', async () => {
    await write({ 'conf/app.conf': 'edition is @{edition}\n' });
    expect(await service().cli(['template', 'import', folder])).toMatchObject({ code: 0 });
    const done = await again({ variables: { edition: '2', replicas: 2 } });
    expect(done, done.log_lines?.join('\n')).toMatchObject({
      status: 'success',
      result: { template_version: 2 },
    });
    expect(await running()).toEqual([
      'localhost:5000/hello:2 hello-app-1',
      'localhost:5000/hello:2 hello-app-2',
    ]);
    expect(await inside('PASSWORD')).toBe(SECRET);
    expect(await onHost('conf/app.conf')).toBe('edition is 2\n');
  });

  it('leaves the secret in the clear nowhere in the data directory', async () => {
    await service().stop();
    const names = await readdir(service().dataDir, { recursive: true, withFileTypes: true });
    for (const entry of names.filter((each) => each.isFile())) {
      const content = await readFile(join(entry.parentPath, entry.name));
      for (const piece of ['a "quoted"', 'a \\"quoted', 'touch /owned', 'another password']) {
        expect(content.includes(piece), `${entry.name}: ${piece}`).toBe(false);
      }
    }
  });
});

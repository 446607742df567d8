import { beforeEach, describe, expect, test } from 'vitest';
import { noRecord } from '../../../support/stores-subject.ts';
import { demoTemplate, newDeployment } from '../../../support/templates.ts';
import { CliFixture, NOW } from './cli-fixture.ts';

const SECRET = 'sesame, open up';
const DIRECTORY = '/srv/stacks/demo';

let cli: CliFixture;

beforeEach(async () => {
  cli = new CliFixture();
  cli.hosts.host('web');
  await cli.run('server add web --host web.test --yes --no-check --features docker=on,backup=on');
  cli.kept.change('servers', 1, { compose_dirs: '["/srv/stacks"]' });
  await cli.templates.save(demoTemplate(), { createdBy: 'me', at: NOW }, noRecord);
});

const START = `job start web template_deploy --template demo --source ${DIRECTORY}`;

function values(content: unknown): string {
  const file = '/home/tester/values.json';
  cli.io.files.set(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

async function given(): Promise<unknown> {
  const order = await cli.deployments.findOrder(1);
  return order === null
    ? null
    : JSON.parse(
        cli.box.open(order.sealedValues, { table: 'template_orders', column: 'sealed_values', row: 1 }),
      );
}

describe('job start template_deploy', () => {
  test('takes variables from the command line and from a file, and encrypts them', async () => {
    const file = values({ password: SECRET, greeting: 'from the file' });
    const { code, out } = await cli.run(`${START} --set port=80 --set "greeting=a=b c" --values ${file}`);
    expect({ code, out }).toEqual({
      code: 0,
      out: 'Job 1, Deploy a template (template_deploy) on web, is pending. Follow it with: drover job show 1 --follow\n',
    });
    expect(await given()).toEqual({ password: SECRET, greeting: 'a=b c', port: '80' });
    expect((await cli.json('job show 1')).source_filter).toBe(DIRECTORY);
  });

  test('takes them from standard input', async () => {
    cli.io.input = JSON.stringify({ password: SECRET, port: 80 });
    expect((await cli.run(`${START} --values -`)).code).toBe(0);
    expect(await given()).toEqual({ password: SECRET, port: 80 });
  });

  test('asks for secrets on a terminal', async () => {
    cli.io.interactive = true;
    cli.io.answers.push(SECRET);
    expect((await cli.run(`${START} --set port=80`)).code).toBe(0);
    expect(await given()).toEqual({ port: '80', password: SECRET });
    expect(cli.io.questions).toEqual([{ question: 'Value of password: ', hidden: true }]);
  });

  test('takes no secret from the command line', async () => {
    const { code, err } = await cli.run(`${START} --set port=80 --set "password=${SECRET}"`);
    expect(code).toBe(2);
    expect(err).toContain('password is a secret, and others could read it');
    expect(err).not.toContain(SECRET);
  });

  test('names what is missing, unknown or wrong, and repeats no value', async () => {
    const file = values({ nope: SECRET, port: SECRET });
    const { code, err } = await cli.run(`${START} --values ${file}`);
    expect(code).toBe(2);
    expect(err).toContain('variables/nope: The template demo has no variable "nope".');
    expect(err).toContain('variables/port: Must be a port from 1 to 65535.');
    expect(err).toContain('variables/password: The variable password (secret) is missing.');
    expect(err).not.toContain(SECRET);
    expect(await given()).toBeNull();
  });

  test.each<[string, string]>([
    ['no JSON', `{"password": "${SECRET}`],
    ['no object', `["${SECRET}"]`],
    ['an object in an object', `{"password": {"x": "${SECRET}"}}`],
  ])('does not repeat a file that is %s', async (_, content) => {
    const { code, err, out } = await cli.run(`${START} --values ${values(content)} --json`);
    expect(code).toBe(2);
    expect(err).toContain('must be one JSON object');
    expect(err + out).not.toContain('sesame');
  });

  test('says so where the file is not there', async () => {
    expect(await cli.run(`${START} --values /nowhere`)).toMatchObject({
      code: 2,
      err: `drover: cannot read the variables from /nowhere (ENOENT).\n`,
    });
  });

  test.each([
    ['job start web backup --set a=b', 'are for templates, and not for backup'],
    ['job start web backup --template demo', 'template is not used by a job of type backup'],
    [`job start template_deploy --all --template demo --source ${DIRECTORY}`, 'one server at a time'],
    [`${START} --set port`, 'use --set NAME=VALUE'],
    [`job start web template_deploy --source ${DIRECTORY}`, 'template_deploy needs the name of a template'],
  ])('%s is refused', async (line, why) => {
    expect(await cli.run(line)).toMatchObject({ code: 2, err: expect.stringContaining(why) });
  });
});

describe('job start template_redeploy', () => {
  const AGAIN = `job start web template_redeploy --source ${DIRECTORY}`;

  beforeEach(async () => {
    await cli.deployments.record(
      newDeployment(1, DIRECTORY, { values: { port: '80' } }),
      (id) =>
        cli.box.seal(JSON.stringify({ password: SECRET }), {
          table: 'template_deployments',
          column: 'sealed_secrets',
          row: id,
        }),
      noRecord,
    );
  });

  test('needs nothing more, and takes what is to change', async () => {
    expect((await cli.run(`${AGAIN} --dry-run`)).code).toBe(0);
    expect(await given()).toBeNull();
    await cli.run('job cancel 1');
    expect((await cli.run(`${AGAIN} --set port=81`)).code).toBe(0);
    expect(await given()).toEqual({ port: '81' });
  });

  test('takes no secret from the command line either', async () => {
    expect(await cli.run(`${AGAIN}/ --set password=x`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('password is a secret'),
    });
  });
});

import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  deploymentSchema,
  templateSchema,
  templateSummarySchema,
} from '../../../../src/adapters/inbound/api/views/template-view.ts';
import { noRecord } from '../../../support/stores-subject.ts';
import { COMPOSE, newDeployment, VARIABLES } from '../../../support/templates.ts';
import { CliFixture } from './cli-fixture.ts';

let cli: CliFixture;
let folder: string;

beforeEach(async () => {
  cli = new CliFixture();
  folder = await mkdtemp(join(tmpdir(), 'drover-template-'));
  await write({
    'template.json': JSON.stringify({ name: 'demo', description: 'Says hello', variables: VARIABLES }),
    'compose.yaml': COMPOSE,
    'conf/app.conf': 'port = @{port}\n',
  });
});

afterEach(() => rm(folder, { recursive: true }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

const importIt = () => cli.run(`template import ${folder}`);

describe('template import', () => {
  test('takes a folder over, and says how to go on', async () => {
    const { code, out } = await importIt();
    expect(code).toBe(0);
    expect(out).toMatch(/^Imported the template demo \(3 variables, 2 files\) as version 1\.$/m);
    expect(out).toContain(
      'drover job start SERVER template_deploy --template demo --source DIRECTORY --dry-run',
    );
    const shown = await cli.json('template show demo');
    expect(templateSchema.parse(shown)).toMatchObject({ version: 1, created_by: 'cli:tester' });
    expect(shown.files.map((each: { path: string }) => each.path)).toEqual(['compose.yaml', 'conf/app.conf']);
    expect(cli.kept.actions).toEqual(['template.import template:1']);
  });

  test('counts versions, and knows when nothing changed', async () => {
    await importIt();
    expect((await importIt()).out).toBe(
      'The template demo (3 variables, 2 files) is unchanged, at version 1.\n',
    );
    await write({ 'extra.txt': 'more\n' });
    expect(await cli.json(`template import ${folder}`)).toMatchObject({ version: 2, files_count: 3 });
  });

  test.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ['no JSON', { 'template.json': '{' }, /template\.json: It is not valid JSON/],
    ['an unknown field', { 'template.json': '{"name":"demo","run":"id"}' }, /template\.json\/: .*"run"/],
    [
      'another type',
      { 'template.json': '{"name":"demo","variables":[{"name":"a","type":"file"}]}' },
      /template\.json\/variables\/0\/type: /,
    ],
    [
      'a bad placeholder',
      { 'compose.yaml': 'a: "@{port} @{greeting} @{password} @{who?}"\n' },
      /files\/compose\.yaml: Line 1: "@\{who\?\}" is not a placeholder/,
    ],
    ['bad YAML', { 'compose.yaml': 'a: [1\n' }, /files\/compose\.yaml: .*sufficiently indented .* at line 2/],
    ['no UTF-8', { 'x.bin': '\ud800' }, /^$|./],
  ])('refuses %s', async (_, files, message) => {
    await write(files);
    if (files['x.bin'] !== undefined) await writeFile(join(folder, 'x.bin'), Buffer.from([0xff, 0xfe, 0xff]));
    const { code, err } = await importIt();
    expect(code).toBe(2);
    expect(err).toMatch(message);
    expect((await cli.json('template list')).total).toBe(0);
  });

  test('follows no link, and enters no folder too deep', async () => {
    await symlink('/etc/passwd', join(folder, 'passwd'));
    expect(await importIt()).toMatchObject({
      code: 2,
      err: expect.stringContaining('It is a link or a special file'),
    });
    await rm(join(folder, 'passwd'));
    await write({ 'a/b/c/d/e/f/g/h/i': 'x' });
    expect(await importIt()).toMatchObject({
      code: 2,
      err: expect.stringContaining('more than 8 names deep'),
    });
  });

  test('says so if there is no folder, or nothing in it', async () => {
    expect(await cli.run('template import /nowhere/at/all')).toMatchObject({
      code: 2,
      err: 'drover: cannot read the folder /nowhere/at/all (ENOENT).\n',
    });
    await rm(join(folder, 'template.json'));
    expect((await importIt()).err).toContain('There is no template.json');
  });
});

describe('template export', () => {
  test('writes what import reads as the same', async () => {
    await importIt();
    const target = join(folder, 'out');
    expect(await cli.run(`template export demo ${target}`)).toMatchObject({
      code: 0,
      out: `Wrote version 1 of demo into ${target}.\n`,
    });
    expect((await readdir(target, { recursive: true })).toSorted()).toEqual([
      'compose.yaml',
      'conf',
      'conf/app.conf',
      'template.json',
    ]);
    expect(await readFile(join(target, 'compose.yaml'), 'utf8')).toBe(COMPOSE);
    expect((await cli.run(`template import ${target}`)).out).toContain('is unchanged');
    expect((await cli.run(`template diff ${target}`)).out).toBe(
      'The folder is identical to version 1 of demo.\n',
    );
  });

  test('overwrites nothing', async () => {
    await importIt();
    expect(await cli.run(`template export demo ${folder}`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('is not empty'),
    });
  });
});

describe('template diff', () => {
  test('shows what an import would change, and changes nothing', async () => {
    await importIt();
    await write({ 'compose.yaml': COMPOSE.replace('1.36', '1.37'), 'new.txt': 'new\n' });
    await rm(join(folder, 'conf'), { recursive: true });
    const { code, out } = await cli.run(`template diff ${folder}`);
    expect(code).toBe(0);
    expect(out).toContain('--- compose.yaml\n+++ compose.yaml\n@@ -1,6 +1,6 @@\n');
    expect(out).toContain('-    image: "busybox:1.36"\n+    image: "busybox:1.37"\n');
    expect(out).toContain('--- /dev/null\n+++ new.txt\n@@ -0,0 +1 @@\n+new\n');
    expect(out).toContain('--- conf/app.conf\n+++ /dev/null\n@@ -1 +0,0 @@\n-port = @{port}\n');
    expect(
      (await cli.json(`template diff ${folder}`)).files.map((each: { change: string }) => each.change),
    ).toEqual(['changed', 'removed', 'created']);
    expect((await cli.json('template show demo')).version).toBe(1);
  });
});

describe('templates', () => {
  test('are listed, shown and deleted', async () => {
    expect((await cli.run('template list')).out).toContain('drover template import FOLDER');
    await importIt();
    const { templates } = await cli.json('template list');
    expect(templateSummarySchema.parse(templates[0])).toMatchObject({ name: 'demo', variables_count: 3 });
    expect((await cli.run('template list')).out).toMatch(/^demo +1 +3 +2 +0 s ago +Says hello$/m);
    const { out } = await cli.run('template show demo');
    expect(out).toMatch(/^password +secret +required +Asked for at the door$/m);
    expect(out).toMatch(/^greeting +string +"hello" +What it says$/m);
    expect(out).toContain('==> conf/app.conf <==\nport = @{port}\n');
    expect((await cli.run('template delete demo')).code).toBe(2);
    expect(await cli.run('template delete demo --yes')).toMatchObject({
      code: 0,
      out: 'Deleted the template demo.\n',
    });
    expect(await cli.run('template show demo')).toMatchObject({ code: 4 });
    expect(await cli.run('template delete demo --yes')).toMatchObject({ code: 4 });
  });

  test('show what was deployed from them', async () => {
    cli.hosts.host('web');
    await cli.run('server add web --host web.test --yes --no-check');
    expect((await cli.run('template deployments')).out).toBe('No template deployments.\n');
    await cli.deployments.record(newDeployment(1, '/srv/demo'), () => 'sealed', noRecord);
    const { deployments } = await cli.json('template deployments --server web --template demo');
    expect(deploymentSchema.parse(deployments[0])).toMatchObject({
      directory: '/srv/demo',
      secrets: ['password'],
    });
    expect(JSON.stringify(deployments)).not.toContain('sealed');
    expect((await cli.run('template deployments')).out).toMatch(/^web +\/srv\/demo +demo +3 +.* +7$/m);
    expect((await cli.json('template deployments --template other')).total).toBe(0);
  });
});

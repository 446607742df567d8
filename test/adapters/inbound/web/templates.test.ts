import { strFromU8, unzipSync } from 'fflate';
import { afterEach, describe, expect, test } from 'vitest';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
afterEach(() => fixture.close());

const MANIFEST = JSON.stringify({
  name: 'demo',
  description: 'A demo',
  variables: [
    { name: 'port', type: 'port', default: 8080, description: 'Where it listens' },
    { name: 'password', type: 'secret' },
  ],
});
const COMPOSE =
  'services:\n  app:\n    image: app:1\n    environment:\n      PASSWORD: "@{password}"\n      PORT: "@{port}"\n';
const FIELDS = {
  name: 'demo',
  description: 'A demo',
  'var.0.name': 'port',
  'var.0.type': 'port',
  'var.0.default': '8080',
  'var.0.description': 'Where it listens',
  'var.1.name': 'password',
  'var.1.type': 'secret',
  'var.1.required': 'yes',
  'path.0': 'compose.yaml',
  'content.0': COMPOSE,
};

async function open() {
  fixture = await openWebFixture();
  const server = await fixture.scene.addServer('web', { docker: true }, 'ssh');
  await fixture.scene.servers.change(server.id, { composeDirs: ['/srv/stacks'] }, 0, () => ({}));
  return { scene: fixture.scene, operator: await fixture.signedIn('operator') };
}
const add = (who: Visitor, over: Record<string, string> = {}) =>
  who.post('/templates/new', { ...FIELDS, ...over });

describe('A template', () => {
  test('is written, shown, changed into its next version, and deleted by its name', async () => {
    const { operator, scene } = await open();
    expect((await operator.get('/templates')).text).toContain('No templates yet');
    const form = await operator.get('/templates/new');
    expect(form.text).toContain('my-template');
    // Only the page with file inputs loads the script for them.
    expect(form.text).toContain('/template-files.js');
    expect((await operator.get('/templates')).text).not.toContain('/template-files.js');
    expect((await add(operator)).location).toBe('/templates/demo');
    const { text } = await operator.get('/templates/demo');
    for (const part of ['A demo', 'Where it listens', 'required', 'image: app:1']) {
      expect(text).toContain(part);
    }
    expect((await operator.get('/templates')).text).toContain('/templates/demo');
    expect((await operator.get('/templates/demo/edit')).text).toContain('image: app:1');
    const change = { ...FIELDS, 'content.0': COMPOSE.replace('app:1', 'app:2').replaceAll('\n', '\r\n') };
    expect((await operator.post('/templates/demo/edit', change)).location).toBe('/templates/demo');
    const saved = await scene.templates.findByName('demo');
    expect(saved).toMatchObject({ version: 2, createdBy: 'user:operator1' });
    expect(saved?.files[0]?.content).toBe(COMPOSE.replace('app:1', 'app:2'));
    expect((await operator.get('/templates/demo')).text).toMatch(/href="#delete">.*<form id="delete"/s);
    const refused = await operator.post('/templates/demo/remove', { confirm: 'dmeo' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('value="dmeo"');
    expect((await operator.post('/templates/demo/remove', { confirm: 'demo' })).location).toBe('/templates');
    expect((await operator.get('/templates/demo')).status).toBe(404);
  });

  test('that is invalid is shown again, with every fault at its field', async () => {
    const { operator } = await open();
    const broken = await add(operator, { 'var.0.default': '99999', 'var.1.type': 'port' });
    expect(broken.status).toBe(422);
    expect(broken.text).toContain('href="#at/var.0.default"');
    expect(broken.text).toContain('value="99999"');
    expect(broken.text).toContain('image: app:1');
    expect((await add(operator, { 'var.1.type': 'colour' })).text).toContain('href="#at/var.1.type"');
    const lost = await add(operator, { 'path.0': 'other.yaml' });
    expect(lost.text).toContain('There is no compose.yaml.');
    expect(lost.text).toContain('value="other.yaml"');
    const unknown = await add(operator, { 'content.0': `${COMPOSE}# \nx: "@{nobody}"\n` });
    expect(unknown.status).toBe(422);
    await add(operator);
    const renamed = await operator.post('/templates/demo/edit', {
      ...FIELDS,
      name: 'other',
    });
    expect(renamed.text).toContain('The name stays demo');
  });

  test('takes files that were read in the browser, and another one by hand', async () => {
    const { operator, scene } = await open();
    const upload = JSON.stringify({
      'template.json': MANIFEST,
      'compose.yaml': COMPOSE,
      'app/app.conf': 'x',
    });
    const filled = await operator.post('/templates/new', { name: '', upload });
    expect(filled.status).toBe(200);
    expect(filled.text).toContain('value="app/app.conf"');
    expect(filled.text).toContain('A demo');
    expect(await scene.templates.findByName('demo')).toBeNull();
    expect((await add(operator, { more: 'file' })).text).toContain('name="path.1"');
    const more = await add(operator, {
      more: 'variable',
      'var.0.name': '',
      'var.0.default': '',
      'var.0.description': '',
    });
    expect(more.text.match(/name="var.\d.name"/g)).toHaveLength(2);
    expect(more.text).toMatch(
      /<input[^>]*(name="var\.0\.name"[^>]*value="password"|value="password"[^>]*name="var\.0\.name")/,
    );
    const manifest = { upload: JSON.stringify({ 'template.json': '{"name": "demo",' }) };
    expect((await operator.post('/templates/new', { ...FIELDS, ...manifest })).status).toBe(422);
    expect((await operator.post('/templates/new', { ...FIELDS, upload: '[1' })).status).toBe(422);
  });

  test('is downloaded as a folder that can be taken over again', async () => {
    const { operator } = await open();
    await add(operator);
    const { headers, bytes } = await operator.get('/templates/demo/export');
    expect(headers.get('content-disposition')).toContain('demo.zip');
    const files = unzipSync(bytes);
    expect(Object.keys(files).toSorted()).toEqual(['demo/compose.yaml', 'demo/template.json']);
    expect(strFromU8(files['demo/compose.yaml'] ?? new Uint8Array())).toBe(COMPOSE);
  });

  test('is deployed with its values, of which the secret ones are never shown back', async () => {
    const { operator, scene } = await open();
    await add(operator);
    expect((await operator.get('/templates/demo/deploy?server=nobody')).text).toContain(
      'There is no server named nobody.',
    );
    const place = (await operator.get('/templates/demo/deploy?server=web')).location ?? '';
    expect(place).toBe('/servers/1/jobs/new?type=template_deploy&template=demo');
    expect((await operator.get('/templates/demo')).text).toMatch(/type="radio" name="server" value="web"/);
    const form = await operator.get(place);
    expect(form.text).toContain('value="/srv/stacks/demo"');
    expect(form.text).toContain('value="8080"');
    const fields = {
      type: 'template_deploy',
      template: 'demo',
      source_filter: '/srv/stacks/demo',
      'variable.port': '99999',
      'variable.password': 'correct horse battery',
    };
    const refused = await operator.post('/servers/1/jobs/new', fields);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('Must be a port from 1 to 65535.');
    expect(refused.text).toContain('value="99999"');
    expect(refused.text).not.toContain('correct horse');
    const started = await operator.post('/servers/1/jobs/new', { ...fields, 'variable.port': '9000' });
    expect(started.location).toBe('/jobs/1');
    expect((await scene.jobs.find(1))?.params).toMatchObject({ dryRun: true, template: 'demo' });
    expect((await operator.get('/jobs/1')).text).not.toContain('correct horse');
    expect((await operator.post('/jobs/1/again')).location).toContain(
      '/servers/1/jobs/new?type=template_deploy',
    );
  });

  test('says where it runs, and which servers have an older version', async () => {
    const { operator, scene } = await open();
    await add(operator);
    expect((await operator.get('/templates')).text).toContain('Not deployed');
    await scene.deployments.record(
      {
        serverId: 1,
        directory: '/srv/stacks/demo',
        project: 'demo',
        templateName: 'demo',
        templateVersion: 1,
        values: {},
        secretNames: [],
        files: ['compose.yaml'],
        jobId: 1,
        deployedAt: scene.clock.now(),
      },
      () => '',
      () => ({}),
    );
    const before = await operator.get('/templates');
    expect(before.text).toContain('Up to date');
    expect(before.text).toContain('app:1');
    await operator.post('/templates/demo/edit', {
      ...FIELDS,
      'content.0': COMPOSE.replace('app:1', 'app:2'),
    });
    expect((await operator.get('/templates')).text).toContain('1 outdated');
    const { text } = await operator.get('/templates/demo');
    expect(text).toContain('version 1, older');
    expect(text).toContain(
      '/servers/1/jobs/new?type=template_redeploy&amp;source_filter=%2Fsrv%2Fstacks%2Fdemo',
    );
    // Versions come from the audit log, which administrators read.
    expect(text).not.toContain('aria-label="Versions"');
    const administrator = await fixture.signedIn('administrator');
    expect((await administrator.get('/templates/demo')).text).toContain('aria-label="Versions"');
  });

  test('is read by viewers, and changed by others alone', async () => {
    const { operator } = await open();
    await add(operator);
    const viewer = await fixture.signedIn('viewer');
    const { text } = await viewer.get('/templates/demo');
    expect(text).not.toContain('/templates/demo/edit');
    expect(text).toContain('/templates/demo/export');
  });
});

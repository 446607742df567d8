import { createHash } from 'node:crypto';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../../../src/adapters/inbound/api/catalogue.ts';
import { openApiDocument } from '../../../../src/adapters/inbound/api/openapi/document.ts';
import { fits, placed } from '../../../../src/adapters/inbound/api/openapi/route-object.ts';
import { API_PREFIX } from '../../../../src/adapters/inbound/api/operation.ts';
import { problemSchema } from '../../../../src/adapters/inbound/api/problem.ts';
import { RequestChange } from '../../../../src/application/jobs/request-change.ts';
import { actorOf } from '../../../../src/domain/access/api-token.ts';
import { addSnapshots } from '../../../support/add-snapshots.ts';
import { containerOf, inventoryOf } from '../../../support/inventories.ts';
import { AT, noRecord } from '../../../support/stores-subject.ts';
import { demoTemplate, newDeployment } from '../../../support/templates.ts';
import { type ApiFixture, formOf, openApiFixture } from './api-fixture.ts';
import { DOCUMENT, DOCUMENTED, documentedAt, faultsOf, replyOf } from './documented.ts';

let fixture: ApiFixture;
let token: string;
beforeAll(async () => {
  fixture = await openApiFixture();
  token = await fixture.token(['read', 'jobs', 'edit', 'files']);
  const containers = [containerOf(), containerOf({ name: 'app', state: 'dead' })];
  await fixture.stores.templates.save(demoTemplate('uptime-kuma'), { createdBy: 'me', at: AT }, noRecord);
  await fixture.stores.deployments.record(
    newDeployment(fixture.alpha.id, '/srv/demo'),
    () => 'sealed',
    noRecord,
  );
  await addSnapshots(fixture);
  const [made] = (await fixture.stores.tokens.list({ limit: 1, offset: 0 })).items;
  if (!made) throw new Error('no token');
  const change = { kind: 'set_features', serverId: fixture.alpha.id, flags: { docker: true } } as const;
  await fixture.useCases
    .get(RequestChange)
    .execute(actorOf({ ...made, requireApproval: true }, null), change);
  await fixture.stores.inventories.save(fixture.alpha.id, inventoryOf({ containers }));
});
afterAll(() => fixture.close());

const PATH = `${API_PREFIX}/openapi.json`;

const routes = CATALOGUE.flatMap((operation) => operation.routes.map((route) => ({ operation, route })));
/** In this order they are consistent: the started job is followed and cancelled. */
const examples = routes
  .toSorted((a, b) => rank(a.operation.name) - rank(b.operation.name))
  .flatMap(({ operation, route }) =>
    operation.examples
      .filter((example) => fits(example, route))
      .map((example) => ({
        name: `${route.method} ${route.path}: ${example.title}`,
        operation,
        route,
        example,
      })),
  );

function rank(name: string): number {
  return name === 'trigger_job' ? 0 : name === 'cancel_job' ? 2 : 1;
}

const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);

/** Every `$ref` in a document. */
function* refsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    if (key === '$ref' && typeof each === 'string') yield each;
    else yield* refsIn(each);
  }
}

describe('The earlier reference page', () => {
  it('leads to the documentation', async () => {
    const moved = await fetch(`${fixture.base}/api/docs`, { redirect: 'manual' });
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/docs/rest']);
    expect((await fixture.request('/api/docs', { method: 'POST' })).status).toBe(405);
  });
});

describe('the OpenAPI document', () => {
  it('is public, and sent only if it has changed', async () => {
    const demo = await openApiFixture({ demo: true });
    for (const each of [fixture, demo]) {
      const reply = await each.request(PATH);
      expect(reply).toMatchObject({ status: 200, json: JSON.parse(JSON.stringify(DOCUMENT)) });
      const tag = reply.headers.get('etag') ?? '';
      const again = await each.request(PATH, { method: 'HEAD', headers: { 'if-none-match': tag } });
      expect(again).toMatchObject({ status: 304, text: '' });
      const head = await each.request(PATH, { method: 'HEAD', headers: { 'if-none-match': '"other"' } });
      expect(head).toMatchObject({ status: 200, text: '' });
      expect(await fixture.request(PATH, { method: 'POST' })).toMatchObject({ status: 405 });
    }
    await demo.close();
  });

  it('is valid by the schema of OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(JSON.parse(JSON.stringify(DOCUMENT)))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    const broken = { ...JSON.parse(JSON.stringify(DOCUMENT)), paths: { x: 1 } };
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  it('has the operations and shared shapes that it had, each as it was', async () => {
    // A digest each: docs/rest.md shows what changed in one.
    const operations = DOCUMENTED.map(
      ({ method, path, operation }) => [`${method} ${path}`, operation] as const,
    );
    const shared = Object.entries(DOCUMENT.components).flatMap(([kind, parts]) =>
      Object.entries(parts).map(([name, part]) => [`${kind}/${name}`, part] as const),
    );
    const lines = [...operations, ...shared].map(([name, part]) => `${digestOf(part)} ${name}\n`);
    await expect(lines.join('')).toMatchFileSnapshot('../../../golden/http/openapi.txt');
  });

  it('has every route once, and nothing else but itself', () => {
    const documented = DOCUMENTED.map(({ method, path }) => `${method} ${path}`);
    const known = routes.map(({ route }) => `${route.method} ${route.path || '/'}`);
    expect(documented.toSorted()).toEqual([...known, 'GET /openapi.json'].toSorted());
    const ids = DOCUMENTED.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, operation } of DOCUMENTED) {
      const named = (operation.parameters ?? []).flatMap((each) => ('in' in each ? [each] : []));
      const inPath = named.filter((each) => each.in === 'path').map(({ name }) => `{${name}}`);
      expect(inPath).toEqual(path.match(/\{\w+\}/g) ?? []);
    }
  });

  it('refers only to what it has', () => {
    for (const ref of refsIn(DOCUMENT)) {
      const found = ref
        .slice('#/'.length)
        .split('/')
        .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], DOCUMENT);
      expect(found, ref).toBeTypeOf('object');
    }
  });

  it('names the shapes that replies share, instead of telling them again', () => {
    const text = JSON.stringify(DOCUMENT.paths);
    for (const shape of ['Server', 'Job', 'Snapshot', 'Service', 'HostInventory', 'Problem']) {
      expect(text).toContain(`#/components/schemas/${shape}"`);
    }
    expect(text).not.toContain('"ssh_username":{');
  });

  it('shows the address that the service is known by', () => {
    const known = openApiDocument(CATALOGUE, { version: '1', publicUrl: 'https://drover.example.org:8443' });
    const text = JSON.stringify(known.paths);
    expect(text).toContain('curl -s https://drover.example.org:8443/api/v1/servers/1');
    expect(text).not.toContain('localhost');
  });

  it.each(DOCUMENTED.map((each) => [`${each.method} ${each.path}`, each] as const))(
    'tells all about %s',
    (_name, { operation, method }) => {
      expect(operation.description.length).toBeGreaterThan(20);
      expect(operation['x-codeSamples'].length).toBeGreaterThan(0);
      if (operation.operationId === 'openapi') return;
      expect(Object.keys(operation.responses)).toEqual(
        expect.arrayContaining(['400', '401', '403', '421', '422', '500', '503']),
      );
      expect(JSON.stringify(operation.parameters).includes('IdempotencyKey')).toBe(method === 'POST');
    },
  );
});

describe('an example of the document', () => {
  it('is there for every route', () => {
    for (const { operation, route } of routes) {
      const some = examples.some((each) => each.operation === operation && each.route === route);
      expect(some, `${route.method} ${route.path}`).toBe(true);
    }
  });

  it.each(examples.map((each) => [each.name, each] as const))(
    'is taken by the service, which answers by the document: %s',
    async (_name, { operation, route, example }) => {
      const { path, body } = placed(example.input, route);
      const form = operation.form === 'upload' ? formOf(body ?? {}, 'logo.png', 'hello') : null;
      const reply = await fixture.request(`${API_PREFIX}${path}`, {
        method: route.method,
        token,
        ...(form ?? (body === null ? {} : { json: body })),
      });
      expect(reply.status).toBe(example.status ?? route.status);
      if (operation.form === 'download') {
        expect(reply.headers.get('content-type')).toBe('application/octet-stream');
        return;
      }
      const schema = reply.status < 400 ? operation.output : problemSchema;
      expect(schema.parse(reply.json)).toEqual(reply.json);
      // And the document's example is a valid reply.
      expect(schema.parse(example.output)).toEqual(example.output);
    },
  );

  it('is by the schemas beside it', () => {
    let checked = 0;
    for (const { method, path } of DOCUMENTED) {
      const operation = documentedAt(method, `${API_PREFIX}${path.replace(/\{\w+\}/g, '1')}`);
      if (!operation) throw new Error(path);
      const replies = Object.keys(operation.responses).map((status) => replyOf(operation, Number(status)));
      const contents = [operation.requestBody?.content, ...replies.map((reply) => reply?.content)];
      for (const media of contents.flatMap((content) => Object.values(content ?? {}))) {
        for (const { summary, value } of Object.values(media.examples ?? {})) {
          expect(faultsOf(media.schema, value), `${path} ${summary}`).toBe('');
          checked += 1;
        }
      }
      for (const parameter of operation.parameters ?? []) {
        if ('example' in parameter) expect(faultsOf(parameter.schema, parameter.example)).toBe('');
      }
    }
    expect(checked).toBeGreaterThan(20);
  });
});

describe('the check of replies', () => {
  it('finds what the document does not say', () => {
    const schema = replyOf(documentedAt('GET', '/api/v1/servers/7')!, 200)?.content?.['application/json']
      ?.schema;
    expect(faultsOf(schema ?? {}, { id: 'seven' })).toMatch(/id|required/);
  });
});

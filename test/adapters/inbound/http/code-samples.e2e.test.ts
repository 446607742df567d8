import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../../../src/adapters/inbound/api/catalogue.ts';
import { openApiDocument } from '../../../../src/adapters/inbound/api/openapi/document.ts';
import { fits, placed } from '../../../../src/adapters/inbound/api/openapi/route-object.ts';
import type { Operation } from '../../../../src/adapters/inbound/api/operation.ts';
import { triggerJob } from '../../../../src/adapters/inbound/api/operations/trigger-job.ts';

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

const seen: Seen[] = [];
const server = createServer((req, res) => {
  text(req).then(
    (body) => {
      seen.push({ method: req.method, url: req.url, headers: req.headers, body });
      res.end('{}');
    },
    () => res.destroy(),
  );
});
let base = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const shell = promisify(execFile);
const NOWHERE = 'http://service.invalid';

/** The commands of a catalogue's document that send JSON or nothing, each with the example that it comes from. */
function samplesOf(catalogue: readonly Operation[]) {
  const { paths } = openApiDocument(catalogue, { version: '1', publicUrl: NOWHERE });
  return catalogue.flatMap((operation) =>
    operation.routes.flatMap((route) => {
      const item = paths[route.path || '/'] ?? {};
      const object = item[route.method.toLowerCase() as keyof typeof item];
      const body = object?.requestBody;
      if (!object || (body && !('application/json' in body.content))) return [];
      const shown = operation.examples.filter((each) => each.status === undefined && fits(each, route));
      expect(object['x-codeSamples'].map(({ label }) => label)).toEqual(shown.map(({ title }) => title));
      return shown.map(({ title, input }, index) => ({
        name: `${route.method} ${route.path}: ${title}`,
        route,
        ...placed(input, route),
        source: object['x-codeSamples'][index]?.source.replace(NOWHERE, () => base) ?? '',
      }));
    }),
  );
}

/** A sample's result in a shell with curl. */
async function sent(source: string): Promise<Seen> {
  seen.length = 0;
  const { stderr } = await shell('bash', ['-c', source], { env: { ...process.env, TOKEN: 'drv_x' } });
  expect(stderr).toBe('');
  const [only, ...others] = seen;
  expect(others).toEqual([]);
  if (!only) throw new Error('nothing was sent');
  return only;
}

describe('a command of the documents sends what its example says', () => {
  it.each(samplesOf(CATALOGUE).map(({ name }) => name))('%s', async (name) => {
    const sample = samplesOf(CATALOGUE).find((each) => each.name === name);
    if (!sample) throw new Error(name);
    const { route, path, body, source } = sample;
    const request = await sent(source);
    expect(request.method).toBe(route.method);
    expect(request.url).toBe(`/api/v1${path}`);
    expect(request.headers['authorization']).toBe('Bearer drv_x');
    const key = request.headers['idempotency-key'];
    if (route.method === 'POST') expect(key).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    else expect(key).toBeUndefined();
    expect(request.headers['content-type']).toBe(body === null ? undefined : 'application/json');
    expect(request.body).toBe(body === null ? '' : JSON.stringify(body));
  });

  it('whatever the example holds', async () => {
    const input = { server_id: 1, job_type: 'backup', source_filter: `it's "$(touch x)" \`id\` \\ $TOKEN!` };
    const hostile = { ...triggerJob, examples: [{ title: 'Hostile', input, output: {} }] };
    const [sample] = samplesOf([hostile]);
    const { server_id: _, ...body } = input;
    expect(JSON.parse((await sent(sample?.source ?? '')).body)).toEqual(body);
  });
});

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../../src/adapters/catalogue/catalogue.ts';
import { curlSample } from '../../../src/adapters/catalogue/openapi/code-sample.ts';
import { fits, placed } from '../../../src/adapters/catalogue/openapi/route-object.ts';

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
const samples = CATALOGUE.flatMap((operation) =>
  operation.routes.flatMap((route) =>
    operation.examples
      .filter((example) => fits(example, route))
      .map(({ title, input }) => [`${route.method} ${route.path}: ${title}`, route, input] as const),
  ),
);

/** What a shell and curl make of a sample. */
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
  it.each(samples)('%s', async (_name, route, input) => {
    const { path, body } = placed(input, route);
    const { source } = curlSample('x', route, { path, body }, base);
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
    const body = { text: `it's "$(touch x)" \`id\` \\ $TOKEN\n!` };
    const { source } = curlSample(
      'x',
      { method: 'POST', path: '', status: 202 },
      { path: '/a?b=c d&e', body },
      base,
    );
    expect(JSON.parse((await sent(source.replace('c d', 'c%20d'))).body)).toEqual(body);
  });
});

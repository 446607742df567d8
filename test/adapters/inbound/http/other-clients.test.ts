import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Doors, openDoors } from './doors.ts';

/** What clients written for PiHerder's API do with ours. */
let doors: Doors;
let token: string;
beforeAll(async () => {
  doors = await openDoors();
  token = await doors.token(['read', 'jobs', 'edit', 'files']);
  await start({});
});
afterAll(() => doors.close());

const start = (
  headers: Record<string, string>,
  secret = token,
  body: object = { job_type: 'backup' },
  server = 1,
) =>
  fetch(`${doors.base}/api/v1/servers/${server}/jobs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

describe('a conflict', () => {
  it.each([
    ['application/json', 'application/json; charset=utf-8'],
    ['text/html, application/json;q=0.9', 'application/json; charset=utf-8'],
    ['application/problem+json, application/json', 'application/problem+json; charset=utf-8'],
    ['*/*', 'application/problem+json; charset=utf-8'],
    ['application/json, */*', 'application/problem+json; charset=utf-8'],
  ])('for a client that accepts %s is %s', async (accept, type) => {
    for (const more of [{}, { 'idempotency-key': `key-${accept.length}` }]) {
      const reply = await start({ accept, ...more });
      expect([reply.status, reply.headers.get('content-type')]).toEqual([409, type]);
      expect(await reply.json()).toMatchObject({ already_active: true, job: { id: 1 } });
    }
  });
});

describe('lists that such clients read whole', () => {
  it.each(['/inventory', '/services'])('%s have 1,000 entries', async (path) => {
    const { json } = await doors.request(`/api/v1${path}`, { token });
    expect(json.limit).toBe(1_000);
  });
});

describe('a wrong input', () => {
  const WRONG = { job_type: 'backup', surprise: 1 };
  const problemOf = async (reply: Response) => {
    const { status, code } = (await reply.json()) as { status: number; code: string };
    return [status, code];
  };
  const overMcp = async (secret: string, args: object) => {
    const { result } = (await doors.rpc(secret, 'tools/call', { name: 'trigger_job', arguments: args })).json;
    const { status, code } = JSON.parse(result.content[0].text);
    return [status, code];
  };

  it('is reported after a feature that is not allowed', async () => {
    const limited = await doors.token(['read', 'jobs', 'feature:docker']);
    expect(await problemOf(await start({}, limited, WRONG))).toEqual([403, 'feature_not_allowed']);
    expect(await overMcp(limited, { server_id: 1, ...WRONG })).toEqual([403, 'feature_not_allowed']);
  });

  it('is reported after a server that the token has no access to', async () => {
    const limited = await doors.token(['read', 'jobs'], { allowedServerIds: [2] });
    expect(await problemOf(await start({}, limited, WRONG))).toEqual([404, 'server_not_found']);
    expect(await problemOf(await start({}, token, WRONG, 99))).toEqual([404, 'server_not_found']);
    expect(await overMcp(limited, { server_id: 1, ...WRONG })).toEqual([404, 'server_not_found']);
    const missing = { name: 'get_server', arguments: { server_id: 99, surprise: 1 } };
    const { result } = (await doors.rpc(limited, 'tools/call', missing)).json;
    expect(JSON.parse(result.content[0].text).code).toBe('server_not_found');
  });

  it('is reported after a feature that is off for the server', async () => {
    const off = { method: 'PATCH', token, json: { docker: false } };
    await doors.request('/api/v1/servers/1/features', off);
    const wrong = { ...WRONG, job_type: 'container_patch' };
    expect(await problemOf(await start({}, token, wrong))).toEqual([400, 'feature_disabled']);
    expect(await overMcp(token, { server_id: 1, ...wrong })).toEqual([400, 'feature_disabled']);
  });

  it('is reported to those who may do it', async () => {
    expect(await problemOf(await start({}, token, WRONG))).toEqual([422, 'invalid_input']);
    expect(await overMcp(token, { server_id: 1, ...WRONG })).toEqual([422, 'invalid_input']);
  });
});

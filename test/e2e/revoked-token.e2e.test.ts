import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { describeWith } from '../support/capabilities.ts';
import { freshMariaDb } from '../support/mariadb.ts';
import { Service } from '../support/service.ts';

const Issued = z.object({ id: z.int(), secret: z.string() });
/** What the command line and the documentation promise. */
const WITHIN_MS = 3_000;

describeWith('mariadb', 'a token that the command line changes', () => {
  let replicas: readonly Service[];
  let dropDatabase: () => Promise<void>;

  beforeAll(async () => {
    const { url, drop } = await freshMariaDb();
    dropDatabase = drop;
    const settings = {
      SERVICE_DATABASE_URL: url,
      SERVICE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    };
    const first = await Service.start({ settings });
    replicas = [first, await Service.start({ settings })];
  });
  afterAll(async () => {
    for (const replica of replicas) await replica.remove();
    await dropDatabase();
  });

  const issue = async (name: string) => {
    const [service] = replicas;
    if (!service) throw new Error('there is no replica');
    const args = ['token', 'create', '--name', name, '--scopes', 'read'];
    return { service, ...(await service.ask(Issued, args)) };
  };

  /** The statuses of a tool call on each replica. */
  const statuses = (secret: string): Promise<readonly number[]> =>
    Promise.all(
      replicas.map(async ({ url }) => {
        const reply = await fetch(`${url}/mcp`, {
          method: 'POST',
          headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name: 'get_server', arguments: { server_id: 1 } },
          }),
        });
        await reply.text();
        return reply.status;
      }),
    );

  /** An agent that keeps calling, so that both replicas know the token all the time. */
  async function afterTheDelay(secret: string): Promise<readonly number[]> {
    const until = performance.now() + WITHIN_MS;
    while (performance.now() < until) {
      await statuses(secret);
      await sleep(100);
    }
    return statuses(secret);
  }

  it('is refused by every replica within 3 s of its revocation', async () => {
    const { service, id, secret } = await issue('revoked');
    expect(await statuses(secret)).toEqual([200, 200]);
    expect((await service.cli(['token', 'revoke', String(id)])).code).toBe(0);
    expect(await afterTheDelay(secret)).toEqual([401, 401]);
  });

  it('has one valid secret on every replica within 3 s of a rotation', async () => {
    const { service, id, secret } = await issue('rotated');
    expect(await statuses(secret)).toEqual([200, 200]);
    const rotated = await service.ask(Issued, ['token', 'rotate', String(id)]);
    expect(await statuses(rotated.secret)).toEqual([200, 200]);
    expect(await afterTheDelay(secret)).toEqual([401, 401]);
    expect(await statuses(rotated.secret)).toEqual([200, 200]);
  });
});

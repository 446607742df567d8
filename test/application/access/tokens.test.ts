import { beforeEach, describe, expect, test } from 'vitest';
import { Authenticate } from '../../../src/application/access/authenticate.ts';
import { IssueToken } from '../../../src/application/access/issue-token.ts';
import {
  GetToken,
  ListTokens,
  RevokeToken,
  RotateToken,
} from '../../../src/application/access/manage-tokens.ts';
import { TokenCache } from '../../../src/application/access/token-cache.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import { callsOfDay } from '../../../src/domain/access/token-calls.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/domain/base/instant.ts';
import { type ApplicationScene, applicationScene } from '../../support/application-scene.ts';

const operator = Actor.operator('operator');
const from = (secret: string, address = '203.0.113.7') => ({ secret, address });
const code = (expected: string): unknown => expect.objectContaining({ code: expected });

let scene: ApplicationScene;
let authenticate: Authenticate;
beforeEach(async () => {
  scene = applicationScene();
  authenticate = new Authenticate({ ...scene, tokensDisabled: false });
  await scene.addServer('one');
});

const issue = (over: object = {}) =>
  new IssueToken(scene).execute(operator, { name: 'mcp-a', scopes: ['read'], ...over });

describe('a token', () => {
  test('authenticates as its actor', async () => {
    const { secret } = await issue({ scopes: ['read', 'jobs', 'feature:os'], allowedServerIds: [1] });
    const actor = await authenticate.execute(from(secret));
    expect(actor).toMatchObject({ kind: 'token', name: 'mcp-a', address: '203.0.113.7', features: ['os'] });
    expect([...actor.capabilities]).toEqual(['read', 'jobs']);
    expect(actor.maySee(2)).toBe(false);
  });

  test('is stored without its secret', async () => {
    const { secret } = await issue();
    expect(JSON.stringify(await scene.tokens.list({ limit: 10, offset: 0 }))).not.toContain(secret.slice(12));
    expect(JSON.stringify(scene.kept.audit)).not.toContain(secret.slice(12));
  });

  test('is refused alike whether malformed, unknown, expired or revoked', async () => {
    const { secret, token } = await issue({ expires: '1d' });
    const elsewhere = applicationScene();
    elsewhere.randomness.bytes(100);
    const strange = (await new IssueToken(elsewhere).execute(operator, { name: 'x', scopes: ['read'] }))
      .secret;
    const refusals = [];
    refusals.push(await authenticate.execute(from('drv_short')).catch((error: unknown) => error));
    refusals.push(await authenticate.execute(from(strange)).catch((error: unknown) => error));
    await scene.clock.advance(DAY);
    refusals.push(await authenticate.execute(from(secret)).catch((error: unknown) => error));
    await new RevokeToken(scene).execute(operator, token.id);
    refusals.push(await authenticate.execute(from(secret)).catch((error: unknown) => error));
    for (const refusal of refusals) expect(refusal).toEqual(code('unauthorized'));
    expect(new Set(refusals.map(String)).size).toBe(1);
  });

  test('with a wrong checksum is refused without asking the database', async () => {
    const { secret } = await issue();
    scene.tokens.findBySecretHash = () => Promise.reject(new Error('the database was asked'));
    const wrong = `${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}`;
    await expect(authenticate.execute(from(wrong))).rejects.toEqual(code('unauthorized'));
  });

  test('is refused from an address that is not among its own', async () => {
    const { secret } = await issue({ allowedCidrs: ['198.51.100.0/24'] });
    await expect(authenticate.execute(from(secret))).rejects.toEqual(code('address_not_allowed'));
    await expect(authenticate.execute(from(secret, '::ffff:198.51.100.9'))).resolves.toBeInstanceOf(Actor);
  });

  test('dies at once when it is revoked or rotated in the same process', async () => {
    const { secret, token } = await issue();
    await authenticate.execute(from(secret));
    const rotated = await new RotateToken(scene).execute(operator, token.id);
    await expect(authenticate.execute(from(secret))).rejects.toEqual(code('unauthorized'));
    await expect(authenticate.execute(from(rotated.secret))).resolves.toBeInstanceOf(Actor);
    await new RevokeToken(scene).execute(operator, token.id);
    await expect(authenticate.execute(from(rotated.secret))).rejects.toEqual(code('unauthorized'));
  });

  test('dies at once even when it is revoked while it is looked up', async () => {
    const { secret, token } = await issue();
    const find = scene.tokens.findBySecretHash.bind(scene.tokens);
    scene.tokens.findBySecretHash = async (hash) => {
      const found = await find(hash);
      await new RevokeToken(scene).execute(operator, token.id);
      return found;
    };
    await authenticate.execute(from(secret));
    await expect(authenticate.execute(from(secret))).rejects.toEqual(code('unauthorized'));
  });

  test('is the same actor for each address that it comes from', async () => {
    const { secret } = await issue();
    for (const address of ['203.0.113.7', '203.0.113.7', '203.0.113.8', '203.0.113.7'])
      expect((await authenticate.execute(from(secret, address))).address).toBe(address);
  });

  test.each([
    ['revoked', RevokeToken],
    ['rotated', RotateToken],
  ])('that another process %s stops working in every replica within 3 s', async (_how, UseCase) => {
    const { secret, token } = await issue();
    const replicas = [1, 2].map(
      () => new Authenticate({ ...scene, cache: new TokenCache(), tokensDisabled: false }),
    );
    for (const replica of replicas) await replica.execute(from(secret));
    await new UseCase({ ...scene, cache: new TokenCache() }).execute(operator, token.id);
    await scene.clock.advance(3 * SECOND);
    for (const replica of replicas)
      await expect(replica.execute(from(secret))).rejects.toEqual(code('unauthorized'));
  });

  test('is read from the database once for many requests, and its use written once a minute', async () => {
    const { secret } = await issue();
    const counts = { reads: 0, writes: 0 };
    const find = scene.tokens.findBySecretHash.bind(scene.tokens);
    const touch = scene.tokens.touch.bind(scene.tokens);
    scene.tokens.findBySecretHash = (hash) => {
      counts.reads += 1;
      return find(hash);
    };
    scene.tokens.touch = (id, at, calls) => {
      counts.writes += 1;
      return touch(id, at, calls);
    };
    for (let i = 0; i < 50; i += 1) await authenticate.execute(from(secret));
    expect(counts).toEqual({ reads: 1, writes: 1 });
    await scene.clock.advance(MINUTE);
    await authenticate.execute(from(secret));
    expect(counts).toEqual({ reads: 2, writes: 2 });
  });

  test('has its calls counted without a write for each', async () => {
    const { token, secret } = await issue();
    const shown = async () => {
      const { calls, lastUsedAt } = await new GetToken(scene).execute(operator, token.id);
      const now = scene.clock.now();
      return { total: calls.total, day: callsOfDay(calls, now), sinceMs: now - (lastUsedAt ?? 0) };
    };
    for (let i = 0; i < 50; i += 1) await authenticate.execute(from(secret));
    await expect.poll(shown).toEqual({ total: 50, day: 50, sinceMs: 0 });
    expect((await scene.tokens.find(token.id))?.calls.total).toBe(1);
    await scene.clock.advance(23 * HOUR);
    await authenticate.execute(from(secret));
    await expect.poll(async () => (await scene.tokens.find(token.id))?.calls.total).toBe(51);
    await scene.clock.advance(HOUR);
    const { items } = await new ListTokens(scene).execute(operator, { limit: 10, offset: 0 });
    expect(items.map(({ calls }) => [calls.total, callsOfDay(calls, scene.clock.now())])).toEqual([[51, 1]]);
    await scene.clock.advance(HOUR);
    expect(await shown()).toMatchObject({ total: 51, day: 1 });
  });

  test('may be made for servers that exist alone', async () => {
    await expect(issue({ allowedServerIds: [1, 2] })).rejects.toEqual(code('invalid_input'));
  });

  test('is void on a demo instance', async () => {
    const { secret } = await issue();
    const demo = new Authenticate({ ...scene, tokensDisabled: true });
    await expect(demo.execute(from(secret))).rejects.toEqual(code('tokens_disabled'));
  });
});

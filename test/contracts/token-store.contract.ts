import { beforeEach, describe, expect, it } from 'vitest';
import type { NewApiToken, TokenTerms } from '../../src/domain/access/api-token.ts';
import { callsAt, NO_CALLS } from '../../src/domain/access/token-calls.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import {
  AT,
  brokenRecord,
  type MakeStores,
  noRecord,
  type StoresSubject,
  trailOf,
} from '../support/stores-subject.ts';

const hash = (secret: string): string => secret.padEnd(64, '0');

const newToken = (name: string, over: Partial<NewApiToken> = {}): NewApiToken => ({
  name,
  prefix: 'drv_abcdefgh',
  scopes: ['read', 'jobs', 'feature:backup'],
  allowedCidrs: ['192.0.2.0/24', '2001:db8::/32'],
  allowedServerIds: [1, 7],
  serversGrantedBy: { label: 'user:root', userId: 3 },
  requireApproval: true,
  createdBy: 'operator',
  createdAt: AT,
  expiresAt: AT + 1_000,
  ...over,
});

const TERMS: TokenTerms = {
  name: 'renamed',
  scopes: ['read'],
  allowedCidrs: [],
  allowedServerIds: null,
  requireApproval: false,
  approvalInClient: false,
  approvalRule: null,
  expiresAt: null,
};

/** What every `TokenStore` does. */
export function tokenStoreContract(name: string, makeStores: MakeStores): void {
  describe(`TokenStore: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    keeping(() => stores);
    changing(() => stores);
    using(() => stores);
  });
}

function keeping(stores: () => StoresSubject): void {
  it('keeps a token and finds it by its id and the hash of its secret', async () => {
    const { tokens, record } = stores();
    const token = await tokens.add(newToken('ci'), hash('a'), trailOf('token.create', 'token'));
    expect(token).toEqual({
      ...newToken('ci'),
      approvalInClient: false,
      approvalRule: null,
      rotatedBy: [],
      id: token.id,
      lastUsedAt: null,
      revokedAt: null,
      calls: NO_CALLS,
    });
    expect(await tokens.find(token.id)).toEqual(token);
    expect(await tokens.findBySecretHash(hash('a'))).toEqual({ token, secretHash: hash('a') });
    expect(await tokens.find(token.id + 1)).toBeNull();
    expect(await tokens.findBySecretHash(hash('A'))).toBeNull();
    expect((await record()).audit).toEqual([`token.create token:${token.id}`]);
  });

  it('keeps a token without limits, and one with many servers', async () => {
    const { tokens } = stores();
    const free = newToken('free', { allowedCidrs: [], allowedServerIds: null, expiresAt: null });
    expect(await tokens.add(free, hash('a'), noRecord)).toMatchObject(free);
    const many = newToken('many', { allowedServerIds: Array.from({ length: 5_000 }, (_, i) => i + 100_000) });
    const { id } = await tokens.add(many, hash('b'), noRecord);
    expect((await tokens.find(id))?.allowedServerIds).toHaveLength(5_000);
  });

  it('keeps nothing where the record fails', async () => {
    const { tokens } = stores();
    await expect(tokens.add(newToken('ci'), hash('a'), brokenRecord)).rejects.toThrow('no record today');
    expect(await tokens.findBySecretHash(hash('a'))).toBeNull();
  });

  it('lists the newest first', async () => {
    const { tokens } = stores();
    for (const [at, each] of ['a', 'b', 'c'].entries())
      await tokens.add(newToken(each, { expiresAt: at === 2 ? null : AT - at }), hash(each), noRecord);
    const page = await tokens.list({ limit: 2, offset: 0 });
    expect(page).toMatchObject({ total: 3, limit: 2, offset: 0 });
    expect(page.items.map((token) => token.name)).toEqual(['c', 'b']);
    const all = { limit: 3, offset: 0 };
    const byName = await tokens.list(all, { by: 'name', descending: false });
    expect(byName.items.map((token) => token.name)).toEqual(['a', 'b', 'c']);
    const byExpiry = await tokens.list(all, { by: 'expires', descending: false });
    expect(byExpiry.items.map((token) => token.name)).toEqual(['c', 'b', 'a']);
  });
}

function changing(stores: () => StoresSubject): void {
  it('replaces the terms and nothing else', async () => {
    const { tokens, record } = stores();
    const before = await tokens.add(newToken('ci'), hash('a'), noRecord);
    const after = await tokens.change(before.id, TERMS, trailOf('token.edit', 'token'));
    expect(after).toEqual({ ...before, ...TERMS, serversGrantedBy: null });
    expect(await tokens.findBySecretHash(hash('a'))).toEqual({ token: after, secretHash: hash('a') });
    expect((await record()).audit).toEqual([`token.edit token:${before.id}`]);
    await expectRefusal(tokens.change(999_999, TERMS, noRecord), 'token_not_found');
  });

  it('keeps who granted the servers, and no one if that is left out', async () => {
    const { tokens } = stores();
    const named = { ...TERMS, allowedServerIds: [2], serversGrantedBy: { label: 'cli:root', userId: null } };
    const { id } = await tokens.add(newToken('ci'), hash('a'), noRecord);
    await tokens.change(id, named, noRecord);
    expect(await tokens.find(id)).toMatchObject(named);
    await tokens.change(id, TERMS, noRecord);
    expect((await tokens.find(id))?.serversGrantedBy).toBeNull();
  });

  it('replaces the secret, and the old one is void', async () => {
    const { tokens } = stores();
    const before = await tokens.add(newToken('ci'), hash('a'), noRecord);
    const after = await tokens.rotate(
      before.id,
      { hash: hash('b'), prefix: 'drv_12345678', by: 'user:ann' },
      noRecord,
    );
    expect(after).toEqual({ ...before, prefix: 'drv_12345678', rotatedBy: ['user:ann'] });
    expect(await tokens.findBySecretHash(hash('a'))).toBeNull();
    expect((await tokens.findBySecretHash(hash('b')))?.token).toEqual(after);
  });

  it('keeps everyone who has replaced the secret, and a rule for approval', async () => {
    const { tokens } = stores();
    const { id } = await tokens.add(newToken('ci'), hash('a'), noRecord);
    const rotate = (by: string, secret: string) =>
      tokens.rotate(id, { hash: hash(secret), prefix: 'drv_12345678', by }, noRecord);
    await Promise.all([rotate('user:ann', 'b'), rotate('user:bob', 'c'), rotate('user:ann', 'd')]);
    expect((await tokens.find(id))?.rotatedBy.toSorted()).toEqual(['user:ann', 'user:bob']);
    const approvalRule = { fourEyes: true, role: 'administrator', approvers: 2 } as const;
    const inClient = { requireApproval: true, approvalInClient: true };
    expect(await tokens.change(id, { ...TERMS, ...inClient }, noRecord)).toMatchObject(inClient);
    const ruled = await tokens.change(id, { ...TERMS, requireApproval: true, approvalRule }, noRecord);
    expect(ruled).toMatchObject({ approvalRule, rotatedBy: expect.any(Array) });
    expect((await tokens.find(id))?.approvalRule).toEqual(approvalRule);
  });

  it('revokes once: later tries change nothing and leave nothing', async () => {
    const { tokens, record } = stores();
    const { id } = await tokens.add(newToken('ci'), hash('a'), noRecord);
    const revoked = await tokens.revoke(id, AT + 5, trailOf('token.revoke', 'token'));
    expect(revoked.revokedAt).toBe(AT + 5);
    expect(await tokens.revoke(id, AT + 9, trailOf('token.revoke', 'token'))).toEqual(revoked);
    expect((await record()).audit).toEqual([`token.revoke token:${id}`]);
    expect((await tokens.findBySecretHash(hash('a')))?.token).toEqual(revoked);
    const secret = { hash: hash('b'), prefix: 'drv_12345678', by: 'cli' };
    await expectRefusal(tokens.rotate(id, secret, noRecord), 'token_not_found');
    await expectRefusal(tokens.rotate(999_999, secret, noRecord), 'token_not_found');
    await expectRefusal(tokens.revoke(999_999, AT, noRecord), 'token_not_found');
  });
}

function using(stores: () => StoresSubject): void {
  it('remembers the last use and never moves it back', async () => {
    const { tokens } = stores();
    const { id } = await tokens.add(newToken('ci'), hash('a'), noRecord);
    const lastUse = async (): Promise<number | null | undefined> => (await tokens.find(id))?.lastUsedAt;
    await tokens.touch(id, AT + 10, callsAt(AT, 3));
    expect(await lastUse()).toBe(AT + 10);
    await tokens.touch(id, AT + 5, callsAt(AT, 2));
    expect(await lastUse()).toBe(AT + 10);
    await tokens.touch(999_999, AT, NO_CALLS);
    expect((await tokens.find(id))?.calls.total).toBe(5);
  });
}

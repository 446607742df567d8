import { describe, expect, test } from 'vitest';
import {
  type ApiToken,
  actorOf,
  allowsAddress,
  isUsable,
  type TokenRequest,
  tokenTerms,
} from '../../../src/domain/access/api-token.ts';
import { NO_CALLS } from '../../../src/domain/access/token-calls.ts';
import { InvalidInput } from '../../../src/domain/base/errors.ts';
import { DAY } from '../../../src/domain/base/instant.ts';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const request = (over: Partial<TokenRequest> = {}): TokenRequest => ({
  name: 'mcp-one',
  scopes: ['read'],
  ...over,
});

const faultsOf = (over: Partial<TokenRequest>): readonly string[] => {
  try {
    tokenTerms(request(over), NOW);
    return [];
  } catch (error) {
    return (error as InvalidInput).problems.map((problem) => problem.path);
  }
};

const token = (over: Partial<ApiToken> = {}): ApiToken => ({
  id: 1,
  name: 'one',
  prefix: 'drv_12345678',
  scopes: ['read'],
  allowedCidrs: [],
  allowedServerIds: null,
  serversGrantedBy: null,
  requireApproval: false,
  approvalInClient: false,
  approvalRule: null,
  rotatedBy: [],
  createdBy: 'test',
  createdAt: NOW,
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
  calls: NO_CALLS,
  ...over,
});

describe('the terms of a token', () => {
  test('are kept in a fixed order, each once', () => {
    const terms = tokenTerms(
      request({
        scopes: ['jobs', 'read', 'read'],
        allowedCidrs: ['10.0.0.0/8', '::ffff:10.0.0.0/104'],
        allowedServerIds: [3, 1, 3],
      }),
      NOW,
    );
    expect(terms).toEqual({
      name: 'mcp-one',
      scopes: ['read', 'jobs'],
      allowedCidrs: ['10.0.0.0/8'],
      allowedServerIds: [1, 3],
      requireApproval: false,
      approvalInClient: false,
      approvalRule: null,
      expiresAt: null,
    });
  });

  test('name every fault at its place, and drop nothing silently', () => {
    expect(
      faultsOf({ name: ' ', scopes: ['read', 'root'], allowedCidrs: ['10.0.0.0/8', 'x'], expires: 'soon' }),
    ).toEqual(['/name', '/scopes/1', '/allowed_cidrs/1', '/expires_at']);
    for (const name of ['a\u001b[31mred', 'a\nb', 'a\u202eb']) expect(faultsOf({ name })).toEqual(['/name']);
    expect(faultsOf({ name: 'Büro 🖥️' })).toEqual([]);
    expect(faultsOf({ scopes: [] })).toEqual(['/scopes']);
    expect(faultsOf({ allowedServerIds: [] })).toEqual(['/allowed_server_ids']);
  });

  test('need more than a feature scope', () => {
    expect(faultsOf({ scopes: ['feature:backup'] })).toEqual(['/scopes']);
    expect(faultsOf({ scopes: ['feature:backup', 'jobs'] })).toEqual([]);
  });

  test.each([
    ['2026-03-01', '2026-03-01T23:59:59.999Z'],
    ['2026-12-31', '2026-12-31T23:59:59.999Z'],
    ['2026-03-01T13:00:00+00:30', '2026-03-01T12:30:00.000Z'],
    ['2026-03-02T00:00Z', '2026-03-02T00:00:00.000Z'],
    ['30d', new Date(NOW + 30 * DAY).toISOString()],
  ])('with the expiry %s end at %s', (expires, end) => {
    expect(new Date(tokenTerms(request({ expires }), NOW).expiresAt ?? 0).toISOString()).toBe(end);
  });

  test.each([
    '2026-02-28',
    '2026-02-30',
    '2027-02-29',
    '2026-13-01',
    '2026-03-05T10:00:00',
    'tomorrow',
    '0d',
    '-1d',
    '1e3d',
    '',
  ])('refuse the expiry "%s"', (expires) => {
    expect(faultsOf({ expires })).toEqual(['/expires_at']);
  });
});

describe('a token', () => {
  test('is void once it is revoked or expired', () => {
    expect(isUsable(token(), NOW)).toBe(true);
    expect(isUsable(token({ revokedAt: NOW - 1 }), NOW)).toBe(false);
    expect(isUsable(token({ expiresAt: NOW }), NOW)).toBe(false);
    expect(isUsable(token({ expiresAt: NOW + 1 }), NOW)).toBe(true);
  });

  test('without addresses may be used from anywhere, with addresses from these alone', () => {
    expect(allowsAddress(token(), '203.0.113.9')).toBe(true);
    expect(allowsAddress(token({ allowedCidrs: ['203.0.113.0/24'] }), '::ffff:203.0.113.9')).toBe(true);
    expect(allowsAddress(token({ allowedCidrs: ['203.0.113.0/24'] }), '198.51.100.1')).toBe(false);
  });

  test('with a list that means nothing denies', () => {
    expect(allowsAddress(token({ allowedCidrs: ['broken'] }), '127.0.0.1')).toBe(false);
  });

  test('becomes an actor with its scopes, features and servers', () => {
    const actor = actorOf(token({ scopes: ['read', 'feature:os'], allowedServerIds: [7] }), '127.0.0.1');
    expect(actor.label).toBe('token:one');
    expect(() => actor.require('read')).not.toThrow();
    expect(() => actor.require('jobs')).toThrow(expect.objectContaining({ code: 'scope_missing' }));
    expect(() => actor.requireFeature('os')).not.toThrow();
    expect(() => actor.requireFeature('docker')).toThrow(
      expect.objectContaining({ code: 'feature_not_allowed' }),
    );
    expect(() => actor.requireServer(8)).toThrow(expect.objectContaining({ code: 'server_not_found' }));
  });
});

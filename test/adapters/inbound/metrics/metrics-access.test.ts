import { describe, expect, it } from 'vitest';
import { metricsAccess } from '../../../../src/adapters/inbound/metrics/metrics-routes.ts';

const PROXY = '192.0.2.10';
const from = (
  localAddress: string,
  {
    headers = {},
    remoteAddress = '192.0.2.99',
    encrypted,
  }: {
    headers?: Record<string, string>;
    remoteAddress?: string;
    encrypted?: true;
  } = {},
) => ({ headers, socket: { localAddress, remoteAddress, ...(encrypted ? { encrypted } : {}) } }) as never;

describe('metrics without a token', () => {
  const check = metricsAccess(null, [PROXY]);

  it('are open on the machine itself and over HTTPS', () => {
    check(from('127.0.0.1'));
    check(from('::ffff:127.0.0.1'));
    check(from('192.0.2.7', { encrypted: true }));
    check(from('192.0.2.7', { remoteAddress: PROXY, headers: { 'x-forwarded-proto': 'https' } }));
  });

  it('are closed to a network in the clear, whatever the caller says of itself', () => {
    const refused = expect.objectContaining({
      code: 'unauthorized',
      message: expect.stringContaining('METRICS_TOKEN'),
    });
    for (const req of [
      from('192.0.2.7'),
      from('192.0.2.7', { headers: { 'x-forwarded-proto': 'https' } }),
      from('192.0.2.7', { headers: { authorization: 'Bearer null', 'x-metrics-token': '' } }),
      from('192.0.2.7', { remoteAddress: PROXY, headers: { 'x-forwarded-proto': 'http' } }),
    ])
      expect(() => check(req)).toThrow(refused);
  });
});

it('metrics with a token take it from anywhere', () => {
  const check = metricsAccess('right', []);
  check(from('192.0.2.7', { headers: { 'x-metrics-token': 'right' } }));
  expect(() => check(from('127.0.0.1'))).toThrow(expect.objectContaining({ code: 'unauthorized' }));
});

import { describe, expect, it } from 'vitest';
import { isLoopback, servesHosts } from '../../../src/domain/access/served-hosts.ts';

const LAN = '192.0.2.7';
const LOOPBACK = ['127.0.0.1', '127.3.2.1', '::1', '::ffff:127.0.0.1'];
const EVIL = [
  'evil.example',
  'evil.example:8888',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  '',
  '192.0.2.7',
];

describe('the names that are answered to', () => {
  it('are those of the machine itself on loopback, with any port', () => {
    const serves = servesHosts({ allowedHosts: [], publicUrl: null });
    for (const address of LOOPBACK) {
      for (const host of ['localhost', 'LOCALHOST:9999', '127.0.0.1:8888', '[::1]:8888', '[::1]'])
        expect(serves(host, address), `${host} at ${address}`).toBe(true);
      for (const host of EVIL) expect(serves(host, address), `${host} at ${address}`).toBe(false);
    }
  });

  it('are any beyond loopback, unless one was set', () => {
    const serves = servesHosts({ allowedHosts: [], publicUrl: null });
    for (const host of EVIL) expect(serves(host, LAN), host).toBe(true);
  });

  it.each([
    { allowedHosts: [], publicUrl: 'https://Drover.example:8443' },
    { allowedHosts: ['drover.EXAMPLE'], publicUrl: null },
  ])('are the ones that were set, with any port: %o', (set) => {
    const serves = servesHosts(set);
    for (const address of [LAN, ...LOOPBACK]) {
      for (const host of ['drover.example', 'DROVER.example:8888', 'drover.example:8443'])
        expect(serves(host, address), `${host} at ${address}`).toBe(true);
      for (const host of EVIL) expect(serves(host, address), `${host} at ${address}`).toBe(false);
      expect(serves('localhost:8888', address)).toBe(address !== LAN);
    }
  });

  it('have the port that was set with them', () => {
    const serves = servesHosts({ allowedHosts: ['drover.example:8443'], publicUrl: null });
    expect([serves('drover.example:8443', LAN), serves('drover.example:1', LAN)]).toEqual([true, false]);
  });

  it('may be IPv6 addresses', () => {
    const serves = servesHosts({ allowedHosts: [], publicUrl: 'https://[2001:db8::1]:8443' });
    expect([serves('[2001:db8::1]:8888', LAN), serves('[2001:db8::2]', LAN)]).toEqual([true, false]);
  });
});

it.each(LOOPBACK)('%s is of the machine itself', (address) => expect(isLoopback(address)).toBe(true));
it.each([LAN, '::', '0.0.0.0', '2001:db8::1', '', 'localhost'])('%s is not', (address) =>
  expect(isLoopback(address)).toBe(false),
);

import { BlockList, isIP } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  clientAddress,
  isInAnyCidr,
  normaliseAddress,
  parseCidr,
} from '../../../src/domain/access/client-address.ts';

describe('an address', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    [' 192.0.2.1 ', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8:0:1:0:0:0:1', '2001:db8:0:1::1'],
    ['::', '::'],
    ['::1', '::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['1::', '1::'],
  ])('%s is written as %s', (text, normal) => {
    expect(normaliseAddress(text)).toBe(normal);
  });

  test.each([
    '',
    'localhost',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.01',
    '0x7f.0.0.1',
    '2130706433',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '::1::',
    ':1',
    '12345::',
    '::192.0.2.1.5',
    '::192.0.2.1:1',
    '192.0.2.1/32',
    '192.0.2.1%eth0',
    '192.0.2.1::',
    'fe80::1%',
    'fe80::1%a%b',
  ])('"%s" is none', (text) => {
    expect(normaliseAddress(text)).toBeNull();
  });

  test('is taken or refused just as the platform does', () => {
    const almost = fc.string({
      maxLength: 20,
      unit: fc.constantFrom(':', '::', '.', '1', 'f', '1.2.3.4', '%', '%e'),
    });
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), almost, fc.string({ maxLength: 20 })), (text) => {
        const bare = text.trim();
        expect(normaliseAddress(bare) !== null).toBe(isIP(bare) !== 0);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('a range', () => {
  test.each([
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['192.0.2.7', '192.0.2.7/32'],
    ['2001:db8::/32', '2001:db8::/32'],
    ['::1', '::1/128'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['0.0.0.0/0', '0.0.0.0/0'],
  ])('%s is written as %s', (text, normal) => {
    expect(parseCidr(text)?.text).toBe(normal);
  });

  test.each([
    '10.0.0.1/8',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '/8',
    'fe80::%eth0/64',
    '2001:db8::1/32',
  ])('"%s" is none', (text) => {
    expect(parseCidr(text)).toBeNull();
  });

  test('holds just the addresses that the platform says', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.integer({ min: 0, max: 32 }), fc.ipV4(), (base, prefix, address) => {
        const list = new BlockList();
        list.addSubnet(base, prefix);
        const bits = base.split('.').reduce((value, part) => value * 256 + Number(part), 0);
        const network = prefix === 0 ? 0 : Math.floor(bits / 2 ** (32 - prefix)) * 2 ** (32 - prefix);
        const text = [24, 16, 8, 0].map((shift) => Math.floor(network / 2 ** shift) % 256).join('.');
        expect(isInAnyCidr(address, [`${text}/${prefix}`])).toBe(list.check(address));
      }),
      { numRuns: 2_000 },
    );
  });

  test('of one family holds no address of the other', () => {
    expect(isInAnyCidr('::1', ['0.0.0.0/0'])).toBe(false);
    expect(isInAnyCidr('127.0.0.1', ['::/0'])).toBe(false);
    expect(isInAnyCidr('::ffff:127.0.0.1', ['127.0.0.0/8'])).toBe(true);
  });

  test('that is none holds nothing', () => {
    expect(isInAnyCidr('127.0.0.1', ['nonsense', ''])).toBe(false);
    expect(isInAnyCidr('nonsense', ['0.0.0.0/0'])).toBe(false);
  });
});

describe('who is calling', () => {
  const proxies = ['127.0.0.0/8', '10.0.0.0/8'];

  test('is the peer where no proxy is trusted, whatever it claims', () => {
    expect(clientAddress('192.0.2.9', '203.0.113.5', [])).toBe('192.0.2.9');
    expect(clientAddress('127.0.0.1', '203.0.113.5', [])).toBe('127.0.0.1');
  });

  test('is the peer where the peer is not among the trusted proxies', () => {
    expect(clientAddress('192.0.2.9', '203.0.113.5', proxies)).toBe('192.0.2.9');
  });

  test('is the rightmost entry that no trusted proxy stands for', () => {
    expect(clientAddress('127.0.0.1', '198.51.100.1, 203.0.113.5', proxies)).toBe('203.0.113.5');
    expect(clientAddress('127.0.0.1', '198.51.100.1, 203.0.113.5, 10.1.1.1', proxies)).toBe('203.0.113.5');
  });

  test('is not what a caller wrote in front', () => {
    expect(clientAddress('127.0.0.1', '127.0.0.1, 203.0.113.5', proxies)).toBe('203.0.113.5');
  });

  test('is the last trusted address where what follows is no address', () => {
    expect(clientAddress('127.0.0.1', 'unknown', proxies)).toBe('127.0.0.1');
    expect(clientAddress('127.0.0.1', 'x, 10.2.3.4', proxies)).toBe('10.2.3.4');
  });

  test('is found behind ports and mapped addresses', () => {
    expect(clientAddress('::ffff:127.0.0.1', '203.0.113.5:4711', proxies)).toBe('203.0.113.5');
    expect(clientAddress('127.0.0.1', '[2001:db8::5]:4711', proxies)).toBe('2001:db8::5');
  });
});

import { describe, expect, test } from 'vitest';
import { outboundFault } from '../../../src/domain/events/outbound-address.ts';

const PUBLIC = { allowPrivate: false };
const PRIVATE = { allowPrivate: true };

/** First and last address of each special-purpose range. */
const NEVER_GLOBAL = [
  '0.0.0.0',
  '0.255.255.255',
  '10.0.0.0',
  '10.255.255.255',
  '100.64.0.0',
  '100.127.255.255',
  '127.0.0.0',
  '127.0.0.1',
  '127.255.255.255',
  '169.254.0.0',
  '169.254.169.254',
  '169.254.255.255',
  '172.16.0.0',
  '172.31.255.255',
  '192.0.0.0',
  '192.0.0.255',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.0',
  '192.168.255.255',
  '198.18.0.0',
  '198.19.255.255',
  '198.51.100.9',
  '203.0.113.9',
  '224.0.0.0',
  '239.255.255.255',
  '240.0.0.0',
  '255.255.255.255',
  '::',
  '::1',
  '::2',
  '::7f00:1',
  '::127.0.0.1',
  '64:ff9b::1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',

  '100::1',
  '2001::1',
  '2001:0:7f00:1::',
  '2001:db8::1',
  '2002::1',
  '2002:7f00:1::',
  '3fff::1',
  '5f00::1',
  'fc00::',
  'fdff:ffff::1',
  'fe80::',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'ff00::',
  'ff02::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:7f00:1',
  '::ffff:8.8.8.8',
  '::ffff:0:127.0.0.1',
  'fe80::1%eth0',
  '::1%lo',
  '100.100.100.200',
  '168.63.129.16',
  'fd00:ec2::254',
];
const GLOBAL = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2001:4860:4860::8888',
  '2606:4700::1111',
  '2a00::1',
  '2003::1',
  '3ffe::1',
];

describe('Addresses that the service may connect to', () => {
  test.each(NEVER_GLOBAL)('%s is refused', (address) => {
    expect(outboundFault(address, PUBLIC)).not.toBeNull();
  });

  test.each(GLOBAL)('%s is let through, also where private ones are', (address) => {
    expect(outboundFault(address, PUBLIC)).toBeNull();
    expect(outboundFault(address, PRIVATE)).toBeNull();
  });

  test.each(['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '100.64.0.1', '::1', 'fd00::1'])(
    '%s is let through where private ones are',
    (address) => expect(outboundFault(address, PRIVATE)).toBeNull(),
  );

  test.each([
    '169.254.169.254',
    '169.254.0.1',
    'fe80::1',
    'fe80::1%eth0',
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    'ff02::1',
    '192.0.0.192',
    '::ffff:127.0.0.1',
    '2002:7f00:1::',
    '64:ff9b::7f00:1',
    '198.18.0.1',
  ])('%s stays refused where private ones are let in', (address) => {
    expect(outboundFault(address, PRIVATE)).not.toBeNull();
  });

  test.each([
    '',
    'localhost',
    '127.1',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '2130706433',
    '1.2.3',
    '1.2.3.4.5',
    ':::',
  ])('what is no address ("%s") is refused as such', (text) =>
    expect(outboundFault(text, PRIVATE)).toBe('is not an IP address'),
  );
});

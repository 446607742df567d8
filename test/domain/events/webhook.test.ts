import { describe, expect, test } from 'vitest';
import { EVERYTHING, eventFilter, wants } from '../../../src/domain/events/event-filter.ts';
import {
  makeWebhookSecret,
  shownUrlOf,
  webhookSecret,
  webhookUrl,
} from '../../../src/domain/events/webhook.ts';

const urlOf = (raw: string, allowPrivate = false): string => webhookUrl(raw, { allowPrivate }).href;

describe('The address of a receiver', () => {
  test.each([
    ['https://hooks.example.org/in?key=1', 'https://hooks.example.org/in?key=1'],
    ['http://8.8.8.8/in', 'http://8.8.8.8/in'],
    ['https://[2606:4700::1111]:8443/', 'https://[2606:4700::1111]:8443/'],
    ['https://hooks.example.org/in#part', 'https://hooks.example.org/in'],
  ])('%s is taken', (raw, href) => expect(urlOf(raw)).toBe(href));

  test.each([
    '',
    'hooks.example.org',
    'ftp://hooks.example.org/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://me:secret@hooks.example.org/',
    'https://me@hooks.example.org/',
    'https://',
    `https://hooks.example.org/${'x'.repeat(2_048)}`,
    'unix:/run/docker.sock',
    'gopher://127.0.0.1/',
    // Octal, decimal, hexadecimal and shortened forms of addresses.
    'http://0177.0.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://127.1/',

    'http://017700000001/',
    'http://0/',
    'http://127.0.0.1./',
    'http://%31%32%37.0.0.1/',
    'http://１２７.0.0.1/',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',

    'http://[::ffff:7f00:1]/',
    'http://[fe80::1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[fd00:ec2::254]/',
  ])('%s is refused', (raw) => expect(() => urlOf(raw)).toThrow());

  test('is let through to private networks where an operator says so, and never to link-local ones', () => {
    expect(urlOf('http://127.0.0.1:9000/', true)).toBe('http://127.0.0.1:9000/');
    expect(urlOf('http://0x7f.1/', true)).toBe('http://127.0.0.1/');
    expect(() => urlOf('http://169.254.169.254/', true)).toThrow('metadata');
    // The setting is advised only where it would help.
    expect(() => urlOf('http://169.254.169.254/')).not.toThrow('ALLOW_PRIVATE');
    expect(() => urlOf('http://10.0.0.1/')).toThrow('ALLOW_PRIVATE');
  });

  test('does not show what may be a secret in it', () => {
    expect(shownUrlOf(new URL('https://hooks.example.org/T0/B1/s3cret?key=2'))).toBe(
      'https://hooks.example.org/…',
    );
    expect(shownUrlOf(new URL('https://hooks.example.org:8443'))).toBe('https://hooks.example.org:8443/');
  });
});

describe('The secret of a receiver', () => {
  test('is 32 random bytes', () => {
    const secret = makeWebhookSecret((count) => new Uint8Array(count).fill(255));
    expect(secret).toBe(`whsec_${Buffer.alloc(32, 255).toString('base64')}`);
    expect(webhookSecret(secret)).toBe(secret);
  });

  test.each([24, 25, 32, 64])('of %i bytes is taken', (bytes) => {
    const secret = `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
    expect(webhookSecret(secret)).toBe(secret);
  });

  test.each([
    ['without its prefix', Buffer.alloc(32).toString('base64')],
    ['of too few bytes', `whsec_${Buffer.alloc(23).toString('base64')}`],
    ['of too many bytes', `whsec_${Buffer.alloc(65).toString('base64')}`],
    ['that is not base64', `whsec_${'*'.repeat(44)}`],
  ])('%s is refused, and not repeated', (_, secret) => {
    expect(() => webhookSecret(secret)).toThrow(
      'A webhook secret is "whsec_" followed by 24 to 64 bytes in base64.',
    );
  });
});

describe('What a receiver wants to hear', () => {
  test('is everything, unless it is said otherwise', () => {
    expect(eventFilter({})).toEqual(EVERYTHING);
    expect(wants(EVERYTHING, { type: 'job.started', severity: 'info' }, null)).toBe(true);
  });

  test('are some events, from a severity up', () => {
    const filter = eventFilter({ events: ['job.failed', 'backup.stale'], minSeverity: 'warning' });
    expect(wants(filter, { type: 'job.failed', severity: 'critical' }, null)).toBe(true);
    expect(wants(filter, { type: 'job.failed', severity: 'info' }, null)).toBe(false);
    expect(wants(filter, { type: 'job.started', severity: 'critical' }, null)).toBe(false);
    expect(eventFilter({ events: null }, filter)).toEqual({
      events: null,
      minSeverity: 'warning',
      tags: null,
    });
  });

  test('is refused with every fault', () => {
    expect(() => eventFilter({ events: ['job.fail', 'backup.stale'], minSeverity: 'high' })).toThrow(
      /There is no event "job.fail".*and 1 more/,
    );
    expect(() => eventFilter({ events: [] })).toThrow('at least one event');
  });
});

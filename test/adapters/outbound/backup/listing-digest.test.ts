import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ByteString, bytesOfText } from '../../../../src/adapters/outbound/backup/byte-string.ts';
import { excludeMatcher } from '../../../../src/adapters/outbound/backup/exclude-matcher.ts';
import { digestOfHost, surveyHost } from '../../../../src/adapters/outbound/backup/host-survey.ts';
import { ListingDigest } from '../../../../src/adapters/outbound/backup/listing-digest.ts';
import { LocalRemoteHosts } from '../../../../src/adapters/outbound/hosts/local/local-remote-hosts.ts';
import type { RemoteHost } from '../../../../src/application/ports/fleet/remote-host.ts';

describe('the digest of a listing', () => {
  const hosts = new LocalRemoteHosts();
  const { signal } = new AbortController();
  const all = excludeMatcher([]);
  let host: RemoteHost;
  let base: string;
  let roots: readonly ByteString[];
  beforeAll(async () => {
    host = await hosts.connect({ kind: 'local', serverId: 1, serverName: 'here', become: 'none' });
    base = mkdtempSync(join(tmpdir(), 'drover-listing-digest-'));
    for (const name of ['one', 'two', 'one/empty']) mkdirSync(join(base, name));
    for (const name of ['one/a', 'one/-b', 'two/c d\n']) writeFileSync(join(base, name), name);
    symlinkSync('a', join(base, 'one/link'));
    roots = [join(base, 'one'), join(base, 'two')].map(bytesOfText);
  });
  afterAll(async () => {
    rmSync(base, { recursive: true });
    await hosts.closeAll();
  });

  const listed = async (): Promise<string> => {
    const digest = new ListingDigest();
    await surveyHost(host, roots, all, signal, { digest });
    return digest.finish();
  };

  it('is the one that the host computes, until something below the roots changes', async () => {
    const before = await listed();
    expect(await digestOfHost(host, roots, all, signal)).toBe(before);
    // the directory above them changes
    writeFileSync(join(base, 'another'), '');
    expect(await digestOfHost(host, roots, all, signal)).toBe(before);
    chmodSync(join(base, 'one/a'), 0o600);
    expect(await digestOfHost(host, roots, all, signal)).not.toBe(before);
    expect(await digestOfHost(host, roots, all, signal)).toBe(await listed());
  });

  it.each([1, 2, 3, 7, 1_000])('does not depend on chunks, here of %i bytes', (size) => {
    const ancestors = ['d 755', '/var', '', 'd 755', '/var/log', ''];
    const below = ['', 'f 644', '/var/log/a', '', 'l 777', '/var/log/b', 'a', ''].join('\0');
    const text = Buffer.from(['printf', '17', ...ancestors, below].join('\0'));
    const whole = new ListingDigest();
    whole.take(Buffer.from(`stat\x0018\0${below}`));
    const parts = new ListingDigest();
    for (let at = 0; at < text.length; at += size) parts.take(text.subarray(at, at + size));
    expect(parts.finish()).toBe(whole.finish());
  });
});

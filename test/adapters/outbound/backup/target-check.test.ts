import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytesOfText } from '../../../../src/adapters/outbound/backup/byte-string.ts';
import { TargetCheck } from '../../../../src/adapters/outbound/backup/target-check.ts';
import { LocalRemoteHosts } from '../../../../src/adapters/outbound/hosts/local/local-remote-hosts.ts';

describe('change times of a host', () => {
  const hosts = new LocalRemoteHosts();
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'drover-target-check-'));
    for (const name of ['a', '-b', 'c d\n']) writeFileSync(join(directory, name), name);
  });
  afterAll(async () => {
    rmSync(directory, { recursive: true });
    await hosts.closeAll();
  });

  it.each([
    ['all files exist', ['a', './-b', 'c d\n']],
    ['one is missing', ['a', 'missing', 'c d\n']],
  ])('are exact and in order if %s', async (_, names) => {
    const host = await hosts.connect({ kind: 'local', serverId: 1, serverName: 'here', become: 'none' });
    const check = new TargetCheck(host, directory, new AbortController().signal);
    const entries = names.map((name) => ({ path: bytesOfText(name), size: 1 }));
    expect(await check.changeTimes(entries)).toEqual(
      names.map(
        (name) => statSync(join(directory, name), { bigint: true, throwIfNoEntry: false })?.ctimeNs ?? null,
      ),
    );
  });
});

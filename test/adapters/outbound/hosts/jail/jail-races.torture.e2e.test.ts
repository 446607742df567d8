import { readFile, realpath } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalRemoteHosts } from '../../../../../src/adapters/outbound/hosts/local/local-remote-hosts.ts';
import { escapeOf, ON_TREES, withoutEscape } from '../../../../contracts/jail-races.ts';
import { attack, DEEPEST } from '../../../../support/jail-attack.ts';
import { runHere } from '../../../../support/jail-fixture.ts';
import { rounds } from '../../../../support/rounds.ts';
import { HERE, jailRoot, localJails, shellJails } from './here.ts';

describe('a jail beside an attacker who swaps directories for links', () => {
  let root: string;
  let remove: () => Promise<void>;
  let stop: () => Promise<number>;

  beforeAll(async () => {
    ({ root, remove } = await jailRoot());
    stop = await attack(root, runHere);
  });
  afterAll(async () => {
    const swapped = await stop();
    await remove();
    // it was at work all the time
    expect(swapped).toBeGreaterThan(1_000);
  });

  it('a reader that looks where a path leads and then opens it reads the canary', async () => {
    const path = `${root}/jail/${DEEPEST}/file`;
    const naive = async (): Promise<Uint8Array> => {
      const real = await realpath(path);
      if (!real.startsWith(`${root}/jail/`)) throw new Error('outside');
      return readFile(path);
    };
    await expect(escapeOf(naive, 200_000)).resolves.toBeGreaterThan(0);
  });

  it('by descriptors: nothing is read outside, and nothing changes there', async () => {
    const fs = await localJails().open(HERE, `${root}/jail`);
    await withoutEscape(fs, { root, run: runHere, count: rounds(6_000, 200_000), parallel: 4 });
  });

  it('by a shell: nothing is read outside, and nothing changes there', async () => {
    const fs = await shellJails(new LocalRemoteHosts()).open(HERE, `${root}/jail`);
    await withoutEscape(fs, { root, run: runHere, count: rounds(400, 10_000), parallel: 3 });
  });

  it('whole trees, by descriptors: nothing outside is read, removed or changed', async () => {
    const fs = await localJails().open(HERE, `${root}/jail`);
    const race = { root, run: runHere, parallel: 4, attempts: ON_TREES };
    await withoutEscape(fs, { ...race, count: rounds(3_000, 100_000) });
  });

  it('whole trees, by a shell: nothing outside is read, removed or changed', async () => {
    const fs = await shellJails(new LocalRemoteHosts()).open(HERE, `${root}/jail`);
    const race = { root, run: runHere, parallel: 3, attempts: ON_TREES };
    await withoutEscape(fs, { ...race, count: rounds(300, 10_000) });
  });
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { SshRemoteHosts } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import { escapeOf, ON_TREES, withoutEscape } from '../../../../contracts/jail-races.ts';
import { AS_DROVER, accessTo } from '../../../../fleet/access.ts';
import { useHost } from '../../../../fleet/use-host.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { attack, DEEPEST } from '../../../../support/jail-attack.ts';
import { runOn } from '../../../../support/jail-fixture.ts';
import { rounds } from '../../../../support/rounds.ts';
import { shellJails } from './here.ts';

const ROOT = '/srv/attacked';
/** Checks a path's target, and then opens it. */
const NAIVE = 'case $(readlink -f "$1/$2") in "$1"/*) cat "$1/$2" ;; *) exit 1 ;; esac';

describeWith('fleet', 'a jail of a real host beside an attacker who swaps directories for links', () => {
  const host = useHost();
  const hosts = new SshRemoteHosts();
  let stop: () => Promise<number>;

  beforeAll(async () => {
    await host().exec('install -d -o drover "$1"', [ROOT]);
    stop = await attack(ROOT, runOn(host(), 'drover'));
  });
  afterAll(async () => {
    const swapped = await stop();
    await hosts.closeAll();
    expect(swapped).toBeGreaterThan(1_000);
  });

  it('a script that looks where a path leads and then opens it reads the canary', async () => {
    const shell = await hosts.connect(accessTo(host()));
    const naive = async (): Promise<Uint8Array> => {
      const args = [`${ROOT}/jail`, `${DEEPEST}/file`];
      return (await shell.run({ script: NAIVE, args })).stdout;
    };
    await expect(escapeOf(naive, 6_000)).resolves.toBeGreaterThan(0);
  });

  it.each([
    ['root', {}],
    ['a plain user', AS_DROVER],
  ])('as %s: nothing is read outside, and nothing changes there', async (_who, login) => {
    const fs = await shellJails(hosts).open(accessTo(host(), login), `${ROOT}/jail`);
    const run = runOn(host(), 'root');
    await withoutEscape(fs, { root: ROOT, run, count: rounds(300, 10_000), parallel: 3 });
    const trees = { root: ROOT, run, parallel: 3, attempts: ON_TREES };
    await withoutEscape(fs, { ...trees, count: rounds(150, 10_000) });
  });
});

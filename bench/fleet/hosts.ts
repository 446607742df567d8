import { spawn } from 'node:child_process';
import { APT_REFRESH } from '../../src/adapters/outbound/hosts/packages/apt/apt-check.ts';
import { APT_ARCHITECTURES } from '../../src/adapters/outbound/hosts/packages/apt/apt-listing.ts';
import type { FleetHost } from '../../test/fleet/host.ts';
import { findHostProcess } from '../../test/fleet/power.ts';
import type { Measured } from './measured.ts';

/** The apt work of a check without changes, and nothing else: no login, no shell, no reader. */
export const REFRESH = `${APT_ARCHITECTURES}${APT_REFRESH}apt_refresh`;
/** Ansible's apt work for pending updates. */
export const SIMULATE = 'apt-get -s -q dist-upgrade';

const ENTER =
  '--mount --pid --uts --ipc --net --root --wd -- env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C';

/**
 * The hosts alone: the script is started on each of them directly, as many at a time as the controlling program may
 * have, without a controlling program. Nothing can be faster on the same processors. Each has a separate session, as
 * with sshd: some kernels share processors between sessions. The processor time is that of the hosts.
 */
export async function hostsAlone(
  hosts: readonly FleetHost[],
  script: string,
  atOnce: number,
): Promise<Measured> {
  const found = await Promise.all(hosts.map(({ record }) => findHostProcess(record)));
  const pids = found.map((host) => host?.pid).join('\n');
  const each = `xargs -P ${atOnce} -I PID setsid -w nsenter -t PID ${ENTER} sh -c "$0" >/dev/null 2>&1`;
  const child = spawn('bash', ['-c', `TIMEFORMAT="%R %U %S"; time ${each}`, script], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  child.stdin.end(pids);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`the hosts alone ended with ${String(code)}: ${said}`);
  const [wall = 0, user = 0, system = 0] = said.trim().split(' ').map(Number);
  return { wall, cpu: user + system };
}

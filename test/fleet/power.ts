import { spawn } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { capture, must, SYSTEM_PATH } from '../../scripts/lib/programs.mjs';
import { isAlive, killExactly, type ProcessId } from '../support/process-id.ts';
import { eventually, withLog } from '../support/processes.ts';
import { greets } from '../support/ssh-banner.ts';
import type { HostRecord } from './host-record.ts';

const HOST_INIT = fileURLToPath(new URL('./host-init.sh', import.meta.url));
const NAMESPACES = ['--mount', '--pid', '--fork', '--uts', '--ipc', '--net', '--propagation', 'private'];

/**
 * Starts the host and returns once its sshd answers. A host that stays outlives this process; any other is
 * killed by the kernel when this process ends.
 */
export async function powerOn(host: HostRecord, stays: boolean): Promise<void> {
  await rm(join(host.dir, 'pid'), { force: true });
  for (const part of ['upper', 'work', 'root']) await mkdir(join(host.dir, part), { recursive: true });
  const log = boot(host, stays);
  const { pid } = await eventually(`host ${host.name} starts`, 60_000, async () => {
    if (log.ended) throw new Error(`host ${host.name} ended at its start`);
    return findHostProcess(host);
  }).catch(withLog(() => log.text));
  await plugIn(host, pid);
  await eventually(`sshd of ${host.name} answers`, 60_000, async () => {
    if (log.ended) throw new Error(`host ${host.name} ended at its start`);
    // To connect too early would wait a second for the retry of a lost packet.
    return (await isListening(pid)) ? greets(host.port, host.address) : undefined;
  }).catch(withLog(() => log.text));
}

const REMOVE_CONTROL_GROUPS = `for each in /sys/fs/cgroup/*/drover-fleet-"$1" /sys/fs/cgroup/drover-fleet-"$1"; do
  [ ! -d "$each" ] || find "$each" -depth -type d -exec rmdir {} +
done`;

/** A power failure: without notice. The host's disk keeps its content. */
export async function powerOff(host: HostRecord): Promise<void> {
  await capture('ip', ['link', 'del', host.link]);
  const id = await findHostProcess(host);
  if (!id) return;
  killExactly(id);
  await eventually(`host ${host.name} ends`, 60_000, async () => !isAlive(id) || undefined);
  // The kernel takes processes and mounts away; the control groups of its containers are this machine's, and stay.
  if (host.engine !== 'none') await capture('sh', ['-c', REMOVE_CONTROL_GROUPS, 'sh', id.started]);
}

/** The host's disk as it was when the fleet was made. It must be off. */
export async function wipe(host: HostRecord): Promise<void> {
  for (const part of ['upper', 'work', 'engine'])
    await rm(join(host.dir, part), { recursive: true, force: true });
}

/** The host's first process as seen from here, when it is on. */
export async function findHostProcess(host: HostRecord): Promise<ProcessId | undefined> {
  const text = await readFile(join(host.dir, 'pid'), 'utf8').catch(() => '');
  const [pid = '', started = ''] = text.trim().split(' ');
  const id = { pid: Number(pid), started };
  return pid !== '' && isAlive(id) ? id : undefined;
}

function boot(host: HostRecord, stays: boolean): { text: string; ended: boolean } {
  const log = { text: '', ended: false };
  const bind = stays ? [] : ['setpriv', '--pdeathsig', 'KILL', '--'];
  const address = `${host.address}/16`;
  const init = [HOST_INIT, host.dir, host.lowers.join(':'), host.name, address, host.gateway, host.engine];
  const [program = '', ...args] = [...bind, 'unshare', ...NAMESPACES, '--kill-child', ...init];
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', stays ? 'ignore' : 'pipe'],
    env: { PATH: SYSTEM_PATH, LC_ALL: 'C.UTF-8' },
    detached: true,
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    log.text = (log.text + chunk.toString()).slice(-4000);
  });
  child.on('error', (error) => {
    log.text += error.message;
    log.ended = true;
  });
  child.on('exit', () => {
    log.ended = true;
  });
  child.unref();
  return log;
}

async function plugIn(host: HostRecord, pid: number): Promise<void> {
  const card = ['peer', 'name', 'eth0', 'address', host.mac, 'netns', String(pid)];
  await must('ip', ['link', 'add', host.link, 'type', 'veth', ...card]);
  await must('ip', ['link', 'set', host.link, 'master', host.bridge, 'up']);
}

/** Whether anything listens on port 22 in the network namespace of that process. */
async function isListening(pid: number): Promise<boolean> {
  // proc_net_tcp: local address, remote address, state, in hexadecimal; 0A is LISTEN.
  const sockets = await readFile(`/proc/${pid}/net/tcp`, 'utf8').catch(() => '');
  return /^ *\d+: [0-9A-F]{8}:0016 00000000:0000 0A /m.test(sockets);
}

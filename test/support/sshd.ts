import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { must } from '../../scripts/lib/programs.mjs';
import type { HostKey, SshAccess } from '../../src/application/ports/fleet/remote-host.ts';
import { freePort } from './free-port.ts';
import { kill, spawnBound } from './processes.ts';
import { waitForBanner } from './ssh-banner.ts';

export interface Sshd {
  readonly port: number;
  /** The server's own directory, removed by `stop`. */
  readonly directory: string;
  /** The host keys, by type: `ed25519`, `ecdsa`, `rsa`. */
  readonly hostKeys: Readonly<Record<string, HostKey>>;
  /** A private key that may log in, and a file that holds it. */
  readonly privateKey: string;
  readonly privateKeyFile: string;
  /** Access as the user who runs the tests, with the ed25519 host key pinned. */
  access(changes?: Partial<SshAccess>): SshAccess;
  stop(): Promise<void>;
}

/**
 * A plain sshd on 127.0.0.1, with separate keys and settings, that dies with this process. The login is the user who
 * runs the tests, on this machine.
 */
export async function startSshd(settings: readonly string[] = [], keyTypes = ['ed25519']): Promise<Sshd> {
  const directory = await mkdtemp(join(tmpdir(), 'drover-sshd-'));
  // sshd reads the allowed keys as the user who logs in
  await chmod(directory, 0o711);
  const port = await freePort();
  const hostKeys: Record<string, HostKey> = {};
  for (const type of keyTypes) hostKeys[type] = await makeHostKey(directory, type);
  const privateKeyFile = await makeKeyFile(directory, 'user', 'ed25519');
  await writeFile(join(directory, 'authorized_keys'), await readFile(`${privateKeyFile}.pub`));
  // as root sshd locks itself into this directory; the package's service makes it otherwise
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  const config = join(directory, 'sshd_config');
  await writeFile(config, configuration(directory, port, keyTypes, settings));
  const server = spawnBound('/usr/sbin/sshd', ['-D', '-e', '-f', config]);
  let log = '';
  server.stderr?.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-10_000);
  });
  const stop = async (): Promise<void> => {
    await kill(server);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await waitForBanner(port);
  } catch (error) {
    await stop();
    throw new Error(`sshd did not start: ${log}`, { cause: error });
  }
  const privateKey = await readFile(privateKeyFile, 'utf8');
  const access = (changes: Partial<SshAccess> = {}): SshAccess => ({
    kind: 'ssh',
    serverId: port,
    serverName: `sshd-${port}`,
    hostname: '127.0.0.1',
    port,
    username: userInfo().username,
    authentication: { kind: 'key', privateKey },
    hostKey: hostKeys['ed25519'] ?? null,
    become: 'none',
    jump: null,
    ...changes,
  });
  return { port, directory, hostKeys, privateKey, privateKeyFile, access, stop };
}

function configuration(
  directory: string,
  port: number,
  keyTypes: readonly string[],
  settings: readonly string[],
): string {
  // sshd takes the first value of a setting
  return [
    ...settings,
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    ...keyTypes.map((type) => `HostKey ${join(directory, `host_${type}`)}`),
    `PidFile ${join(directory, 'pid')}`,
    `AuthorizedKeysFile ${join(directory, 'authorized_keys')}`,
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    'MaxStartups 100',
    // keeps bash from reading the start-up files of the test's user: they may be slow, or print something
    'SetEnv SHLVL=2',
    '',
  ].join('\n');
}

async function makeHostKey(directory: string, type: string): Promise<HostKey> {
  const file = await makeKeyFile(directory, `host_${type}`, type);
  const [algorithm = '', blob = ''] = (await readFile(`${file}.pub`, 'utf8')).split(' ');
  const fingerprint = (await must('ssh-keygen', ['-lf', `${file}.pub`])).split(' ')[1] ?? '';
  return { algorithm, blob, fingerprint };
}

export async function makeKeyFile(directory: string, name: string, type: string): Promise<string> {
  const file = join(directory, name);
  await must('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', 'test', '-f', file]);
  return file;
}

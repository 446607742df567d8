import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { must } from '../../scripts/lib/programs.mjs';
import type { HostKey, HostRecord } from './host-record.ts';

/** The plain user's id in the base root. */
const DROVER_UID = 1000;

const SSHD_CONFIG = `Port 22
HostKey /etc/ssh/ssh_host_ed25519_key
UseDNS no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
MaxStartups 200:30:400
MaxSessions 64
PrintMotd no
PrintLastLog no
AcceptEnv LANG LC_*
Subsystem sftp /usr/lib/openssh/sftp-server
`;

/** Shared by all hosts of a fleet above the base root: sshd's settings and the logins. */
export async function writeCommonLayer(layer: string, publicKey: string): Promise<void> {
  await put(join(layer, 'etc/ssh/sshd_config'), SSHD_CONFIG);
  await authorise(join(layer, 'root'), publicKey, 0);
  await authorise(join(layer, 'home/drover'), publicKey, DROVER_UID);
}

const registryConfig = (directory: string): string => `version: 0.1
log:
  level: error
storage:
  filesystem:
    rootdirectory: ${directory}
  delete:
    enabled: true
http:
  addr: 127.0.0.1:5000
`;

/** docker assumes that a registry on the host itself has no certificate. It stands for Docker Hub too. */
const REGISTRIES = `[[registry]]
location = "localhost:5000"
insecure = true

[[registry]]
prefix = "docker.io"
location = "localhost:5000"
insecure = true
`;

/** Units that would write to this machine's kernel, wait for its hardware, or use the network. */
const MASKED_UNITS = [
  'systemd-sysctl.service',
  'systemd-modules-load.service',
  'systemd-pstore.service',
  'getty.target',
  'podman-auto-update.service',
  'podman-auto-update.timer',
  'apt-daily.timer',
  'apt-daily-upgrade.timer',
];

/** The programs beside an engine. */
export async function writeEngineLayer(layer: string, engine: HostRecord['engine']): Promise<void> {
  if (engine === 'docker') {
    await put(join(layer, 'etc/drover-registry.yml'), registryConfig('/var/lib/docker/registry'));
  }
  if (engine !== 'podman') return;
  // The package's own unit starts it, with the package's own directory.
  await put(join(layer, 'etc/docker/registry/config.yml'), registryConfig('/var/lib/docker-registry'));
  await put(join(layer, 'etc/containers/registries.conf.d/drover.conf'), REGISTRIES);
  const units = join(layer, 'etc/systemd/system');
  await mkdir(units, { recursive: true });
  await symlink('/lib/systemd/system/multi-user.target', join(units, 'default.target'));
  for (const unit of MASKED_UNITS) await symlink('/dev/null', join(units, unit));
}

/** A host's own files, which outlive its reset: its host key, its name, its machine id. */
export async function writeIdentityLayer(layer: string, name: string): Promise<HostKey> {
  const key = join(layer, 'etc/ssh/ssh_host_ed25519_key');
  await mkdir(dirname(key), { recursive: true });
  await makeKey(key, name);
  await put(join(layer, 'etc/hostname'), `${name}\n`);
  await put(join(layer, 'etc/hosts'), `127.0.0.1 localhost\n127.0.1.1 ${name}\n`);
  await put(join(layer, 'etc/machine-id'), `${randomBytes(16).toString('hex')}\n`);
  const [algorithm = '', blob = ''] = (await readFile(`${key}.pub`, 'utf8')).split(' ');
  return { algorithm, blob, fingerprint: fingerprintOf(blob) };
}

/** Writes an ed25519 key pair without a passphrase to `path` and `path`.pub. */
export async function makeKey(path: string, comment: string): Promise<void> {
  await must('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', comment, '-f', path]);
}

/** As OpenSSH prints it: base64 of SHA-256 over the decoded blob, without padding. */
export function fingerprintOf(blob: string): string {
  const digest = createHash('sha256').update(Buffer.from(blob, 'base64')).digest('base64');
  return `SHA256:${digest.replace(/=+$/, '')}`;
}

async function authorise(home: string, publicKey: string, uid: number): Promise<void> {
  const dir = join(home, '.ssh');
  await put(join(dir, 'authorized_keys'), publicKey);
  await chmod(home, 0o700);
  await chmod(dir, 0o700);
  await chmod(join(dir, 'authorized_keys'), 0o600);
  for (const path of [home, dir, join(dir, 'authorized_keys')]) await chown(path, uid, uid);
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

import { execFile } from 'node:child_process';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Probe } from '../../../application/ports/service/probe.ts';
import { formatBytes } from '../../../domain/base/format-bytes.ts';
import { shellCommand } from '../../../domain/base/shell-command.ts';
import type { Finding } from '../../../domain/fleet/finding.ts';
import { fail, ok, warn } from './finding.ts';

const MIN_NODE = [20, 19];
const GIB = 1024 ** 3;
const LITTLE_SPACE_BYTES = 2 * GIB;
const NO_SPACE_BYTES = GIB / 4;
const OTHERS_MODE_BITS = 0o077;
const TOOL_TIMEOUT_MS = 10_000;
/** Where the service's own tools are, whatever the environment says. */
const TOOL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Whether this Node is one that the service runs on. */
export const nodeProbe = (version: string): Probe => ({
  name: 'node',
  look: async () => {
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const [leastMajor = 0, leastMinor = 0] = MIN_NODE;
    if (major > leastMajor || (major === leastMajor && minor >= leastMinor))
      return ok('node', `Node ${version}.`);
    return fail({
      name: 'node',
      detail: `This is Node ${version}, and the service needs ${MIN_NODE.join('.')} or newer.`,
      remedy: 'Install a newer Node from nodejs.org or your distribution.',
    });
  },
});

/** Whether the data directory is there, writable, private, and has room. */
export const dataDirectoryProbe = (directory: string): Probe => ({
  name: 'data directory',
  look: async () => {
    const name = 'data directory';
    const mode = await stat(directory).then(
      (found) => found.mode,
      () => null,
    );
    if (mode === null) {
      return warn({
        name,
        detail: `${directory} is not there yet; the first start makes it.`,
        remedy: 'npm start, or set SERVICE_DATA_DIR to where the data is',
      });
    }
    const writable = await access(directory, constants.W_OK | constants.X_OK).then(
      () => true,
      () => false,
    );
    if (!writable) {
      return fail({
        name,
        detail: `${directory} cannot be written by this user, so nothing can be stored.`,
        remedy: `${shellCommand`chown -R "$(id -un)" ${directory}`}, or run as the user that owns it`,
      });
    }
    return (await spaceFault(name, directory)) ?? privacy(name, directory, mode);
  },
});

async function spaceFault(name: string, directory: string): Promise<Finding | null> {
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  if (free >= LITTLE_SPACE_BYTES) return null;
  const found = {
    name,
    detail: `Only ${formatBytes(free)} are free in ${directory}; backups stop before they fill a disk.`,
    remedy:
      'free some space, lower the retention of large sources, or move SERVICE_DATA_DIR to a larger disk',
  };
  return free < NO_SPACE_BYTES ? fail(found) : warn(found);
}

function privacy(name: string, directory: string, mode: number): Finding {
  if ((mode & OTHERS_MODE_BITS) === 0) return ok(name, `${directory}, private and writable.`);
  return warn({
    name,
    detail: `Other users of this machine can look into ${directory}, where backups of all servers are.`,
    remedy: shellCommand`chmod 700 ${directory}`,
  });
}

/** Whether rsync is installed: backups work without it, and it speeds up large files that change a little. */
export const rsyncProbe = (path: string = TOOL_PATH): Probe => ({
  name: 'rsync',
  look: async () => {
    try {
      const options = { env: { PATH: path, LC_ALL: 'C' }, timeout: TOOL_TIMEOUT_MS };
      const { stdout } = await promisify(execFile)('rsync', ['--version'], options);
      const [, version = 'of an unknown version'] = /^rsync +version +v?(\S+)/.exec(stdout) ?? [];
      return ok(
        'rsync',
        `rsync ${version}. With it on a server too, large files that change a little are backed up faster; it is not required.`,
      );
    } catch {
      return ok(
        'rsync',
        'rsync is not installed on this machine. Backups work without it; with it here and on a server, large files that change a little are backed up faster.',
      );
    }
  },
});

/** Whether SSH uses compiled ciphers. */
export const sshCryptoProbe = (isNative: () => boolean): Probe => ({
  name: 'ssh',
  look: async () =>
    isNative()
      ? ok('ssh', 'SSH uses compiled ciphers.')
      : warn({
          name: 'ssh',
          detail: 'SSH works without its compiled ciphers; large backups take about four times as long.',
          remedy: 'install a C++ compiler and Python, then: npm rebuild ssh2',
        }),
});

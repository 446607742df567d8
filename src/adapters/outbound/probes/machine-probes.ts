import { execFile } from 'node:child_process';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { ServerStore } from '../../../application/ports/fleet/server-store.ts';
import type { ClockRecord } from '../../../application/ports/service/clock-record.ts';
import type { Probe } from '../../../application/ports/service/probe.ts';
import type { SealedSecrets } from '../../../application/ports/service/sealed-secrets.ts';
import { keyUse } from '../../../domain/access/master-key-use.ts';
import { formatBytes } from '../../../domain/base/format-bytes.ts';
import { toMinute } from '../../../domain/base/instant.ts';
import { shellCommand } from '../../../domain/base/shell-command.ts';
import { isHome } from '../../../domain/files/jail-directory.ts';
import type { Finding } from '../../../domain/fleet/finding.ts';
import { fail, ok, warn } from './server-probe.ts';

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
        detail: `${directory} does not exist yet; the first start creates it.`,
        remedy: 'npm start, or set SERVICE_DATA_DIR to the directory with the data',
      });
    }
    const writable = await access(directory, constants.W_OK | constants.X_OK).then(
      () => true,
      () => false,
    );
    if (!writable) {
      return fail({
        name,
        detail: `${directory} is not writable by this user, so nothing can be stored.`,
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
    detail: `Other users of this machine can read ${directory}, which contains the backups of all servers.`,
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

/** Whether the service's clock jumped, and no user has confirmed the time since. */
export const clockJumpProbe = (record: Pick<ClockRecord, 'open'>): Probe => ({
  name: 'clock jumps',
  look: async () => {
    const name = 'clock jumps';
    const jumps = await record.open();
    const jump = jumps.find(({ kind }) => kind === 'ahead') ?? jumps[0];
    if (jump === undefined) return ok(name, 'The clock did not jump.');
    const detail = `The service expected ${toMinute(jump.fromAt)}, and its clock showed ${toMinute(jump.toAt)}.`;
    if (jump.kind === 'back')
      return warn({
        name,
        detail,
        remedy: "if this time is wrong, correct the clock of the service's machine",
      });
    return fail({
      name,
      detail: `${detail} Drover deletes nothing because of its age until this is resolved.`,
      remedy:
        'correct the clock; if the time is right, drover alert list --kind clock.jumped, and drover alert ack ID',
    });
  },
});

/** Which master keys encrypt the secrets. `keyIds`: the available ones, the current one first. */
export const secretsProbe = (
  keyIds: () => Promise<readonly string[]>,
  secrets: Pick<SealedSecrets, 'counts'>,
): Probe => ({
  name: 'secrets',
  look: async () => {
    const keys = keyUse(await keyIds(), await secrets.counts());
    const detail =
      keys.length === 0
        ? 'Nothing is encrypted yet.'
        : `Secrets by key: ${keys.map(({ id, state, secrets: n }) => `${id} (${state}) ${n}`).join(', ')}.`;
    const found = { name: 'secrets', detail };
    if (keys.some(({ state }) => state === 'unknown')) {
      const remedy =
        'add your backup of the unknown key after the others; without it, enter those secrets again';
      return fail({ ...found, remedy });
    }
    if (keys.some(({ state, secrets: n }) => state === 'old' && n > 0))
      return warn({ ...found, remedy: 'drover master-key rotate' });
    return ok('secrets', detail);
  },
});

const PAGE = 100;
const MAX_NAMED = 10;

/** Whether the file root of a server is a home directory, which version 1.1 suggested. */
export const fileRootsProbe = (servers: Pick<ServerStore, 'list'>): Probe => ({
  name: 'file roots',
  look: async () => {
    const homes: { readonly name: string; readonly jail: string }[] = [];
    for (let offset = 0, total = 1; offset < total; offset += PAGE) {
      const page = await servers.list({}, { limit: PAGE, offset });
      total = page.total;
      homes.push(
        ...page.items.flatMap(({ name, jail }) => (jail !== null && isHome(jail) ? [{ name, jail }] : [])),
      );
    }
    const [first] = homes;
    if (first === undefined) return ok('file roots', 'None is a home directory.');
    const named = homes.slice(0, MAX_NAMED).map(({ name, jail }) => `${name} (${jail})`);
    const more = homes.length > named.length ? ` and ${homes.length - named.length} more` : '';
    return warn({
      name: 'file roots',
      detail: `A home directory contains keys, passwords and settings of programs; it is the file root of ${named.join(', ')}${more}.`,
      remedy: shellCommand`drover server edit ${first.name} --jail /srv/drover`,
    });
  },
});

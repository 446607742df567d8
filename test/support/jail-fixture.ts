import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import {
  chmod,
  lchown,
  link,
  lstat,
  lutimes,
  mkdir,
  readdir,
  readFile,
  rename,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname } from 'node:path';
import { InMemoryFiles } from '../../src/adapters/outbound/hosts/jail/memory/in-memory-files.ts';
import type { FleetHost } from '../fleet/host.ts';

/** The entry at a path, read directly. */
export interface Seen {
  readonly kind: 'file' | 'dir' | 'link' | 'other';
  readonly mode: number;
  readonly owner: string;
  readonly content: Buffer | null;
}

/** A place on a host for a file root and its surroundings, which a test sets up and inspects. */
export interface JailFixture {
  /** An absolute directory; all paths below are relative to it. */
  readonly root: string;
  directory(path: string): Promise<void>;
  file(path: string, content?: string | Buffer, mode?: number): Promise<void>;
  /** A name of any bytes. */
  oddFile(directory: string, name: Buffer): Promise<void>;
  link(path: string, target: string): Promise<void>;
  hardLink(path: string, existing: string): Promise<void>;
  move(path: string, to: string): Promise<void>;
  /** As if a file had not been modified for this long. */
  age(path: string, seconds: number): Promise<void>;
  /** A FIFO, a socket, a device. */
  specials(directory: string): Promise<readonly string[]>;
  see(path: string): Promise<Seen | null>;
  /** Names in a directory, sorted. */
  names(path: string): Promise<readonly string[]>;
  /** Files `a0001` to `a…`, each empty. */
  manyFiles(directory: string, count: number): Promise<void>;
}

/** Runs a bash script and returns its output. */
export type Runs = (script: string, args: readonly string[], input?: Buffer) => Promise<Buffer>;

/**
 * A place on a real file system. Its files belong to the owner of `root`.
 *
 * @param root as the code under test names it
 * @param options.behind that root's path for this process, if it is different
 * @param options.run creates FIFOs, sockets and devices there
 */
export function realFixture(
  root: string,
  { behind = root, run }: { behind?: string; run: Runs },
): JailFixture {
  const at = (path: string): string => `${behind}/${path}`;
  const { uid, gid } = statSync(behind);
  const own = (path: string | Buffer): Promise<void> => lchown(path, uid, gid);
  const directory = async (path: string): Promise<void> => {
    const first = await mkdir(path, { recursive: true });
    if (first === undefined) return;
    for (let made = path; made.length >= first.length; made = dirname(made)) await own(made);
  };
  return {
    root,
    directory: (path) => directory(at(path)),
    async file(path, content = 'content', mode = 0o644) {
      await directory(dirname(at(path)));
      await writeFile(at(path), content);
      await own(at(path));
      await chmod(at(path), mode);
    },
    async oddFile(path, name) {
      const file = Buffer.concat([Buffer.from(`${at(path)}/`), name]);
      await writeFile(file, '');
      await own(file);
    },
    async link(path, target) {
      await symlink(target, at(path));
      await own(at(path));
    },
    hardLink: (path, existing) => link(at(existing), at(path)),
    async age(path, seconds) {
      const time = Date.now() / 1_000 - seconds;
      await lutimes(at(path), time, time);
    },
    move: (path, to) => rename(at(path), at(to)),
    async specials(path) {
      const script = `cd -- "$1"; mkfifo fifo
        python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")' 2>/dev/null
        mknod device c 1 5 2>/dev/null; true`;
      const before = new Set(await readdir(at(path)));
      await run(script, [`${root}/${path}`]);
      return (await readdir(at(path))).filter((name) => !before.has(name));
    },
    async see(path) {
      const seen = await lstat(at(path)).catch(() => null);
      if (!seen) return null;
      return {
        kind: seen.isFile() ? 'file' : seen.isDirectory() ? 'dir' : seen.isSymbolicLink() ? 'link' : 'other',
        mode: seen.mode & 0o7777,
        owner: `${seen.uid}:${seen.gid}`,
        content: seen.isFile() ? await readFile(at(path)) : null,
      };
    },
    names: async (path) => (await readdir(at(path))).sort(),
    async manyFiles(path, count) {
      await directory(at(path));
      for (let each = 1; each <= count; each += 1) {
        const file = `${at(path)}/a${String(each).padStart(4, '0')}`;
        await writeFile(file, '');
        await own(file);
      }
    },
  };
}

/** A place in a directory of this machine. */
export const fixtureHere = (root: string): JailFixture => {
  const { uid, gid } = statSync(root);
  return realFixture(root, { run: uid === process.getuid?.() ? runHere : runHereAs({ uid, gid }) });
};

/** A place in a directory of a host of the fleet, which belongs to that user. */
export const fixtureOn = async (host: FleetHost, user: string, root: string): Promise<JailFixture> =>
  realFixture(root, { behind: `${await host.rootFromHere()}${root}`, run: runOn(host, user) });

const runHereAs =
  (user: { readonly uid?: number; readonly gid?: number }): Runs =>
  (script, args, input) =>
    new Promise((resolve, reject) => {
      const options = {
        encoding: 'buffer',
        maxBuffer: 64 * 1024 * 1024,
        env: { ...process.env, LC_ALL: 'C' },
        ...user,
      } as const;
      const child = execFile('bash', ['-c', script, 'bash', ...args], options, (error, stdout, stderr) => {
        if (error) reject(new Error(`${script}: ${stderr.toString()}`));
        else resolve(stdout);
      });
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input ?? '');
    });

/** Runs on this machine. */
export const runHere: Runs = runHereAs({});

/** Runs on a host of the fleet as one of its users. */
export const runOn =
  (host: FleetHost, user: string): Runs =>
  async (script, args, input) => {
    const as = 'exec setpriv --reuid="$1" --regid="$1" --init-groups -- bash -c "$2" bash "${@:3}"';
    const { code, stdout, stderr } = await host.runBytes(as, [user, script, ...args], input);
    if (code !== 0) throw new Error(`${script}: ${stderr}`);
    return stdout;
  };

/** A place in memory. */
export function memoryFixture(root: string): JailFixture & { readonly files: InMemoryFiles } {
  const files = new InMemoryFiles();
  const at = (path: string): string => `${root}/${path}`;
  files.directory(root);
  return {
    root,
    files,
    directory: async (path) => void files.directory(at(path)),
    file: async (path, content = 'content', mode = 0o644) => files.file(at(path), content, mode),
    async oddFile(directory, name) {
      const file = { kind: 'file', bytes: Buffer.alloc(0), mode: 0o644, owner: 'account', names: 1 } as const;
      files
        .directory(at(directory))
        .entries.set(name.toString('latin1'), { ...file, changedAt: files.now() });
    },
    link: async (path, target) => files.put(at(path), { kind: 'link', target, changedAt: files.now() }),
    hardLink: async (path, existing) => files.hardLink(at(path), at(existing)),
    async age(path, seconds) {
      const node = files.at(at(path));
      if (node) node.changedAt -= seconds * 1_000;
    },
    move: async (path, to) => files.move(at(path), at(to)),
    async specials(directory) {
      files.put(at(`${directory}/fifo`), { kind: 'other', changedAt: files.now() });
      return ['fifo'];
    },
    async see(path) {
      const node = files.at(at(path));
      if (!node) return null;
      const content = node.kind === 'file' ? node.bytes : null;
      const [mode, owner] =
        node.kind === 'file'
          ? [node.mode, node.owner]
          : [('mode' in node ? node.mode : undefined) ?? 0o755, 'account'];
      return { kind: node.kind, mode, owner, content };
    },
    names: async (path) => {
      const node = files.at(at(path));
      const names = node?.kind === 'dir' ? [...node.entries.keys()] : [];
      return names.map((name) => Buffer.from(name, 'latin1').toString()).sort();
    },
    async manyFiles(directory, count) {
      for (let each = 1; each <= count; each += 1) {
        files.file(at(`${directory}/a${String(each).padStart(4, '0')}`), '');
      }
    },
  };
}

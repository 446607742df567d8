import { execFile } from 'node:child_process';
import { InMemoryFiles } from '../fakes/in-memory-files.ts';
import type { FleetHost } from '../fleet/host.ts';

/** What is at a path, as it is seen from behind. */
export interface Seen {
  readonly kind: 'file' | 'dir' | 'link' | 'other';
  readonly mode: number;
  readonly owner: string;
  readonly content: Buffer | null;
}

/** A place on a host in which a test arranges a jail and what is around it, and looks at what became of it. */
export interface JailWorld {
  /** An absolute directory; all paths below are relative to it. */
  readonly root: string;
  directory(path: string): Promise<void>;
  file(path: string, content?: string | Buffer, mode?: number): Promise<void>;
  /** A name of any bytes. */
  oddFile(directory: string, name: Buffer): Promise<void>;
  link(path: string, target: string): Promise<void>;
  hardLink(path: string, existing: string): Promise<void>;
  move(path: string, to: string): Promise<void>;
  /** As if nobody had touched a file for so long. */
  age(path: string, seconds: number): Promise<void>;
  /** A FIFO, a socket, a device. */
  specials(directory: string): Promise<readonly string[]>;
  see(path: string): Promise<Seen | null>;
  /** Names in a directory, sorted. */
  names(path: string): Promise<readonly string[]>;
  /** Files `a0001` to `a…`, each empty. */
  manyFiles(directory: string, count: number): Promise<void>;
}

/** Runs a bash script with root's rights, or those of whoever runs the tests. */
export type Runs = (script: string, args: readonly string[], input?: Buffer) => Promise<Buffer>;

/** A world on a real file system. */
export function realWorld(root: string, run: Runs): JailWorld {
  const at = (path: string): string => `${root}/${path}`;
  const done = async (script: string, args: readonly string[], input?: Buffer): Promise<void> => {
    await run(`set -e\n${script}`, args, input);
  };
  return {
    root,
    directory: (path) => done('mkdir -p -- "$1"', [at(path)]),
    file: (path, content = 'content', mode = 0o644) =>
      done(
        'mkdir -p -- "${1%/*}"; [ ! -f "$1" ] || chmod u+w "$1"; cat >"$1"; chmod "$2" "$1"',
        [at(path), mode.toString(8)],
        Buffer.from(content),
      ),
    oddFile: (directory, name) =>
      done('cd -- "$1"; name=$(cat; echo .); : >"${name%.}"', [at(directory)], name),
    link: (path, target) => done('ln -s -- "$2" "$1"', [at(path), target]),
    hardLink: (path, existing) => done('ln -- "$2" "$1"', [at(path), at(existing)]),
    age: (path, seconds) => done('touch -h -d "-$2 seconds" -- "$1"', [at(path), String(seconds)]),
    move: (path, to) => done('mv -T -- "$1" "$2"', [at(path), at(to)]),
    async specials(directory) {
      const script = `cd -- "$1"; mkfifo fifo; echo fifo
        python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")' 2>/dev/null && echo socket
        mknod device c 1 5 2>/dev/null && echo device; true`;
      return (await run(script, [at(directory)])).toString().trim().split('\n');
    },
    async see(path) {
      const script =
        'stat -c "%f %u:%g" -- "$1" 2>/dev/null || exit 0; [ -f "$1" ] && [ ! -L "$1" ] && cat -- "$1"; true';
      const printed = await run(script, [at(path)]);
      const end = printed.indexOf('\n');
      if (end < 0) return null;
      const [mode = '', owner = ''] = printed.subarray(0, end).toString().split(' ');
      const kind = ({ '4': 'dir', '8': 'file', a: 'link' } as const)[mode[0] ?? ''] ?? 'other';
      return {
        kind,
        mode: Number.parseInt(mode, 16) & 0o7777,
        owner,
        content: kind === 'file' ? printed.subarray(end + 1) : null,
      };
    },
    async names(path) {
      const printed = await run('ls -A1 -- "$1"', [at(path)]);
      return printed.toString().split('\n').filter(Boolean).sort();
    },
    manyFiles: (directory, count) =>
      done('mkdir -p -- "$1"; cd -- "$1"; seq -f "a%04g" "$2" | xargs touch', [at(directory), String(count)]),
  };
}

/** Runs on this machine. */
export const runHere: Runs = (script, args, input) => execHere({}, script, args, input);

/** The same as a user with this number. */
export const runHereAs =
  (user: number): Runs =>
  (script, args, input) =>
    execHere({ uid: user, gid: user }, script, args, input);

const execHere = (
  user: { readonly uid?: number; readonly gid?: number },
  ...[script, args, input]: Parameters<Runs>
): ReturnType<Runs> =>
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

/** Runs on a host of the fleet as one of its users. */
export const runOn =
  (host: FleetHost, user: string): Runs =>
  async (script, args, input) => {
    const as = 'exec setpriv --reuid="$1" --regid="$1" --init-groups -- bash -c "$2" bash "${@:3}"';
    const { code, stdout, stderr } = await host.runBytes(as, [user, script, ...args], input);
    if (code !== 0) throw new Error(`${script}: ${stderr}`);
    return stdout;
  };

/** A world in memory. */
export function memoryWorld(root: string): JailWorld & { readonly files: InMemoryFiles } {
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

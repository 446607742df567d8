import { readFileSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import type {
  ProtectedPlaces,
  ProtectedSurvey,
  ProtectedSurveyOptions,
  ProtectedView,
} from '../../../../application/ports/backups/protected-places.ts';
import type { RemoteHost } from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { type FoundPlace, findPlace, type KeptPlace, mountsHere, statsOf } from './kept-place.ts';
import { isAtOrBelow, isPartOf, type Mount, parseMounts, viewsOf } from './mount-table.ts';

const KERNEL_FILE = '/proc/sys/kernel/random/boot_id';
const TIMEOUT_MS = 60_000;
/** For looking through a file system. */
const FIND_TIMEOUT_MS = 30 * 60_000;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
/** Each becomes an argument of the engine. */
const MAX_LEFT_OUT = 500;
/** Other processes' environments are there, the service's with its keys among them. */
const PROCESSES = "the environment of the service's process";

/** As `ProtectedView`, one byte per character. */
type View = ProtectedView;

/** What file roots of this machine must not touch, by identity and not by name. */
export interface PlacesHere {
  readonly inodes: readonly Stats[];
  /** Parent directories: their other contents are accessible, they themselves must stay where they are. */
  readonly holders: readonly Stats[];
  /** For missing files: the directory that would contain it, and its name. */
  readonly absent: readonly { readonly parent: Stats; readonly name: string }[];
  /** Mounts that show a part of a protected directory elsewhere. */
  readonly mountIds: ReadonlySet<number>;
}

/** The places of one service, on the machine that it runs on. */
export class ServicePlaces implements ProtectedPlaces {
  readonly #places: readonly KeptPlace[];
  readonly #dataDir: string;

  constructor(options: { readonly places: readonly KeptPlace[]; readonly dataDir: string }) {
    this.#places = options.places;
    this.#dataDir = options.dataDir;
  }

  here(): PlacesHere {
    const mounts = mountsHere();
    const found = this.#found(mounts);
    return {
      inodes: found.map(({ stats }) => stats).filter((stats) => stats !== null),
      holders: found.flatMap(({ parent }) => (parent ? above(parent.path) : [])),
      absent: found.flatMap(({ stats, parent, name }) =>
        stats === null && parent ? [{ parent: parent.stats, name }] : [],
      ),
      mountIds: new Set(
        mounts
          .filter((mount) => found.some(({ location }) => location && isPartOf(mount, location)))
          .map(({ id }) => id),
      ),
    };
  }

  async survey(...[host, paths, options]: Parameters<ProtectedPlaces['survey']>): Promise<ProtectedSurvey> {
    const { signal } = options;
    if (!(await isThisMachine(host, signal))) return NOTHING;
    const asked = paths.map(plain);
    const stdin = Buffer.from(asked.map((path) => `${path}\0`).join(''));
    const looked = await host.run(
      { script: LOOK, stdin, asRoot: true },
      { timeoutMs: TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT_BYTES, signal },
    );
    const [table, ...answers] = looked.stdout.toString('latin1').split('\0');
    if (looked.exitCode !== 0 || looked.truncated || answers.length !== asked.length * 6 + 1) {
      throw new DomainError(
        'host_command_failed',
        'Drover could not resolve these paths on its own machine, so nothing was done. It needs sh, xargs, readlink and stat, and /proc.',
      );
    }
    const mounts = parseMounts(table ?? '');
    const found = this.#found(mountsHere()).filter((place) => this.#concerns(place, options));
    const records = paths.flatMap((path, index) =>
      [0, 3].map((at) => recordOf(path, answers.slice(6 * index + at, 6 * index + at + 3))),
    );
    const kernel = mounts.filter(({ type }) => type === 'proc').map(({ point }) => point);
    const views = [
      ...found.flatMap(({ location, what }) =>
        location ? viewsOf(mounts, location).map((path): View => ({ path, what })) : [],
      ),
      ...(await otherNames(host, found, mounts, records, signal)),
    ];
    if (views.length + kernel.length > MAX_LEFT_OUT) {
      throw new DomainError(
        'path_refused',
        `The service's own files are mounted at more than ${MAX_LEFT_OUT} places of its machine; unmount some of them.`,
      );
    }
    const processes = kernel.map((path): View => ({ path, what: PROCESSES }));
    const below = views.flatMap((view) =>
      records.flatMap(({ asked: path, real }) =>
        isBelow(view.path, real)
          ? [{ ...shown(view), asked: path, rest: text(restOf(view.path, real)) }]
          : [],
      ),
    );
    // no pattern could name it
    const unnamed = below.find(({ path }) => path.includes(GARBLED));
    return {
      inside: insideOf(records, [...views, ...processes], found) ?? unnamed ?? null,
      below,
      leftOut: [
        ...views.map(({ path }) => ({ path: text(path), contentsOnly: false })),
        ...kernel.map((path) => ({ path: text(path), contentsOnly: true })),
      ],
    };
  }

  #found(mounts: readonly Mount[]): readonly FoundPlace[] {
    return this.#places.flatMap((place) => findPlace(place, mounts));
  }

  #concerns(place: FoundPlace, { ownData, toRead }: ProtectedSurveyOptions): boolean {
    if (ownData) return place.isKey === true || isBelow(place.path, this.#dataDir);
    return !(toRead && place.isOnlyLoaded);
  }
}

/** The replacement for invalid bytes. */
const GARBLED = '\ufffd';
const NOTHING: ProtectedSurvey = { inside: null, below: [], leftOut: [] };

/** One of the answers to a path. */
interface Answer {
  readonly asked: string;
  readonly real: string;
  readonly isThere: boolean;
  /** `device:inode` of it and of each directory above. */
  readonly inodes: readonly string[];
}

function recordOf(asked: string, [there = '', rest = '', inodes = '']: readonly string[]): Answer {
  return {
    asked,
    real: there === '/' ? rest || '/' : `${there}${rest}`,
    isThere: rest === '',
    inodes: inodes.split('\n').filter(Boolean),
  };
}

function insideOf(
  answers: readonly Answer[],
  views: readonly View[],
  found: readonly FoundPlace[],
): ProtectedSurvey['inside'] {
  for (const { asked, real, inodes } of answers) {
    const view = views.find(({ path }) => isAtOrBelow(real, path));
    if (view) return { path: asked, what: view.what };
    const place = found.find(({ stats }) => stats && inodes.includes(`${stats.dev}:${stats.ino}`));
    if (place) return { path: asked, what: place.what };
  }
  return null;
}

/** Hard links to protected files: looked for only if there are any. */
async function otherNames(
  host: RemoteHost,
  found: readonly FoundPlace[],
  mounts: readonly Mount[],
  answers: readonly Answer[],
  signal: AbortSignal,
): Promise<readonly View[]> {
  const linked = found.filter(({ stats }) => stats?.isFile() && stats.nlink > 1);
  if (linked.length === 0) return [];
  const devices = new Set(linked.map(({ location }) => location?.device));
  const points = mounts.filter(({ device }) => devices.has(device)).map(({ point }) => point);
  const real = answers.filter(({ isThere }) => isThere).map((answer) => answer.real);
  const places = new Set([...real, ...points.filter((point) => real.some((each) => isBelow(point, each)))]);
  const inodes = linked.map(({ stats }) => String(stats?.ino));
  const views: View[] = [];
  for (const place of places) {
    const { stdout } = await host.run(
      { script: FIND, args: [text(place), ...inodes], asRoot: true },
      { timeoutMs: FIND_TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT_BYTES, signal },
    );
    const answered = stdout.toString('latin1').split('\0');
    for (let at = 0; at + 1 < answered.length; at += 2) {
      const file = linked.find(({ stats }) => `${stats?.dev}:${stats?.ino}` === answered[at]);
      if (file) views.push({ path: answered[at + 1] ?? '', what: file.what });
    }
  }
  return views;
}

async function isThisMachine(host: RemoteHost, signal: AbortSignal): Promise<boolean> {
  const { stdout } = await host.run({ script: KERNEL }, { timeoutMs: TIMEOUT_MS, signal });
  const theirs = stdout.toString('latin1').trim();
  return theirs !== '' && theirs === kernelHere();
}

/** The boot id of the machine that the service runs on; `null` without /proc. */
export function kernelHere(): string | null {
  try {
    return readFileSync(KERNEL_FILE, 'latin1').trim();
  } catch {
    return null;
  }
}

/** Directories from a path up, without the root, which cannot be moved. */
function above(path: string): readonly Stats[] {
  const found: Stats[] = [];
  for (let at = path; at !== '/'; at = dirname(at)) {
    const stats = statsOf(at);
    if (stats) found.push(stats);
  }
  return found;
}

const restOf = (path: string, directory: string): string =>
  path.slice(directory === '/' ? 1 : directory.length + 1);

/** Throws `path_refused` for an invalid path. */
function plain(path: string): string {
  if (path.includes('\0')) throw new DomainError('path_refused', 'A path must not contain NUL characters.');
  return `/${path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')}`;
}

const isBelow = (path: string, directory: string): boolean =>
  path !== directory && isAtOrBelow(path, directory);

const shown = ({ path, what }: View): View => ({ path: text(path), what });

const text = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

/** The kernel's identity: the same for everything on one machine, including containers. */
const KERNEL = 'cat /proc/sys/kernel/random/boot_id';

/**
 * The mounts, then for each path on standard input (NUL-terminated) two answers: for the entry itself and for its
 * target. An answer is the existing part of the path, without links; the missing part; the device and inode of the
 * first and of all directories above it. Each is NUL-terminated. An "x" keeps line breaks at the end of a name, which
 * command substitution would drop.
 */
const LOOK = `
cat /proc/self/mountinfo || exit 71
printf '\\0'
exec xargs -0 sh -c '
for path do
  there=$path
  rest=
  while [ ! -e "$there" ] && [ ! -L "$there" ] && [ "$there" != / ]; do
    rest=/\${there##*/}$rest
    there=\${there%/*}
    there=\${there:-/}
  done
  above=$(cd -P -- "\${there%/*}/" && pwd -P && echo x) && above=\${above%??} || exit 255
  [ "$above" != / ] || above=
  end=$(readlink -f -- "$there" && echo x) && end=\${end%??} || end=$there
  for real in "$above/\${there##*/}" "$end"; do
    printf "%s\\0%s\\0" "$real" "$rest"
    at=$real
    while :; do
      stat -c %d:%i -- "$at" 2>/dev/null || echo -
      [ "$at" != / ] || break
      at=\${at%/*}
      at=\${at:-/}
    done
    printf "\\0"
  done
done' drover
`;

/**
 * Other names of files: "$1" is a directory to look through, "$2", "$3", … the inodes. Prints of each file its device and
 * inode, and its path, each closed by a NUL.
 */
const FIND = `
cd -P -- "$1" || exit 0
shift
names=
for inode do names="$names -o -inum $inode"; done
find "$PWD" -xdev -type f \\( -links 0 $names \\) -exec sh -c '
for path do printf "%s\\0%s\\0" "$(stat -c %d:%i -- "$path")" "$path"; done' drover {} + 2>/dev/null
exit 0
`;

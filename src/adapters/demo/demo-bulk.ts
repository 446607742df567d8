import { DAY, type Instant } from '../../domain/base/instant.ts';
import { Chance } from './chance.ts';
import { DEMO_OLDEST, demoFiles, demoFileTime } from './demo-files.ts';
import { KINDS } from './fleet.ts';

/** A file in a snapshot; `text` is null if only its name and size exist. */
export interface DemoFile {
  readonly path: string;
  readonly size: number;
  readonly changedAt: Instant;
  readonly text: string | null;
}

/** Many similar files: a certain number, more every day, and every 60 days those are tidied away. */
interface Bulk {
  /** The path that is backed up. */
  readonly below: string;
  readonly name: (number: string) => string;
  readonly bytes: readonly [number, number];
  readonly count: number;
  readonly daily: number;
}

const TIDIED_AFTER = 60;

const BULKS: readonly Bulk[] = [
  {
    below: '/etc',
    name: (number) => `/etc/ssl/certs/ca-${number}.pem`,
    bytes: [1_100, 2_400],
    count: 140,
    daily: 0,
  },
  {
    below: '/srv/www',
    name: (number) => `/srv/www/site/media/photo-${number}.jpg`,
    bytes: [300_000, 5_000_000],
    count: 700,
    daily: 3,
  },
  {
    below: '/var/backups/mariadb',
    name: (number) => `/var/backups/mariadb/archive/shop-${number}.sql.zst`,
    bytes: [200_000_000, 900_000_000],
    count: 14,
    daily: 1,
  },
  {
    below: '/var/vmail',
    name: (number) => `/var/vmail/example.org/ann/cur/${number}.eml`,
    bytes: [4_000, 900_000],
    count: 1_800,
    daily: 24,
  },
  {
    below: '/srv/shares',
    name: (number) => `/srv/shares/photos/IMG_${number}.jpg`,
    bytes: [2_000_000, 9_000_000],
    count: 1_200,
    daily: 8,
  },
  {
    below: '/srv/shares',
    name: (number) => `/srv/shares/videos/VID_${number}.mp4`,
    bytes: [150_000_000, 900_000_000],
    count: 40,
    daily: 2,
  },
];

export const BACKED_UP: readonly string[] = [...new Set(BULKS.map(({ below }) => below))];

/** In the order in which they are added: the first has the id 1. */
const NAMES = KINDS.flatMap(({ name, count }) =>
  Array.from({ length: count }, (_, index) => `${name}-${String(index + 1).padStart(2, '0')}`),
);

export const demoServerName = (id: number): string => NAMES[id - 1] ?? `server-${id}`;

const pathsOf = (source: string): readonly string[] => [
  ...new Set(KINDS.flatMap(({ sources }) => sources[source] ?? [])),
];

const seedOf = (text: string): number =>
  Array.from(text).reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 1_000_003, 7);

/** The files of one bulk on a server, the oldest first, with sums of their sizes: computed once. */
interface Filled {
  readonly base: number;
  readonly sizes: readonly number[];
}

const filled = new Map<string, Filled>();

function fill(server: string, bulk: Bulk): Filled {
  const key = bulk.name(server);
  const known = filled.get(key);
  if (known) return known;
  const own = new Chance(seedOf(key));
  const base = Math.round((bulk.count * own.between(60, 140)) / 100);
  const sizes = Array.from({ length: base + bulk.daily * TIDIED_AFTER }, () => own.between(...bulk.bytes));
  const made = { base, sizes };
  filled.set(key, made);
  return made;
}

/** What a source had at a time. */
export function filesOf(server: string, source: string, at: Instant): readonly DemoFile[] {
  const paths = pathsOf(source);
  const texts = [...demoFiles(server, at, paths)].map(
    ([path, text]): DemoFile => ({
      path,
      size: Buffer.byteLength(text),
      changedAt: demoFileTime(server, { path, text, at }) ?? at,
      text,
    }),
  );
  return [...texts, ...bulkBelow(server, paths, at)].toSorted((one, other) =>
    one.path < other.path ? -1 : 1,
  );
}

/** Those below these paths whose contents do not exist. */
export function bulkBelow(server: string, paths: readonly string[], at: Instant): readonly DemoFile[] {
  const day = Math.floor(at / DAY);
  const cycle = day - (day % TIDIED_AFTER);
  return BULKS.filter(({ below }) => paths.includes(below)).flatMap((bulk) => {
    const { base, sizes } = fill(server, bulk);
    const number = base + bulk.daily * (day - cycle);
    return sizes.slice(0, number).map((size, index): DemoFile => {
      const added = index < base ? null : cycle + Math.floor((index - base) / bulk.daily) + 1;
      return {
        path: bulk.name(String(index + 1).padStart(4, '0')),
        size,
        changedAt: added === null ? DEMO_OLDEST : added * DAY,
        text: null,
      };
    });
  });
}

/** What a backup finds and copies: the same in the job, the snapshot and its files. */
export interface DemoSizes {
  readonly files: number;
  readonly totalBytes: number;
  readonly transferredFiles: number;
  readonly transferredBytes: number;
}

const known = new Map<string, DemoSizes>();

/** What backups found in a source on a day. */
export function sizesOn(server: string, source: string, at: Instant): DemoSizes {
  const day = Math.floor(at / DAY);
  const key = `${server} ${source} ${day}`;
  const found = known.get(key) ?? measure(filesOf(server, source, at), day);
  // Visitors name sources as they like.
  if (found.files > 0) known.set(key, found);
  return found;
}

function measure(files: readonly DemoFile[], day: number): DemoSizes {
  const sum = (some: readonly DemoFile[]): number => some.reduce((total, { size }) => total + size, 0);
  const fresh = files.filter(({ changedAt }) => changedAt >= (day - 1) * DAY);
  return {
    files: files.length,
    totalBytes: sum(files),
    transferredFiles: fresh.length,
    transferredBytes: sum(fresh),
  };
}

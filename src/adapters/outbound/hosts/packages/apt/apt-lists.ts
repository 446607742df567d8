import { HOUR, type Instant } from '../../../../../domain/base/instant.ts';
import type { PackageLists, PackageSource } from '../../../../../domain/fleet/inventory.ts';
import { firstLines } from '../../shell/host-lines.ts';
import { plainText } from '../../shell/host-text.ts';
import type { Sections } from '../../shell/marked-sections.ts';
import { isAptStamp } from './apt-stamp.ts';

/**
 * `apt_show_lists`, after a refresh that left a stamp, prints the inputs of the next question: the addresses of the
 * index files (`uri FILE ADDRESS`), from apt itself, when each was changed (`time SECONDS FILE`; apt gives its copy
 * the source's time), and until when they are valid (`Valid-Until`).
 */
export const APT_LISTS = String.raw`
apt_show_lists() {
  [ -n "$apt_stamp" ] || return 0
  apt_lists_digest
  printf 'stamp %s\n' "$apt_digest"
  limit 20 apt-get update --print-uris $apt_architectures 3>&- | sed -n "s/^'\(.*\)' \([^ ]*InRelease\) .*/uri \2 \1/p"
  stat -L -c 'time %Y %n' /var/lib/apt/lists/*InRelease
  grep -h '^Valid-Until: ' /var/lib/apt/lists/*Release
}
`;

/** Even without changes: signatures and keys expire, and a client that misses that trusts old data. */
const BELIEVED_FOR = 24 * HOUR;
const MAX_SOURCES = 100;
/** Of all addresses: they return as arguments of a command, which has a limit. */
const MAX_CHARACTERS = 20_000;
/** Each source takes some lines. */
const MAX_LINES = 1_000;
/** Without a name and password before the host, which would be kept then. */
const ADDRESS = /^https?:\/\/[^\s@/'"]{1,255}\/[\u0021-\u007e]{1,1000}$/;

/** `null` if a source is of another kind, or its time of change is unknown: then apt has to check itself. */
export function readAptLists(
  sections: Sections,
  { now, notes }: { readonly now: Instant; readonly notes: readonly string[] },
): PackageLists | null {
  const lines = Array.from(firstLines(sections.get('apt-lists')?.text ?? '', MAX_LINES));
  const valuesOf = (word: string): string[] =>
    lines.flatMap((line) => (line.startsWith(`${word} `) ? line.slice(word.length + 1) : []));
  const [stamp = ''] = valuesOf('stamp');
  const times = new Map(valuesOf('time').map(timeOf));
  // each of which may be named twice, for packages and for their sources
  const sources = [...new Set(valuesOf('uri'))].map((line) => sourceOf(line, times));
  const ends = valuesOf('Valid-Until:').map((date) => Date.parse(plainText(date, 60) ?? ''));
  if (!isAptStamp(stamp) || lines.length === MAX_LINES || ends.some(Number.isNaN)) return null;
  if (sources.length === 0 || sources.length > MAX_SOURCES) return null;
  if (!sources.every((source) => source !== null)) return null;
  if (sources.reduce((sum, { uri }) => sum + uri.length, 0) > MAX_CHARACTERS) return null;
  return { stamp, until: Math.min(now + BELIEVED_FOR, ...ends), sources, notes };
}

/** `1700000000 /var/lib/apt/lists/deb.example.org_debian_dists_trixie_InRelease` */
function timeOf(line: string): [file: string, seconds: number] {
  const [, seconds = '', file = ''] = /^(\d{1,12}) .*\/([^/]+)$/.exec(line) ?? [];
  return [file, Number(seconds)];
}

/** `deb.example.org_debian_dists_trixie_InRelease http://deb.example.org/debian/dists/trixie/InRelease` */
function sourceOf(line: string, times: ReadonlyMap<string, number>): PackageSource | null {
  const [file = '', uri = ''] = line.split(' ');
  const changedAtSeconds = times.get(file);
  return changedAtSeconds !== undefined && changedAtSeconds > 0 && ADDRESS.test(uri)
    ? { uri, changedAtSeconds }
    : null;
}

import * as z from 'zod';
import type {
  DataMount,
  EngineKind,
  ProjectData,
} from '../../../../application/ports/compose/container-engine.ts';
import type { RemoteHost } from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { isWithin } from '../../../../domain/base/path-within.ts';
import type { ProjectPlace } from '../../../../domain/compose/compose.ts';
import { isPath } from '../../../../domain/compose/compose-names.ts';
import { isHostPlumbing, isSystemPlace } from '../../../../domain/compose/data-place.ts';
import {
  CHECK_LABEL,
  MAX_CHECKS,
  parseCheck,
  type UpdateCheck,
} from '../../../../domain/compose/update-check.ts';
import { MAX_CONTAINERS } from '../../../../domain/fleet/inventory.ts';
import { firstLines, hostJson } from '../shell/host-lines.ts';
import { plainText } from '../shell/host-text.ts';

const MAX_JSON_LINE = 256 * 1024;
const MAX_MOUNTS = 100;
const LIMITS = { timeoutMs: 900_000, maxOutputBytes: 8 * 1024 * 1024 };

/** "$1": the engine. One JSON list a container. */
const MOUNTS = String.raw`PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin"
ids=$("$1" ps -aq --no-trunc) || exit 1
[ -n "$ids" ] || exit 0
label() { printf '{{with index .Config.Labels "com.docker.compose.%s"}}{{json .}}{{else}}null{{end}}' "$1"; }
"$1" inspect --type container --format "[{{json .Name}},{{json .State.Running}},$(label project.working_dir),$(label service),$(label oneoff),{{json .Mounts}},{{json .Config.Labels}}]" $ids`;

/**
 * The engine's home, then paths. A line each: what it is ("directory", "file", "other", "missing"), KiB, free KiB where
 * the copy would be, "mount" if it is a mount point or "-", "holds" if it contains another one or what must stay, or
 * "-", and the path without links.
 */
const PLACES = String.raw`PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin"
cp --help 2>&1 | grep -q -- --reflink && find --version 2>/dev/null | grep -q GNU && command -v bash >/dev/null && echo tools || { echo lacking; exit 0; }
home=$(getent passwd "$(id -u)" 2>/dev/null | cut -d: -f6)
case $1 in docker) root={{.DockerRootDir}} ;; *) root={{.Store.GraphRoot}} ;; esac
root=$("$1" info --format "$root" 2>/dev/null) || root=
shift
mounted=$(awk '{ gsub(/\\040/, " ", $5); print $5 }' /proc/self/mountinfo)
for path in "$@"; do
  real=$(readlink -f -- "$path") || real=$path
  what=missing size=0
  if [ -d "$real" ]; then what=directory; elif [ -f "$real" ]; then what=file; elif [ -e "$real" ]; then what=other; fi
  holds=-
  for kept in "${'$'}{home:-/root}/.drover" "$root"; do
    case $kept/ in "${'$'}{real%/}"/?*) [ -z "$kept" ] || holds=holds ;; esac
  done
  printf '%s\n' "$mounted" | awk -v at="${'$'}{real%/}/" 'index($0, at) == 1 { found = 1 } END { exit !found }' && holds=holds
  own=-
  printf '%s\n' "$mounted" | grep -qxF -- "$real" && own=mount
  parent=${'$'}{real%/*}
  case $what$holds in directory- | file-)
    size=$(timeout 600 du -skx -- "$real" 2>/dev/null | cut -f1) ;;
  esac
  free=$(df -Pk -- "${'$'}{parent:-/}" 2>/dev/null | awk 'NR == 2 { print $4 }')
  printf '%s %s %s %s %s %s\n' "$what" "${'$'}{size:-0}" "${'$'}{free:-0}" "$own" "$holds" "$real"
done`;

const text = z.string();
const Mount = z.object({
  Type: text.optional(),
  Source: text.optional(),
  Driver: text.optional(),
  RW: z.boolean(),
});
const Container = z.tuple([
  text,
  z.boolean(),
  text.nullable(),
  text.nullable(),
  text.nullable(),
  z.array(Mount).nullable(),
  z.record(text, text).nullable(),
]);

/** A place that containers write to, before the host is asked about it. */
interface Written {
  readonly source: string;
  readonly isVolume: boolean;
  readonly services: Set<string>;
}

interface Place {
  readonly what: string;
  readonly bytes: number;
  readonly freeBytes: number;
  readonly isMountPoint: boolean;
  readonly holds: boolean;
  readonly path: string;
}

interface ProjectFacts {
  readonly written: Map<string, Written>;
  /** Where running containers of others write to: path and name. */
  readonly others: readonly { readonly source: string; readonly name: string }[];
  readonly checks: readonly UpdateCheck[];
  readonly problem: string | null;
}

/** Reads what a project's containers write to. */
export async function readProjectData(
  host: RemoteHost,
  place: ProjectPlace,
  { engine, signal }: { readonly engine: EngineKind; readonly signal: AbortSignal },
): Promise<ProjectData> {
  const listed = await run(host, MOUNTS, [engine], signal);
  const { written, others, checks, problem } = foundIn(listed, place.directory);
  const refused = (why: string): ProjectData => ({ mounts: [], checks, problem: why });
  if (problem !== null) return refused(problem);
  if (written.size === 0) return { mounts: [], checks, problem };
  if (written.size > MAX_MOUNTS) return refused(`It writes to more than ${MAX_MOUNTS} places.`);
  const sources = [...written.keys()];
  const printed = await run(host, PLACES, [engine, ...sources], signal);
  const [tools, ...lines] = firstLines(printed, MAX_MOUNTS + 1);
  if (tools !== 'tools') {
    return refused(
      "The host's tools cannot copy and check the data: install the packages bash, coreutils and findutils.",
    );
  }
  const places = lines.map(placeOf);
  const mounts: DataMount[] = [];
  for (const [index, source] of sources.entries()) {
    const found = places[index];
    const use = written.get(source);
    if (!found || !use) return refused(`The host does not tell about ${source}.`);
    // Sockets and devices hold no data.
    if (found.what === 'other' || isHostPlumbing(found.path)) continue;
    const why = objectionTo(found, use);
    if (why !== null) return refused(why);
    const other = others.find((each) => overlap(each.source, found.path) || overlap(each.source, source));
    if (other) {
      return refused(`Container ${other.name}, which is not part of it, writes to ${found.path}, too.`);
    }
    const { path, bytes, freeBytes } = found;
    mounts.push({ path, services: [...use.services].toSorted(), bytes, freeBytes });
  }
  return { mounts: outermost(mounts), checks, problem: null };
}

function foundIn(listed: string, directory: string): ProjectFacts {
  const written = new Map<string, Written>();
  const others: { source: string; name: string }[] = [];
  const checks = new Map<string, UpdateCheck>();
  let problem: string | null = null;
  for (const line of firstLines(listed, MAX_CONTAINERS, MAX_JSON_LINE)) {
    const read = Container.safeParse(hostJson(line, MAX_JSON_LINE));
    if (!read.success) {
      problem = 'The mounts of a container could not be read.';
      continue;
    }
    const [rawName, isRunning, workingDir, service, oneOff, mounts, labels] = read.data;
    const name = plainText(rawName.replace(/^\//, '')) ?? 'without a name';
    const isMember = workingDir === directory && service !== null && oneOff !== 'True';
    if (isMember) {
      for (const [label, value] of Object.entries(labels ?? {})) {
        if (!label.startsWith(CHECK_LABEL)) continue;
        const check = parseCheck(value);
        if (check) checks.set(`${service} ${label}`, { ...check, service });
        else problem ??= `The label ${plainText(label, 100) ?? CHECK_LABEL} of ${service} is not a check.`;
      }
    }
    for (const { Type, Source = '', Driver, RW } of mounts ?? []) {
      if (!RW || (Type !== 'volume' && Type !== 'bind') || (!isMember && !isRunning)) continue;
      if (!isMember) {
        others.push({ source: Source, name });
        continue;
      }
      const isVolume = Type === 'volume';
      if (!isPath(Source) || (isVolume && Driver !== undefined && Driver !== '' && Driver !== 'local')) {
        problem ??= `${service} has a volume that is not a directory of the host.`;
        continue;
      }
      const use = written.get(Source) ?? { source: Source, isVolume, services: new Set<string>() };
      use.services.add(service);
      written.set(Source, use);
    }
  }
  if (checks.size > MAX_CHECKS) problem ??= `It has more than ${MAX_CHECKS} checks.`;
  return { written, others, checks: [...checks.values()], problem };
}

function objectionTo(
  { what, isMountPoint, holds, path }: Place,
  { isVolume, source }: Written,
): string | null {
  if (what === 'missing' || !isPath(path)) return `${source} is not on the host.`;
  if (isSystemPlace(path)) return `${path} is a directory of the system, which an update never replaces.`;
  if (holds) return `${path} contains a mounted file system, or files of the container engine or of Drover.`;
  // Engines unmount it as soon as the project is stopped.
  return isVolume && isMountPoint ? `${path} is a volume on another file system.` : null;
}

function placeOf(line: string): Place {
  const [what = '', size = '', free = '', own, holds, ...path] = line.split(' ');
  return {
    what,
    bytes: 1024 * Number(size),
    freeBytes: 1024 * Number(free),
    isMountPoint: own === 'mount',
    holds: holds === 'holds',
    path: path.join(' '),
  };
}

const overlap = (one: string, other: string): boolean => isWithin(one, other) || isWithin(other, one);

/** A path inside another one is copied with that. */
function outermost(mounts: readonly DataMount[]): DataMount[] {
  const unique = [...new Map(mounts.map((each) => [each.path, each])).values()];
  return unique
    .filter(({ path }) => !unique.some((other) => other.path !== path && isWithin(path, other.path)))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

async function run(
  host: RemoteHost,
  script: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const { exitCode, stdout, truncated } = await host.run(
    { script, args, asRoot: true },
    { ...LIMITS, signal },
  );
  if (exitCode !== 0 || truncated) {
    throw new DomainError(
      'host_command_failed',
      'The mounts of the containers could not be read on the host.',
    );
  }
  return stdout.toString('utf8');
}

import * as z from 'zod';
import type { EngineKind } from '../../../../application/ports/compose/container-engine.ts';
import type { CommandResult, RemoteHost } from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError, InvalidInput } from '../../../../domain/base/errors.ts';
import type { ComposeDefinition, ProjectFile, ProjectPlace } from '../../../../domain/compose/compose.ts';
import {
  check,
  isFileName,
  isImage,
  isPath,
  isProject,
  isService,
} from '../../../../domain/compose/compose-names.ts';
import { firstLines, hostJson } from '../shell/host-lines.ts';
import { plainText } from '../shell/host-text.ts';
import { readSections, SECTIONS_PRELUDE } from '../shell/marked-sections.ts';
import { COMPOSE_SHELL, noCompose, noSocket } from './compose-shell.ts';

const MAX_SERVICES = 200;
/** In characters. */
const MAX_CONFIG = 2_000_000;
/** Exit codes of DEFINE. */
const NO_COMPOSE = 127;
const NO_SOCKET = 126;

export const MAX_FILES = 50;
export const MAX_FILE_BYTES = 256 * 1024;

/**
 * "$1": mark, "$2": engine, "$3": directory, "$4": name or "-", "$5": the id of staged files or "-", then config
 * files. Staged files are read in a directory of the same name, beside links to the project's other files.
 */
const DEFINE = `${SECTIONS_PRELUDE}${COMPOSE_SHELL}${String.raw`
kind=$2 dir=$3 name=$4 staged=$5
shift 5
HOME=$(getent passwd "$(id -u)" | cut -d: -f6)
export HOME COMPOSE_ANSI=never
find_compose "$kind"
case $? in 0) ;; 1) exit ${NO_COMPOSE} ;; *) exit ${NO_SOCKET} ;; esac
ahead='limit 60'
if [ "$staged" != - ]; then
  from=$HOME/.drover/stage/$staged
  trap 'cd / && rm -rf -- "$from" "$from.as"' EXIT
  as=$from.as/${'$'}{dir##*/}
  mkdir -p "$from.as" && mv "$from" "$as" || exit 71
  for each in "$dir"/* "$dir"/.[!.]*; do
    [ -e "$each" ] && [ ! -e "$as/${'$'}{each##*/}" ] && ln -s "$each" "$as/"
  done
  dir=$as
fi
cd "$dir" || exit 71
files=$#
set -- "$@" --project-directory "$dir"
[ "$name" = - ] || set -- "$@" -p "$name"
while [ "$files" -gt 0 ]; do
  file=$1
  shift
  set -- "$@" -f "$file"
  files=$((files - 1))
done
both() { by_compose "$@" 2>&1; }
section config 2000000 by_compose "$@" config --format json
if [ "$code" = 0 ]; then section hashes 100000 by_compose "$@" config --hash '*'; else section fault 20000 both "$@" config -q; fi
exit 0
`}`;

const Config = z.object({
  name: z.string(),
  services: z
    .record(z.string(), z.object({ image: z.string().nullish(), build: z.unknown().optional() }))
    .nullish(),
});

/**
 * Reads a project's files as Compose does. Its output contains the values of variables: only names and images are
 * kept. For staged files, which it removes, no hashes are returned: they depend on the directory.
 */
export async function readDefinition(
  host: RemoteHost,
  place: ProjectPlace,
  options: { engine: EngineKind; mark: string; stagedId: string | null; signal: AbortSignal },
): Promise<ComposeDefinition> {
  const { engine, mark, stagedId, signal } = options;
  const directory = check(isPath, place.directory, 'The directory');
  const named = place.project === null ? '-' : check(isProject, place.project, 'The project');
  // Files that are not there yet are compose's own choice among those in the directory.
  const files = stagedId === null ? place.configFiles.map((path) => check(isPath, path, 'The file')) : [];
  const args = [mark, engine, directory, named, stagedId ?? '-', ...files];
  const result = await host.run(
    { script: DEFINE, args, asRoot: true },
    { signal, timeoutMs: 180_000, maxOutputBytes: 4 * 1024 * 1024 },
  );
  const sections = readSections(result.stdout.toString('utf8'), mark);
  const config = sections.get('config');
  if (!config) throw refusal(result, directory);
  const read = config.exitCode === 0 ? Config.safeParse(hostJson(config.text, MAX_CONFIG)) : null;
  if (config.exitCode === 0 && !read?.success) throw unreadable();
  if (!read?.success) throw invalid(sections.get('fault')?.text ?? '');
  const hashes = hashesOf(stagedId === null ? (sections.get('hashes')?.text ?? '') : '');
  const services = Object.entries(read.data.services ?? {});
  // To work on some of them would take the others for removed.
  if (services.length > MAX_SERVICES) throw tooMany(services.length);
  return {
    project: check(isProject, read.data.name, 'The project'),
    services: services.map(([name, { image, build }]) => ({
      name: check(isService, name, 'The service'),
      image: image ? check(isImage, image, 'The image') : null,
      builds: build !== undefined && build !== null,
      configHash: hashes.get(name) ?? null,
    })),
  };
}

function refusal(result: CommandResult, directory: string): DomainError {
  if (result.exitCode === NO_COMPOSE) return noCompose();
  if (result.exitCode === NO_SOCKET) return noSocket();
  return new DomainError(
    'compose_invalid',
    `There is no directory ${directory} on the host, or compose cannot read it.`,
  );
}

/** The last line is the reason; warnings come before it. */
function invalid(said: string): DomainError {
  const words = Array.from(firstLines(said, 1_000)).findLast((line) => line.trim() !== '');
  return new DomainError(
    'compose_invalid',
    `Compose does not accept the project's files: ${plainText(words, 500) ?? 'no reason given'}`,
  );
}

const unreadable = (): DomainError =>
  new DomainError(
    'compose_invalid',
    "The output of Compose for the project's files cannot be read: it is longer than 2 MB, or not JSON.",
  );

const tooMany = (services: number): DomainError =>
  new DomainError(
    'compose_invalid',
    `The project has ${services} services; at most ${MAX_SERVICES} can be managed.`,
  );

function hashesOf(printed: string): ReadonlyMap<string, string> {
  const pairs = Array.from(firstLines(printed, MAX_SERVICES), (line) => line.split(' '));
  return new Map(pairs.flatMap(([name, hash]) => (name && hash ? [[name, hash] as const] : [])));
}

/** Throws `invalid_input` for a file that does not belong to a project. */
export function checkFiles(files: readonly ProjectFile[]): void {
  const message =
    files.length > MAX_FILES
      ? `A project has at most ${MAX_FILES} files.`
      : files.some(({ content }) => Buffer.byteLength(content) > MAX_FILE_BYTES)
        ? `A file of a project has at most ${MAX_FILE_BYTES} bytes.`
        : new Set(files.map(({ name }) => name)).size < files.length
          ? 'List each file of a project only once.'
          : null;
  if (message !== null) throw new InvalidInput([{ path: '/files', message }]);
  for (const { name } of files) check(isFileName, name, 'The file');
}

import type { Randomness } from '../../../../application/ports/base/randomness.ts';
import {
  type ComposeOrder,
  type ComposeOutcome,
  type ComposeWork,
  type ContainerEngine,
  type ContainerSurvey,
  type EngineKind,
  MAX_LOG_BYTES,
  type ProjectData,
  type RegistryAnswer,
} from '../../../../application/ports/compose/container-engine.ts';
import type { RemoteHost } from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import type { ComposeDefinition, ProjectFile, ProjectPlace } from '../../../../domain/compose/compose.ts';
import { check, isFileName, isPath, isStagedId } from '../../../../domain/compose/compose-names.ts';
import type { ImageFacts } from '../../../../domain/compose/image-facts.ts';
import type { StepReader } from '../../../../domain/jobs/phases.ts';
import { firstLines, lastLine } from '../shell/host-lines.ts';
import { readSections } from '../shell/marked-sections.ts';
import { checkFiles, MAX_FILE_BYTES, readDefinition } from './compose-files.ts';
import { readImageFacts } from './image-facts.ts';
import { readProjectData } from './project-data.ts';
import { readRegistryDigests } from './registry-digests.ts';
import { readSurvey } from './survey.ts';
import { SURVEY, SURVEY_LIMITS } from './survey-script.ts';
import { workArgs } from './work-args.ts';
import { workOutcome } from './work-outcome.ts';
import { COMPOSE_WORK, ENTER_SHELL } from './work-script.ts';

const ROLLBACK = 'Rolling back to the previous images.';
/** Of compose about a container: ` Container shop-app-1  Recreate`. */
const CONTAINER = /^ ?Container \S+ /;

const GUARD_STEPS: Readonly<Record<string, string>> = {
  'Stopping the project to save its data.': 'Saving the data',
  'The data is saved.': 'Changing the containers',
  'The data is restored.': 'Starting the previous containers',
};
const OBSERVING = 'Observing the project for ';

/** Reads which step of the work runs from what its script and compose print. Images that the host has are not pulled. */
export function workSteps(order: ComposeOrder): StepReader {
  const total = imagesOf(order);
  let pulls = 0;
  let rolledBack = false;
  return (line) => {
    if (line.startsWith('Pulling ')) {
      pulls += 1;
      const amount = { done: Math.min(pulls - 1, total), total, unit: 'images' } as const;
      return total === 0 ? { name: 'Pulling images' } : { name: 'Pulling images', amount };
    }
    rolledBack ||= line.endsWith(ROLLBACK);
    if (line.endsWith(ROLLBACK)) return { name: 'Rolling back' };
    if (line.startsWith(OBSERVING)) return { name: 'Observing the project' };
    const step = GUARD_STEPS[line];
    if (step !== undefined) return { name: step };
    return CONTAINER.test(line) && !rolledBack ? { name: 'Changing the containers' } : null;
  };
}

function imagesOf(order: ComposeOrder): number {
  if (order.kind === 'deploy') return new Set(order.images.map(({ image, to }) => `${image} ${to}`)).size;
  if (order.kind !== 'patch') return 0;
  const services = order.projects.flatMap((project) => project.services);
  return new Set(services.map(({ change }) => `${change.image} ${change.to}`)).size;
}

interface EngineRequest {
  readonly engine: EngineKind;
  readonly signal: AbortSignal;
}

/** docker or podman, and compose, by their own programs on the host. */
export class ShellContainerEngine implements ContainerEngine {
  readonly #randomness: Randomness;

  constructor({ randomness }: { randomness: Randomness }) {
    this.#randomness = randomness;
  }

  async survey(
    host: RemoteHost,
    { directories, signal }: { directories: readonly string[]; signal: AbortSignal },
  ): Promise<ContainerSurvey> {
    const mark = this.#mark();
    const args = [mark, ...directories.map((each) => check(isPath, each, 'The directory'))];
    const { stdout } = await host.run({ script: SURVEY, args, asRoot: true }, { ...SURVEY_LIMITS, signal });
    return readSurvey(readSections(stdout.toString('utf8'), mark));
  }

  registryDigests(
    host: RemoteHost,
    references: readonly string[],
    options: EngineRequest,
  ): Promise<ReadonlyMap<string, RegistryAnswer>> {
    return readRegistryDigests(host, references, options);
  }

  imageFacts(
    host: RemoteHost,
    images: readonly string[],
    options: EngineRequest,
  ): Promise<ReadonlyMap<string, ImageFacts>> {
    return readImageFacts(host, images, options);
  }

  definition(host: RemoteHost, place: ProjectPlace, options: EngineRequest): Promise<ComposeDefinition> {
    return readDefinition(host, place, { ...options, mark: this.#mark(), stagedId: null });
  }

  async definitionOf(
    host: RemoteHost,
    place: ProjectPlace,
    files: readonly ProjectFile[],
    options: EngineRequest,
  ): Promise<ComposeDefinition> {
    const stagedId = `look-${this.#mark()}`;
    await stageFiles(host, stagedId, files, options.signal);
    return readDefinition(host, place, { ...options, mark: this.#mark(), stagedId });
  }

  readFiles(
    host: RemoteHost,
    directory: string,
    names: readonly string[],
    { signal }: { signal: AbortSignal },
  ): Promise<ReadonlyMap<string, string>> {
    return readProjectFiles(host, directory, names, signal);
  }

  async logs(
    host: RemoteHost,
    container: string,
    {
      engine,
      lines,
      since = '',
      signal,
    }: EngineRequest & { readonly lines: number; readonly since?: string },
  ): Promise<string> {
    const missing = new DomainError('not_found', `There is no container named "${container}".`);
    if (!CONTAINER_NAME.test(container)) throw missing;
    const args = [engine, String(lines), container, String(MAX_LOG_BYTES), since];
    const { exitCode, stdout, stderr } = await host.run(
      { script: LOGS, args, asRoot: true },
      { timeoutMs: 60_000, maxOutputBytes: 2 * MAX_LOG_BYTES, signal },
    );
    if (exitCode === NOT_THERE) throw missing;
    if (exitCode !== 0)
      throw new DomainError(
        'host_command_failed',
        `The log could not be read: ${lastLine(stderr.toString('utf8')).slice(0, 200)}`,
      );
    return stdout.toString('utf8');
  }

  stage(...[host, stagedId, files, { signal }]: Parameters<ContainerEngine['stage']>): Promise<void> {
    return stageFiles(host, stagedId, files, signal);
  }

  projectData(host: RemoteHost, place: ProjectPlace, options: EngineRequest): Promise<ProjectData> {
    return readProjectData(host, place, options);
  }

  recovery(runId: string): ComposeWork {
    return { script: COMPOSE_WORK, args: ['-', 'recover', check(isStagedId, runId, 'The id')] };
  }

  work(order: ComposeOrder, engine: EngineKind): ComposeWork {
    return { script: COMPOSE_WORK, args: workArgs(order, engine), steps: workSteps(order) };
  }

  outcome(ended: { exitCode: number; result: string }): ComposeOutcome {
    return workOutcome(ended);
  }

  #mark(): string {
    return Buffer.from(this.#randomness.bytes(16)).toString('hex');
  }
}

/** The engines' rule for names. */
const CONTAINER_NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,254}$/;

/** "$1": the engine, "$2": lines, "$3": the container, "$4": bytes, "$5": a time, or nothing. */
const LOGS = String.raw`"$1" container inspect "$3" >/dev/null 2>&1 || exit 72
"$1" logs --timestamps --tail "$2" ${'$'}{5:+--since "$5"} "$3" 2>&1 | tail -c "$4"`;

/** "$1": the id. Also deletes old files that were never deployed. */
const BEGIN = String.raw`umask 077
home=$(getent passwd "$(id -u)" | cut -d: -f6)
base=$home/.drover/stage
mkdir -p "$base" || exit 71
find "$base" -mindepth 1 -maxdepth 1 -mtime +7 -exec rm -rf -- {} +
rm -rf -- "$base/$1" && mkdir "$base/$1"`;

/** "$1": the id, "$2": the name, "$3": its mode. The content comes on standard input. */
const WRITE = String.raw`umask 077
home=$(getent passwd "$(id -u)" | cut -d: -f6)
cd "$home/.drover/stage/$1" || exit 71
case $2 in */*) mkdir -p "${'$'}{2%/*}" || exit 71 ;; esac
cat >"$2" && chmod "$3" "$2"`;

/** "$1": directory, "$2": name, "$3": bytes at most. Follows no link in the directory, neither on the way nor at its end. */
const READ = `${ENTER_SHELL}${String.raw`
[ -d "$1" ] || exit 72
enter "$1" "$(parent "$2")" || { [ -e "$1/$(parent "$2")" ] && exit 73; exit 72; }
base=${'$'}{2##*/}
[ ! -L "./$base" ] || exit 73
[ -e "./$base" ] || exit 72
[ -f "./$base" ] || exit 73
if dd if=/dev/null of=/dev/null iflag=nofollow 2>/dev/null; then
  dd if="./$base" iflag=nofollow,nonblock bs=65536 2>/dev/null | head -c "$3"
else
  head -c "$3" "./$base"
fi`}`;

const NOT_THERE = 72;
const NO_FILE = 73;
const LIMITS = { timeoutMs: 60_000, maxOutputBytes: MAX_FILE_BYTES + 1 };

/** Contents go through standard input, so that they do not appear in a process list. */
async function stageFiles(
  host: RemoteHost,
  stagedId: string,
  files: readonly ProjectFile[],
  signal: AbortSignal,
): Promise<void> {
  checkFiles(files);
  check(isStagedId, stagedId, 'The id');
  await succeed(host, { script: BEGIN, args: [stagedId] }, signal);
  for (const { name, content, secret } of files) {
    const args = [stagedId, name, secret ? '600' : '644'];
    await succeed(host, { script: WRITE, args, stdin: content }, signal);
  }
}

async function readProjectFiles(
  host: RemoteHost,
  directory: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  check(isPath, directory, 'The directory');
  const contents = new Map<string, string>();
  for (const name of names) {
    const args = [directory, check(isFileName, name, 'The file'), String(MAX_FILE_BYTES)];
    const command = { script: READ, args, asRoot: true };
    const { exitCode, stdout, stderr } = await host.run(command, { ...LIMITS, signal });
    if (exitCode === NOT_THERE) continue;
    if (exitCode === NO_FILE) {
      throw new DomainError(
        'path_refused',
        `${directory}/${name} on the host is not a regular file, or its path contains a link; remove that first.`,
      );
    }
    if (exitCode !== 0) throw failed(exitCode, stderr);
    contents.set(name, stdout.toString('utf8'));
  }
  return contents;
}

async function succeed(
  host: RemoteHost,
  command: { readonly script: string; readonly args: readonly string[]; readonly stdin?: string },
  signal: AbortSignal,
): Promise<void> {
  const { exitCode, stderr } = await host.run({ ...command, asRoot: true }, { ...LIMITS, signal });
  if (exitCode !== 0) throw failed(exitCode, stderr);
}

function failed(exitCode: number | null, stderr: Buffer): DomainError {
  const [first = ''] = firstLines(stderr.toString('utf8').trimStart(), 1);
  const said = first.slice(0, 200);
  return new DomainError(
    'host_command_failed',
    `The project's files could not be stored on the host (code ${exitCode}${said ? `: ${said}` : ''}). Check the free space and the permissions of the account's home directory there.`,
  );
}

import type { Randomness } from '../../../../application/ports/base/randomness.ts';
import type {
  ComposeOrder,
  ComposeOutcome,
  ComposeWork,
  ContainerEngine,
  ContainerSurvey,
  EngineKind,
  RegistryAnswer,
} from '../../../../application/ports/compose/container-engine.ts';
import type { RemoteHost } from '../../../../application/ports/fleet/remote-host.ts';
import type { ComposeDefinition, ProjectFile, ProjectPlace } from '../../../../domain/compose/compose.ts';
import { check, isPath } from '../../../../domain/compose/compose-names.ts';
import { readSections } from '../shell/marked-sections.ts';
import { readDefinition } from './compose-files.ts';
import { readRegistryDigests } from './registry-digests.ts';
import { readProjectFiles, stageFiles } from './stage.ts';
import { readSurvey } from './survey.ts';
import { SURVEY, SURVEY_LIMITS } from './survey-script.ts';
import { workArgs } from './work-args.ts';
import { workOutcome } from './work-outcome.ts';
import { COMPOSE_WORK } from './work-script.ts';

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

  stage(
    host: RemoteHost,
    stagedId: string,
    files: readonly ProjectFile[],
    { signal }: { signal: AbortSignal },
  ): Promise<void> {
    return stageFiles(host, stagedId, files, signal);
  }

  work(order: ComposeOrder, engine: EngineKind): ComposeWork {
    return { script: COMPOSE_WORK, args: workArgs(order, engine) };
  }

  outcome(ended: { exitCode: number; result: string }): ComposeOutcome {
    return workOutcome(ended);
  }

  #mark(): string {
    return Buffer.from(this.#randomness.bytes(16)).toString('hex');
  }
}

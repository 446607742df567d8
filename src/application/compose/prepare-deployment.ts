import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import { SECOND } from '../../domain/base/instant.ts';
import type { ComposeProject, ProjectFile, ProjectPlace } from '../../domain/compose/compose.ts';
import { COMPOSE_FILE, isComposeFile } from '../../domain/compose/template.ts';
import { UseCase } from '../base/use-case.ts';
import type { JobContext } from '../jobs/runner.ts';
import { refuseProtected } from '../ports/backups/protected-places.ts';
import type { EngineKind } from '../ports/compose/container-engine.ts';
import { maskOf } from './masked-job.ts';
import type { ResolvedOrder } from './template-orders.ts';
import { type FileChange, fileChanges, serviceChanges, type TemplateChange } from './template-plan.ts';
import type { RenderedFile, TemplateRenderer } from './template-renderer.ts';

const RETRY_MS = 15 * SECOND;

/** The actions, and their targets. */
export interface PreparedDeployment {
  readonly order: ResolvedOrder;
  readonly rendered: readonly RenderedFile[];
  readonly place: ProjectPlace;
  readonly project: string;
  readonly engine: EngineKind;
  readonly changes: readonly TemplateChange[];
  readonly notes: readonly string[];
}

/** Renders a template and determines what it would change on the host. Changes nothing. */
export class PrepareDeployment extends UseCase<
  'engine' | 'digest' | 'clock' | 'places',
  { readonly renderer: TemplateRenderer }
> {
  /** `salt`: makes the published fingerprints of contents useless to anyone who does not know it. */
  async execute(context: JobContext, order: ResolvedOrder, salt: string): Promise<PreparedDeployment> {
    const directory = context.job.params.sourceFilter ?? '';
    const { signal } = context;
    const rendered = this.deps.renderer.render(order.template, order.values);
    context.progress('Reading the host', null);
    const host = await context.openHost();
    await refuseProtected(this.deps.places, host, directory, signal);
    const { engine, projects } = await this.deps.engine.survey(host, { directories: [directory], signal });
    const there = projects.find((each) => each.directory === directory) ?? null;
    const place = placeOf(directory, there);
    const names = rendered.map(({ path }) => path);
    const found = await this.deps.engine.readFiles(host, directory, names, { signal });
    context.progress('Working out what changes', null);
    const files = rendered.map(projectFile);
    const definition = await this.deps.engine.definitionOf(host, place, files, { engine, signal });
    const fingerprint = (content: string): string =>
      this.deps.digest.sha256(`${salt}\n${content}`).slice(0, 32);
    const changed = fileChanges(rendered, found, maskOf(order), fingerprint);
    return {
      order,
      rendered,
      place,
      project: definition.project,
      engine,
      changes: [...changed, ...serviceChanges(definition, there, changed)],
      notes: [...order.notes, ...notesOn(order, rendered, changed)],
    };
  }

  /**
   * Throws `path_refused` if the directory leads to the service's own files by now: to be asked right before it is
   * written to.
   */
  async recheck(context: JobContext, { place }: PreparedDeployment): Promise<void> {
    await refuseProtected(this.deps.places, await context.openHost(), place.directory, context.signal);
  }

  /**
   * The same for work that continues unattended: neither an unreachable host nor a cancellation stops it from being
   * followed.
   */
  async toFollow(context: JobContext, order: ResolvedOrder): Promise<PreparedDeployment> {
    const look = new AbortController();
    const letGo = (): void => {
      if (!isDomainError(context.signal.reason, 'job_cancelled')) look.abort(context.signal.reason);
    };
    if (context.signal.aborted) letGo();
    else context.signal.addEventListener('abort', letGo, { once: true });
    const { signal } = look;
    const openHost: JobContext['openHost'] = (purpose = 'commands') => context.openHost(purpose, signal);
    try {
      for (;;) {
        try {
          return await this.execute({ ...context, signal, openHost }, order, '');
        } catch (error) {
          signal.throwIfAborted();
          if (!isOutOfReach(error)) throw error;
          await this.deps.clock.sleep(RETRY_MS, signal);
        }
      }
    } finally {
      context.signal.removeEventListener('abort', letGo);
    }
  }
}

export const projectFile = ({ path, content, secret }: RenderedFile): ProjectFile => ({
  name: path,
  content,
  secret,
});

/** Throws if a project in the directory was created from other files: it would become a second project. */
function placeOf(directory: string, there: ComposeProject | null): ProjectPlace {
  const composeFile = `${directory}/${COMPOSE_FILE}`;
  const configFiles = there?.configFiles ?? [];
  if (configFiles.some((each) => !isOurs(each, directory))) {
    throw new DomainError(
      'compose_invalid',
      `The project in ${directory} was started from ${configFiles.join(', ')}, and not from ${composeFile}; move it to another directory, or rename its file.`,
    );
  }
  return { project: there?.project ?? null, directory, configFiles };
}

const isOurs = (path: string, directory: string): boolean =>
  path.startsWith(`${directory}/`) && isComposeFile(path.slice(directory.length + 1));

function notesOn(
  { template, former }: ResolvedOrder,
  rendered: readonly RenderedFile[],
  files: readonly FileChange[],
): readonly string[] {
  const paths = new Set(rendered.map(({ path }) => path));
  const left = (former?.deployment.files ?? []).filter((path) => !paths.has(path));
  const others = files.filter(({ path, action }) => action === 'change' && !isComposeFile(path));
  return [
    ...left.map((path) => `${path} is no longer part of ${template.name}; it stays on the host.`),
    ...(others.length > 0
      ? [
          `Changed in addition to the Compose file: ${others.map(({ path }) => path).join(', ')}. Restart services that read these files only at start (docker_stack_restart).`,
        ]
      : []),
  ];
}

const isOutOfReach = (error: unknown): boolean =>
  isDomainError(error, 'host_connection_lost') ||
  isDomainError(error, 'host_unreachable') ||
  isDomainError(error, 'host_timeout');

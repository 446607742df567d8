import { type BackupSource, coversPath } from '../../domain/backups/backup-source.ts';
import type { Dump } from '../../domain/backups/dump.ts';
import { isDomainError } from '../../domain/base/errors.ts';
import { formatBytes } from '../../domain/base/format-bytes.ts';
import { SECOND } from '../../domain/base/instant.ts';
import { elapsed } from '../../domain/base/spans.ts';
import type { ComposeProject } from '../../domain/compose/compose.ts';
import type { ContainerChange } from '../../domain/compose/container-change.ts';
import { describeCheck } from '../../domain/compose/update-check.ts';
import { DEFAULT_OBSERVE_MINUTES } from '../../domain/jobs/job.ts';
import { UseCase } from '../base/use-case.ts';
import type { JobContext } from '../jobs/runner.ts';
import { refuseProtected } from '../ports/backups/protected-places.ts';
import type { DataMount, ProjectGuard } from '../ports/compose/container-engine.ts';
import type { ContainerLook } from './container-look.ts';

/** The room that a copy leaves free. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;

/** How the data of one project is protected. */
export interface GuardedProject {
  readonly directory: string;
  readonly mounts: readonly DataMount[];
  /** Backed up before the project is stopped. */
  readonly sources: readonly BackupSource[];
  readonly dumps: readonly Dump[];
  readonly guard: ProjectGuard;
}

/** Why a project is not guarded; without a reason it has no data. */
interface UnguardedData {
  readonly directory: string;
  readonly reason: string | null;
}

/** Decides for which projects an update can save the data before and restore it if the update fails. */
export class UpdateGuard extends UseCase<
  'engine' | 'sources' | 'places' | 'dumps.ofServer' | 'snapshots.ofSource'
> {
  async of(
    context: JobContext,
    look: ContainerLook,
    directories: readonly string[],
  ): Promise<readonly (GuardedProject | UnguardedData)[]> {
    const { guard } = context.job.params;
    if (guard === false) return directories.map((directory) => ({ directory, reason: null }));
    const { features, id } = context.server;
    const sources = features.backup ? await this.deps.sources.ofServer(id) : [];
    const dumps = await this.deps.dumps.ofServer(id);
    const found = [];
    for (const directory of directories) {
      const project = look.survey.projects.find((each) => each.directory === directory);
      if (project) found.push(await this.#ofProject(context, look, project, { sources, dumps }));
    }
    return found;
  }

  async #ofProject(
    context: JobContext,
    { host, survey }: ContainerLook,
    project: ComposeProject,
    covering: { readonly sources: readonly BackupSource[]; readonly dumps: readonly Dump[] },
  ): Promise<GuardedProject | UnguardedData> {
    const { directory } = project;
    const { signal } = context;
    context.progress(`Reading the data of ${directory}`, null);
    const data = await this.deps.engine.projectData(host, project, { engine: survey.engine, signal });
    const unguarded = (reason: string | null): UnguardedData => ({ directory, reason });
    if (data.problem !== null) return unguarded(data.problem);
    const { guard, observeMinutes = DEFAULT_OBSERVE_MINUTES } = context.job.params;
    if (data.mounts.length === 0 && data.checks.length === 0 && guard !== true) return unguarded(null);
    const used = new Set<BackupSource>();
    for (const { path, services, bytes, freeBytes } of data.mounts) {
      const containers = survey.containers.filter(
        (each) => each.directory === directory && services.includes(each.service ?? ''),
      );
      const dumped = covering.dumps.filter(({ container }) =>
        containers.some(({ name }) => name === container),
      );
      const found = covering.sources.filter(
        (source) => coversPath(source, path) || dumped.some(({ sourceId }) => sourceId === source.id),
      );
      if (found.length === 0) return unguarded(`No backup source covers ${path}.`);
      if (bytes + MIN_FREE_BYTES > freeBytes) {
        return unguarded(
          `A copy of ${path} needs ${formatBytes(bytes)}, and ${formatBytes(freeBytes)} are free beside it.`,
        );
      }
      const refusal = await refuseProtected(this.deps.places, host, path, signal).catch((error: unknown) => {
        if (isDomainError(error, 'path_refused')) return error.message;
        throw error;
      });
      if (typeof refusal === 'string') return unguarded(refusal);
      for (const each of found) used.add(each);
    }
    const sources = [...used];
    return {
      directory,
      mounts: data.mounts,
      sources,
      dumps: covering.dumps.filter(({ sourceId }) => sources.some(({ id }) => id === sourceId)),
      guard: {
        paths: data.mounts.map(({ path }) => path),
        checks: data.checks,
        observeSeconds: observeMinutes * 60,
      },
    };
  }

  /** For a dry run: what is saved, what that took the last time, and what a rollback restores. */
  async describe(
    { directory, mounts, sources, dumps, guard }: GuardedProject,
    changes: readonly ContainerChange[],
  ): Promise<DescribedGuard> {
    const backups = [];
    for (const source of sources) {
      const [last] = await this.deps.snapshots.ofSource(source.id);
      backups.push({
        source: source.name,
        dumps: dumps.filter(({ sourceId }) => sourceId === source.id).map(({ name }) => name),
        stops: source.hooks.length > 0,
        last_bytes: last?.totalBytes ?? null,
        last_transferred_bytes: last?.transferredBytes ?? null,
        last_seconds: last ? Math.ceil((last.finishedAt - last.startedAt) / SECOND) : null,
      });
    }
    const images = changes
      .filter((each) => each.directory === directory)
      .map(({ service, image, from }) => ({ service, image, digest: from }));
    return {
      directory,
      saves: mounts.map(({ path, services, bytes }) => ({ path, services, bytes })),
      copy_bytes: mounts.reduce((sum, { bytes }) => sum + bytes, 0),
      free_bytes: mounts.length === 0 ? null : Math.min(...mounts.map(({ freeBytes }) => freeBytes)),
      backups,
      backup_bytes: totalOf(backups.map(({ last_transferred_bytes: bytes }) => bytes)),
      backup_seconds: totalOf(backups.map(({ last_seconds: seconds }) => seconds)),
      checks: guard.checks.map(describeCheck),
      observe_minutes: guard.observeSeconds / 60,
      rollback: mounts.length > 0 ? 'images and data' : 'images',
      restores: { images, paths: mounts.map(({ path }) => path) },
    };
  }
}

/** Of a dry run's result. Bytes and seconds of backups are those of the last ones; `null` if one was never taken. */
export interface DescribedGuard {
  readonly directory: string;
  readonly saves: readonly Pick<DataMount, 'path' | 'services' | 'bytes'>[];
  readonly copy_bytes: number;
  /** The least beside any of the paths. */
  readonly free_bytes: number | null;
  readonly backups: readonly object[];
  readonly backup_bytes: number | null;
  readonly backup_seconds: number | null;
  readonly checks: readonly string[];
  readonly observe_minutes: number;
  readonly rollback: 'images and data' | 'images';
  readonly restores: { readonly images: readonly object[]; readonly paths: readonly string[] };
}

const totalOf = (all: readonly (number | null)[]): number | null =>
  all.reduce((sum, each) => (sum === null || each === null ? null : sum + each), 0);

/** For the log of a dry run. */
export function describeGuard(guard: DescribedGuard): string {
  const {
    directory,
    copy_bytes: copy,
    free_bytes: free,
    backup_bytes: bytes,
    backup_seconds: seconds,
  } = guard;
  const room = free === null ? '' : ` of ${formatBytes(free)} free`;
  const backup =
    bytes === null || seconds === null
      ? 'the time of the backups is unknown until each has run once'
      : `the last backups transferred ${formatBytes(bytes)} in ${elapsed(seconds * SECOND)}`;
  const checks = guard.checks.length === 0 ? '' : `; checks: ${guard.checks.join('; ')}`;
  const paths = guard.restores.paths.length === 0 ? '' : `, to ${guard.restores.paths.join(', ')}`;
  return `${directory}: the copy takes ${formatBytes(copy)}${room}; ${backup}${checks}; a rollback restores ${guard.rollback}${paths}`;
}

export const isGuarded = (each: GuardedProject | UnguardedData): each is GuardedProject => 'guard' in each;

/** What a guard saves, as parts of the plan. */
export const savesOf = ({ directory, mounts }: GuardedProject): readonly ContainerChange[] =>
  mounts.map(({ path, services }) => ({
    kind: 'save',
    directory,
    service: services.join(','),
    image: null,
    from: null,
    to: null,
    path,
  }));

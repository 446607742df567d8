import type {
  BackupEngine,
  BackupPlan,
  BackupRequest,
  PlanRequest,
  RestoreRequest,
  TransferWatch,
} from '../../../application/ports/backups/backup-engine.ts';
import {
  holdsProtected,
  isProtected,
  type ProtectedPlaces,
  type ProtectedSurvey,
} from '../../../application/ports/backups/protected-places.ts';
import type { BackupSource } from '../../../domain/backups/backup-source.ts';
import type { NewSnapshot } from '../../../domain/backups/snapshot.ts';
import { isDomainError } from '../../../domain/base/errors.ts';
import { JailPath } from '../../../domain/files/jail-path.ts';
import { literalPattern } from './exclude-rules.ts';
import { assertDirectory } from './restore-order.ts';

/** An engine that keeps out of the service's own places: reads go around them, and nothing is restored over them. */
export class GuardedBackupEngine implements BackupEngine {
  readonly #engine: BackupEngine;
  readonly #places: ProtectedPlaces;

  constructor(engine: BackupEngine, places: ProtectedPlaces) {
    this.#engine = engine;
    this.#places = places;
  }

  get name(): BackupEngine['name'] {
    return this.#engine.name;
  }

  async backup(request: BackupRequest, watch: TransferWatch): Promise<NewSnapshot> {
    const extraExcludes = await excludesOfPlaces(this.#places, request, watch);
    return this.#engine.backup({ ...request, extraExcludes }, watch);
  }

  async plan(request: PlanRequest, watch: TransferWatch): Promise<BackupPlan> {
    return this.#engine.plan(
      { ...request, extraExcludes: await excludesOfPlaces(this.#places, request, watch) },
      watch,
    );
  }

  async restore(request: RestoreRequest, watch: TransferWatch): ReturnType<BackupEngine['restore']> {
    const { host, directory, overwrite, subpaths } = request;
    assertDirectory(directory, overwrite);
    const targets = subpaths.length === 0 ? [directory] : subpaths.map((path) => `${directory}/${path}`);
    const { inside, below } = await this.#places.survey(host, targets, { signal: watch.signal });
    if (inside) throw isProtected(inside);
    for (const place of below) {
      // the path's kind in the snapshot
      const start = subpaths[targets.indexOf(place.asked)];
      const path = start === undefined ? place.rest : `${start}/${place.rest}`;
      if (await this.#hasAnything(request, path, watch)) throw holdsProtected(directory, place);
    }
    return this.#engine.restore(request, watch);
  }

  published: BackupEngine['published'] = (source) => this.#engine.published(source);
  remove: BackupEngine['remove'] = (...args) => this.#engine.remove(...args);
  reclaim: BackupEngine['reclaim'] = (...args) => this.#engine.reclaim(...args);
  sweep: BackupEngine['sweep'] = (sources) => this.#engine.sweep(sources);
  verify: BackupEngine['verify'] = (...args) => this.#engine.verify(...args);
  list: BackupEngine['list'] = (...args) => this.#engine.list(...args);
  readDump: BackupEngine['readDump'] = (request) => this.#engine.readDump(request);
  read: BackupEngine['read'] = (request) => this.#engine.read(request);

  /** Whether the snapshot would write at a path of the host, or replace a directory above it by something else. */
  async #hasAnything(
    { snapshot, origin, host }: RestoreRequest,
    path: string,
    { signal }: TransferWatch,
  ): Promise<boolean> {
    const request = {
      snapshot,
      path: JailPath.parse(path.split('/').filter(Boolean).join('/')),
      origin: origin ?? (() => Promise.resolve(host)),
      signal,
    };
    try {
      await this.#engine.list(request, { offset: 0, limit: 1 });
      return true;
    } catch (error) {
      if (isDomainError(error, 'file_not_found')) return false;
      if (isDomainError(error, 'not_a_directory') || isDomainError(error, 'path_refused')) return true;
      throw error;
    }
  }
}

/** Exclusions besides the source's patterns: the service's own places. Throws `path_refused` for a path in one. */
export async function excludesOfPlaces(
  places: ProtectedPlaces,
  {
    host,
    source,
    extraExcludes = [],
  }: Pick<PlanRequest, 'host' | 'extraExcludes'> & {
    readonly source: Pick<BackupSource, 'kind' | 'paths'>;
  },
  { log, signal }: Pick<TransferWatch, 'log' | 'signal'>,
): Promise<readonly string[]> {
  const ownData = source.kind === 'service';
  const { inside, below, leftOut } = await places.survey(host, source.paths, {
    signal,
    ownData,
    toRead: true,
  });
  if (inside) throw isProtected(inside);
  // A service's backup of itself contains a copy of its database instead of the files, and configures that itself.
  const told = ownData ? [] : below.map(({ path, what }) => `Excluded "${path}": ${what}.`);
  for (const line of new Set(told)) log(line);
  return [...extraExcludes, ...leftOut.map(patternOf)];
}

const patternOf = ({ path, contentsOnly }: ProtectedSurvey['leftOut'][number]): string =>
  contentsOnly ? `${literalPattern(path, true)}/*` : literalPattern(path);

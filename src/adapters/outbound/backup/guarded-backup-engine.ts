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
import type { RemoteHost } from '../../../application/ports/fleet/remote-host.ts';
import type { BackupSource } from '../../../domain/backups/backup-source.ts';
import type { NewSnapshot } from '../../../domain/backups/snapshot.ts';
import { DomainError, isDomainError } from '../../../domain/base/errors.ts';
import { JailPath } from '../../../domain/files/jail-path.ts';
import { literalPattern } from './exclude-rules.ts';
import { assertDirectory } from './restore-order.ts';

/**
 * An engine that keeps out of the service's own places: reads go around them, and nothing is restored over them. On the
 * service's own machine it looks again right before each command of the engine, and when the engine is done: a
 * directory may be replaced by a link meanwhile.
 */
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
    const excludes = await this.#excludes(request, watch);
    if (!excludes.isHere) return this.#engine.backup({ ...request, ...excludes }, watch);
    const lookAgain = async (): Promise<void> => {
      const now = await this.#excludes(request, { ...watch, log: () => undefined });
      if (now.extraExcludes.every((each) => excludes.extraExcludes.includes(each))) return;
      throw changedMeanwhile();
    };
    const host = askingFirst(request.host, lookAgain);
    const snapshot = await this.#engine.backup({ ...request, ...excludes, host }, watch);
    try {
      await lookAgain();
    } catch (error) {
      const { signal: _, ...rest } = watch;
      const reach = (): Promise<RemoteHost> => Promise.resolve(request.host);
      await this.#engine.remove(snapshot, reach, { ...rest, signal: new AbortController().signal });
      throw error;
    }
    return snapshot;
  }

  async plan(request: PlanRequest, watch: TransferWatch): Promise<BackupPlan> {
    return this.#engine.plan({ ...request, ...(await this.#excludes(request, watch)) }, watch);
  }

  async restore(request: RestoreRequest, watch: TransferWatch): ReturnType<BackupEngine['restore']> {
    const { host, directory, overwrite, subpaths } = request;
    assertDirectory(directory, overwrite);
    const targets = subpaths.length === 0 ? [directory] : subpaths.map((path) => `${directory}/${path}`);
    const look = async (): Promise<ProtectedSurvey> => {
      const survey = await this.#places.survey(host, targets, { signal: watch.signal });
      if (survey.inside) throw isProtected(survey.inside);
      return survey;
    };
    const { below, leftOut } = await look();
    const absent: string[] = [];
    for (const place of below) {
      // the path's kind in the snapshot
      const start = subpaths[targets.indexOf(place.asked)];
      const path = start === undefined ? place.rest : `${start}/${place.rest}`;
      // An engine may need seconds for each look.
      if (absent.some((known) => path === known || path.startsWith(`${known}/`))) continue;
      if (await this.#hasAnything(request, path, watch)) throw holdsProtected(directory, place);
      absent.push(path);
    }
    if (leftOut.length === 0) return this.#engine.restore(request, watch);
    const known = new Set(below.map(({ asked, rest }) => `${asked}\0${rest}`));
    const lookAgain = async (): Promise<void> => {
      const added = (await look()).below.find(({ asked, rest }) => !known.has(`${asked}\0${rest}`));
      if (added) throw holdsProtected(directory, added);
    };
    const restored = await this.#engine.restore({ ...request, host: askingFirst(host, lookAgain) }, watch);
    await lookAgain();
    return restored;
  }

  published: BackupEngine['published'] = (source) => this.#engine.published(source);
  remove: BackupEngine['remove'] = (...args) => this.#engine.remove(...args);
  reclaim: BackupEngine['reclaim'] = (...args) => this.#engine.reclaim(...args);
  sweep: BackupEngine['sweep'] = (sources) => this.#engine.sweep(sources);
  verify: BackupEngine['verify'] = (...args) => this.#engine.verify(...args);
  contents: BackupEngine['contents'] = (...args) => this.#engine.contents(...args);
  list: BackupEngine['list'] = (...args) => this.#engine.list(...args);
  readDump: BackupEngine['readDump'] = (request) => this.#engine.readDump(request);
  read: BackupEngine['read'] = (request) => this.#engine.read(request);

  async #excludes(
    request: PlanRequest,
    watch: Pick<TransferWatch, 'log' | 'signal'>,
  ): Promise<{ readonly extraExcludes: readonly string[]; readonly isHere: boolean }> {
    const extraExcludes = await excludesOfPlaces(this.#places, request, watch);
    return { extraExcludes, isHere: extraExcludes.length > (request.extraExcludes?.length ?? 0) };
  }

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

/** The host, asked before each command whether its paths still lead where they led. */
const askingFirst = (host: RemoteHost, ask: () => Promise<void>): RemoteHost => ({
  run: async (command, options) => {
    await ask();
    return host.run(command, options);
  },
  open: async (command, options) => {
    await ask();
    return host.open(command, options);
  },
  release: () => host.release(),
});

const changedMeanwhile = (): DomainError =>
  new DomainError(
    'path_refused',
    "During the backup, a path of the source was redirected to Drover's own files, so no snapshot was created.",
  );

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
  const lines = ownData ? [] : below.map(({ path, what }) => `Excluded "${path}": ${what}.`);
  for (const line of new Set(lines)) log(line);
  return [...extraExcludes, ...leftOut.map(patternOf)];
}

const patternOf = ({ path, contentsOnly }: ProtectedSurvey['leftOut'][number]): string =>
  contentsOnly ? `${literalPattern(path, true)}/*` : literalPattern(path);

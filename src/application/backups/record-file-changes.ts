import type { BackupSource } from '../../domain/backups/backup-source.ts';
import {
  type ConfigPlace,
  configPlaces,
  type FileFacts,
  fileDifference,
  isConfigFile,
  placeOf,
} from '../../domain/backups/file-change.ts';
import { isDamaged, type Snapshot } from '../../domain/backups/snapshot.ts';
import { oneLine } from '../../domain/base/one-line.ts';
import { count } from '../../domain/base/spans.ts';
import { shownPath } from '../../domain/files/shown-name.ts';
import { type HostDifference, MAX_FACT_VALUE } from '../../domain/fleet/host-state.ts';
import { UseCase } from '../base/use-case.ts';

/** Reading the manifest of a larger snapshot would take too long. */
const MAX_SNAPSHOT_FILES = 200_000;
/** A place with more files is not compared. */
const MAX_FILES = 50_000;
/** Of one snapshot; others are counted. */
export const MAX_FILE_CHANGES = 500;
/** Compose projects of a server whose files are compared. */
const MAX_PROJECTS = 100;
const MAX_NAME = 500;

/** Records how configuration files differ between a new snapshot and the one before it. */
export class RecordFileChanges extends UseCase<
  'engines' | 'log' | 'snapshots.ofSource' | 'inventories.find' | 'hostChanges.recordFiles'
> {
  /** From the manifests: contacts no host. A failure is logged: the snapshot is worth more. */
  async execute(source: BackupSource, newer: Snapshot, signal: AbortSignal): Promise<void> {
    try {
      const older = (await this.deps.snapshots.ofSource(source.id)).find(
        (each) => each.startedAt < newer.startedAt && !isDamaged(each),
      );
      if (older === undefined || Math.max(older.fileCount, newer.fileCount) > MAX_SNAPSHOT_FILES) return;
      const places = configPlaces(source, await this.#projects(source.serverId));
      if (places.length === 0) return;
      const was = await this.#files(source, places, older, signal);
      const is = await this.#files(source, places, newer, signal);
      await this.deps.hostChanges.recordFiles({
        serverId: source.serverId,
        snapshotId: newer.id,
        differences: shortened(source, differencesOf(was, is)),
        since: older.startedAt,
        at: newer.startedAt,
      });
    } catch (error) {
      const about = { snapshotId: newer.id, error: String(error) };
      this.deps.log.warn('could not record which files a backup found changed', about);
    }
  }

  async #projects(serverId: number): Promise<readonly string[]> {
    const containers = (await this.deps.inventories.find(serverId))?.containers ?? [];
    const directories = new Set(containers.map(({ path }) => path).filter((path) => path !== null));
    return [...directories].slice(0, MAX_PROJECTS);
  }

  /** By place and name as it is shown; `null`: the place has more files than are compared. */
  async #files(
    source: BackupSource,
    places: readonly ConfigPlace[],
    snapshot: Snapshot,
    signal: AbortSignal,
  ): Promise<FilesByPlace> {
    const found = new Map<string, Map<string, FileFacts> | null>();
    const order = { snapshot, directory: '/', subpaths: places.map(({ path }) => path.slice(1)) };
    for await (const { path, ...facts } of this.deps.engines.of(snapshot).contents(order, signal)) {
      const bytes = Buffer.concat([Buffer.from('/'), path]);
      const whole = bytes.toString('utf8');
      const place = placeOf(places, whole);
      if (place === undefined) continue;
      const files = found.get(place.path) ?? new Map<string, FileFacts>();
      if (found.get(place.path) === null) continue;
      found.set(place.path, files);
      if (!isConfigFile(source, place, whole)) continue;
      const target = facts.target && oneLine(facts.target, MAX_FACT_VALUE);
      files.set(oneLine(shownPath(bytes).text, MAX_NAME), { ...facts, target });
      if (files.size > MAX_FILES) found.set(place.path, null);
    }
    return found;
  }
}

type FilesByPlace = ReadonlyMap<string, ReadonlyMap<string, FileFacts> | null>;

/** A place that only one of both has was added to the source, or removed from it, in between: it is not compared. */
function differencesOf(was: FilesByPlace, is: FilesByPlace): readonly HostDifference[] {
  return [...is].flatMap(([place, after]) => {
    const before = was.get(place) ?? null;
    if (before === null || after === null) return [];
    const names = [...new Set([...before.keys(), ...after.keys()])].sort();
    return names.flatMap(
      (name) => fileDifference(name, before.get(name) ?? null, after.get(name) ?? null) ?? [],
    );
  });
}

/** The first of very many, and how many more there are. */
function shortened(source: BackupSource, differences: readonly HostDifference[]): readonly HostDifference[] {
  const rest = differences.length - MAX_FILE_CHANGES;
  if (rest <= 0) return differences;
  const more = { kind: 'file', name: `source ${source.name}`, before: null } as const;
  return [
    ...differences.slice(0, MAX_FILE_CHANGES),
    { ...more, after: `${count(rest, 'more file')} changed` },
  ];
}

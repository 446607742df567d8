import type { Readable } from 'node:stream';
import type { Actor } from '../../domain/access/actor.ts';
import {
  type LiveState,
  liveState,
  type RestorePlan,
  RestoreTally,
} from '../../domain/backups/restore-plan.ts';
import type { Snapshot } from '../../domain/backups/snapshot.ts';
import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import { SECOND } from '../../domain/base/instant.ts';
import { withoutEnd } from '../../domain/base/without-end.ts';
import type { EntryFacts } from '../../domain/files/directory-entry.ts';
import { JailPath } from '../../domain/files/jail-path.ts';
import { UseCase } from '../base/use-case.ts';
import { whileHeld } from '../base/while-held.ts';
import { existingServer } from '../fleet/get-server.ts';
import { type HostOpener, withHost } from '../fleet/host-opener.ts';
import type { RestoreRequest as EngineRequest, SnapshotContent } from '../ports/backups/backup-engine.ts';
import { MAX_LIVE_PATHS } from '../ports/backups/live-files.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';
import type { BrowseSnapshot, SnapshotDirectory, SnapshotEntry } from './browse-snapshot.ts';
import { type RestoreRequest, restoreDirectory, restoredPaths } from './request-restore.ts';
import { MAX_PREVIEW_BYTES, textOf } from './snapshot-files.ts';

/** Entries beyond these are not compared, nor those that are left after that time. */
interface Limits {
  readonly entries: number;
  readonly ms: number;
}
const OF_A_PLAN: Limits = { entries: 20_000, ms: 20 * SECOND };
/** Of the folders of a listing together: it is read before it is shown. */
const OF_A_LISTING: Limits = { entries: 5_000, ms: 8 * SECOND };

/** An entry of a listed directory beside the server's. */
export interface EntryComparison {
  readonly state: LiveState;
  /** What restoring a folder would write; `null` for others. */
  readonly plan: RestorePlan | null;
}

/** One file of a snapshot beside the server's. */
export interface FileComparison {
  readonly kind: 'file';
  /** `same` also if only the time differs and the contents were compared. */
  readonly state: LiveState;
  readonly kept: EntryFacts;
  readonly live: EntryFacts | null;
  /** How a restore would change the text; `null` if one of them is not text, too large or not readable. */
  readonly diff: string | null;
}

export type LiveComparison = FileComparison | { readonly kind: 'dir'; readonly plan: RestorePlan };

/**
 * Compares snapshots with their servers as they are now, before a restore. With the rights of `BrowseSnapshot`; changes
 * nothing.
 */
export class CompareWithServer extends UseCase<
  'snapshots' | 'servers' | 'engines' | 'liveFiles' | 'textDiff' | 'clock',
  {
    readonly browseSnapshot: Pick<BrowseSnapshot, 'admit' | 'download'>;
    readonly opener: Pick<HostOpener, 'open'>;
  }
> {
  /** What a restore would write. Throws as `BrowseSnapshot.admit` and `LiveFiles.facts`, and `invalid_input`. */
  async plan(
    actor: Actor,
    request: Pick<RestoreRequest, 'snapshotId' | 'paths' | 'directory'>,
    signal: AbortSignal,
  ): Promise<RestorePlan> {
    const snapshot = await this.deps.browseSnapshot.admit(actor, request.snapshotId);
    const order = {
      subpaths: restoredPaths(request.paths),
      directory: request.directory === null ? '/' : restoreDirectory(request.directory),
    };
    return this.#onServer(actor, snapshot, signal, (host) => this.#planned(snapshot, order, host, signal));
  }

  /** Each listed entry of a directory, in their order; `null` for names that no path can have. */
  async entries(
    actor: Actor,
    { snapshot, path, found }: SnapshotDirectory,
    signal: AbortSignal,
  ): Promise<readonly (EntryComparison | null)[]> {
    await this.deps.browseSnapshot.admit(actor, snapshot.id);
    const named = found.items.filter(({ shown }) => !shown.escaped).slice(0, MAX_LIVE_PATHS);
    const placeOf = ({ shown }: SnapshotEntry): string => String(path.child(shown.text));
    const folders = named.filter(({ kind }) => kind === 'dir').map(placeOf);
    const { live, plans } = await this.#onServer(actor, snapshot, signal, async (host) => ({
      live: await this.deps.liveFiles.facts(
        host,
        named.map((entry) => Buffer.from(`/${placeOf(entry)}`)),
        signal,
      ),
      plans: await this.#plansOf(snapshot, folders, host, signal),
    }));
    const states = new Map(
      named.map((entry, index) => {
        const plan = plans.get(placeOf(entry)) ?? null;
        return [entry, { state: stateOf(entry, live[index] ?? null, plan), plan }];
      }),
    );
    return found.items.map((entry) => states.get(entry) ?? null);
  }

  /** What restoring each of these folders would write, by its place. */
  async #plansOf(
    snapshot: Snapshot,
    folders: readonly string[],
    host: RemoteHost,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, RestorePlan>> {
    if (folders.length === 0) return new Map();
    const tallies = new Map(folders.map((place) => [place, new RestoreTally()]));
    const depth = folders[0]?.split('/').length;
    const order = { subpaths: folders, directory: '/' };
    const isComplete = await this.#compare({ snapshot, ...order }, host, OF_A_LISTING, signal, (each) => {
      const place = Buffer.from(each.path).toString('utf8').slice(1).split('/', depth).join('/');
      tallies.get(place)?.add(each.path, each.kept, each.live);
    });
    return new Map([...tallies].map(([place, tally]) => [place, tally.finish(isComplete)]));
  }

  /** A file with its changes, or what restoring a directory would write. Throws `file_not_found`, and as `plan`. */
  async look(actor: Actor, id: number, p: string, signal: AbortSignal): Promise<LiveComparison> {
    const snapshot = await this.deps.browseSnapshot.admit(actor, id);
    const path = JailPath.parse(p);
    const order = { subpaths: path.isRoot ? [] : [String(path)], directory: '/' };
    return this.#onServer(actor, snapshot, signal, async (host) => {
      const kept = path.isRoot ? null : await this.#first(snapshot, order, signal);
      if (kept === null || kept.kind === 'dir') {
        return { kind: 'dir', plan: await this.#planned(snapshot, order, host, signal) } as const;
      }
      const target = `/${String(path)}`;
      const [live = null] = await this.deps.liveFiles.facts(host, [Buffer.from(target)], signal);
      const state = liveState(kept, live);
      const texts =
        kept.kind === 'file' && live?.kind === 'file' && Math.max(kept.size, live.size) <= MAX_PREVIEW_BYTES
          ? await this.#texts(actor, { id, p, target, host, signal })
          : null;
      const isSame = texts !== null && texts.now.equals(texts.past);
      const [now, past] = texts === null ? [null, null] : [textOf(texts.now), textOf(texts.past)];
      const diff = isSame || now === null || past === null ? null : this.deps.textDiff.between(now, past);
      return { kind: 'file', kept, live, state: isSame ? 'same' : state, diff } as const;
    });
  }

  async #first(
    snapshot: Snapshot,
    order: { readonly subpaths: readonly string[]; readonly directory: string },
    signal: AbortSignal,
  ): Promise<SnapshotContent> {
    for await (const entry of this.deps.engines.of(snapshot).contents({ snapshot, ...order }, signal)) {
      return entry;
    }
    throw new DomainError('file_not_found', `The snapshot has no "/${order.subpaths[0] ?? ''}".`);
  }

  /** `null` if the server's file cannot be read as it is. Throws `path_refused` for a denied name. */
  async #texts(
    actor: Actor,
    {
      id,
      p,
      target,
      host,
      signal,
    }: {
      readonly id: number;
      readonly p: string;
      readonly target: string;
      readonly host: RemoteHost;
      readonly signal: AbortSignal;
    },
  ): Promise<{ readonly now: Buffer; readonly past: Buffer } | null> {
    const { content } = await this.deps.browseSnapshot.download(actor, id, p, signal);
    const past = await wholeOf(content);
    try {
      const now = await this.deps.liveFiles.read(host, target, MAX_PREVIEW_BYTES, signal);
      return { now: Buffer.from(now), past };
    } catch (error) {
      if (isDomainError(error) && NOT_READABLE.has(error.code)) return null;
      throw error;
    }
  }

  async #planned(
    snapshot: Snapshot,
    order: { readonly subpaths: readonly string[]; readonly directory: string },
    host: RemoteHost,
    signal: AbortSignal,
  ): Promise<RestorePlan> {
    const tally = new RestoreTally();
    const isComplete = await this.#compare({ snapshot, ...order }, host, OF_A_PLAN, signal, (each) =>
      tally.add(each.path, each.kept, each.live),
    );
    return tally.finish(isComplete);
  }

  /** Each entry that a restore would write beside the server's; false if a limit was reached first. */
  async #compare(
    order: Pick<EngineRequest, 'snapshot' | 'subpaths' | 'directory'>,
    host: RemoteHost,
    limits: Limits,
    signal: AbortSignal,
    add: (each: ComparedEntry) => void,
  ): Promise<boolean> {
    const { engines, liveFiles, clock } = this.deps;
    const below = Buffer.from(`${withoutEnd(order.directory, '/')}/`);
    const until = clock.now() + limits.ms;
    let compared = 0;
    let batch: SnapshotContent[] = [];
    const compare = async (): Promise<void> => {
      const paths = batch.map(({ path }) => Buffer.concat([below, path]));
      const live = await liveFiles.facts(host, paths, signal);
      for (const [index, path] of paths.entries())
        add({ path, kept: batch[index] as SnapshotContent, live: live[index] ?? null });
      compared += batch.length;
      batch = [];
    };
    for await (const entry of engines.of(order.snapshot).contents(order, signal)) {
      if (compared >= limits.entries || clock.now() > until) return false;
      batch.push(entry);
      if (batch.length === MAX_LIVE_PATHS) await compare();
    }
    await compare();
    return true;
  }

  async #onServer<T>(
    actor: Actor,
    snapshot: Snapshot,
    signal: AbortSignal,
    work: (host: RemoteHost) => Promise<T>,
  ): Promise<T> {
    const { servers, opener, snapshots, clock } = this.deps;
    const server = await existingServer(servers, actor, snapshot.serverId);
    return whileHeld({ snapshots, clock }, snapshot, () => withHost(opener, server, { signal }, work));
  }
}

/** A folder with files on the server is there, whatever lists it. */
const stateOf = (kept: SnapshotEntry, live: EntryFacts | null, plan: RestorePlan | null): LiveState =>
  live === null && plan !== null && plan.same.files + plan.replaced.files > 0
    ? 'same'
    : liveState(kept, live);

interface ComparedEntry {
  /** Absolute on the server. */
  readonly path: Uint8Array;
  readonly kept: SnapshotContent;
  readonly live: EntryFacts | null;
}

const NOT_READABLE: ReadonlySet<string> = new Set([
  'file_not_found',
  'not_a_file',
  'path_refused',
  'file_too_large',
  'host_command_failed',
]);

async function wholeOf(content: Readable): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of content as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces);
}

import type { Readable } from 'node:stream';
import type { Actor } from '../../domain/access/actor.ts';
import { type Snapshot, snapshotNotFound } from '../../domain/backups/snapshot.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { DeniedNames, SYSTEM_SECRETS } from '../../domain/files/denied-names.ts';
import type { EntryFacts } from '../../domain/files/directory-entry.ts';
import { JailPath } from '../../domain/files/jail-path.ts';
import { type ShownName, shownName, shownPath } from '../../domain/files/shown-name.ts';
import { requireControl, requireControlOfService } from '../../domain/fleet/own-machine.ts';
import { untilClosed } from '../base/until-closed.ts';
import { UseCase } from '../base/use-case.ts';
import { whileHeld } from '../base/while-held.ts';
import type { RefusalAuditor } from '../events/audit-refusals.ts';
import { existingServer } from '../fleet/get-server.ts';
import type { HostOpener } from '../fleet/host-opener.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';

export interface SnapshotDirectory {
  readonly snapshot: Snapshot;
  readonly path: JailPath;
  readonly found: Page<SnapshotEntry>;
}

export type SnapshotEntry = EntryFacts & { readonly shown: ShownName; readonly denied: boolean };

export interface DirectoryRequest extends PageRequest {
  readonly p: string;
  readonly signal: AbortSignal;
  /** If a directory contains nothing but one directory, that one is listed instead. */
  readonly fold?: boolean;
}

export interface SnapshotFile {
  readonly name: string;
  readonly size: number;
  readonly sha256: string | null;
  /** The caller reads it to its end, or destroys it. */
  readonly content: Readable;
}

/** Entries of a snapshot by their names. */
export interface SnapshotSearch {
  /** `shown` is the path. */
  readonly entries: readonly SnapshotEntry[];
  /** The number of entries that were compared with the name; there are more unless `isWhole`. */
  readonly looked: number;
  readonly isWhole: boolean;
}

/** The first entries of a larger snapshot are searched. */
const MAX_SEARCHED = 100_000;
/** As many are found at most. */
export const MAX_FOUND = 100;

/** Directories deeper than this are listed as they are. */
const MAX_FOLDED = 16;

/**
 * Browses snapshots and reads single files from them. For users only, operators at least: a snapshot holds files that
 * only root could read. Files that file tools never return (keys, stored passwords) are not returned here either; a
 * restore brings them back to their host. The service's own snapshots are for administrators.
 */
export class BrowseSnapshot extends UseCase<
  'snapshots' | 'sources' | 'servers' | 'engines' | 'audit' | 'clock',
  { readonly opener: Pick<HostOpener, 'open'>; readonly refusals: RefusalAuditor }
> {
  /** A snapshot that the actor may look into. Throws `role_missing`, `snapshot_not_found`, and as `requireControl`. */
  async admit(actor: Actor, id: number): Promise<Snapshot> {
    actor.requireRole('operator', 'any server');
    const snapshot = await this.deps.snapshots.find(id);
    if (!snapshot || !actor.maySee(snapshot.serverId)) throw snapshotNotFound(id);
    actor.requireRole('operator', snapshot.serverId);
    const [server, source] = await Promise.all([
      this.deps.servers.find(snapshot.serverId),
      this.deps.sources.find(snapshot.sourceId),
    ]);
    if (server) requireControl(actor, server, 'snapshot.read');
    // if the server or source was removed, its contents cannot be determined
    if (!server || source?.kind !== 'files') requireControlOfService(actor);
    return snapshot;
  }

  /** Throws as `admit`, `JailPath.parse` and `SnapshotBrowser.list`. */
  async list(actor: Actor, id: number, request: DirectoryRequest): Promise<SnapshotDirectory> {
    const { p, signal, fold = false, limit, offset } = request;
    const snapshot = await this.admit(actor, id);
    const denied = await this.#denied(snapshot);
    return this.#reading(actor, snapshot, signal, async (origin) => {
      let path = JailPath.parse(p);
      for (;;) {
        const at = path;
        const listed = await this.deps.engines
          .of(snapshot)
          .list({ snapshot, path: at, origin, signal }, { limit, offset });
        const items = listed.entries.map(({ name, ...facts }) => {
          const shown = shownName(name);
          return { ...facts, shown, denied: !shown.escaped && denied.deny(at, shown.text) };
        });
        const only = fold && listed.total === 1 && path.names.length < MAX_FOLDED ? items[0] : undefined;
        if (only?.kind === 'dir' && !only.shown.escaped && !only.denied) {
          path = path.child(only.shown.text);
          continue;
        }
        return { snapshot, path, found: { items, total: listed.total, limit, offset } };
      }
    });
  }

  /** Entries of all directories whose names contain a text, in any case. Throws as `admit` and `BackupEngine.contents`. */
  async search(actor: Actor, id: number, q: string, signal: AbortSignal): Promise<SnapshotSearch> {
    const snapshot = await this.admit(actor, id);
    const denied = await this.#denied(snapshot);
    const wanted = q.toLowerCase();
    return this.#reading(actor, snapshot, signal, async () => {
      const entries: SnapshotEntry[] = [];
      const order = { snapshot, directory: '/', subpaths: [] };
      let looked = 0;
      for await (const { path, kind, size, modifiedAt } of this.deps.engines
        .of(snapshot)
        .contents(order, signal)) {
        if (looked === MAX_SEARCHED || entries.length === MAX_FOUND)
          return { entries, looked, isWhole: false };
        looked += 1;
        const name = path.subarray(path.lastIndexOf(SLASH) + 1);
        if (!shownName(name).text.toLowerCase().includes(wanted)) continue;
        const { text, escaped } = shownPath(Buffer.concat([Buffer.of(SLASH), path]));
        const shown = { text: text.slice(1), escaped };
        entries.push({ kind, size, modifiedAt, shown, denied: !escaped && isDenied(denied, shown.text) });
      }
      return { entries, looked, isWhole: true };
    });
  }

  /** The snapshots of the same source, oldest first: at most `most`, those around this one. */
  async siblings(actor: Actor, { id, sourceId }: Snapshot, most: number): Promise<readonly Snapshot[]> {
    await this.admit(actor, id);
    const all = (await this.deps.snapshots.ofSource(sourceId)).toReversed();
    const at = all.findIndex((each) => each.id === id);
    const first = Math.max(0, Math.min(at - Math.floor(most / 2), all.length - most));
    return all.slice(first, first + most);
  }

  /** Throws as `admit`, `path_refused` for a name that is denied, and as `SnapshotBrowser.read`. */
  async download(actor: Actor, id: number, p: string, signal: AbortSignal): Promise<SnapshotFile> {
    const [action, object] = ['snapshot.download', `snapshot:${id}`] as const;
    return this.deps.refusals.watch({ actor, action, object, detail: { p: p.slice(0, 300) } }, async () => {
      const snapshot = await this.admit(actor, id);
      const path = JailPath.parse(p);
      (await this.#denied(snapshot)).refuse(path);
      const file = await this.#given(actor, snapshot, path, signal);
      const { serverId } = snapshot;
      const { size, sha256 } = file;
      const detail = { serverId, path: String(path), size, sha256 };
      await this.deps.audit
        .record(auditEntry(actor, this.deps.clock.now(), action, object, detail))
        .catch((error: unknown) => {
          file.content.destroy();
          throw error;
        });
      return file;
    });
  }

  /** The file; the snapshot is held until its content is at its end. */
  async #given(actor: Actor, snapshot: Snapshot, path: JailPath, signal: AbortSignal): Promise<SnapshotFile> {
    return new Promise((resolve, reject) => {
      this.#reading(actor, snapshot, signal, async (origin) => {
        const { size, sha256, content } = await this.deps.engines
          .of(snapshot)
          .read({ snapshot, path, origin, signal });
        const over = untilClosed(content, signal);
        resolve({ name: path.names.at(-1) ?? '', size, sha256, content });
        await over;
      }).catch(reject);
    });
  }

  /** Keeps the snapshot while it is read, and releases the host that was needed for it. */
  async #reading<T>(
    actor: Actor,
    snapshot: Snapshot,
    signal: AbortSignal,
    work: (origin: () => Promise<RemoteHost>) => Promise<T>,
  ): Promise<T> {
    let host: Promise<RemoteHost> | null = null;
    const connect = async (): Promise<RemoteHost> => {
      const server = await existingServer(this.deps.servers, actor, snapshot.serverId);
      return this.deps.opener.open(server, { signal, purpose: 'bulk' });
    };
    try {
      return await whileHeld({ snapshots: this.deps.snapshots, clock: this.deps.clock }, snapshot, () =>
        work(() => (host ??= connect())),
      );
    } finally {
      const opened = host as Promise<RemoteHost> | null;
      await opened?.then((each) => each.release()).catch(() => undefined);
    }
  }

  async #denied({ serverId }: Snapshot): Promise<DeniedNames> {
    const server = await this.deps.servers.find(serverId);
    return new DeniedNames([...SYSTEM_SECRETS, ...(server?.jailDeny ?? [])], '/');
  }
}

const SLASH = 0x2f;

function isDenied(denied: DeniedNames, path: string): boolean {
  const names = path.split('/');
  return denied.deny({ names: names.slice(0, -1) }, names.at(-1) ?? '');
}

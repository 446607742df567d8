import { beforeEach, describe, expect, it } from 'vitest';
import type { BackupSource } from '../../src/domain/backups/backup-source.ts';
import type { SnapshotOrder } from '../../src/domain/base/list-orders.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import {
  AT,
  addServer,
  brokenRecord,
  type MakeStores,
  newSnapshot,
  newSource,
  noRecord,
  type StoresSubject,
  trailOf,
} from '../support/stores-subject.ts';

const ALL = { limit: 100, offset: 0 };

/** What every `SnapshotStore` does. */
export function snapshotStoreContract(name: string, makeStores: MakeStores): void {
  describe(`SnapshotStore: ${name}`, () => {
    let stores: StoresSubject;
    let source: BackupSource;
    beforeEach(async () => {
      stores = await makeStores();
      source = await stores.sources.add(newSource(await addServer(stores, 'web')), noRecord);
    });

    adding(
      () => stores,
      () => source,
    );
    removing(
      () => stores,
      () => source,
    );
    listing(
      () => stores,
      () => source,
    );
    holding(
      () => stores,
      () => source,
    );
  });
}

function removing(stores: () => StoresSubject, source: () => BackupSource): void {
  it('notes what was removed, until nothing is left of it', async () => {
    const { snapshots, passTime } = stores();
    const { id: sourceId } = source();
    const first = await snapshots.add(newSnapshot(source(), 's1'));
    await snapshots.add(newSnapshot(source(), 's2'));
    expect(await snapshots.known(sourceId)).toEqual({ listed: new Set(['s1', 's2']), removed: new Set() });
    await snapshots.remove(first.id, {});
    expect(await snapshots.known(sourceId)).toEqual({ listed: new Set(['s2']), removed: new Set(['s1']) });
    expect(await snapshots.known(sourceId + 1)).toEqual({ listed: new Set(), removed: new Set() });
    await snapshots.forgetRemoved(sourceId, ['s1', 's2']);
    expect((await snapshots.known(sourceId)).removed).toEqual(new Set(['s1']));
    await passTime(25 * 3_600_000);
    await snapshots.forgetRemoved(sourceId, ['s2']);
    expect((await snapshots.known(sourceId)).removed).toEqual(new Set(['s1']));
    await snapshots.forgetRemoved(sourceId, ['s1']);
    expect((await snapshots.known(sourceId)).removed).toEqual(new Set());
  });

  it('notes nothing where the removal is not kept', async () => {
    const { snapshots } = stores();
    const { id } = await snapshots.add(newSnapshot(source(), 's1'));
    await expect(Promise.resolve().then(() => snapshots.remove(id, brokenRecord()))).rejects.toThrow();
    expect((await snapshots.known(source().id)).removed).toEqual(new Set());
  });
}

function adding(stores: () => StoresSubject, source: () => BackupSource): void {
  it('keeps a snapshot with all of its facts', async () => {
    const asked = newSnapshot(source(), '2026-11-20T05-00-00Z');
    const snapshot = await stores().snapshots.add(asked);
    expect(snapshot).toEqual({
      ...asked,
      id: snapshot.id,
      lastVerifiedAt: null,
      check: null,
      pinnedAt: null,
    });
    expect(await stores().snapshots.find(snapshot.id)).toEqual(snapshot);
    expect(await stores().snapshots.find(snapshot.id + 1)).toBeNull();
  });

  it('gives the one that is there where it is recorded again, also at once', async () => {
    const asked = newSnapshot(source(), 's1');
    const all = await Promise.all(Array.from({ length: 8 }, () => stores().snapshots.add(asked)));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(await stores().snapshots.add({ ...asked, fileCount: 1, jobId: null })).toEqual(all[0]);
    expect(await stores().snapshots.ofSource(source().id)).toHaveLength(1);
  });

  it('moves the last success of the source forward and never back', async () => {
    const lastSuccess = async (): Promise<number | null | undefined> =>
      (await stores().sources.find(source().id))?.lastSuccessAt;
    await stores().snapshots.add(newSnapshot(source(), 's2', { startedAt: AT + 2 }));
    expect(await lastSuccess()).toBe(AT + 2);
    await stores().snapshots.add(newSnapshot(source(), 's1', { startedAt: AT + 1 }));
    expect(await lastSuccess()).toBe(AT + 2);
    await stores().snapshots.add(newSnapshot(source(), 's3', { startedAt: AT + 3 }));
    expect(await lastSuccess()).toBe(AT + 3);
  });

  it('takes one of a source that was removed, and refuses one of a source that never was', async () => {
    await stores().sources.remove(source().id, AT, {});
    await stores().snapshots.add(newSnapshot(source(), 's1'));
    const unknown = newSnapshot({ ...source(), id: 999_999 }, 's1');
    await expectRefusal(stores().snapshots.add(unknown), 'source_not_found');
  });

  it('remembers how verifying ended, and counts a damaged one as never verified', async () => {
    const { id } = await stores().snapshots.add(newSnapshot(source(), 's1'));
    const good = { at: AT + 7, outcome: 'good', files: 3, bytes: 9_000_000_000, detail: null } as const;
    await stores().snapshots.recordCheck(id, good);
    expect(await stores().snapshots.find(id)).toMatchObject({ lastVerifiedAt: AT + 7, check: good });
    const damaged = { ...good, at: AT + 8, outcome: 'damaged', detail: 'x'.repeat(10_000) } as const;
    await stores().snapshots.recordCheck(id, damaged);
    expect(await stores().snapshots.find(id)).toMatchObject({ lastVerifiedAt: null, check: damaged });
    await stores().snapshots.recordCheck(id + 1, good);
  });

  it('reports how well each source is covered, and leaves damaged snapshots out', async () => {
    const { snapshots, sources } = stores();
    const { id, serverId } = source();
    const bare = await sources.add(newSource(serverId, 'bare'), noRecord);
    const gone = await sources.add(newSource(serverId, 'gone'), noRecord);
    await snapshots.add(newSnapshot(gone, 'g', { startedAt: AT }));
    await sources.remove(gone.id, AT, {});
    const older = await snapshots.add(newSnapshot(source(), 'a', { startedAt: AT + 1 }));
    const newer = await snapshots.add(newSnapshot(source(), 'b', { startedAt: AT + 2 }));
    const check = { at: AT + 9, outcome: 'good', files: 1, bytes: 1, detail: null } as const;
    await snapshots.recordCheck(older.id, check);
    const none = { sourceId: bare.id, backedUpAt: null, verifiedAt: null };
    expect(await snapshots.coverage(serverId, AT + 100)).toEqual([
      { sourceId: id, backedUpAt: AT + 2, verifiedAt: AT + 9 },
      none,
    ]);
    await snapshots.recordCheck(newer.id, { ...check, outcome: 'damaged' });
    expect((await snapshots.coverage(serverId, AT + 100))[0]?.backedUpAt).toBe(AT + 1);
    await snapshots.recordCheck(older.id, { ...check, outcome: 'damaged' });
    expect(await snapshots.coverage(serverId, AT + 100)).toEqual([{ ...none, sourceId: id }, none]);
  });
}

function listing(stores: () => StoresSubject, source: () => BackupSource): void {
  it('lists the newest first, by server and by source', async () => {
    const { snapshots, sources } = stores();
    const { serverId } = source();
    const home = await sources.add(newSource(serverId, 'home'), noRecord);
    await snapshots.add(newSnapshot(source(), 'b', { startedAt: AT + 2 }));
    await snapshots.add(newSnapshot(source(), 'a', { startedAt: AT + 1 }));
    await snapshots.add(newSnapshot(source(), 'same', { startedAt: AT + 1 }));
    await snapshots.add(newSnapshot(home, 'h', { startedAt: AT + 3 }));
    const names = (items: readonly { name: string }[]): string[] => items.map((each) => each.name);
    const all = await snapshots.list({ serverId }, ALL);
    expect(names(all.items)).toEqual(['h', 'b', 'same', 'a']);
    const window = await snapshots.list({ serverId, sourceId: source().id }, { limit: 1, offset: 1 });
    expect(window).toMatchObject({ total: 3, limit: 1, offset: 1 });
    expect(names(window.items)).toEqual(['same']);
    const inOrder = async (by: SnapshotOrder['by'], descending: boolean) =>
      names((await snapshots.list({ serverId }, ALL, { by, descending })).items);
    expect(await inOrder('taken', false)).toEqual(['a', 'same', 'b', 'h']);
    expect(await inOrder('source', true)).toEqual(['h', 'b', 'same', 'a']);
    await snapshots.add(
      newSnapshot(home, 'big', { startedAt: AT, totalBytes: 9_000_000_000_000, fileCount: 99_999 }),
    );
    for (const by of ['size', 'files'] as const) expect((await inOrder(by, true))[0], by).toBe('big');
    expect(names(await snapshots.ofSource(source().id))).toEqual(['b', 'same', 'a']);
    expect((await snapshots.list({ serverId: 999_999 }, ALL)).total).toBe(0);
  });
}

function holding(stores: () => StoresSubject, source: () => BackupSource): void {
  it('removes a snapshot with its record', async () => {
    const { snapshots, record } = stores();
    const snapshot = await snapshots.add(newSnapshot(source(), 's1'));
    await snapshots.remove(snapshot.id, trailOf('snapshot.remove', 'snapshot')(snapshot));
    expect(await snapshots.find(snapshot.id)).toBeNull();
    expect((await record()).audit).toEqual([`snapshot.remove snapshot:${snapshot.id}`]);
    await expectRefusal(snapshots.remove(snapshot.id, {}), 'snapshot_not_found');
    expect((await snapshots.add(newSnapshot(source(), 's1'))).id).not.toBe(snapshot.id);
  });

  it('refuses to remove one that is held, until its time is over', async () => {
    const { snapshots, passTime, record } = stores();
    const snapshot = await snapshots.add(newSnapshot(source(), 's1'));
    await snapshots.hold(snapshot.id, 60_000);
    const trailed = trailOf('snapshot.remove', 'snapshot')(snapshot);
    await expectRefusal(snapshots.remove(snapshot.id, trailed), 'snapshot_in_use');
    expect((await record()).audit).toEqual([]);
    await passTime(60_001);
    await snapshots.remove(snapshot.id, trailed);
  });

  it('extends a hold and never shortens it', async () => {
    const { snapshots, passTime } = stores();
    const { id } = await snapshots.add(newSnapshot(source(), 's1'));
    await snapshots.hold(id, 600_000);
    await snapshots.hold(id, 1_000);
    await passTime(300_000);
    await expectRefusal(snapshots.remove(id, {}), 'snapshot_in_use');
    await snapshots.hold(id, 600_000);
    await passTime(400_000);
    await expectRefusal(snapshots.remove(id, {}), 'snapshot_in_use');
  });

  it('keeps a pinned one until it is unpinned, and records both', async () => {
    const { snapshots, record } = stores();
    const { id } = await snapshots.add(newSnapshot(source(), 's1'));
    const trailed = trailOf('snapshot.pin', 'snapshot')({ id });
    expect(await snapshots.pin(id, AT + 5, trailed)).toMatchObject({ id, pinnedAt: AT + 5 });
    expect(await snapshots.find(id)).toMatchObject({ pinnedAt: AT + 5 });
    expect((await record()).audit).toEqual([`snapshot.pin snapshot:${id}`]);
    await expectRefusal(snapshots.remove(id, {}), 'snapshot_protected');
    expect(await snapshots.pin(id, null, {})).toMatchObject({ pinnedAt: null });
    await snapshots.remove(id, {});
    await expectRefusal(snapshots.pin(id, AT, {}), 'snapshot_not_found');
  });

  it('holds nothing that is not there', async () => {
    await expectRefusal(stores().snapshots.hold(999_999, 1_000), 'snapshot_not_found');
  });
}

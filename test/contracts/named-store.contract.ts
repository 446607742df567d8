import { expect, it } from 'vitest';
import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import type { ErrorCode } from '../../src/domain/base/errors.ts';
import type { HostSelector } from '../../src/domain/fleet/host-selector.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import { brokenRecord, noRecord, type StoresSubject, trailOf } from '../support/stores-subject.ts';

interface New {
  readonly name: string;
  readonly selector: HostSelector;
  readonly createdBy: string;
}

type Kept<N> = N & { readonly id: number };

/** A store of entries with unique names. */
interface NamedStore<N> {
  add(entry: N, record: (kept: Kept<N>) => ChangeRecord): Promise<Kept<N>>;
  list(): Promise<readonly Kept<N>[]>;
  change(id: number, entry: N, record: (kept: Kept<N>) => ChangeRecord): Promise<Kept<N>>;
  remove(id: number, record: ChangeRecord): Promise<void>;
}

interface NamedSubject<N> {
  readonly kind: string;
  readonly absent: ErrorCode;
  readonly stores: () => StoresSubject;
  readonly store: () => NamedStore<N>;
  readonly make: (name: string, over?: Partial<New>) => N;
  /** An entry named `late` that differs in every field. */
  readonly other: N;
}

/** What stores of windows and policies have in common. */
export function namedStoreContract<N extends New>(subject: NamedSubject<N>): void {
  const { kind, absent, stores, store, make, other } = subject;
  const trail = (action: string): ReturnType<typeof trailOf> => trailOf(`${kind}.${action}`, kind);
  const names = async (): Promise<readonly string[]> => (await store().list()).map(({ name }) => name);

  it('stores every field, and lists by name', async () => {
    const slow = await store().add(make('slow'), trail('add'));
    const all = await store().add(make('all', { selector: { by: 'all' } }), noRecord);
    expect(slow).toEqual({ ...make('slow'), id: slow.id });
    expect(await store().list()).toEqual([all, slow]);
    expect((await stores().record()).audit).toEqual([`${kind}.add ${kind}:${slow.id}`]);
  });

  it('refuses a name that exists, and stores nothing if the record fails', async () => {
    await store().add(make('slow'), noRecord);
    await expectRefusal(store().add(make('slow'), noRecord), 'name_taken');
    await expect(store().add(make('fast'), brokenRecord)).rejects.toThrow('no record today');
    expect(await names()).toEqual(['slow']);
  });

  it('changes one, except who created it', async () => {
    const { id } = await store().add(make('slow'), noRecord);
    await store().add(make('fast'), noRecord);
    const changed = await store().change(id, other, trail('edit'));
    expect(changed).toEqual({ ...other, id, createdBy: 'cli:me' });
    expect(await names()).toEqual(['fast', 'late']);
    expect((await stores().record()).audit).toEqual([`${kind}.edit ${kind}:${id}`]);
    await expectRefusal(store().change(id, make('fast'), noRecord), 'name_taken');
    await expect(store().change(id, make('x'), brokenRecord)).rejects.toThrow('no record today');
    expect(await store().list()).toContainEqual(changed);
    await expectRefusal(store().change(id + 100, make('y'), noRecord), absent);
    expect(await store().change(id, other, noRecord)).toEqual(changed);
  });

  it('deletes one, and frees its name', async () => {
    const { id } = await store().add(make('slow'), noRecord);
    await store().remove(id, trail('remove')({ id }));
    expect(await store().list()).toEqual([]);
    expect((await stores().record()).audit).toEqual([`${kind}.remove ${kind}:${id}`]);
    await expectRefusal(store().remove(id, {}), absent);
    await store().add(make('slow'), noRecord);
  });
}

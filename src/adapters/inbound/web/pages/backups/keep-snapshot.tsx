import type { ManageSnapshots } from '../../../../../application/backups/manage-snapshots.ts';
import type { Snapshot, SnapshotLoss } from '../../../../../domain/backups/snapshot.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { Choices, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { size } from '../../components/size.ts';
import { Ago } from '../../components/time.tsx';
import { formRoute } from '../../form-state.ts';
import { done, page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { snapshotCrumb, snapshotTitle } from './snapshot-rows.tsx';

export interface KeepSnapshotDeps {
  readonly manageSnapshots: Pick<ManageSnapshots, 'pin' | 'loss' | 'remove'>;
}

/** Pins, unpins and deletes a snapshot. */
export function keepSnapshotRoutes(
  deps: KeepSnapshotDeps,
  idOf: (visit: SignedInVisit) => number,
): readonly WebRoute[] {
  const pin = (path: string, pinned: boolean): WebRoute => ({
    method: 'POST',
    path,
    needs: 'operator',
    handle: async (visit) => {
      const snapshot = await deps.manageSnapshots.pin(visit.visitor.actor, idOf(visit), pinned);
      return done(`/snapshots/${snapshot.id}`, snapshotTitle(snapshot));
    },
  });
  return [
    pin('/snapshots/:id/pin', true),
    pin('/snapshots/:id/unpin', false),
    {
      method: 'GET',
      path: '/snapshots/:id/delete',
      needs: 'operator',
      handle: (visit) => deletePage(deps, visit, idOf(visit), NEW_FORM),
    },
    formRoute(
      '/snapshots/:id/delete',
      async (visit) => {
        const confirmLast = visit.form.get('confirm_last') === 'yes';
        const removed = await deps.manageSnapshots.remove(visit.visitor.actor, idOf(visit), {
          confirmLast,
        });
        return done(`/servers/${removed.serverId}/backups`, snapshotTitle(removed));
      },
      (visit, state, { code }) =>
        deletePage(deps, visit, idOf(visit), state, code === 'snapshot_not_found' ? 404 : 422),
      { needs: 'operator' },
    ),
  ];
}

async function deletePage(
  { manageSnapshots }: KeepSnapshotDeps,
  { visitor, now }: SignedInVisit,
  id: number,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const { snapshot, loss } = await manageSnapshots.loss(visitor.actor, id);
  return {
    ...page('backups', 'Delete a snapshot', <DeleteForm {...{ snapshot, loss, state, now }} />, status),
    parents: [snapshotCrumb(snapshot)],
  };
}

const LOSS: Readonly<Record<SnapshotLoss, string>> = {
  last_good: 'It is the last good snapshot of this source. Without it, you cannot restore this source.',
  last_verified:
    'It is the last verified snapshot of this source. The others have not been tested by a restore.',
};

interface DeleteFormProps {
  readonly snapshot: Snapshot;
  readonly loss: SnapshotLoss | null;
  readonly state: FormState;
  readonly now: Instant;
}

const DeleteForm = ({ snapshot, loss, state, now }: DeleteFormProps) => (
  <form method="post" action={`/snapshots/${snapshot.id}/delete`} class="column">
    <FormFault state={state} />
    <p>
      The snapshot of <strong>{snapshot.sourceName}</strong>, taken <Ago at={snapshot.startedAt} now={now} />{' '}
      ({size(snapshot.totalBytes)}), will be permanently deleted. Other snapshots are not affected.
    </p>
    {snapshot.pinnedAt === null ? null : <p class="notice care">It is pinned: unpin it first.</p>}
    {loss === null ? null : (
      <>
        <p class="notice care">{LOSS[loss]}</p>
        <Choices
          state={state}
          name="confirm_last"
          legend="Confirm"
          type="checkbox"
          chosen={[]}
          choices={[{ value: 'yes', label: 'Delete it anyway' }]}
        />
      </>
    )}
    <p class="actions">
      <button type="submit" class="danger">
        Delete snapshot
      </button>
      <a href={`/snapshots/${snapshot.id}`}>Cancel</a>
    </p>
  </form>
);

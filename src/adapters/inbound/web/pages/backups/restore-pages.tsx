import type { RequestRestore, RestoreRequest } from '../../../../../application/backups/request-restore.ts';
import type { RestorePlan } from '../../../../../domain/backups/restore-plan.ts';
import type { Snapshot } from '../../../../../domain/backups/snapshot.ts';
import { InvalidInput, isDomainError } from '../../../../../domain/base/errors.ts';
import { below } from '../../components/crumbs.tsx';
import { type FormState, NEW_FORM } from '../../components/form.tsx';
import { formRoute, submit } from '../../form-state.ts';
import { toStarted } from '../../job-started.ts';
import { page, part, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import type { BackupDeps } from './backups.tsx';
import { PlanSection, RestoreForm, StartRestore } from './restore-form.tsx';
import type { PlanDeps } from './restore-plan.tsx';
import { snapshotCrumb } from './snapshot-rows.tsx';

export interface RestoreDeps extends PlanDeps, Pick<BackupDeps, 'getServer'> {
  readonly requestRestore: Pick<RequestRestore, 'execute'>;
}

type FindSnapshot = (visit: SignedInVisit) => Promise<Snapshot>;

/** Restores of files: the form, its plan, and the start. */
export function restoreRoutes(deps: RestoreDeps, admitted: FindSnapshot): readonly WebRoute[] {
  const shown = async (
    visit: SignedInVisit,
    paths: readonly string[],
    state = NEW_FORM,
    more: { readonly status?: number; readonly plan?: RestorePlan | string } = {},
  ): Promise<WebReply> =>
    restorePage(deps, visit, { snapshot: await admitted(visit), paths, state, ...more });
  return [
    {
      method: 'GET',
      path: '/snapshots/:id/restore',
      needs: 'operator',
      handle: (visit) => shown(visit, visit.query.getAll('p')),
    },
    {
      method: 'POST',
      path: '/snapshots/:id/restore/choose',
      needs: 'operator',
      handle: (visit) => shown(visit, selectedIn(visit)),
    },
    {
      method: 'GET',
      path: '/live/snapshots/:id/restore/plan',
      needs: 'operator',
      handle: async (visit) => {
        const { visitor, query, gone, now } = visit;
        const { id, serverId } = await admitted(visit);
        const server = await deps.getServer.execute(visitor.actor, serverId);
        const directory = query.get('where') === 'directory' ? (query.get('directory') ?? '').trim() : null;
        const wanted = { snapshotId: id, paths: query.getAll('p'), directory };
        const plan = await deps.compareWithServer.plan(visitor.actor, wanted, gone).catch(messageOf);
        return part(
          <>
            <PlanSection own={`/snapshots/${id}`} {...{ plan, directory, now }} />
            <StartRestore {...{ server, plan }} isApart />
          </>,
        );
      },
    },
    {
      method: 'POST',
      path: '/snapshots/:id/restore/preview',
      needs: 'operator',
      handle: (visit) => {
        const { visitor, form, gone } = visit;
        const paths = form.getAll('path');
        return submit(
          form,
          async () => {
            const { id } = await admitted(visit);
            const wanted = { snapshotId: id, ...targetIn(form) };
            const plan = await deps.compareWithServer
              .plan(visitor.actor, wanted, gone)
              .catch((error: unknown) => {
                if (isDomainError(error, 'invalid_input')) throw error;
                return messageOf(error);
              });
            return shown(visit, paths, { ...NEW_FORM, typed: form }, { plan });
          },
          (state) => shown(visit, paths, state, { status: 422 }),
        );
      },
    },
    formRoute(
      '/snapshots/:id/restore',
      async (visit) => startRestore(deps, visit, await admitted(visit)),
      (visit, state) => shown(visit, visit.form.getAll('path'), state, { status: 422 }),
      { needs: 'operator' },
    ),
  ];
}

/** The message of a refusal; other errors are thrown again. */
export function messageOf(error: unknown): string {
  if (error instanceof InvalidInput && error.problems[0]) return error.problems[0].message;
  if (isDomainError(error) && error.code !== 'internal') return error.message;
  throw error;
}

/** The paths of the selected entries of a directory. */
const selectedIn = ({ form }: SignedInVisit): readonly string[] =>
  form.getAll('ids').map((name) => below(form.get('p') ?? '', name));

const targetIn = (form: URLSearchParams): Pick<RestoreRequest, 'paths' | 'directory'> => ({
  paths: form.getAll('path'),
  directory: form.get('where') === 'original' ? null : (form.get('directory') ?? '').trim(),
});

async function startRestore(
  deps: RestoreDeps,
  { visitor, form }: SignedInVisit,
  { id }: Snapshot,
): Promise<WebReply> {
  return toStarted(() =>
    deps.requestRestore.execute(visitor.actor, {
      snapshotId: id,
      ...targetIn(form),
      overwrite: form.get('overwrite') === 'yes',
      confirmation: form.get('confirmation') ?? '',
    }),
  );
}

interface Shown {
  readonly snapshot: Snapshot;
  readonly paths: readonly string[];
  readonly state: FormState;
  readonly status?: number;
  readonly plan?: RestorePlan | string;
}

async function restorePage(
  deps: RestoreDeps,
  { visitor, now }: SignedInVisit,
  { snapshot, paths, state, status = 200, plan }: Shown,
): Promise<WebReply> {
  const server = await deps.getServer.execute(visitor.actor, snapshot.serverId);
  const { directory } = targetIn(state.typed);
  const planned = plan === undefined ? null : { plan, directory };
  return {
    ...page(
      'backups',
      `Restore ${snapshot.sourceName}`,
      <RestoreForm {...{ snapshot, server, paths: paths.filter(Boolean), state, now, planned }} />,
      status,
    ),
    parents: [{ href: `/servers/${server.id}/backups`, label: server.name }, snapshotCrumb(snapshot)],
  };
}

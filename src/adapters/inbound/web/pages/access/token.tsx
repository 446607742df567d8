import type { EditToken } from '../../../../../application/access/edit-token.ts';
import type { GetToken } from '../../../../../application/access/manage-tokens.ts';
import type { ListSchedules } from '../../../../../application/automation/list-schedules.ts';
import { isUsable } from '../../../../../domain/access/api-token.ts';
import { callsOfDay } from '../../../../../domain/access/token-calls.ts';
import { MAX_SCHEDULES } from '../../../../../domain/automation/schedule.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { reportedIds } from '../../../../../domain/fleet/host-selector.ts';
import { FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { By } from '../../components/origin.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { Ago } from '../../components/time.tsx';
import { formRoute } from '../../form-state.ts';
import { done, page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { ScheduleTable, SwitchedOff } from '../automation/schedule-table.tsx';
import { AuditRows } from '../events/audit-rows.tsx';
import { serverIdsIn } from '../events/audit-words.ts';
import { TokenFields } from './token-form.tsx';
import { ADDRESS_CHECK, serversToTick } from './token-new.tsx';
import { TOKENS_PATH, tokenRequestOf } from './token-request.ts';
import { TokenActions, TokenState } from './token-rows.tsx';
import { FirstCall } from './token-secret.tsx';
import { Terms } from './token-trial.tsx';
import { type TokenDeps, tokenIdOf } from './tokens.tsx';

export interface OneTokenDeps extends Pick<TokenDeps, 'listServers'> {
  readonly getToken: Pick<GetToken, 'execute' | 'history'>;
  readonly editToken: Pick<EditToken, 'execute'>;
  readonly listSchedules: Pick<ListSchedules, 'execute'>;
}

const ROWS = 25;

/** One token: its rights, its activity, and editing it. */
export const oneTokenRoutes = (deps: OneTokenDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: `${TOKENS_PATH}/:id`,
    needs: 'administrator',
    handle: (visit) => tokenPage(deps, visit),
  },
  {
    method: 'GET',
    path: `${TOKENS_PATH}/:id/edit`,
    needs: 'administrator',
    confirm: true,
    handle: (visit) => editPage(deps, visit, NEW_FORM),
  },
  formRoute(
    `${TOKENS_PATH}/:id/edit`,
    async (visit) => {
      const { actor } = visit.visitor;
      const id = tokenIdOf(visit.params['id']);
      const asked = await tokenRequestOf(visit.form, actor, deps.listServers);
      await deps.editToken.execute(actor, id, asked);
      return done(`${TOKENS_PATH}/${id}`, asked.name);
    },
    (visit, state) => editPage(deps, visit, state, 422),
    { confirm: true },
  ),
];

async function tokenPage(deps: OneTokenDeps, visit: SignedInVisit): Promise<WebReply> {
  const { getToken, listSchedules, listServers } = deps;
  const { visitor, params, query, now } = visit;
  const token = await getToken.execute(visitor.actor, tokenIdOf(params['id']));
  const of = query.get('audit') === 'to' ? 'to' : 'by';
  const found = await getToken.history(visitor.actor, token.id, of, {
    limit: ROWS,
    offset: offsetOf(query),
  });
  const owned = await listSchedules.execute(
    visitor.actor,
    { limit: MAX_SCHEDULES, offset: 0 },
    { owner: { kind: 'token', id: token.id } },
  );
  const off = owned.items.filter(({ schedule }) => schedule.offReason !== null);
  const servers = await listServers.names(visitor.actor, [
    ...(token.allowedServerIds ?? []),
    ...serverIdsIn(found.items),
    ...owned.items.flatMap(({ schedule }) => reportedIds(schedule.selector)),
  ]);
  const path = `${TOKENS_PATH}/${token.id}`;
  const reply = page(
    'settings',
    `Token ${token.name}`,
    <>
      {isUsable(token, now) && token.lastUsedAt === null ? (
        <FirstCall token={token} since={token.createdAt} now={now} />
      ) : null}
      <Terms token={token} servers={servers} now={now} />
      <h2>Schedules</h2>
      <SwitchedOff schedules={off.map(({ schedule }) => schedule)} />
      {owned.total === 0 ? (
        <p class="quiet">This token owns no schedules.</p>
      ) : (
        <ScheduleTable schedules={owned.items} names={servers} now={now} />
      )}
      <h2>Audit</h2>
      <nav class="tabs" aria-label="Audit">
        <a href={path} aria-current={of === 'by' ? 'page' : undefined}>
          Activity by this token
        </a>
        <a href={`${path}?audit=to`} aria-current={of === 'to' ? 'page' : undefined}>
          Changes to this token
        </a>
      </nav>
      <AuditRows
        entries={found.items}
        now={now}
        servers={servers}
        nothing={of === 'by' ? 'No activity yet.' : 'No changes.'}
        paging={{ found, path, query }}
      />
    </>,
  );
  return {
    ...reply,
    live: { all: true },
    header: {
      status: <TokenState token={token} now={now} />,
      sub: (
        <>
          <span class="mono">{token.prefix}…</span> · last call <Ago at={token.lastUsedAt} now={now} /> ·{' '}
          {count(callsOfDay(token.calls, now), 'call')} in the last 24 hours, {token.calls.total} in all ·
          created <Ago at={token.createdAt} now={now} /> by <By label={token.createdBy} />
        </>
      ),
      actions: (
        <>
          {token.revokedAt === null ? (
            <a class="button quiet" href={`${path}/edit`}>
              Edit
            </a>
          ) : null}
          {isUsable(token, now) ? <TokenActions token={token} path={TOKENS_PATH} /> : null}
        </>
      ),
    },
  };
}

async function editPage(
  deps: OneTokenDeps,
  visit: SignedInVisit,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const token = await deps.getToken.execute(visit.visitor.actor, tokenIdOf(visit.params['id']));
  const path = `${TOKENS_PATH}/${token.id}`;
  return page(
    'settings',
    `Edit token ${token.name}`,
    <form method="post" action={`${path}/edit`} class="column">
      <FormFault state={state} />
      <p class="help">The secret stays the same. Changes apply from the next request.</p>
      <TokenFields
        state={state}
        now={visit.now}
        servers={await serversToTick(deps, visit)}
        token={token}
        preset={null}
        check={ADDRESS_CHECK}
      />
      <p class="actions">
        <button type="submit">Save</button>
        <a href={path}>Cancel</a>
      </p>
    </form>,
    status,
  );
}

import { type ApiToken, isExpired, isUsable } from '../../../../../domain/access/api-token.ts';
import { SCOPE_TITLES } from '../../../../../domain/access/scope.ts';
import { callsOfDay } from '../../../../../domain/access/token-calls.ts';
import type { TokenOrder } from '../../../../../domain/base/list-orders.ts';
import { DataTable, RowButton, type TablePaging } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { RowActions } from '../../components/row-actions.tsx';
import type { Sorting } from '../../components/sorting.ts';
import { Status } from '../../components/status.tsx';
import { Ago, On } from '../../components/time.tsx';
import type { ServerNames } from '../events/audit-words.ts';
import { APPROVAL_CHOICES, SCOPE_HELP } from './token-form.tsx';

/** Tokens as a table, with actions. `path`: the page that manages them. */
export const TokenRows = ({
  tokens,
  servers,
  now,
  path,
  paging,
  sorting,
}: {
  readonly tokens: readonly ApiToken[];
  readonly servers: ServerNames;
  readonly now: number;
  readonly path: string;
  readonly paging?: TablePaging;
  readonly sorting?: Sorting<TokenOrder['by']>;
}) => (
  <DataTable
    rows={tokens}
    keyOf={({ id }) => id}
    empty="No tokens yet. Each agent or script needs one."
    paging={paging}
    columns={[
      {
        head: 'Name',
        sort: sorting?.sort('name'),
        cell: ({ id, name, prefix }) => (
          <>
            <a href={`${path}/${id}`}>{name}</a>
            <span class="under">
              <code>{prefix}…</code>
            </span>
          </>
        ),
      },
      {
        head: 'Scopes',
        kind: 'text',
        cell: ({ scopes, requireApproval, approvalInClient }) => (
          <>
            {scopes.map((scope) => (
              <span key={scope} class="tag" title={SCOPE_HELP[scope]}>
                {SCOPE_TITLES[scope]}
              </span>
            ))}
            {requireApproval ? (
              <span
                class="tag care"
                title={APPROVAL_CHOICES.find(({ value }) => (value === 'client') === approvalInClient)?.help}
              >
                <Icon name="shield-check" />{' '}
                {approvalInClient ? 'Approval by its user' : 'Approval in Drover'}
              </span>
            ) : null}
          </>
        ),
      },
      {
        head: 'Servers',
        kind: 'text',
        phone: 'label',
        cell: ({ allowedServerIds: ids }) =>
          ids === null ? 'all' : ids.map((id) => servers.get(id) ?? `Server ${id}`).join(', '),
      },
      {
        head: 'Calls, 24 h / all',
        kind: 'number',
        cell: ({ calls, lastUsedAt }) => (
          <>
            {callsOfDay(calls, now)} <span class="quiet">/ {calls.total}</span>
            <span class="under">
              last call <Ago at={lastUsedAt} now={now} />
            </span>
          </>
        ),
      },
      {
        head: 'Expires',
        phone: 'label',
        sort: sorting?.sort('expires'),
        cell: ({ expiresAt }) => <On at={expiresAt} otherwise="never" />,
      },
      { head: 'State', kind: 'state', cell: (token) => <TokenState token={token} now={now} /> },
      {
        head: 'Actions',
        kind: 'actions',
        cell: (token) =>
          isUsable(token, now) ? <TokenActions token={token} path={path} buttons={0} /> : null,
      },
    ]}
  />
);

export function TokenState({ token, now }: { readonly token: ApiToken; readonly now: number }) {
  if (isUsable(token, now)) return <Status tone="good">active</Status>;
  return isExpired(token, now) ? <Status tone="off">expired</Status> : <Status tone="off">revoked</Status>;
}

export function TokenActions({
  token,
  path,
  buttons,
}: {
  readonly token: ApiToken;
  readonly path: string;
  /** As of `RowActions`. */
  readonly buttons?: number;
}) {
  return (
    <RowActions about={token.name} buttons={buttons}>
      <RowButton action={`${path}/${token.id}/rotate`} label="Rotate" icon="refresh-cw" about={token.name} />
      <RowButton action={`${path}/${token.id}/revoke`} label="Revoke" icon="ban" about={token.name} danger />
    </RowActions>
  );
}

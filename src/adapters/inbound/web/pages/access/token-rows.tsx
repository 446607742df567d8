import { type ApiToken, isExpired, isUsable } from '../../../../../domain/access/api-token.ts';
import { SCOPE_TITLES } from '../../../../../domain/access/scope.ts';
import { callsByDay, callsOfDay } from '../../../../../domain/access/token-calls.ts';
import { DAY } from '../../../../../domain/base/instant.ts';
import type { TokenOrder } from '../../../../../domain/base/list-orders.ts';
import { duration } from '../../../../../domain/base/spans.ts';
import { TOKEN_EXPIRING_MS } from '../../../../../domain/events/notification.ts';
import { BulkBar } from '../../components/bulk-bar.tsx';
import { DataTable, RowButton, type TablePaging } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { RowActions } from '../../components/row-actions.tsx';
import type { Sorting } from '../../components/sorting.ts';
import { Sparkline } from '../../components/sparkline.tsx';
import { Status } from '../../components/status.tsx';
import { Ago, On } from '../../components/time.tsx';
import type { ServerNames } from '../events/audit-words.ts';
import { APPROVAL_CHOICES, SCOPE_HELP } from './token-form.tsx';

const BULK = 'bulk-tokens';

/** Revokes the selected tokens. */
const TokenBulkBar = ({ action }: { readonly action: string }) => (
  <BulkBar id={BULK} method="post" action={action} noun="tokens" filter={{}}>
    <button type="submit">
      <Icon name="ban" />
      Revoke
    </button>
  </BulkBar>
);

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
  <>
    <DataTable
      rows={tokens}
      keyOf={({ id }) => id}
      select={{ form: BULK, label: ({ name }) => name }}
      empty="No tokens yet. Each agent or script needs one."
      paging={paging}
      columns={[
        {
          head: 'Name',
          sort: sorting?.sort('name'),
          cell: ({ id, name, prefix }) => (
            <>
              <a href={`${path}/${id}`}>{name}</a>
              <span class="under" title="The start of the secret. Drover does not store the rest.">
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
                  title={
                    APPROVAL_CHOICES.find(({ value }) => (value === 'client') === approvalInClient)?.help
                  }
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
          head: 'Calls, 7 days',
          phone: 'hide',
          from: 'medium',
          cell: ({ calls }) => (
            <span class="trend">{calls.total === 0 ? null : <CallLine days={callsByDay(calls, now)} />}</span>
          ),
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
    <TokenBulkBar action={`${path}/revoke`} />
  </>
);

const CallLine = ({ days }: { readonly days: readonly number[] }) => (
  <Sparkline
    values={days}
    most={Math.max(1, ...days)}
    label={`Calls a day, ${days.length} days: ${days.join(', ')}`}
  />
);

export function TokenState({ token, now }: { readonly token: ApiToken; readonly now: number }) {
  if (isUsable(token, now)) {
    const left = (token.expiresAt ?? Number.POSITIVE_INFINITY) - now;
    return left > TOKEN_EXPIRING_MS ? (
      <Status tone="good">active</Status>
    ) : (
      <Status tone="care">{`expires in ${left > DAY ? `${Math.ceil(left / DAY)} d` : duration(left)}`}</Status>
    );
  }
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

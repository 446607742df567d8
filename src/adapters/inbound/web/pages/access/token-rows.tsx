import { type ApiToken, isExpired, isUsable } from '../../../../../domain/access/api-token.ts';
import { SCOPE_TITLES } from '../../../../../domain/access/scope.ts';
import { DataTable, type TablePaging } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { Status } from '../../components/status.tsx';
import { Ago, On } from '../../components/time.tsx';

/** Tokens as a table, with actions. `path`: the page that manages them. */
export const TokenRows = ({
  tokens,
  now,
  path,
  paging,
}: {
  readonly tokens: readonly ApiToken[];
  readonly now: number;
  readonly path: string;
  readonly paging?: TablePaging;
}) => (
  <DataTable
    rows={tokens}
    keyOf={({ id }) => id}
    empty="There are no tokens yet. An agent or a script needs one."
    paging={paging}
    columns={[
      { head: 'Name', cell: ({ id, name }) => <a href={`${path}/${id}`}>{name}</a> },
      { head: 'Secret', kind: 'code', phone: 'hide', cell: ({ prefix }) => `${prefix}…` },
      {
        head: 'Scopes',
        kind: 'text',
        cell: ({ scopes, requireApproval }) => (
          <>
            {scopes.map((scope) => (
              <span key={scope} class="tag">
                {SCOPE_TITLES[scope]}
              </span>
            ))}
            {requireApproval ? (
              <span class="tag care">
                <Icon name="shield-check" /> Approval
              </span>
            ) : null}
          </>
        ),
      },
      {
        head: 'Servers',
        kind: 'text',
        phone: 'label',
        cell: ({ allowedServerIds: ids }) => (ids === null ? 'all' : ids.join(', ')),
      },
      { head: 'Used', phone: 'label', cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} now={now} /> },
      { head: 'Expires', phone: 'label', cell: ({ expiresAt }) => <On at={expiresAt} otherwise="never" /> },
      { head: 'State', kind: 'state', cell: (token) => <TokenState token={token} now={now} /> },
      {
        head: 'Actions',
        kind: 'actions',
        cell: (token) => (isUsable(token, now) ? <TokenActions token={token} path={path} /> : null),
      },
    ]}
  />
);

export function TokenState({ token, now }: { readonly token: ApiToken; readonly now: number }) {
  if (isUsable(token, now)) return <Status tone="good">active</Status>;
  return isExpired(token, now) ? <Status tone="off">expired</Status> : <Status tone="off">revoked</Status>;
}

export function TokenActions({ token, path }: { readonly token: ApiToken; readonly path: string }) {
  return (
    <div class="row">
      <form method="post" action={`${path}/${token.id}/rotate`}>
        <button type="submit" class="quiet" aria-label={`Rotate ${token.name}`}>
          Rotate
        </button>
      </form>
      <form method="post" action={`${path}/${token.id}/revoke`}>
        <button type="submit" class="danger" aria-label={`Revoke ${token.name}`}>
          Revoke
        </button>
      </form>
    </div>
  );
}

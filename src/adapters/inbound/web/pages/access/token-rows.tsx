import { type ApiToken, isExpired, isUsable } from '../../../../../domain/access/api-token.ts';
import { Status } from '../../components/status.tsx';
import { Ago, On } from '../../components/time.tsx';

/** Tokens as a table, with what can be done to each. `path`: where they are managed. */
export function TokenRows({
  tokens,
  now,
  path,
}: {
  readonly tokens: readonly ApiToken[];
  readonly now: number;
  readonly path: string;
}) {
  if (tokens.length === 0)
    return <p class="quiet">There are no tokens yet. An agent or a script needs one.</p>;
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Secret</th>
            <th scope="col">May</th>
            <th scope="col">Servers</th>
            <th scope="col">Used</th>
            <th scope="col">Expires</th>
            <th scope="col">State</th>
            <th scope="col">
              <span class="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr key={token.id}>
              <td>
                <a href={`${path}/${token.id}`}>{token.name}</a>
              </td>
              <td class="mono">{token.prefix}…</td>
              <td class="text">{token.scopes.join(', ')}</td>
              <td class="text">
                {token.allowedServerIds === null ? 'all' : token.allowedServerIds.join(', ')}
              </td>
              <td>
                <Ago at={token.lastUsedAt} now={now} />
              </td>
              <td>
                <On at={token.expiresAt} otherwise="never" />
              </td>
              <td>
                <TokenState token={token} now={now} />
              </td>
              <td>{isUsable(token, now) ? <TokenActions token={token} path={path} /> : null}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

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

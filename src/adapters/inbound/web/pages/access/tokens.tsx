import type {
  GetToken,
  ListTokens,
  RevokeToken,
  RotateToken,
} from '../../../../../application/access/manage-tokens.ts';
import type { TryToken } from '../../../../../application/access/try-token.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import type { ApiToken } from '../../../../../domain/access/api-token.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import { TOKEN_ORDERS } from '../../../../../domain/base/list-orders.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { AddLink } from '../../components/add-link.tsx';
import { LiveList } from '../../components/list-page.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { sortingOf } from '../../components/sorting.ts';
import { idOf } from '../../form-state.ts';
import { done, page, part, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { PlaceholderHost } from '../fleet/placeholder-host.tsx';
import { type NewTokenDeps, newTokenRoutes, toSecret } from './token-new.tsx';
import { TOKENS_PATH } from './token-request.ts';
import { TokenRows } from './token-rows.tsx';
import { FirstCall, SecretBanner } from './token-secret.tsx';
import { TRY_PATH, tokenTrialRoutes } from './token-trial-pages.tsx';

export interface TokenDeps extends NewTokenDeps {
  readonly listTokens: Pick<ListTokens, 'execute'>;
  readonly rotateToken: Pick<RotateToken, 'execute'>;
  readonly revokeToken: Pick<RevokeToken, 'execute'>;
  readonly getToken: Pick<GetToken, 'execute'>;
  readonly tryToken: Pick<TryToken, 'execute' | 'owner'>;
  readonly listServers: Pick<ListServers, 'execute' | 'names'>;
  readonly settings: {
    readonly publicUrl: string | null;
    readonly httpPort: number;
    readonly adapterPath: string;
  };
}

const ROWS = 50;

/** Admin, Settings, API management: tokens for agents and scripts. */
export function tokenRoutes(deps: TokenDeps): readonly WebRoute[] {
  return [
    ...newTokenRoutes(deps),
    ...tokenTrialRoutes(deps),
    { method: 'GET', path: TOKENS_PATH, needs: 'administrator', handle: (visit) => listPage(deps, visit) },
    {
      method: 'GET',
      path: `/live${TOKENS_PATH}`,
      needs: 'administrator',
      byItself: true,
      handle: async (visit) => part((await tokenList(deps, visit)).list),
    },
    {
      method: 'GET',
      path: `/live${TOKENS_PATH}/:id`,
      needs: 'administrator',
      byItself: true,
      handle: async ({ visitor, params, query, now }) => {
        const token = await deps.getToken.execute(visitor.actor, tokenIdOf(params['id']));
        const since = Number(query.get('since')) || 0;
        return part(<FirstCall {...{ token, since, now }} isOverList={query.has('list')} />);
      },
    },
    {
      method: 'POST',
      path: `${TOKENS_PATH}/:id/rotate`,
      needs: 'administrator',
      confirm: true,
      handle: async ({ params, visitor }) =>
        toSecret(await deps.rotateToken.execute(visitor.actor, tokenIdOf(params['id']))),
    },
    {
      method: 'POST',
      path: `${TOKENS_PATH}/revoke`,
      needs: 'administrator',
      handle: (visit) => revokeSelected(deps, visit),
    },
    {
      method: 'POST',
      path: `${TOKENS_PATH}/:id/revoke`,
      needs: 'administrator',
      handle: async ({ params, visitor }) => {
        const { token, switchedOff } = await deps.revokeToken.execute(visitor.actor, tokenIdOf(params['id']));
        // The token's page says which schedules it no longer runs.
        return done(switchedOff.length === 0 ? TOKENS_PATH : `${TOKENS_PATH}/${token.id}`, token.name);
      },
    },
  ];
}

/** Those that are revoked already stay as they are. */
async function revokeSelected(
  { getToken, revokeToken }: TokenDeps,
  { form, visitor: { actor } }: SignedInVisit,
) {
  const ids = [...new Set(form.getAll('ids').map(tokenIdOf))];
  const tokens: ApiToken[] = [];
  for (const id of ids.slice(0, ROWS)) {
    const token = await getToken.execute(actor, id);
    if (token.revokedAt === null) tokens.push((await revokeToken.execute(actor, id)).token);
  }
  return done(TOKENS_PATH, tokens.length === 0 ? 'none' : tokens.map(({ name }) => name).join(', '));
}

export function tokenIdOf(raw: string | undefined): number {
  const id = idOf(raw);
  if (id !== null) return id;
  throw new DomainError('token_not_found', 'There is no such token.');
}

/** Asked for again and again: its address is the place in the list alone, never the secret of a new token. */
async function tokenList({ listTokens, listServers }: TokenDeps, { visitor, query, now }: SignedInVisit) {
  const offset = offsetOf(query);
  const sort = query.get('sort');
  // Never the secret, which may be in the address.
  const place = new URLSearchParams({
    ...(offset === 0 ? {} : { offset: String(offset) }),
    ...(sort === null ? {} : { sort }),
  });
  const usual = { by: 'created', descending: true } as const;
  const sorting = sortingOf({ path: TOKENS_PATH, query: place, keys: TOKEN_ORDERS, usual });
  const found = await listTokens.execute(visitor.actor, { limit: ROWS, offset }, sorting.order);
  const limits = found.items.flatMap(({ allowedServerIds }) => allowedServerIds ?? []);
  const list = (
    <LiveList path={TOKENS_PATH} query={place}>
      <TokenRows
        tokens={found.items}
        servers={await listServers.names(visitor.actor, limits)}
        now={now}
        path={TOKENS_PATH}
        sorting={sorting}
        paging={{ found, path: TOKENS_PATH, query: place }}
      />
    </LiveList>
  );
  return { list, total: found.total };
}

async function listPage(deps: TokenDeps, visit: SignedInVisit): Promise<WebReply> {
  const { visitor, query, now, origin } = visit;
  const secret = query.get('token_secret');
  // A link must not be able to show an administrator a foreign secret as ours.
  const token = secret === null ? null : await deps.tryToken.owner(visitor.actor, secret);
  const { list, total } = await tokenList(deps, visit);
  const header = {
    sub: `${count(total, 'token')} for agents and scripts`,
    actions: (
      <>
        <a class="button quiet" href={TRY_PATH}>
          Test a token
        </a>
        <AddLink href={`${TOKENS_PATH}/new`}>Create new token</AddLink>
      </>
    ),
  };
  const reply = page(
    'settings',
    'API management',
    <>
      {secret === null || token === null ? (
        <PlaceholderHost publicUrl={deps.settings.publicUrl} origin={origin} />
      ) : (
        <SecretBanner {...{ token, secret, now }} tryPath={TRY_PATH} origin={origin} {...deps.settings} />
      )}
      {list}
    </>,
  );
  return { ...reply, header };
}

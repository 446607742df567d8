import type { IssuedToken, IssueToken } from '../../../../../application/access/issue-token.ts';
import type {
  GetToken,
  ListTokens,
  RevokeToken,
  RotateToken,
} from '../../../../../application/access/manage-tokens.ts';
import type { TryToken } from '../../../../../application/access/try-token.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import { addressRanges } from '../../../../../domain/access/api-token.ts';
import { isInAnyCidr } from '../../../../../domain/access/client-address.ts';
import { DomainError, type InputProblem, InvalidInput } from '../../../../../domain/base/errors.ts';
import { TOKEN_ORDERS } from '../../../../../domain/base/list-orders.ts';
import { isIpLiteral } from '../../../../../domain/events/outbound-address.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { AddLink } from '../../components/add-link.tsx';
import { Checked, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { LiveList } from '../../components/list-page.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { sortingOf } from '../../components/sorting.ts';
import { idOf, listOf, submit } from '../../form-state.ts';
import { done, page, part, redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { PlaceholderHost } from '../fleet/placeholder-host.tsx';
import { TokenFields } from './token-form.tsx';
import { PresetCards, presetOf, ToolList } from './token-presets.tsx';
import { approvalOf, MAX_BOXES, tokenRequestOf } from './token-request.ts';
import { TokenRows } from './token-rows.tsx';
import { FirstCall, SecretBanner } from './token-secret.tsx';
import { TrialForm, TrialResult } from './token-trial.tsx';

export interface TokenDeps {
  readonly issueToken: Pick<IssueToken, 'execute'>;
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

export const TOKENS_PATH = '/settings/tokens';
export const ADDRESS_CHECK = `${TOKENS_PATH}/check-addresses`;
const TRY_PATH = `${TOKENS_PATH}/test`;
const ROWS = 50;

/** Admin, Settings, API management: tokens for agents and scripts. */
export function tokenRoutes(deps: TokenDeps): readonly WebRoute[] {
  return [
    { method: 'GET', path: TOKENS_PATH, needs: 'administrator', handle: (visit) => listPage(deps, visit) },
    {
      method: 'GET',
      path: `/live${TOKENS_PATH}`,
      needs: 'administrator',
      byItself: true,
      handle: async (visit) => part(await liveRows(deps, visit)),
    },
    {
      method: 'GET',
      path: `${TOKENS_PATH}/new`,
      needs: 'administrator',
      confirm: true,
      handle: (visit) => newPage(deps, visit, NEW_FORM),
    },
    {
      method: 'POST',
      path: `${TOKENS_PATH}/new`,
      needs: 'administrator',
      confirm: true,
      handle: (visit) =>
        submit(
          visit.form,
          async () => {
            if (visit.form.has('preview')) return newPage(deps, visit, { ...NEW_FORM, typed: visit.form });
            const { actor } = visit.visitor;
            const request = await tokenRequestOf(visit.form, actor, deps.listServers);
            return toSecret(await deps.issueToken.execute(actor, request));
          },
          (state) => newPage(deps, visit, state, 422),
        ),
    },
    {
      method: 'POST',
      path: `${TOKENS_PATH}/tools`,
      needs: 'administrator',
      handle: ({ form }) => part(<ToolList {...chosenIn(form)} />),
    },
    {
      method: 'GET',
      path: `/live${TOKENS_PATH}/:id`,
      needs: 'administrator',
      byItself: true,
      handle: async ({ visitor, params, query, now }) => {
        const token = await deps.getToken.execute(visitor.actor, tokenIdOf(params['id']));
        return part(<FirstCall token={token} since={Number(query.get('since')) || 0} now={now} />);
      },
    },
    { method: 'POST', path: ADDRESS_CHECK, needs: 'administrator', handle: checkAddresses },
    {
      method: 'GET',
      path: TRY_PATH,
      needs: 'administrator',
      handle: ({ browser }) => tryPage(NEW_FORM, browser.address),
    },
    { method: 'POST', path: TRY_PATH, needs: 'administrator', handle: (visit) => tryToken(deps, visit) },
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

/** The only redirect with a secret: its target shows the secret, and removes it from the address immediately. */
const toSecret = ({ token, secret }: IssuedToken): WebReply =>
  redirect(`${TOKENS_PATH}?${new URLSearchParams({ token_id: String(token.id), token_secret: secret })}`);

export function tokenIdOf(raw: string | undefined): number {
  const id = idOf(raw);
  if (id !== null) return id;
  throw new DomainError('token_not_found', 'There is no such token.');
}

/** All, if they fit into checkboxes; else `null`. */
export async function serversToTick(
  { listServers }: Pick<TokenDeps, 'listServers'>,
  { visitor }: SignedInVisit,
): Promise<readonly Server[] | null> {
  const { items, total } = await listServers.execute(visitor.actor, { limit: MAX_BOXES, offset: 0 });
  return total > items.length ? null : items;
}

/** Asked for again and again: its address is the place in the list alone, never the secret of a new token. */
async function liveRows({ listTokens, listServers }: TokenDeps, { visitor, query, now }: SignedInVisit) {
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
  return (
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
}

async function listPage(deps: TokenDeps, visit: SignedInVisit): Promise<WebReply> {
  const { visitor, query, now, origin } = visit;
  const secret = query.get('token_secret');
  // A link must not be able to show an administrator a foreign secret as ours.
  const token = secret === null ? null : await deps.tryToken.owner(visitor.actor, secret);
  const header = {
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
      <PlaceholderHost publicUrl={deps.settings.publicUrl} />
      {secret === null || token === null ? null : (
        <SecretBanner {...{ token, secret, now }} tryPath={TRY_PATH} origin={origin} {...deps.settings} />
      )}
      {await liveRows(deps, visit)}
    </>,
  );
  return { ...reply, header };
}

/** What the form says so far. */
const chosenIn = (form: URLSearchParams) => ({
  scopes: form.getAll('scopes'),
  approval: approvalOf(form),
});

async function newPage(
  deps: TokenDeps,
  visit: SignedInVisit,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const isFresh = state.typed.size === 0;
  const preset = presetOf((isFresh ? visit.query : state.typed).get('preset'));
  const chosen = isFresh ? preset : chosenIn(state.typed);
  const path = `${TOKENS_PATH}/new`;
  return page(
    'settings',
    'New token',
    <div class="stack">
      <PresetCards path={path} chosen={preset} />
      <form
        method="post"
        action={path}
        class="main-and-side"
        hx-post={`${TOKENS_PATH}/tools`}
        hx-trigger="change"
        hx-target="#tools"
        hx-swap="outerHTML"
      >
        <div class="column">
          <FormFault state={state} />
          <input type="hidden" name="preset" value={preset.value} />
          <TokenFields
            state={state}
            now={visit.now}
            servers={await serversToTick(deps, visit)}
            token={null}
            preset={preset}
            check={ADDRESS_CHECK}
          />
          <p class="actions">
            <button type="submit">Create token</button>
            <a href={TOKENS_PATH}>Cancel</a>
          </p>
        </div>
        <div class="stack sticky">
          <ToolList {...chosen} />
          <noscript>
            <button type="submit" class="quiet" name="preview" value="yes" formnovalidate>
              Update the list of tools
            </button>
          </noscript>
        </div>
      </form>
    </div>,
    status,
  );
}

/** Checks ranges while the user types, and whether they include the user's own address. */
function checkAddresses({ form, browser }: SignedInVisit): WebReply {
  const problems: InputProblem[] = [];
  const ranges = addressRanges(listOf(form, 'allowed_cidrs'), problems);
  if (problems.length > 0)
    return part(<Checked good={false}>{problems.map(({ message }) => message).join(' ')}</Checked>);
  if (ranges.length === 0) return part(<Checked good>Any address can use this token.</Checked>);
  const own = isInAnyCidr(browser.address, ranges) ? 'included' : 'not included';
  return part(<Checked good>{`${ranges.join(', ')}. Your address, ${browser.address}, is ${own}.`}</Checked>);
}

const tryPage = (state: FormState, address: string, status = 200): WebReply =>
  page(
    'settings',
    'Test a token',
    <>
      <FormFault state={state} />
      <TrialForm state={state} path={TRY_PATH} address={address} />
    </>,
    status,
  );

const tryToken = (deps: TokenDeps, visit: SignedInVisit): Promise<WebReply> => {
  const { form, browser, visitor, now } = visit;
  const address = (form.get('address') ?? '').trim() || browser.address;
  return submit(
    form,
    async () => {
      // A copied header brings its first word with it.
      const secret = (form.get('secret') ?? '').trim().replace(/^Bearer\s+/i, '');
      const problems: InputProblem[] = [];
      if (secret === '') problems.push({ path: '/secret', message: 'Paste the secret here.' });
      if (!isIpLiteral(address))
        problems.push({ path: '/address', message: 'Enter an IP address, such as 192.0.2.7.' });
      if (problems.length > 0) throw new InvalidInput(problems);
      const trial = await deps.tryToken.execute(visitor.actor, { secret, address });
      const servers = await deps.listServers.names(visitor.actor, trial.token?.allowedServerIds ?? []);
      return page(
        'settings',
        trial.token === null ? 'Token test' : `Test of token ${trial.token.name}`,
        <>
          <TrialResult trial={trial} servers={servers} address={address} now={now} />
          <h2>Test another</h2>
          <TrialForm state={NEW_FORM} path={TRY_PATH} address={address} />
        </>,
      );
    },
    (state) => tryPage(state, address, 422),
  );
};

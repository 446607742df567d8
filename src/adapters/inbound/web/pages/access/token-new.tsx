import type { IssuedToken, IssueToken } from '../../../../../application/access/issue-token.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import { addressRanges } from '../../../../../domain/access/api-token.ts';
import { isInAnyCidr } from '../../../../../domain/access/client-address.ts';
import type { InputProblem } from '../../../../../domain/base/errors.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { Checked, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { formRoute, listOf } from '../../form-state.ts';
import { page, part, redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { TokenFields } from './token-form.tsx';
import { PresetCards, presetOf, ToolList } from './token-presets.tsx';
import { approvalOf, MAX_BOXES, TOKENS_PATH, tokenRequestOf } from './token-request.ts';

export interface NewTokenDeps {
  readonly issueToken: Pick<IssueToken, 'execute'>;
  readonly listServers: Pick<ListServers, 'execute'>;
}

export const ADDRESS_CHECK = `${TOKENS_PATH}/check-addresses`;

/** The form of a new token. */
export const newTokenRoutes = (deps: NewTokenDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: `${TOKENS_PATH}/new`,
    needs: 'administrator',
    confirm: true,
    handle: (visit) => newPage(deps, visit, NEW_FORM),
  },
  formRoute(
    `${TOKENS_PATH}/new`,
    async (visit) => {
      if (visit.form.has('preview')) return newPage(deps, visit, { ...NEW_FORM, typed: visit.form });
      const { actor } = visit.visitor;
      const request = await tokenRequestOf(visit.form, actor, deps.listServers);
      return toSecret(await deps.issueToken.execute(actor, request));
    },
    (visit, state) => newPage(deps, visit, state, 422),
    { confirm: true },
  ),
  {
    method: 'POST',
    path: `${TOKENS_PATH}/tools`,
    needs: 'administrator',
    handle: ({ form }) => part(<ToolList {...chosenIn(form)} />),
  },
  { method: 'POST', path: ADDRESS_CHECK, needs: 'administrator', handle: checkAddresses },
];

/** The only redirect with a secret: its target shows the secret, and removes it from the address immediately. */
export const toSecret = ({ token, secret }: IssuedToken): WebReply =>
  redirect(`${TOKENS_PATH}?${new URLSearchParams({ token_id: String(token.id), token_secret: secret })}`);

/** All, if they fit into checkboxes; else `null`. */
export async function serversToTick(
  { listServers }: Pick<NewTokenDeps, 'listServers'>,
  { visitor }: SignedInVisit,
): Promise<readonly Server[] | null> {
  const { items, total } = await listServers.execute(visitor.actor, { limit: MAX_BOXES, offset: 0 });
  return total > items.length ? null : items;
}

/** What the form says so far. */
const chosenIn = (form: URLSearchParams) => ({
  scopes: form.getAll('scopes'),
  approval: approvalOf(form),
});

async function newPage(
  deps: NewTokenDeps,
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

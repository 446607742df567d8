import type { IssuedToken, IssueToken } from '../../../application/issue-token.ts';
import type { ListTokens, RevokeToken, RotateToken } from '../../../application/manage-tokens.ts';
import { DomainError } from '../../../domain/errors.ts';
import { CAPABILITIES, FEATURE_SCOPES } from '../../../domain/scope.ts';
import { submit } from '../form-state.ts';
import { page, redirect, type SignedInVisit, type WebReply, type WebRoute } from '../route.ts';
import { Choices, Field, FormFault, type FormState, NEW_FORM } from '../views/form.tsx';
import { offsetOf, Paging } from '../views/paging.tsx';
import { SettingsNavigation } from '../views/settings-navigation.tsx';
import { TokenRows } from '../views/token-rows.tsx';
import { SecretBanner } from '../views/token-secret.tsx';

export interface TokenDeps {
  readonly issueToken: Pick<IssueToken, 'execute'>;
  readonly listTokens: Pick<ListTokens, 'execute'>;
  readonly rotateToken: Pick<RotateToken, 'execute'>;
  readonly revokeToken: Pick<RevokeToken, 'execute'>;
  readonly settings: {
    readonly publicUrl: string | null;
    readonly httpPort: number;
    readonly adapterPath: string;
  };
}

const PATH = '/settings/tokens';
const ROWS = 50;

/** What each scope is for, said where it is ticked. */
const SCOPE_HELP: Readonly<Record<string, string>> = {
  read: 'Look at servers, jobs and inventory. Without it a token is good for nothing.',
  jobs: 'Start and cancel jobs: backups, retention, updates.',
  edit: 'Switch the features of servers on and off.',
  files: "Read and write files inside the servers' jails.",
  'feature:backup': 'Backups and retention.',
  'feature:os': 'Packages of the system, and reboots.',
  'feature:docker': 'Containers and stacks.',
};

/** Admin, Settings, API management: tokens for agents and scripts. */
export function tokenRoutes(deps: TokenDeps): readonly WebRoute[] {
  return [
    { method: 'GET', path: PATH, needs: 'administrator', handle: (visit) => listPage(deps, visit) },
    {
      method: 'GET',
      path: `${PATH}/new`,
      needs: 'administrator',
      confirm: true,
      handle: ({ query }) => newPage(NEW_FORM, query.get('preset') === 'mcp'),
    },
    {
      method: 'POST',
      path: `${PATH}/new`,
      needs: 'administrator',
      confirm: true,
      handle: ({ form, visitor }) =>
        submit(
          form,
          async () => toSecret(await deps.issueToken.execute(visitor.actor, requestOf(form))),
          (state) => newPage(state, form.get('preset') === 'mcp', 422),
        ),
    },
    {
      method: 'POST',
      path: `${PATH}/:id/rotate`,
      needs: 'administrator',
      confirm: true,
      handle: async ({ params, visitor }) =>
        toSecret(await deps.rotateToken.execute(visitor.actor, tokenId(params['id']))),
    },
    {
      method: 'POST',
      path: `${PATH}/:id/revoke`,
      needs: 'administrator',
      handle: async ({ params, visitor }) => {
        await deps.revokeToken.execute(visitor.actor, tokenId(params['id']));
        return redirect(PATH);
      },
    },
  ];
}

/** The one redirect that carries a secret: the page that it leads to shows it, and takes it out of the address at once. */
const toSecret = ({ token, secret }: IssuedToken): WebReply =>
  redirect(`${PATH}?${new URLSearchParams({ token_id: String(token.id), token_secret: secret })}`);

function tokenId(raw: string | undefined): number {
  if (raw !== undefined && /^[1-9]\d{0,14}$/.test(raw)) return Number(raw);
  throw new DomainError('token_not_found', 'There is no such token.');
}

function requestOf(form: URLSearchParams) {
  const list = (name: string): string[] => (form.get(name) ?? '').split(/[\s,]+/).filter(Boolean);
  const servers = list('allowed_server_ids').map(Number);
  const days = form.get('expires_at') ?? '';
  return {
    name: form.get('name') ?? '',
    scopes: form.getAll('scopes'),
    allowedCidrs: list('allowed_cidrs'),
    allowedServerIds: servers.length === 0 ? null : servers,
    requireApproval: form.get('require_approval') === 'yes',
    expires: days === '' || days === 'never' ? null : days,
  };
}

async function listPage(deps: TokenDeps, { visitor, query, now }: SignedInVisit): Promise<WebReply> {
  const found = await deps.listTokens.execute(visitor.actor, { limit: ROWS, offset: offsetOf(query) });
  const secret = query.get('token_secret');
  return page(
    'settings',
    'API tokens',
    <>
      <SettingsNavigation at={PATH} />
      {secret === null ? null : <SecretBanner secret={secret} {...deps.settings} />}
      <p class="actions">
        <a class="button" href={`${PATH}/new?preset=mcp`}>
          Create new token: MCP agent
        </a>
        <a href={`${PATH}/new`}>Create another token</a>
      </p>
      <TokenRows tokens={found.items} now={now} path={PATH} />
      <Paging found={found} path={PATH} query={query} />
    </>,
  );
}

const newPage = (state: FormState, preset: boolean, status = 200): WebReply =>
  page(
    'settings',
    preset ? 'New token for an MCP agent' : 'New token',
    <form method="post" action={`${PATH}/new`} class="column">
      <FormFault state={state} />
      {preset ? <input type="hidden" name="preset" value="mcp" /> : null}
      <Field
        state={state}
        name="name"
        label="Name"
        help="Who or what will use it: it stands in the audit log beside all that is done with it."
        value={preset ? 'mcp-' : ''}
        focus
      />
      <Choices
        state={state}
        name="scopes"
        legend="What it may do"
        type="checkbox"
        chosen={preset ? ['read'] : []}
        choices={CAPABILITIES.map((value) => ({ value, label: value, help: SCOPE_HELP[value] }))}
      />
      <Choices
        state={state}
        name="scopes"
        legend="Of which features"
        type="checkbox"
        help="With none ticked: of all."
        chosen={[]}
        choices={FEATURE_SCOPES.map((value) => ({ value, label: value, help: SCOPE_HELP[value] }))}
      />
      <Field
        state={state}
        name="allowed_server_ids"
        label="Servers"
        help="Numbers of servers, with commas between. Empty: all, later ones too."
        required={false}
      />
      <Field
        state={state}
        name="allowed_cidrs"
        label="Addresses"
        help="Ranges such as 192.0.2.0/24 that it may be used from, with commas between. Empty: any."
        required={false}
      />
      <Choices
        state={state}
        name="expires_at"
        legend="Expires"
        type="radio"
        chosen={['90d']}
        choices={[
          { value: '30d', label: 'in 30 days' },
          { value: '90d', label: 'in 90 days' },
          { value: 'never', label: 'never' },
        ]}
      />
      <Choices
        state={state}
        name="require_approval"
        legend="Approval"
        type="checkbox"
        chosen={[]}
        choices={[
          {
            value: 'yes',
            label: 'Jobs that it starts wait for a person',
            help: 'They run once somebody has approved them.',
          },
        ]}
      />
      <p class="actions">
        <button type="submit">Create the token</button>
        <a href={PATH}>Cancel</a>
      </p>
    </form>,
    status,
  );

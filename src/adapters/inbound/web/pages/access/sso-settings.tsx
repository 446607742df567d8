import type { ManageSso, ShownProvider } from '../../../../../application/access/manage-sso.ts';
import type { RequireSso } from '../../../../../application/access/require-sso.ts';
import type { SsoProvider } from '../../../../../domain/access/sso-provider.ts';
import { Card } from '../../components/card.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Choices, Field, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { Status } from '../../components/status.tsx';
import { formRoute, textOf } from '../../form-state.ts';
import { done, page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { requestOf, SsoFields } from './sso-fields.tsx';

export interface SsoSettingsDeps {
  readonly manageSso: Pick<
    ManageSso,
    'list' | 'find' | 'add' | 'edit' | 'setEnabled' | 'remove' | 'test' | 'redirectUri'
  >;
  readonly requireSso: Pick<RequireSso, 'get' | 'set'>;
}

export const SSO_PATH = '/settings/sign-in';
const NEW_PATH = `${SSO_PATH}/new-provider`;
const REQUIRE_PATH = `${SSO_PATH}/require`;

export const providerPath = ({ name }: Pick<SsoProvider, 'name'>): string =>
  `${SSO_PATH}/providers/${encodeURIComponent(name)}`;

/** Settings, Sign-in: providers of single sign-on, and whether it is required. */
export const ssoSettingsRoutes = (deps: SsoSettingsDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: SSO_PATH,
    needs: 'administrator',
    handle: (visit) => listPage(deps, visit),
  },
  formRoute(
    REQUIRE_PATH,
    async (visit) => {
      const required = visit.form.get('required') === 'on';
      const breakGlass = required ? textOf(visit.form, 'break_glass') : null;
      await deps.requireSso.set(visit.visitor.actor, breakGlass);
      return done(SSO_PATH, required ? 'required' : 'passwords allowed');
    },
    (visit, state) => listPage(deps, visit, state, 422),
    { confirm: true },
  ),
  {
    method: 'GET',
    path: NEW_PATH,
    needs: 'administrator',
    confirm: true,
    handle: (visit) => newPage(deps, visit, NEW_FORM),
  },
  formRoute(
    NEW_PATH,
    async (visit) => {
      const added = await deps.manageSso.add(visit.visitor.actor, {
        ...requestOf(visit.form),
        name: textOf(visit.form, 'name'),
        clientSecret: textOf(visit.form, 'client_secret'),
      });
      return done(providerPath(added), added.label);
    },
    (visit, state) => newPage(deps, visit, state, 422),
    { confirm: true },
  ),
];

async function listPage(
  { manageSso, requireSso }: SsoSettingsDeps,
  { visitor }: SignedInVisit,
  state: FormState = NEW_FORM,
  status = 200,
): Promise<WebReply> {
  const providers = await manageSso.list(visitor.actor);
  const { required, breakGlass } = await requireSso.get(visitor.actor);
  const reply = page(
    'settings',
    'Sign-in',
    <div class="stack">
      {manageSso.redirectUri(visitor.actor, '') === null ? (
        <PublicUrlMissing isCalm={providers.length === 0} />
      ) : null}
      <Card title="Providers" flush>
        <Providers providers={providers} />
      </Card>
      <Card title="Require single sign-on">
        <form method="post" action={REQUIRE_PATH} class="column">
          <FormFault state={state} />
          <Choices
            state={state}
            name="required"
            legend="Passwords"
            type="checkbox"
            chosen={required ? ['on'] : []}
            choices={[
              {
                value: 'on',
                label: 'Users sign in with a provider only',
                help: 'Applies from the next sign-in; open sessions go on.',
              },
            ]}
          />
          <Field
            state={state}
            name="break_glass"
            label="Break-glass administrator"
            required={false}
            value={breakGlass ?? visitor.user.name}
            help="This administrator can always sign in with a password, such as when the provider is down. If the account loses its role or is disabled, every administrator with a password can."
          />
          <button type="submit" class="quiet">
            Save
          </button>
          <p class="help">
            In an emergency, run on the service's machine: <code>drover sso require off</code>
          </p>
        </form>
      </Card>
    </div>,
    status,
  );
  return {
    ...reply,
    live: { all: true },
    header: {
      sub: required
        ? 'Users sign in with a provider'
        : 'Users sign in with a password, a passkey or a provider',
      actions: (
        <a class="button" href={NEW_PATH}>
          <Icon name="plus" /> Add provider
        </a>
      ),
    },
  };
}

const Providers = ({ providers }: { readonly providers: readonly ShownProvider[] }) => (
  <DataTable
    rows={providers}
    keyOf={({ provider }) => provider.name}
    empty="No providers. Users sign in with a name and a password. Add an OpenID Connect provider, such as Authentik, Keycloak or Entra ID."
    columns={[
      { head: 'Name', cell: ({ provider }) => <a href={providerPath(provider)}>{provider.label}</a> },
      { head: 'Issuer', kind: 'code', cell: ({ provider }) => provider.issuer },
      {
        head: 'Groups with a role',
        phone: 'label',
        cell: ({ provider }) =>
          provider.roles.length === 0 ? (
            <Status tone="care">none: no one has access</Status>
          ) : (
            String(provider.roles.length)
          ),
      },
      {
        head: 'State',
        kind: 'state',
        cell: ({ provider }) => <ProviderState provider={provider} />,
      },
    ]}
  />
);

export const ProviderState = ({ provider }: { readonly provider: Pick<SsoProvider, 'enabled'> }) =>
  provider.enabled ? <Status tone="good">on</Status> : <Status tone="off">off</Status>;

/** Calm as long as there is no provider. */
export const PublicUrlMissing = ({ isCalm = false }: { readonly isCalm?: boolean }) => (
  <div class={isCalm ? 'banner' : 'banner care'}>
    <Icon name={isCalm ? 'info' : 'triangle-alert'} />
    <div>
      <p>
        <strong>Providers cannot be used yet.</strong>
      </p>
      <p>
        Set <code>SERVICE_PUBLIC_URL</code> to the address of Drover and restart it, so that a provider knows
        where to send users back to.
      </p>
    </div>
  </div>
);

function newPage(
  { manageSso }: SsoSettingsDeps,
  { visitor }: SignedInVisit,
  state: FormState,
  status = 200,
): WebReply {
  const redirectUri = manageSso.redirectUri(visitor.actor, 'NAME');
  return page(
    'settings',
    'Add sign-in provider',
    <form method="post" action={NEW_PATH} class="column">
      {redirectUri === null ? <PublicUrlMissing /> : null}
      <FormFault state={state} />
      <Field
        state={state}
        name="name"
        label="Name"
        help={
          <>
            Lower-case letters, digits and -. It cannot be changed: it is part of the redirect URI that you
            register at the provider, <code>{redirectUri ?? '/sign-in/sso/NAME/callback'}</code>
          </>
        }
        focus
      />
      <SsoFields state={state} />
      <p class="actions">
        <button type="submit">Add provider</button>
        <a href={SSO_PATH}>Cancel</a>
      </p>
    </form>,
    status,
  );
}

import type { ManageSso } from '../../../../../application/access/manage-sso.ts';
import { Card } from '../../components/card.tsx';
import { Field, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { Status } from '../../components/status.tsx';
import { formRoute, requireName, textOf } from '../../form-state.ts';
import { done, page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { requestOf, SsoFields } from './sso-fields.tsx';
import {
  ProviderState,
  PublicUrlMissing,
  providerPath,
  SSO_PATH,
  type SsoSettingsDeps,
} from './sso-settings.tsx';

const PATTERN = `${SSO_PATH}/providers/:name`;
type Findings = Awaited<ReturnType<ManageSso['test']>>;

/** One provider: its settings and a test. */
export const ssoProviderRoutes = (deps: SsoSettingsDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: PATTERN,
    needs: 'administrator',
    handle: (visit) => providerPage(deps, visit, NEW_FORM),
  },
  formRoute(
    `${PATTERN}/edit`,
    async (visit) => {
      const changed = await deps.manageSso.edit(visit.visitor.actor, visit.params['name'] ?? '', {
        ...requestOf(visit.form),
        clientSecret: textOf(visit.form, 'client_secret'),
      });
      return done(providerPath(changed), changed.label);
    },
    (visit, state) => providerPage(deps, visit, state, { status: 422 }),
    { confirm: true },
  ),
  formRoute(
    `${PATTERN}/test`,
    async (visit) => {
      const findings = await deps.manageSso.test(visit.visitor.actor, visit.params['name'] ?? '');
      return providerPage(deps, visit, NEW_FORM, { findings });
    },
    (visit, state) => providerPage(deps, visit, state, { status: 422 }),
  ),
  switchRoute(deps, 'enable', true),
  switchRoute(deps, 'disable', false),
  formRoute(
    `${PATTERN}/remove`,
    async (visit) => {
      const name = visit.params['name'] ?? '';
      requireName(visit.form, name, 'remove it');
      const { label } = await deps.manageSso.remove(visit.visitor.actor, name);
      return done(SSO_PATH, label);
    },
    (visit, state) => providerPage(deps, visit, state, { status: 422 }),
    { confirm: true },
  ),
];

const switchRoute = (deps: SsoSettingsDeps, name: string, enabled: boolean): WebRoute => ({
  method: 'POST',
  path: `${PATTERN}/${name}`,
  needs: 'administrator',
  confirm: true,
  handle: async ({ visitor, params }) => {
    const changed = await deps.manageSso.setEnabled(visitor.actor, params['name'] ?? '', enabled);
    return done(providerPath(changed), changed.label);
  },
});

async function providerPage(
  { manageSso }: SsoSettingsDeps,
  { visitor, params }: SignedInVisit,
  state: FormState,
  { status = 200, findings }: { readonly status?: number; readonly findings?: Findings } = {},
): Promise<WebReply> {
  const found = await manageSso.find(visitor.actor, params['name'] ?? '');
  const { provider, redirectUri, isFromEnvironment } = found;
  const path = providerPath(provider);
  const reply = page(
    'settings',
    `Sign-in provider ${provider.label}`,
    <div class="stack">
      {redirectUri === null ? <PublicUrlMissing /> : null}
      {findings === undefined ? null : <TestResult findings={findings} />}
      <Card title="Addresses" note="register both at the provider">
        <dl class="facts roomy">
          <dt>Redirect URI</dt>
          <dd class="mono">{redirectUri ?? 'unknown'}</dd>
          <dt>Address after sign-out</dt>
          <dd class="mono">{redirectUri === null ? 'unknown' : `${new URL(redirectUri).origin}/sign-in`}</dd>
        </dl>
      </Card>
      {isFromEnvironment ? (
        <p class="notice">
          The variables <code>SERVICE_OIDC_…</code> describe this provider. Change them and restart Drover.
        </p>
      ) : (
        <>
          <Card title="Settings">
            <form method="post" action={`${path}/edit`} class="column">
              <FormFault state={state} />
              <SsoFields state={state} settings={provider} />
              <button type="submit">Save</button>
            </form>
          </Card>
          <Card title="Remove">
            <form method="post" action={`${path}/remove`} class="column">
              <Field
                state={state}
                name="confirm"
                label={`Type ${provider.name} to remove the provider`}
                help="Sessions that were opened with it end. Accounts stay."
              />
              <button type="submit" class="danger" data-needs-name={provider.name}>
                Remove provider
              </button>
            </form>
          </Card>
        </>
      )}
    </div>,
    status,
  );
  return {
    ...reply,
    header: {
      status: <ProviderState provider={provider} />,
      sub: <span class="mono">{provider.issuer}</span>,
      actions: (
        <>
          <form method="post" action={`${path}/test`}>
            <button type="submit" class="quiet">
              Test provider
            </button>
          </form>
          {isFromEnvironment ? null : (
            <form method="post" action={`${path}/${provider.enabled ? 'disable' : 'enable'}`}>
              <button type="submit" class="quiet">
                {provider.enabled ? 'Disable and end its sessions' : 'Enable'}
              </button>
            </form>
          )}
        </>
      ),
    },
  };
}

const TONES = { good: ['good', 'fine'], care: ['care', 'check'], bad: ['bad', 'wrong'] } as const;

const TestResult = ({ findings }: { readonly findings: Findings }) => (
  <section class={`notice ${findings.some(({ state }) => state === 'bad') ? 'bad' : 'good'}`} role="status">
    <ul>
      {findings.map(({ check, state, text }) => (
        <li key={check} data-check={`${check} ${state}`}>
          <Status tone={TONES[state][0]}>{TONES[state][1]}</Status> {text}
        </li>
      ))}
    </ul>
    <p>Groups can only be checked with a real sign-in: sign in with this provider in a private window.</p>
  </section>
);

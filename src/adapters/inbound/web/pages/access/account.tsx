import type { OwnAccount } from '../../../../../application/access/own-account.ts';
import type { ManageSessions, Visitor } from '../../../../../application/access/sessions.ts';
import {
  hasSecondFactor,
  MIN_PASSWORD_LENGTH,
  NO_ROLE,
  type User,
} from '../../../../../domain/access/user.ts';
import { roleSummary } from '../../../../../domain/access/user-roles.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { Card } from '../../components/card.tsx';
import { Field, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { Status } from '../../components/status.tsx';
import { formRoute, submit } from '../../form-state.ts';
import { done, page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { Sessions } from './account-sessions.tsx';
import { type LinkDeps, LinkedAccount, linkRoutes, providerOf } from './linked-account.tsx';
import { type PasskeyDeps, PasskeyList } from './passkeys.tsx';
import { QrCode } from './qr-code.tsx';
import { codesPage } from './recovery-codes.tsx';
import { ROLE_HELP } from './role-help.ts';

export interface AccountDeps {
  readonly ownAccount: Pick<
    OwnAccount,
    | 'changePassword'
    | 'countRecoveryCodes'
    | 'offerTotp'
    | 'enableTotp'
    | 'disableTotp'
    | 'needsTotp'
    | 'renewRecoveryCodes'
  >;
  readonly manageSessions: Pick<ManageSessions, 'list' | 'end' | 'endOthers'>;
  readonly ownPasskeys: Pick<PasskeyDeps['ownPasskeys'], 'list'>;
  readonly ssoSignIn: LinkDeps['ssoSignIn'];
  readonly linkIdentity: LinkDeps['linkIdentity'];
}

const PATH = '/account';

/** The user's own account: password, two-factor authentication, and sessions. */
export function accountRoutes(deps: AccountDeps): readonly WebRoute[] {
  const { ownAccount, manageSessions } = deps;
  return [
    ...linkRoutes(deps),
    { method: 'GET', path: PATH, needs: 'viewer', handle: (visit) => accountPage(deps, visit, NEW_FORM) },
    formRoute(
      `${PATH}/password`,
      async (visit) => {
        await ownAccount.changePassword(visit.visitor, visit.form.get('password') ?? '');
        return done(PATH, visit.visitor.user.name);
      },
      (visit, state) => accountPage(deps, visit, state, 422),
      { needs: 'viewer', confirm: true },
    ),
    {
      method: 'GET',
      path: `${PATH}/totp`,
      needs: 'viewer',
      confirm: true,
      beforeTwoFactor: true,
      handle: ({ visitor }) => totpPage(visitor, ownAccount.offerTotp(visitor), NEW_FORM),
    },
    {
      method: 'POST',
      path: `${PATH}/totp`,
      needs: 'viewer',
      confirm: true,
      beforeTwoFactor: true,
      handle: ({ visitor, form }) => {
        const secret = form.get('secret') ?? '';
        return submit(
          form,
          async () => codesPage(await ownAccount.enableTotp(visitor, secret, form.get('code') ?? '')),
          (state) => totpPage(visitor, { secret, uri: '' }, state, 422),
        );
      },
    },
    {
      method: 'POST',
      path: `${PATH}/totp/off`,
      needs: 'viewer',
      confirm: true,
      handle: async ({ visitor }) => {
        await ownAccount.disableTotp(visitor);
        return done(PATH, visitor.user.name);
      },
    },
    {
      method: 'POST',
      path: `${PATH}/recovery-codes`,
      needs: 'viewer',
      confirm: true,
      handle: async ({ visitor }) => codesPage(await ownAccount.renewRecoveryCodes(visitor)),
    },
    {
      method: 'POST',
      path: `${PATH}/sessions/end-others`,
      needs: 'viewer',
      handle: async ({ visitor }) => {
        await manageSessions.endOthers(visitor);
        return done(PATH, visitor.user.name);
      },
    },
    {
      method: 'POST',
      path: `${PATH}/sessions/:id/end`,
      needs: 'viewer',
      handle: async ({ visitor, params }) => {
        const id = Number(params['id']);
        if (Number.isSafeInteger(id)) await manageSessions.end(visitor, id);
        return done(PATH, visitor.user.name);
      },
    },
  ];
}

async function accountPage(
  { manageSessions, ownAccount, ownPasskeys, ssoSignIn }: AccountDeps,
  { visitor, now }: SignedInVisit,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const { user, session } = visitor;
  const [offer, passkeys, sessions, codesLeft, isNeeded] = await Promise.all([
    ssoSignIn.offer(),
    ownPasskeys.list(visitor),
    manageSessions.list(visitor),
    ownAccount.countRecoveryCodes(visitor),
    ownAccount.needsTotp(visitor),
  ]);
  const isLinked = user.issuer !== null && !user.hasPassword;
  return {
    ...page(
      'account',
      'Your account',
      <div class="stack">
        <div class="spread">
          <Card
            title="Two-factor authentication"
            actions={
              hasSecondFactor(user) ? <Status tone="good">on</Status> : <Status tone="care">off</Status>
            }
          >
            <SecondFactor user={user} codesLeft={codesLeft} isNeeded={isNeeded} />
          </Card>
          {isLinked ? null : (
            <Card title="Password">
              <form method="post" action={`${PATH}/password`}>
                <FormFault state={state} />
                <input type="hidden" name="username" value={user.name} autocomplete="username" />
                <Field
                  state={state}
                  name="password"
                  label="New password"
                  type="password"
                  autocomplete="new-password"
                  help={`At least ${MIN_PASSWORD_LENGTH} characters. Your other sessions end.`}
                />
                <button type="submit" class="quiet">
                  Change password
                </button>
              </form>
            </Card>
          )}
          <LinkedAccount user={user} offer={offer} />
        </div>
        <PasskeyList passkeys={passkeys} now={now} />
        <Sessions sessions={sessions} current={session.id} now={now} />
      </div>,
      status,
    ),
    header: {
      status: <span class="tag">{roleSummary(user)}</span>,
      sub: (
        <>
          You are <strong>{user.name}</strong>. {ROLE_HELP[user.role ?? NO_ROLE]}
          {user.issuer === null ? null : ` You sign in with ${providerOf(user.issuer, offer.providers)}.`}
        </>
      ),
    },
  };
}

interface SecondFactorProps {
  readonly user: User;
  readonly codesLeft: number;
  /** The role needs it: it stays on. */
  readonly isNeeded: boolean;
}

function SecondFactor({ user, codesLeft, isNeeded }: SecondFactorProps) {
  if (!hasSecondFactor(user)) {
    return (
      <>
        <p>A leaked password alone is then not enough to sign in. An app on your phone shows a code.</p>
        <p>
          <a class="button" href={`${PATH}/totp`}>
            Set up an authenticator app
          </a>
        </p>
      </>
    );
  }
  return (
    <>
      <p>
        On, with {factorsOf(user)}. {codesLeft} recovery codes left.
        {isNeeded ? ' Your role requires two-factor authentication, so you cannot turn it off.' : null}
      </p>
      <div class="row">
        <form method="post" action={`${PATH}/recovery-codes`}>
          <button type="submit" class="quiet">
            New recovery codes
          </button>
        </form>
        {user.hasTotp ? null : <a href={`${PATH}/totp`}>Set up an authenticator app</a>}
        {!user.hasTotp || (isNeeded && user.passkeys === 0) ? null : (
          <form method="post" action={`${PATH}/totp/off`}>
            <button type="submit" class="danger">
              {user.passkeys === 0 ? 'Turn it off' : 'Remove the authenticator app'}
            </button>
          </form>
        )}
      </div>
    </>
  );
}

const factorsOf = ({ hasTotp, passkeys }: User): string =>
  [hasTotp ? 'an authenticator app' : '', passkeys > 0 ? count(passkeys, 'passkey') : '']
    .filter(Boolean)
    .join(' and ');

const totpPage = (
  { mustSetUpTwoFactor }: Visitor,
  { secret, uri }: { readonly secret: string; readonly uri: string },
  state: FormState,
  status = 200,
): WebReply =>
  page(
    mustSetUpTwoFactor ? null : 'account',
    'Set up two-factor authentication',
    <form method="post" action={`${PATH}/totp`} class="column">
      <FormFault state={state} />
      {mustSetUpTwoFactor ? (
        <p class="notice care">Your role requires two-factor authentication. Set it up to continue.</p>
      ) : null}
      <p>Scan this with an authenticator app, or enter the key in it. Then enter the code that it shows.</p>
      {uri === '' ? null : <QrCode text={uri} />}
      <p>
        Key: <code>{secret}</code>
      </p>
      <input type="hidden" name="secret" value={secret} />
      <Field state={state} name="code" label="Code" inputmode="numeric" autocomplete="one-time-code" focus />
      <p class="actions">
        <button type="submit">Turn it on</button>
        <a href={`${PATH}/passkeys`}>Use a passkey instead</a>
        {mustSetUpTwoFactor ? (
          <button type="submit" class="quiet" formaction="/sign-out">
            Sign out
          </button>
        ) : (
          <a href={PATH}>Cancel</a>
        )}
      </p>
    </form>,
    status,
  );

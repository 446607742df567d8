import type {
  ConfirmPassword,
  GiveCode,
  ManageSessions,
  Visitor,
} from '../../../../../application/access/sessions.ts';
import type { SignIn } from '../../../../../application/access/sign-in.ts';
import type { SsoOffer } from '../../../../../application/access/sso-sign-in.ts';
import { Field, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { nextPath, submit } from '../../form-state.ts';
import { page, redirect, type WebReply, type WebRoute } from '../../route.ts';
import { ProviderButtons, SignedOut, type SsoDeps, ssoPath } from './sso.tsx';

export interface SignInDeps extends SsoDeps {
  readonly signIn: Pick<SignIn, 'execute' | 'isSetUp'>;
  readonly giveCode: Pick<GiveCode, 'execute'>;
  readonly confirmPassword: Pick<ConfirmPassword, 'execute'>;
  readonly manageSessions: Pick<ManageSessions, 'end'>;
}

/** Signing in, in one or two steps, giving the password again, and signing out. */
export function signInRoutes(deps: SignInDeps): readonly WebRoute[] {
  const { signIn, giveCode, confirmPassword, manageSessions, ssoSignIn } = deps;
  return [
    {
      method: 'GET',
      path: '/sign-in',
      needs: 'nobody',
      handle: async ({ query }) => {
        if (!(await signIn.isSetUp())) return noAdministratorPage();
        const shown = { offer: await ssoSignIn.offer(), from: query.get('from') };
        return signInPage(NEW_FORM, query.get('next'), shown);
      },
    },
    {
      method: 'POST',
      path: '/sign-in',
      needs: 'nobody',
      handle: ({ form, browser }) => {
        const next = nextPath(form.get('next'));
        return submit(
          form,
          async () => {
            const given = { name: form.get('name') ?? '', password: form.get('password') ?? '' };
            const { session, secret, device } = await signIn.execute(given, browser);
            const to = session.stage === 'code' ? `/code?next=${encodeURIComponent(next)}` : next;
            return { ...redirect(to, secret), device };
          },
          async (state) => signInPage(state, next, { offer: await ssoSignIn.offer(), status: 401 }),
        );
      },
    },
    {
      method: 'GET',
      path: '/code',
      needs: 'code',
      handle: ({ query }) => codePage(NEW_FORM, query.get('next')),
    },
    {
      method: 'POST',
      path: '/code',
      needs: 'code',
      handle: ({ form, visitor, browser }) => {
        const next = nextPath(form.get('next'));
        return submit(
          form,
          async () => {
            const { secret, device } = await giveCode.execute(visitor, form.get('code') ?? '', browser);
            return { ...redirect(next, secret), device };
          },
          (state) => codePage(state, next, 401),
        );
      },
    },
    {
      method: 'GET',
      path: '/confirm',
      needs: 'viewer',
      beforeTwoFactor: true,
      handle: ({ query, visitor }) =>
        confirmPage(visitor, NEW_FORM, { next: query.get('next'), fromForm: query.has('form') }),
    },
    {
      method: 'POST',
      path: '/confirm',
      needs: 'viewer',
      beforeTwoFactor: true,
      handle: ({ form, visitor, browser }) => {
        const next = nextPath(form.get('next'));
        return submit(
          form,
          async () => {
            await confirmPassword.execute(visitor, form.get('password') ?? '', browser.address);
            return redirect(next);
          },
          (state) => confirmPage(visitor, state, { next, fromForm: form.has('form'), status: 401 }),
        );
      },
    },
    {
      method: 'POST',
      path: '/sign-out',
      needs: 'code',
      beforeTwoFactor: true,
      handle: async ({ visitor }) => {
        const { id, provider } = visitor.session;
        await manageSessions.end(visitor, id);
        return redirect(provider === null ? '/sign-in' : `/sign-in?from=${provider}`, null);
      },
    },
  ];
}

interface SignInShown {
  readonly offer: SsoOffer;
  /** The provider of the session that was just ended. */
  readonly from?: string | null;
  readonly status?: number;
}

const signInPage = (
  state: FormState,
  next: string | null,
  { offer, from = null, status = 200 }: SignInShown,
): WebReply =>
  page(
    null,
    'Sign in',
    <form method="post" action="/sign-in">
      <SignedOut offer={offer} from={from} />
      <FormFault state={state} />
      <ProviderButtons offer={offer} next={nextPath(next)} />
      <input type="hidden" name="next" value={nextPath(next)} />
      <Field state={state} name="name" label="Name" autocomplete="username" focus />
      <Field state={state} name="password" label="Password" type="password" autocomplete="current-password" />
      <button type="submit">Sign in</button>
      <p class="help">
        Forgot your password? An administrator can create a link for you, or on the service's machine:{' '}
        <code>drover user link NAME</code>
      </p>
    </form>,
    status,
  );

const noAdministratorPage = (): WebReply =>
  page(
    null,
    'No account exists yet',
    <>
      <p>
        The service printed a link for the first administrator when it started. Open that link to choose a
        name and a password.
      </p>
      <p>
        For a new link, run on the service's machine: <code>drover user setup</code>
      </p>
    </>,
  );

const codePage = (state: FormState, next: string | null, status = 200): WebReply =>
  page(
    null,
    'Two-factor authentication',
    <form method="post" action="/code">
      <FormFault state={state} />
      <input type="hidden" name="next" value={nextPath(next)} />
      <Field
        state={state}
        name="code"
        label="Code"
        help="The six-digit code from your authenticator app, or a recovery code."
        autocomplete="one-time-code"
        focus
      />
      <button type="submit">Continue</button>
    </form>,
    status,
  );

interface ConfirmShown {
  readonly next: string | null;
  readonly fromForm: boolean;
  readonly status?: number;
}

const confirmPage = (
  { user, session: { provider } }: Visitor,
  state: FormState,
  { next, fromForm, status = 200 }: ConfirmShown,
): WebReply =>
  page(
    null,
    "Confirm it's you",
    <form method="post" action="/confirm">
      <FormFault state={state} />
      <p>
        {provider === null
          ? 'Enter your password again, in case someone else uses your browser.'
          : 'Prove again who you are, in case someone else uses your browser.'}
      </p>
      {fromForm ? (
        <p class="notice">
          The form that you sent was not applied, and its contents were not kept. Fill it in again after this.
          <input type="hidden" name="form" value="1" />
        </p>
      ) : null}
      {provider === null ? null : (
        <p>
          <a
            class="button"
            href={`${ssoPath(provider)}?${new URLSearchParams({ confirm: '1', next: nextPath(next) })}`}
          >
            Sign in at the provider again
          </a>
        </p>
      )}
      {provider !== null && !user.hasPassword ? null : (
        <>
          <input type="hidden" name="next" value={nextPath(next)} />
          <Field
            state={state}
            name="password"
            label="Password"
            type="password"
            autocomplete="current-password"
            focus
          />
          <button type="submit">Continue</button>
        </>
      )}
    </form>,
    status,
  );

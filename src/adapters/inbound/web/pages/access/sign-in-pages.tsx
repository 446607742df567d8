import type { VNode } from 'preact';
import type { Visitor } from '../../../../../application/access/sessions.ts';
import type { SsoOffer } from '../../../../../application/access/sso-sign-in.ts';
import {
  FORWARD_AUTH,
  type ForwardAuthSettings,
  type ForwardedHeaders,
} from '../../../../../domain/access/forward-auth.ts';
import { Field, FormFault, type FormState } from '../../components/form.tsx';
import { nextPath } from '../../form-state.ts';
import { type PageReply, page, type WebReply } from '../../route.ts';
import { ForwardedButton, ProxySignOut } from './forward-auth.tsx';
import { withPasskeyScript } from './passkey-form.tsx';
import { PasskeyStep } from './passkey-steps.tsx';
import { ProviderButtons, SignedOut, ssoPath } from './sso.tsx';

interface SignInShown {
  readonly offer: SsoOffer;
  /** The provider of the session that was just ended. */
  readonly from?: string | null;
  readonly isOffered: boolean;
  readonly proxy: ForwardAuthSettings | null;
  readonly forwarded: ForwardedHeaders | null;
  readonly status?: number;
}

/** The ways to take a step: with a passkey, and with a form. */
const framed = (title: string, status: number, ...ways: readonly (VNode | null)[]): PageReply =>
  withPasskeyScript(page(null, title, <>{ways}</>, status));

export const signInPage = (
  state: FormState,
  next: string | null,
  { offer, from = null, isOffered, proxy, forwarded, status = 200 }: SignInShown,
): WebReply =>
  framed(
    'Sign in',
    status,
    <ForwardedButton settings={proxy} forwarded={forwarded} next={nextPath(next)} />,
    <form method="post" action="/sign-in">
      <SignedOut offer={offer} from={from} />
      <ProxySignOut settings={proxy} from={from} />
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
    isOffered ? <PasskeyStep action="/sign-in/passkey" next={next} label="Sign in with a passkey" /> : null,
  );

export const noAdministratorPage = (): WebReply =>
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

interface CodeShown {
  readonly next: string | null;
  readonly isOffered: boolean;
  readonly status?: number;
}

export const codePage = (
  { user }: Visitor,
  state: FormState,
  { next, isOffered, status = 200 }: CodeShown,
): WebReply =>
  framed(
    'Two-factor authentication',
    status,
    isOffered && user.passkeys > 0 ? (
      <PasskeyStep action="/code/passkey" next={next} label="Use a passkey" />
    ) : null,
    <form method="post" action="/code">
      <FormFault state={state} />
      <input type="hidden" name="next" value={nextPath(next)} />
      <Field
        state={state}
        name="code"
        label="Code"
        help={
          user.hasTotp
            ? 'The six-digit code from your authenticator app, or a recovery code.'
            : 'A recovery code, if you do not have your passkey.'
        }
        autocomplete="one-time-code"
        focus
      />
      <button type="submit">Continue</button>
    </form>,
  );

interface ConfirmShown {
  readonly next: string | null;
  readonly fromForm: boolean;
  readonly isOffered: boolean;
  readonly status?: number;
}

export const confirmPage = (
  { user, session: { provider } }: Visitor,
  state: FormState,
  { next, fromForm, isOffered, status = 200 }: ConfirmShown,
): WebReply => ({
  ...framed(
    "Confirm it's you",
    status,
    isOffered && user.passkeys > 0 ? (
      <PasskeyStep action="/confirm/passkey" next={next} label="Use a passkey" />
    ) : null,
    <form method="post" action="/confirm">
      <FormFault state={state} />
      <p>
        {provider === null
          ? 'Enter your password again, in case someone else uses your browser.'
          : provider === FORWARD_AUTH
            ? 'Use a passkey, or sign out and sign in again: the proxy cannot prove again who you are.'
            : 'Prove again who you are, in case someone else uses your browser.'}
      </p>
      {fromForm ? (
        <p class="notice">
          The form that you sent was not applied, and its contents were not kept. Fill it in again after this.
          <input type="hidden" name="form" value="1" />
        </p>
      ) : null}
      {provider === null || provider === FORWARD_AUTH ? null : (
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
  ),
  area: 'account',
});

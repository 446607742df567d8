import type { LinkPurpose, TakeUpLink } from '../../../../../application/access/account-links.ts';
import type { Browser, SignIn } from '../../../../../application/access/sign-in.ts';
import { MIN_PASSWORD_LENGTH } from '../../../../../domain/access/user.ts';
import { isDomainError } from '../../../../../domain/base/errors.ts';
import { Field, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { submit } from '../../form-state.ts';
import { page, redirect, type WebReply, type WebRoute } from '../../route.ts';

export interface WelcomeDeps {
  readonly takeUpLink: Pick<TakeUpLink, 'look' | 'execute'>;
  readonly signIn: Pick<SignIn, 'execute'>;
}

/**
 * The target of one-time links. Their secret follows the `#`, which browsers send to no server: the page's script
 * moves it into the form, and removes it from the address.
 */
export function welcomeRoutes(deps: WelcomeDeps): readonly WebRoute[] {
  const { takeUpLink } = deps;
  return [
    { method: 'GET', path: '/welcome', needs: 'nobody', handle: () => linkPage(NEW_FORM) },
    {
      method: 'POST',
      path: '/welcome',
      needs: 'nobody',
      handle: ({ form, browser }) =>
        submit(
          form,
          async () => {
            const link = form.get('link') ?? '';
            return passwordPage(link, await takeUpLink.look(link, browser.address), NEW_FORM);
          },
          (state) => linkPage(state, 410),
        ),
    },
    {
      method: 'POST',
      path: '/welcome/password',
      needs: 'nobody',
      handle: async ({ form, browser }) => {
        const link = form.get('link') ?? '';
        const purpose = await takeUpLink.look(link, browser.address);
        return submit(
          form,
          async () => {
            const asked = { name: form.get('name') ?? '', password: form.get('password') ?? '' };
            const { name } = await takeUpLink.execute(link, asked, browser.address);
            return signedIn(deps, { name, password: asked.password }, browser);
          },
          (state) => passwordPage(link, purpose, state, 422),
        );
      },
    },
  ];
}

/** The password was just chosen: it does not have to be typed again. */
async function signedIn(
  { signIn }: WelcomeDeps,
  given: { readonly name: string; readonly password: string },
  browser: Browser,
): Promise<WebReply> {
  try {
    const { session, secret, device } = await signIn.execute(given, browser);
    return { ...redirect(session.stage === 'code' ? '/code' : '/', secret), device };
  } catch (error) {
    // Too many attempts before: the password is set, and the sign-in says how long to wait.
    if (isDomainError(error, 'sign_in_throttled')) return redirect('/sign-in');
    throw error;
  }
}

const linkPage = (state: FormState, status = 200): WebReply =>
  page(
    null,
    'Welcome',
    <form method="post" action="/welcome" data-link-form>
      <FormFault state={state} />
      <p>With this link you choose your password. It works once.</p>
      <Field
        state={state}
        name="link"
        label="Link code"
        help="The part of the link after #. Filled in automatically."
        focus
      />
      <button type="submit">Continue</button>
    </form>,
    status,
  );

const passwordPage = (link: string, purpose: LinkPurpose, state: FormState, status = 200): WebReply =>
  page(
    null,
    purpose.kind === 'first' ? 'The first administrator' : `Welcome, ${purpose.name}`,
    <form method="post" action="/welcome/password">
      <FormFault state={state} />
      <input type="hidden" name="link" value={link} />
      {purpose.kind === 'first' ? (
        <Field
          state={state}
          name="name"
          label="Your name"
          autocomplete="username"
          help="Used to sign in."
          focus
        />
      ) : (
        <input type="hidden" name="username" value={purpose.name} autocomplete="username" />
      )}
      <Field
        state={state}
        name="password"
        label="Password"
        type="password"
        autocomplete="new-password"
        help={`At least ${MIN_PASSWORD_LENGTH} characters. Four unrelated words are strong and easy to remember.`}
      />
      <button type="submit">{purpose.kind === 'first' ? 'Create account' : 'Set password'}</button>
    </form>,
    status,
  );

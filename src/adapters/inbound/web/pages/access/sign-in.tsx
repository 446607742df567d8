import type { ForwardAuth } from '../../../../../application/access/forward-auth.ts';
import type {
  ConfirmPassword,
  GiveCode,
  ManageSessions,
} from '../../../../../application/access/sessions.ts';
import type { SignIn } from '../../../../../application/access/sign-in.ts';
import { type FormState, NEW_FORM } from '../../components/form.tsx';
import { nextPath, submit } from '../../form-state.ts';
import { redirect, type SignedInVisit, type Visit, type WebReply, type WebRoute } from '../../route.ts';
import { forwardAuthRoutes } from './forward-auth.tsx';
import { type PasskeySignInDeps, passkeySteps } from './passkey-steps.tsx';
import { codePage, confirmPage, noAdministratorPage, signInPage } from './sign-in-pages.tsx';
import type { SsoDeps } from './sso.tsx';

export interface SignInDeps extends SsoDeps, PasskeySignInDeps {
  readonly signIn: Pick<SignIn, 'execute' | 'isSetUp'>;
  readonly forwardAuth: Pick<ForwardAuth, 'settings' | 'signIn'>;
  readonly giveCode: Pick<GiveCode, 'execute'>;
  readonly confirmPassword: Pick<ConfirmPassword, 'execute'>;
  readonly manageSessions: Pick<ManageSessions, 'end'>;
}

/** Signing in, in one or two steps, giving the password again, and signing out. */
export function signInRoutes(deps: SignInDeps): readonly WebRoute[] {
  const { signIn, forwardAuth, giveCode, confirmPassword, manageSessions, ssoSignIn, passkeySignIn } = deps;
  const isOffered = ({ origin }: Visit): boolean => passkeySignIn.isOfferedAt(origin);
  const signInAgain = async (visit: Visit, state: FormState): Promise<WebReply> => {
    const shown = {
      offer: await ssoSignIn.offer(),
      isOffered: isOffered(visit),
      ...proxyOf(visit),
      status: 401,
    };
    return signInPage(state, visit.form.get('next'), shown);
  };
  const proxyOf = ({ forwarded }: Visit) => ({ proxy: forwardAuth.settings, forwarded });
  const codeAgain = (visit: SignedInVisit, state: FormState): WebReply =>
    codePage(visit.visitor, state, {
      next: visit.form.get('next'),
      isOffered: isOffered(visit),
      status: 401,
    });
  const confirmAgain = (visit: SignedInVisit, state: FormState): WebReply =>
    confirmPage(visit.visitor, state, {
      next: visit.form.get('next'),
      fromForm: visit.form.has('form'),
      isOffered: isOffered(visit),
      status: 401,
    });
  return [
    ...forwardAuthRoutes(deps),
    ...passkeySteps(deps, { signIn: signInAgain, code: codeAgain, confirm: confirmAgain }),
    {
      method: 'GET',
      path: '/sign-in',
      needs: 'nobody',
      handle: async (visit) => {
        const { query } = visit;
        if (!(await signIn.isSetUp())) return noAdministratorPage();
        const shown = {
          offer: await ssoSignIn.offer(),
          from: query.get('from'),
          isOffered: isOffered(visit),
          ...proxyOf(visit),
        };
        return signInPage(NEW_FORM, query.get('next'), shown);
      },
    },
    {
      method: 'POST',
      path: '/sign-in',
      needs: 'nobody',
      handle: (visit) => {
        const { form, browser } = visit;
        const next = nextPath(form.get('next'));
        return submit(
          form,
          async () => {
            const given = { name: form.get('name') ?? '', password: form.get('password') ?? '' };
            const { session, secret, device } = await signIn.execute(given, browser);
            const to = session.stage === 'code' ? `/code?next=${encodeURIComponent(next)}` : next;
            return { ...redirect(to, secret), device };
          },
          (state) => signInAgain(visit, state),
        );
      },
    },
    {
      method: 'GET',
      path: '/code',
      needs: 'code',
      handle: (visit) =>
        codePage(visit.visitor, NEW_FORM, {
          next: visit.query.get('next'),
          isOffered: isOffered(visit),
        }),
    },
    {
      method: 'POST',
      path: '/code',
      needs: 'code',
      handle: (visit) => {
        const { form, visitor, browser } = visit;
        const next = nextPath(form.get('next'));
        return submit(
          form,
          async () => {
            const { secret, device } = await giveCode.execute(visitor, form.get('code') ?? '', browser);
            return { ...redirect(next, secret), device };
          },
          (state) => codeAgain(visit, state),
        );
      },
    },
    {
      method: 'GET',
      path: '/confirm',
      needs: 'viewer',
      beforeTwoFactor: true,
      handle: (visit) =>
        confirmPage(visit.visitor, NEW_FORM, {
          next: visit.query.get('next'),
          fromForm: visit.query.has('form'),
          isOffered: isOffered(visit),
        }),
    },
    {
      method: 'POST',
      path: '/confirm',
      needs: 'viewer',
      beforeTwoFactor: true,
      handle: (visit) => {
        const { form, visitor, browser } = visit;
        const next = nextPath(form.get('next'));
        return submit(
          form,
          async () => {
            const password = form.get('password') ?? '';
            return redirect(next, await confirmPassword.execute(visitor, password, browser.address));
          },
          (state) => confirmAgain(visit, state),
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

import type { ForwardAuth } from '../../../../../application/access/forward-auth.ts';
import {
  FORWARD_AUTH,
  type ForwardAuthSettings,
  type ForwardedHeaders,
} from '../../../../../domain/access/forward-auth.ts';
import { nextPath } from '../../form-state.ts';
import { redirect, type WebRoute } from '../../route.ts';
import { explained } from './sso.tsx';

const PATH = '/sign-in/proxy';

/** Signing in as the user whom a trusted proxy names. */
export const forwardAuthRoutes = ({
  forwardAuth,
}: {
  readonly forwardAuth: Pick<ForwardAuth, 'signIn'>;
}): readonly WebRoute[] => [
  {
    method: 'POST',
    path: PATH,
    needs: 'nobody',
    handle: (visit) =>
      explained(visit, async () => {
        const next = nextPath(visit.form.get('next'));
        const { session, secret, device } = await forwardAuth.signIn(visit.forwarded, visit.browser);
        const to = session.stage === 'code' ? `/code?next=${encodeURIComponent(next)}` : next;
        return { ...redirect(to, secret), device };
      }),
  },
];

interface Props {
  readonly settings: ForwardAuthSettings | null;
}

export const ForwardedButton = ({
  settings,
  forwarded,
  next,
}: Props & { readonly forwarded: ForwardedHeaders | null; readonly next: string }) =>
  settings === null || forwarded === null ? null : (
    <form method="post" action={PATH}>
      <input type="hidden" name="next" value={next} />
      <button type="submit">Sign in as {(forwarded.user[0] ?? '').slice(0, 60)}</button>
    </form>
  );

/** After signing out of Drover: the proxy still knows the browser. */
export const ProxySignOut = ({ settings, from }: Props & { readonly from: string | null }) =>
  settings === null || settings.signOutUrl === null || from !== FORWARD_AUTH ? null : (
    <p class="notice good" role="status">
      You are signed out of Drover. <a href={settings.signOutUrl}>Also sign out of the proxy</a>
    </p>
  );

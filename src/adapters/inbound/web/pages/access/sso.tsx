import type { SsoOffer, SsoSignIn } from '../../../../../application/access/sso-sign-in.ts';
import { type SsoReason, SsoRefusal } from '../../../../../domain/access/sso-identity.ts';
import { nextPath } from '../../form-state.ts';
import { page, redirect, type Visit, type WebReply, type WebRoute } from '../../route.ts';

export interface SsoDeps {
  readonly ssoSignIn: Pick<SsoSignIn, 'offer' | 'start' | 'finish' | 'signOutUrl'>;
}

const PATTERN = '/sign-in/sso/:name';

export const ssoPath = (name: string): string => `/sign-in/sso/${encodeURIComponent(name)}`;

/** Refused for good, though the provider proved who it is. */
const FORBIDDEN: ReadonlySet<SsoReason> = new Set([
  'no_role',
  'groups_missing',
  'account_disabled',
  'already_linked',
  'break_glass',
  'identity_taken',
]);
/** Not the user's fault: a later try may work. */
const UNAVAILABLE: ReadonlySet<SsoReason> = new Set(['provider_unreachable', 'throttled']);

/** Signing in at a provider, and out again. */
export const ssoRoutes = ({ ssoSignIn }: SsoDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: PATTERN,
    needs: 'nobody',
    handle: (visit) =>
      explained(visit, async () => {
        const { params, query } = visit;
        const purpose = query.has('confirm') ? 'confirm' : 'sign_in';
        const wanted = { purpose, next: nextPath(query.get('next')) } as const;
        const { url, secret } = await ssoSignIn.start(params['name'] ?? '', wanted);
        return { ...redirect(url), sso: secret };
      }),
  },
  {
    method: 'GET',
    path: `${PATTERN}/callback`,
    needs: 'nobody',
    handle: (visit) =>
      explained(visit, async () => {
        const { params, query, ssoSecret, browser, visitor } = visit;
        const answer = { secret: ssoSecret, answer: query };
        const { next, session } = await ssoSignIn.finish(params['name'] ?? '', answer, browser, visitor);
        if (session === null) return { ...redirect(next), sso: null };
        if (!('session' in session)) return { ...redirect(next, session.secret), sso: null };
        const to = session.session.stage === 'code' ? `/code?next=${encodeURIComponent(next)}` : next;
        return { ...redirect(to, session.secret), device: session.device, sso: null };
      }),
  },
  {
    method: 'GET',
    path: `${PATTERN}/sign-out`,
    needs: 'nobody',
    handle: (visit) =>
      explained(visit, async () =>
        redirect((await ssoSignIn.signOutUrl(visit.params['name'] ?? '')) ?? '/sign-in'),
      ),
  },
];

export async function explained(
  { query }: Pick<Visit, 'query'>,
  work: () => Promise<WebReply>,
): Promise<WebReply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SsoRefusal)) throw error;
    return refusedPage(error, query.has('confirm') ? '/confirm' : '/sign-in');
  }
}

function refusedPage({ reason, message }: SsoRefusal, back: string): WebReply {
  const status = FORBIDDEN.has(reason) ? 403 : UNAVAILABLE.has(reason) ? 503 : 401;
  return page(
    null,
    'You are not signed in',
    <>
      <p class="notice bad" role="alert" data-reason={reason}>
        {message}
      </p>
      <p>
        <a class="button" href={back}>
          Back to sign-in
        </a>
      </p>
    </>,
    status,
  );
}

/** A button for each provider. */
export const ProviderButtons = ({
  offer: { providers, required },
  next,
}: {
  readonly offer: SsoOffer;
  readonly next: string;
}) =>
  providers.length === 0 && !required ? null : (
    <div class="column providers">
      {providers.map(({ name, label }) => (
        <a key={name} class="button" href={`${ssoPath(name)}?${new URLSearchParams({ next })}`}>
          Sign in with {label}
        </a>
      ))}
      <p class="help">
        {required
          ? 'Single sign-on is required. Only the break-glass administrator can sign in with a password:'
          : 'Or with a password:'}
      </p>
    </div>
  );

/** After signing out of Drover: the provider still knows the browser. */
export const SignedOut = ({
  offer: { providers },
  from,
}: {
  readonly offer: SsoOffer;
  readonly from: string | null;
}) => {
  const provider = providers.find(({ name }) => name === from);
  if (provider === undefined) return null;
  return (
    <p class="notice good" role="status">
      You are signed out of Drover.{' '}
      <a href={`${ssoPath(provider.name)}/sign-out`}>Also sign out at {provider.label}</a>
    </p>
  );
};

import type { LinkIdentity } from '../../../../../application/access/link-identity.ts';
import type { SsoOffer, SsoSignIn } from '../../../../../application/access/sso-sign-in.ts';
import type { User } from '../../../../../domain/access/user.ts';
import { Card } from '../../components/card.tsx';
import { done, page, redirect, type WebRoute } from '../../route.ts';
import { explained } from './sso.tsx';

export interface LinkDeps {
  readonly ssoSignIn: Pick<SsoSignIn, 'offer' | 'startLink' | 'linkUrl'>;
  readonly linkIdentity: Pick<LinkIdentity, 'unlink'>;
}

const PATH = '/account';
const PATTERN = `${PATH}/link/:name`;

/** Linking the own account to a provider. The form's answer may not lead to another site, a link on a page may. */
export const linkRoutes = ({ ssoSignIn, linkIdentity }: LinkDeps): readonly WebRoute[] => [
  {
    method: 'POST',
    path: PATTERN,
    needs: 'viewer',
    confirm: true,
    handle: (visit) =>
      explained(visit, async () => {
        const name = visit.params['name'] ?? '';
        const secret = await ssoSignIn.startLink(name, visit.visitor);
        return { ...redirect(`${PATH}/link/${encodeURIComponent(name)}`), sso: secret };
      }),
  },
  {
    method: 'GET',
    path: PATTERN,
    needs: 'viewer',
    confirm: true,
    handle: (visit) =>
      explained(visit, async () => {
        const name = visit.params['name'] ?? '';
        const url = await ssoSignIn.linkUrl(name, visit.ssoSecret, visit.visitor);
        if (url === null) return redirect(PATH);
        return page(
          'account',
          'Link your account',
          <>
            <p>
              Sign in at the provider with the account that you want to link. You can then sign in to Drover
              there, and your groups there decide your role.
            </p>
            <p>
              <a class="button" href={url}>
                Continue
              </a>
            </p>
          </>,
        );
      }),
  },
  {
    method: 'POST',
    path: `${PATH}/unlink`,
    needs: 'viewer',
    confirm: true,
    handle: async ({ visitor }) => {
      await linkIdentity.unlink(visitor);
      return done(PATH, visitor.user.name);
    },
  },
];

/** Its label; its address if it is switched off or removed. */
export const providerOf = (issuer: string, providers: SsoOffer['providers']): string =>
  providers.find((provider) => provider.issuer === issuer)?.label ?? issuer;

interface LinkedProps {
  readonly user: User;
  readonly offer: SsoOffer;
}

/** Nothing for accounts that only their provider knows. */
export function LinkedAccount({ user, offer: { providers } }: LinkedProps) {
  if (!user.hasPassword || (user.issuer === null && providers.length === 0)) return null;
  return (
    <Card title="Single sign-on">
      {user.issuer === null ? (
        <div class="row">
          {providers.map(({ name, label }) => (
            <form key={name} method="post" action={`${PATH}/link/${encodeURIComponent(name)}`}>
              <button type="submit" class="quiet">
                Link with {label}
              </button>
            </form>
          ))}
        </div>
      ) : (
        <form method="post" action={`${PATH}/unlink`}>
          <p class="quiet">
            You can also sign in with {providerOf(user.issuer, providers)}, which then decides your role.
          </p>
          <button type="submit" class="quiet danger">
            Unlink
          </button>
        </form>
      )}
    </Card>
  );
}

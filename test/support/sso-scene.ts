import type { HttpPoster } from '../../src/adapters/outbound/notifications/http-poster.ts';
import { OpenidProviders } from '../../src/adapters/outbound/oidc/openid-providers.ts';
import { ForwardAuth } from '../../src/application/access/forward-auth.ts';
import { LinkIdentity } from '../../src/application/access/link-identity.ts';
import { ManageSso } from '../../src/application/access/manage-sso.ts';
import { SsoAccounts } from '../../src/application/access/sso-accounts.ts';
import { type EnvironmentProvider, SsoProviders } from '../../src/application/access/sso-providers.ts';
import { SsoSignIn } from '../../src/application/access/sso-sign-in.ts';
import type { ForwardAuthSettings } from '../../src/domain/access/forward-auth.ts';
import type { AccountsScene } from './accounts-scene.ts';

interface Options {
  readonly publicUrl: string | null;
  readonly poster: HttpPoster;
  readonly environmentProvider?: EnvironmentProvider;
  readonly forwardAuth?: ForwardAuthSettings | null;
}

/** Single sign-on over the accounts of a scene, at real providers. */
export function ssoScene(
  scene: AccountsScene,
  { publicUrl, poster, environmentProvider, forwardAuth = null }: Options,
) {
  const ssoProviders = new SsoProviders({
    ...scene,
    publicUrl,
    environmentProvider: environmentProvider ?? null,
  });
  const linkIdentity = new LinkIdentity(scene);
  const deps = {
    ...scene,
    linkIdentity,
    forwardAuth,
    ssoProviders,
    ssoAccounts: new SsoAccounts(scene),
    identityProviders: new OpenidProviders({ http: poster }),
  };
  return {
    ssoSignIn: new SsoSignIn(deps),
    manageSso: new ManageSso(deps),
    linkIdentity,
    forwardAuth: new ForwardAuth(deps),
  };
}

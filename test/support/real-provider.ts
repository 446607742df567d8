import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

interface Options {
  /** By user: their claims beside `sub`. */
  readonly users: Record<string, Record<string, unknown>>;
  readonly redirectUris: readonly string[];
  /** Claims are in the ID token; otherwise the userinfo endpoint alone has them. */
  readonly claimsInToken?: boolean;
}

export interface RealProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who signs in next at the provider's own page. */
  user: string;
  /** Signs in there: follows the provider's redirects until one leads elsewhere, and returns that. */
  follow(url: string, cookies?: Map<string, string>): Promise<URL>;
  close(): Promise<void>;
}

/** A certified OpenID provider, https://github.com/panva/node-oidc-provider, on the loopback interface. */
export async function realProvider({
  users,
  redirectUris,
  claimsInToken = true,
}: Options): Promise<RealProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { clientId: 'drover', clientSecret: 'a-secret-of-the-client' };
  const current = { user: Object.keys(users)[0] ?? '' };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: [...redirectUris],
        post_logout_redirect_uris: redirectUris.map((uri) => `${new URL(uri).origin}/sign-in`),
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    conformIdTokenClaims: !claimsInToken,
    claims: {
      openid: ['sub'],
      profile: ['preferred_username', 'name'],
      email: ['email', 'email_verified'],
      groups: ['groups'],
    },
    scopes: ['openid', 'profile', 'email', 'groups'],
    cookies: { keys: ['only-for-tests'] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, ...users[accountId] }),
    }),
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    loadExistingGrant: async (ctx) => {
      const grant = new ctx.oidc.provider.Grant({
        clientId: ctx.oidc.client?.clientId ?? '',
        accountId: ctx.oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope('openid profile email groups');
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  server.on('request', (req, res) => {
    if (req.url?.startsWith('/interaction/'))
      void provider.interactionFinished(req, res, { login: { accountId: current.user } });
    else void answer(req, res);
  });
  return {
    issuer,
    ...client,
    get user() {
      return current.user;
    },
    set user(name) {
      current.user = name;
    },
    follow: (url, cookies = new Map()) => follow(new URL(url), issuer, cookies),
    close: () => closed(server),
  };
}

async function follow(from: URL, issuer: string, cookies: Map<string, string>): Promise<URL> {
  let url = from;
  for (let step = 0; step < 10 && url.origin === issuer; step += 1) {
    const reply = await fetch(url, {
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const set of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const to = reply.headers.get('location');
    if (to === null) throw new Error(`The provider answered ${reply.status}: ${await reply.text()}`);
    url = new URL(to, url);
  }
  return url;
}

export const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.closeAllConnections();
    server.close(() => resolve());
  });

import type { IdentityProviders } from '../../application/ports/access/identity-providers.ts';
import type { RepositoryInspector } from '../../application/ports/backups/repository-inspector.ts';
import { Chance } from './chance.ts';
import { onlyShown } from './demo-hosts.ts';

/** Repositories that do not exist are intact. */
export const DEMO_INSPECTOR: RepositoryInspector = {
  check: async (_host, { repository, found }) => {
    await found();
    return { snapshots: new Chance(repository.id * 6_151).between(120, 190) };
  },
};

const refused = (): Promise<never> => Promise.reject(onlyShown());

/** Providers that do not exist are set up well. No one signs in with them. */
export const DEMO_PROVIDERS: IdentityProviders = {
  authorizationUrl: refused,
  identify: refused,
  signOutUrl: refused,
  check: async ({ issuer }) => [
    { check: 'discovery', state: 'good', text: `Drover read the configuration of ${issuer}.` },
    { check: 'flow', state: 'good', text: 'The provider supports the authorization code flow with PKCE.' },
    { check: 'keys', state: 'good', text: 'Drover read the keys that sign tokens.' },
  ],
};

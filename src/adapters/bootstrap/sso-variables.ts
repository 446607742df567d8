import { DEFAULT_GROUPS_CLAIM, DEFAULT_SCOPES } from '../../domain/access/sso-provider.ts';
import { oneOf } from './config-values.ts';
import { flag, variable } from './read-variables.ts';
import { SecretValue } from './secret-value.ts';

const text = (raw: string): string => raw;

/** A provider of single sign-on, described by the environment. */
export const SSO_VARIABLES = {
  oidcIssuer: variable<string | null>({
    name: 'SERVICE_OIDC_ISSUER',
    type: 'address with https://',
    otherwise: 'no provider, unless one is set up under Settings > Sign-in',
    description:
      'The issuer of an OpenID Connect provider that users sign in with. Requires `SERVICE_OIDC_CLIENT_ID`, `SERVICE_OIDC_CLIENT_SECRET`, `SERVICE_OIDC_ROLES` and `SERVICE_PUBLIC_URL`. Register `SERVICE_PUBLIC_URL` with the path `/sign-in/sso/env/callback` as the redirect URI.',
    example: 'https://auth.example.org',
    read: text,
    fallback: null,
  }),
  oidcClientId: variable<string>({
    name: 'SERVICE_OIDC_CLIENT_ID',
    type: 'text',
    otherwise: 'none',
    description: 'The client ID that the provider gave Drover.',
    example: 'drover',
    read: text,
    fallback: '',
  }),
  oidcClientSecret: variable<SecretValue | null>({
    name: 'SERVICE_OIDC_CLIENT_SECRET',
    type: 'text without blanks',
    otherwise: 'none',
    secret: true,
    description: 'The client secret that the provider gave Drover.',
    example: '"$(cat client-secret.txt)"',
    read: (raw) => new SecretValue(raw),
    fallback: null,
  }),
  oidcLabel: variable<string>({
    name: 'SERVICE_OIDC_LABEL',
    type: 'text',
    otherwise: 'single sign-on',
    description: 'The name of the provider on the button of the sign-in page.',
    example: 'Authentik',
    read: text,
    fallback: 'single sign-on',
  }),
  oidcScopes: variable<string>({
    name: 'SERVICE_OIDC_SCOPES',
    type: 'scopes separated by blanks',
    otherwise: DEFAULT_SCOPES,
    description: 'The scopes that Drover asks for. Some providers send groups only with the scope `groups`.',
    example: '"openid profile email groups"',
    read: text,
    fallback: DEFAULT_SCOPES,
  }),
  oidcGroupsClaim: variable<string>({
    name: 'SERVICE_OIDC_GROUPS_CLAIM',
    type: 'name of a claim',
    otherwise: DEFAULT_GROUPS_CLAIM,
    description: 'The claim with the groups of a user.',
    example: 'roles',
    read: text,
    fallback: DEFAULT_GROUPS_CLAIM,
  }),
  oidcRoles: variable<string>({
    name: 'SERVICE_OIDC_ROLES',
    type: 'comma-separated GROUP=ROLE',
    otherwise: 'none: no one has access',
    description:
      'The role of the members of each group: `administrator`, `operator` or `viewer`; with `@TAG`, on servers with that tag. Users get the highest role of their groups; users without one have no access.',
    example: 'admins=administrator,staff=viewer',
    read: text,
    fallback: '',
  }),
  oidcTwoFactor: variable<'never' | 'claims' | 'always'>({
    name: 'SERVICE_OIDC_TWO_FACTOR',
    type: 'never, claims or always',
    otherwise: 'never',
    description:
      'Whether a sign-in at the provider counts as two-factor authentication: `never`, if its token says so in `amr` or `acr` (`claims`), or `always`.',
    example: 'claims',
    read: oneOf(['never', 'claims', 'always']),
    fallback: 'never',
  }),
  oidcAllowPrivate: flag(
    'SERVICE_OIDC_ALLOW_PRIVATE',
    'Lets Drover connect to the provider at loopback and private addresses. Set it if the provider is in your own network.',
  ),
} as const;

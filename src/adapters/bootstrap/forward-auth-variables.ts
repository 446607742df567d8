import { DEFAULT_HEADERS } from '../../domain/access/forward-auth.ts';
import { BadValue } from './config-values.ts';
import { flag, variable } from './read-variables.ts';

const header = (name: string, otherwise: string, description: string, example: string) =>
  variable<string>({
    name,
    type: 'name of a header',
    otherwise,
    description,
    example,
    read: (raw) => {
      if (/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(raw)) return raw;
      throw new BadValue('is not the name of a header: letters, digits and "-"');
    },
    fallback: otherwise,
  });

/** Users whom a trusted reverse proxy names. */
export const FORWARD_AUTH_VARIABLES = {
  forwardAuth: flag(
    'SERVICE_FORWARD_AUTH',
    'Lets users sign in as the user whom a proxy of `SERVICE_TRUSTED_PROXIES` names in its headers. The proxy has to remove these headers from requests of clients. Requires `SERVICE_FORWARD_AUTH_ROLES`.',
  ),
  forwardAuthUser: header(
    'SERVICE_FORWARD_AUTH_USER',
    DEFAULT_HEADERS.user,
    'The header with the name of the user.',
    'X-authentik-username',
  ),
  forwardAuthEmail: header(
    'SERVICE_FORWARD_AUTH_EMAIL',
    DEFAULT_HEADERS.email,
    'The header with the e-mail address of the user, from which the name of a new account is taken if needed.',
    'X-authentik-email',
  ),
  forwardAuthGroups: header(
    'SERVICE_FORWARD_AUTH_GROUPS',
    DEFAULT_HEADERS.groups,
    'The header with the groups of the user, separated by `,` or `|`.',
    'X-authentik-groups',
  ),
  forwardAuthRoles: variable<string>({
    name: 'SERVICE_FORWARD_AUTH_ROLES',
    type: 'comma-separated GROUP=ROLE',
    otherwise: 'none: no one has access',
    description: 'The role of the members of each group, as `SERVICE_OIDC_ROLES`.',
    example: 'admins=administrator,staff=viewer',
    read: (raw) => raw,
    fallback: '',
  }),
  forwardAuthTwoFactor: flag(
    'SERVICE_FORWARD_AUTH_TWO_FACTOR',
    'The proxy requires two factors: such a sign-in counts as two-factor authentication.',
  ),
  forwardAuthSignOutUrl: variable<string | null>({
    name: 'SERVICE_FORWARD_AUTH_SIGN_OUT_URL',
    type: 'address with https://',
    otherwise: 'none',
    description: 'Where users sign out of the proxy; linked after they sign out of Drover.',
    example: 'https://auth.example.org/logout',
    read: (raw) => {
      if (URL.canParse(raw) && new URL(raw).protocol === 'https:') return raw;
      throw new BadValue('does not start with https://');
    },
    fallback: null,
  }),
} as const;

import { describe, expect, it } from 'vitest';
import { environmentProvider } from '../../../src/adapters/bootstrap/modules/system.ts';
import { SecretValue } from '../../../src/adapters/bootstrap/secret-value.ts';

const CONFIG = {
  publicUrl: 'https://drover.example.org',
  oidcIssuer: 'https://auth.example.org/',
  oidcClientId: 'drover',
  oidcClientSecret: new SecretValue('hush'),
  oidcLabel: 'single sign-on',
  oidcScopes: 'openid profile email',
  oidcGroupsClaim: 'groups',
  oidcRoles: 'cn=admins=administrator, staff=viewer',
  oidcTwoFactor: 'claims',
  oidcAllowPrivate: false,
} as const;

describe('A sign-in provider from the environment', () => {
  it('is read from the variables', () => {
    expect(environmentProvider(CONFIG)).toMatchObject({
      clientSecret: 'hush',
      settings: {
        issuer: 'https://auth.example.org/',
        twoFactor: 'claims',
        roles: [
          { group: 'cn=admins', role: 'administrator' },
          { group: 'staff', role: 'viewer' },
        ],
      },
    });
    expect(environmentProvider({ ...CONFIG, oidcIssuer: null })).toBeNull();
  });

  it.each([
    ['SERVICE_OIDC_ISSUER', { oidcIssuer: 'http://auth.example.org' }],
    ['SERVICE_OIDC_CLIENT_ID', { oidcClientId: '' }],
    ['SERVICE_OIDC_CLIENT_SECRET', { oidcClientSecret: null }],
    ['SERVICE_OIDC_SCOPES', { oidcScopes: 'profile' }],
    ['SERVICE_OIDC_ROLES', { oidcRoles: 'admins=king' }],
    ['SERVICE_PUBLIC_URL', { publicUrl: null }],
  ])('names %s if it is wrong', (name, over) => {
    expect(() => environmentProvider({ ...CONFIG, ...over })).toThrow(`${name}: `);
  });
});

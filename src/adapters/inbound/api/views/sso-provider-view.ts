import type { ShownProvider } from '../../../../application/access/manage-sso.ts';

/** A provider of single sign-on without its secret. */
export const ssoProviderView = ({ provider, redirectUri, isFromEnvironment }: ShownProvider) => ({
  name: provider.name,
  label: provider.label,
  issuer: provider.issuer,
  client_id: provider.clientId,
  scopes: provider.scopes,
  groups_claim: provider.groupsClaim,
  roles: provider.roles,
  two_factor: provider.twoFactor,
  allow_private: provider.allowPrivate,
  enabled: provider.enabled,
  redirect_uri: redirectUri,
  from_environment: isFromEnvironment,
});

import type { EnvironmentProvider } from '../../application/access/sso-providers.ts';
import { clientSecret, ssoSettings } from '../../domain/access/sso-provider.ts';
import type { InputProblem } from '../../domain/base/errors.ts';
import type { Config } from './config.ts';
import { ConfigurationError } from './read-variables.ts';
import type { SSO_VARIABLES } from './sso-variables.ts';

type SsoConfig = Pick<Config, keyof typeof SSO_VARIABLES | 'publicUrl'>;

/** The provider from the environment, `null` if there is none. Throws `ConfigurationError`. */
export function environmentProvider(config: SsoConfig): EnvironmentProvider | null {
  if (config.oidcIssuer === null) return null;
  const problems: InputProblem[] = [];
  const settings = ssoSettings(
    {
      label: config.oidcLabel,
      issuer: config.oidcIssuer,
      clientId: config.oidcClientId,
      scopes: config.oidcScopes,
      groupsClaim: config.oidcGroupsClaim,
      roles: config.oidcRoles,
      twoFactor: config.oidcTwoFactor,
      allowPrivate: config.oidcAllowPrivate,
    },
    null,
    problems,
  );
  const secret = clientSecret(config.oidcClientSecret?.reveal() ?? '', problems);
  const faults = problems.map(({ path, message }) => ({
    name: `SERVICE_OIDC_${path.slice(1).toUpperCase()}`,
    detail: message,
  }));
  if (config.publicUrl === null)
    faults.push({ name: 'SERVICE_PUBLIC_URL', detail: 'it is not set, and SERVICE_OIDC_ISSUER is.' });
  if (faults.length > 0) throw new ConfigurationError(faults);
  return { settings, clientSecret: secret };
}

import {
  ENVIRONMENT_PROVIDER,
  type SsoProvider,
  type SsoSettings,
} from '../../domain/access/sso-provider.ts';
import { UseCase } from '../base/use-case.ts';
import type { ProviderClient } from '../ports/access/identity-providers.ts';

/** The place that a provider's client secret is encrypted for. */
export const providerPlace = (row: number) => ({ table: 'sso_providers', column: 'secret', row });

/** The provider that variables of the environment describe. */
export interface EnvironmentProvider {
  readonly settings: SsoSettings;
  readonly clientSecret: string;
}

/** The providers in the database and the one from the environment. */
export class SsoProviders extends UseCase<
  'box' | 'publicUrl' | 'sso.list',
  { readonly environmentProvider: EnvironmentProvider | null }
> {
  /** The one from the environment first, then by name. */
  async list(): Promise<readonly SsoProvider[]> {
    const { environmentProvider, sso } = this.deps;
    const fixed = environmentProvider === null ? [] : [ofEnvironment(environmentProvider.settings)];
    return [...fixed, ...(await sso.list())];
  }

  async find(name: string): Promise<SsoProvider | null> {
    return (await this.list()).find((provider) => provider.name === name) ?? null;
  }

  clientOf(provider: SsoProvider): ProviderClient {
    const { box, environmentProvider } = this.deps;
    const clientSecret = isFromEnvironment(provider)
      ? (environmentProvider?.clientSecret ?? '')
      : box.open(provider.sealedSecret, providerPlace(provider.id));
    return { ...provider, clientSecret };
  }

  /** Where the provider sends browsers back to; `null` without `SERVICE_PUBLIC_URL`. */
  redirectUri(name: string): string | null {
    const { publicUrl } = this.deps;
    return publicUrl === null ? null : `${publicUrl}/sign-in/sso/${name}/callback`;
  }

  /** Where the provider sends browsers after they signed out. */
  get signedOutUri(): string | null {
    return this.deps.publicUrl === null ? null : `${this.deps.publicUrl}/sign-in`;
  }
}

export const isFromEnvironment = ({ name }: Pick<SsoProvider, 'name'>): boolean =>
  name === ENVIRONMENT_PROVIDER;

const ofEnvironment = (settings: SsoSettings): SsoProvider => ({
  ...settings,
  id: 0,
  name: ENVIRONMENT_PROVIDER,
  sealedSecret: '',
  enabled: true,
  createdBy: 'environment',
  createdAt: 0,
  updatedAt: 0,
});

import type { Actor } from '../../domain/access/actor.ts';
import {
  clientSecret,
  groupRoleText,
  MAX_PROVIDERS,
  providerName,
  providerNotFound,
  type SsoProvider,
  type SsoProviderChange,
  type SsoRequest,
  ssoSettings,
} from '../../domain/access/sso-provider.ts';
import { type InputProblem, InvalidInput } from '../../domain/base/errors.ts';
import type { Instant } from '../../domain/base/instant.ts';
import { type AuditEntry, auditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';
import type { ProviderFinding } from '../ports/access/identity-providers.ts';
import { isFromEnvironment, providerPlace, type SsoProviders } from './sso-providers.ts';

export interface NewProviderRequest extends SsoRequest {
  readonly name: string;
  readonly clientSecret: string;
}

export interface ProviderEdit extends SsoRequest {
  /** Absent or empty: unchanged. */
  readonly clientSecret?: string | undefined;
}

/** A provider as administrators see it. */
export interface ShownProvider {
  readonly provider: SsoProvider;
  /** To be registered at the provider; `null`: the service does not know its own address. */
  readonly redirectUri: string | null;
  readonly isFromEnvironment: boolean;
}

/** Providers of single sign-on. Administrators manage them. */
export class ManageSso extends UseCase<
  'sso' | 'box' | 'clock' | 'identityProviders.check',
  { readonly ssoProviders: SsoProviders }
> {
  /** Throws `role_missing`. */
  async list(actor: Actor): Promise<readonly ShownProvider[]> {
    actor.requireRole('administrator');
    return (await this.deps.ssoProviders.list()).map((provider) => this.#shown(provider));
  }

  /** Throws `role_missing`, `provider_not_found`. */
  async find(actor: Actor, name: string): Promise<ShownProvider> {
    const found = (await this.list(actor)).find(({ provider }) => provider.name === name);
    if (!found) throw providerNotFound(`"${name.slice(0, 60)}"`);
    return found;
  }

  /** The redirect URI of a provider that is to be added. Throws `role_missing`. */
  redirectUri(actor: Actor, name: string): string | null {
    actor.requireRole('administrator');
    return this.deps.ssoProviders.redirectUri(name);
  }

  /** Throws `role_missing`, `invalid_input`, `name_taken`. */
  async add(actor: Actor, request: NewProviderRequest): Promise<SsoProvider> {
    actor.requireRole('administrator');
    const { sso, box, clock } = this.deps;
    const problems: InputProblem[] = [];
    const name = providerName(request.name, problems);
    const settings = ssoSettings(request, null, problems);
    const secret = clientSecret(request.clientSecret, problems);
    if ((await sso.list()).length >= MAX_PROVIDERS)
      problems.push({ path: '', message: `There are ${MAX_PROVIDERS} providers already.` });
    if (problems.length > 0) throw new InvalidInput(problems);
    const now = clock.now();
    return sso.add(
      { ...settings, name, enabled: true, createdBy: actor.label, createdAt: now },
      (id) => box.seal(secret, providerPlace(id)),
      (added) => ({ audit: [audit(actor, now, 'sso_provider.add', added)] }),
    );
  }

  /** A new issuer needs its own secret. Throws `role_missing`, `provider_not_found`, `invalid_input`. */
  async edit(actor: Actor, name: string, edit: ProviderEdit): Promise<SsoProvider> {
    const before = await this.#own(actor, name);
    const problems: InputProblem[] = [];
    const settings = ssoSettings(edit, before, problems);
    const { clientSecret: given = '' } = edit;
    if (given === '' && settings.issuer !== before.issuer)
      problems.push({ path: '/client_secret', message: 'Enter it again: the issuer has changed.' });
    const secret = given === '' ? null : clientSecret(given, problems);
    if (problems.length > 0) throw new InvalidInput(problems);
    return this.#change(actor, before, 'sso_provider.edit', {
      ...settings,
      ...(secret === null ? {} : { sealedSecret: this.deps.box.seal(secret, providerPlace(before.id)) }),
    });
  }

  /** Sessions of a disabled provider end. Throws `role_missing`, `provider_not_found`, `invalid_input`. */
  async setEnabled(actor: Actor, name: string, enabled: boolean): Promise<SsoProvider> {
    const before = await this.#own(actor, name);
    return this.#change(actor, before, enabled ? 'sso_provider.enable' : 'sso_provider.disable', { enabled });
  }

  /** Its sessions end; accounts stay. Throws `role_missing`, `provider_not_found`, `invalid_input`. */
  async remove(actor: Actor, name: string): Promise<SsoProvider> {
    const provider = await this.#own(actor, name);
    const entry = audit(actor, this.deps.clock.now(), 'sso_provider.remove', provider);
    await this.deps.sso.remove(provider.id, { audit: [entry] });
    return provider;
  }

  /** Looks at everything that needs no user. Throws `role_missing`, `provider_not_found`, `invalid_input`. */
  async test(actor: Actor, name: string): Promise<readonly ProviderFinding[]> {
    const { provider, redirectUri } = await this.find(actor, name);
    if (redirectUri === null)
      throw new InvalidInput([
        { path: '', message: 'Set SERVICE_PUBLIC_URL first: without it, providers cannot send users back.' },
      ]);
    const { identityProviders, ssoProviders } = this.deps;
    return identityProviders.check(ssoProviders.clientOf(provider), redirectUri);
  }

  async #own(actor: Actor, name: string): Promise<SsoProvider> {
    const { provider } = await this.find(actor, name);
    if (!isFromEnvironment(provider)) return provider;
    throw new InvalidInput([
      {
        path: '',
        message: 'Variables SERVICE_OIDC_… of the environment describe this provider; change them.',
      },
    ]);
  }

  async #change(
    actor: Actor,
    provider: SsoProvider,
    action: string,
    change: SsoProviderChange,
  ): Promise<SsoProvider> {
    const now = this.deps.clock.now();
    return this.deps.sso.change(provider.id, change, now, (changed) => ({
      audit: [audit(actor, now, action, changed)],
    }));
  }

  #shown(provider: SsoProvider): ShownProvider {
    const redirectUri = this.deps.ssoProviders.redirectUri(provider.name);
    return { provider, redirectUri, isFromEnvironment: isFromEnvironment(provider) };
  }
}

const audit = (actor: Actor, at: Instant, action: string, provider: SsoProvider): AuditEntry => {
  const { id, name, issuer, clientId, groupsClaim, roles, twoFactor, allowPrivate } = provider;
  return auditEntry(actor, at, action, `sso_provider:${id}`, {
    name,
    issuer,
    client_id: clientId,
    groups_claim: groupsClaim,
    roles: roles.map(groupRoleText),
    two_factor: twoFactor,
    allow_private: allowPrivate,
  });
};

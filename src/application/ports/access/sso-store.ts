import type { SsoFlow } from '../../../domain/access/sso-identity.ts';
import type { NewSsoProvider, SsoProvider, SsoProviderChange } from '../../../domain/access/sso-provider.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { ChangeRecord } from '../events/change-record.ts';

/** Providers of single sign-on, of which there are few, and sign-ins that wait for their answer. */
export interface SsoStore {
  /** `seal`: the encrypted secret, bound to the id. Throws `name_taken`. */
  add(
    provider: NewSsoProvider,
    seal: (id: number) => string,
    record: (provider: SsoProvider) => ChangeRecord,
  ): Promise<SsoProvider>;
  /** All, by name. */
  list(): Promise<readonly SsoProvider[]>;
  /**
   * Changes only the given fields. Disabling a provider ends the sessions that were opened with it, in the same
   * transaction. Throws `provider_not_found`.
   */
  change(
    id: number,
    change: SsoProviderChange,
    at: Instant,
    record: (provider: SsoProvider) => ChangeRecord,
  ): Promise<SsoProvider>;
  /** Ends the sessions that were opened with it. Throws `provider_not_found`. */
  remove(id: number, record: ChangeRecord): Promise<void>;

  /** Keeps a started sign-in by the SHA-256 of its secret; false if there are `most` already. */
  addFlow(secretHash: string, flow: SsoFlow, most: number): Promise<boolean>;
  /** Returns it once, and only if it started since; of several concurrent calls one gets it. */
  takeFlow(secretHash: string, startedSince: Instant): Promise<SsoFlow | null>;
  /** Deletes those that started before, up to a limit. Returns how many. */
  forgetFlowsBefore(at: Instant, most: number): Promise<number>;
}

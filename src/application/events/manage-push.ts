import type { Actor } from '../../domain/access/actor.ts';
import { DomainError, InvalidInput } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { eventFilter, type RawFilter } from '../../domain/events/event-filter.ts';
import type { PushSubscription } from '../../domain/events/push-subscription.ts';
import { UseCase } from '../base/use-case.ts';
import type { PushKeys } from '../ports/events/push-sender.ts';
import { pushPlace } from './push-channel.ts';
import type { PushIdentity } from './push-identity.ts';

const MAX_SUBSCRIPTIONS = 1_000;
/** So that no single user can exhaust the shared limit. */
const MAX_OF_ONE = 20;

/** Browsers that are sent messages. */
export class ManagePush extends UseCase<
  'subscriptions' | 'pushSender' | 'box' | 'digest' | 'clock',
  { readonly pushIdentity: PushIdentity }
> {
  /** The key that a browser asks for before it subscribes. */
  async publicKey(): Promise<string> {
    return (await this.deps.pushIdentity.keys()).publicKey;
  }

  /** Replaces an earlier subscription of the same browser. Throws `invalid_input`. */
  async subscribe(
    actor: Actor,
    keys: PushKeys,
    filter: RawFilter,
    ownerId: number | null,
  ): Promise<PushSubscription> {
    this.deps.pushSender.check(keys);
    const kept = eventFilter(filter);
    const hash = this.deps.digest.sha256(keys.endpoint);
    const others = (await this.deps.subscriptions.list()).filter(({ endpointHash }) => endpointHash !== hash);
    if (others.filter((each) => each.ownerId === ownerId).length >= MAX_OF_ONE)
      throw new InvalidInput([
        { path: '', message: `You already have ${MAX_OF_ONE} browsers. Remove one first.` },
      ]);
    if (others.length >= MAX_SUBSCRIPTIONS)
      throw new InvalidInput([{ path: '', message: 'Too many browsers are already subscribed.' }]);
    const createdAt = this.deps.clock.now();
    return this.deps.subscriptions.put(
      { endpointHash: hash, ownerId, filter: kept, createdAt },
      (id) => this.deps.box.seal(JSON.stringify(keys), pushPlace(id)),
      ({ id }) => ({ audit: [auditEntry(actor, createdAt, 'push.subscribe', `push:${id}`)] }),
    );
  }

  list(ownerId: number | null): Promise<readonly PushSubscription[]> {
    return this.deps.subscriptions.list(ownerId);
  }

  /** By the browser's address; only the owner's own. Throws `subscription_not_found`. */
  async unsubscribe(actor: Actor, endpoint: string, ownerId: number | null): Promise<void> {
    const hash = this.deps.digest.sha256(endpoint);
    await this.#remove(actor, ownerId, ({ endpointHash }) => endpointHash === hash);
  }

  /** As `unsubscribe`, by its id: also for another browser. */
  remove(actor: Actor, id: number, ownerId: number | null): Promise<void> {
    return this.#remove(actor, ownerId, (each) => each.id === id);
  }

  async #remove(
    actor: Actor,
    ownerId: number | null,
    isIt: (subscription: PushSubscription) => boolean,
  ): Promise<void> {
    const found = (await this.deps.subscriptions.list(ownerId)).find(isIt);
    if (!found) throw new DomainError('subscription_not_found', 'This browser is not subscribed.');
    const at = this.deps.clock.now();
    const audit = [auditEntry(actor, at, 'push.unsubscribe', `push:${found.id}`)];
    await this.deps.subscriptions.remove(found.id, { audit });
  }
}

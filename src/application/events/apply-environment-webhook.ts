import { Actor } from '../../domain/access/actor.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { EventFilter } from '../../domain/events/event-filter.ts';
import { ENVIRONMENT_NAME, shownUrlOf, type Webhook } from '../../domain/events/webhook.ts';
import { UseCase } from '../base/use-case.ts';
import type { WebhookSeals } from '../ports/events/webhook-store.ts';
import { webhookPlace } from './webhook-channel.ts';

/** A webhook as variables of the environment describe it. */
export interface EnvironmentWebhook {
  readonly url: URL;
  readonly secret: string;
  readonly filter: EventFilter;
}

const ACTOR = Actor.system('environment');

/** Keeps the environment's webhook as the variables say; it is sent events while an operator has set up no other. */
export class ApplyEnvironmentWebhook extends UseCase<
  'webhooks' | 'box' | 'clock',
  { readonly environmentWebhook: EnvironmentWebhook | null }
> {
  async execute(): Promise<void> {
    const before = (await this.deps.webhooks.list()).find(({ origin }) => origin === 'environment');
    const wanted = this.deps.environmentWebhook;
    const at = this.deps.clock.now();
    if (!wanted) {
      if (before)
        await this.deps.webhooks.remove(before.id, { audit: [audit('webhook.remove', before, at)] });
      return;
    }
    if (!before) {
      const said = { name: ENVIRONMENT_NAME, origin: 'environment', createdBy: ACTOR.label } as const;
      await this.deps.webhooks.add(
        { ...said, ...shown(wanted), enabled: true, createdAt: at },
        (id) => this.#seals(id, wanted),
        (added) => ({ audit: [audit('webhook.add', added, at)] }),
      );
      return;
    }
    if (this.#isSame(before, wanted)) return;
    const on = { enabled: true, disabledBecause: null, disabledAt: null } as const;
    await this.deps.webhooks.change(
      before.id,
      { ...shown(wanted), ...this.#seals(before.id, wanted), ...on },
      at,
      (changed) => ({ audit: [audit('webhook.edit', changed, at)] }),
    );
  }

  #isSame({ id, sealedUrl, sealedSecret, filter }: Webhook, wanted: EnvironmentWebhook): boolean {
    return (
      this.deps.box.open(sealedUrl, webhookPlace('url', id)) === wanted.url.href &&
      this.deps.box.open(sealedSecret, webhookPlace('secret', id)) === wanted.secret &&
      JSON.stringify(filter) === JSON.stringify(wanted.filter)
    );
  }

  #seals(id: number, { url, secret }: EnvironmentWebhook): WebhookSeals {
    return {
      sealedUrl: this.deps.box.seal(url.href, webhookPlace('url', id)),
      sealedSecret: this.deps.box.seal(secret, webhookPlace('secret', id)),
    };
  }
}

const shown = ({ url, filter }: EnvironmentWebhook) => ({ shownUrl: shownUrlOf(url), filter });

const audit = (action: string, { id, name, shownUrl }: Webhook, at: number) =>
  auditEntry(ACTOR, at, action, `webhook:${id}`, { name, url: shownUrl });

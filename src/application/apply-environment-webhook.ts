import { Actor } from '../domain/actor.ts';
import { auditEntry } from '../domain/audit-entry.ts';
import type { EventFilter } from '../domain/event-filter.ts';
import { ENVIRONMENT_NAME, shownUrlOf, type Webhook } from '../domain/webhook.ts';
import type { Clock } from './ports/clock.ts';
import type { SecretBox } from './ports/secret-box.ts';
import type { WebhookSeals, WebhookStore } from './ports/webhook-store.ts';
import { webhookPlace } from './webhook-channel.ts';

/** A webhook as variables of the environment describe it. */
export interface EnvironmentWebhook {
  readonly url: URL;
  readonly secret: string;
  readonly filter: EventFilter;
}

const ACTOR = Actor.system('environment');

/** Keeps the environment's webhook as the variables say; it is sent events while an operator has set up no other. */
export class ApplyEnvironmentWebhook {
  readonly #webhooks: WebhookStore;
  readonly #box: SecretBox;
  readonly #clock: Clock;
  readonly #wanted: EnvironmentWebhook | null;

  constructor(deps: {
    webhooks: WebhookStore;
    box: SecretBox;
    clock: Clock;
    environmentWebhook: EnvironmentWebhook | null;
  }) {
    this.#webhooks = deps.webhooks;
    this.#box = deps.box;
    this.#clock = deps.clock;
    this.#wanted = deps.environmentWebhook;
  }

  async execute(): Promise<void> {
    const before = (await this.#webhooks.list()).find(({ origin }) => origin === 'environment');
    const wanted = this.#wanted;
    const at = this.#clock.now();
    if (!wanted) {
      if (before) await this.#webhooks.remove(before.id, { audit: [audit('webhook.remove', before, at)] });
      return;
    }
    if (!before) {
      const said = { name: ENVIRONMENT_NAME, origin: 'environment', createdBy: ACTOR.label } as const;
      await this.#webhooks.add(
        { ...said, ...shown(wanted), enabled: true, createdAt: at },
        (id) => this.#seals(id, wanted),
        (added) => ({ audit: [audit('webhook.add', added, at)] }),
      );
      return;
    }
    if (this.#isSame(before, wanted)) return;
    const on = { enabled: true, disabledBecause: null, disabledAt: null } as const;
    await this.#webhooks.change(
      before.id,
      { ...shown(wanted), ...this.#seals(before.id, wanted), ...on },
      at,
      (changed) => ({ audit: [audit('webhook.edit', changed, at)] }),
    );
  }

  #isSame({ id, sealedUrl, sealedSecret, filter }: Webhook, wanted: EnvironmentWebhook): boolean {
    return (
      this.#box.open(sealedUrl, webhookPlace('url', id)) === wanted.url.href &&
      this.#box.open(sealedSecret, webhookPlace('secret', id)) === wanted.secret &&
      JSON.stringify(filter) === JSON.stringify(wanted.filter)
    );
  }

  #seals(id: number, { url, secret }: EnvironmentWebhook): WebhookSeals {
    return {
      sealedUrl: this.#box.seal(url.href, webhookPlace('url', id)),
      sealedSecret: this.#box.seal(secret, webhookPlace('secret', id)),
    };
  }
}

const shown = ({ url, filter }: EnvironmentWebhook) => ({ shownUrl: shownUrlOf(url), filter });

const audit = (action: string, { id, name, shownUrl }: Webhook, at: number) =>
  auditEntry(ACTOR, at, action, `webhook:${id}`, { name, url: shownUrl });

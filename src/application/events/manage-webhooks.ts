import type { Actor } from '../../domain/access/actor.ts';
import { nameProblems } from '../../domain/automation/maintenance-window.ts';
import { type InputProblem, InvalidInput } from '../../domain/base/errors.ts';
import { type Instant, MINUTE } from '../../domain/base/instant.ts';
import { type AuditEntry, auditEntry } from '../../domain/events/audit-entry.ts';
import { eventFilter, type RawFilter } from '../../domain/events/event-filter.ts';
import {
  ENVIRONMENT_NAME,
  MAX_OVERLAP_MS,
  MAX_WEBHOOKS,
  makeWebhookSecret,
  shownUrlOf,
  type Webhook,
  type WebhookChange,
  webhookNotFound,
  webhookSecret,
  webhookUrl,
} from '../../domain/events/webhook.ts';
import { UseCase } from '../base/use-case.ts';
import { webhookPlace } from './webhook-channel.ts';

export interface WebhookRequest extends RawFilter {
  readonly name: string;
  readonly url: string;
  /** Absent: one is made. */
  readonly secret?: string | undefined;
}

export interface WebhookEdit extends RawFilter {
  readonly name?: string | undefined;
  readonly url?: string | undefined;
}

/** The secret is given out this once. */
export interface WithSecret {
  readonly webhook: Webhook;
  readonly secret: string;
}

/** Says who is sent events. Administrators do. */
export class ManageWebhooks extends UseCase<'webhooks' | 'box' | 'randomness' | 'clock' | 'allowPrivate'> {
  /** Throws `role_missing`. */
  async list(actor: Actor): Promise<readonly Webhook[]> {
    actor.requireRole('administrator');
    return this.deps.webhooks.list();
  }

  /** Throws `role_missing`, `webhook_not_found`. */
  async find(actor: Actor, name: string): Promise<Webhook> {
    actor.requireRole('administrator');
    const webhook = await this.deps.webhooks.findByName(name);
    if (!webhook) throw webhookNotFound(`"${name.slice(0, 60)}"`);
    return webhook;
  }

  /** Throws `role_missing`, `invalid_input`, `name_taken`. */
  async add(actor: Actor, request: WebhookRequest): Promise<WithSecret> {
    actor.requireRole('administrator');
    refuseName(request.name);
    const url = this.#url(request.url);
    const secret =
      request.secret === undefined
        ? makeWebhookSecret((count) => this.deps.randomness.bytes(count))
        : webhookSecret(request.secret);
    const filter = eventFilter(request);
    if ((await this.deps.webhooks.list()).length >= MAX_WEBHOOKS)
      throw new InvalidInput([{ path: '', message: `The limit of ${MAX_WEBHOOKS} webhooks is reached.` }]);
    const now = this.deps.clock.now();
    const webhook = await this.deps.webhooks.add(
      {
        name: request.name,
        origin: 'settings',
        shownUrl: shownUrlOf(url),
        filter,
        enabled: true,
        createdBy: actor.label,
        createdAt: now,
      },
      (id) => ({
        sealedUrl: this.deps.box.seal(url.href, webhookPlace('url', id)),
        sealedSecret: this.deps.box.seal(secret, webhookPlace('secret', id)),
      }),
      (added) => ({ audit: [audit(actor, now, 'webhook.add', added)] }),
    );
    return { webhook, secret };
  }

  /** Throws `role_missing`, `webhook_not_found`, `invalid_input`, `name_taken`. */
  async edit(actor: Actor, name: string, edit: WebhookEdit): Promise<Webhook> {
    const webhook = await this.#editable(actor, name);
    if (edit.name !== undefined) refuseName(edit.name);
    const url = edit.url === undefined ? undefined : this.#url(edit.url);
    return this.#change(actor, webhook, 'webhook.edit', {
      ...(edit.name === undefined ? {} : { name: edit.name }),
      ...(url === undefined
        ? {}
        : {
            shownUrl: shownUrlOf(url),
            sealedUrl: this.deps.box.seal(url.href, webhookPlace('url', webhook.id)),
          }),
      filter: eventFilter(edit, webhook.filter),
    });
  }

  /**
   * The previous secret keeps signing for `overlapMs`, beside the new one. Throws `role_missing`,
   * `webhook_not_found`, `invalid_input`.
   */
  async rotate(actor: Actor, name: string, overlapMs: number): Promise<WithSecret> {
    const { id, sealedSecret, ...webhook } = await this.#editable(actor, name);
    if (overlapMs < 0 || overlapMs > MAX_OVERLAP_MS)
      throw new InvalidInput([
        { path: '/overlap', message: 'The previous secret can stay valid for 0 to 30 days.' },
      ]);
    const secret = makeWebhookSecret((count) => this.deps.randomness.bytes(count));
    const former = this.deps.box.open(sealedSecret, webhookPlace('secret', id));
    const overlaps = overlapMs > 0;
    const changed = await this.#change(actor, { ...webhook, id, sealedSecret }, 'webhook.rotate', {
      sealedSecret: this.deps.box.seal(secret, webhookPlace('secret', id)),
      sealedFormerSecret: overlaps ? this.deps.box.seal(former, webhookPlace('former_secret', id)) : null,
      formerUntil: overlaps ? this.deps.clock.now() + Math.max(overlapMs, MINUTE) : null,
    });
    return { webhook: changed, secret };
  }

  /** Pending deliveries of a disabled webhook end. Throws `role_missing`, `webhook_not_found`, `invalid_input`. */
  async setEnabled(actor: Actor, name: string, enabled: boolean): Promise<Webhook> {
    const webhook = await this.#editable(actor, name);
    return this.#change(actor, webhook, enabled ? 'webhook.enable' : 'webhook.disable', {
      enabled,
      disabledBecause: enabled ? null : 'operator',
      disabledAt: enabled ? null : this.deps.clock.now(),
    });
  }

  /** Throws `role_missing`, `webhook_not_found`, `invalid_input`. */
  async remove(actor: Actor, name: string): Promise<Webhook> {
    const webhook = await this.#editable(actor, name);
    const entry = audit(actor, this.deps.clock.now(), 'webhook.remove', webhook);
    await this.deps.webhooks.remove(webhook.id, { audit: [entry] });
    return webhook;
  }

  /** As much of an address as may be shown, once it is checked. Throws `invalid_input`. */
  shownUrl(raw: string): string {
    return shownUrlOf(this.#url(raw));
  }

  #url(raw: string): URL {
    return webhookUrl(raw, { allowPrivate: this.deps.allowPrivate });
  }

  async #editable(actor: Actor, name: string): Promise<Webhook> {
    const webhook = await this.find(actor, name);
    if (webhook.origin === 'settings') return webhook;
    throw new InvalidInput([
      { path: '/name', message: 'This webhook comes from WEBHOOK_URL; change the variables instead.' },
    ]);
  }

  async #change(actor: Actor, webhook: Webhook, action: string, change: WebhookChange): Promise<Webhook> {
    const now = this.deps.clock.now();
    return this.deps.webhooks.change(webhook.id, change, now, (changed) => ({
      audit: [audit(actor, now, action, changed)],
    }));
  }
}

function refuseName(name: string): void {
  const problems: InputProblem[] = [...nameProblems(name)];
  if (name === ENVIRONMENT_NAME)
    problems.push({ path: '/name', message: `"${name}" is the webhook of the variable WEBHOOK_URL.` });
  if (problems.length > 0) throw new InvalidInput(problems);
}

const audit = (actor: Actor, at: Instant, action: string, { id, name, shownUrl }: Webhook): AuditEntry =>
  auditEntry(actor, at, action, `webhook:${id}`, { name, url: shownUrl });

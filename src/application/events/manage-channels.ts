import type { Actor } from '../../domain/access/actor.ts';
import { isUsable } from '../../domain/access/api-token.ts';
import { nameProblems } from '../../domain/automation/maintenance-window.ts';
import { type InputProblem, InvalidInput } from '../../domain/base/errors.ts';
import type { Instant } from '../../domain/base/instant.ts';
import { type AuditEntry, auditEntry } from '../../domain/events/audit-entry.ts';
import {
  type AlertChannel,
  type AlertChannelChange,
  MAX_CHANNELS,
} from '../../domain/events/channels/alert-channel.ts';
import {
  channelNotFound,
  channelValues,
  splitValues,
  withDefaults,
} from '../../domain/events/channels/channel-fields.ts';
import type { FieldValues } from '../../domain/events/channels/channel-kind.ts';
import {
  CHANNEL_KIND_NAMES,
  CHANNEL_KINDS,
  type ChannelKind,
  isChannelKind,
  sendsEvents,
} from '../../domain/events/channels/channel-kinds.ts';
import {
  AT_ONCE,
  type ChannelTiming,
  channelTiming,
  type RawTiming,
  reportRule,
  ruleAt,
  USUAL_TIME,
} from '../../domain/events/channels/channel-timing.ts';
import { type EventFilter, eventFilter, type RawFilter } from '../../domain/events/event-filter.ts';
import { UseCase } from '../base/use-case.ts';
import { channelPlace, channelSecrets } from './people-channel.ts';

export interface ChannelRequest extends RawFilter, RawTiming {
  readonly name: string;
  readonly kind: string;
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly allowPrivate?: boolean | undefined;
}

export interface ChannelEdit extends RawFilter, RawTiming {
  readonly name?: string | undefined;
  readonly values?: Readonly<Record<string, string | undefined>> | undefined;
  readonly allowPrivate?: boolean | undefined;
}

/** Channels on which people are sent alerts. Administrators manage them. */
export class ManageChannels extends UseCase<
  'alertChannels' | 'box' | 'cron' | 'digest' | 'clock' | 'allowPrivate' | 'tokens.findBySecretHash'
> {
  /** Throws `role_missing`. */
  async list(actor: Actor): Promise<readonly AlertChannel[]> {
    actor.requireRole('administrator');
    return this.deps.alertChannels.list();
  }

  /** Throws `role_missing`, `channel_not_found`. */
  async find(actor: Actor, name: string): Promise<AlertChannel> {
    actor.requireRole('administrator');
    const channel = await this.deps.alertChannels.findByName(name);
    if (!channel) throw channelNotFound(`"${name.slice(0, 60)}"`);
    return channel;
  }

  /** Throws `role_missing`, `invalid_input`, `name_taken`. */
  async add(actor: Actor, request: ChannelRequest): Promise<AlertChannel> {
    actor.requireRole('administrator');
    const { name, kind, values, allowPrivate = false } = request;
    if (!isChannelKind(kind)) throw new InvalidInput([{ path: '/kind', message: NO_KIND }]);
    const checked = this.#checked(CHANNEL_KINDS[kind], request, () =>
      channelValues(CHANNEL_KINDS[kind], { values, allowPrivate: this.#mayBePrivate(allowPrivate) }),
    );
    await this.#checkToken(CHANNEL_KINDS[kind], checked);
    if ((await this.deps.alertChannels.list()).length >= MAX_CHANNELS)
      throw new InvalidInput([{ path: '', message: `There are ${MAX_CHANNELS} channels already.` }]);
    const now = this.deps.clock.now();
    const { secrets, ...shown } = checked;
    const reportAt = this.#nextReport(checked.timing);
    const made = { enabled: true, createdBy: actor.label, createdAt: now };
    return this.deps.alertChannels.add(
      { name, kind, ...shown, allowPrivate, reportAt, ...made },
      (id) => this.deps.box.seal(JSON.stringify(secrets), channelPlace(id)),
      (added) => ({ audit: [audit(actor, now, 'channel.add', added)] }),
    );
  }

  /** Throws `role_missing`, `channel_not_found`, `invalid_input`, `name_taken`. */
  async edit(actor: Actor, name: string, edit: ChannelEdit): Promise<AlertChannel> {
    const channel = await this.find(actor, name);
    const kind = CHANNEL_KINDS[channel.kind];
    const { allowPrivate = channel.allowPrivate, values = {} } = edit;
    const before = { ...channel.fields, ...channelSecrets(channel, this.deps.box) };
    const checked = this.#checked(kind, { ...edit, before: channel }, () =>
      channelValues(kind, { values, before, allowPrivate: this.#mayBePrivate(allowPrivate) }),
    );
    await this.#checkToken(kind, checked);
    const { secrets, ...shown } = checked;
    return this.#change(actor, channel, 'channel.edit', {
      ...(edit.name === undefined ? {} : { name: edit.name }),
      ...shown,
      ...(isSameReport(channel.timing, shown.timing) ? {} : { reportAt: this.#nextReport(shown.timing) }),
      allowPrivate,
      sealedSecrets: this.deps.box.seal(JSON.stringify(secrets), channelPlace(channel.id)),
    });
  }

  /** Pending deliveries of a disabled channel are cancelled. Throws `role_missing`, `channel_not_found`. */
  async setEnabled(actor: Actor, name: string, enabled: boolean): Promise<AlertChannel> {
    const channel = await this.find(actor, name);
    return this.#change(actor, channel, enabled ? 'channel.enable' : 'channel.disable', {
      enabled,
      // Reports of the time while it was disabled are not made up for.
      ...(enabled ? { reportAt: this.#nextReport(channel.timing) } : {}),
    });
  }

  /** Throws `role_missing`, `channel_not_found`. */
  async remove(actor: Actor, name: string): Promise<AlertChannel> {
    const channel = await this.find(actor, name);
    const entry = audit(actor, this.deps.clock.now(), 'channel.remove', channel);
    await this.deps.alertChannels.remove(channel.id, { audit: [entry] });
    return channel;
  }

  #mayBePrivate(allowPrivate: boolean): boolean {
    return allowPrivate || this.deps.allowPrivate;
  }

  #nextReport(timing: ChannelTiming): Instant | null {
    const rule = reportRule(timing);
    return rule && this.deps.cron.next(rule, this.deps.clock.now());
  }

  /** All problems of a request together. Throws `invalid_input`. */
  #checked(
    kind: ChannelKind,
    request: RawFilter &
      RawTiming & {
        readonly name?: string | undefined;
        readonly before?: Pick<AlertChannel, 'filter' | 'timing'>;
      },
    values: () => FieldValues,
  ): ChannelContent {
    const problems: InputProblem[] = request.name === undefined ? [] : [...nameProblems(request.name)];
    const filter = noted(problems, () => eventFilter(request, request.before?.filter));
    const timing = noted(problems, () => this.#timing(kind, request, request.before?.timing));
    const all = noted(problems, values);
    if (filter === null || timing === null || all === null || problems.length > 0)
      throw new InvalidInput(problems);
    return { ...splitValues(kind, all), filter, timing, shownTarget: kind.shown(withDefaults(kind, all)) };
  }

  /** A token of Drover's own, with which a channel acts, has to be one that can do so now. */
  async #checkToken(
    kind: ChannelKind,
    { fields, secrets }: Pick<ChannelContent, 'fields' | 'secrets'>,
  ): Promise<void> {
    const field = kind.fields.find(({ type }) => type === 'apiToken');
    const secret = field && secrets[field.name];
    if (secret === undefined) return;
    const hash = this.deps.digest.sha256(secret);
    const token = (await this.deps.tokens.findBySecretHash(hash))?.token;
    const refuse = (message: string): never => {
      throw new InvalidInput([{ path: `/${field?.name}`, message }]);
    };
    if (!token || !isUsable(token, this.deps.clock.now())) return refuse('This is no valid token of Drover.');
    if (!token.scopes.includes('jobs')) return refuse('The token needs the scope jobs.');
    if (!token.requireApproval && withDefaults(kind, fields)['approval'] === 'required')
      return refuse('This token acts at once: select one that requires approval, or allow this below.');
  }

  #timing(kind: ChannelKind, raw: RawTiming, before = AT_ONCE): ChannelTiming {
    const timing = channelTiming(raw, before);
    this.deps.cron.check(ruleAt(USUAL_TIME, timing.timeZone), this.deps.clock.now());
    if (!sendsEvents(kind) && JSON.stringify(timing) !== JSON.stringify(AT_ONCE))
      throw new InvalidInput([{ path: '/report_day', message: `${kind.title} sends no messages.` }]);
    return timing;
  }

  async #change(
    actor: Actor,
    channel: AlertChannel,
    action: string,
    change: AlertChannelChange,
  ): Promise<AlertChannel> {
    const now = this.deps.clock.now();
    return this.deps.alertChannels.change(channel.id, change, now, (changed) => ({
      audit: [audit(actor, now, action, changed)],
    }));
  }
}

interface ChannelContent {
  readonly fields: FieldValues;
  readonly secrets: FieldValues;
  readonly filter: EventFilter;
  readonly timing: ChannelTiming;
  readonly shownTarget: string;
}

const isSameReport = (before: ChannelTiming, after: ChannelTiming): boolean =>
  JSON.stringify(reportRule(before)) === JSON.stringify(reportRule(after));

const NO_KIND = `A kind is one of ${CHANNEL_KIND_NAMES.join(', ')}.`;

/** The result, or `null` with its problems added to the others. */
function noted<T>(problems: InputProblem[], work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    problems.push(...error.problems);
    return null;
  }
}

const audit = (actor: Actor, at: Instant, action: string, channel: AlertChannel): AuditEntry => {
  const { id, name, kind, shownTarget, allowPrivate } = channel;
  return auditEntry(actor, at, action, `channel:${id}`, {
    name,
    kind,
    target: shownTarget,
    allow_private: allowPrivate,
  });
};

import { type Instant, tooOldAt } from '../../domain/base/instant.ts';
import { type AlertPolicy, DEFAULT_POLICIES, isMuted, type Mute } from '../../domain/events/alert-policy.ts';
import { isAtLeast } from '../../domain/events/event.ts';
import {
  type Condition,
  type Notification,
  type NotificationKind,
  openingEvent,
  recoveryEvent,
  reminderEvent,
  TOKEN_EXPIRING_MS,
  WATCHED_KINDS,
  type WatchedKind,
  type Words,
} from '../../domain/events/notification.ts';
import { wordsOf } from '../../domain/events/notification-words.ts';
import { DISK_FILLING_MS } from '../../domain/fleet/disk-forecast.ts';
import { staleBefore } from '../../domain/fleet/fleet-conditions.ts';
import { SUPPORT_ENDING_MS } from '../../domain/fleet/os-support.ts';
import { UseCase } from '../base/use-case.ts';
import type { Thresholds } from '../ports/fleet/condition-watch.ts';
import type { WatchClock } from '../service/watch-clock.ts';

/** Of one kind in one transaction. */
const PAGE = 200;
/** Per kind and step in one run: the rest follows in the next one. */
const MAX_PAGES = 200;

/** Alert rules. */
interface Rules {
  readonly policyOf: (kind: NotificationKind) => AlertPolicy;
  readonly isMuted: (
    notification: Pick<Notification, 'kind' | 'serverId'>,
    mutes: readonly Mute[],
  ) => boolean;
}

/** Keeps alerts in sync with the conditions in the database. */
export class WatchConditions extends UseCase<
  'watch' | 'notifications' | 'clock' | 'backupStaleHours' | 'kept.notifications',
  { readonly clockWatch: Pick<WatchClock, 'holdsBack'> }
> {
  async execute(signal: AbortSignal): Promise<void> {
    const now = this.deps.clock.now();
    const rules = await this.#rules(now);
    const page = (step: () => Promise<number>): Promise<void> => allPages(step, signal);
    await page(() => this.deps.watch.endOfRemovedServers(now, PAGE));
    for (const kind of WATCHED_KINDS) await this.#compare(kind, now, rules, page);
    await page(() => this.#tellAgain('job.failed', now, rules));
    await this.#unmute(now, rules, signal);
    const forgotten = tooOldAt(now, this.deps.kept.notifications);
    if (forgotten !== null && !(await this.deps.clockWatch.holdsBack()))
      await page(() => this.deps.watch.prune(forgotten, PAGE));
  }

  async #compare(
    kind: WatchedKind,
    now: Instant,
    rules: Rules,
    page: (step: () => Promise<number>) => Promise<void>,
  ): Promise<void> {
    const thresholds = this.#thresholds(now);
    const words = (condition: Condition): Words => {
      const own = wordsOf(condition);
      return { ...own, severity: rules.policyOf(kind).severity ?? own.severity };
    };
    // Resolves first, so that a condition that recurs gets a new alert.
    await page(() => this.deps.watch.end(kind, thresholds, (each) => recoveryEvent(each, now), PAGE));
    const change = {
      words,
      event: (before: Notification, after: Notification) =>
        turnedWorse(before, after) ? openingEvent(after, now) : null,
    };
    await page(() => this.deps.watch.revise(kind, thresholds, change, PAGE));
    await page(() => this.deps.watch.begin(kind, thresholds, words, PAGE));
    await page(() => this.#open(kind, now, rules));
    await page(() => this.#tellAgain(kind, now, rules));
  }

  #open(kind: WatchedKind, at: Instant, rules: Rules): Promise<number> {
    const beganUpTo = at - rules.policyOf(kind).debounceMs;
    const event = (each: Notification) => openingEvent(each, at);
    return this.deps.watch.open(kind, { beganUpTo, at, isMuted: rules.isMuted, event }, PAGE);
  }

  async #tellAgain(kind: NotificationKind, at: Instant, rules: Rules): Promise<number> {
    const { remindMs } = rules.policyOf(kind);
    if (remindMs === null) return 0;
    const event = (each: Notification) => reminderEvent(each, at);
    return this.deps.watch.remind(kind, { notifiedUpTo: at - remindMs, at, event }, PAGE);
  }

  async #unmute(at: Instant, { isMuted: muted }: Rules, signal: AbortSignal): Promise<void> {
    const event = (each: Notification) => (each.state === 'open' ? reminderEvent(each, at) : null);
    let after: number | null = 0;
    for (let page = 0; after !== null && page < MAX_PAGES && !signal.aborted; page += 1)
      after = await this.deps.watch.unmute(after, { at, isMuted: muted, event }, PAGE);
  }

  #thresholds(now: Instant): Thresholds {
    return {
      now,
      backupsStaleBefore: staleBefore(now, this.deps.backupStaleHours),
      tokensExpireBefore: now + TOKEN_EXPIRING_MS,
      disksFullBefore: now + DISK_FILLING_MS,
      supportEndsBefore: now + SUPPORT_ENDING_MS,
    };
  }

  async #rules(now: Instant): Promise<Rules> {
    const policies = await this.deps.notifications.policies();
    return {
      policyOf: (kind) => policies.find((each) => each.kind === kind) ?? DEFAULT_POLICIES[kind],
      isMuted: (notification, mutes) => isMuted(mutes, notification, now),
    };
  }
}

async function allPages(step: () => Promise<number>, signal: AbortSignal): Promise<void> {
  for (let page = 0; page < MAX_PAGES && !signal.aborted; page += 1) if ((await step()) < PAGE) return;
}

const turnedWorse = (before: Notification, after: Notification): boolean =>
  before.severity !== after.severity && isAtLeast(after.severity, before.severity);

import type { Actor } from '../../domain/access/actor.ts';
import { InvalidInput } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';

const SETTING = 'service.time_zone';

/** The time zone that forms for new schedules and maintenance windows start with. Existing ones have their own. */
export class DefaultTimeZone extends UseCase<'clock' | 'settings.get' | 'settings.set'> {
  /** `null`: none was set; then it is the browser's. */
  async get(): Promise<string | null> {
    return (await this.deps.settings.get(SETTING)) || null;
  }

  /** Empty: none. Throws `role_missing` and `invalid_input`. */
  async set(actor: Actor, raw: string): Promise<void> {
    actor.requireRole('administrator');
    const zone = raw.trim();
    if (zone !== '' && !isTimeZone(zone)) {
      const message = 'Enter the name of a time zone, such as Europe/Berlin or UTC.';
      throw new InvalidInput([{ path: '/time_zone', message }]);
    }
    const audit = [
      auditEntry(actor, this.deps.clock.now(), 'service.set_time_zone', 'service:time_zone', { zone }),
    ];
    await this.deps.settings.set(SETTING, zone, { audit });
  }
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

import { type Actor, serverNotFound } from '../../domain/access/actor.ts';
import {
  describeWindow,
  MAX_WINDOWS,
  type MaintenanceWindow,
  type NewWindow,
  type WindowDescription,
  type WindowState,
  windowNotFound,
  windowState,
} from '../../domain/automation/maintenance-window.ts';
import { InvalidInput } from '../../domain/base/errors.ts';
import type { Instant } from '../../domain/base/instant.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { MAX_HOSTS } from '../../domain/fleet/host-selector.ts';
import { UseCase } from '../base/use-case.ts';
import type { ChangeRecord } from '../ports/events/change-record.ts';

/** Says when servers may be changed. For operators: who could move a window could go past it. */
export class ManageWindows extends UseCase<'windows' | 'selection' | 'cron' | 'clock'> {
  /** Returns it as it is now. Throws `role_missing`, `invalid_input`, `server_not_found`, `name_taken`. */
  async add(actor: Actor, asked: WindowDescription): Promise<WindowState> {
    const { window, now } = await this.#described(actor, asked);
    if ((await this.deps.windows.list()).length >= MAX_WINDOWS) {
      throw new InvalidInput([{ path: '', message: `The limit of ${MAX_WINDOWS} windows is reached.` }]);
    }
    return this.#state(await this.deps.windows.add(window, trailOf(actor, 'window.add', now)), now);
  }

  /** Replaces all of it. Throws as `add` does, and `window_not_found`. */
  async edit(actor: Actor, id: number, asked: WindowDescription): Promise<WindowState> {
    const { window, now } = await this.#described(actor, asked);
    return this.#state(await this.deps.windows.change(id, window, trailOf(actor, 'window.edit', now)), now);
  }

  async #described(
    actor: Actor,
    asked: WindowDescription,
  ): Promise<{ readonly window: NewWindow; readonly now: Instant }> {
    actor.requireRole('operator');
    const now = this.deps.clock.now();
    const window = describeWindow(asked, { createdBy: actor.label, at: now });
    this.deps.cron.check(window.opens, now);
    const { selector } = window;
    if (selector.by === 'ids') {
      const found = await this.deps.selection.select(selector, null, MAX_HOSTS);
      const missing = selector.ids.find((id) => !found.some((server) => server.id === id));
      if (missing !== undefined) throw serverNotFound(missing);
    }
    return { window, now };
  }

  #state(window: MaintenanceWindow, now: Instant): WindowState {
    const times = {
      last: this.deps.cron.last(window.opens, now),
      next: this.deps.cron.next(window.opens, now),
    };
    return windowState(window, times, now);
  }

  /** While it is off, its servers may be changed as if it were not there. Throws `role_missing`, `window_not_found`. */
  async enable(actor: Actor, name: string, enabled: boolean): Promise<WindowState> {
    const { window, now } = await this.#named(actor, name);
    const action = enabled ? 'window.enable' : 'window.disable';
    const record = () => ({ audit: [auditEntry(actor, now, action, `window:${window.id}`, { name })] });
    return this.#state(await this.deps.windows.enable(window.id, enabled, record), now);
  }

  /** Throws `role_missing`, `window_not_found`. */
  async remove(actor: Actor, name: string): Promise<MaintenanceWindow> {
    const { window, now } = await this.#named(actor, name);
    const audit = [auditEntry(actor, now, 'window.remove', `window:${window.id}`, { name })];
    await this.deps.windows.remove(window.id, { audit });
    return window;
  }

  async #named(
    actor: Actor,
    name: string,
  ): Promise<{ readonly window: MaintenanceWindow; readonly now: Instant }> {
    actor.requireRole('operator');
    const window = (await this.deps.windows.list()).find((each) => each.name === name);
    if (!window) throw windowNotFound(`"${name.slice(0, 60)}"`);
    return { window, now: this.deps.clock.now() };
  }
}

const trailOf =
  (actor: Actor, action: string, at: Instant) =>
  ({ id, name, selector, opens, durationMs }: MaintenanceWindow): ChangeRecord => ({
    audit: [auditEntry(actor, at, action, `window:${id}`, { name, selector, opens, durationMs })],
  });

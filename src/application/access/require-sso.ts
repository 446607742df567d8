import type { Actor } from '../../domain/access/actor.ts';
import { isActive, type User } from '../../domain/access/user.ts';
import { InvalidInput } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';

/** The id of the break-glass administrator; empty: not required. */
const SETTING = 'accounts.require_sso';

/** Whether users have to sign in with single sign-on, and who may still use a password. */
export class RequireSso extends UseCase<
  'clock' | 'settings.get' | 'settings.set' | 'users.find' | 'users.findByName'
> {
  /** Whether it is required, and the name of the break-glass administrator. Throws `role_missing`. */
  async get(actor: Actor): Promise<{ readonly required: boolean; readonly breakGlass: string | null }> {
    actor.requireRole('administrator');
    const id = await this.#breakGlassId();
    if (id === null) return { required: false, breakGlass: null };
    return { required: true, breakGlass: (await this.deps.users.find(id))?.name ?? null };
  }

  /** Whether this is the administrator who keeps their password. */
  async isBreakGlass({ id }: Pick<User, 'id'>): Promise<boolean> {
    return (await this.#breakGlassId()) === id;
  }

  async isRequired(): Promise<boolean> {
    return (await this.#breakGlassId()) !== null;
  }

  /**
   * Takes effect with the next sign-in: `breakGlass` names the administrator who keeps their password; `null` allows
   * all passwords. Throws `role_missing`, `invalid_input`.
   */
  async set(actor: Actor, breakGlass: string | null): Promise<void> {
    actor.requireRole('administrator');
    const user = breakGlass === null ? null : await this.#administrator(breakGlass);
    const audit = [
      auditEntry(actor, this.deps.clock.now(), 'sso.require', 'user:all', {
        required: user !== null,
        ...(user === null ? {} : { break_glass: user.name }),
      }),
    ];
    await this.deps.settings.set(SETTING, user === null ? '' : String(user.id), { audit });
  }

  /**
   * Whether the user may sign in with a password. If the break-glass administrator no longer can, all administrators
   * may: there is always one who can sign in without a provider.
   */
  async allowsPassword(user: User): Promise<boolean> {
    const id = await this.#breakGlassId();
    if (id === null || user.id === id) return true;
    const breakGlass = await this.deps.users.find(id);
    return user.role === 'administrator' && (breakGlass === null || !isLocalAdministrator(breakGlass));
  }

  async #administrator(name: string): Promise<User> {
    const found = await this.deps.users.findByName(name.trim().toLowerCase());
    if (found !== null && isLocalAdministrator(found.user)) return found.user;
    const message = 'Choose an administrator who has a password and is not disabled.';
    throw new InvalidInput([{ path: '/break_glass', message }]);
  }

  async #breakGlassId(): Promise<number | null> {
    const kept = await this.deps.settings.get(SETTING);
    return kept === null || kept === '' ? null : Number(kept);
  }
}

export const isLocalAdministrator = (user: User): boolean =>
  user.role === 'administrator' && user.hasPassword && isActive(user);

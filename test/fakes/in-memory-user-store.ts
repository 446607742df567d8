import type { AccountLink, Credentials, UserStore } from '../../src/application/ports/access/user-store.ts';
import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import { type NewUser, type User, userNotFound } from '../../src/domain/access/user.ts';
import { DomainError } from '../../src/domain/base/errors.ts';
import type { Instant } from '../../src/domain/base/instant.ts';
import type { Page, PageRequest } from '../../src/domain/base/page.ts';
import { InMemoryWorld } from './in-memory-world.ts';
import { pageOf } from './page-of.ts';

interface Stored {
  readonly user: Omit<User, 'hasPassword' | 'hasTotp'>;
  readonly credentials: Credentials;
  readonly totpStep: number;
  readonly recoveryCodes: ReadonlySet<string>;
}

interface LinkProof {
  readonly linkHash: string;
  readonly passwordHash: string;
  readonly at: Instant;
}

export class InMemoryUserStore implements UserStore {
  readonly #world: InMemoryWorld;
  readonly #users = new Map<number, Stored>();
  readonly #links = new Map<string, AccountLink>();

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async add(user: NewUser, record: (user: User) => ChangeRecord): Promise<User> {
    return this.#insert(user, null, record);
  }

  async addFirst(user: NewUser, proof: LinkProof, record: (user: User) => ChangeRecord): Promise<User> {
    const link = this.#links.get(proof.linkHash);
    if (!link || link.userId !== null || link.expiresAt <= proof.at || this.#administrators() > 0) {
      throw linkInvalid();
    }
    const added = this.#insert(user, proof.passwordHash, record);
    for (const [hash, each] of this.#links) if (each.userId === null) this.#links.delete(hash);
    return added;
  }

  async find(id: number): Promise<User | null> {
    const stored = this.#users.get(id);
    return stored ? shown(stored) : null;
  }

  async findByName(name: string): Promise<{ user: User; credentials: Credentials } | null> {
    const stored = [...this.#users.values()].find(({ user }) => user.name === name);
    return stored ? { user: shown(stored), credentials: stored.credentials } : null;
  }

  async list(page: PageRequest): Promise<Page<User>> {
    return pageOf(
      [...this.#users.values()].map(shown).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      page,
    );
  }

  async hasAdministrator(): Promise<boolean> {
    return this.#administrators() > 0;
  }

  async change(...[id, change, record, owned]: Parameters<UserStore['change']>): Promise<User> {
    const before = this.#existing(id);
    const { role, passwordHash, totpSecret, disabledAt } = change;
    const after: Stored = {
      ...before,
      user: {
        ...before.user,
        role: role ?? before.user.role,
        disabledAt: disabledAt === undefined ? before.user.disabledAt : disabledAt,
      },
      credentials: {
        passwordHash: passwordHash ?? before.credentials.passwordHash,
        totpSecret: totpSecret === undefined ? before.credentials.totpSecret : totpSecret,
      },
      recoveryCodes: totpSecret === null ? new Set() : before.recoveryCodes,
    };
    if (this.#administrators() > 0 && this.#administrators(after) === 0) {
      throw new DomainError('last_administrator', 'Nobody could sign in as administrator any more.');
    }
    const wanted = owned?.change(shown(after)) ?? (() => null);
    const schedules = this.#world.changeOwned({ kind: 'user', id }, owned?.at ?? 0, wanted);
    return this.#write(after, (user) => {
      const left = record(user, schedules.switchedOff);
      schedules.write();
      return left;
    });
  }

  async touch(id: number, at: Instant): Promise<void> {
    const stored = this.#users.get(id);
    if (!stored || (stored.user.lastLoginAt ?? 0) >= at) return;
    this.#users.set(id, { ...stored, user: { ...stored.user, lastLoginAt: at } });
  }

  async useTotpStep(id: number, step: number): Promise<boolean> {
    const stored = this.#users.get(id);
    if (!stored || stored.totpStep >= step) return false;
    this.#users.set(id, { ...stored, totpStep: step });
    return true;
  }

  async setRecoveryCodes(id: number, hashes: readonly string[], record: ChangeRecord): Promise<void> {
    this.#users.set(id, { ...this.#existing(id), recoveryCodes: new Set(hashes) });
    this.#world.record.write(record);
  }

  async useRecoveryCode(id: number, hash: string): Promise<boolean> {
    const stored = this.#users.get(id);
    if (!stored?.recoveryCodes.has(hash)) return false;
    const recoveryCodes = new Set([...stored.recoveryCodes].filter((code) => code !== hash));
    this.#users.set(id, { ...stored, recoveryCodes });
    return true;
  }

  async countRecoveryCodes(id: number): Promise<number> {
    return this.#users.get(id)?.recoveryCodes.size ?? 0;
  }

  async addLink(linkHash: string, link: AccountLink, record: ChangeRecord): Promise<void> {
    if (link.userId !== null) this.#dropLinks(link.userId);
    this.#links.set(linkHash, link);
    this.#world.record.write(record);
  }

  async findLink(linkHash: string): Promise<AccountLink | null> {
    return this.#links.get(linkHash) ?? null;
  }

  async useLink(proof: LinkProof, record: (user: User) => ChangeRecord): Promise<User> {
    const link = this.#links.get(proof.linkHash);
    if (!link || link.userId === null || link.expiresAt <= proof.at) throw linkInvalid();
    const before = this.#existing(link.userId);
    const credentials = { ...before.credentials, passwordHash: proof.passwordHash };
    const changed = this.#write({ ...before, credentials }, record);
    this.#links.delete(proof.linkHash);
    return changed;
  }

  #insert(user: NewUser, passwordHash: string | null, record: (user: User) => ChangeRecord): User {
    if ([...this.#users.values()].some((each) => each.user.name === user.name)) {
      throw new DomainError('name_taken', `There is a user named "${user.name}" already.`);
    }
    const added: Stored = {
      user: { ...user, id: this.#world.nextId('users'), lastLoginAt: null, disabledAt: null },
      credentials: { passwordHash, totpSecret: null },
      totpStep: 0,
      recoveryCodes: new Set(),
    };
    return this.#write(added, record);
  }

  #write(stored: Stored, record: (user: User) => ChangeRecord): User {
    const user = shown(stored);
    const left = record(user);
    this.#users.set(user.id, stored);
    this.#world.record.write(left);
    return user;
  }

  #existing(id: number): Stored {
    const stored = this.#users.get(id);
    if (!stored) throw userNotFound(`with id ${id}`);
    return stored;
  }

  #dropLinks(userId: number): void {
    for (const [hash, link] of this.#links) if (link.userId === userId) this.#links.delete(hash);
  }

  /** How many can sign in as administrator, with one of them as given. */
  #administrators(changed?: Stored): number {
    const all = [...this.#users.values()].map((each) => (each.user.id === changed?.user.id ? changed : each));
    return all.filter(
      ({ user, credentials }) =>
        user.role === 'administrator' && user.disabledAt === null && credentials.passwordHash !== null,
    ).length;
  }
}

const shown = ({ user, credentials }: Stored): User => ({
  ...user,
  hasPassword: credentials.passwordHash !== null,
  hasTotp: credentials.totpSecret !== null,
});

const linkInvalid = (): DomainError => new DomainError('link_invalid', 'This link was used before.');

import type { Knex } from 'knex';
import type {
  AccountLink,
  Credentials,
  UserChange,
  UserStore,
} from '../../../../../application/ports/access/user-store.ts';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import type { SsoIdentity } from '../../../../../domain/access/sso-identity.ts';
import {
  hasSecondFactor,
  type NewUser,
  NO_ROLE,
  type User,
  userNotFound,
} from '../../../../../domain/access/user.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { UserOrder } from '../../../../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../../../../domain/base/page.ts';
import { SqlStore } from '../database.ts';
import { orderedBy, pageOf } from '../page.ts';
import { isUniqueViolation } from '../sql-errors.ts';
import { DISABLED_FOR_OLDER, USER_COLUMNS, USERS, type UserRow } from '../tables/user-row.ts';
import { recordChange } from './record-change.ts';
import { changeOwned } from './schedule-owners.ts';
import { userOf, usersOf } from './server-roles.ts';

interface LinkRow {
  readonly user_id: number | null;
  readonly expires_at: number;
}

interface LinkProof {
  readonly linkHash: string;
  readonly passwordHash: string;
  readonly at: Instant;
}

const ORDERS = { name: ['name'], role: ['role', 'name'], last_sign_in: ['last_login_at', 'name'] } as const;

export class SqlUserStore extends SqlStore implements UserStore {
  async add(user: NewUser, record: (user: User) => ChangeRecord): Promise<User> {
    return this.database.transaction(async (trx) => {
      const added = await insert(trx, user, null);
      await recordChange(trx, record(added));
      return added;
    });
  }

  async addFirst(user: NewUser, proof: LinkProof, record: (user: User) => ChangeRecord): Promise<User> {
    return this.database.transaction(async (trx) => {
      await takeLink(trx, proof, null);
      if (await administrators(trx).first('users.id')) throw linkInvalid();
      // Of several concurrent links the later ones find nothing.
      await trx('account_links').whereNull('user_id').delete();
      const added = await insert(trx, user, proof.passwordHash);
      await recordChange(trx, record(added));
      return added;
    });
  }

  async find(id: number): Promise<User | null> {
    const row = await this.database.knex('users').where({ id }).first<UserRow | undefined>(USER_COLUMNS);
    return row ? userOf(this.database.knex, row) : null;
  }

  async findByName(name: string): Promise<{ user: User; credentials: Credentials } | null> {
    const row = await this.database.knex('users').where({ name }).first<UserRow | undefined>(USER_COLUMNS);
    if (!row) return null;
    return {
      user: await userOf(this.database.knex, row),
      credentials: { passwordHash: row.password_hash, totpSecret: row.totp_secret },
    };
  }

  async findByIdentity({ issuer, subject }: Pick<SsoIdentity, 'issuer' | 'subject'>): Promise<User | null> {
    const row = await this.database
      .knex('users')
      .where({ sso_issuer: issuer, sso_subject: subject })
      .first<UserRow | undefined>(USER_COLUMNS);
    return row ? userOf(this.database.knex, row) : null;
  }

  async list(page: PageRequest, order: UserOrder = { by: 'name', descending: false }): Promise<Page<User>> {
    return pageOf(this.database.knex('users'), page, async (window) => {
      const rows: UserRow[] = await window.select(USER_COLUMNS).orderBy(orderedBy(order, ORDERS));
      return usersOf(this.database.knex, rows);
    });
  }

  async grantedTags(): Promise<ReadonlySet<string>> {
    const rows: UserRow[] = await this.database.knex('users').whereNotNull('tag_roles').select(USER_COLUMNS);
    return new Set(rows.flatMap((row) => USERS.read(row).tagRoles.map(({ tag }) => tag)));
  }

  async hasAdministrator(): Promise<boolean> {
    return (await administrators(this.database.knex).first('users.id')) !== undefined;
  }

  async change(
    ...[id, { tagRoles, ...change }, record, owned]: Parameters<UserStore['change']>
  ): Promise<User> {
    return this.database.transaction(async (trx) => {
      await lockAdministrators(trx);
      const hadOne = (await administrators(trx).first('users.id')) !== undefined;
      const users = trx('users').where({ id });
      if (change.identity) users.whereNull('sso_issuer');
      const columns = { ...columnsOf(trx, change), ...(await tagRolesAfter(trx, id, tagRoles)) };
      if ((await users.update(columns).catch(identityTaken)) === 0) {
        if (!(await exists(trx, id))) throw userNotFound(`with id ${id}`);
        if (change.identity) throw identityIsTaken();
      }
      if (change.passkeys === 0) await trx('passkeys').where({ user_id: id }).delete();
      if (hadOne && !(await administrators(trx).first('users.id'))) throw lastAdministrator();
      const changed = await existing(trx, id);
      if (!hasSecondFactor(changed)) await trx('recovery_codes').where({ user_id: id }).delete();
      const schedules = owned
        ? await changeOwned(trx, { kind: 'user', id }, owned.at, owned.change(changed))
        : [];
      await recordChange(trx, record(changed, schedules));
      return changed;
    });
  }

  async touch(id: number, at: Instant): Promise<void> {
    await this.database.write((knex) =>
      knex('users')
        .where({ id })
        .where((earlier) => void earlier.whereNull('last_login_at').orWhere('last_login_at', '<', at))
        .update({ last_login_at: at }),
    );
  }

  async useTotpStep(id: number, step: number): Promise<boolean> {
    const used = await this.database.write((knex) =>
      knex('users').where({ id }).where('totp_step', '<', step).update({ totp_step: step }),
    );
    return used === 1;
  }

  async setRecoveryCodes(id: number, hashes: readonly string[], record: ChangeRecord): Promise<void> {
    await this.database.transaction(async (trx) => {
      await trx('recovery_codes').where({ user_id: id }).delete();
      if (hashes.length > 0) {
        await trx('recovery_codes').insert(hashes.map((code_hash) => ({ user_id: id, code_hash })));
      }
      await recordChange(trx, record);
    });
  }

  async useRecoveryCode(id: number, hash: string): Promise<boolean> {
    const used = await this.database.write((knex) =>
      knex('recovery_codes').where({ user_id: id, code_hash: hash }).delete(),
    );
    return used === 1;
  }

  async countRecoveryCodes(id: number): Promise<number> {
    const counted = await this.database
      .knex('recovery_codes')
      .where({ user_id: id })
      .count<{ n: number }[]>({ n: '*' });
    return counted[0]?.n ?? 0;
  }

  async addLink(linkHash: string, link: AccountLink, record: ChangeRecord): Promise<void> {
    await this.database.transaction(async (trx) => {
      // Links for the first administrator coexist: each replica prints its own.
      if (link.userId !== null) await trx('account_links').where({ user_id: link.userId }).delete();
      const row = { link_hash: linkHash, user_id: link.userId, expires_at: link.expiresAt };
      await trx('account_links').insert(row);
      await recordChange(trx, record);
    });
  }

  async findLink(linkHash: string): Promise<AccountLink | null> {
    const row = await this.database
      .knex('account_links')
      .where({ link_hash: linkHash })
      .first<LinkRow | undefined>('user_id', 'expires_at');
    return row ? { userId: row.user_id, expiresAt: row.expires_at } : null;
  }

  async useLink(proof: LinkProof, record: (user: User) => ChangeRecord): Promise<User> {
    return this.database.transaction(async (trx) => {
      const link = await trx('account_links')
        .where({ link_hash: proof.linkHash })
        .first<LinkRow | undefined>('user_id', 'expires_at');
      if (!link || link.user_id === null) throw linkInvalid();
      await takeLink(trx, proof, link.user_id);
      await trx('users').where({ id: link.user_id }).update({ password_hash: proof.passwordHash });
      const changed = await existing(trx, link.user_id);
      await recordChange(trx, record(changed));
      return changed;
    });
  }
}

/** Those who can sign in: invited ones have no password yet. */
const administrators = (knex: Knex): Knex.QueryBuilder =>
  knex('users').where({ role: 'administrator' }).whereNull('disabled_at').whereNotNull('password_hash');

/** Two that give up their role at the same time must see each other. */
async function lockAdministrators(trx: Knex.Transaction): Promise<void> {
  if (trx.client.dialect === 'mysql') await administrators(trx).select('users.id').forUpdate();
}

/** Ends the link, and throws if it was used already. */
async function takeLink(trx: Knex, proof: LinkProof, userId: number | null): Promise<void> {
  const links = trx('account_links').where({ link_hash: proof.linkHash }).where('expires_at', '>', proof.at);
  const taken = await (userId === null
    ? links.whereNull('user_id')
    : links.where({ user_id: userId })
  ).delete();
  if (taken === 0) throw linkInvalid();
}

async function insert(trx: Knex, { identity, ...user }: NewUser, passwordHash: string | null): Promise<User> {
  const [id] = await trx('users')
    .insert({
      ...USERS.write({ ...user, ...identity, passwordHash }),
      ...(user.role === null ? { disabled_at: DISABLED_FOR_OLDER } : {}),
    })
    .catch(identityTaken)
    .catch((error: unknown) => {
      if (!isUniqueViolation(error, 'users', ['name'])) throw error;
      throw new DomainError('name_taken', `A user named "${user.name}" already exists.`);
    });
  return existing(trx, Number(id));
}

async function tagRolesAfter(
  trx: Knex.Transaction,
  id: number,
  tagRoles: UserChange['tagRoles'],
): Promise<object> {
  if (tagRoles === undefined) return {};
  const row: UserRow | undefined = await trx('users').where({ id }).forUpdate().first(USER_COLUMNS);
  return row ? USERS.write({ tagRoles: tagRoles(USERS.read(row).tagRoles) }) : {};
}

const columnsOf = (knex: Knex, { identity, ...change }: Omit<UserChange, 'tagRoles'>): object => ({
  ...USERS.write(change),
  ...forOlderReplicas(knex, change),
  ...(identity === undefined
    ? {}
    : USERS.write({ issuer: identity?.issuer ?? null, subject: identity?.subject ?? null })),
});

/** They have to take a user without a role on all servers for disabled. */
function forOlderReplicas(knex: Knex, { role, disabledAt }: UserChange): object {
  const bindings = [DISABLED_FOR_OLDER];
  if (role === null && !disabledAt) return { disabled_at: knex.raw('COALESCE(disabled_at, ?)', bindings) };
  if (role) return { disabled_at: knex.raw('NULLIF(disabled_at, ?)', bindings) };
  if (disabledAt !== null) return {};
  return { disabled_at: knex.raw('CASE WHEN role = ? THEN ? ELSE NULL END', [NO_ROLE, DISABLED_FOR_OLDER]) };
}

const identityIsTaken = (): DomainError =>
  new DomainError('name_taken', 'This identity has an account already, or this account an identity.');

function identityTaken(error: unknown): never {
  if (isUniqueViolation(error, 'users', ['sso_issuer', 'sso_subject'])) throw identityIsTaken();
  throw error;
}

const exists = async (knex: Knex, id: number): Promise<boolean> =>
  (await knex('users').where({ id }).first('id')) !== undefined;

async function existing(knex: Knex, id: number): Promise<User> {
  const row = await knex('users').where({ id }).first<UserRow | undefined>(USER_COLUMNS);
  if (!row) throw userNotFound(`with id ${id}`);
  return userOf(knex, row);
}

const linkInvalid = (): DomainError =>
  new DomainError('link_invalid', 'This link has been used or has expired; ask for a new one.');

const lastAdministrator = (): DomainError =>
  new DomainError(
    'last_administrator',
    'You cannot remove the last administrator. Promote another user to administrator first.',
  );

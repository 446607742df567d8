import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { z } from 'zod';
import type {
  PasskeyChallenge,
  PasskeyStore,
} from '../../../../../application/ports/access/passkey-store.ts';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import { type Passkey, PasskeyRefusal, passkeyNotFound } from '../../../../../domain/access/passkey.ts';
import { hasSecondFactor } from '../../../../../domain/access/user.ts';
import { InvalidInput } from '../../../../../domain/base/errors.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { SqlStore } from '../database.ts';
import { isUniqueViolation } from '../sql-errors.ts';
import { columns, int, json, orNull, type Row, shortText, text } from '../tables/columns.ts';
import { toUser, USER_COLUMNS, type UserRow } from '../tables/user-row.ts';
import { recordChange } from './record-change.ts';
import { userOf } from './server-roles.ts';

const TABLE = 'passkeys';
const CHALLENGES = 'passkey_challenges';
const PASSKEYS = columns({
  id: int,
  userId: int,
  name: shortText,
  credentialId: text,
  publicKey: text,
  rpId: text,
  counter: int,
  transports: json(z.array(z.string())),
  createdAt: int,
  lastUsedAt: orNull(int),
});
type PasskeyRow = Row<typeof PASSKEYS>;

/** The index is over this: credential ids may have a kilobyte. */
const hashOf = (credentialId: string): string => createHash('sha256').update(credentialId).digest('hex');

export class SqlPasskeyStore extends SqlStore implements PasskeyStore {
  async add(...[passkey, most, record]: Parameters<PasskeyStore['add']>): Promise<Passkey> {
    return this.database.transaction(async (trx) => {
      await lockUser(trx, passkey.userId);
      if ((await countOf(trx, passkey.userId)) >= most)
        throw new InvalidInput([
          { path: '', message: `You have ${most} passkeys already. Remove one first.` },
        ]);
      const row = { ...PASSKEYS.write(passkey), credential_hash: hashOf(passkey.credentialId) };
      const [id] = await trx(TABLE)
        .insert(row)
        .catch((error: unknown) => {
          if (isUniqueViolation(error, TABLE, ['credential_hash'])) throw new PasskeyRefusal('passkey_known');
          throw error;
        });
      await writeCount(trx, passkey.userId);
      const added = { ...passkey, id: Number(id), lastUsedAt: null };
      await recordChange(trx, record(added));
      return added;
    });
  }

  async list(userId: number): Promise<readonly Passkey[]> {
    const rows: PasskeyRow[] = await this.database
      .knex(TABLE)
      .where({ user_id: userId })
      .select(PASSKEYS.names)
      .orderBy('id');
    return rows.map(PASSKEYS.read);
  }

  async find(credentialId: string): ReturnType<PasskeyStore['find']> {
    const { knex } = this.database;
    const row = await knex(TABLE)
      .where({ credential_hash: hashOf(credentialId) })
      .first<PasskeyRow | undefined>(PASSKEYS.names);
    if (!row) return null;
    const user = await knex('users').where({ id: row.user_id }).first<UserRow | undefined>(USER_COLUMNS);
    return user ? { passkey: PASSKEYS.read(row), user: await userOf(knex, user) } : null;
  }

  async use(id: number, counter: number, at: Instant): Promise<boolean> {
    const used = await this.database.write((knex) =>
      knex(TABLE)
        .where({ id })
        .where(
          (kept) =>
            void kept
              .where('counter', '<', counter)
              .orWhere((uncounted) => void uncounted.where({ counter: 0 }).whereRaw('? = 0', [counter])),
        )
        .update({ counter, last_used_at: at }),
    );
    return used === 1;
  }

  async rename(userId: number, id: number, name: string, record: ChangeRecord): Promise<void> {
    await this.database.transaction(async (trx) => {
      await existing(trx, userId, id);
      await trx(TABLE).where({ id }).update({ name });
      await recordChange(trx, record);
    });
  }

  async remove(userId: number, id: number, record: ChangeRecord): Promise<void> {
    await this.database.transaction(async (trx) => {
      await lockUser(trx, userId);
      await existing(trx, userId, id);
      await trx(TABLE).where({ id }).delete();
      await writeCount(trx, userId);
      const user: UserRow = await trx('users').where({ id: userId }).first(USER_COLUMNS);
      if (!hasSecondFactor(toUser(user))) await trx('recovery_codes').where({ user_id: userId }).delete();
      await recordChange(trx, record);
    });
  }

  async addChallenge(hash: string, challenge: PasskeyChallenge, most: number): Promise<boolean> {
    const { purpose, boundTo, startedAt } = challenge;
    return this.database.transaction(async (trx) => {
      await trx(CHALLENGES).where({ bound_to: boundTo, purpose }).delete();
      const counted = await trx(CHALLENGES).count<{ n: number }[]>({ n: '*' });
      if ((counted[0]?.n ?? 0) >= most) return false;
      const row = { challenge_hash: hash, purpose, bound_to: boundTo, started_at: startedAt };
      await trx(CHALLENGES).insert(row);
      return true;
    });
  }

  async takeChallenge(hash: string, { purpose, boundTo, startedAt }: PasskeyChallenge): Promise<boolean> {
    const taken = await this.database.write((knex) =>
      knex(CHALLENGES)
        .where({ challenge_hash: hash, purpose, bound_to: boundTo })
        .where('started_at', '>=', startedAt)
        .delete(),
    );
    return taken === 1;
  }

  async forgetChallengesBefore(at: Instant, most: number): Promise<number> {
    const ids: number[] = await this.database
      .knex(CHALLENGES)
      .where('started_at', '<', at)
      .limit(most)
      .pluck('id');
    if (ids.length === 0) return 0;
    return this.database.write((knex) => knex(CHALLENGES).whereIn('id', ids).delete());
  }
}

/** Two additions at the same time must see each other. */
async function lockUser(trx: Knex.Transaction, id: number): Promise<void> {
  if (trx.client.dialect === 'mysql') await trx('users').where({ id }).first('id').forUpdate();
}

async function countOf(trx: Knex, userId: number): Promise<number> {
  const counted = await trx(TABLE).where({ user_id: userId }).count<{ n: number }[]>({ n: '*' });
  return counted[0]?.n ?? 0;
}

const writeCount = async (trx: Knex, userId: number): Promise<number> =>
  trx('users')
    .where({ id: userId })
    .update({ passkeys: await countOf(trx, userId) });

/** Throws `passkey_not_found`. */
async function existing(trx: Knex, userId: number, id: number): Promise<void> {
  if (!(await trx(TABLE).where({ id, user_id: userId }).first('id'))) throw passkeyNotFound();
}

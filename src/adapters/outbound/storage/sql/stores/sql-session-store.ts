import type { SessionStore } from '../../../../../application/ports/access/session-store.ts';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import type { Session } from '../../../../../domain/access/session.ts';
import type { User } from '../../../../../domain/access/user.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { SqlStore } from '../database.ts';
import { USER_COLUMNS, type UserRow } from '../tables/user-row.ts';
import { recordChange } from './record-change.ts';
import { userOf } from './server-roles.ts';

interface SessionRow {
  readonly session_id: number;
  readonly user_id: number;
  readonly stage: string;
  readonly session_created_at: number;
  readonly seen_at: number;
  readonly confirmed_at: number;
  readonly address: string;
  readonly agent: string;
  readonly device_id: number | null;
  readonly provider: string | null;
  readonly two_factors: number;
}

const SESSION_COLUMNS = [
  'sessions.id as session_id',
  'sessions.user_id',
  'sessions.stage',
  'sessions.created_at as session_created_at',
  'sessions.seen_at',
  'sessions.confirmed_at',
  'sessions.address',
  'sessions.agent',
  'sessions.device_id',
  'sessions.provider',
  'sessions.two_factors',
];

/** More than a user has; any others end soon. */
const MAX_LISTED = 100;

export class SqlSessionStore extends SqlStore implements SessionStore {
  async add(...[session, secretHash, record]: Parameters<SessionStore['add']>): Promise<Session> {
    return this.database.transaction(async (trx) => {
      const [id] = await trx('sessions').insert({
        secret_hash: secretHash,
        user_id: session.userId,
        stage: session.stage,
        created_at: session.createdAt,
        seen_at: session.seenAt,
        confirmed_at: session.confirmedAt,
        address: session.address.slice(0, 64),
        agent: session.agent.slice(0, 255),
        device_id: session.deviceId,
        provider: session.provider,
        two_factors: Number(session.hasTwoFactors),
      });
      const added = { ...session, id: Number(id) };
      await recordChange(trx, record(added));
      return added;
    });
  }

  async findByHash(secretHash: string): Promise<{ session: Session; user: User } | null> {
    const row = await this.database
      .knex('sessions')
      .join('users', 'users.id', 'sessions.user_id')
      .where('sessions.secret_hash', secretHash)
      .first<(SessionRow & UserRow) | undefined>([...SESSION_COLUMNS, ...USER_COLUMNS]);
    return row ? { session: toSession(row), user: await userOf(this.database.knex, row) } : null;
  }

  async touch(id: number, at: Instant): Promise<void> {
    await this.database.write((knex) =>
      knex('sessions').where({ id }).where('seen_at', '<', at).update({ seen_at: at }),
    );
  }

  async confirm(id: number, at: Instant, secretHash: string): Promise<void> {
    await this.database.write((knex) =>
      knex('sessions').where({ id }).update({ confirmed_at: at, secret_hash: secretHash }),
    );
  }

  async list(userId: number): Promise<readonly Session[]> {
    const rows: SessionRow[] = await this.database
      .knex('sessions')
      .where({ user_id: userId })
      .select(SESSION_COLUMNS)
      .orderBy('seen_at', 'desc')
      .limit(MAX_LISTED);
    return rows.map(toSession);
  }

  async remove(userId: number, id: number, record: ChangeRecord): Promise<boolean> {
    return this.database.transaction(async (trx) => {
      const removed = await trx('sessions').where({ id, user_id: userId }).delete();
      if (removed > 0) await recordChange(trx, record);
      return removed > 0;
    });
  }

  async removeAll(userId: number, except: number | null): Promise<number> {
    return this.database.write((knex) => {
      const sessions = knex('sessions').where({ user_id: userId });
      return (except === null ? sessions : sessions.whereNot({ id: except })).delete();
    });
  }

  async forgetUnusedSince(at: Instant, most: number): Promise<number> {
    const { knex } = this.database;
    const ids: number[] = await knex('sessions').where('seen_at', '<', at).limit(most).pluck('id');
    if (ids.length === 0) return 0;
    return this.database.write(() => knex('sessions').whereIn('id', ids).where('seen_at', '<', at).delete());
  }
}

const toSession = (row: SessionRow): Session => ({
  id: row.session_id,
  userId: row.user_id,
  stage: row.stage === 'full' ? 'full' : 'code',
  createdAt: row.session_created_at,
  seenAt: row.seen_at,
  confirmedAt: row.confirmed_at,
  address: row.address,
  agent: row.agent,
  deviceId: row.device_id,
  provider: row.provider,
  hasTwoFactors: row.two_factors === 1,
});

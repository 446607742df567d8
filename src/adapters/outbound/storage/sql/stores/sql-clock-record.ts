import type { ClockRecord } from '../../../../../application/ports/service/clock-record.ts';
import { type Instant, toIso } from '../../../../../domain/base/instant.ts';
import type { ClockJump, JumpKind } from '../../../../../domain/fleet/clock-jump.ts';
import { SqlStore } from '../database.ts';
import { bringBackTimes } from './future-times.ts';
import { SqlSettingStore } from './sql-setting-store.ts';

const SETTING = 'clock_seen_at';
const MAX_OPEN = 100;

interface Row {
  readonly id: number;
  readonly kind: JumpKind;
  readonly from_at: number;
  readonly to_at: number;
  readonly acknowledged: number;
}

export class SqlClockRecord extends SqlStore implements ClockRecord {
  readonly #settings = new SqlSettingStore(this.database);

  async seenAt(): Promise<Instant | null> {
    const kept = await this.#settings.get(SETTING);
    return kept === null ? null : Number(kept);
  }

  async see(at: Instant): Promise<void> {
    await this.#settings.set(SETTING, String(at));
  }

  async open(): Promise<readonly ClockJump[]> {
    const { knex } = this.database;
    const acknowledged = knex('notifications')
      .where({ kind: 'clock.jumped', state: 'acknowledged' })
      .whereRaw('subject_id = clock_jumps.id')
      .count('*')
      .as('acknowledged');
    const rows: Row[] = await knex('clock_jumps')
      .whereNull('over_at')
      .orderBy('id')
      .limit(MAX_OPEN)
      .select('id', 'kind', 'from_at', 'to_at', acknowledged);
    return rows.map((row) => ({
      id: row.id,
      kind: row.kind,
      fromAt: row.from_at,
      toAt: row.to_at,
      acknowledged: row.acknowledged > 0,
    }));
  }

  async begin({ kind, fromAt, toAt }: Parameters<ClockRecord['begin']>[0]): Promise<void> {
    const row = { kind, from_at: fromAt, to_at: toAt, expected: toIso(fromAt), over_at: null };
    await this.database.write((knex) => knex('clock_jumps').insert(row));
  }

  async end(id: number, at: Instant): Promise<void> {
    await this.database.write((knex) =>
      knex('clock_jumps').where({ id }).whereNull('over_at').update({ over_at: at }),
    );
  }

  bringBack(now: Instant): Promise<number> {
    return bringBackTimes(this.database, now);
  }
}

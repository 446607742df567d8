import type { DeviceStore } from '../../../../../application/ports/access/device-store.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { SqlStore } from '../database.ts';

export class SqlDeviceStore extends SqlStore implements DeviceStore {
  async find(userId: number, secretHash: string, usedSince: Instant): Promise<number | null> {
    const row = await this.database
      .knex('sign_in_devices')
      .where({ secret_hash: secretHash, user_id: userId })
      .where('seen_at', '>=', usedSince)
      .first<{ id: number } | undefined>('id');
    return row?.id ?? null;
  }

  async remember(
    userId: number,
    { hash, formerHash }: { readonly hash: string; readonly formerHash: string | null },
    at: Instant,
    keep: number,
  ): Promise<number> {
    return this.database.transaction(async (trx) => {
      if (formerHash !== null)
        await trx('sign_in_devices').where({ secret_hash: formerHash }).update({ secret_hash: hash });
      await trx('sign_in_devices')
        .insert({ secret_hash: hash, user_id: userId, created_at: at, seen_at: at })
        .onConflict(['secret_hash', 'user_id'])
        .merge(['seen_at']);
      const devices: { id: number; secret_hash: string }[] = await trx('sign_in_devices')
        .where({ user_id: userId })
        .select('id', 'secret_hash')
        .orderBy([
          { column: 'seen_at', order: 'desc' },
          { column: 'id', order: 'desc' },
        ]);
      const mine = devices.find((device) => device.secret_hash === hash);
      const surplus = devices.filter((device) => device !== mine).slice(keep - 1);
      if (surplus.length > 0) {
        const ids = surplus.map(({ id }) => id);
        await trx('sign_in_devices').whereIn('id', ids).delete();
      }
      if (!mine) throw new Error('the browser was just recorded');
      return mine.id;
    });
  }

  async remove(userId: number, id: number): Promise<void> {
    await this.database.write((knex) => knex('sign_in_devices').where({ id, user_id: userId }).delete());
  }

  async removeAll(userId: number, except: number | null): Promise<number> {
    return this.database.write((knex) => {
      const devices = knex('sign_in_devices').where({ user_id: userId });
      return (except === null ? devices : devices.whereNot({ id: except })).delete();
    });
  }

  async forgetUnusedSince(at: Instant, most: number): Promise<number> {
    const { knex } = this.database;
    const ids: number[] = await knex('sign_in_devices').where('seen_at', '<', at).limit(most).pluck('id');
    if (ids.length === 0) return 0;
    return this.database.write(() =>
      knex('sign_in_devices').whereIn('id', ids).where('seen_at', '<', at).delete(),
    );
  }
}

import { expect, it, onTestFinished } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../../../../src/domain/base/instant.ts';
import type { MakeDatabase } from '../../../../support/databases.ts';
import { sqlStores } from '../../../../support/sql-stores.ts';
import { AT, addServer, noRecord } from '../../../../support/stores-subject.ts';

const AHEAD = AT + 395 * DAY;

/** What a clock that was ahead has granted lasts as long as was meant, from now on, and not for months. */
export function movedExpiriesTests(makeDatabase: MakeDatabase): void {
  it('expiries that were counted from a future time move to the present', async () => {
    const { database, drop } = await makeDatabase();
    onTestFinished(drop);
    const stores = sqlStores(database);
    const { notifications, tokens, clockRecord } = stores;
    const serverId = await addServer(stores, 'web');
    const mute = (createdAt: number, until: number | null) =>
      notifications.mute({ kind: null, serverId, until, createdBy: 'cli:me', createdAt }, () => ({}));
    await mute(AHEAD, null);
    await mute(AHEAD, AHEAD + HOUR);
    await mute(AT - MINUTE, AT + 60 * DAY);
    const terms = { name: 'ahead', prefix: 'drv_12345678', scopes: ['read'], allowedCidrs: [] } as const;
    const { id } = await tokens.add(
      {
        ...terms,
        allowedServerIds: null,
        serversGrantedBy: null,
        requireApproval: false,
        createdBy: 'cli:me',
        createdAt: AHEAD,
        expiresAt: AHEAD + 30 * DAY,
      },
      'a'.repeat(64),
      noRecord,
    );
    expect(await clockRecord.bringBack(AT)).toBe(3);
    expect((await notifications.mutes(AT)).map(({ until }) => until)).toEqual([
      null,
      AT + HOUR,
      AT + 60 * DAY,
    ]);
    expect(await notifications.mutes(AT + 2 * HOUR)).toHaveLength(2);
    expect(await tokens.find(id)).toMatchObject({ createdAt: AT, expiresAt: AT + 30 * DAY });
  });
}

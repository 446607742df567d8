import type { Knex } from 'knex';
import { expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../../../../src/adapters/outbound/storage/sql/database.ts';
import { SqlAuditChain } from '../../../../../src/adapters/outbound/storage/sql/stores/sql-audit-chain.ts';
import { SqlAuditLog } from '../../../../../src/adapters/outbound/storage/sql/stores/sql-audit-log.ts';
import { auditEntry } from '../../../../../src/domain/events/audit-entry.ts';
import { tokenActor } from '../../../../support/application-scene.ts';
import { macOf } from '../../../../support/audit-mac.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { mariaDbDatabase } from '../../../../support/databases.ts';
import { AT } from '../../../../support/stores-subject.ts';
import { auditChainTests } from './audit-chain.ts';

/**
 * Replaces the database by one whose transactions pause before they first look for entries, until something else is
 * done.
 */
function held(database: Database, meanwhile: () => Promise<unknown>): Database {
  let isHeld = true;
  const holding = (trx: Knex.Transaction): Knex.Transaction =>
    new Proxy(trx, {
      apply(target, _, [table]: [string]) {
        if (!isHeld || table !== 'audit_entries') return target(table);
        isHeld = false;
        const first = async () => {
          await meanwhile();
          return target(table).whereNotNull('seq').first('id');
        };
        return { whereNotNull: () => ({ first }) };
      },
    });
  const transaction: Database['transaction'] = (body) => database.transaction((trx) => body(holding(trx)));
  return new Proxy(database, {
    get: (target, name) => (name === 'transaction' ? transaction : Reflect.get(target, name, target)),
  });
}

describeWith('mariadb', 'MariaDB', () => {
  auditChainTests(mariaDbDatabase);

  it('is started by one if two start it at the same moment', async () => {
    const made = await mariaDbDatabase();
    onTestFinished(() => made.drop());
    const mac = macOf('the key');
    const entry = auditEntry(tokenActor(), AT, 'job.request', 'job:1', {});
    await new SqlAuditLog(made.database).record(entry);
    const [faster, slower] = [made.another(), made.database];
    const begin = () => new SqlAuditChain(faster, mac).seal(10, AT);
    const late = new SqlAuditChain(
      held(slower, async () => expect(await begin()).toMatchObject({ began: true })),
      mac,
    );
    expect(await late.seal(10, AT)).toMatchObject({ entries: 0, began: false });
    expect(await late.head()).toMatchObject({ seq: 1 });
  });
});

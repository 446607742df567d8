import { openDatabase } from '../../src/adapters/outbound/storage/sql/database.ts';
import { recordChange, signAudit } from '../../src/adapters/outbound/storage/sql/stores/record-change.ts';
import { SqlAuditChain } from '../../src/adapters/outbound/storage/sql/stores/sql-audit-chain.ts';
import { SqlAuditLog } from '../../src/adapters/outbound/storage/sql/stores/sql-audit-log.ts';
import { Actor } from '../../src/domain/access/actor.ts';
import { auditEntry } from '../../src/domain/events/audit-entry.ts';
import { macOf } from '../support/audit-mac.ts';

// One of several processes that write into one audit log and chain it at the same time. Every other entry is written in a
// transaction that takes a while to commit, and some of those are rolled back.

const [url = '', dataDir = '', me = '', count = '0', startAt = '0'] = process.argv.slice(2);

const database = openDatabase({ url: url || null, dataDir });
const mac = macOf('the key');
signAudit(database, mac);
const log = new SqlAuditLog(database);
const chain = new SqlAuditChain(database, mac);
const entryOf = (n: number) => auditEntry(Actor.system(me), n, 'job.request', `job:${n}`, { n });

async function slowly(n: number): Promise<number> {
  const undone = new Error('undone');
  try {
    await database.transaction(async (trx) => {
      await recordChange(trx, { audit: [entryOf(n)] });
      await new Promise((resolve) => setTimeout(resolve, n % 5));
      if (n % 3 === 0) throw undone;
    });
    return 1;
  } catch (error) {
    if (error === undone) return 0;
    throw error;
  }
}

await database.ping(10_000);
while (Date.now() < Number(startAt));
let written = 0;
for (let n = 1; n <= Number(count); n += 1) {
  if (n % 2 === 0) written += await slowly(n);
  else {
    await log.record(entryOf(n));
    written += 1;
  }
  if (n % 4 === 0) await chain.seal(7, n);
}
console.log(written);
await database.close();

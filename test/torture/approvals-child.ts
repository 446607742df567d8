import { openDatabase } from '../../src/adapters/outbound/storage/sql/database.ts';
import { isDomainError } from '../../src/domain/base/errors.ts';
import { nobodyDecided, refusedBy } from '../../src/domain/jobs/approval.ts';
import { sqlStores } from '../support/sql-stores.ts';
import { AT, trailOf } from '../support/stores-subject.ts';

// One of several processes that decide on the same requests at the same time, each in its own way. Prints the ids of
// those that it decided.

const [url = '', dataDir = '', way = '', count = '0', startAt = '0'] = process.argv.slice(2);

const database = openDatabase({ url: url || null, dataDir });
const { approvals, jobs } = sqlStores(database);

async function decide(id: number): Promise<unknown> {
  const by = { at: AT, by: way, note: null };
  const record = () => trailOf(`approval.${way}`, 'approval')({ id });
  if (way === 'refuse')
    return approvals.end(id, { ...by, state: 'refused', reason: refusedBy(way, null) }, record);
  if (way === 'expire') {
    const reason = nobodyDecided({ expiresAt: AT });
    return approvals.end(id, { ...by, state: 'expired', reason }, record);
  }
  if (way === 'cancel') {
    const approval = await approvals.find(id);
    return jobs.requestCancel(approval?.jobId ?? 0, AT, record);
  }
  return approvals.approve(id, { ...by, planId: null, voter: null }, record);
}

const LOST = ['approval_decided', 'job_not_cancellable'];

await database.ping(10_000);
while (Date.now() < Number(startAt));
const won: number[] = [];
for (let id = 1; id <= Number(count); id += 1) {
  try {
    await decide(id);
    won.push(id);
  } catch (error) {
    if (!isDomainError(error) || !LOST.includes(error.code)) throw error;
  }
}
console.log(JSON.stringify(won));
await database.close();

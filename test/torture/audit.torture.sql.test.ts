import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SqlAuditChain } from '../../src/adapters/outbound/storage/sql/stores/sql-audit-chain.ts';
import { SealAudit } from '../../src/application/events/seal-audit.ts';
import { VerifyAudit } from '../../src/application/events/verify-audit.ts';
import { Actor } from '../../src/domain/access/actor.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { RecordingLogger } from '../fakes/recording-logger.ts';
import { macOf } from '../support/audit-mac.ts';
import { bundled } from '../support/bundled.ts';
import { describeWith } from '../support/capabilities.ts';
import { type MakeDatabase, mariaDbDatabase, sqliteDatabase } from '../support/databases.ts';
import { rounds } from '../support/rounds.ts';

const PROCESSES = ['one', 'two', 'three'];
/** The start time of a process here, with a margin. */
const HEAD_START_MS = 3_000;

const script = await bundled(new URL('./audit-child.ts', import.meta.url));

function writers(makeDatabase: MakeDatabase): void {
  it('chains everything that several processes write, once, with any number of processes', async () => {
    const { database, url, dataDir, drop } = await makeDatabase();
    onTestFinished(drop);
    const count = rounds(60, 3_000);
    const startAt = Date.now() + HEAD_START_MS;
    const written = await Promise.all(
      PROCESSES.map(async (me) => {
        const argv = [url ?? '', dataDir, me, String(count), String(startAt)];
        const { stdout } = await promisify(execFile)(process.execPath, [script, ...argv]);
        return Number(stdout);
      }),
    );
    const chain = new SqlAuditChain(database, macOf('the key'));
    const seal = new SealAudit({
      chain,
      clock: new FakeClock(),
      log: new RecordingLogger(),
      isNewDatabase: false,
    });
    await seal.execute(new AbortController().signal);
    const verdict = await new VerifyAudit({ chain }).execute(Actor.operator('cli:root'));
    expect(verdict).toMatchObject({
      fault: null,
      unsealed: 0,
      checked: written.reduce((sum, each) => sum + each, 0),
    });
    expect(verdict.checked).toBeGreaterThan(count);
  });
}

describe('writers of the audit log on SQLite', () => writers(sqliteDatabase));
describeWith('mariadb', 'writers of the audit log on MariaDB', () => writers(mariaDbDatabase));

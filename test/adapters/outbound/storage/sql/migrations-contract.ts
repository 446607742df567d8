import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../../../../src/adapters/outbound/storage/sql/database.ts';
import { type MigrateOptions, migrate } from '../../../../../src/adapters/outbound/storage/sql/migrate.ts';
import { up as approvers } from '../../../../../src/adapters/outbound/storage/sql/migrations/0049-approvers.ts';
import { makeTable } from '../../../../../src/adapters/outbound/storage/sql/migrations/columns.ts';
import {
  MIGRATIONS,
  type Migration,
} from '../../../../../src/adapters/outbound/storage/sql/migrations/index.ts';
import {
  makeLeaseTable,
  SqlLeaseStore,
} from '../../../../../src/adapters/outbound/storage/sql/stores/sql-lease-store.ts';
import { Actor } from '../../../../../src/domain/access/actor.ts';
import { auditEntry } from '../../../../../src/domain/events/audit-entry.ts';
import { RecordingLogger } from '../../../../fakes/recording-logger.ts';
import { bundled } from '../../../../support/bundled.ts';
import type { MakeDatabase, TestDatabase } from '../../../../support/databases.ts';
import { expectRefusal } from '../../../../support/expect-refusal.ts';
import { eventually } from '../../../../support/processes.ts';
import { rounds } from '../../../../support/rounds.ts';
import { sqlStores } from '../../../../support/sql-stores.ts';
import { dumpSchema } from './schema-dump.ts';

const FAR = 600_000;

/** Creating and upgrading a schema, with processes that die during it. */
export function migrationsContract(name: string, makeDatabase: MakeDatabase): void {
  describe(`migrations: ${name}`, () => {
    async function emptyDatabase(): Promise<TestDatabase> {
      const made = await makeDatabase({ empty: true });
      onTestFinished(made.drop);
      return made;
    }

    schema(emptyDatabase);
    together(emptyDatabase);
    dying(emptyDatabase);
  });
}

type EmptyDatabase = () => Promise<TestDatabase>;

const run = async (database: Database, over: Partial<MigrateOptions> = {}): Promise<RecordingLogger> => {
  const log = new RecordingLogger();
  await migrate(database, { owner: 'me', log, ...over });
  return log;
};

const more = (name: string, up: Migration['up']): Migration => ({ name, up });

function schema(emptyDatabase: EmptyDatabase): void {
  it('make the schema that is kept in test/golden', async () => {
    const { database } = await emptyDatabase();
    await run(database);
    await expect(await dumpSchema(database)).toMatchFileSnapshot(
      `../../../../golden/schema.${database.kind}.sql`,
    );
  });

  it('run once, in order, and say what they did', async () => {
    const { database } = await emptyDatabase();
    const ran: string[] = [];
    const migrations = ['b', 'c'].map((name) => more(name, async () => void ran.push(name)));
    const log = await run(database, { migrations: [...MIGRATIONS, ...migrations] });
    expect(log.lines.at(-1)?.fields).toEqual({
      migrations: [...MIGRATIONS.map((each) => each.name), 'b', 'c'],
    });
    expect((await run(database, { migrations: [...MIGRATIONS, ...migrations] })).lines).toEqual([]);
    expect(ran).toEqual(['b', 'c']);
  });

  it('go on beside those of a later version, and log them', async () => {
    const { database } = await emptyDatabase();
    await run(database, { migrations: [...MIGRATIONS, more('9999-later', async () => {})] });
    const log = await run(database);
    expect(log.messages('warn')).toHaveLength(1);
    expect(log.lines[0]?.fields).toEqual({ migrations: ['9999-later'] });
  });
}

function together(emptyDatabase: EmptyDatabase): void {
  it('are run by one of many that start at once', async () => {
    const made = await emptyDatabase();
    let runs = 0;
    const migrations = [...MIGRATIONS, more('counted', async () => void (runs += 1))];
    const databases = [made.database, made.another(), made.another()];
    await Promise.all(databases.map((each, index) => run(each, { owner: `replica-${index}`, migrations })));
    expect(runs).toBe(1);
  });

  it('are run by one of several processes that start at once', async () => {
    const made = await emptyDatabase();
    const script = await bundled(new URL('./migrate-process.ts', import.meta.url));
    const told = await Promise.all(
      Array.from({ length: 3 }, () =>
        promisify(execFile)(process.execPath, [script, made.url ?? '', made.dataDir]),
      ),
    );
    expect(told.filter(({ stdout }) => stdout.includes('brought up to date'))).toHaveLength(1);
    expect((await run(made.database)).lines).toEqual([]);
  });

  it('wait for another replica, and give up when it takes too long', async () => {
    const { database } = await emptyDatabase();
    await makeLeaseTable(database);
    await new SqlLeaseStore(database).hold('migrations', 'another', FAR);
    await expectRefusal(run(database, { waitMs: 0 }), 'not_ready');
    expect(await database.knex.schema.hasTable('servers')).toBe(false);
  });

  it('keep others out for as long as they run: their lease is renewed', async () => {
    const made = await emptyDatabase();
    const other = made.another();
    const until = async (): Promise<number> =>
      (await other.knex('leases').where({ name: 'migrations' }).first<{ until: number }>('until')).until;
    const slow = more('slow', async () => {
      const first = await until();
      await eventually('the lease is renewed', 60_000, async () =>
        (await until()) > first ? true : undefined,
      );
      expect(await new SqlLeaseStore(other).hold('migrations', 'another', FAR)).toBe(false);
    });
    await run(made.database, { migrations: [slow], leaseMs: 2_000 });
    expect(await new SqlLeaseStore(other).hold('migrations', 'another', FAR)).toBe(true);
  });
}

function dying(emptyDatabase: EmptyDatabase): void {
  it('take over from a replica that died while it migrated', async () => {
    const { database } = await emptyDatabase();
    await run(database, { migrations: [more('first', async () => {})] });
    await database.knex('schema_migrations_lock').update({ is_locked: 1 });
    await new SqlLeaseStore(database).hold('migrations', 'dead', 300);
    await run(database);
    expect(await database.knex.schema.hasTable('settings')).toBe(true);
  });

  it('are run again from their start after they died half-way', async () => {
    const { database } = await emptyDatabase();
    let dies = true;
    const half = more('half', async (knex) => {
      await makeTable(knex, 'first', (table) => table.increments());
      if (dies) throw new Error('power cut');
      await makeTable(knex, 'second', (table) => table.increments());
    });
    await expect(run(database, { migrations: [half] })).rejects.toThrow('power cut');
    dies = false;
    await run(database, { migrations: [half] });
    expect(await database.knex.schema.hasTable('second')).toBe(true);
  });

  it('find in the audit log who has replaced the secret of a token, once', async () => {
    const { database } = await emptyDatabase();
    await run(database);
    const { tokens, audit } = sqlStores(database);
    const terms = { scopes: ['read'], allowedCidrs: [], allowedServerIds: null, expiresAt: null } as const;
    const made = { requireApproval: true, createdBy: 'user:ann', createdAt: 1, prefix: 'drv_00000000' };
    const add = (name: string, hash: string) =>
      tokens.add({ ...terms, ...made, name }, hash.repeat(64), () => ({}));
    const [rotated, other] = [await add('rotated', 'a'), await add('other', 'b')];
    for (const [name, action, outcome] of [
      ['bob', 'token.rotate', 'done'],
      ['bob', 'token.rotate', 'done'],
      ['cid', 'token.rotate', 'role_missing'],
      ['dan', 'token.edit', 'done'],
    ] as const) {
      const entry = auditEntry(Actor.operator(name), 1, action, `token:${rotated.id}`, {});
      await audit.record({ ...entry, actorKind: 'user', actorId: 9, outcome });
    }
    await approvers(database.knex);
    expect((await tokens.find(rotated.id))?.rotatedBy).toEqual(['user:bob']);
    expect((await tokens.find(other.id))?.rotatedBy).toEqual([]);
    await tokens.rotate(rotated.id, { hash: 'c'.repeat(64), prefix: 'drv_1', by: 'user:eve' }, () => ({}));
    await approvers(database.knex);
    expect((await tokens.find(rotated.id))?.rotatedBy).toEqual(['user:bob', 'user:eve']);
  });

  it('end in the same schema wherever they died before', async () => {
    const made = await emptyDatabase();
    await run(made.database);
    const whole = await dumpSchema(made.database);
    let died = true;
    for (let statements = 1; died; statements += rounds(29, 1)) {
      const interrupted = await emptyDatabase();
      died = await dieAfter(statements, interrupted.another());
      await run(interrupted.database, { owner: 'next' });
      expect(await dumpSchema(interrupted.database)).toBe(whole);
    }
  });
}

/** Lets at most this many statements through; returns whether that was too few. */
async function dieAfter(statements: number, database: Database): Promise<boolean> {
  let left = statements;
  database.knex.on('query', () => {
    left -= 1;
    if (left < 0) throw new Error('power cut');
  });
  const died = await run(database, { leaseMs: 1 }).then(
    () => false,
    () => true,
  );
  await database.close();
  return died;
}

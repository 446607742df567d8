import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { NodeDigest } from '../../../src/adapters/outbound/system/node-digest.ts';
import { DumpRestoreRunner } from '../../../src/application/backups/dump-restore-runner.ts';
import type { JobContext } from '../../../src/application/jobs/runner.ts';
import type { DumpConnection, DumpKind } from '../../../src/domain/backups/dump.ts';
import { DomainError } from '../../../src/domain/base/errors.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';

const TARGET = { version: 'Server 1', exists: true, tables: 2, bytes: 10 };

/** A restore whose client takes this many chunks of two, and then fails if it has not had both. */
function restoreOf(kind: DumpKind, chunks: number, planned: object | null = null) {
  const connection: DumpConnection = {
    name: 'shop',
    kind,
    client: 'host',
    container: null,
    database: 'shop',
    user: null,
    host: null,
    port: null,
    password: null,
  };
  const snapshot = {
    id: 3,
    serverId: 1,
    sourceId: 2,
    sourceName: 'www',
    name: 'then',
    startedAt: 0,
    engine: 'rsync',
  };
  const lines: string[] = [];
  const runner = new DumpRestoreRunner({
    engines: {
      of: () => ({
        readDump: async () => ({ size: 2, content: Readable.from([Buffer.of(1), Buffer.of(2)]) }),
      }),
    },
    snapshots: { find: async () => snapshot, hold: async () => undefined },
    sourceDumps: { find: async () => connection },
    dumpClient: {
      look: async () => TARGET,
      async restore(_host: unknown, _to: unknown, content: AsyncIterable<Buffer>) {
        let taken = 0;
        if (chunks > 0) for await (const _ of content) if (++taken === chunks) break;
        if (taken < 2) throw new DomainError('dump_restore_failed', 'The server went away.');
      },
    },
    jobs: { find: async () => planned && { result: { changes: [planned] } } },
    digest: new NodeDigest(),
    clock: new FakeClock(),
  } as never);
  const context = {
    job: {
      id: 1,
      params: {
        snapshotId: 3,
        dump: { name: 'shop', database: 'shop' },
        ...(planned ? { planId: 9 } : {}),
      },
    },
    server: { id: 1, name: 'web' },
    signal: new AbortController().signal,
    openHost: async () => ({}),
    log: (line: string) => lines.push(line),
    progress: () => undefined,
  } as unknown as JobContext;
  return { runner, context, lines };
}

test('A dry run says whether a restore that fails leaves the database as it was', async () => {
  for (const [kind, isWhole] of [
    ['postgres', true],
    ['sqlite', true],
    ['mysql', false],
    ['mongodb', false],
  ] as const) {
    const { runner, context } = restoreOf(kind, 2);
    const { result, summary } = await runner.plan(context);
    expect([kind, result, summary.includes('restore again')]).toMatchObject([
      kind,
      { all_or_nothing: isWhole, target: TARGET },
      !isWhole,
    ]);
  }
});

test('A restore that fails in the middle says what is left and what to do', async () => {
  const { runner, context, lines } = restoreOf('mysql', 1);
  const { message } = await expectRefusal(runner.apply(context), 'dump_restore_failed');
  expect(message).toMatch(/^The server went away\. .*restore again/);
  expect(lines.join()).toContain('restore again');
  const whole = restoreOf('postgres', 1);
  expect((await expectRefusal(whole.runner.apply(whole.context), 'dump_restore_failed')).message).toBe(
    'The server went away.',
  );
  const unsent = restoreOf('mysql', 0);
  expect((await expectRefusal(unsent.runner.apply(unsent.context), 'dump_restore_failed')).message).toBe(
    'The server went away.',
  );
  const good = restoreOf('mysql', 2);
  expect((await good.runner.apply(good.context)).result).toMatchObject({ dry_run: false, bytes: 2 });
});

test('A restore by a plan keeps to the connection of its dry run, or does nothing', async () => {
  const { runner, context } = restoreOf('postgres', 2);
  const { result } = await runner.plan(context);
  const [planned] = (result as { changes: object[] }).changes;
  expect(planned).toMatchObject({ dump: 'shop', database: 'shop', host: null, has_password: false });
  const kept = restoreOf('postgres', 2, planned);
  expect((await kept.runner.apply(kept.context)).result).toMatchObject({ plan_id: 9, bytes: 2 });
  for (const over of [{ host: 'db2' }, { container: 'db', client: 'docker' }, { has_password: true }]) {
    const moved = restoreOf('postgres', 0, { ...planned, ...over });
    await expectRefusal(moved.runner.apply(moved.context), 'plan_drifted');
  }
});

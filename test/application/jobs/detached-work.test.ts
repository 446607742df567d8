import { beforeEach, describe, expect, test } from 'vitest';
import { DetachedWork } from '../../../src/application/jobs/detached-work.ts';
import type { JobContext } from '../../../src/application/jobs/runner.ts';
import { DomainError } from '../../../src/domain/base/errors.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { FakeDetachedRuns } from '../../fakes/fake-detached-runs.ts';

const ORDER = { script: 'upgrade', args: ['now'], mayBeCut: false };
const ID = 'here-7';

/** A job's side of a run: its log, and the last marker. */
class Worker {
  readonly lines: string[] = [];
  readonly notes: string[] = [];
  readonly ending = new AbortController();
  marker: string | null;
  carriesOn = false;

  constructor(marker: string | null = null) {
    this.marker = marker;
  }

  get context(): JobContext {
    return {
      signal: this.ending.signal,
      openHost: (_purpose?: string, signal = this.ending.signal) =>
        signal.aborted ? Promise.reject(signal.reason) : Promise.resolve({ release: () => undefined }),
      log: (line: string) => void this.notes.push(line),
      detached: {
        runId: ID,
        marker: this.marker,
        mark: (marker: string) => {
          this.marker = marker;
          return Promise.resolve();
        },
        log: (line: string, marker: string) => {
          this.lines.push(line);
          this.marker = marker;
        },
        flush: () => Promise.resolve(),
        carryOn: () => {
          this.carriesOn = true;
        },
      },
    } as never;
  }
}

let runs: FakeDetachedRuns;
let clock: FakeClock;
let work: DetachedWork;
beforeEach(() => {
  runs = new FakeDetachedRuns();
  clock = new FakeClock();
  work = new DetachedWork({ runs, clock });
});

/** Lets everything go on as far as it can. */
const turn = async (times = 5): Promise<void> => {
  for (let i = 0; i < times; i += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('detached work', () => {
  test('is started once, followed line by line, and ends with its code and result', async () => {
    const worker = new Worker();
    const done = work.execute(worker.context, ORDER);
    await turn();
    runs.says(ID, 'one\ntw');
    await turn();
    expect(worker.lines).toEqual(['one']);
    runs.says(ID, 'o\nthree');
    runs.ends(ID, 3, '{"upgraded":[]}');
    expect(await done).toEqual({ exitCode: 3, result: '{"upgraded":[]}' });
    expect(worker.lines).toEqual(['one', 'two', 'three']);
    expect(runs.started).toEqual([ID]);
  });

  test('goes on where a worker that died had come to: no line is lost, none is doubled', async () => {
    const first = new Worker();
    void work.execute(first.context, ORDER).catch(() => undefined);
    await turn();
    runs.says(ID, 'one\ntwo\nhalf of th');
    await turn();
    first.ending.abort(new DomainError('lease_lost', 'gone'));
    await turn();
    runs.says(ID, 'ree\nfour\n');
    const second = new Worker(first.marker);
    const done = work.execute(second.context, ORDER);
    await turn();
    runs.ends(ID, 0);
    await done;
    expect([...first.lines, ...second.lines]).toEqual(['one', 'two', 'half of three', 'four']);
    expect(runs.started).toEqual([ID]);
  });

  test('is not started again by a worker that was suspended before it asked, once another has done and removed it', async () => {
    let goOn = (): void => undefined;
    const halted = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const first = new Worker();
    const opening = first.context.openHost;
    const held = { ...first.context, openHost: () => halted.then(() => opening()) } as JobContext;
    const late = work.execute(held, ORDER);
    await turn();
    const second = new Worker(first.marker);
    const done = work.execute(second.context, ORDER);
    await turn();
    runs.ends(ID, 0);
    await done;
    await work.cleanUp(second.context);
    goOn();
    await expect(late).rejects.toMatchObject({ code: 'work_died' });
    expect(runs.started).toEqual([ID]);
  });

  test('outlives a host that is out of reach for a while', async () => {
    const worker = new Worker();
    const done = work.execute(worker.context, ORDER);
    await turn();
    runs.reach = () => {
      throw new DomainError('host_connection_lost', 'The cable is out.');
    };
    await turn();
    runs.says(ID, 'meanwhile\n');
    await clock.advance(5_000);
    runs.reach = () => undefined;
    runs.ends(ID, 0);
    await clock.advance(60_000);
    expect((await done).exitCode).toBe(0);
    expect(worker.lines).toEqual(['meanwhile']);
    expect(worker.notes.filter((line) => line.includes('unreachable')).length).toBe(1);
  });

  test('is never cut by a cancel where that would do harm', async () => {
    const worker = new Worker();
    const done = work.execute(worker.context, ORDER);
    await turn();
    worker.ending.abort(new DomainError('job_cancelled', 'Cancelled.'));
    runs.says(ID, 'unpacking\n');
    await turn();
    runs.says(ID, 'done\n');
    runs.ends(ID, 0);
    expect((await done).exitCode).toBe(0);
    expect(worker.lines).toEqual(['unpacking', 'done']);
    expect(worker.carriesOn).toBe(true);
    expect(worker.notes.join()).toContain('cannot be interrupted');
    expect(runs.askedToStop).toEqual([]);
    await work.cleanUp(worker.context);
    await expect(
      runs.read(null as never, ID, 0, { waitMs: 0, signal: new AbortController().signal }),
    ).resolves.toMatchObject({
      state: { kind: 'unknown' },
    });
  });

  test('is asked to stop by a cancel where it may still be able to, and decides itself', async () => {
    const worker = new Worker();
    const done = work.execute(worker.context, { ...ORDER, stopsWhereItCan: true });
    await turn();
    worker.ending.abort(new DomainError('job_cancelled', 'Cancelled.'));
    await turn();
    expect([runs.askedToStop, worker.carriesOn]).toEqual([[ID], true]);
    runs.ends(ID, 15);
    expect((await done).exitCode).toBe(15);
  });

  test('is ended by a cancel where it may be cut', async () => {
    const worker = new Worker();
    const done = work.execute(worker.context, { ...ORDER, mayBeCut: true });
    await turn();
    worker.ending.abort(new DomainError('job_cancelled', 'Cancelled.'));
    expect((await done).exitCode).toBe(143);
    expect(worker.carriesOn).toBe(false);
  });

  test('continues when the job has to release it', async () => {
    const worker = new Worker();
    const done = work.execute(worker.context, ORDER);
    await turn();
    worker.ending.abort(new DomainError('worker_lost', 'The service is stopping.'));
    await expect(done).rejects.toMatchObject({ code: 'worker_lost' });
    runs.says(ID, 'still here\n');
    runs.ends(ID, 0);
    const next = new Worker(worker.marker);
    expect((await work.execute(next.context, ORDER)).exitCode).toBe(0);
    expect(next.lines).toEqual(['still here']);
  });

  test.each([
    ['died', 'work_died'],
    ['interrupted', 'work_interrupted'],
    ['not_started', 'work_not_started'],
    ['unknown', 'work_died'],
  ] as const)('that %s fails with %s', async (kind, code) => {
    const worker = new Worker();
    const done = work.execute(worker.context, ORDER);
    await turn();
    runs.becomes(ID, { kind });
    await expect(done).rejects.toMatchObject({ code });
  });

  test('breaks an endless line into pieces, never inside a character, and marks its progress', async () => {
    const worker = new Worker();
    const done = work.execute(worker.context, ORDER);
    await turn();
    runs.says(ID, 'ü'.repeat(10_000));
    await turn();
    const marked = JSON.parse(worker.marker ?? '{}').offset as number;
    expect(worker.lines.join('')).toBe('ü'.repeat(marked / 2));
    expect(marked).toBeGreaterThan(15_000);
    runs.ends(ID, 0);
    await done;
    expect(worker.lines.join('')).toBe('ü'.repeat(10_000));
  });
});

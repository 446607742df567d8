import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RemoteHost } from '../../src/application/ports/fleet/remote-host.ts';
import type {
  DetachedCommand,
  DetachedRuns,
  RunState,
} from '../../src/application/ports/jobs/detached-runs.ts';
import { expectRefusal } from '../support/expect-refusal.ts';

export interface DetachedRunsSubject {
  readonly runs: DetachedRuns;
  readonly host: RemoteHost;
  /** A run that says and does what the test sets. */
  command(id: string): Promise<DetachedCommand>;
  says(id: string, text: string): Promise<void>;
  ends(id: string, exitCode: number, result?: string): Promise<void>;
  close(): Promise<void>;
}

export interface Followed {
  readonly log: string;
  readonly state: RunState;
}

const MAX_READS = 1_000;

/** Reads a run's log from an offset on until it has ended, or until the log holds a text. */
export async function follow(
  runs: DetachedRuns,
  host: RemoteHost,
  id: string,
  { from = 0, until = null as string | null } = {},
): Promise<Followed> {
  const { signal } = new AbortController();
  const parts: Uint8Array[] = [];
  let offset = from;
  for (let read = 0; read < MAX_READS; read += 1) {
    const part = await runs.read(host, id, offset, { waitMs: 2_000, signal });
    expect(part.content.length).toBeLessThanOrEqual(64 * 1024);
    expect(part.next).toBe(offset + part.content.length);
    parts.push(part.content);
    offset = part.next;
    const log = Buffer.concat(parts).toString();
    if (part.state.kind !== 'running' || (until !== null && log.includes(until))) {
      return { log, state: part.state };
    }
  }
  throw new Error(`run ${id} never came to its end`);
}

/** Every `DetachedRuns` does this. */
export function detachedRunsContract(name: string, makeSubject: () => Promise<DetachedRunsSubject>): void {
  describe(`DetachedRuns: ${name}`, () => {
    let subject: DetachedRunsSubject;
    let count = 0;
    // A removed run is never started again, so that no two runs of the contract may share an id.
    const own = `contract-${randomBytes(4).toString('hex')}`;
    beforeAll(async () => {
      subject = await makeSubject();
    });
    afterAll(() => subject.close());

    const { signal } = new AbortController();
    const begin = async (): Promise<string> => {
      count += 1;
      const id = `${own}-${count}`;
      await subject.runs.start(subject.host, await subject.command(id));
      return id;
    };
    const read = (id: string, offset: number, waitMs = 0) =>
      subject.runs.read(subject.host, id, offset, { waitMs, signal });

    it('starts a run once, however often it is asked to', async () => {
      const id = await begin();
      await subject.runs.start(subject.host, await subject.command(id));
      await subject.says(id, 'here\n');
      await subject.ends(id, 0);
      await subject.runs.start(subject.host, await subject.command(id));
      expect(await follow(subject.runs, subject.host, id)).toEqual({
        log: 'here\n',
        state: { kind: 'ended', exitCode: 0 },
      });
      await subject.runs.forget(subject.host, id);
    });

    it('goes on from any byte of the log', async () => {
      const id = await begin();
      await subject.says(id, 'one\n');
      await follow(subject.runs, subject.host, id, { until: 'one\n' });
      expect(await read(id, 4)).toMatchObject({ next: 4, state: { kind: 'running' } });
      await subject.says(id, 'tw\u00f6\n');
      await subject.ends(id, 0);
      expect((await follow(subject.runs, subject.host, id, { from: 2 })).log).toBe('e\ntw\u00f6\n');
      expect(await read(id, 9)).toMatchObject({ next: 9, state: { kind: 'ended', exitCode: 0 } });
      await subject.runs.forget(subject.host, id);
    });

    it.each([0, 1, 100, 255])('tells exit code %d, and what the run left as its result', async (exitCode) => {
      const id = await begin();
      await subject.ends(id, exitCode, `code ${exitCode}\n\u00fc`);
      const { state } = await follow(subject.runs, subject.host, id);
      expect(state).toEqual({ kind: 'ended', exitCode });
      expect(await subject.runs.result(subject.host, id)).toBe(`code ${exitCode}\n\u00fc`);
      await subject.runs.forget(subject.host, id);
    });

    it('has an empty result where the run left none', async () => {
      const id = await begin();
      expect(await subject.runs.result(subject.host, id)).toBe('');
      await subject.ends(id, 0);
      await follow(subject.runs, subject.host, id);
      await subject.runs.forget(subject.host, id);
    });

    it('hands out a log of any length in parts, and its end only with the last one', async () => {
      const id = await begin();
      const text = Array.from({ length: 20_000 }, (_, n) => `line ${n}\n`).join('');
      await subject.says(id, text);
      await subject.ends(id, 3);
      expect(await follow(subject.runs, subject.host, id)).toEqual({
        log: text,
        state: { kind: 'ended', exitCode: 3 },
      });
      const first = await read(id, 0);
      expect(first).toMatchObject({ next: 64 * 1024, state: { kind: 'running' } });
      await subject.runs.forget(subject.host, id);
    });

    it('ends a run that is to be ended, once', async () => {
      const id = await begin();
      await subject.says(id, 'going\n');
      await follow(subject.runs, subject.host, id, { until: 'going' });
      expect(await subject.runs.terminate(subject.host, id)).toBe(true);
      const { state } = await follow(subject.runs, subject.host, id);
      expect(state).toEqual({ kind: 'ended', exitCode: 143 });
      expect(await subject.runs.terminate(subject.host, id)).toBe(false);
      await subject.runs.forget(subject.host, id);
    });

    it('asks a run to stop, which goes on if it does not look', async () => {
      const id = await begin();
      await subject.says(id, 'going\n');
      await follow(subject.runs, subject.host, id, { until: 'going' });
      await subject.runs.askToStop(subject.host, id);
      await subject.says(id, 'still\n');
      await follow(subject.runs, subject.host, id, { until: 'still' });
      await subject.ends(id, 0);
      await follow(subject.runs, subject.host, id);
      await subject.runs.askToStop(subject.host, id);
      await subject.runs.forget(subject.host, id);
      await subject.runs.askToStop(subject.host, id);
      expect(await read(id, 0)).toMatchObject({ state: { kind: 'unknown' } });
    });

    it('renews the lease of a run that goes on, and of no other', async () => {
      const id = await begin();
      await subject.says(id, 'going\n');
      await follow(subject.runs, subject.host, id, { until: 'going' });
      await subject.runs.renew(subject.host, id);
      await subject.ends(id, 0);
      await follow(subject.runs, subject.host, id);
      await subject.runs.renew(subject.host, id);
      await subject.runs.forget(subject.host, id);
      await subject.runs.renew(subject.host, id);
      expect(await read(id, 0)).toMatchObject({ state: { kind: 'unknown' } });
    });

    it('deletes no active run, and every other', async () => {
      const id = await begin();
      await subject.says(id, 'going\n');
      await follow(subject.runs, subject.host, id, { until: 'going' });
      await expectRefusal(subject.runs.forget(subject.host, id), 'host_command_failed');
      await subject.ends(id, 0);
      await follow(subject.runs, subject.host, id);
      await subject.runs.forget(subject.host, id);
      await subject.runs.forget(subject.host, id);
      expect(await read(id, 0)).toMatchObject({ next: 0, state: { kind: 'unknown' } });
    });

    it('never starts what was removed, however late it is asked to', async () => {
      const id = await begin();
      await subject.says(id, 'once\n');
      await subject.ends(id, 0);
      await follow(subject.runs, subject.host, id);
      await subject.runs.forget(subject.host, id);
      await subject.runs.start(subject.host, await subject.command(id));
      expect(await read(id, 0, 2_000)).toMatchObject({ next: 0, state: { kind: 'unknown' } });
      expect(await subject.runs.terminate(subject.host, id)).toBe(false);
      expect(await subject.runs.result(subject.host, id)).toBe('');
      await subject.runs.forget(subject.host, id);
    });

    it('knows nothing of a run that was never asked for', async () => {
      const id = `${own}-never`;
      expect(await read(id, 0)).toMatchObject({ next: 0, state: { kind: 'unknown' } });
      expect(await subject.runs.terminate(subject.host, id)).toBe(false);
      expect(await subject.runs.result(subject.host, id)).toBe('');
      await subject.runs.forget(subject.host, id);
    });

    it.each(['', '.', '../x', 'A', 'a b', 'a/b', 'x'.repeat(65)])('takes no %j for an id', async (id) => {
      await expectRefusal(subject.runs.start(subject.host, { id, script: 'exit 0' }), 'invalid_input');
    });

    it('ends its wait for news when aborted', async () => {
      const id = await begin();
      const ending = new AbortController();
      const reason = new Error('enough');
      ending.abort(reason);
      const reading = subject.runs.read(subject.host, id, 0, { waitMs: 60_000, signal: ending.signal });
      await expect(reading).rejects.toBe(reason);
      await subject.ends(id, 0);
      await follow(subject.runs, subject.host, id);
      await subject.runs.forget(subject.host, id);
    });
  });
}

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ShellDetachedRuns } from '../../../../src/adapters/outbound/hosts/detached/shell-detached-runs.ts';
import { ownProcess } from '../../../../src/adapters/outbound/system/own-process.ts';
import { SystemClock } from '../../../../src/adapters/outbound/system/system-clock.ts';
import { HOOK_TIMES, type HookTimes } from '../../../../src/application/backups/hook-runs.ts';
import { SourceHooks } from '../../../../src/application/backups/source-hooks.ts';
import type { JobContext } from '../../../../src/application/jobs/runner.ts';
import type { RemoteHost } from '../../../../src/application/ports/fleet/remote-host.ts';
import type { BackupSource } from '../../../../src/domain/backups/backup-source.ts';
import { parseHook } from '../../../../src/domain/backups/hook.ts';
import { DomainError } from '../../../../src/domain/base/errors.ts';
import { expectRefusal } from '../../../support/expect-refusal.ts';
import { eventually } from '../../../support/processes.ts';
import { HookFixture } from './hook-fixture.ts';

const TIDY = 'rm -rf "$HOME/.drover/runs/$1"-*';
const own = `hooks-${randomBytes(4).toString('hex')}`;
const runs = new ShellDetachedRuns();

describe('What a backup stops on a real shell', () => {
  let fixture: HookFixture;
  let host: RemoteHost;
  let number = 0;
  beforeAll(async () => {
    fixture = await HookFixture.create();
    host = await fixture.hosts.connect({ kind: 'local', serverId: 1, serverName: 'self', become: 'none' });
  });
  beforeEach(() => fixture.forget());
  afterAll(async () => {
    await host.run({ script: TIDY, args: [own] });
    await fixture.close();
  });

  /** A separate job; `marker` is its record. */
  const job = (marker: string | null = null, id = (number += 1), signal = new AbortController().signal) => {
    const log: string[] = [];
    const left = { marker, carriesOn: false };
    const context = {
      signal,
      openHost: async () => host,
      log: (line: string) => void log.push(line),
      progress: () => undefined,
      detached: {
        runId: `${own}-${id}`,
        marker,
        mark: async (text: string) => {
          left.marker = text;
        },
        log: () => undefined,
        flush: async () => undefined,
        carryOn: () => {
          left.carriesOn = true;
        },
      },
    } as unknown as JobContext;
    return { context, log, left, id };
  };
  const sourceHooks = (times: Partial<HookTimes> = {}) =>
    new SourceHooks({
      runs,
      clock: new SystemClock(),
      process: ownProcess(),
      times: { ...HOOK_TIMES, ...times },
    });
  const hooksOf = (context: JobContext, times: Partial<HookTimes> = {}) => sourceHooks(times).of(context);
  const stopping = (...texts: readonly string[]) =>
    ({ hooks: texts.map(parseHook) }) as unknown as BackupSource;

  it('is stopped in the order given, and started again in reverse; what was stopped stays so', async () => {
    await fixture.unit('a.service', 'active');
    await fixture.unit('b.service', 'inactive');
    await fixture.unit('c.service', 'active');
    await fixture.container('sql', true, '1', 'shop');
    await fixture.container('web', true, '2', 'shop');
    await fixture.container('once', false, '3', 'shop');
    await fixture.container('lone', true, '4');
    const { context, log, left } = job();
    const source = stopping('unit:a', 'unit:b', 'unit:c', 'compose:shop', 'container:lone');
    let during: readonly string[] = [];
    const done = await hooksOf(context).around(source, async () => {
      during = await fixture.asked();
      return 'done';
    });
    expect(done).toBe('done');
    expect(during).toEqual(['stop a.service', 'stop c.service', 'stop web', 'stop sql', 'stop lone']);
    const after = (await fixture.asked()).filter((line) => line.startsWith('start'));
    expect(after).toEqual(['start c.service', 'start a.service', 'start lone', 'start sql', 'start web']);
    expect(await fixture.stateOf('units', 'b.service')).toBe('inactive');
    expect(await fixture.stateOf('containers', 'once')).toBe('false');
    expect(log.join('\n')).toContain('Stopped: unit a.service.');
    expect(left).toEqual({ marker: expect.stringContaining('"held":false'), carriesOn: false });
  });

  it('runs again when the backup fails, is cancelled, or loses its connection', async () => {
    await fixture.unit('a.service', 'active');
    for (const code of ['backup_failed', 'host_connection_lost', 'job_cancelled'] as const) {
      const cancel = new AbortController();
      const { context } = job(null, undefined, cancel.signal);
      const failing = hooksOf(context).around(stopping('unit:a'), async () => {
        expect(await fixture.stateOf('units', 'a.service')).toBe('inactive');
        const error = new DomainError(code, 'It failed.');
        if (code === 'job_cancelled') cancel.abort(error);
        throw error;
      });
      await expectRefusal(failing, code);
      expect(await fixture.stateOf('units', 'a.service')).toBe('active');
    }
  });

  it('is all started again if one of it cannot be stopped, and nothing is read', async () => {
    await fixture.unit('a.service', 'active');
    for (const flag of ['unstoppable', 'stuck']) {
      await fixture.unit('z.service', 'active', { [flag]: '' });
      let isRead = false;
      const { context } = job();
      const failing = hooksOf(context, { stopMs: 1_000 }).around(stopping('unit:a', 'unit:z'), async () => {
        isRead = true;
      });
      await expectRefusal(failing, 'hook_failed');
      expect([isRead, await fixture.stateOf('units', 'a.service')]).toEqual([false, 'active']);
      await fixture.heal('z.service', flag);
    }
  });

  it('is loud when it does not start again, also in a cancelled job', async () => {
    const cancel = new AbortController();
    await fixture.unit('a.service', 'active', { broken: '' });
    await fixture.unit('b.service', 'active');
    const { context, left } = job(null, undefined, cancel.signal);
    const failing = hooksOf(context).around(stopping('unit:a', 'unit:b'), async () => {
      cancel.abort(new DomainError('job_cancelled', 'Cancelled.'));
      throw cancel.signal.reason;
    });
    await expect(failing).rejects.toMatchObject({
      code: 'hook_failed',
      message: expect.stringContaining('unit a.service'),
    });
    expect([left.carriesOn, await fixture.stateOf('units', 'b.service')]).toEqual([true, 'active']);
    await fixture.heal('a.service', 'broken');
  });

  it('is refused on the host too: what is not there, what keeps the host, and the service itself', async () => {
    await fixture.unit('alias.service', 'active', { id: 'ssh.service' });
    await fixture.unit('own.service', 'active', { group: await ownGroup() });
    const refused = ['unit:gone', 'unit:alias', 'container:gone', 'compose:gone'];
    if ((await ownGroup()) !== '/') refused.push('unit:own');
    const { signal } = new AbortController();
    const states = await sourceHooks().check(host, refused.map(parseHook), signal);
    expect(states.map(({ problem }) => problem?.code)).toEqual(refused.map(() => 'hook_failed'));
    for (const text of refused) {
      const { context } = job();
      await expectRefusal(
        hooksOf(context).around(stopping(text), async () => undefined),
        'hook_failed',
      );
    }
    expect(await fixture.asked()).toEqual([]);
  });

  it('is found running or not by a check, which stops nothing', async () => {
    await fixture.unit('a.service', 'active');
    await fixture.unit('b.service', 'inactive');
    await fixture.container('web', true, '1', 'shop');
    await fixture.container('lone', false, '2');
    const stops = ['unit:a', 'unit:b', 'unit:gone', 'compose:shop', 'container:lone'].map(parseHook);
    const states = await sourceHooks().check(host, stops, new AbortController().signal);
    expect(states.map(({ isRunning, problem }) => problem?.code ?? isRunning)).toEqual([
      true,
      false,
      'hook_failed',
      true,
      false,
    ]);
    expect(states[2]?.problem?.message).toContain('unit gone.service is not on the host');
    expect(await fixture.asked()).toEqual([]);
  });

  /** A worker that dies leaves the run, and its marker. */
  const dying = async (times: Partial<HookTimes> = {}) => {
    const { context, left, id } = job();
    let held: () => void = () => undefined;
    const isHeld = new Promise<void>((resolve) => {
      held = resolve;
    });
    void hooksOf(context, times).around(stopping('unit:a'), () => {
      held();
      return new Promise(() => undefined);
    });
    await isHeld;
    expect(await fixture.stateOf('units', 'a.service')).toBe('inactive');
    return { marker: left.marker, id };
  };
  const isBack = () =>
    eventually('it runs again', 60_000, async () =>
      (await fixture.stateOf('units', 'a.service')) === 'active' ? true : undefined,
    );

  it('is started by the host itself when nothing renews the lease, and the backup hears of it', async () => {
    await fixture.unit('a.service', 'active');
    await dying({ leaseMs: 2_000 });
    await isBack();
    const { context } = job();
    const late = hooksOf(context, { leaseMs: 2_000 }).around(stopping('unit:a'), isBack);
    await expectRefusal(late, 'hook_failed');
  });

  it('stays stopped for as long as the lease is renewed, up to its bound', async () => {
    await fixture.unit('a.service', 'active');
    const { context } = job();
    await hooksOf(context, { leaseMs: 3_000, renewMs: 500 }).around(stopping('unit:a'), async () => {
      await new Promise((resolve) => {
        setTimeout(resolve, 5_000);
      });
      expect(await fixture.stateOf('units', 'a.service')).toBe('inactive');
    });
    const { context: endless } = job();
    const bound = hooksOf(endless, { maxMs: 2_000, renewMs: 200 }).around(stopping('unit:a'), isBack);
    await expectRefusal(bound, 'hook_failed');
  });

  it('is started at once by the worker that resumes the job', async () => {
    await fixture.unit('a.service', 'active');
    const { marker, id } = await dying();
    const { context, left } = job(marker, id);
    const hooks = hooksOf(context);
    await hooks.resume();
    expect(await fixture.stateOf('units', 'a.service')).toBe('active');
    expect(await hooks.around(stopping('unit:a'), async () => 'again')).toBe('again');
    expect(left.marker).toBe('{"attempt":2,"held":false}');
  });

  it('is started by the worker that resumes the job when its watcher on the host is gone', async () => {
    await fixture.unit('a.service', 'active');
    const { marker, id } = await dying();
    const killed = await host.run({
      script: 'read -r pid _ <"$HOME/.drover/runs/$1/process"; kill -9 "-$pid"',
      args: [`${own}-${id}-h1`],
    });
    expect(killed.exitCode).toBe(0);
    const { context } = job(marker, id);
    await hooksOf(context).resume();
    expect(await fixture.stateOf('units', 'a.service')).toBe('active');
  });

  it('is started when the run on the host is ended', async () => {
    await fixture.unit('a.service', 'active');
    const { id } = await dying();
    await runs.terminate(host, `${own}-${id}-h1`);
    await isBack();
  });
});

/** Of this process. */
async function ownGroup(): Promise<string> {
  const lines = (await readFile('/proc/self/cgroup', 'utf8')).trim().split('\n');
  return lines.at(-1)?.split(':')[2] ?? '/';
}

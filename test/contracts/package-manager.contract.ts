import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HostQuestion, HostReply } from '../../src/application/ports/fleet/host-question.ts';
import type { PackageManager, UpdateCheck } from '../../src/application/ports/fleet/package-manager.ts';
import type { RemoteHost } from '../../src/application/ports/fleet/remote-host.ts';
import type { PendingUpdate } from '../../src/domain/fleet/inventory.ts';
import { OS_STEPS, type OsStep } from '../../src/domain/jobs/job.ts';

/** A host with demo-app, demo-lib and demo-kernel, all at the old version, which its sources offer too. */
export interface PackageManagerSubject {
  readonly manager: PackageManager;
  /** As the package manager writes them. */
  readonly versions: {
    readonly old: string;
    readonly app: string;
    readonly lib: string;
    readonly kernel: string;
  };
  /** Whether it knows which updates are for security. */
  readonly knowsSecurity: boolean;
  /** The same, but that it waits half a second for a lock. */
  readonly impatient: PackageManager;
  readonly host: RemoteHost;
  /** No longer there. */
  readonly gone: RemoteHost;
  /** As at the start. */
  reset(): Promise<void>;
  /** The sources offer a new demo-app, and as security updates a new demo-lib and demo-kernel. */
  publish(): Promise<void>;
  hold(name: string): Promise<void>;
  askForReboot(): Promise<void>;
  /** One more source, whose name holds `dead`, which does not answer. */
  addDeadSource(): Promise<void>;
  /** None of the sources answers. */
  killSources(): Promise<void>;
  /** One more source, which takes requests and never answers. */
  addStalledSource(): Promise<void>;
  /** Whether the package manager runs on the host. */
  isRunning(): Promise<boolean>;
  /** Another program takes the package manager's lock; returns how to release it. */
  lock(): Promise<() => Promise<void>>;
  /** Names and versions of installed packages. */
  installed(): Promise<string>;
  close(): Promise<void>;
}

/** The preliminary question; `PRINT_FIRST` is its script. */
const firstly = (read: (said: HostReply) => void): HostQuestion<void> => ({
  script: PRINT_FIRST,
  args: [`it's "me" \\n`, 'two'],
  timeoutMs: 30_000,
  maxOutputBytes: 1_000,
  read,
});
/** It ends its shell, and leaves it in a state that nothing else should find. */
export const PRINT_FIRST = `printf '%s, %s' "$1" "$#"; mark=none stamp=none; set --; PATH=/none; exit 3`;

const names = (updates: readonly PendingUpdate[]): string[] => updates.map(({ name }) => name).toSorted();

/** Every `PackageManager` does this. */
export function packageManagerContract(
  name: string,
  makeSubject: () => Promise<PackageManagerSubject>,
): void {
  describe(`PackageManager: ${name}`, () => {
    let subject: PackageManagerSubject;
    let lines: string[];
    const onLine = (line: string): void => void lines.push(line);
    const check = (signal = new AbortController().signal, manager = subject.manager): Promise<UpdateCheck> =>
      manager.check(subject.host, { signal, onLine });

    const old = (): string => subject.versions.old;
    const to = (each: 'app' | 'lib' | 'kernel'): string => subject.versions[each];
    const fix = (): boolean => subject.knowsSecurity;

    beforeAll(async () => {
      subject = await makeSubject();
    });
    beforeEach(async () => {
      lines = [];
      await subject.reset();
    });
    afterAll(() => subject.close());

    /** Once the check has said that it waits. */
    const waiting = async (): Promise<void> => {
      while (!lines.some((line) => /^Waiting for .*lock/.test(line))) await sleep(20);
    };

    it('finds nothing if nothing is pending', async () => {
      expect(await check()).toMatchObject({ updates: [], rebootPending: false, notes: [] });
    });

    it('finds what was published since the last check, and tells security updates', async () => {
      await check();
      await subject.publish();
      const { updates } = await check();
      expect(updates.toSorted((one, other) => (one.name < other.name ? -1 : 1))).toMatchObject([
        { name: 'demo-app', from: old(), to: to('app'), security: false, held: false },
        { name: 'demo-kernel', from: old(), to: to('kernel'), security: fix(), held: false },
        { name: 'demo-lib', from: old(), to: to('lib'), security: fix(), held: false },
      ]);
    });

    it('installs nothing', async () => {
      const before = await subject.installed();
      await subject.publish();
      await check();
      expect(await subject.installed()).toBe(before);
    });

    it('lists a held package as held', async () => {
      await subject.publish();
      await subject.hold('demo-lib');
      const { updates } = await check();
      expect(names(updates)).toEqual(['demo-app', 'demo-kernel', 'demo-lib']);
      expect(updates.filter(({ held }) => held)).toMatchObject([
        { name: 'demo-lib', from: old(), to: to('lib'), security: fix() },
      ]);
    });

    it('plans what its steps would do, by the lists as they are, and leaves held packages out', async () => {
      await subject.publish();
      const { signal } = new AbortController();
      const plan = (steps: readonly OsStep[]) => subject.manager.plan(subject.host, { steps, signal });
      await check();
      await subject.hold('demo-lib');
      const before = await subject.installed();
      const { changes, held, keptBack } = await plan(['upgrade']);
      expect(changes).toEqual([
        { kind: 'upgrade', name: 'demo-app', from: old(), to: to('app'), security: false },
        { kind: 'upgrade', name: 'demo-kernel', from: old(), to: to('kernel'), security: fix() },
      ]);
      expect([names(held), names(keptBack)]).toEqual([['demo-lib'], []]);
      expect((await plan(['update'])).changes).toEqual([]);
      expect(await subject.installed()).toBe(before);
    });

    it('makes no plan for a host that cannot be reached', async () => {
      const { signal } = new AbortController();
      const planning = subject.manager.plan(subject.gone, { steps: OS_STEPS, signal });
      const code = expect.stringMatching(/^host_(unreachable|connection_lost|timeout)$/);
      await expect(planning).rejects.toMatchObject({ code });
    });

    it('reports that a reboot is pending', async () => {
      await subject.askForReboot();
      expect((await check()).rebootPending).toBe(true);
    });

    it('tells line by line what the package manager prints', async () => {
      await check();
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) expect(line).not.toMatch(/\n/);
    });

    it('asks the host something else first, and hands over what it printed', async () => {
      await subject.publish();
      const { signal } = new AbortController();
      const first = firstly(({ stdout }) => onLine(`asked: ${stdout.trim()}`));
      const { updates } = await subject.manager.check(subject.host, { signal, onLine, first });
      expect(lines[0]).toBe(`asked: it's "me" \\n, 2`);
      expect(lines.length).toBeGreaterThan(1);
      expect(names(updates)).toEqual(['demo-app', 'demo-kernel', 'demo-lib']);
    });

    it('goes no further where that makes no sense', async () => {
      const reason = new Error('that makes no sense');
      const first = firstly(() => {
        throw reason;
      });
      const { signal } = new AbortController();
      await expect(subject.manager.check(subject.host, { signal, onLine, first })).rejects.toBe(reason);
      expect(lines).toEqual([]);
      while (await subject.isRunning()) await sleep(50);
    });

    it('goes on without a source that is dead, and names it', async () => {
      await subject.publish();
      await subject.addDeadSource();
      const { updates, notes } = await check();
      expect(names(updates)).toEqual(['demo-app', 'demo-kernel', 'demo-lib']);
      expect(notes).toEqual([expect.stringContaining('dead')]);
    });

    it('refuses to tell where no source answers', async () => {
      await subject.killSources();
      await expect(check()).rejects.toMatchObject({
        code: 'host_command_failed',
        message: expect.stringMatching(/No package source could be refreshed: .+\. .+\.$/),
      });
    });

    it('waits for the lock of another, and says so once', async () => {
      await subject.publish();
      const letGo = await subject.lock();
      const checking = check();
      await waiting();
      await sleep(1_000);
      await letGo();
      expect(names((await checking).updates)).toEqual(['demo-app', 'demo-kernel', 'demo-lib']);
      expect(lines.filter((line) => /lock/i.test(line))).toHaveLength(1);
    });

    it('waits no longer than it may', async () => {
      const letGo = await subject.lock();
      const checking = check(undefined, subject.impatient);
      await expect(checking).rejects.toMatchObject({
        code: 'host_command_failed',
        message: expect.stringMatching(/lock/),
      });
      await letGo();
    });

    it('ends its wait when it is cancelled', async () => {
      const letGo = await subject.lock();
      const reason = new Error('cancelled');
      const cancel = new AbortController();
      const checking = check(cancel.signal);
      const ended = expect(checking).rejects.toBe(reason);
      await waiting();
      cancel.abort(reason);
      await ended;
      await letGo();
    });

    it('ends a running refresh when it is cancelled, and the next one works', async () => {
      await subject.publish();
      await subject.addStalledSource();
      const reason = new Error('cancelled');
      const cancel = new AbortController();
      const checking = check(cancel.signal);
      const ended = expect(checking).rejects.toBe(reason);
      while (lines.length === 0) await sleep(20);
      cancel.abort(reason);
      await ended;
      while (await subject.isRunning()) await sleep(50);
      await subject.reset();
      await subject.publish();
      expect(names((await check()).updates)).toEqual(['demo-app', 'demo-kernel', 'demo-lib']);
    });

    it('does not start when it is cancelled already', async () => {
      const reason = new Error('cancelled');
      await expect(check(AbortSignal.abort(reason))).rejects.toBe(reason);
    });

    it('passes on that a host cannot be reached', async () => {
      const checking = subject.manager.check(subject.gone, { signal: new AbortController().signal, onLine });
      const code = expect.stringMatching(/^host_(unreachable|connection_lost|timeout)$/);
      await expect(checking).rejects.toMatchObject({ code });
    });
  });
}

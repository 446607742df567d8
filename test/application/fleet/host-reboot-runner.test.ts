import { beforeEach, describe, expect, it } from 'vitest';
import { NodeDigest } from '../../../src/adapters/outbound/system/node-digest.ts';
import { HostRebootRunner } from '../../../src/application/fleet/host-reboot-runner.ts';
import { CAN_REBOOT } from '../../../src/application/fleet/reboot-scripts.ts';
import type { JobContext } from '../../../src/application/jobs/runner.ts';
import { DomainError } from '../../../src/domain/base/errors.ts';
import { MINUTE, SECOND } from '../../../src/domain/base/instant.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';

const FORMER = '00000000-0000-4000-8000-000000000001';
const LATER = '00000000-0000-4000-8000-000000000002';

/** A host with one boot id at a time, or none while it is down. */
class Scene {
  readonly clock = new FakeClock();
  readonly ending = new AbortController();
  readonly lines: string[] = [];
  bootId: string | null = FORMER;
  asked = 0;
  exitCode = 0;
  /** The exit code for a host that cannot be restarted. */
  unable = 0;
  marker: string | null = null;
  params: object = {};
  planJob: object | null = null;
  carriesOn = false;
  readonly told: string[] = [];
  connection = 'ssh';

  get runner(): HostRebootRunner {
    const inventory = {
      gather: () => Promise.resolve({ rebootPending: false, kernel: '6.1', uptimeSeconds: 90_000 }),
      save: () => Promise.resolve(),
    };
    return new HostRebootRunner({
      refreshInventory: inventory as never,
      jobs: { find: () => Promise.resolve(this.planJob) } as never,
      digest: new NodeDigest(),
      clock: this.clock,
    });
  }

  run() {
    return this.runner.apply(this.context);
  }

  get context(): JobContext {
    const host = {
      release: () => undefined,
      run: ({ script, args = [] }: { script: string; args?: readonly string[] }) => {
        if (this.bootId === null) return Promise.reject(new DomainError('host_unreachable', 'It is gone.'));
        if (script === CAN_REBOOT) return Promise.resolve({ exitCode: this.unable });
        if (script.includes('shutdown')) {
          expect(args).toEqual([this.bootId]);
          this.asked += 1;
          return Promise.resolve({ exitCode: this.exitCode });
        }
        if (script.includes('wall')) this.told.push(...args);
        return Promise.resolve({ exitCode: 0, stdout: Buffer.from(`${this.bootId}\n`) });
      },
    };
    return {
      job: { id: 9, serverId: 1, jobType: 'host_reboot', params: this.params },
      server: { id: 1, address: { connection: this.connection } },
      signal: this.ending.signal,
      openHost: () => Promise.resolve(host),
      log: (line: string) => void this.lines.push(line),
      progress: () => undefined,
      detached: {
        marker: this.marker,
        carryOn: () => {
          this.carriesOn = true;
        },
        mark: (marker: string) => {
          this.marker = marker;
          return Promise.resolve();
        },
      },
    } as never;
  }

  /** Advances the time, one check at a time. */
  async pass(ms: number): Promise<void> {
    for (let gone = 0; gone < ms; gone += SECOND) {
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      await this.clock.advance(SECOND);
    }
  }
}

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});

describe('a reboot with grace', () => {
  const cancelled = new DomainError('job_cancelled', 'The job was cancelled.');
  beforeEach(() => {
    scene.params = { graceSeconds: 120 };
  });

  it('tells the host first, waits, and then asks', async () => {
    const done = scene.run();
    await scene.pass(115 * SECOND);
    expect([scene.asked, scene.told]).toEqual([0, ['This host restarts in 120 seconds.']]);
    await scene.pass(10 * SECOND);
    expect(scene.asked).toBe(1);
    scene.bootId = LATER;
    await scene.pass(10 * SECOND);
    expect(await done).toMatchObject({ result: { boot_id: LATER } });
  });

  it.each([
    [70, 'host_command_failed'],
    [71, 'host_tool_missing'],
  ])('notifies no users, and waits for nothing, if the host says %i', async (code, refusal) => {
    scene.unable = code;
    await expect(scene.run()).rejects.toMatchObject({ code: refusal });
    expect([scene.told, scene.marker]).toEqual([[], null]);
    await expect(scene.runner.plan(scene.context)).rejects.toMatchObject({ code: refusal });
  });

  it('that is cancelled meanwhile leaves the host as it is, and tells it so', async () => {
    const ended = expect(scene.run()).rejects.toBe(cancelled);
    await scene.pass(60 * SECOND);
    scene.ending.abort(cancelled);
    await scene.pass(5 * SECOND);
    await ended;
    await scene.pass(120 * SECOND);
    expect([scene.asked, scene.carriesOn]).toEqual([0, false]);
    expect(scene.told.at(-1)).toBe('The restart of this host was cancelled.');
    expect(scene.lines.at(-1)).toContain('Cancelled before the restart');
  });

  it('that is cancelled too late is followed to its end, and says so', async () => {
    const done = scene.run();
    await scene.pass(125 * SECOND);
    scene.ending.abort(cancelled);
    await scene.pass(5 * SECOND);
    expect(scene.lines.join('\n')).toContain('Cancelled too late');
    scene.bootId = LATER;
    await scene.pass(10 * SECOND);
    expect(await done).toMatchObject({ result: { boot_id: LATER } });
    expect(scene.carriesOn).toBe(true);
  });

  it('goes on where another worker takes it up, until the same moment', async () => {
    scene.marker = JSON.stringify({ former: FORMER, dueAt: scene.clock.now() + 30 * SECOND });
    const done = scene.run();
    await scene.pass(25 * SECOND);
    expect(scene.asked).toBe(0);
    await scene.pass(10 * SECOND);
    expect(scene.asked).toBe(1);
    scene.bootId = LATER;
    await scene.pass(10 * SECOND);
    expect(await done).toMatchObject({ result: { boot_id: LATER } });
  });

  it('is not made up for hours later', async () => {
    scene.marker = JSON.stringify({ former: FORMER, dueAt: scene.clock.now() - 31 * MINUTE });
    await expect(scene.run()).rejects.toMatchObject({ code: 'work_not_started' });
    expect(scene.asked).toBe(0);
  });
});

describe('a reboot by plan', () => {
  beforeEach(async () => {
    const dry = await scene.runner.plan(scene.context);
    scene.planJob = { result: dry.result };
    scene.params = { planId: 9 };
  });

  it('is of the very boot that the plan saw', async () => {
    const done = scene.run();
    await scene.pass(5 * SECOND);
    expect(scene.asked).toBe(1);
    scene.bootId = LATER;
    await scene.pass(10 * SECOND);
    expect(await done).toMatchObject({ result: { former_boot_id: FORMER } });
  });

  it('is refused if the host has rebooted since, and says how it differs', async () => {
    scene.bootId = LATER;
    expect(await scene.run()).toMatchObject({
      failure: { code: 'plan_drifted' },
      result: { no_longer: [{ boot_id: FORMER }], instead: [{ boot_id: LATER }] },
    });
    expect(scene.asked).toBe(0);
  });
});

describe('a reboot', () => {
  it('is over when the host answers with another boot id', async () => {
    const done = scene.run();
    await scene.pass(5 * SECOND);
    scene.bootId = null;
    await scene.pass(60 * SECOND);
    scene.bootId = LATER;
    await scene.pass(10 * SECOND);
    expect(await done).toMatchObject({ result: { former_boot_id: FORMER, boot_id: LATER } });
    expect([scene.asked, JSON.parse(scene.marker ?? '')]).toMatchObject([1, { former: FORMER }]);
    expect(scene.lines).toEqual([
      'The host was asked to restart.',
      'The host is gone; waiting for it to come back.',
      expect.stringMatching(/^The host is back after \d+ s\.$/),
    ]);
  });

  it('that another worker had started is not requested again once the host has rebooted', async () => {
    scene.marker = FORMER;
    scene.bootId = LATER;
    const done = scene.run();
    await scene.pass(10 * SECOND);
    expect(await done).toMatchObject({ result: { boot_id: LATER } });
    expect(scene.asked).toBe(0);
  });

  it('that a previous version had started is requested again if the host is still up', async () => {
    scene.marker = FORMER;
    const done = scene.run();
    await scene.pass(5 * SECOND);
    expect(scene.asked).toBe(1);
    scene.bootId = LATER;
    await scene.pass(10 * SECOND);
    expect(await done).toMatchObject({ result: { boot_id: LATER } });
  });

  it.each([
    ['does not come back', null, /did not come back within 15 min/],
    ['goes on as before', FORMER, /has not restarted 15 min after/],
  ])('of a host that %s fails in time', async (_what, bootId, words) => {
    const failed = expect(scene.run()).rejects.toMatchObject({
      code: 'host_timeout',
      message: expect.stringMatching(words),
    });
    await scene.pass(5 * SECOND);
    scene.bootId = bootId;
    await scene.pass(16 * MINUTE);
    await failed;
  });

  it.each([
    [70, 'host_command_failed'],
    [71, 'host_tool_missing'],
  ])('that the host refuses with %d fails at once', async (exitCode, code) => {
    scene.exitCode = exitCode;
    await expect(scene.run()).rejects.toMatchObject({ code });
  });

  it('stops waiting when the service stops', async () => {
    const reason = new DomainError('worker_lost', 'The service is stopping.');
    const ended = expect(scene.run()).rejects.toBe(reason);
    await scene.pass(5 * SECOND);
    scene.ending.abort(reason);
    await scene.pass(5 * SECOND);
    await ended;
  });

  it('is refused for the machine that the service runs on', async () => {
    scene.connection = 'local';
    await expect(scene.run()).rejects.toMatchObject({ code: 'host_unsupported' });
    expect(scene.asked).toBe(0);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { HostRebootRunner } from '../../../src/application/jobs/host-reboot-runner.ts';
import type { JobContext } from '../../../src/application/jobs/runner.ts';
import { DomainError } from '../../../src/domain/errors.ts';
import { MINUTE, SECOND } from '../../../src/domain/instant.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';

const FORMER = '00000000-0000-4000-8000-000000000001';
const LATER = '00000000-0000-4000-8000-000000000002';

/** A host with one boot id at a time, or none while it is gone. */
class Scene {
  readonly clock = new FakeClock();
  readonly ending = new AbortController();
  readonly lines: string[] = [];
  bootId: string | null = FORMER;
  asked = 0;
  exitCode = 0;
  marker: string | null = null;
  connection = 'ssh';

  run() {
    const inventory = {
      gather: () => Promise.resolve({ rebootPending: false, kernel: '6.1', uptimeSeconds: 90_000 }),
      save: () => Promise.resolve(),
    };
    return new HostRebootRunner({ inventory: inventory as never, clock: this.clock }).apply(this.context);
  }

  get context(): JobContext {
    const host = {
      release: () => undefined,
      run: ({ script }: { script: string }) => {
        if (this.bootId === null) return Promise.reject(new DomainError('host_unreachable', 'It is gone.'));
        if (script.includes('shutdown')) {
          this.asked += 1;
          return Promise.resolve({ exitCode: this.exitCode });
        }
        return Promise.resolve({ exitCode: 0, stdout: Buffer.from(`${this.bootId}\n`) });
      },
    };
    return {
      server: { id: 1, address: { connection: this.connection } },
      signal: this.ending.signal,
      openHost: () => Promise.resolve(host),
      log: (line: string) => void this.lines.push(line),
      progress: () => undefined,
      detached: {
        marker: this.marker,
        mark: (marker: string) => {
          this.marker = marker;
          return Promise.resolve();
        },
      },
    } as never;
  }

  /** Lets so much time go by, a look at a time. */
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

describe('a reboot', () => {
  it('is over when the host answers with another boot id', async () => {
    const done = scene.run();
    await scene.pass(5 * SECOND);
    scene.bootId = null;
    await scene.pass(60 * SECOND);
    scene.bootId = LATER;
    await scene.pass(10 * SECOND);
    expect(await done).toMatchObject({ result: { former_boot_id: FORMER, boot_id: LATER } });
    expect([scene.asked, scene.marker]).toEqual([1, FORMER]);
    expect(scene.lines).toEqual([
      'The host was asked to restart.',
      'The host is gone; waiting for it to come back.',
      expect.stringMatching(/^The host is back after \d+ s\.$/),
    ]);
  });

  it('that another worker had begun is not asked for again once the host has started anew', async () => {
    scene.marker = FORMER;
    scene.bootId = LATER;
    const done = scene.run();
    await scene.pass(10 * SECOND);
    expect(await done).toMatchObject({ result: { boot_id: LATER } });
    expect(scene.asked).toBe(0);
  });

  it.each([
    ['does not come back', null, /has not come back within 15 min/],
    ['goes on as before', FORMER, /still runs as before after 15 min/],
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

  it('stops waiting when the job has to end', async () => {
    const reason = new DomainError('job_cancelled', 'The job was cancelled.');
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

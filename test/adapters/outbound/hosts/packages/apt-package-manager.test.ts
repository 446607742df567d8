import { describe, expect, it } from 'vitest';
import {
  type AptOptions,
  AptPackageManager,
} from '../../../../../src/adapters/outbound/hosts/packages/apt/apt-package-manager.ts';
import type { UpdateCheck } from '../../../../../src/application/ports/fleet/package-manager.ts';
import { MINUTE, SECOND } from '../../../../../src/domain/base/instant.ts';
import { FakeClock } from '../../../../fakes/fake-clock.ts';
import { FakeHost } from '../../../../fakes/fake-host.ts';
import type { FakeReply } from '../../../../fakes/fake-process.ts';
import { RECORDED_MARK, recording } from './recording.ts';

const LOCKED = recording('apt-refresh-locked-trixie');
const REFRESHED = 'Hit:1 http://de.example.org/debian trixie InRelease\nReading package lists...\n';
const LISTING = recording('apt-listing-debian-13');

const ASKED = `\n${RECORDED_MARK} asked\n\n${RECORDED_MARK} refreshing\n`;

/** The output of `apt-get update`, with its exit code unless 0; alone: that of the whole command. */
type Refresh = string | number | { readonly stdout: string; readonly exitCode: number };

/** A check's output if `apt-get update` does this: a listing follows after success. */
function checked(refresh: Refresh | undefined, listing: string): FakeReply {
  if (typeof refresh === 'number' || refresh === undefined) return refresh;
  const { stdout, exitCode } = typeof refresh === 'string' ? { stdout: refresh, exitCode: 0 } : refresh;
  const ended = `\n${RECORDED_MARK} refreshed ${exitCode}\n`;
  return `${ASKED}${stdout}${ended}${exitCode === 0 ? listing : ''}`;
}

/** A host whose `apt-get update` answers in turn, and its last answer again and again. */
function scene(
  refreshes: readonly Refresh[],
  { listing = LISTING, ...options }: Partial<AptOptions> & { listing?: string } = {},
) {
  const clock = new FakeClock();
  const lines: string[] = [];
  let tried = 0;
  const host = new FakeHost('web-1')
    .on(/apt_listing/, () => listing)
    .on(/apt_refresh/, () => checked(refreshes[Math.min(tried++, refreshes.length - 1)], listing));
  const randomness = { bytes: () => Buffer.from(RECORDED_MARK, 'hex'), uuid: () => '' };
  const manager = new AptPackageManager({ clock, randomness, ...options });
  const check = (signal = new AbortController().signal): Promise<UpdateCheck> =>
    manager.check(host.session(), { signal, onLine: (line) => lines.push(line) });
  return { check, clock, host, lines, tries: () => tried };
}

const failing = (stdout: string, exitCode = 100): Refresh => ({ stdout, exitCode });

/** Lets a check that waits for its clock proceed until it has settled, or for this many steps. */
async function passing<T>(clock: FakeClock, waiting: Promise<T>, stepMs: number, steps: number): Promise<T> {
  const state = { settled: false };
  const end = (): void => {
    state.settled = true;
  };
  waiting.then(end, end);
  for (let step = 0; step < steps && !state.settled; step += 1) {
    while (clock.sleepers === 0 && !state.settled) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(stepMs);
  }
  return waiting;
}

describe('AptPackageManager', () => {
  it('refreshes as root and lists, by one command', async () => {
    const { check, host } = scene([REFRESHED]);
    const { updates, notes, rebootPending } = await check();
    expect(updates).toHaveLength(8);
    expect({ notes, rebootPending }).toEqual({ notes: [], rebootPending: false });
    expect(host.commands.map(({ asRoot }) => asRoot)).toEqual([true]);
  });

  it('names the package that needs a reboot', async () => {
    const listing = LISTING.replace(`begin reboot\n`, 'begin reboot\nflag\nasked demo-kernel\nasked libc6\n');
    const { rebootPending, notes } = await scene([REFRESHED], { listing }).check();
    expect(rebootPending).toBe(true);
    expect(notes).toEqual(['A reboot is requested by: demo-kernel, libc6.']);
  });

  it('tries again every two seconds while another holds the lock, and tells so once', async () => {
    const { check, clock, lines, tries } = scene([
      failing(LOCKED),
      failing(LOCKED),
      failing(LOCKED),
      REFRESHED,
    ]);
    const start = clock.now();
    await passing(clock, check(), 2 * SECOND, 10);
    expect(tries()).toBe(4);
    expect(clock.now() - start).toBe(6 * SECOND);
    expect(lines[0]).toMatch(/^Waiting for process \d+, which holds apt's lock\.$/);
    expect(lines.filter((line) => /lock/i.test(line))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('Reading'))).toHaveLength(1);
  });

  it('gives up on the lock after five minutes', async () => {
    const { check, clock } = scene([failing(LOCKED)]);
    const start = clock.now();
    const checking = passing(clock, check(), 2 * SECOND, 200);
    await expect(checking).rejects.toMatchObject({
      code: 'host_command_failed',
      message: expect.stringMatching(
        /process \d+ has held apt's lock on the host for 300 s\. Try again when/,
      ),
    });
    expect(clock.now() - start).toBe(5 * MINUTE);
  });

  it('goes on where some sources failed, and names them', async () => {
    const { check } = scene([failing(recording('apt-refresh-some-failing-trixie'))]);
    const { updates, notes } = await check();
    expect(updates).toHaveLength(8);
    expect(notes).toHaveLength(4);
    expect(notes).toContain(
      "A package source failed: http://nobody.invalid/debian bookworm: Could not resolve 'nobody.invalid'.",
    );
  });

  it('says so if there are no sources at all', async () => {
    const { notes } = await scene(['Reading package lists...\n']).check();
    expect(notes).toEqual(['apt has no package sources on this host.']);
  });

  it.each([
    ['all-failing-bookworm', 0, /No package source could be refreshed/],
    ['malformed-bookworm', 100, /Malformed entry/],
    ['not-root-trixie', 100, /become "sudo"/],
    ['some-failing-trixie', 137, /apt-get update was terminated by a signal/],
  ])('stops at %s, before it lists anything', async (name, exitCode, message) => {
    const { check, host } = scene([failing(recording(`apt-refresh-${name}`), exitCode)]);
    await expect(check()).rejects.toMatchObject({
      code: 'host_command_failed',
      message: expect.stringMatching(message),
    });
    expect(host.commands).toHaveLength(1);
  });

  it('misses a host without apt', async () => {
    await expect(scene([127]).check()).rejects.toMatchObject({ code: 'host_tool_missing' });
  });

  it('is refused, in the words of apt, where apt cannot make a plan', async () => {
    const broken = `\n${RECORDED_MARK} begin apt-plan\nE: Unmet dependencies. Try 'apt --fix-broken install'.\n\n${RECORDED_MARK} end 100\n`;
    await expect(scene([REFRESHED], { listing: broken }).check()).rejects.toMatchObject({
      code: 'host_command_failed',
      message: expect.stringMatching(/cannot resolve an upgrade: Unmet dependencies.*dpkg --configure -a/),
    });
  });

  it('tells lines without passwords and control characters', async () => {
    const { check, lines } = scene([failing(`${recording('apt-refresh-password-jammy')}W: \u001b[31mred\n`)]);
    const { notes } = await check();
    expect([...lines, ...notes].join('\n')).not.toMatch(/s3cret|\u001b/);
    expect(lines).toContain(
      'E: Failed to fetch http://de.example.org/none/dists/x/InRelease  400  Bad Request [IP: 203.0.113.80 80]',
    );
    expect(notes).toContain('red');
  });

  it('ends a refresh that does not come to an end', async () => {
    const { check, host } = scene([REFRESHED], { refreshTimeoutMs: 50 });
    host.on(
      /apt_refresh/,
      ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    );
    await expect(check()).rejects.toMatchObject({ code: 'host_timeout' });
    expect(host.running).toBe(0);
  });

  it('ends a running refresh when it is cancelled', async () => {
    const { check, host } = scene([REFRESHED]);
    const cancel = new AbortController();
    const reason = new Error('cancelled');
    host.on(/apt_refresh/, ({ stdout, signal }) => {
      stdout.write(`${ASKED}Hit:1 http://de.example.org/debian trixie InRelease\n`);
      setImmediate(() => cancel.abort(reason));
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    });
    await expect(check(cancel.signal)).rejects.toBe(reason);
    expect(host.running).toBe(0);
  });

  it('passes on that the connection was lost on the way', async () => {
    const { check, host } = scene([REFRESHED]);
    host.on(/apt_refresh/, (call) => {
      call.stdout.write(`${ASKED}Hit:1 http://de.example.org/debian trixie InRelease\n`);
      setImmediate(() => call.cut());
      return new Promise(() => undefined);
    });
    await expect(check()).rejects.toMatchObject({ code: 'host_connection_lost' });
  });

  it('ends apt if its lines cannot be delivered', async () => {
    const { host } = scene([REFRESHED]);
    const manager = new AptPackageManager({
      clock: new FakeClock(),
      randomness: { bytes: () => Buffer.from(RECORDED_MARK, 'hex'), uuid: () => '' },
    });
    const broken = new Error('the log is full');
    const checking = manager.check(host.session(), {
      signal: new AbortController().signal,
      onLine: () => {
        throw broken;
      },
    });
    await expect(checking).rejects.toBe(broken);
    expect(host.running).toBe(0);
  });
});

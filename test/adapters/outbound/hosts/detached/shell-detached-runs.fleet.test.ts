import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { WATCHER } from '../../../../../src/adapters/outbound/hosts/detached/scripts.ts';
import { ShellDetachedRuns } from '../../../../../src/adapters/outbound/hosts/detached/shell-detached-runs.ts';
import { SshRemoteHosts } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import type { RemoteHost } from '../../../../../src/application/ports/fleet/remote-host.ts';
import type { DetachedCommand } from '../../../../../src/application/ports/jobs/detached-runs.ts';
import { detachedRunsContract, follow } from '../../../../contracts/detached-runs.contract.ts';
import { AS_DROVER, accessTo } from '../../../../fleet/access.ts';
import { useHost } from '../../../../fleet/use-host.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { eventually } from '../../../../support/processes.ts';
import { ToldRuns } from './told-runs.ts';

const RUNS = '/root/.drover/runs';
const NASTY = [
  '',
  ' ',
  '-n',
  '--',
  '*',
  '$(id)',
  '`id`',
  "'",
  '"',
  '\\',
  '\\n',
  'two\nlines\n',
  '\t',
  ';exit 9',
  '%s',
  '~',
  '!!',
  '\u00e4\u{1f409}',
  '#',
  '&',
  '|',
  '>',
];
const SECONDS_20 = { waitMs: 20_000 };

describeWith('fleet', 'ShellDetachedRuns', () => {
  const fleetHost = useHost();
  const runs = new ShellDetachedRuns();
  let hosts = new SshRemoteHosts();
  let count = 0;
  /** Later connections are new ones. */
  const closeAll = (): Promise<void> => {
    const old = hosts;
    hosts = new SshRemoteHosts();
    return old.closeAll();
  };
  afterEach(closeAll);

  const connect = (changes = {}): Promise<RemoteHost> => hosts.connect(accessTo(fleetHost(), changes));
  const newId = (): string => {
    count += 1;
    return `fleet-${count}`;
  };
  const begin = async (command: Omit<DetachedCommand, 'id'>): Promise<string> => {
    const id = newId();
    await runs.start(await connect(), { id, ...command });
    return id;
  };
  const stateOf = async (id: string) =>
    (await runs.read(await connect(), id, 0, { waitMs: 0, signal: new AbortController().signal })).state;

  for (const [who, changes] of [
    ['as root', {}],
    ['as a plain user with sudo', AS_DROVER],
  ] as const) {
    describe(who, () => {
      const own = new SshRemoteHosts();
      afterAll(() => own.closeAll());
      detachedRunsContract(`over SSH, ${who}`, async () => {
        const host = await own.connect(accessTo(fleetHost(), changes));
        return new ToldRuns(host, '/srv/told', () => own.closeAll());
      });
    });
  }

  it('passes every argument on as it is', async () => {
    const id = await begin({ script: `printf '%s\\0' "$@" >"$DROVER_RUN/result"`, args: NASTY });
    await follow(runs, await connect(), id);
    expect((await runs.result(await connect(), id)).split('\0').slice(0, -1)).toEqual(NASTY);
  });

  it('keeps what it writes to root alone, in the home of root, also by way of sudo', async () => {
    const id = newId();
    await runs.start(await connect(AS_DROVER), { id, script: 'id -u; pwd' });
    expect((await follow(runs, await connect(AS_DROVER), id)).log).toMatch(/^0\n/);
    expect(await fleetHost().exec(`stat -c '%a %U' ${RUNS}/${id} ${RUNS}/${id}/log`)).toBe(
      '700 root\n600 root\n',
    );
  });

  it('goes on when the connection is cut right after the start', async () => {
    const id = await begin({ script: 'echo first; sleep 2; echo last; exit 7' });
    await fleetHost().killConnections();
    await closeAll();
    expect(await follow(runs, await connect(), id)).toEqual({
      log: 'first\nlast\n',
      state: { kind: 'ended', exitCode: 7 },
    });
  });

  it('goes on when the connection is cut while it is followed', async () => {
    const id = await begin({ script: 'echo first; sleep 2; echo last' });
    const { signal } = new AbortController();
    const cut = runs.read(await connect(), id, 6, { ...SECONDS_20, signal });
    const lost = expect(cut).rejects.toMatchObject({ code: 'host_connection_lost' });
    await sleep(300);
    await fleetHost().killConnections();
    await lost;
    await closeAll();
    expect(await follow(runs, await connect(), id, { from: 6 })).toMatchObject({ log: 'last\n' });
  });

  it('reports that it was killed', async () => {
    const id = await begin({ script: 'echo going; exec sleep 300' });
    await follow(runs, await connect(), id, { until: 'going' });
    await fleetHost().exec(`read -r pid tick <"$1/process" || :; kill -KILL -- "-$pid"`, [`${RUNS}/${id}`]);
    const killed = await eventually('it is found killed', 60_000, async () => {
      const state = await stateOf(id);
      return state.kind === 'running' ? undefined : state;
    });
    expect(killed).toEqual({ kind: 'died' });
  });

  it('reports that the host rebooted in between', async () => {
    const id = await begin({ script: 'echo going; exec sleep 300' });
    await follow(runs, await connect(), id, { until: 'going' });
    await fleetHost().powerOff();
    await closeAll();
    await fleetHost().start();
    const followed = await follow(runs, await connect(), id);
    expect(followed).toEqual({ log: 'going\n', state: { kind: 'interrupted' } });
    await runs.start(await connect(), { id, script: 'echo again' });
    expect(await stateOf(id)).toEqual({ kind: 'interrupted' });
    await runs.forget(await connect(), id);
  });

  it('reports that a start was interrupted before anything ran, and never starts it later', async () => {
    const id = newId();
    await fleetHost().exec('mkdir -p "$1/$2" && cat /proc/sys/kernel/random/boot_id >"$1/$2/boot_id"', [
      RUNS,
      id,
    ]);
    expect(await follow(runs, await connect(), id)).toEqual({ log: '', state: { kind: 'not_started' } });
    await runs.start(await connect(), { id, script: 'echo late' });
    expect(await stateOf(id)).toEqual({ kind: 'not_started' });
    await runs.forget(await connect(), id);
  });

  it('never runs what was prepared before it was removed and comes to its start only then', async () => {
    const id = newId();
    const place = `${RUNS}/${id}`;
    const script = `echo ran >${RUNS}/${id}.ran`;
    // A start that has made the directory and is then held up: its worker was halted in the middle of sending.
    await fleetHost().exec('mkdir -p "$1"', [place]);
    await runs.forget(await connect(), id);
    await fleetHost().exec('printf %s "$2" >"$1/run"; printf %s "$3" >"$1/script"; sh "$1/run" "$1"', [
      place,
      WATCHER,
      script,
    ]);
    expect(await fleetHost().exec('ls "$1"', [RUNS])).not.toContain('.ran');
    expect(await stateOf(id)).toEqual({ kind: 'unknown' });
  });

  it('deletes what ended or was removed more than a week ago, and nothing else', async () => {
    const ended = await begin({ script: 'exit 0' });
    const recent = await begin({ script: 'exit 0' });
    const going = await begin({ script: 'exec sleep 300' });
    const [longGone, justGone] = [await begin({ script: 'exit 0' }), await begin({ script: 'exit 0' })];
    for (const id of [ended, recent, longGone, justGone]) await follow(runs, await connect(), id);
    for (const id of [longGone, justGone]) await runs.forget(await connect(), id);
    await fleetHost().exec('cd "$1" && touch -d "8 days ago" "$2/log" "$2/exit" "$3/log" "$4/forgotten"', [
      RUNS,
      ended,
      going,
      longGone,
    ]);
    await begin({ script: 'exit 0' });
    expect(await stateOf(ended)).toEqual({ kind: 'unknown' });
    expect(await stateOf(recent)).toEqual({ kind: 'ended', exitCode: 0 });
    expect(await stateOf(going)).toEqual({ kind: 'running' });
    const left = (await fleetHost().exec('ls "$1"', [RUNS])).split('\n');
    expect([ended, longGone].filter((id) => left.includes(id))).toEqual([]);
    expect(await fleetHost().exec('ls "$1/$2"', [RUNS, justGone])).toBe('forgotten\nstarted\n');
    await runs.terminate(await connect(), going);
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { AptPackageManager } from '../../../../../src/adapters/outbound/hosts/packages/apt/apt-package-manager.ts';
import { SshRemoteHosts } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import { SystemRandomness } from '../../../../../src/adapters/outbound/system/system-randomness.ts';
import type { UpdateCheck } from '../../../../../src/application/ports/fleet/package-manager.ts';
import type { RemoteHost } from '../../../../../src/application/ports/fleet/remote-host.ts';
import { HOUR } from '../../../../../src/domain/base/instant.ts';
import { AS_DROVER, accessTo } from '../../../../fleet/access.ts';
import { AptMirror } from '../../../../fleet/apt-mirror.ts';
import { DEMO_SOURCES, installDemo } from '../../../../fleet/apt-repo.ts';
import { useHost } from '../../../../fleet/use-host.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { SELF_SIGNED } from '../../../../support/certificates.ts';

const SETTINGS = '/etc/apt/apt.conf.d/99mirror';
const SUITES = ['stable', 'stable-security'];
const ALL_SAME = SUITES.map((suite) => `304 /dists/${suite}/InRelease`);
const RELEASED = SUITES.map((suite) => `200 /dists/${suite}/InRelease`);

describeWith('fleet', 'AptPackageManager asks the sources whether they have anything newer', () => {
  const host = useHost();
  const hosts = new SshRemoteHosts();
  const mirrors: AptMirror[] = [];
  let session: RemoteHost;
  let now: number;
  let lines: string[];
  let manager: AptPackageManager;

  beforeAll(async () => {
    await installDemo(host());
    session = await hosts.connect(accessTo(host()));
    return () => hosts.closeAll();
  });
  beforeEach(() => {
    now = Date.now();
    lines = [];
    const clock = { now: () => now, sleep: (ms: number) => sleep(Math.min(ms, 50)) };
    manager = new AptPackageManager({ clock, randomness: new SystemRandomness() });
  });
  afterEach(async () => {
    await Promise.all(mirrors.splice(0).map((mirror) => mirror.stop()));
    await host().exec(`rm -f ${SETTINGS} /etc/apt/auth.conf.d/*; apt-mark unhold demo-app`);
  });

  const mirrored = async (options: Parameters<typeof AptMirror.start>[1] = {}): Promise<AptMirror> => {
    const mirror = await AptMirror.start(host(), options);
    mirrors.push(mirror);
    await host().writeFile(DEMO_SOURCES, mirror.sources);
    return mirror;
  };
  const checking = (
    former: UpdateCheck | null,
    signal = new AbortController().signal,
  ): Promise<UpdateCheck> => {
    lines = [];
    return manager.check(session, {
      signal,
      onLine: (line) => lines.push(line),
      former: former?.packages ?? null,
    });
  };
  const names = ({ updates }: UpdateCheck): string[] => updates.map(({ name }) => name).toSorted();
  /** apt rewrites the names of lists whenever it refreshes them. */
  const refreshedAt = (): Promise<string> => host().exec('stat -c %y /var/lib/apt/lists/partial');

  it('starts no apt if they have not, and finds the same', async () => {
    const mirror = await mirrored();
    mirror.publish('v2');
    const first = await checking(null);
    expect(mirror.seen()).toEqual(expect.arrayContaining(RELEASED));
    expect(first.packages?.packageLists).toMatchObject({
      stamp: expect.stringMatching(/^[0-9a-f]{64}$/),
      sources: SUITES.map((suite) => ({ uri: `${mirror.url}/dists/${suite}/InRelease` })),
    });
    const before = await refreshedAt();
    const second = await checking(first);
    expect(mirror.seen()).toEqual(ALL_SAME);
    expect(await refreshedAt()).toBe(before);
    expect(lines).toEqual(SUITES.map((suite) => `Nothing newer: ${mirror.url}/dists/${suite}/InRelease`));
    expect(second).toEqual(first);
    expect(names(second)).toEqual(['demo-app', 'demo-kernel', 'demo-lib']);
  });

  it('has apt refresh its lists where one has', async () => {
    const mirror = await mirrored();
    const first = await checking(null);
    expect(names(first)).toEqual([]);
    mirror.publish('v2');
    mirror.seen();
    const second = await checking(first);
    expect(names(second)).toEqual(['demo-app', 'demo-kernel', 'demo-lib']);
    expect(mirror.seen()).toEqual(expect.arrayContaining([...RELEASED]));
    expect(lines.join('\n')).toMatch(/^(Hit|Get|Ign):1 /);
    mirror.seen();
    expect(names(await checking(second))).toEqual(['demo-app', 'demo-kernel', 'demo-lib']);
    expect(mirror.seen()).toEqual(ALL_SAME);
  });

  it('recomputes what a change on the host makes of the same lists', async () => {
    const mirror = await mirrored();
    mirror.publish('v2');
    const first = await checking(null);
    await host().exec('apt-mark hold demo-app');
    mirror.seen();
    const { updates } = await checking(first);
    expect(mirror.seen()).toEqual(ALL_SAME);
    expect(updates.filter(({ held }) => held).map(({ name }) => name)).toEqual(['demo-app']);
  });

  it.each([
    ['a source was added', `echo 'deb http://127.0.0.1:9/dead stable main' >>${DEMO_SOURCES}`, /dead/],
    ['a list is gone', 'rm /var/lib/apt/lists/*stable_main_binary*', null],
    ['somebody else refreshed them', 'touch /var/lib/apt/lists/*stable_InRelease', null],
    ['settings changed', `echo 'APT::Install-Suggests "0";' >>${SETTINGS}`, null],
    [
      'a program of its own finds out proxies',
      `echo 'Acquire::http::Proxy-Auto-Detect "/bin/true";' >${SETTINGS}`,
      null,
    ],
  ])('asks nothing where %s', async (_, change, note) => {
    const mirror = await mirrored();
    mirror.publish('v2');
    const first = await checking(null);
    await host().exec(`${change}\necho 'Acquire::Retries::Delay "false";' >>${SETTINGS}`);
    const second = await checking(first);
    expect(lines.join('\n')).toMatch(/^(Hit|Get|Ign):1 /);
    expect(names(second)).toEqual(['demo-app', 'demo-kernel', 'demo-lib']);
    if (note) expect(second.notes.join()).toMatch(note);
    expect(second.packages?.packageLists ?? null).toEqual(note ? null : expect.anything());
  });

  it('believes them for a day', async () => {
    await mirrored();
    const first = await checking(null);
    now += 24 * HOUR - 1_000;
    await checking(first);
    expect(lines.join('\n')).toMatch(/^Nothing newer/);
    now += 1_001;
    await checking(first);
    expect(lines.join('\n')).toMatch(/^(Hit|Get|Ign):1 /);
  });

  it.each([
    ['is away', 503, /could be refreshed/],
    ['leads elsewhere', 302, /could be refreshed/],
  ])('leaves it to apt where one %s', async (_, status, message) => {
    const mirror = await mirrored();
    await host().writeFile(SETTINGS, 'Acquire::Retries::Delay "false";\n');
    const first = await checking(null);
    mirror.answerInstead((response) => response.writeHead(status, { location: 'http://127.0.0.1:9/' }).end());
    await expect(checking(first)).rejects.toMatchObject({
      code: 'host_command_failed',
      message: expect.stringMatching(message),
    });
    mirror.answerInstead(null);
    mirror.publish('v2');
    expect(names(await checking(first))).toEqual(['demo-app', 'demo-kernel', 'demo-lib']);
  });

  it('ends if one does not answer and the check is cancelled', async () => {
    const mirror = await mirrored();
    const first = await checking(null);
    const asked = new Promise<void>((resolve) => mirror.answerInstead(() => resolve()));
    const cancel = new AbortController();
    const reason = new Error('cancelled');
    const ended = expect(checking(first, cancel.signal)).rejects.toBe(reason);
    await asked;
    expect((await host().exec('pgrep -f methods/http')).trim()).not.toBe('');
    cancel.abort(reason);
    await ended;
    expect((await host().tryExec('pgrep -f methods/http')).code).toBe(1);
  });

  it.each([
    ['root', {}],
    ['a plain user with sudo', AS_DROVER],
  ])('asks by https, by the settings of the host, as %s', async (_, who) => {
    session = await hosts.connect(accessTo(host(), who));
    await host().writeFile('/etc/ssl/mirror.pem', SELF_SIGNED.cert);
    await host().writeFile(
      SETTINGS,
      'Acquire::https::CaInfo "/etc/ssl/mirror.pem";\nAcquire::https::Verify-Host "false";\n',
    );
    const mirror = await mirrored({ tls: SELF_SIGNED });
    const first = await checking(null);
    mirror.seen();
    await checking(first);
    expect(mirror.seen()).toEqual(ALL_SAME);
    expect(lines).toHaveLength(2);
    session = await hosts.connect(accessTo(host()));
  });

  it('asks by http and by https', async () => {
    await host().writeFile(SETTINGS, 'Acquire::https::Verify-Peer "false";\n');
    const plain = await mirrored();
    const tls = await mirrored({ tls: SELF_SIGNED });
    await host().writeFile(DEMO_SOURCES, plain.sources.split('\n')[0] + '\n' + tls.sources);
    const first = await checking(null);
    plain.seen();
    tls.seen();
    await checking(first);
    expect([plain.seen(), tls.seen()]).toEqual([ALL_SAME.slice(0, 1), ALL_SAME]);
    tls.publish('v2');
    expect(names(await checking(first))).toEqual(['demo-app', 'demo-kernel', 'demo-lib']);
  });

  it("asks by the host's proxy", async () => {
    const mirror = await mirrored();
    await host().writeFile(DEMO_SOURCES, mirror.sources.replaceAll(mirror.url, 'http://deb.example.org'));
    await host().writeFile(SETTINGS, `Acquire::http::Proxy "${mirror.url}";\n`);
    const first = await checking(null);
    mirror.seen();
    await checking(first);
    expect(mirror.seen()).toEqual(
      SUITES.map((suite) => `304 http://deb.example.org/dists/${suite}/InRelease`),
    );
  });

  it('keeps no password of a source', async () => {
    const mirror = await mirrored({ login: 'fleet:pa55word' });
    const login = `machine ${mirror.url} login fleet password pa55word\n`;
    await host().writeFile('/etc/apt/auth.conf.d/mirror.conf', login);
    const first = await checking(null);
    mirror.seen();
    const second = await checking(first);
    expect(mirror.seen()).toEqual(expect.arrayContaining(ALL_SAME));
    expect(lines).toHaveLength(2);
    await host().writeFile(DEMO_SOURCES, mirror.sources.replaceAll('://', '://fleet:pa55word@'));
    const third = await checking(null);
    expect(third.packages?.packageLists).toBe(null);
    expect(JSON.stringify([first, second, third, lines])).not.toContain('pa55word');
  });
});

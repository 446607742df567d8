import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AskedSources,
  questionsOf,
} from '../../../../../src/adapters/outbound/hosts/packages/apt/apt-ask.ts';
import { AptPackageManager } from '../../../../../src/adapters/outbound/hosts/packages/apt/apt-package-manager.ts';
import type { PackageFacts, PackageLists } from '../../../../../src/domain/fleet/inventory.ts';
import { FakeClock } from '../../../../fakes/fake-clock.ts';
import { FakeHost } from '../../../../fakes/fake-host.ts';
import type { FakeCall } from '../../../../fakes/fake-process.ts';
import { hostileText } from '../../../../support/hostile-text.ts';
import { RECORDED_MARK, recording } from './recording.ts';

const MAIN = 'http://de.example.org/debian/dists/trixie/InRelease';
const UPDATES = 'http://de.example.org/debian/dists/trixie-updates/InRelease';
const SECURITY = 'https://security.example.org/dists/trixie-security/InRelease';

const listsOf = (...uris: string[]): PackageLists => ({
  stamp: 'a'.repeat(64),
  until: Number.MAX_SAFE_INTEGER,
  sources: uris.map((uri) => ({ uri, changedAtSeconds: 1_700_000_000 })),
  notes: [],
});

const CAPABILITIES = '100 Capabilities\nSend-Config: true\nPipeline: true\n\n';
const status = (uri: string): string => `102 Status\nMessage: Waiting for headers\nURI: ${uri}\n\n`;
const same = (uri: string): string =>
  `201 URI Done\nIMS-Hit: true\nFilename: /nonexistent/0\nURI: ${uri}\n\n`;
const newer = (uri: string): string => `200 URI Start\nSize: 900\nURI: ${uri}\n\n`;

/** The word to the script, and whether nothing is newer, if apt's programs print this, each in its turn. */
function answered(lists: PackageLists, ...programs: string[]): { words: string[]; isSame: boolean } {
  const words: string[] = [];
  const asked = new AskedSources(lists, (word) => words.push(word));
  for (const printed of programs) {
    asked.begins();
    for (const line of printed.split('\n').slice(0, -1)) asked.take(line);
    asked.ended();
  }
  return { words, isSame: asked.isSame };
}

describe('AskedSources', () => {
  const lists = listsOf(MAIN, UPDATES, SECURITY);

  it('says "same" to each program once none of its sources has anything newer', () => {
    const http = `${CAPABILITIES}${status(MAIN)}${same(MAIN)}104 Warning\nMessage: slow\n\n${same(UPDATES)}`;
    expect(answered(lists, http, CAPABILITIES + same(SECURITY))).toEqual({
      words: ['same', 'same'],
      isSame: true,
    });
  });

  it.each([
    ['has something newer', same(MAIN) + newer(UPDATES)],
    ['leads elsewhere', `103 Redirect\nURI: ${MAIN}\nNew-URI: http://other.example.org/\n\n`],
    ['fails', `400 URI Failure\nMessage: 404  Not Found\nURI: ${MAIN}\n\n`],
    ['is there whole, and not by the time that it had', `201 URI Done\nSize: 900\nURI: ${MAIN}\n\n`],
    ['was not asked', same('http://other.example.org/InRelease')],
    ['is told of twice', same(MAIN) + same(MAIN)],
    ['wants a medium', `403 Media Failure\nMessage: disc\n\n`],
  ])('says "refresh", once, as soon as one %s', (_, printed) => {
    expect(answered(lists, printed + same(UPDATES))).toEqual({ words: ['refresh'], isSame: false });
  });

  it('says "refresh" where a program ends without an answer', () => {
    expect(answered(lists, CAPABILITIES + same(MAIN)).words).toEqual(['refresh']);
    expect(answered(lists, same(MAIN) + same(UPDATES), '').words).toEqual(['same', 'refresh']);
  });

  it('does not take half a message for one', () => {
    const { words } = answered(listsOf(MAIN), same(MAIN).slice(0, -1));
    expect(words).toEqual(['refresh']);
  });

  it('says as many words as are waited for, and holds little, whatever is printed', () => {
    fc.assert(
      fc.property(hostileText(CAPABILITIES + same(MAIN) + same(UPDATES)), (printed) => {
        const { words } = answered(lists, `${printed}\n`);
        expect(words.length).toBe(1);
      }),
      { numRuns: 300 },
    );
  });

  it('asks as apt does, by the time of the last change', () => {
    expect(questionsOf(lists)).toEqual([
      'a'.repeat(64),
      [MAIN, UPDATES]
        .map(
          (uri, index) =>
            `600 URI Acquire\nURI: ${uri}\nFilename: /nonexistent/${index}\nIndex-File: true\nLast-Modified: Tue, 14 Nov 2023 22:13:20 GMT\n\n`,
        )
        .join(''),
      expect.stringMatching(/^600 URI Acquire\nURI: https:.*\n(.+\n)+\n$/),
    ]);
    expect(questionsOf(null)).toEqual(['', '', '']);
  });
});

describe('AptPackageManager, where it may ask the sources', () => {
  const LISTING = recording('apt-listing-debian-13');
  const former: PackageFacts = {
    packagesCount: 1,
    updates: [],
    packagesStamp: null,
    packagesNotes: [],
    packageLists: { ...listsOf(MAIN), until: 1e15, notes: ['A key is old.'] },
  };
  const say = (call: FakeCall, words: string): void =>
    void call.stdout.write(`\n${RECORDED_MARK} ${words}\n`);
  const word = (call: FakeCall): Promise<string> =>
    new Promise((resolve) => call.stdin.once('data', (bytes: Buffer) => resolve(bytes.toString())));
  const REFRESHED = 'Hit:1 http://de.example.org/debian trixie InRelease\n';

  /** A host whose apt program prints this when asked, and then follows the answer. */
  function scene(printed: string, { disobeys = false } = {}) {
    const host = new FakeHost('web-1').on(/apt_nothing_newer/, async (call) => {
      say(call, 'asked');
      if (call.args[2]) {
        say(call, 'asking');
        call.stdout.write(printed);
        say(call, 'answered');
        if ((await word(call)) === 'same\n' || disobeys) {
          say(call, 'same');
          return LISTING;
        }
      }
      say(call, 'refreshing');
      call.stdout.write(REFRESHED);
      say(call, 'refreshed 0');
      return LISTING;
    });
    const lines: string[] = [];
    const manager = new AptPackageManager({
      clock: new FakeClock(),
      randomness: { bytes: () => Buffer.from(RECORDED_MARK, 'hex'), uuid: () => '' },
    });
    const check = (known: PackageFacts | null = former) =>
      manager.check(host.session(), {
        signal: new AbortController().signal,
        onLine: (line) => lines.push(line),
        former: known,
      });
    return { host, lines, check };
  }

  it('lists without a refresh, and keeps what the last one told', async () => {
    const { check, lines } = scene(CAPABILITIES + same(MAIN));
    const { updates, packages, notes } = await check();
    expect(updates).toHaveLength(8);
    expect(lines).toEqual([`Nothing newer: ${MAIN}`]);
    expect(packages?.packageLists).toEqual(former.packageLists);
    expect(notes).toEqual(['A key is old.']);
  });

  it('has apt refresh where one has something newer', async () => {
    const { check, lines } = scene(CAPABILITIES + newer(MAIN));
    expect((await check()).updates).toHaveLength(8);
    expect(lines).toEqual([REFRESHED.trim()]);
  });

  it('asks nothing if nothing is known, or too long ago', async () => {
    for (const known of [null, { ...former, packageLists: { ...listsOf(MAIN), until: 1 } }]) {
      const { check, lines } = scene(same(MAIN));
      await check(known);
      expect(lines).toEqual([REFRESHED.trim()]);
    }
  });

  it('does not believe a host that says so where a source has something newer', async () => {
    const { check, lines } = scene(CAPABILITIES + newer(MAIN), { disobeys: true });
    const checking = check();
    await expect(checking).rejects.toMatchObject({ code: 'host_command_failed' });
    expect(lines).toEqual([]);
  });
});

import { Readable } from 'node:stream';
import {
  isAbsent,
  isDamage,
  isLocked,
  lastWords,
} from '../../src/adapters/outbound/backup/restic/restic-faults.ts';
import { messageOf } from '../../src/adapters/outbound/backup/restic/restic-messages.ts';
import { RsyncComplaints } from '../../src/adapters/outbound/backup/rsync-complaints.ts';
import { RsyncOutput, readLines } from '../../src/adapters/outbound/backup/rsync-lines.ts';
import { readSurvey } from '../../src/adapters/outbound/hosts/containers/survey.ts';
import { workOutcome } from '../../src/adapters/outbound/hosts/containers/work-outcome.ts';
import { readInventory } from '../../src/adapters/outbound/hosts/facts/shell-host-facts.ts';
import { readAptListing } from '../../src/adapters/outbound/hosts/packages/apt/apt-listing.ts';
import { readAptLists } from '../../src/adapters/outbound/hosts/packages/apt/apt-lists.ts';
import { APT_REMEDIES } from '../../src/adapters/outbound/hosts/packages/apt/apt-package-manager.ts';
import { aptPatchPlan } from '../../src/adapters/outbound/hosts/packages/apt/apt-patch.ts';
import { AptRefreshLog } from '../../src/adapters/outbound/hosts/packages/apt/apt-refresh-log.ts';
import { patchOutcome, planWith } from '../../src/adapters/outbound/hosts/packages/patch/outcome.ts';
import { readRebootState } from '../../src/adapters/outbound/hosts/packages/reboot.ts';
import { errorWords, withoutPasswords } from '../../src/adapters/outbound/hosts/packages/refresh-outcome.ts';
import { hostJson, hostLines, lastLine } from '../../src/adapters/outbound/hosts/shell/host-lines.ts';
import { plainText, wholeNumber } from '../../src/adapters/outbound/hosts/shell/host-text.ts';
import { readSections, type Sections } from '../../src/adapters/outbound/hosts/shell/marked-sections.ts';
import { sudoRefusal } from '../../src/adapters/outbound/hosts/shell/sudo-refusal.ts';
import { readFixes } from '../../src/adapters/outbound/hosts/state/reported-fixes.ts';
import { recordedSections } from '../adapters/outbound/hosts/facts/recorded-host.ts';
import { recordedSections as recordedPackages } from '../adapters/outbound/hosts/packages/recording.ts';
import { rounds } from './rounds.ts';

export const HOSTILE_BYTES = rounds(2, 16) * 1024 * 1024;

const filled = (piece: string, bytes: number): string =>
  piece.repeat(Math.ceil(bytes / piece.length)).slice(0, bytes);

/** What stopped, or could stop, a reader: by kind. */
export const HOSTILE_SHAPES: Readonly<Record<string, (bytes: number) => string>> = {
  blanks: (bytes) => filled(' ', bytes),
  'one long line': (bytes) => filled('a', bytes),
  'many lines': (bytes) => filled('a b c\n', bytes),
  digits: (bytes) => filled('1', bytes),
  'nested JSON': (bytes) => filled('[', bytes),
  'control characters': (bytes) => filled('\u001b[2J\r\u0000', bytes),
  'words of tools': (bytes) => filled('sudo set_acl blob E: Err:1 Inst a ', bytes),
  'lines of advisories': (bytes) => filled('A-1 b 2-1 CVE-2024-0001,CVE-2024-0002\n', bytes),
  'lines of tools': (bytes) => filled('E: a\nInst a [1] (2 b [c])\nW: x\n  b\n', bytes),
};

/** Without these nothing else is read of a host. */
const NEEDED = new Set([
  'system',
  'load',
  'memory',
  'uptime',
  'processor',
  'disks',
  'engine',
  'package-family',
]);

/** A real host's answer, with the text in the place of those sections, and of all the others. */
const spoiled = (sections: Sections, text: string): readonly Sections[] =>
  [true, false].map(
    (needed) =>
      new Map(
        Array.from(sections, ([name, section]) => [
          name,
          NEEDED.has(name) === needed ? { text, exitCode: 0 } : section,
        ]),
      ),
  );

/** Refusals are answers. */
function settled(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'RangeError') throw error;
  }
}

const eachOf = (sections: Sections, read: (each: Sections) => unknown) => (text: string) => {
  for (const each of spoiled(sections, text)) settled(() => read(each));
};

/** 32 KiB at a time, as SSH brings it. */
function* chunks(text: string): Generator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 32_768) yield bytes.subarray(at, at + 32_768);
}
const streamOf = (text: string): Readable => Readable.from(chunks(text), { objectMode: false });

const FAMILIES = [
  'debian-12-systemd',
  'fedora-dnf4',
  'fedora-dnf5',
  'suse-zypper',
  'arch-pacman',
  'docker',
  'podman',
] as const;

const surveyed: Sections = new Map(
  ['containers', 'images', 'listed', 'fault'].map((name) => [name, { text: '', exitCode: 0 }]),
);

/** Every parser of host output. */
export const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  'fixes that a host reports': (text) =>
    readFixes(new Map([['state-fixes', { text, exitCode: 0 }]]), [
      { name: 'b', version: '1-1', source: 'b', sourceVersion: '1-1' },
    ]),
  ...Object.fromEntries(
    FAMILIES.map((name) => [`facts: ${name}`, eachOf(recordedSections(name), readInventory)]),
  ),
  sections: (text) => readSections(text, 'a'),
  'apt listing': eachOf(recordedPackages('apt-listing-ubuntu-24.04'), readAptListing),
  'apt lists': (text) => readAptLists(new Map([['apt-lists', { text, exitCode: 0 }]]), { now: 0, notes: [] }),
  'apt plan': eachOf(recordedPackages('apt-listing-ubuntu-24.04'), aptPatchPlan),
  'apt refresh': async (text) => {
    const log = new AptRefreshLog();
    for await (const line of hostLines(streamOf(text))) {
      log.read(line);
      plainText(withoutPasswords(line), 500);
    }
  },
  reboot: eachOf(new Map([['reboot', { text: '', exitCode: 0 }]]), readRebootState),
  'patch outcome': (text) => patchOutcome({ exitCode: 100, result: text }, APT_REMEDIES),
  'patch plan': (text) => planWith(text, []),
  'refresh outcome': errorWords,
  survey: (text) => {
    for (const engine of ['docker', '']) {
      const sections = new Map([...surveyed, ['engine', { text: engine, exitCode: 0 }]]);
      eachOf(sections, readSurvey)(text);
    }
  },
  'compose work': (text) => workOutcome({ exitCode: 14, result: text }),
  'rsync output': (text) => readLines(streamOf(text), new RsyncOutput().line),
  'rsync complaints': (text) => readLines(streamOf(text), new RsyncComplaints().line),
  'restic messages': (text) => readLines(streamOf(text), messageOf),
  'restic complaints': (text) => {
    const end = { exitCode: 1, said: text.slice(-16_384) };
    return [isAbsent(end), isDamage(end.said), isLocked(end), lastWords(end)];
  },
  sudo: (text) => sudoRefusal('web', 'root', text),
  'last line': lastLine,
  'plain text': (text) => [plainText(text), wholeNumber(text)],
  JSON: (text) => [hostJson(text, HOSTILE_BYTES), hostJson(text, 1_000)],
  lines: async (text) => {
    for await (const line of hostLines(streamOf(text))) if (line.length > 5_000) throw new RangeError(line);
  },
};

import { Readable } from 'node:stream';
import { excludeMatcher } from '../../src/adapters/backup/exclude-matcher.ts';
import { surveyHost } from '../../src/adapters/backup/host-survey.ts';
import { isAbsent, isDamage, isLocked, lastWords } from '../../src/adapters/backup/restic/restic-faults.ts';
import { messageOf } from '../../src/adapters/backup/restic/restic-messages.ts';
import { prepareTarget } from '../../src/adapters/backup/restore-target.ts';
import { RsyncComplaints } from '../../src/adapters/backup/rsync-complaints.ts';
import { RsyncOutput, readLines } from '../../src/adapters/backup/rsync-lines.ts';
import { Scratch } from '../../src/adapters/backup/scratch.ts';
import { surveySource } from '../../src/adapters/backup/source-survey.ts';
import { TarReader } from '../../src/adapters/backup/tar-reader.ts';
import { TargetCheck } from '../../src/adapters/backup/target-check.ts';
import { readDefinition } from '../../src/adapters/containers/compose-files.ts';
import { RegistryCredentials } from '../../src/adapters/containers/registry-credentials.ts';
import { readRegistryDigests } from '../../src/adapters/containers/registry-digests.ts';
import { readProjectFiles } from '../../src/adapters/containers/stage.ts';
import { readSurvey } from '../../src/adapters/containers/survey.ts';
import { workOutcome } from '../../src/adapters/containers/work-outcome.ts';
import { ShellDetachedRuns } from '../../src/adapters/detached/shell-detached-runs.ts';
import { readInventory } from '../../src/adapters/facts/shell-host-facts.ts';
import { ShellJailFs } from '../../src/adapters/jail/remote/shell-jail-fs.ts';
import { readApkUpdates } from '../../src/adapters/packages/apk/apk-listing.ts';
import { readAptListing } from '../../src/adapters/packages/apt/apt-listing.ts';
import { readAptLists } from '../../src/adapters/packages/apt/apt-lists.ts';
import { APT_REMEDIES } from '../../src/adapters/packages/apt/apt-package-manager.ts';
import { aptPatchPlan } from '../../src/adapters/packages/apt/apt-patch-plan.ts';
import { AptRefreshLog } from '../../src/adapters/packages/apt/apt-refresh-log.ts';
import { patchOutcome } from '../../src/adapters/packages/patch/outcome.ts';
import { planWith } from '../../src/adapters/packages/patch/plan.ts';
import { readRebootState } from '../../src/adapters/packages/reboot.ts';
import { errorWords } from '../../src/adapters/packages/refresh-outcome.ts';
import { withoutPasswords } from '../../src/adapters/packages/without-passwords.ts';
import type { HostCommand, RemoteHost } from '../../src/application/ports/remote-host.ts';
import { hostJson } from '../../src/application/remote-host/host-json.ts';
import { hostLines, lastLine } from '../../src/application/remote-host/host-lines.ts';
import { plainText, wholeNumber } from '../../src/application/remote-host/host-text.ts';
import { readSections, type Sections } from '../../src/application/remote-host/marked-sections.ts';
import { sudoRefusal } from '../../src/application/remote-host/sudo-refusal.ts';
import { JailPath } from '../../src/domain/jail-path.ts';
import { recordedSections } from '../adapters/facts/recorded-host.ts';
import { recordedSections as recordedPackages } from '../adapters/packages/recording.ts';
import { hostileHost } from './hostile-host.ts';

export const HOSTILE_BYTES = 16 * 1024 * 1024;

const filled = (piece: string, bytes: number): string =>
  piece.repeat(Math.ceil(bytes / piece.length)).slice(0, bytes);

/** What stopped, or could stop, whoever reads it: by what it is. */
export const HOSTILE_SHAPES: Readonly<Record<string, (bytes: number) => string>> = {
  blanks: (bytes) => filled(' ', bytes),
  'one long line': (bytes) => filled('a', bytes),
  'many lines': (bytes) => filled('a b c\n', bytes),
  digits: (bytes) => filled('1', bytes),
  'nested JSON': (bytes) => filled('[', bytes),
  'control characters': (bytes) => filled('\u001b[2J\r\u0000', bytes),
  'words of tools': (bytes) => filled('sudo set_acl blob E: Err:1 Inst a ', bytes),
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

/** What a real host answered, with the text in the place of those sections, and of all the others. */
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

/** Commands that are run to their end keep 4 MiB at most. */
const MORE_THAN_ANY_LIMIT = 5 * 1024 * 1024;

/**
 * Asks a host that prints the text, as it is and in the sections that an answer is read by, and ends well or not. Refusals
 * are answers.
 */
const asking =
  (ask: (host: RemoteHost, signal: AbortSignal) => Promise<unknown>, sections: readonly string[] = []) =>
  async (all: string): Promise<void> => {
    const text = all.slice(0, MORE_THAN_ANY_LIMIT);
    const within = sections.map(
      (name) =>
        ({ args: [mark = ''] = [] }: HostCommand) =>
          chunks(`\n${mark} begin ${name}\n${text.slice(0, text.length / 2)}\n${mark} end 0\n`),
    );
    for (const print of [() => chunks(text), ...within])
      for (const exitCode of print.length === 0 ? [0, 1] : [0])
        await ask(hostileHost(exitCode, print), new AbortController().signal).catch((error: unknown) => {
          if (!(error instanceof Error) || error.name === 'RangeError') throw error;
        });
  };

/** The file tools, through a warm shell that prints the text after a first line of ours, and through one that does not. */
const jailAsks = async (text: string): Promise<void> => {
  const mark = 'a'.repeat(32);
  const said = Buffer.from(text);
  for (const first of ['', `${mark} entries\n`, `${mark} entry `, `${mark} content `])
    for (const path of [JailPath.ROOT, JailPath.parse('a/b')])
      await asking(async (host, signal) => {
        const jail = new ShellJailFs({
          host,
          serverId: 1,
          serverName: 'web',
          directory: '/srv',
          ask: ({ most }) =>
            Promise.resolve({
              stdout: Buffer.concat([Buffer.from(first), said, Buffer.from(`${mark} end\n`)]).subarray(
                0,
                most + 65_536,
              ),
              stderr: said.subarray(0, 65_536),
            }),
          newMark: () => mark,
          locks: {} as never,
          signal,
        });
        await jail.list(path, 500).catch(() => undefined);
        await jail.stat(path).catch(() => undefined);
        await jail.read(path, { offset: 0, length: 1_000 } as never).catch(() => undefined);
      })('');
};

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

/**
 * Every parser of what hosts print.
 */
export const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
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
  'compose definition': asking(
    (host, signal) =>
      readDefinition(
        host,
        { directory: '/srv/shop', project: 'shop', configFiles: ['/srv/shop/compose.yaml'] },
        { engine: 'docker', mark: 'a'.repeat(32), stagedId: null, signal },
      ),
    ['config', 'hashes', 'fault'],
  ),
  'project files': asking((host, signal) => readProjectFiles(host, '/srv/shop', ['compose.yaml'], signal)),
  'registry answers': asking((host, signal) =>
    readRegistryDigests(host, ['example.org/app:1'], { engine: 'podman', signal }),
  ),
  'registry credentials': asking((host, signal) =>
    new RegistryCredentials(host, signal).headerFor('example.org/app:1'),
  ),
  'detached runs': asking(async (host, signal) => {
    const runs = new ShellDetachedRuns();
    await runs.read(host, 'a-1', 0, { waitMs: 0, signal }).catch(() => undefined);
    await runs.result(host, 'a-1').catch(() => undefined);
    await runs.terminate(host, 'a-1');
  }),
  'jail answers': jailAsks,
  'source survey': async (text) => {
    const store = { file: '/var/lib/store', content: 'id' };
    for (const tool of ['tar', 'rsync', 'restic'] as const)
      await asking((host, signal) => surveySource(host, ['/etc'], store, signal, tool))(text);
  },
  'host survey': async (text) => {
    const rules = excludeMatcher(['*.log', 'cache/']);
    await asking((host, signal) => surveyHost(host, ['etc' as never], rules, signal))(text);
  },
  'apk listing': eachOf(
    new Map(['apk-updates', 'apk-world'].map((name) => [name, { text: '', exitCode: 0 }])),
    readApkUpdates,
  ),
  'restore target': asking((host, signal) =>
    prepareTarget(host, { directory: '/srv', overwrite: true, above: [] }, signal, 'tar'),
  ),
  'scratch directory': asking(async (host, signal) => {
    await (await Scratch.open(host, signal)).free();
  }),
  'tar stream': async (text) => {
    const reader = new TarReader(streamOf(text));
    while (await reader.next());
  },
  'names that patterns leave out': (text) => {
    const { excludes } = excludeMatcher(['*a*a*a*b', '**a**/**b', '* *b*c*d', '/**/*1*1*2']);
    for (let at = 0; at < text.length; at += text.length / 16)
      excludes(text.slice(at, at + 4_096) as never, true);
  },
  'target check': asking((host, signal) => {
    const entry = { path: 'a', type: 'file', size: 1, mode: 0o644, mtime: 0, sha256: 'a'.repeat(64) };
    return new TargetCheck(host, '/srv', signal).faults([entry as never]);
  }),
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

/**
 * Which of them reads with which modules, from `src/adapters`. test/architecture/host-output.test.ts finds the modules that touch
 * output of hosts, and fails for one that is neither here nor in `UNPARSED`.
 */
export const READERS: Readonly<Record<string, readonly string[]>> = {
  'facts: docker': [
    'facts/containers.ts',
    'facts/disks.ts',
    'facts/failed-units.ts',
    'facts/machine.ts',
    'facts/os-release.ts',
    'facts/shell-host-facts.ts',
  ],
  'apk listing': ['packages/apk/apk-listing.ts'],
  'facts: fedora-dnf5': [
    'packages/package-listing.ts',
    'packages/rpm/dnf-listing.ts',
    'packages/rpm/dnf.ts',
    'packages/rpm/rpm-packages.ts',
  ],
  'facts: suse-zypper': ['packages/rpm/zypper-listing.ts'],
  'facts: arch-pacman': ['packages/pacman/pacman-listing.ts'],
  'facts: debian-12-systemd': ['packages/listed-update.ts'],
  'apt listing': [
    'packages/apt/apt-listing.ts',
    'packages/apt/apt-policy.ts',
    'packages/apt/apt-stamp.ts',
    'packages/apt/apt-updates.ts',
  ],
  'apt lists': ['packages/apt/apt-lists.ts'],
  'apt plan': ['packages/apt/apt-patch-plan.ts', 'packages/apt/apt-plan.ts'],
  'apt refresh': ['packages/apt/apt-check.ts', 'packages/apt/apt-refresh-log.ts'],
  reboot: ['packages/reboot.ts'],
  'patch outcome': ['packages/patch/outcome.ts'],
  'patch plan': ['packages/patch/plan.ts'],
  'refresh outcome': ['packages/refresh-outcome.ts'],
  survey: ['containers/survey.ts', 'containers/shell-container-engine.ts'],
  'compose work': ['containers/work-outcome.ts'],
  'compose definition': ['containers/compose-files.ts'],
  'project files': ['containers/stage.ts'],
  'registry answers': ['containers/registry-digests.ts'],
  'registry credentials': ['containers/registry-credentials.ts'],
  'detached runs': ['detached/shell-detached-runs.ts'],
  'jail answers': [
    'jail/remote/helper.ts',
    'jail/remote/outcome.ts',
    'jail/remote/raw-facts.ts',
    'jail/remote/shell-jail-fs.ts',
  ],
  'source survey': ['backup/source-survey.ts'],
  'host survey': ['backup/host-survey.ts'],
  'target check': ['backup/target-check.ts'],
  'restore target': ['backup/restore-target.ts'],
  'restic messages': ['backup/restic/restic-host.ts', 'backup/restic/restic-browse.ts'],
  'rsync complaints': ['backup/rsync-carrier.ts'],
  'scratch directory': ['backup/scratch.ts'],
  'tar stream': ['backup/host-fetch.ts'],
  sections: ['packages/apt/apt-package-manager.ts', 'packages/shell-package-manager.ts'],
  sudo: ['ssh/ssh-host.ts', 'local/local-host.ts'],
};

/** Modules that touch output of hosts and read nothing out of it that grows with it. */
export const UNPARSED: Readonly<Record<string, string>> = {
  'application/check-server.ts': 'at most 1 MiB, which the rule for file roots takes or refuses as a whole',
  'application/jobs/host-reboot-runner.ts': 'compared with an earlier answer',
  'application/ports/host-question.ts': 'types',
  'application/ports/remote-host.ts': 'types',
  'application/remote-host/ask-host.ts': 'passes the output on',
  'application/remote-host/run-to-end.ts':
    'keeps the first bytes; every parser that asks a host goes through it',
  'application/remote-host/sudo-refusal.ts': 'is the parser "sudo"',
  'backup/give-back.ts': 'two versions in at most 1 MiB, searched for constants',
  'backup/local-program.ts': 'programs of the own machine, and the first bytes of what they say',
  'backup/make-socket.ts': 'a program of the own machine',
  'backup/publish-snapshot.ts': 'a program of the own machine',
  'backup/received-files.ts': 'a program of the own machine',
  'backup/restic/restic-dump.ts':
    'lines of the parser "restic complaints"; content goes from stream to stream',
  'backup/restic/restic-locks.ts': 'at most 1 MiB, in lines that hostJson reads',
  'backup/source-lock.ts': 'a program of the own machine',
  'backup/tar-push.ts': 'keeps the first bytes for an error',
  'backup/tree-clone.ts': 'a program of the own machine',
  'backup/tree-content.ts': 'at most 4 MB, split once; each line is held against one anchored expression',
  'backup/tree-writer.ts': 'a program of the own machine',
  'containers/engine-api.ts': 'a reply of HTTP that Node parses, bounded, and then hostJson',
  'containers/survey-script.ts': 'the script; its answer is read by the parser "survey"',
  'jail/remote/read-tree.ts': 'records of at most 8 KiB, up to the number of entries that is asked for',
  'jail/remote/send-file.ts': 'one first line, by the parser "jail answers"',
  'jail/remote/warm-shell.ts': 'waits for a mark within the bytes that the caller allows',
  'local/local-process.ts': 'passes the streams on',
  'probes/machine-probes.ts': 'a program of the own machine',
  'protection/service-places.ts':
    'only of a host that has the boot id of the own machine; bounded, split at NUL',
  'ssh/group-ender.ts': 'drops the output',
  'ssh/ssh-process.ts': 'passes the streams on after the first mark',
};

// Compares backups with rsync in place, rsync --link-dest and restic on the same files, side by side in one run:
// npm run bench -- backup; with BENCH_QUICK=1 three rounds. BENCH_CASES=first,one,again,restic,large runs some of the cases,
// and keeps the results of the others.
import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startSshd } from '../test/support/sshd.ts';
import { type Measured, medians, type Peer, run, timed } from './backup/measured.ts';
import type { BackupOrder } from './backup/one-backup.ts';
import { casesToRun, withKept } from './lib/cases.ts';
import type { Row } from './lib/figures.ts';
import { needs } from './lib/needs.ts';
import { report } from './lib/report.ts';

const ONE_BACKUP = fileURLToPath(new URL('backup/one-backup.ts', import.meta.url));
const MANY = 20_000;
const LOTS = 200_000;
const SMALL = 2_000;
const GIB = 1_000_000_000;
const A_HUNDREDTH = 100;
const FILES_IN_A_DIRECTORY = 100;
/** Times must be older than two seconds to be trusted. */
const TRUSTED_MS = 3_000;

const contentOf = (index: number): Buffer => randomBytes(1_000 + (index % 3_000));
const placeOf = (base: string, index: number, count: number): string =>
  join(base, `d${index % (count / FILES_IN_A_DIRECTORY)}`, `f${index}`);

async function makeFiles(base: string, count: number): Promise<string> {
  for (let index = 0; index < count; index += 1) {
    const place = placeOf(base, index, count);
    if (index < count / FILES_IN_A_DIRECTORY) await mkdir(join(place, '..'), { recursive: true });
    await writeFile(place, contentOf(index));
  }
  return base;
}

async function changeSome(base: string): Promise<void> {
  for (let index = 0; index < MANY; index += A_HUNDREDTH)
    await writeFile(placeOf(base, index, MANY), contentOf(index));
  await sleep(TRUSTED_MS);
}

async function makeOne(base: string): Promise<string> {
  await mkdir(base);
  const file = await open(join(base, 'file'), 'w');
  for (let written = 0; written < GIB; written += 10_000_000) await file.write(randomBytes(10_000_000));
  await file.close();
  return base;
}

const CASES = ['first', 'one', 'again', 'restic', 'large'] as const;
const round = (value: number): number => Math.round(value * 100) / 100;

async function compare(): Promise<void> {
  needs({ programs: ['rsync', 'restic', '/usr/sbin/sshd'] });
  const isQuick = process.env['BENCH_QUICK'] === '1';
  const rounds = isQuick ? 3 : 5;
  const rows: Row[] = [];
  // restic keeps the directories above a source too, and tools write to /tmp all the time
  const base = await mkdtemp('/var/tmp/drover-bench-');
  const stores = join(base, 'stores');
  await mkdir(stores);
  const cases = casesToRun(CASES);
  const sshd = await startSshd();
  let number = 0;
  const fresh = (): string => {
    number += 1;
    return join(stores, `made-${number}`);
  };
  /** For one round alone. */
  const gone: string[] = [];
  const once = (): string => {
    const place = fresh();
    gone.push(place);
    return place;
  };
  const drop = async (): Promise<void> => {
    for (const place of gone.splice(0)) await rm(place, { recursive: true, force: true });
  };
  const ssh = `ssh -p ${sshd.port} -i ${sshd.privateKeyFile} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR`;
  const rsync = (from: string, to: string, linkDest?: string): Promise<Measured> =>
    timed('rsync', [
      '-aHS',
      '--numeric-ids',
      '-e',
      ssh,
      ...(linkDest === undefined ? [] : [`--link-dest=${linkDest}`]),
      `127.0.0.1:${from}/`,
      `${to}/`,
    ]);
  const restic = (repository: string, from: string): Promise<Measured> =>
    timed('restic', ['-q', '-r', repository, 'backup', from]);
  /** As a script calls it on another machine. */
  const resticBySsh = (repository: string, from: string): Promise<Measured> =>
    timed('bash', [
      '-c',
      `${ssh} 127.0.0.1 "RESTIC_PASSWORD=bench restic -q -r '$1' backup '$2'"`,
      'ssh',
      repository,
      from,
    ]);
  const makeRepository = async (repository: string): Promise<string> => {
    await run('restic', ['-q', '-r', repository, 'init']);
    return repository;
  };
  const row = (what: string, found: Readonly<Record<string, Measured>>): void => {
    const [mine, ...peers] = Object.keys(found);
    const is = found[mine ?? ''] as Measured;
    rows.push({
      what,
      [`${mine} s`]: round(is.wall),
      ...Object.fromEntries(
        peers.flatMap((name) => [
          [`${name} s`, round(found[name]?.wall ?? 0)],
          [`of ${name}`, round(is.wall / (found[name]?.wall ?? 0))],
        ]),
      ),
      'our cpu s': round(is.cpu),
      'rsync cpu s': round(found['rsync']?.cpu ?? 0),
      MiB: Math.round(is.mib),
      'blocked ms': Math.round(is.blocked),
    });
  };
  try {
    const small = await makeFiles(join(base, 'small'), SMALL);
    const many = await makeFiles(join(base, 'many'), MANY);
    await sleep(TRUSTED_MS);
    const access = sshd.access();
    const ours = async (order: Omit<BackupOrder, 'access' | 'small' | 'scratch'>): Promise<Measured> => {
      const input = JSON.stringify({ ...order, access, small, scratch: stores } satisfies BackupOrder);
      return JSON.parse(await run(process.execPath, ['--import', 'tsx', ONE_BACKUP], input)) as Measured;
    };

    if (cases.has('first')) {
      const first = {
        ours: () => ours({ root: once(), from: many }),
        rsync: () => rsync(many, once()),
        restic: async () => restic(await makeRepository(once()), many),
      };
      // nothing is removed between the rounds: ext4 looks for minutes at each inode that was just given up before it makes a file
      row('20,000 files, first', await medians(first, rounds));
      await drop();
    }
    if (cases.has('one')) {
      const one = await makeOne(join(base, 'one'));
      const peers = { ours: () => ours({ root: once(), from: one }), rsync: () => rsync(one, once()) };
      row('1 GB in one file, first', await medians(peers, rounds, drop));
      await rm(one, { recursive: true });
    }
    await drop();

    if (cases.has('again')) {
      const store = fresh();
      const plain = fresh();
      let linked = fresh();
      await ours({ root: store, from: many });
      await rsync(many, plain);
      await rsync(many, linked);
      const repository = await makeRepository(fresh());
      await restic(repository, many);
      const peers: Readonly<Record<string, Peer>> = {
        ours: () => ours({ root: store, from: many }),
        rsync: () => rsync(many, plain),
        '--link-dest': async () => {
          const next = fresh();
          const taken = await rsync(many, next, linked);
          linked = next;
          return taken;
        },
        restic: () => restic(repository, many),
        'find and cp': () => leastWork(ssh, many, plain, fresh()),
      };
      row('20,000 files, unchanged', await medians(peers, rounds));
      row('20,000 files, 1 % changed', await medians(peers, rounds, () => changeSome(many)));
    }

    if (cases.has('restic')) {
      const manifests = fresh();
      const repository = await makeRepository(fresh());
      // restic derives keys as long as the machine took when the repository was made: the same for both
      const byHand = fresh();
      await cp(repository, byHand, { recursive: true });
      await restic(byHand, many);
      await ours({ root: manifests, from: many, repository });
      const peers = {
        'restic engine': () => ours({ root: manifests, from: many, repository }),
        restic: () => restic(byHand, many),
        'restic by ssh': () => resticBySsh(byHand, many),
      };
      row('20,000 files, unchanged, restic engine', await medians(peers, rounds));
      const one = await makeOne(join(base, 'one'));
      for (const [what, from] of [
        ['20,000 files', many],
        ['1 GB in one file', one],
      ] as const) {
        const template = await makeRepository(fresh());
        const empty = async (): Promise<string> => {
          const copy = once();
          await cp(template, copy, { recursive: true });
          return copy;
        };
        const first = {
          'restic engine': async () => ours({ root: once(), from, repository: await empty() }),
          restic: async () => restic(await empty(), from),
          'restic by ssh': async () => resticBySsh(await empty(), from),
        };
        row(`${what}, first, restic engine`, await medians(first, rounds, drop));
      }
      await drop();
      await rm(one, { recursive: true });
    }

    if (cases.has('large')) {
      const tenth = fresh();
      const few = {
        first: await ours({ root: tenth, from: many }),
        again: await ours({ root: tenth, from: many }),
      };
      const lots = await makeFiles(join(base, 'lots'), LOTS);
      await sleep(TRUSTED_MS);
      const large = fresh();
      rows.push(rowOfLarge('200,000 files, first', await ours({ root: large, from: lots }), few.first));
      const again = await medians({ ours: () => ours({ root: large, from: lots }) }, 3);
      rows.push(rowOfLarge('200,000 files, unchanged', again.ours, few.again));
    }
    report('backup', withKept('backup', rows, ['what']).rows, { rounds, 'over SSH': 'to this machine' });
  } finally {
    await sshd.stop();
    await rm(base, { recursive: true });
  }
}

/** The minimum for any snapshot of links: the host's listing, the links beside it, and then the flush. */
const leastWork = (ssh: string, from: string, of: string, to: string): Promise<Measured> =>
  timed('bash', [
    '-c',
    `cp -al "$2" "$3" & ${ssh} 127.0.0.1 "find $1 -printf '%y %m %U %G %s %T@ %C@ %i %D %n %b\\0%p\\0%l\\0'" >/dev/null; wait; sync -f "$3"`,
    'least',
    from,
    of,
    to,
  ]);

/** `few`: the same with a tenth of the files. */
const rowOfLarge = (what: string, is: Measured, few: Measured | undefined): Row => ({
  what,
  'ours s': round(is.wall),
  'times a tenth of the files': round(is.wall / (few?.wall ?? 0)),
  'our cpu s': round(is.cpu),
  MiB: Math.round(is.mib),
  'blocked ms': Math.round(is.blocked),
});

await compare();

import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  clockProbe,
  databaseProbe,
  serviceProbe,
} from '../../../../src/adapters/outbound/probes/database-probes.ts';
import {
  dataDirectoryProbe,
  fileRootsProbe,
  nodeProbe,
  rsyncProbe,
  sshCryptoProbe,
} from '../../../../src/adapters/outbound/probes/machine-probes.ts';
import { serversProbe } from '../../../../src/adapters/outbound/probes/server-probe.ts';
import { snapshotTreesProbe } from '../../../../src/adapters/outbound/probes/snapshot-probe.ts';
import { DomainError } from '../../../../src/domain/base/errors.ts';
import { DAY, HOUR } from '../../../../src/domain/base/instant.ts';
import { describeServer } from '../../../../src/domain/fleet/server-description.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';
import { sceneDatabase } from '../../../support/scene-database.ts';

const clock = new FakeClock();
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'drover-probe-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('node', () => {
  test.each([
    ['20.19.0', 'ok'],
    ['22.1.0', 'ok'],
    ['20.18.9', 'fail'],
    ['18.20.0', 'fail'],
  ])('%s is %s', async (version, verdict) => {
    expect(await nodeProbe(version).look()).toMatchObject({
      verdict,
      detail: expect.stringContaining(version),
    });
  });
});

describe('data directory', () => {
  test('is well where it is private', async () => {
    expect(await dataDirectoryProbe(directory).look()).toMatchObject({ verdict: 'ok' });
  });

  test('is reported if others can read it', async () => {
    await chmod(directory, 0o755);
    expect(await dataDirectoryProbe(directory).look()).toMatchObject({
      verdict: 'warn',
      remedy: `chmod 700 ${directory}`,
    });
  });

  test('is made by the first start', async () => {
    const missing = join(directory, 'missing');
    expect(await dataDirectoryProbe(missing).look()).toMatchObject({
      verdict: 'warn',
      remedy: expect.stringContaining('npm start'),
    });
  });
});

describe('rsync', () => {
  const pretend = (script: string) =>
    writeFile(join(directory, 'rsync'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });

  test('is reported with its version', async () => {
    await pretend('echo "rsync  version 3.2.7  protocol version 31"');
    expect(await rsyncProbe(directory).look()).toEqual({
      name: 'rsync',
      verdict: 'ok',
      detail: expect.stringMatching(/^rsync 3\.2\.7\. .*large files/),
      remedy: null,
    });
  });

  test('is optional if it is missing, or does not run', async () => {
    expect(await rsyncProbe(directory).look()).toMatchObject({
      verdict: 'ok',
      detail: expect.stringContaining('Backups work without it'),
    });
    await pretend('exit 1');
    expect(await rsyncProbe(directory).look()).toMatchObject({ verdict: 'ok', remedy: null });
  });
});

describe('ssh', () => {
  test('warns where the ciphers are slow', async () => {
    expect(await sshCryptoProbe(() => true).look()).toMatchObject({ verdict: 'ok' });
    expect(await sshCryptoProbe(() => false).look()).toMatchObject({
      verdict: 'warn',
      remedy: expect.stringContaining('npm rebuild ssh2'),
    });
  });
});

describe('database', () => {
  const probe = (ping: () => Promise<void>, pending: readonly string[] = []) =>
    databaseProbe({
      label: 'SQLite in /data',
      health: { ping },
      pendingMigrations: async () => pending,
      remedy: 'mend it',
    });

  test('is well where it answers with this schema', async () => {
    expect(await probe(async () => {}).look()).toMatchObject({ verdict: 'ok' });
  });

  test('is behind where migrations are missing', async () => {
    expect(await probe(async () => {}, ['0002-more']).look()).toMatchObject({
      verdict: 'warn',
      detail: expect.stringContaining('0002-more'),
    });
  });

  test('fails with the reason and the remedy', async () => {
    const gone = () => Promise.reject(new DomainError('database_unavailable', 'No answer within 2000 ms.'));
    expect(await probe(gone).look()).toEqual({
      name: 'database',
      verdict: 'fail',
      detail: 'SQLite in /data cannot be used: No answer within 2000 ms.',
      remedy: 'mend it',
    });
  });
});

describe('service', () => {
  const replica = (seenAgoMs: number) => ({
    owner: `o${seenAgoMs}`,
    version: '0.1.0',
    startedAt: 0,
    keyIds: null,
    seenAgoMs,
  });

  test('runs where one was seen a moment ago', async () => {
    const probe = serviceProbe({ list: async () => [replica(3_000), replica(9_000), replica(90_000)] });
    expect(await probe.look()).toMatchObject({
      verdict: 'ok',
      detail: '2 running on this database (version 0.1.0).',
    });
  });

  test('does not run where all went silent', async () => {
    expect(await serviceProbe({ list: async () => [replica(90_000)] }).look()).toMatchObject({
      verdict: 'warn',
      remedy: 'npm start',
    });
  });
});

describe('clock', () => {
  test.each([
    [400, 'ok'],
    [-4_900, 'ok'],
    [-7_000, 'warn'],
    [3_600_000, 'fail'],
  ])('%i ms apart is %s', async (offset, verdict) => {
    expect(await clockProbe({ clockOffsetMs: async () => offset }, clock).look()).toMatchObject({ verdict });
  });
});

describe('servers', () => {
  test('names those that were not in touch, ten of them at most', async () => {
    const { servers } = sceneDatabase(clock);
    const add = async (name: string, lastSeenAt: number | null) => {
      const server = describeServer({ name, connection: 'ssh', hostname: 'h.test' });
      const { id } = await servers.add(server, clock.now(), () => ({}));
      await servers.learn(id, { lastSeenAt });
    };
    await add('web', clock.now() - HOUR);
    expect(await serversProbe(servers, clock).look()).toMatchObject({
      verdict: 'ok',
      detail: expect.stringContaining('1 server, all contacted'),
    });
    await add('a-old', clock.now() - 3 * DAY);
    for (let number = 0; number < 150; number += 1) await add(`b-${String(number).padStart(3, '0')}`, null);
    const finding = await serversProbe(servers, clock).look();
    expect(finding).toMatchObject({ verdict: 'warn', remedy: 'drover server check a-old' });
    expect(finding.detail).toContain(
      '151 of 152 servers were not contacted during the last day: a-old (72 h ago), b-000 (never),',
    );
    expect(finding.detail).toMatch(/b-008 \(never\) and 141 more\.$/);
  });
});

describe('file roots', () => {
  test('a home directory is reported, as version 1.1 suggested one', async () => {
    const { servers } = sceneDatabase(clock);
    const { id } = await servers.add(describeServer({ name: 'web', connection: 'local' }), 0, () => ({}));
    await servers.change(id, { jail: '/srv/compose' }, 0, () => ({}));
    expect(await fileRootsProbe(servers).look()).toMatchObject({ verdict: 'ok' });
    for (const jail of ['/root', '/home/deploy']) {
      await servers.change(id, { jail }, 0, () => ({}));
      expect(await fileRootsProbe(servers).look()).toMatchObject({
        verdict: 'warn',
        detail: expect.stringContaining(`web (${jail})`),
        remedy: 'drover server edit web --jail /srv/drover',
      });
    }
  });
});

describe('snapshots', () => {
  const tree = (name: string) => ({ name }) as never;
  const adopted = { object: 'snapshot:7', detail: { source: 'data', name: '2026-11-01' } };
  const probe = (trees: readonly string[], entries: readonly object[] = []) =>
    snapshotTreesProbe({
      sources: { history: async () => [{ id: 3, name: 'data' }] as never },
      snapshots: { known: async () => ({ listed: new Set(['kept']), removed: new Set(['going']) }) },
      published: async () => trees.map(tree),
      audit: { list: async () => ({ items: entries, total: entries.length }) as never },
      adopted: 'snapshot.adopt',
      clock,
    });

  test('are well if each tree is in the list', async () => {
    expect(await probe(['kept']).look()).toMatchObject({ verdict: 'ok', remedy: null });
  });

  test('are named if they are in the store only, or were listed late', async () => {
    const { verdict, detail } = await probe(['kept', 'going', 'stray'], [adopted]).look();
    expect(verdict).toBe('warn');
    for (const name of ['data/stray', 'data/going', 'snapshot:7']) expect(detail).toContain(name);
    expect(detail).not.toContain('data/kept');
  });
});

import { describe, expect, test } from 'vitest';
import { resticExcludes } from '../../../../src/adapters/outbound/backup/restic/restic-backup-run.ts';
import { environmentOf, masked } from '../../../../src/adapters/outbound/backup/restic/restic-environment.ts';
import {
  isDamage,
  lastWords,
  repositoryFault,
} from '../../../../src/adapters/outbound/backup/restic/restic-faults.ts';
import { judgeLocks } from '../../../../src/adapters/outbound/backup/restic/restic-locks.ts';
import {
  isVanished,
  messageOf,
  nanoseconds,
  permissionsOf,
} from '../../../../src/adapters/outbound/backup/restic/restic-messages.ts';
import type { RepositorySecrets } from '../../../../src/domain/backups/backup-repository.ts';
import { HOUR } from '../../../../src/domain/base/instant.ts';

const opened = (kind: 'local' | 'rest' | 's3', url: string, login: RepositorySecrets['login'] = null) => ({
  repository: { id: 1, name: 'offsite', kind, url, initialisedAt: null, createdAt: 0 },
  secrets: { password: 'p w', login },
  found: async () => undefined,
});

describe('the environment of restic', () => {
  test('has the repository and its password, and ends', () => {
    expect(environmentOf(opened('local', '/mnt/r'))).toBe(
      'RESTIC_REPOSITORY=/mnt/r\nRESTIC_PASSWORD=p w\nRESTIC_PROGRESS_FPS=2\n\n',
    );
  });

  test('has a login where the kind wants it', () => {
    const login = { name: 'web', secret: '$&/@:ü' };
    expect(environmentOf(opened('rest', 'rest:https://h/x', login))).toContain(
      'RESTIC_REPOSITORY=rest:https://web:%24%26%2F%40%3A%C3%BC@h/x\n',
    );
    const s3 = environmentOf(opened('s3', 's3:https://h/b', login));
    expect(s3).toContain('RESTIC_REPOSITORY=s3:https://h/b\n');
    expect(s3).toContain('AWS_ACCESS_KEY_ID=web\nAWS_SECRET_ACCESS_KEY=$&/@:ü\n');
  });

  test('is masked in what restic says', () => {
    const secrets = { password: 'p w', login: { name: 'web', secret: 'a/b' } };
    expect(masked('at https://web:a%2Fb@h with p w and a/b', secrets)).toBe(
      'at https://web:***@h with *** and ***',
    );
  });
});

describe('locks', () => {
  const lock = (id: string, hostname: string, time: string) => ({
    id,
    hostname,
    time,
    pid: 1,
    exclusive: true,
  });
  const now = Date.parse('2026-11-20T12:00:00Z');
  const judge = (locks: ReturnType<typeof lock>[], alive: string[] = []) =>
    judgeLocks(locks, { hostname: 'web', now, alive: new Set(alive) });

  test('of processes of this host that are gone are left over', () => {
    const mine = lock('a', 'web', '2026-11-20T11:59:00Z');
    expect(judge([mine])).toEqual({ left: [mine], held: [], hasForeignOld: false });
    expect(judge([mine], ['a'])).toEqual({ left: [], held: [mine], hasForeignOld: false });
  });

  test('of other hosts are never taken for left over, however old they look', () => {
    const young = lock('b', 'db', '2026-11-20T11:59:00Z');
    const old = lock('c', 'db', new Date(now - HOUR).toISOString());
    expect(judge([young])).toEqual({ left: [], held: [young], hasForeignOld: false });
    expect(judge([young, old])).toEqual({ left: [], held: [young, old], hasForeignOld: true });
  });
});

describe('what restic says', () => {
  test('of a file is distinguished from a file that vanished', () => {
    const denied =
      '{"message_type":"error","error":{"Op":"open","Path":"e/sec","Err":13},"during":"archival","item":"/e/sec"}';
    const message = messageOf(denied);
    expect(message).toMatchObject({ message_type: 'error', item: '/e/sec' });
    if (message?.message_type === 'error') expect(isVanished(message)).toBe(false);
    const gone = messageOf(denied.replace('13', '2'));
    if (gone?.message_type === 'error') expect(isVanished(gone)).toBe(true);
    const newer = messageOf(
      '{"message_type":"error","error":{"message":"lstat /x: no such file or directory"},"item":"/x"}',
    );
    if (newer?.message_type === 'error') expect(isVanished(newer)).toBe(true);
    expect([gone, newer].every((each) => each?.message_type === 'error')).toBe(true);
    expect(messageOf('repository opened')).toBeNull();
    expect(messageOf('{')).toBeNull();
  });

  test('of a damaged repository is known', () => {
    expect(isDamage('ignoring error for /a: ciphertext verification failed')).toBe(true);
    expect(isDamage('Fatal: unable to open config file: permission denied')).toBe(false);
  });

  test('is cut to its last words', () => {
    const said = 'scanning\nFatal: unable to save snapshot: no space left.\nexit';
    expect(lastWords({ exitCode: 1, said })).toBe('unable to save snapshot: no space left');
    expect(lastWords({ exitCode: 7, said: '' })).toBe('restic ended with code 7');
  });

  test('of times and modes is read as stat tells them', () => {
    expect(nanoseconds('2026-11-20T08:41:17.532102725Z')).toBe(1_795_164_077_532_102_725n);
    expect(nanoseconds('2026-11-20T09:41:17.5+01:00')).toBe(1_795_164_077_500_000_000n);
    expect(nanoseconds('1970-01-01T00:00:00Z')).toBe(0n);
    expect(() => nanoseconds('yesterday')).toThrow('not a time');
    expect(permissionsOf(420)).toBe(0o644);
    expect(permissionsOf(2148532735)).toBe(0o1777);
    expect(permissionsOf(2 ** 23 + 2 ** 22 + 0o755)).toBe(0o6755);
  });
});

test("translates rsync's patterns for restic", () => {
  const survey = { roots: [], moved: [] };
  const excludes = (patterns: string[], repositoryPath: string | null = null) =>
    resticExcludes({ patterns, survey, repositoryPath });
  expect(excludes(['*.tmp', '/srv/cache/', '/srv/x/***', '!odd', 'a/**/b'])).toEqual([
    '*.tmp',
    '/srv/cache',
    '/srv/x',
    '[!]odd',
    'a/**/b',
  ]);
  expect(excludes([], '/mnt/restic')).toEqual(['/mnt/restic']);
});

test('an inaccessible repository is not reported as missing', () => {
  const said = (reason: string): string =>
    repositoryFault(
      {
        ...opened('s3', 's3:https://h/b'),
        repository: { ...opened('s3', 's3:https://h/b').repository, initialisedAt: 1 },
      },
      {
        exitCode: 1,
        said: `Fatal: unable to open config file: Stat: ${reason}\nIs there a repository at the following location?\ns3:https://h/b`,
      },
    ).message;
  expect(said('The Access Key Id you provided does not exist in our records.')).toContain('Access Key Id');
  expect(said('Access Denied.')).toContain('Access Denied');
  expect(said('The specified key does not exist.')).toContain('no longer at s3:https://h/b');
});

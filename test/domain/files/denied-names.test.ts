import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../../src/domain/base/errors.ts';
import { DeniedNames, deniedPatterns } from '../../../src/domain/files/denied-names.ts';
import { JailPath } from '../../../src/domain/files/jail-path.ts';

const refuse = (path: string, patterns: readonly string[] = []): void =>
  new DeniedNames(deniedPatterns(patterns), '/srv/jail').refuse(JailPath.parse(path));

const refusal = (code: ErrorCode) => expect.objectContaining({ code, message: expect.stringMatching(/\.$/) });

describe('names that file tools do not touch', () => {
  test.each([
    '.ssh',
    '.ssh/config',
    'home/deploy/.ssh/authorized_keys',
    'authorized_keys',
    'authorized_keys2',
    'id_ed25519',
    'id_rsa.pub',
    'tls/site.pem',
    'tls/site.key',
    '.gnupg/private-keys-v1.d/x',
    '.aws/credentials',
    '.bashrc',
    'home/.profile',
    '.bash_history',
    '.drover-4026531836-17-00.part',
    '.drover/stage/x/compose.yaml',
    '.config/gh/hosts.yml',
    '.local/share/keyrings/login.keyring',
    'app/.git/config',
    '.gitconfig',
    '.git-credentials',
    'app/.env',
    'app/.env.production',
    '.npmrc',
    '.netrc',
    '.vault-token',
    '.kube/config',
    'credentials.json',
    'drover/master.key',
    'drover/master-key.old',
    'secrets/database-url',
    'data/drover.sqlite',
    'data/drover.sqlite-wal',
  ])('%s is denied everywhere', (path) => expect(() => refuse(path)).toThrow(refusal('path_refused')));

  test.each([
    ['another case', '.SSH/config'],
    ['mixed case', 'ID_Ed25519'],
    ['a long s, whose upper case is S', '.\u017fsh/config'],
    ['a Kelvin sign, whose lower case is k', 'server.\u212aey'],
    ['letters of full width', '.\uff53\uff53\uff48'],
    ['a dot at the end', '.ssh./config'],
    ['blanks at the end', '.ssh  /config'],
    ['both', '.ssh. ./config'],
  ])('is not reached by %s', (_trick, path) => expect(() => refuse(path)).toThrow(refusal('path_refused')));

  test.each(['.s\u00adsh', '.ssh\u200b/config'])('is not reached by a character that is ignored', (path) =>
    expect(() => refuse(path)).toThrow(refusal('invalid_input')),
  );

  test.each([
    '',
    'compose.yaml',
    '.htaccess',
    'environment',
    'ssh',
    'keys/readme.txt',
    'monkey',
    'my-id_x',
    'x.pem.txt',
    '.'.repeat(3),
  ])('%j is not secret', (path) => expect(() => refuse(path)).not.toThrow());

  test.each([
    ['/home/deploy', '.anything', true],
    ['/home/deploy', '.ANYTHING/x', true],
    ['/home/deploy', '\u200b.anything', true],
    ['/home/deploy', 'app/.anything', false],
    ['/home/deploy', 'visible', false],
    ['/home', 'deploy/.anything', true],
    ['/root', '.anything', true],
    ['/', 'root/.anything', true],
    ['/', 'home/deploy/.anything', true],
    ['/', 'srv/.anything', false],
    ['/', 'run/secrets', true],
    ['/', 'run/secrets/token', true],
    ['/', 'var/run/secrets/token', true],
    ['/srv', 'run/secrets/token', false],
  ])('in %s, %j is denied: %s', (root, path, isDenied) => {
    const denied = new DeniedNames([], root);
    const { directory, name } = JailPath.parse(path.replace('\u200b', '')).entry;
    expect(denied.deny(directory, path.startsWith('\u200b') ? `\u200b${name}` : name)).toBe(isDenied);
  });

  test('an operator denies more', () => {
    expect(() => refuse('secrets/db', ['secrets'])).toThrow(refusal('path_refused'));
    expect(() => refuse('a/Secrets', ['secrets'])).toThrow(refusal('path_refused'));
    expect(() => refuse('app.env', ['*.env'])).toThrow(refusal('path_refused'));
    expect(() => refuse('backup-7.sql', ['backup-?.sql'])).toThrow(refusal('path_refused'));
    expect(() => refuse('backup-77.sql', ['backup-?.sql'])).not.toThrow();
    expect(() => refuse('a/b', ['a?b'])).not.toThrow();
    expect(() => refuse('anything', ['*'])).toThrow(refusal('path_refused'));
  });

  test('the refusal says which rule it was', () => {
    expect(() => refuse('web/Site.KEY')).toThrow('"web/Site.KEY" is not for file tools: names like "*.key"');
  });

  test('a pattern of many stars is answered at once', () => {
    const pattern = '*a'.repeat(50);
    expect(() => refuse('a'.repeat(49).concat('b'.repeat(200)), [pattern])).not.toThrow();
  });

  test.each([
    ['nothing', ''],
    ['too much', 'x'.repeat(101)],
    ['a path', 'a/b'],
    ['a control character', 'a\nb'],
    ['a backslash', 'a\\b'],
    ['dots and blanks alone', '. .'],
  ])('%s is no pattern', (_what, pattern) => {
    expect(() => deniedPatterns(['ok', pattern])).toThrow(refusal('invalid_input'));
    expect(() => deniedPatterns(['ok', pattern])).toThrow(/^\/jail_deny\/1: /);
  });

  test('patterns are kept once, and at most 50', () => {
    expect(deniedPatterns(['b', 'a', 'b'])).toEqual(['b', 'a']);
    expect(() => deniedPatterns(Array.from({ length: 51 }, (_, each) => `p${each}`))).toThrow(
      refusal('invalid_input'),
    );
  });
});

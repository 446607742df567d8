import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidInput } from '../../../src/domain/base/errors.ts';
import {
  describeTemplate,
  isComposeFile,
  MAX_FILE_BYTES,
  MAX_FILES,
  type RawTemplate,
  type TemplateFile,
  valuesFor,
} from '../../../src/domain/compose/template.ts';
import { clashOf, TemplatePath } from '../../../src/domain/compose/template-path.ts';
import { hostileText } from '../../support/hostile-text.ts';

const COMPOSE: TemplateFile = { path: 'compose.yaml', content: 'services: {}\n' };
const described = (raw: Partial<RawTemplate> = {}, files: readonly TemplateFile[] = [COMPOSE]) =>
  describeTemplate({ name: 'demo', ...raw }, files);

function problems(work: () => unknown): readonly string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof InvalidInput) return error.problems.map(({ path, message }) => `${path} ${message}`);
    throw error;
  }
  return [];
}

describe('a path of a template', () => {
  test.each(['compose.yaml', 'conf/app.conf', '.env', 'a/b/c/d/e/f/g/h', '@types/x+y', '_', '...'])(
    '%j will do',
    (raw) => expect(String(TemplatePath.parse(raw))).toBe(raw),
  );

  test.each([
    '',
    '/',
    '/etc/passwd',
    '..',
    '.',
    '../x',
    'a/../b',
    'a/./b',
    'a//b',
    'a/',
    '-rf',
    'a/-rf',
    'a b',
    'a\\b',
    'a\nb',
    'a\0b',
    '~/x',
    '$HOME',
    '`id`',
    'a;b',
    '%2e%2e/x',
    'ünï',
    '.drover-former',
    '.Drover/x',
    'a/.drover',
    'a/b/c/d/e/f/g/h/i',
    'x'.repeat(101),
    `${'x'.repeat(90)}/${'x'.repeat(90)}/${'x'.repeat(90)}`,
  ])('%j will not', (raw) =>
    expect(problems(() => TemplatePath.parse(raw, '/here'))[0]).toMatch(/^\/here .+\.$/),
  );

  test('is never one with anything hostile in it', () => {
    fc.assert(
      fc.property(hostileText('conf/app.conf ../x'), (raw) => {
        const found = problems(() => TemplatePath.parse(raw));
        if (found.length === 0) expect(raw).toMatch(/^([A-Za-z0-9._+@][A-Za-z0-9._+@-]*\/?)+$/);
        if (found.length === 0) expect(raw.split('/')).not.toContain('..');
      }),
    );
  });

  test.each<[string, string[]]>([
    ['the same twice', ['a', 'a']],
    ['but for case', ['conf/A', 'conf/a']],
    ['a file that is also a directory', ['a', 'a/b']],
    ['so too, but for case', ['A', 'a/b']],
  ])('cannot be beside another: %s', (_, raw) =>
    expect(clashOf(raw.map((each) => TemplatePath.parse(each)))).not.toBeNull(),
  );
});

describe('a template', () => {
  test('is described with what was left out', () =>
    expect(
      described({ variables: [{ name: 'port', type: 'port', default: 80 }] }, [
        { path: 'z', content: '' },
        COMPOSE,
      ]),
    ).toEqual({
      name: 'demo',
      description: '',
      variables: [
        { name: 'port', type: 'port', description: '', required: false, default: '80', choices: [] },
      ],
      files: [COMPOSE, { path: 'z', content: '' }],
    }));

  test.each<[string, Partial<RawTemplate>, RegExp]>([
    ['no name', { name: '' }, /^\/name /],
    ['a name with capitals', { name: 'Demo' }, /^\/name /],
    ['a name that is a path', { name: '../demo' }, /^\/name /],
    ['a description of two lines', { description: 'a\nb' }, /^\/description /],
    ['two variables of one name', { variables: [text('a'), text('a')] }, /two variables named a/],
    ['a variable with a bad name', { variables: [text('A-b')] }, /^\/variables\/0\/name /],
    ['a variable named as what objects have', { variables: [text('__proto__')] }, /^\/variables\/0\/name /],
    [
      'a secret with a default',
      { variables: [{ name: 'a', type: 'secret', default: 'password1' }] },
      /^\/variables\/0\/default A secret cannot have a default/,
    ],
    ['a choice without choices', { variables: [{ name: 'a', type: 'choice' }] }, /^\/variables\/0\/choices /],
    [
      'a default that is no choice',
      { variables: [{ name: 'a', type: 'choice', choices: ['x'], default: 'y' }] },
      /^\/variables\/0\/default Must be one of x\./,
    ],
    [
      'choices of a text',
      { variables: [{ ...text('a'), choices: ['x'] }] },
      /^\/variables\/0\/choices A variable of type string cannot have choices\./,
    ],
    [
      'a number that need not be given',
      { variables: [{ name: 'a', type: 'integer', required: false }] },
      /^\/variables\/0\/required /,
    ],
    [
      'a default of another type',
      { variables: [{ name: 'a', type: 'port', default: 70_000 }] },
      /^\/variables\/0\/default Must be a port from 1 to 65535\./,
    ],
    [
      'too many variables',
      { variables: Array.from({ length: 101 }, (_, index) => text(`v${index}`)) },
      /^\/variables A template has at most 100/,
    ],
  ])('is refused with %s', (_, raw, problem) =>
    expect(problems(() => described(raw))).toEqual([expect.stringMatching(problem)]),
  );

  test.each<[string, TemplateFile[], RegExp]>([
    ['no compose file', [{ path: 'app.yaml', content: '' }], /There is no compose\.yaml\./],
    [
      'two compose files',
      [COMPOSE, { path: 'docker-compose.yml', content: '' }],
      /the compose file is named compose\.yaml/,
    ],
    ['a large file', [COMPOSE, { path: 'a', content: 'x'.repeat(MAX_FILE_BYTES + 1) }], /a is larger than/],
    ['a file that is no text', [COMPOSE, { path: 'a', content: 'a\0b' }], /a is not a text file/],
    [
      'too much in all',
      [
        COMPOSE,
        ...Array.from({ length: 5 }, (_, index) => ({
          path: `f${index}`,
          content: 'ü'.repeat(MAX_FILE_BYTES / 2),
        })),
      ],
      /at most 1048576 bytes in total/,
    ],
    [
      'too many files',
      Array.from({ length: MAX_FILES + 1 }, (_, index) => ({
        ...COMPOSE,
        path: index === 0 ? COMPOSE.path : `f${index}`,
      })),
      /at most 50 files/,
    ],
    ['a path that leads out', [COMPOSE, { path: '../x', content: '' }], /\.\./],
  ])('is refused with %s', (_, files, problem) =>
    expect(problems(() => described({}, files))).toEqual([expect.stringMatching(problem)]),
  );

  test.each<[string, boolean]>([
    ['compose.yaml', true],
    ['compose.override.yaml', true],
    ['docker-compose.prod.yml', true],
    ['conf/compose.yaml', false],
    ['composer.yaml', false],
    ['compose.yaml.txt', false],
  ])('has compose put its own variables into %s: %s', (path, is) => expect(isComposeFile(path)).toBe(is));
});

function text(name: string) {
  return { name, type: 'string' } as const;
}

describe('the values of a deployment', () => {
  const template = described({
    variables: [
      { name: 'text', type: 'string', default: 'd' },
      { name: 'empty', type: 'string', required: false },
      { name: 'number', type: 'integer', default: -5 },
      { name: 'flag', type: 'boolean', default: false },
      { name: 'kind', type: 'choice', choices: ['a', 'b c'], default: 'a' },
      { name: 'port', type: 'port' },
      { name: 'password', type: 'secret' },
      { name: 'token', type: 'secret', required: false },
    ],
  });
  const given = { port: 80, password: 'long enough' };

  test('are what is given, else the default, else nothing', () => {
    const { texts, secrets } = valuesFor(template, { ...given, flag: true, number: '12' });
    expect(Object.fromEntries(texts)).toEqual({
      text: 'd',
      empty: '',
      number: '12',
      flag: 'true',
      kind: 'a',
      port: '80',
      password: 'long enough',
      token: '',
    });
    expect([...secrets]).toEqual(['password', 'token']);
  });

  test('name every one that is missing, unknown or of another type, and repeat none', () =>
    expect(
      problems(() =>
        valuesFor(template, { flag: 'yes', nope: 'sesame', text: 1, password: 'sesame', __proto__: 'x' }),
      ),
    ).toEqual([
      '/variables/nope The template demo has no variable "nope".',
      '/variables/text Must be text.',
      '/variables/flag Must be true or false.',
      '/variables/port The variable port (port) is missing.',
      '/variables/password A secret has at least 8 characters.',
    ]));

  test.each<[string, string | number | boolean]>([
    ['number', 1.5],
    ['number', '1e3'],
    ['number', ' 1'],
    ['number', '0x10'],
    ['number', ''],
    ['number', 2 ** 60],
    ['number', true],
    ['port', 0],
    ['port', 65_536],
    ['port', '80; id'],
    ['flag', 1],
    ['flag', 'TRUE'],
    ['kind', 'c'],
    ['kind', 'b'],
    ['text', 'a\0b'],
    ['text', 'a\u001b[31m'],
    ['text', 'half \ud800 of it'],
    ['text', 'a\u2028b'],
    ['text', 'x'.repeat(4_097)],
    ['password', 12_345_678],
    ['password', ''],
    ['token', 'short'],
  ])('are refused where %s is %j', (name, value) =>
    expect(problems(() => valuesFor(template, { ...given, [name]: value }))).toEqual([
      expect.stringMatching(new RegExp(`^/variables/${name} [A-Z].+\\.$`)),
    ]),
  );
});

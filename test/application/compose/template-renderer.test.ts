import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { EemeliYamlText } from '../../../src/adapters/outbound/system/eemeli-yaml-text.ts';
import { TemplateRenderer } from '../../../src/application/compose/template-renderer.ts';
import { InvalidInput } from '../../../src/domain/base/errors.ts';
import { MASK } from '../../../src/domain/base/secret-mask.ts';
import { describeTemplate, type TemplateContent, valuesFor } from '../../../src/domain/compose/template.ts';
import type { RawVariable, VariableValue } from '../../../src/domain/compose/template-variable.ts';

const renderer = new TemplateRenderer({ yaml: new EemeliYamlText() });

const template = (
  files: Readonly<Record<string, string>>,
  variables: readonly RawVariable[] = [],
): TemplateContent =>
  describeTemplate(
    { name: 'demo', variables },
    Object.entries({ 'compose.yaml': 'services: {}\n', ...files }).map(([path, content]) => ({
      path,
      content,
    })),
  );

function rendered(
  path: string,
  content: string,
  variables: readonly RawVariable[],
  given: Readonly<Record<string, VariableValue>>,
) {
  const demo = template({ [path]: content }, variables);
  const file = renderer.render(demo, valuesFor(demo, given)).find((each) => each.path === path);
  if (!file) throw new Error(`no ${path}`);
  return file;
}

const text = (name: string): RawVariable => ({ name, type: 'string' });

const problemsOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    if (error instanceof InvalidInput) return error.problems.map(({ path, message }) => `${path} ${message}`);
    throw error;
  }
  return [];
};

/** Texts that would end a scalar, start another, or run somewhere, if inserted unchanged. */
const HOSTILE = [
  'x\nprivileged: true',
  'x" \nprivileged: true #',
  "x'\n  privileged: true",
  '$(touch /tmp/owned)',
  '`id`',
  '${HOME}',
  '$$',
  '$',
  '@{other}',
  '{{ .Env }}',
  '# comment',
  ': ',
  '- item',
  '*alias',
  '&anchor x',
  '!!python/object x',
  '| \n x',
  '%YAML 1.1',
  '---\na: 1',
  '...\n',
  'null',
  'yes',
  '0x10',
  '1e3',
  '~',
  '"',
  '\\',
  '\\"',
  '\\\n',
  ' leading and trailing ',
  '\t',
  '\n\n',
  '',
  'ünï😀',
  '<<: *x',
  '{a: b}',
  '[1]',
  '*/ --',
];

describe('a value in YAML', () => {
  const FORMS = [
    'v: "@{x}"\nz: 1\n',
    "v: '@{x}'\nz: 1\n",
    'v: a @{x} b\nz: 1\n',
    'v: [ "@{x}", 2 ]\nz: 1\n',
    'v: {w: "@{x}"}\nz: 1\n',
    'v: |\n  @{x}\nz: 1\n',
    'v: >-\n  first\n  @{x}\n\nz: 1\n',
    'v: &here "@{x}" # said @{once}\nz: 1\n',
    '- "@{x}"\n- z\n',
    '{"v": "@{x}", "z": [1, true, null]}',
  ];

  const shape = (value: unknown): unknown =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shape(each)]))
      : typeof value === 'string'
        ? 'text'
        : value;

  test.each(FORMS)('cannot break out of %j', (form) => {
    const expected = parse(form.replace('@{x}', 'X'));
    for (const value of HOSTILE) {
      const { content } = rendered('conf/app.yaml', form, [text('x')], { x: value });
      const found = parse(content);
      expect(shape(found), content).toEqual(shape(expected));
      expect(JSON.stringify(found), content).toContain(JSON.stringify(value).slice(1, -1));
    }
  });

  test('is the value that was given, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (value) => {
        const variables = [text('x')];
        const demo = template({ 'app.yaml': 'a: "<@{x}>"\nb: [ "@{x}" ]\n' }, variables);
        if (problemsOf(() => valuesFor(demo, { x: value })).length > 0) return;
        const { content } = rendered('app.yaml', 'a: "<@{x}>"\nb: [ "@{x}" ]\n', variables, { x: value });
        expect(parse(content)).toEqual({ a: `<${value}>`, b: [value] });
      }),
      { numRuns: 300 },
    );
  });

  test('is no variable of compose in a compose file, and nothing but itself elsewhere', () => {
    const content = 'services: {app: {image: "a:@{x}", command: "${OWN} $$HOME"}}\n';
    expect(rendered('compose.yaml', content, [text('x')], { x: '${HOME}$$' }).content).toBe(
      'services: {app: {image: "a:$${HOME}$$$$", command: "${OWN} $$HOME"}}\n',
    );
    expect(rendered('app.json', '{"x": "@{x}"}', [text('x')], { x: '${HOME}' }).content).toBe(
      '{"x": "${HOME}"}',
    );
  });

  test('is a number where the author tags it so', () => {
    const demo = rendered('app.yaml', 'n: !!int "@{n}"\n', [{ name: 'n', type: 'integer' }], {
      n: '07'.slice(1),
    });
    expect(demo.content).toBe('n: !!int "7"\n');
    expect(parse(demo.content, { schema: 'core' })).toEqual({ n: 7 });
  });

  test('leaves all that is not its own as the author wrote it', () => {
    const content =
      '# about @{x}\na:   1 # odd\nb: "@{x}"  # kept\n\nc: { d: [ 1,2 ] }\nmail: "me@{}{x} you@@{x}"\n';
    expect(rendered('app.yaml', content, [text('x')], { x: 'v' }).content).toBe(
      '# about @{x}\na:   1 # odd\nb: "v"  # kept\n\nc: { d: [ 1,2 ] }\nmail: "me@{x} you@v"\n',
    );
  });

  test('that is secret is masked where it is shown', () => {
    const file = rendered(
      'app.yaml',
      'a: "@{user}:@{password}"\n',
      [text('user'), { name: 'password', type: 'secret' }],
      { user: 'me', password: 'pass"word\n1' },
    );
    expect(file).toMatchObject({
      content: 'a: "me:pass\\"word\\n1"\n',
      shown: `a: "me:${MASK}"\n`,
      secret: true,
    });
  });
});

describe('a value in another file', () => {
  test('is written as it is, where it is harmless', () => {
    const { content } = rendered(
      'Caddyfile',
      ':@{port} {\n  respond "$x {env.Y}"\n}\n',
      [{ name: 'port', type: 'port' }],
      {
        port: 8080,
      },
    );
    expect(content).toBe(':8080 {\n  respond "$x {env.Y}"\n}\n');
  });

  test.each(HOSTILE.filter((each) => each !== '' && !/^(null|yes|0x10|1e3|~)$/.test(each)))(
    'is refused where it could mean more: %j',
    (value) => {
      expect(problemsOf(() => rendered('app.conf', 'x = @{x}\n', [text('x')], { x: value }))).toEqual([
        '/variables/x In app.conf, which is neither YAML nor JSON, a value has only letters, digits and ._~:/@%+=,- .',
      ]);
    },
  );
});

describe('a template is checked', () => {
  const checked = (files: Readonly<Record<string, string>>, variables: readonly RawVariable[] = []) =>
    problemsOf(() => renderer.check(template(files, variables)));

  test.each<[string, Readonly<Record<string, string>>, string]>([
    [
      'an unknown variable',
      { 'a.yaml': 'x: 1\ny: "@{nope}"\n' },
      '/files/a.yaml Line 2: there is no variable named nope.',
    ],
    ['an unknown one in a plain file', { a: '@{nope}' }, '/files/a Line 1: there is no variable named nope.'],
    [
      'a place in the name of an entry',
      { 'a.yaml': '"@{x}": 1\n' },
      '/files/a.yaml Line 1: a placeholder can be in a value, not in the name of an entry.',
    ],
    [
      'what is no placeholder',
      { a: 'x\n@{Not A Name}' },
      '/files/a Line 2: "@{Not A Name}" is not a placeholder: write @{name} for a variable, and @{} for a literal @ before a brace.',
    ],
    [
      'one that does not end',
      { 'a.yaml': 'x: "@{x"\n' },
      '/files/a.yaml Line 1: "@{x" is not a placeholder: write @{name} for a variable, and @{} for a literal @ before a brace.',
    ],
    [
      'a value that YAML cannot begin so',
      { 'a.yaml': 'x: @{x}\n' },
      '/files/a.yaml Plain value cannot start with reserved character @ at line 1, column 4.',
    ],
    ['two documents', { 'a.yaml': 'a: 1\n---\nb: 1\n' }, '/files/a.yaml It must be a single YAML document.'],
    [
      'a key that is there twice',
      { 'a.yaml': 'a: 1\na: 2\n' },
      '/files/a.yaml Map keys must be unique at line 2, column 1.',
    ],
    [
      'a map for a name',
      { 'a.yaml': '? {a: 1}\n: b\n' },
      '/files/a.yaml The name of an entry is a list or a map.',
    ],
  ])('%s', (_, files, problem) => expect(checked(files)).toEqual([problem]));

  test('a variable that no file uses', () =>
    expect(checked({}, [text('idle')])).toEqual(['/variables/0 No file uses the variable idle.']));
});

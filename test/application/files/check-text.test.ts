import { describe, expect, test } from 'vitest';
import { EemeliYamlText } from '../../../src/adapters/outbound/system/eemeli-yaml-text.ts';
import { CheckText } from '../../../src/application/files/check-text.ts';

const check = new CheckText({ yaml: new EemeliYamlText() });

describe('What programs could not read in a text', () => {
  test.each([
    ['compose.yaml', 'services:\n  app:\n   image: x\n  - y\n', 4],
    ['compose.YML', 'a: 1\na: 2\n', 2],
    ['x.yaml', 'a: "open\n', 2],
    ['x.yaml', 'a: 1\n---\nb: [\n', 4],
    ['x.json', '{\n  "a": 1,\n}\n', 3],
    ['x.json', '{"a": 1', 1],
    ['x.json', 'no', 1],
  ])('is found with its line (%s, %j)', (name, text, line) => {
    expect(check.execute(name, text)).toMatchObject({
      line,
      message: expect.stringMatching(/^[^\n]{4,120}$/),
    });
  });

  test.each([
    [
      'x.yaml',
      'a: !vault |\n  x\n---\nb: *missing-is-up-to-the-program\n'.replace(
        '*missing-is-up-to-the-program',
        '1',
      ),
    ],
    ['x.yaml', ''],
    ['x.json', '[1, 2]'],
    ['x.json', ''],
    ['nginx.conf', 'events {'],
    ['noending', '{'],
  ])('is nothing in a valid text, and in one of another format (%s)', (name, text) => {
    expect(check.execute(name, text)).toBeNull();
  });
});

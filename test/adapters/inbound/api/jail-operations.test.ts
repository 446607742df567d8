import { describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../../../src/adapters/inbound/api/catalogue.ts';

/** Everything that a token can do to files, with all that it may say about it. */
const FILE_OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  list_files: ['server_id', 'p', 'limit', 'offset'],
  read_file: ['server_id', 'p', 'offset', 'length', 'from_line', 'to_line', 'last_lines'],
  write_file: ['server_id', 'p', 'name', 'text', 'if_match'],
  mkdir: ['server_id', 'p', 'name'],
  rename_file: ['server_id', 'p', 'src', 'dest'],
  delete_file: ['server_id', 'p'],
  upload_file: ['server_id', 'p', 'if_match'],
  download_file: ['server_id', 'p'],
};

/** Operations for a user in front of a browser, or for an operator, under any name. */
const PRIVILEGED =
  /chmod|chown|mode|owner|recurs|force|zip|archive|\btar\b|extract|privileg|sudo|become|jail|deny|follow|symlink/;

describe('what tokens can do to files', () => {
  it('is these operations, and they are all that ask for the scope', () => {
    const found = CATALOGUE.filter(({ scope, group }) => scope === 'files' || group === 'Files');
    expect(found.map(({ name }) => name).sort()).toEqual(Object.keys(FILE_OPERATIONS).sort());
    expect(new Set(found.map(({ scope }) => scope))).toEqual(new Set(['files']));
  });

  it.each(Object.entries(FILE_OPERATIONS))('%s takes %j', (name, fields) => {
    const entry = CATALOGUE.find((each) => each.name === name);
    expect(Object.keys(entry?.input.shape ?? {})).toEqual(fields);
  });

  it.each(CATALOGUE.map((entry) => [entry.name, entry] as const))(
    '%s changes no permissions, deletes no trees, packs nothing and moves no jail',
    (name, { input, routes }) => {
      const words = [name, ...Object.keys(input.shape), ...routes.map(({ path }) => path)];
      expect(words.filter((word) => PRIVILEGED.test(word))).toEqual([]);
    },
  );
});

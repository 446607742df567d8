import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  columns,
  flag,
  hostWritten,
  int,
  json,
  listOrNull,
  named,
  nullable,
  orElse,
  orNull,
  shortText,
  text,
} from '../../../../../src/adapters/outbound/storage/sql/tables/columns.ts';

const THINGS = columns({
  id: int,
  serverName: shortText,
  manifestSha256: orNull(text),
  enabled: flag,
  tags: json(z.array(z.string())),
  denied: listOrNull(z.array(z.string())),
  note: orNull(hostWritten),
  address: { hostname: text, sshPort: int },
  check: nullable({
    at: named('checked_at', int),
    files: named('check_files', orElse(int, 0)),
    detail: named('check_detail', orNull(text)),
  }),
});

const ROW = {
  id: 1,
  server_name: 'web',
  manifest_sha256: null,
  enabled: 1,
  tags: '["a"]',
  denied: null,
  note: 'fine',
  hostname: 'web.example',
  ssh_port: 22,
  checked_at: 5,
  check_files: null,
  check_detail: null,
};
const THING = {
  id: 1,
  serverName: 'web',
  manifestSha256: null,
  enabled: true,
  tags: ['a'],
  denied: [],
  note: 'fine',
  address: { hostname: 'web.example', sshPort: 22 },
  check: { at: 5, files: 0, detail: null },
};

describe('columns', () => {
  it('are named for their properties, those of groups among them', () => {
    expect(THINGS.names).toEqual(Object.keys(ROW));
  });

  it('read a row into an entity', () => {
    expect(THINGS.read(ROW)).toEqual(THING);
  });

  it('write an entity as the row that they read', () => {
    expect(THINGS.write(THING)).toEqual({ ...ROW, check_files: 0 });
  });

  it('read a group as null if one of its columns is that should not be', () => {
    expect(THINGS.read({ ...ROW, checked_at: null }).check).toBeNull();
  });

  it('write a group that is null as null columns', () => {
    expect(THINGS.write({ check: null })).toEqual({
      checked_at: null,
      check_files: null,
      check_detail: null,
    });
  });

  it('leave out what is undefined or not theirs', () => {
    const given = { enabled: false, serverName: undefined, secret: 'x' };
    expect(THINGS.write(given)).toEqual({ enabled: 0 });
  });

  it('cut text to the length of its column', () => {
    expect(THINGS.write({ serverName: 'x'.repeat(300) })).toEqual({ server_name: 'x'.repeat(255) });
  });

  it('clean what a host may have written', () => {
    expect(THINGS.read({ ...ROW, note: 'a\u202Eb' }).note).not.toContain('\u202E');
  });

  it('refuse JSON that does not fit', () => {
    expect(() => THINGS.read({ ...ROW, tags: '{}' })).toThrow(z.ZodError);
  });
});

import { describe, expect, it } from 'vitest';
import { Crc64, formatOf } from '../../../../../src/adapters/outbound/backup/dumps/dump-formats.ts';
import { DUMP_KINDS, type DumpKind } from '../../../../../src/domain/backups/dump.ts';
import { bson, mongoArchive, prelude, segment, TERMINATOR } from '../../../../support/mongo-archive.ts';

/** Passed in pieces of this size. */
function judged(kind: DumpKind, content: Buffer, piece = 7): { fault: string | null; passed: Buffer } {
  const format = formatOf(kind);
  const passed: Buffer[] = [];
  for (let at = 0; at < content.length; at += piece)
    passed.push(format.pass(content.subarray(at, at + piece)));
  const { rest, fault } = format.end();
  return { fault, passed: Buffer.concat([...passed, rest]) };
}

const POSTGRES = Buffer.from(
  `--\n-- PostgreSQL database dump\n--\n\nSELECT 1;\n${'COPY x;\n'.repeat(500)}--\n-- PostgreSQL database dump complete\n--\n\n`,
);
const MYSQL = Buffer.from(
  `-- MariaDB dump\n${'INSERT;\n'.repeat(500)}-- Dump completed on 2026-11-22 21:00:00\n`,
);

function sqlite(pages: number, told = pages): Buffer {
  const file = Buffer.alloc(pages * 4_096);
  file.write('SQLite format 3\0', 'latin1');
  file.writeUInt16BE(4_096, 16);
  file.writeUInt32BE(told, 28);
  return file;
}

function rdb({ checksum = true, mark = '' } = {}): Buffer {
  const body = Buffer.concat([Buffer.from('REDIS0011'), Buffer.alloc(300, 0x61), Buffer.of(0xff)]);
  const crc = new Crc64();
  crc.update(body);
  const sum = Buffer.alloc(8);
  if (checksum) sum.writeBigUInt64LE(crc.value);
  return Buffer.concat([body, sum, Buffer.from(mark)]);
}

const WHOLE: Readonly<Record<DumpKind, Buffer>> = {
  postgres: POSTGRES,
  mysql: MYSQL,
  sqlite: sqlite(3),
  redis: rdb(),
  mongodb: mongoArchive(),
};

describe('the end of a dump', () => {
  it.each(DUMP_KINDS)('is known of %s, in pieces of any size', (kind) => {
    const content = WHOLE[kind];
    for (const piece of [1, 7, 100, 5_000, content.length]) {
      const { fault, passed } = judged(kind, content, piece);
      expect({ piece, fault }).toEqual({ piece, fault: null });
      expect(passed.equals(content)).toBe(true);
    }
  });

  it.each(DUMP_KINDS)('is missed of %s wherever it is cut, and if it never started', (kind) => {
    const content = WHOLE[kind];
    // the blank lines at the end of PostgreSQL's may go
    const last = kind === 'postgres' ? content.length - 6 : content.length;
    const step = content.length > 2_000 ? 97 : 1;
    for (let size = last - 1; size >= 0; size -= step) {
      expect({ size, fault: judged(kind, content.subarray(0, size), 1_000).fault }).not.toEqual({
        size,
        fault: null,
      });
    }
    expect(judged(kind, Buffer.alloc(0)).fault).not.toBeNull();
  });

  it.each(DUMP_KINDS)('is missed of %s where something else follows it', (kind) => {
    for (const more of ['mysqldump: Error 2013: Lost connection\n', '\0', 'ERROR\n\n']) {
      expect(judged(kind, Buffer.concat([WHOLE[kind], Buffer.from(more)])).fault).not.toBeNull();
    }
  });

  it.each(DUMP_KINDS)('is missed of %s in bytes that mean nothing, quickly', (kind) => {
    for (const byte of [0, 0x2d, 0x0a, 0x7f, 0xff]) {
      expect(judged(kind, Buffer.alloc(2 * 1024 * 1024, byte), 65_536).fault).not.toBeNull();
    }
  });

  it('may be followed by the token of a newer pg_dump', () => {
    const newer = Buffer.concat([POSTGRES, Buffer.from('\\unrestrict aBc123\n\n')]);
    expect(judged('postgres', newer).fault).toBeNull();
    expect(judged('postgres', Buffer.concat([POSTGRES, Buffer.from('\\! id\n')])).fault).not.toBeNull();
  });

  it('is not what a database file says that lacks pages', () => {
    expect(judged('sqlite', sqlite(3, 4)).fault).not.toBeNull();
    expect(judged('sqlite', sqlite(4, 3)).fault).not.toBeNull();
  });

  it('of Redis has the checksum of its content, and loses the mark of the connection', () => {
    const crc = new Crc64();
    crc.update(Buffer.from('123456789'));
    expect(crc.value).toBe(0xe9c6d914c4b8d9can);
    expect(judged('redis', rdb({ checksum: false })).fault).toBeNull();
    const marked = judged('redis', rdb({ mark: '0123456789abcdef'.repeat(2) + '01234567' }), 11);
    expect(marked).toEqual({ fault: null, passed: rdb() });
    const flipped = Buffer.from(rdb());
    flipped[50] = 0x62;
    expect(judged('redis', flipped).fault).not.toBeNull();
  });

  it('of MongoDB is that of every collection in it', () => {
    const unfinished = Buffer.concat([prelude, segment('notes', false, [bson({ _id: 1 })])]);
    expect(judged('mongodb', unfinished).fault).not.toBeNull();
    const crossed = Buffer.concat([unfinished, segment('other', true)]);
    expect(judged('mongodb', crossed).fault).not.toBeNull();
    expect(judged('mongodb', Buffer.concat([crossed, segment('notes', true)])).fault).toBeNull();
    expect(judged('mongodb', prelude).fault).toBeNull();
    expect(judged('mongodb', Buffer.concat([prelude, TERMINATOR])).fault).not.toBeNull();
    const lying = Buffer.concat([prelude, Buffer.from('ffffff7f', 'hex')]);
    expect(judged('mongodb', lying).fault).not.toBeNull();
  });
});

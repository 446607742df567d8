import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ByteString } from '../../../../src/adapters/outbound/backup/byte-string.ts';
import { excludePatterns } from '../../../../src/adapters/outbound/backup/exclude-rules.ts';
import { RsyncComplaints, readable } from '../../../../src/adapters/outbound/backup/rsync-complaints.ts';
import { RsyncOutput, readLines } from '../../../../src/adapters/outbound/backup/rsync-lines.ts';
import { outcomeOf } from '../../../../src/adapters/outbound/backup/rsync-outcome.ts';
import { isDomainError } from '../../../../src/domain/base/errors.ts';

const ended = (exitCode: number | null, remote: number | null = exitCode) => ({
  exitCode,
  remote: remote === null ? null : { exitCode: remote, signal: null },
});

const complaintsOf = (...lines: string[]): RsyncComplaints => {
  const complaints = new RsyncComplaints();
  for (const line of lines) complaints.line(line);
  return complaints;
};

const refused = (work: () => unknown): string => {
  try {
    work();
    return 'nothing';
  } catch (error) {
    return isDomainError(error) ? `${error.code}: ${error.message}` : String(error);
  }
};

describe('lines of a stream', () => {
  const linesOf = async (...chunks: string[]): Promise<string[]> => {
    const lines: string[] = [];
    await readLines(Readable.from(chunks.map((chunk) => Buffer.from(chunk, 'latin1'))), (line) =>
      lines.push(line),
    );
    return lines;
  };

  it('end in a line feed or a carriage return, or with the stream', async () => {
    expect(await linesOf('a\rb\nc\r\n', 'd', 'e\n', 'f')).toEqual(['a', 'b', 'c', 'de', 'f']);
  });

  it('are cut if they have no end', async () => {
    const lines = await linesOf(...Array.from({ length: 100 }, () => 'x'.repeat(10_000)));
    expect(lines).toHaveLength(1);
    expect(lines[0]?.length).toBeLessThan(70_000);
  });

  it('are given up with a stream that breaks', async () => {
    const lines: string[] = [];
    const broken = new Readable({ read: () => undefined });
    broken.push('one\ntwo');
    const reading = readLines(broken, (line) => lines.push(line));
    setImmediate(() => broken.destroy(new Error('cut')));
    await reading;
    expect(lines).toContain('one');
  });
});

describe("rsync's statistics", () => {
  const printed = `
Number of files: 9 (reg: 4, dir: 3, link: 1, special: 1)
Number of created files: 5 (reg: 2, dir: 2, link: 1)
Number of deleted files: 0
Number of regular files transferred: 2
Total file size: 1234567 bytes
Total transferred file size: 34567 bytes
Literal data: 4567 bytes
Matched data: 30000 bytes
`;

  it('are read from what it prints', () => {
    const output = new RsyncOutput();
    for (const line of printed.split('\n')) output.line(line);
    expect(output.stats()).toEqual({
      files: 6,
      regularFiles: 4,
      directories: 3,
      created: 3,
      transferredFiles: 2,
      totalBytes: 1_234_567,
      transferredBytes: 34_567,
      literalBytes: 4_567,
    });
  });

  it('are not there when it broke off', () => {
    const output = new RsyncOutput();
    output.line('Number of files: 9 (reg: 4, dir: 3)');
    expect(output.stats()).toBeNull();
  });

  it('come with progress', () => {
    const told: number[] = [];
    const output = new RsyncOutput((bytes) => told.push(bytes));
    output.line('         32768  12%   31.25MB/s    0:00:00  ');
    output.line('      52428800 100%  178.29MB/s    0:00:00 (xfr#1, to-chk=0/4)');
    output.line('100% of this is no progress');
    expect(told).toEqual([32_768, 52_428_800]);
  });
});

describe("rsync's complaints", () => {
  it('are counted, and the first ones are kept', () => {
    const complaints = complaintsOf(
      ...Array.from({ length: 7 }, (_, index) => `file has vanished: "/srv/f${index}"`),
      'directory has vanished: "/srv/d"',
      'rsync: [sender] send_files failed to open "/srv/secret": Permission denied (13)',
      'IO error encountered -- skipping file deletion',
      'rsync error: some files/attrs were not transferred (see previous errors) (code 23) at main.c(1956)',
    );
    expect(complaints.vanishedCount).toBe(8);
    expect(complaints.vanished).toHaveLength(5);
    expect(complaints.faultCount).toBe(1);
    expect(complaints.text).toBe(
      'rsync: [sender] send_files failed to open "/srv/secret": Permission denied (13)',
    );
    expect(complaints.isFull).toBe(false);
  });

  it('say how it ended if there is nothing else', () => {
    expect(complaintsOf('rsync error: error in IPC code (code 14) at x.c(1)').text).toContain('code 14');
    expect(complaintsOf().text).toBe('no output');
  });

  it('tell a full disk from a file that is only called so', () => {
    const full = 'rsync: [receiver] write failed on "/store/x": No space left on device (28)';
    const quota = 'rsync: [generator] recv_generator: mkdir "/store/x" failed: Disk quota exceeded (122)';
    const named =
      'rsync: [sender] send_files failed to open "/No space left on device (28)": Permission denied (13)';
    expect(complaintsOf(full).isFull).toBe(true);
    expect(complaintsOf(quota).isFull).toBe(true);
    expect(complaintsOf(named).isFull).toBe(false);
  });

  it('tell attributes that a file system does not take from other faults', () => {
    const { attributeCount, faultCount } = complaintsOf(
      'rsync: [receiver] rsync_xal_set: fsetxattr("/store/.f.TVLXvL","user.o") failed: Operation not supported (95)',
      'rsync: [receiver] set_acl: xacl_set(.f.TVLXvL, ACL_TYPE_ACCESS): Operation not supported (95)',
      'rsync: [sender] send_files failed to open "/srv/secret": Permission denied (13)',
    );
    expect({ attributeCount, faultCount }).toEqual({ attributeCount: 2, faultCount: 3 });
  });

  it('take a file that went while its attributes were read for an unsteady one', () => {
    const gone =
      'rsync: [sender] get_xattr_names: llistxattr("/srv/x",1024) failed: No such file or directory (2)';
    expect(complaintsOf(gone).unsteadyCount).toBe(1);
    expect(
      complaintsOf('rsync: [sender] link_stat "/srv/x" failed: No such file or directory (2)').unsteadyCount,
    ).toBe(0);
  });

  it('name files as they are, on one line', () => {
    expect(readable('"/gr\\#303\\#274n/new\\#012line/\\#377"')).not.toContain('\n');
    expect(readable('"/gr\\#303\\#274n"')).toBe('"/grün"');
    expect(readable('"new\\#012line"')).toBe('"new\\nline"');
    expect(readable('x'.repeat(1_000)).length).toBeLessThan(500);
  });
});

describe('how rsync ended', () => {
  it('is whole, whole but for vanished files, partial, or for want of room', () => {
    expect(outcomeOf(ended(0), complaintsOf())).toBe('complete');
    expect(outcomeOf(ended(24), complaintsOf())).toBe('vanished');
    expect(outcomeOf(ended(23), complaintsOf())).toBe('partial');
    expect(outcomeOf(ended(11), complaintsOf('write failed on "x": No space left on device (28)'))).toBe(
      'full',
    );
  });

  it('reports what is missing where', () => {
    expect(refused(() => outcomeOf(ended(127, null), complaintsOf()))).toMatch(
      /^host_tool_missing: "rsync" is not installed on the machine that the service runs on/,
    );
    expect(refused(() => outcomeOf(ended(127), complaintsOf()))).toMatch(
      /^host_tool_missing: rsync is not installed on the host/,
    );
  });

  it.each([
    [12, 255, 'code 12, on the host with 255'],
    [30, 0, 'the host sent nothing'],
    [22, 22, 'out of memory'],
    [null, 0, 'a signal'],
  ])('says what broke off: %s', (code, remote, words) => {
    const said = refused(() =>
      outcomeOf(ended(code, remote), complaintsOf('rsync: connection unexpectedly closed')),
    );
    expect(said).toMatch(/^backup_failed: rsync ended with /);
    expect(said).toContain(words);
  });
});

describe('exclude patterns', () => {
  const of = (change: Partial<Parameters<typeof excludePatterns>[0]>): readonly string[] =>
    excludePatterns({ patterns: [], roots: [], moved: [], store: null, ...change });
  const moved = (from: string, to: string) => [{ from, to: to as ByteString }];

  it("are the source's own", () => {
    expect(of({ patterns: ['*.tmp', '/srv/cache', '+ odd', '!'] })).toEqual([
      '*.tmp',
      '/srv/cache',
      '+ odd',
      '!',
    ]);
  });

  it('follow a path that is read under its real name', () => {
    const patterns = ['/home/ann/.cache', '/home/annette', '/home/ann', '*.tmp', '/home/*/x'];
    expect(of({ patterns, moved: moved('/home/ann', '/data/ann') }).slice(patterns.length)).toEqual([
      '/data/ann/.cache',
      '/data/ann',
    ]);
  });

  it('take the real name literally where the pattern has wildcards', () => {
    expect(of({ patterns: ['/a/*.tmp'], moved: moved('/a', '/b[1]\\x') }).at(-1)).toBe('/b\\[1]\\\\x/*.tmp');
    expect(of({ patterns: ['/a/plain'], moved: moved('/a', '/b\\x') }).at(-1)).toBe('/b\\x/plain');
    expect(of({ patterns: ['/a/plain'], moved: moved('/a', '/b\xff') }).at(-1)).toBe('/b?/plain');
  });

  it('leave out the store where the host has it, and what the kernel makes up where all is read', () => {
    expect(of({ store: '/var/lib/drover/backups' })).toEqual(['/var/lib/drover/backups']);
    expect(of({ store: '/var/[x]' })).toEqual(['/var/\\[x]']);
    expect(of({ roots: ['/' as ByteString] })).toEqual(['/proc/*', '/sys/*', '/dev/*', '/run/*']);
  });
});

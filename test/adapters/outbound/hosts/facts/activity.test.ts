import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { ACTIVITY, readActivity } from '../../../../../src/adapters/outbound/hosts/facts/activity.ts';
import {
  readSections,
  SECTIONS_PRELUDE,
} from '../../../../../src/adapters/outbound/hosts/shell/marked-sections.ts';
import { RECORDED_MARK, sectionsOf } from './recorded-host.ts';

const read = (sections: Record<string, string>) => readActivity(sectionsOf(sections), 'boot');

describe('What a host has transferred', () => {
  test('is the sum of its network cards and disks, with its swap', () => {
    expect(
      read({
        network: '100 200\n1 2\n',
        'disk-io': '10 0\n0 3\n',
        memory: 'MemTotal: 1000 kB\nSwapTotal: 100 kB\nSwapFree: 40 kB\n',
      }),
    ).toEqual({
      bootId: 'boot',
      receivedBytes: 101,
      sentBytes: 202,
      readBytes: 5_120,
      writtenBytes: 1_536,
      swapTotalBytes: 102_400,
      swapUsedBytes: 61_440,
    });
  });

  test.each(['', '\n', '1', '1 -2', 'a b', '1 2\nx', '9007199254740991 1\n1 1', '1e3 1'])(
    'is unknown, not zero, if it is unclear (%j)',
    (text) => {
      expect(read({ network: text, 'disk-io': text }).receivedBytes).toBeNull();
      expect(read({ network: text, 'disk-io': text }).readBytes).toBeNull();
    },
  );

  test.each(['sh', 'bash'])('is read by %s', (shell) => {
    const script = `${SECTIONS_PRELUDE}${ACTIVITY}kind=none\nactivity\n`;
    const output = execFileSync(shell, ['-c', script, shell, RECORDED_MARK], { encoding: 'utf8' });
    const sections = readSections(output, RECORDED_MARK);
    expect([...sections.keys()]).toEqual(['network', 'disk-io']);
    for (const { text } of sections.values()) expect(text).toMatch(/^(?:\d+ \d+\n)*\n?$/);
  });
});

import { expect, it } from 'vitest';
import { readFixes } from '../../../../../src/adapters/outbound/hosts/state/reported-fixes.ts';

const installed = [{ name: 'a', version: '1-1', source: 'a', sourceVersion: '1-1' }];
const read = (text: string, exitCode = 0) =>
  readFixes(new Map([['state-fixes', { text, exitCode }]]), installed);

it('keeps only fixes of installed versions, by the rules of rpm', () => {
  const lines = [
    'ALSA-1 a 0:1-2 CVE-2024-0001,CVE-2024-0002',
    'ALSA-2 a 0:1-1 CVE-2024-0003',
    'ALSA-3 a 0:1~rc1-9 CVE-2024-0004',
    'ALSA-4 other 0:2-1 CVE-2024-0005',
    '../../etc a 0:2-1 CVE-2024-0006',
    'ALSA-5 a 0:2-1 CVE-2024-1',
    'ALSA-6 a 0:2-1 <script>',
    'ALSA-7 a',
  ];
  expect(read(lines.join('\n'))?.map(({ advisory, cve, fixed }) => [advisory, cve, fixed])).toEqual([
    ['ALSA-1', 'CVE-2024-0001', '1-2'],
    ['ALSA-1', 'CVE-2024-0002', '1-2'],
  ]);
});

it('says nothing of a list that was cut, or is missing', () => {
  expect(read('ALSA-1 a 0:1-2 CVE-2024-0001', 141)).toBeNull();
  expect(readFixes(new Map(), installed)).toBeNull();
  expect(readFixes(new Map([['state-fixes', { text: '', exitCode: 0 }]]), null)).toBeNull();
  expect(read('')).toEqual([]);
});

it('keeps no more than can be stored, whatever a host reports', () => {
  const cves = Array.from({ length: 1_000 }, (_, n) => `CVE-2024-${10_000 + n}`).join(',');
  const text = Array.from({ length: 50 }, (_, n) => `ALSA-${n} a 0:2-1 ${cves}`).join('\n');
  expect(read(text)).toHaveLength(20_000);
});

it('compares with a few versions of a package, however many a host says that it has', () => {
  const many = Array.from({ length: 20_000 }, (_, n) => {
    const version = `2.${n}-1`;
    return { name: 'a', version, source: 'a', sourceVersion: version };
  });
  const text = Array.from({ length: 20_000 }, (_, n) => `ALSA-${n} a 0:1-1 CVE-2024-0001`).join('\n');
  const newest = `${text.slice(0, text.lastIndexOf('\n'))}\nALSA-X a 0:3-1 CVE-2024-0001`;
  expect(readFixes(new Map([['state-fixes', { text: newest, exitCode: 0 }]]), many)).toHaveLength(10);
});

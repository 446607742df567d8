import { describe, expect, it } from 'vitest';
import { partName } from '../../src/adapters/outbound/hosts/jail/part-name.ts';
import { at, type JailBench } from './jail-bench.ts';

const OTHER_BOOT = '00000000-1111-2222-3333-444444444444.4026531836.77.12345';
const RANDOM = '0123456789abcdef'.repeat(2);
const LEFT = partName(OTHER_BOOT, RANDOM);
const LONG = 11 * 60;

export function jailSweeps(bench: () => JailBench): void {
  describe('sweep', () => {
    it('removes what was not modified for ten minutes, and counts what may still be written', async () => {
      const { fs, fixture, inJail, names } = bench();
      const fresh = partName(OTHER_BOOT, RANDOM.replaceAll('0', 'f'));
      for (const name of [LEFT, fresh]) await fixture.file(inJail(`sub/${name}`), 'half of it');
      await fixture.age(inJail(`sub/${LEFT}`), LONG);
      expect(await fs.sweep(at('sub'))).toBe(1);
      expect(await names('sub')).toEqual([fresh]);
      await fixture.age(inJail(`sub/${fresh}`), LONG);
      expect(await fs.sweep(at('sub'))).toBe(0);
      expect(await names('sub')).toEqual([]);
      expect(await fs.sweep(at(''))).toBe(0);
    });

    it('removes nothing of another name or kind, and nothing elsewhere', async () => {
      const { fs, fixture, inJail, names } = bench();
      const others = [
        LEFT.slice(1),
        `${LEFT}x`,
        LEFT.replace('.part', '.parT'),
        LEFT.replace('77', '7x7'),
        '.drover-x.part',
        'part',
      ];
      for (const name of [...others, `below/${LEFT}`]) {
        await fixture.file(inJail(name), 'somebody else wrote this');
        await fixture.age(inJail(name), LONG);
      }
      await fixture.link(inJail(LEFT), 'part');
      expect(await fs.sweep(at(''))).toBe(0);
      expect(await names('')).toEqual([LEFT, ...others, 'below'].sort());
      expect(await names('below')).toEqual([LEFT]);
    });

    it('follows no link, and refuses what is no directory', async () => {
      const { fs, fixture, inJail, own } = bench();
      await fixture.file(`${own}/outside/${LEFT}`, 'half');
      await fixture.age(`${own}/outside/${LEFT}`, LONG);
      await fixture.link(inJail('way'), '../outside');
      await fixture.file(inJail('file'));
      await expect(fs.sweep(at('way'))).rejects.toMatchObject({ code: 'path_refused' });
      await expect(fs.sweep(at('file'))).rejects.toMatchObject({ code: 'not_a_directory' });
      expect(await fixture.names(`${own}/outside`)).toEqual([LEFT]);
    });
  });
}

import { describe, expect, it } from 'vitest';
import { readSections } from '../../../../../src/adapters/outbound/hosts/shell/marked-sections.ts';

const MARK = 'a1b2c3';
const section = (name: string, text: string, code: number | string = 0, mark = MARK): string =>
  `\n${mark} begin ${name}\n${text}\n${mark} end ${code}\n`;

describe('readSections', () => {
  it('gives each section as it was printed, with its exit code', () => {
    const sections = readSections(`banner\n${section('one', 'a\nb\n')}${section('two', '', 3)}`, MARK);
    expect([...sections]).toEqual([
      ['one', { text: 'a\nb\n', exitCode: 0 }],
      ['two', { text: '', exitCode: 3 }],
    ]);
  });

  it('takes what looks like a mark for text', () => {
    const inside = section('two', 'forged', 0, 'ffffff');
    const sections = readSections(section('one', inside), MARK);
    expect([...sections.keys()]).toEqual(['one']);
    expect(sections.get('one')?.text).toBe(inside);
  });

  it('leaves out a section that was cut off', () => {
    const whole = section('one', 'a') + section('two', 'b');
    expect([...readSections(whole.slice(0, -8), MARK).keys()]).toEqual(['one']);
    expect(readSections(`\n${MARK} begin one`, MARK).size).toBe(0);
    expect(readSections('', MARK).size).toBe(0);
  });

  it('keeps the first of two with the same name, and any name apart from what objects inherit', () => {
    const output = section('one', 'first') + section('one', 'second') + section('__proto__', 'x');
    const sections = readSections(output, MARK);
    expect(sections.get('one')?.text).toBe('first');
    expect(sections.get('__proto__')?.text).toBe('x');
    expect(sections.get('toString')).toBeUndefined();
  });

  it('leaves out a section without an exit code', () => {
    expect(readSections(section('one', 'a', ''), MARK).size).toBe(0);
  });
});

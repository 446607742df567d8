import { describe, expect, it } from 'vitest';
import { readFailedUnits } from '../../../../../src/adapters/outbound/hosts/facts/shell-host-facts.ts';
import { MAX_FAILED_UNITS } from '../../../../../src/domain/fleet/inventory.ts';
import { sectionsOf } from './recorded-host.ts';

const read = (text: string, exitCode = 0) =>
  readFailedUnits(sectionsOf({ 'failed-units': { text, exitCode } }));

describe('The failed units of a host', () => {
  it('are read, with the bullets and columns that versions of systemd print', () => {
    const text = [
      '● nginx.service loaded failed failed A high performance web server',
      'srv-data.mount        loaded    failed failed /srv/data',
      'gone.service not-found failed failed gone.service',
      '',
    ].join('\n');
    expect(read(text)).toEqual([
      { name: 'nginx.service', description: 'A high performance web server' },
      { name: 'srv-data.mount', description: '/srv/data' },
      { name: 'gone.service', description: 'gone.service' },
    ]);
  });

  it('are unknown where systemd does not run or answer', () => {
    expect(read('', 1)).toBeNull();
    expect(readFailedUnits(new Map())).toBeNull();
    expect(read('')).toEqual([]);
  });

  it.each(["x';reboot;'.service", '$(reboot).service', '`id`.service', '\u001b[31mred.service', 'nothing'])(
    'are reported without a name that systemd does not allow: %j',
    (name) => {
      const [unit] = read(`${name} loaded failed failed Anything\n`) ?? [];
      expect(unit).toEqual({ name: 'unknown unit', description: expect.stringContaining('no unit') });
    },
  );

  it('are limited in number', () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `u${index}.service loaded failed failed x\n`);
    expect(read(lines.join(''))).toHaveLength(MAX_FAILED_UNITS);
  });
});

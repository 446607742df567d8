import { describe, expect, it } from 'vitest';
import { readDisks } from '../../../../../src/adapters/outbound/hosts/facts/disks.ts';
import { MAX_DISKS } from '../../../../../src/domain/fleet/inventory.ts';
import { sectionsOf } from './recorded-host.ts';

const read = (text: string) => readDisks(sectionsOf({ disks: text }));

describe('The disks of a host', () => {
  it('are read with their types, whatever their names hold', () => {
    const text = [
      'ext4 /dev/vda1 1000 400 500 45% /',
      'zfs tank 2000 0 2000 0% /tank',
      'vfat /dev/sdb1      300   100       200      34% /media/My Disk 100% full',
      'btrfs //weird device 50 25 25 50% /x',
      '',
    ].join('\n');
    expect(read(text)).toEqual([
      { mount: '/', filesystem: 'ext4', totalBytes: 1_024_000, usedBytes: 409_600 },
      { mount: '/tank', filesystem: 'zfs', totalBytes: 2_048_000, usedBytes: 0 },
      { mount: '/media/My Disk 100% full', filesystem: 'vfat', totalBytes: 307_200, usedBytes: 102_400 },
      { mount: '/x', filesystem: 'btrfs', totalBytes: 51_200, usedBytes: 25_600 },
    ]);
  });

  it('are left out where df did not answer', () => {
    expect(read('ext4 \nxfs df: /mnt: Input/output error\n')).toEqual([]);
  });

  it('use no more than there is', () => {
    expect(read('ext4 /dev/vda1 100 4000 -50 101% /\n')[0]).toMatchObject({ usedBytes: 102_400 });
  });

  it('are limited in number', () => {
    const rows = Array.from({ length: 5_000 }, (_, index) => `ext4 /dev/x 100 50 50 50% /mnt/${index}\n`);
    expect(read(rows.join(''))).toHaveLength(MAX_DISKS);
  });
});

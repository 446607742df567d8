import { describe, expect, test } from 'vitest';
import {
  locate,
  parseMounts,
  viewsOf,
} from '../../../../../src/adapters/outbound/hosts/protection/mount-table.ts';

/** As /proc/self/mountinfo of a machine that shows a data directory at other places. */
const MOUNTS = parseMounts(
  [
    '24 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
    '25 24 0:22 / /proc rw,nosuid - proc proc rw',
    '30 24 8:2 / /srv rw,relatime - ext4 /dev/sdb1 rw',
    '31 24 8:2 /drover/data /mnt/whole rw - ext4 /dev/sdb1 rw',
    '32 24 8:2 /drover/data/backups /mnt/a\\040part rw master:2 - ext4 /dev/sdb1 rw',
    '33 24 8:2 /drover /mnt/above rw - ext4 /dev/sdb1 rw',
    '34 24 8:1 /drover/data /mnt/other rw - ext4 /dev/sda1 rw',
    '35 24 8:2 /drover/data-2 /mnt/neighbour rw - ext4 /dev/sdb1 rw',
    'no mount at all',
  ].join('\n'),
);

describe('a place on a machine with mounts', () => {
  test('is found in the file system that has it', () => {
    expect(locate(MOUNTS, '/srv/drover/data')).toEqual({ device: '8:2', path: '/drover/data' });
    expect(locate(MOUNTS, '/srvx')).toEqual({ device: '8:1', path: '/srvx' });
    expect(locate(MOUNTS, '/mnt/whole/x')).toEqual({ device: '8:2', path: '/drover/data/x' });
    expect(locate(MOUNTS, '/')).toEqual({ device: '8:1', path: '/' });
    expect(locate([], '/srv')).toBeNull();
  });

  test('is seen at all places that show it or a part of it, and no others', () => {
    expect(viewsOf(MOUNTS, { device: '8:2', path: '/drover/data' })).toEqual([
      '/srv/drover/data',
      '/mnt/whole',
      '/mnt/a part',
      '/mnt/above/data',
    ]);
  });
});

import { isWithin } from '../base/path-within.ts';

/** What containers get of the host for other purposes than to keep data; it is not saved. */
const PLUMBING = [
  '/proc',
  '/sys',
  '/dev',
  '/run',
  '/var/run',
  '/usr',
  '/etc/localtime',
  '/etc/timezone',
  '/etc/hosts',
  '/etc/hostname',
  '/etc/resolv.conf',
  '/etc/machine-id',
];
export const isHostPlumbing = (path: string): boolean => PLUMBING.some((each) => isWithin(path, each));

/** Directories that belong to more than one project: never emptied to restore one. */
const SYSTEM = new Set([
  '/',
  '/bin',
  '/boot',
  '/etc',
  '/home',
  '/lib',
  '/lib64',
  '/media',
  '/mnt',
  '/opt',
  '/root',
  '/sbin',
  '/srv',
  '/tmp',
  '/var',
  '/var/lib',
  '/var/lib/docker',
  '/var/lib/docker/volumes',
  '/var/lib/containers',
  '/var/log',
  '/var/tmp',
]);
export const isSystemPlace = (path: string): boolean => SYSTEM.has(path);

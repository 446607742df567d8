import { OS_RELEASES } from './os-releases.ts';

/** A package on a host. */
export interface InstalledPackage {
  /** Without the architecture. */
  readonly name: string;
  readonly version: string;
  /** What it was built from, if the package manager says so; else the package itself. Security data of Debian, Ubuntu and Alpine names it. */
  readonly source: string;
  readonly sourceVersion: string;
}

/** A package of a server. */
export interface ServerPackage extends InstalledPackage {
  readonly serverId: number;
  readonly serverName: string;
  /** As `systemOf` writes it. */
  readonly system: string;
}

export const MAX_PACKAGES = 20_000;
/** Of names and versions, in characters. */
export const MAX_PACKAGE_TEXT = 200;
/** Of a system. */
const MAX_SYSTEM = 80;

const SAME_PACKAGES: ReadonlyMap<string, string> = new Map([['raspbian', 'debian']]);

const TITLES: Readonly<Record<string, string>> = {
  almalinux: 'AlmaLinux',
  alpine: 'Alpine',
  amzn: 'Amazon Linux',
  arch: 'Arch Linux',
  centos: 'CentOS',
  debian: 'Debian',
  fedora: 'Fedora',
  ol: 'Oracle Linux',
  'opensuse-leap': 'openSUSE Leap',
  'opensuse-tumbleweed': 'openSUSE Tumbleweed',
  rhel: 'RHEL',
  rocky: 'Rocky Linux',
  sles: 'SLES',
  ubuntu: 'Ubuntu',
};

/** `Ubuntu 24.04` of `ubuntu:24.04`: what the publisher calls the system. */
export function systemTitle(system: string): string {
  const [id = '', version = ''] = system.split(':');
  const title = Object.hasOwn(TITLES, id) ? TITLES[id] : id;
  return `${title} ${version}`.trim();
}

/** `debian:12`, `alpine:3.20`, `arch`: the releases of a distribution have separate packages. */
export function systemOf(osId: string | null, osVersion: string | null): string {
  const id = SAME_PACKAGES.get(osId ?? '') ?? osId ?? 'unknown';
  const parts = Object.hasOwn(OS_RELEASES, id) ? OS_RELEASES[id]?.parts : undefined;
  const version = osVersion?.split('.', parts ?? 4).join('.');
  return (version ? `${id}:${version}` : id).slice(0, MAX_SYSTEM);
}

import type { OsFamily } from '../../domain/fleet/inventory.ts';
import type { FeatureFlags } from '../../domain/fleet/server.ts';

const GIB = 1024 ** 3;

export interface System {
  readonly id: string;
  readonly family: OsFamily;
  readonly version: string;
  readonly pretty: string;
  readonly kernel: string;
  /** Whose packages it has. */
  readonly packages: 'debian' | 'ubuntu' | 'almalinux' | 'alpine';
}

const DEBIAN: System = {
  id: 'debian',
  family: 'debian',
  version: '12',
  pretty: 'Debian GNU/Linux 12 (bookworm)',
  kernel: '6.1.0-38-amd64',
  packages: 'debian',
};
const UBUNTU: System = {
  id: 'ubuntu',
  family: 'debian',
  version: '24.04',
  pretty: 'Ubuntu 24.04.1 LTS',
  kernel: '6.8.0-84-generic',
  packages: 'ubuntu',
};
const ALMA: System = {
  id: 'almalinux',
  family: 'fedora',
  version: '9.5',
  pretty: 'AlmaLinux 9.5 (Teal Serval)',
  kernel: '5.14.0-503.15.1.el9_5.x86_64',
  packages: 'almalinux',
};
const ALPINE: System = {
  id: 'alpine',
  family: 'alpine',
  version: '3.23.3',
  pretty: 'Alpine Linux v3.23',
  kernel: '6.18.3-0-lts',
  packages: 'alpine',
};
const RASPBIAN: System = {
  id: 'raspbian',
  family: 'debian',
  version: '12',
  pretty: 'Raspbian GNU/Linux 12 (bookworm)',
  kernel: '6.6.51+rpt-rpi-v8',
  packages: 'debian',
};

/** Servers of one kind, with properties for their purpose. */
export interface ServerKind {
  readonly name: string;
  readonly count: number;
  readonly system: System;
  readonly hardware: string;
  readonly arch: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  /** A second file system. */
  readonly data?: { readonly mount: string; readonly totalBytes: number; readonly usedBytes: number };
  readonly tags: readonly string[];
  readonly features: FeatureFlags;
  /** The paths to back up, by the source's name. */
  readonly sources: Readonly<Record<string, readonly string[]>>;
  /** The file root. */
  readonly jail?: string;
  /** Compose projects and the images of their services. */
  readonly stacks: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const ALL: FeatureFlags = { backup: true, os_patch: true, docker: true };
const PLAIN: FeatureFlags = { backup: true, os_patch: true, docker: false };

export const KINDS: readonly ServerKind[] = [
  {
    name: 'web',
    count: 12,
    system: DEBIAN,
    hardware: 'QEMU Standard PC',
    arch: 'x86_64',
    cores: 4,
    memoryBytes: 8 * GIB,
    diskBytes: 80 * GIB,
    tags: ['web', 'production'],
    features: ALL,
    sources: { etc: ['/etc'], www: ['/srv/www'] },
    jail: '/srv/www',
    stacks: { shop: { app: 'registry.example.org/shop:4.2', cache: 'redis:7' }, proxy: { caddy: 'caddy:2' } },
  },
  {
    name: 'db',
    count: 6,
    system: ALMA,
    hardware: 'Dell Inc. PowerEdge R650',
    arch: 'x86_64',
    cores: 16,
    memoryBytes: 128 * GIB,
    diskBytes: 1_800 * GIB,
    data: { mount: '/var/lib/mysql', totalBytes: 3_500 * GIB, usedBytes: 420 * GIB },
    tags: ['database', 'production'],
    features: PLAIN,
    sources: { etc: ['/etc'], dumps: ['/var/backups/mariadb'] },
    stacks: {},
  },
  {
    name: 'app',
    count: 14,
    system: UBUNTU,
    hardware: 'Amazon EC2 m6i.xlarge',
    arch: 'x86_64',
    cores: 4,
    memoryBytes: 16 * GIB,
    diskBytes: 120 * GIB,
    tags: ['app', 'production'],
    features: ALL,
    sources: { config: ['/etc', '/srv/compose'] },
    jail: '/srv/compose',
    stacks: { api: { api: 'registry.example.org/api:9', worker: 'registry.example.org/worker:9' } },
  },
  {
    name: 'stage',
    count: 6,
    system: UBUNTU,
    hardware: 'Amazon EC2 t3.medium',
    arch: 'x86_64',
    cores: 2,
    memoryBytes: 4 * GIB,
    diskBytes: 40 * GIB,
    tags: ['staging'],
    features: { backup: false, os_patch: true, docker: true },
    sources: {},
    stacks: { api: { api: 'registry.example.org/api:edge' } },
  },
  {
    name: 'mail',
    count: 2,
    system: DEBIAN,
    hardware: 'Hetzner vServer',
    arch: 'x86_64',
    cores: 4,
    memoryBytes: 8 * GIB,
    diskBytes: 160 * GIB,
    tags: ['mail', 'production'],
    features: PLAIN,
    sources: { etc: ['/etc'], mail: ['/var/vmail'] },
    stacks: {},
  },
  {
    name: 'nas',
    count: 3,
    system: DEBIAN,
    hardware: 'Supermicro X11SCL-F',
    arch: 'x86_64',
    cores: 8,
    memoryBytes: 64 * GIB,
    diskBytes: 24_000 * GIB,
    tags: ['storage', 'office'],
    features: PLAIN,
    sources: { shares: ['/srv/shares'] },
    jail: '/srv/shares',
    stacks: {},
  },
  {
    name: 'gate',
    count: 5,
    system: ALPINE,
    hardware: 'PC Engines apu4',
    arch: 'x86_64',
    cores: 4,
    memoryBytes: 4 * GIB,
    diskBytes: 16 * GIB,
    tags: ['network', 'office'],
    features: PLAIN,
    sources: { etc: ['/etc'] },
    stacks: {},
  },
  {
    name: 'pi',
    count: 8,
    system: RASPBIAN,
    hardware: 'Raspberry Pi 4 Model B Rev 1.5',
    arch: 'aarch64',
    cores: 4,
    memoryBytes: 4 * GIB,
    diskBytes: 64 * GIB,
    tags: ['branch'],
    features: { backup: false, os_patch: true, docker: false },
    sources: {},
    stacks: {},
  },
  {
    name: 'build',
    count: 4,
    system: UBUNTU,
    hardware: 'ASUS Pro WS W680-ACE',
    arch: 'x86_64',
    cores: 24,
    memoryBytes: 64 * GIB,
    diskBytes: 2_000 * GIB,
    tags: ['ci'],
    features: { backup: false, os_patch: true, docker: true },
    sources: {},
    stacks: { runner: { runner: 'gitea/act_runner:0.2' } },
  },
];

/** Name, current version, new version, whether it is a security fix. */
type Update = readonly [string, string, string, boolean];

/** Packages that are pending on some servers; each system has the same kinds of them at the same places. */
export const UPDATES: Readonly<Record<System['packages'], readonly Update[]>> = {
  debian: [
    ['openssl', '3.0.17-1~deb12u2', '3.0.18-1~deb12u1', true],
    ['libssl3', '3.0.17-1~deb12u2', '3.0.18-1~deb12u1', true],
    ['openssh-server', '1:9.2p1-2+deb12u6', '1:9.2p1-2+deb12u7', true],
    ['linux-image-amd64', '6.1.148-1', '6.1.153-1', true],
    ['curl', '7.88.1-10+deb12u12', '7.88.1-10+deb12u14', false],
    ['vim-common', '2:9.0.1378-2', '2:9.0.1378-2+deb12u2', false],
    ['systemd', '252.38-1~deb12u1', '252.39-1~deb12u1', false],
    ['tzdata', '2026a-0+deb12u1', '2026b-0+deb12u1', false],
    ['python3.11', '3.11.2-6+deb12u5', '3.11.2-6+deb12u6', false],
    ['nginx', '1.22.1-9+deb12u2', '1.22.1-9+deb12u3', false],
  ],
  ubuntu: [
    ['openssl', '3.0.13-0ubuntu3.5', '3.0.13-0ubuntu3.6', true],
    ['libssl3t64', '3.0.13-0ubuntu3.5', '3.0.13-0ubuntu3.6', true],
    ['openssh-server', '1:9.6p1-3ubuntu13.13', '1:9.6p1-3ubuntu13.14', true],
    ['linux-image-generic', '6.8.0-84.84', '6.8.0-85.85', true],
    ['curl', '8.5.0-2ubuntu10.5', '8.5.0-2ubuntu10.6', false],
    ['vim-common', '2:9.1.0016-1ubuntu7.8', '2:9.1.0016-1ubuntu7.9', false],
    ['systemd', '255.4-1ubuntu8.10', '255.4-1ubuntu8.11', false],
    ['tzdata', '2026a-0ubuntu0.24.04', '2026b-0ubuntu0.24.04', false],
    ['python3.12', '3.12.3-1ubuntu0.7', '3.12.3-1ubuntu0.8', false],
    ['nginx', '1.24.0-2ubuntu7.4', '1.24.0-2ubuntu7.5', false],
  ],
  almalinux: [
    ['openssl', '1:3.2.2-6.el9_5', '1:3.2.2-6.el9_5.1', true],
    ['openssl-libs', '1:3.2.2-6.el9_5', '1:3.2.2-6.el9_5.1', true],
    ['openssh-server', '8.7p1-43.el9', '8.7p1-45.el9', true],
    ['kernel', '5.14.0-503.15.1.el9_5', '5.14.0-503.23.1.el9_5', true],
    ['curl', '7.76.1-31.el9', '7.76.1-31.el9_5.1', false],
    ['vim-minimal', '2:8.2.2637-21.el9', '2:8.2.2637-22.el9', false],
    ['systemd', '252-46.el9_5.2', '252-46.el9_5.3', false],
    ['tzdata', '2026a-1.el9', '2026b-1.el9', false],
    ['python3', '3.9.21-1.el9_5', '3.9.21-2.el9_5', false],
    ['nginx', '2:1.20.1-20.el9', '2:1.20.1-22.el9', false],
  ],
  alpine: [
    ['openssl', '3.5.4-r0', '3.5.5-r0', true],
    ['libssl3', '3.5.4-r0', '3.5.5-r0', true],
    ['openssh-server', '10.2_p1-r0', '10.2_p1-r1', true],
    ['linux-lts', '6.18.3-r0', '6.18.4-r0', true],
    ['curl', '8.17.0-r0', '8.17.0-r1', false],
    ['vim', '9.1.1566-r0', '9.1.1566-r1', false],
    ['busybox', '1.37.0-r29', '1.37.0-r30', false],
    ['tzdata', '2026a-r0', '2026b-r0', false],
    ['python3', '3.12.12-r0', '3.12.12-r1', false],
    ['nginx', '1.28.0-r3', '1.28.0-r4', false],
  ],
};

/** The place of the kernel among them. */
const KERNEL = 3;

export const isKernel = ({ packages }: System, name: string): boolean =>
  name === UPDATES[packages][KERNEL]?.[0];

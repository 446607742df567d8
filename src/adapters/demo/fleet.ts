import type { OsFamily } from '../../domain/fleet/inventory.ts';
import type { FeatureFlags } from '../../domain/fleet/server.ts';

const GIB = 1024 ** 3;

interface System {
  readonly id: string;
  readonly family: OsFamily;
  readonly version: string;
  readonly pretty: string;
  readonly kernel: string;
}

const DEBIAN: System = {
  id: 'debian',
  family: 'debian',
  version: '12',
  pretty: 'Debian GNU/Linux 12 (bookworm)',
  kernel: '6.1.0-28-amd64',
};
const UBUNTU: System = {
  id: 'ubuntu',
  family: 'debian',
  version: '24.04',
  pretty: 'Ubuntu 24.04.1 LTS',
  kernel: '6.8.0-49-generic',
};
const ALMA: System = {
  id: 'almalinux',
  family: 'fedora',
  version: '9.5',
  pretty: 'AlmaLinux 9.5 (Teal Serval)',
  kernel: '5.14.0-503.15.1.el9_5.x86_64',
};
const ALPINE: System = {
  id: 'alpine',
  family: 'alpine',
  version: '3.23.3',
  pretty: 'Alpine Linux v3.23',
  kernel: '6.18.4-0-lts',
};
const RASPBIAN: System = {
  id: 'raspbian',
  family: 'debian',
  version: '12',
  pretty: 'Raspbian GNU/Linux 12 (bookworm)',
  kernel: '6.6.51+rpt-rpi-v8',
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

/** Pending packages on some servers: name, current version, new version, whether it is a security fix. */
export const UPDATES: readonly (readonly [string, string, string, boolean])[] = [
  ['openssl', '3.0.14-1', '3.0.15-1', true],
  ['libssl3', '3.0.14-1', '3.0.15-1', true],
  ['openssh-server', '9.2p1-2', '9.2p1-2+u3', true],
  ['linux-image', '6.1.0-26', '6.1.0-28', true],
  ['curl', '7.88.1-10', '7.88.1-12', false],
  ['vim-common', '9.0.1378', '9.0.1499', false],
  ['systemd', '252.30', '252.31', false],
  ['tzdata', '2024a', '2024b', false],
  ['python3', '3.11.2-1', '3.11.2-2', false],
  ['nginx', '1.22.1-9', '1.22.1-10', false],
];

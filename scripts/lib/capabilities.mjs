import { existsSync } from 'node:fs';
import { familyLayers } from './family-layers.mjs';
import { installedMcpTools } from './mcp-tools.mjs';
import { NEWER_NODE, newerNode } from './newer-node.mjs';
import { capture, findProgram } from './programs.mjs';

/** @typedef {'root' | 'ssh' | 'prometheus' | 'rsync' | 'restic' | 'rclone' | 'mariadb' | 'galera' | 'fleet' | 'families' | 'nspawn' | 'docker' | 'podman' | 'busybox' | 'mcpTools' | 'newerNode' | 'chromium' | 'caddy' | 'swift' | 'databases' | 'shells' | 'mosquitto'} Capability */
/** @typedef {Record<Capability, true | string>} Capabilities true, or the reason why not */

/** The programs that tests use, each with the Debian package that has it. */
export const PROGRAMS = {
  // The package starts its service only where systemd runs.
  prometheus: { prometheus: 'prometheus', promtool: 'prometheus', openssl: 'openssl' },
  rsync: { rsync: 'rsync' },
  restic: { restic: 'restic' },
  // it serves repositories to restic over HTTP
  rclone: { rclone: 'rclone' },
  busybox: { busybox: 'busybox' },
  nspawn: { 'systemd-nspawn': 'systemd-container' },
  // Tests run with the first alone.
  chromium: { chromium: 'chromium', 'chromium-headless-shell': 'chromium-headless-shell' },
  // The package starts its service only where systemd runs.
  caddy: { caddy: 'caddy' },
  shells: { bash: 'bash', zsh: 'zsh', fish: 'fish' },
  // The package starts its service only where systemd runs.
  mosquitto: { mosquitto: 'mosquitto', mosquitto_passwd: 'mosquitto', openssl: 'openssl' },
  ssh: { ssh: 'openssh-client', 'ssh-keygen': 'openssh-client', sshd: 'openssh-server' },
  mariadb: {
    mariadbd: 'mariadb-server-core',
    'mariadb-install-db': 'mariadb-server-core',
    my_print_defaults: 'mariadb-client-core',
    setpriv: 'util-linux',
  },
  // Database servers and clients. The first stands for the server, which is not in PATH.
  databases: {
    pg_ctlcluster: 'postgresql',
    psql: 'postgresql-client',
    'mariadb-dump': 'mariadb-client',
    sqlite3: 'sqlite3',
    'redis-server': 'redis-server',
    'redis-cli': 'redis-tools',
  },
  // The package brings the cluster's library and a user `mysql`, and starts its service only where systemd runs.
  galera: { wsrep_sst_rsync: 'mariadb-server', rsync: 'rsync', ss: 'iproute2' },
  fleet: {
    mmdebstrap: 'mmdebstrap',
    'ssh-keygen': 'openssh-client',
    ssh: 'openssh-client',
    ip: 'iproute2',
    unshare: 'util-linux',
    nsenter: 'util-linux',
    setpriv: 'util-linux',
    mount: 'mount',
    tar: 'tar',
    gpg: 'gnupg',
    gpgconf: 'gnupg',
    'dpkg-deb': 'dpkg',
    'apt-ftparchive': 'apt-utils',
  },
};

/** Only for npm run torture, and never installed by it. */
const BY_HAND = {
  swift: {
    'swift-proxy-server': 'swift-proxy',
    'swift-account-server': 'swift-account',
    'swift-container-server': 'swift-container',
    'swift-object-server': 'swift-object',
    memcached: 'memcached',
  },
};

/** Which of the tests with further requirements this machine and user can run. */
export async function probeCapabilities() {
  const root = process.getuid?.() === 0 ? true : 'needs root';
  /** @type {Capabilities} */
  const found = {
    root,
    ssh: programs(PROGRAMS.ssh),
    prometheus: programs(PROGRAMS.prometheus),
    rsync: programs(PROGRAMS.rsync),
    restic: programs(PROGRAMS.restic),
    rclone: programs(PROGRAMS.rclone),
    busybox: programs(PROGRAMS.busybox),
    chromium: programs({ chromium: 'chromium' }),
    caddy: programs(PROGRAMS.caddy),
    swift: programs(BY_HAND.swift),
    shells: programs(PROGRAMS.shells),
    mosquitto: programs(PROGRAMS.mosquitto),
    mcpTools: installedMcpTools()
      ? true
      : 'needs the checks of test/mcp-tools, which npm run test:all installs',
    newerNode: newerNode()
      ? true
      : `needs Node ${NEWER_NODE} or newer, this one or the one at DROVER_SMOKE_NODE`,
    mariadb: programs(PROGRAMS.mariadb),
    databases: programs({ ...PROGRAMS.mariadb, ...PROGRAMS.databases }),
    galera: programs({ ...PROGRAMS.mariadb, ...PROGRAMS.galera }),
    fleet: root !== true ? root : programs(PROGRAMS.fleet),
    nspawn: programs(PROGRAMS.nspawn),
    families: familyLayers()
      ? true
      : 'needs the package managers of other families, which npm run test:all fetches',
    docker: root,
    podman: root,
  };
  if (found.fleet === true) found.fleet = await namespaces();
  if (found.fleet !== true) found.families = found.fleet;
  if (found.fleet !== true) found.nspawn = found.fleet;
  found.docker = found.fleet === true ? controlGroups() : found.fleet;
  found.podman = found.docker;
  return found;
}

/** The Debian packages of all programs that are not there. */
export function missingPackages() {
  const wanted = Object.values(PROGRAMS).flatMap((programsOfOne) => Object.entries(programsOfOne));
  return [...new Set(wanted.filter(([program]) => !findProgram(program)).map(([, debian]) => debian))];
}

/**
 * @param {Record<string, string>} wanted
 * @returns {true | string}
 */
function programs(wanted) {
  const missing = Object.entries(wanted).filter(([program]) => !findProgram(program));
  if (missing.length === 0) return true;
  const packages = [...new Set(missing.map(([, debian]) => debian))].join(' ');
  return `needs ${missing.map(([program]) => program).join(', ')} (Debian: ${packages})`;
}

/** @returns {true | string} */
function controlGroups() {
  return existsSync('/sys/fs/cgroup/memory') || existsSync('/sys/fs/cgroup/cgroup.controllers')
    ? true
    : 'needs control groups at /sys/fs/cgroup';
}

/** @returns {Promise<true | string>} */
async function namespaces() {
  const { code, output } = await capture('unshare', ['-m', '-p', '-f', '-u', '-i', '-n', 'true']);
  return code === 0 ? true : `needs namespaces of its own, and the kernel refuses them: ${output.trim()}`;
}

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { baseRootKey, ensureBaseRoot } from './base-root.mjs';
import { cached } from './cache.mjs';
import { ensureDockerLayer } from './docker-layer.mjs';
import { INSTALL, installLayer } from './engine-layer.mjs';

const KIND = 'podman-layer';
/** Debian 12's own: podman 4.3. systemd runs its health checks, by timers, and listens at its socket. */
const PACKAGES = [
  'podman',
  'runc',
  'netavark',
  'aardvark-dns',
  'iptables',
  'skopeo',
  'systemd',
  'dbus',
  'docker-registry',
  'busybox-static',
];

/**
 * A layer above the base root with podman, skopeo, compose, a registry, a static busybox and systemd. Made once (7 s,
 * 190 MB) and kept; needs root and a network then.
 *
 * @returns {Promise<string>} its directory, never to be written to
 */
export async function ensurePodmanLayer() {
  const docker = await ensureDockerLayer();
  const recipe = JSON.stringify([baseRootKey(), docker, PACKAGES, INSTALL]);
  const key = createHash('sha256').update(recipe).digest('hex').slice(0, 16);
  const base = await ensureBaseRoot();
  const compose = async () => join(docker, 'usr/libexec/docker/cli-plugins/docker-compose');
  return join(await cached(KIND, key, (dir) => installLayer(dir, base, PACKAGES, compose)), 'upper');
}

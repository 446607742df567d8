import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ensureBaseRoot } from './base-root.mjs';
import { cached } from './cache.mjs';
import { buildLayer } from './family-layers.mjs';

const KIND = 'image-layer';
/** Includes Galera, and what a node needs to send its state. */
const PACKAGES = ['mariadb-server'];

/**
 * The files of an image with MariaDB beyond the base root: the tests can reach registries of packages, but not of
 * images.
 *
 * @returns {Promise<string>} a tar archive
 */
export async function ensureMariaDbLayer() {
  const base = await ensureBaseRoot();
  const key = createHash('sha256')
    .update(JSON.stringify([base, PACKAGES]))
    .digest('hex')
    .slice(0, 16);
  return join(await cached(KIND, key, (dir) => buildLayer(dir, base, 'mariadb', PACKAGES)), 'mariadb.tar');
}

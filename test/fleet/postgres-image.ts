import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { must } from '../../scripts/lib/programs.mjs';
import type { FleetHost } from './host.ts';

const HERE = join(import.meta.dirname, 'postgres');
const PACKAGED = '/usr/lib/postgresql';
const EDITIONS = ['v1', 'v2', 'broken'] as const;
/** `v2` and `broken` migrate the data of `v1` when they start; `broken` never becomes healthy. */
export type DatabaseEdition = (typeof EDITIONS)[number];

/** Gives the host's registry each edition as a tag. Needs `docker` and `databases`. */
export async function publishDatabase(host: FleetHost, reference: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'drover-database-'));
  try {
    const version = (await readdir(PACKAGED)).toSorted().at(-1) ?? '';
    await must('bash', [join(HERE, 'context.sh'), work, join(PACKAGED, version)]);
    const context = await promisify(execFile)('tar', ['-C', work, '-c', 'Dockerfile', 'root.tar'], {
      encoding: 'buffer',
      maxBuffer: 1024 ** 3,
    });
    const script = await readFile(join(HERE, 'build.sh'), 'utf8');
    const { code, stderr } = await host.tryExec(script, [reference, ...EDITIONS], context.stdout);
    if (code !== 0) throw new Error(`the images of PostgreSQL: ${stderr}`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** By the registry's own files, so that the host itself gets the image only by a pull. */
const OFFER = String.raw`set -e
cd "/var/lib/docker/registry/docker/registry/v2/repositories/$1/_manifests/tags"
rm -rf "$2" && cp -r "$3" "$2"
cat "$2/current/link"`;

/** Makes an edition the one that the registry has under the reference; returns its digest. */
export async function offerDatabase(
  host: FleetHost,
  reference: string,
  edition: DatabaseEdition,
): Promise<string> {
  const [, name = '', tag = ''] = /^[^/]+\/([^:]+):(.+)$/.exec(reference) ?? [];
  return (await host.exec(OFFER, [name, tag, edition])).trim();
}

/** Starts a project with a volume and a bind mount in this directory. */
export async function startDatabaseProject(host: FleetHost, directory: string, image: string): Promise<void> {
  const query = ['psql', '-d', 'shop', '-c', 'SELECT version FROM schema_version'];
  const db = {
    image,
    volumes: ['data:/var/lib/postgresql/data', './files:/files'],
    labels: { 'drover.check.query': `command ${JSON.stringify(query)}` },
  };
  await host.writeFile(
    `${directory}/compose.yaml`,
    JSON.stringify({ services: { db }, volumes: { data: {} } }),
  );
  await host.exec(
    'cd "$1" && mkdir -p files && echo "<one>" >files/page && docker compose up -d --wait >&2 </dev/null',
    [directory],
  );
}

/** The database as SQL; without the random word that pg_dump puts around it. */
export const dumpOf = (host: FleetHost, container: string): Promise<string> =>
  host.exec('set -o pipefail; docker exec "$1" pg_dump shop | grep -v "^.\\(un\\)\\?restrict "', [container]);

export const queryIn = (host: FleetHost, container: string, sql: string): Promise<string> =>
  host.exec('docker exec "$1" psql -X -At -v ON_ERROR_STOP=1 -d shop -c "$2"', [container, sql]);

import { type ImageEdition, publishImage } from './docker.ts';
import type { FleetHost } from './host.ts';

/**
 * A small database: rows in /data, which it serves at port 8080. Version 2 migrates the data of version 1 when it
 * starts, and no version reads the data of a later one. Its edition `broken` migrates too, and never becomes healthy.
 * Version 3 starts like version 2, and fails some seconds later.
 */
const STAY = 'trap "exit 0" TERM; sleep 86400 & wait';
const SERVE = 'busybox httpd -p 8080 -h /data';
const MIGRATE =
  '[ "$(cat /data/version)" != 1 ] || { sed "s/^/2:/" /data/rows >/data/table && rm /data/rows && echo 2 >/data/version && echo migrated; }';
const SERVERS = {
  1: `[ -f /data/version ] || echo 1 >/data/version; [ "$(cat /data/version)" = 1 ] || { echo "the data is newer"; exit 4; }; ${SERVE}; ${STAY}`,
  2: `${MIGRATE}; ${SERVE}; ${STAY}`,
  3: `${MIGRATE}; ${SERVE}; (sleep 8; rm /data/version) & ${STAY}`,
} as const;

/** Publishes it; returns its digest. */
export const publishDataImage = (
  host: FleetHost,
  reference: string,
  version: keyof typeof SERVERS,
  edition: ImageEdition = version === 1 ? 'v1' : 'v2',
): Promise<string> => publishImage(host, reference, edition, SERVERS[version]);

/** $1: a directory. Everything about its files, contents included. */
const FINGERPRINT = String.raw`cd "$1" && find . -printf '%p %y %m %U %G %s %T@ %l\n' | sort && find . -type f -exec sha256sum {} + | sort`;

export const fingerprint = (host: FleetHost, directory: string): Promise<string> =>
  host.exec(FINGERPRINT, [directory]);

/** Compose's file of a project with a volume, a bind mount and checks. */
const dataProject = (image: string): string =>
  JSON.stringify({
    services: {
      db: {
        image,
        volumes: ['data:/data', './files:/files'],
        labels: {
          'drover.check.page': 'http 8080 /version 200',
          'drover.check.port': 'tcp 8080',
          'drover.check.version': 'command ["test", "-f", "/data/version"]',
        },
      },
    },
    volumes: { data: {} },
  });

/** Starts the project in this directory, with some data. */
export async function startDataProject(host: FleetHost, directory: string, image: string): Promise<void> {
  await host.writeFile(`${directory}/compose.yaml`, dataProject(image));
  await host.exec(
    'cd "$1" && mkdir -p files && docker compose up -d --wait >&2 && echo "<one>" >files/page && docker compose exec -T db sh -c "echo first >/data/rows; echo second >>/data/rows" </dev/null',
    [directory],
  );
}

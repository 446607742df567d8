export const PORT_PROTOCOLS = ['tcp', 'udp', 'sctp'] as const;

/** A port of the host that leads to a port of a container. */
export interface PublishedPort {
  /** The address of the host that it listens on; `null`: all addresses. */
  readonly address: string | null;
  readonly hostPort: number;
  readonly containerPort: number;
  readonly protocol: (typeof PORT_PROTOCOLS)[number];
  /** The number of consecutive ports that are published, from these two on. */
  readonly count: number;
}

/** Most that are kept of one container. */
export const MAX_PUBLISHED_PORTS = 20;

/** `8080 → 80/tcp`, `[::1]:53 → 53/udp`, `8000-8010 → 8000-8010/tcp`. */
export function publishedPortText({
  address,
  hostPort,
  containerPort,
  protocol,
  count,
}: PublishedPort): string {
  const from = address === null ? '' : address.includes(':') ? `[${address}]:` : `${address}:`;
  return `${from}${range(hostPort, count)} → ${range(containerPort, count)}/${protocol}`;
}

const range = (first: number, count: number): string =>
  count === 1 ? String(first) : `${first}-${first + count - 1}`;

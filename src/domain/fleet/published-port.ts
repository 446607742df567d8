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
export const publishedPortText = (port: PublishedPort): string =>
  `${hostSide(port)} → ${range(port.containerPort, port.count)}/${port.protocol}`;

/** The same without what goes without saying: `8080 → 80`, `[::1]:53/udp`, `8000-8010`. */
export const shortPortText = (port: PublishedPort): string =>
  [
    hostSide(port),
    port.hostPort === port.containerPort ? '' : ` → ${range(port.containerPort, port.count)}`,
    port.protocol === 'tcp' ? '' : `/${port.protocol}`,
  ].join('');

const hostSide = ({ address, hostPort, count }: PublishedPort): string =>
  `${address === null ? '' : `${urlHost(address)}:`}${range(hostPort, count)}`;

const range = (first: number, count: number): string =>
  count === 1 ? String(first) : `${first}-${first + count - 1}`;

const urlHost = (address: string): string => (address.includes(':') ? `[${address}]` : address);

const LOOPBACK = /^(?:127\.|::1$)/;
const TLS_PORTS: ReadonlySet<number> = new Set([443, 8443, 9443]);
/** SSH, mail, DNS, databases and message brokers: no browser understands them. */
const NOT_WEB: ReadonlySet<number> = new Set([
  21, 22, 25, 53, 110, 143, 389, 445, 465, 587, 636, 993, 995, 1433, 1883, 2049, 3306, 5432, 5672, 6379, 8883,
  9042, 11211, 27017,
]);

/** Where a browser may reach what a TCP port serves; `null` if it cannot. `host`: the address of the server. */
export function portAddress(
  { address, hostPort, containerPort, protocol, count }: PublishedPort,
  host: string,
): string | null {
  if (protocol !== 'tcp' || count !== 1 || NOT_WEB.has(containerPort)) return null;
  if (address !== null && LOOPBACK.test(address)) return null;
  const scheme = TLS_PORTS.has(hostPort) || TLS_PORTS.has(containerPort) ? 'https' : 'http';
  const url = `${scheme}://${urlHost(address ?? host)}:${hostPort}/`;
  return URL.canParse(url) ? url : null;
}

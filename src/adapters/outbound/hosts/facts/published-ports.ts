import { isIP } from 'node:net';
import { z } from 'zod';
import {
  MAX_PUBLISHED_PORTS,
  PORT_PROTOCOLS,
  type PublishedPort,
  publishedPortText,
} from '../../../../domain/fleet/published-port.ts';

const MAX_PORT = 65_535;
const port = z.number().int().min(1).max(MAX_PORT);
const Published = z
  .object({
    address: z.string().max(45),
    hostPort: port,
    containerPort: port,
    count: port,
    protocol: z.enum(PORT_PROTOCOLS),
  })
  .refine(({ hostPort, containerPort, count }) => Math.max(hostPort, containerPort) + count <= MAX_PORT + 1);

const PART =
  /^(?:\[([0-9a-f:.]{2,45})\]|([0-9a-f:.]{2,45})):(\d{1,5})(?:-(\d{1,5}))?->(\d{1,5})(?:-\d{1,5})?\/([a-z]{3,4})$/;

/** Docker's list: `0.0.0.0:8080->80/tcp, [::]:8000-8002->8000-8002/tcp, 9000/tcp`, whose last port is not published. */
export const dockerPorts = (text: string): readonly PublishedPort[] =>
  plainPorts(
    text.split(', ', MAX_READ).map((part) => {
      const [, inBrackets, bare, first, last, container, protocol] = PART.exec(part) ?? [];
      const hostPort = Number(first);
      return {
        address: inBrackets ?? bare,
        hostPort,
        containerPort: Number(container),
        count: last === undefined ? 1 : Number(last) - hostPort + 1,
        protocol,
      };
    }),
  );

const Podman = z.object({
  host_ip: z.string().default(''),
  host_port: z.number(),
  container_port: z.number(),
  range: z.number().default(1),
  protocol: z.string().default('tcp'),
});

/** Podman's list of objects. */
export const podmanPorts = (list: readonly unknown[]): readonly PublishedPort[] =>
  plainPorts(
    list.slice(0, MAX_READ).flatMap((each) => {
      const { data } = Podman.safeParse(each);
      if (data === undefined) return [];
      return {
        address: data.host_ip,
        hostPort: data.host_port,
        containerPort: data.container_port,
        count: data.range,
        protocol: data.protocol,
      };
    }),
  );

/** In entries, of a list that a host may have made longer than any real one. */
const MAX_READ = 200;
/** Engines list a port that listens on all addresses once for IPv4 and once for IPv6. */
const ALL_ADDRESSES = new Set(['', '0.0.0.0', '::']);

/** The valid ones, each once, by the host's port. */
function plainPorts(found: readonly unknown[]): readonly PublishedPort[] {
  const ports = new Map<string, PublishedPort>();
  for (const each of found) {
    const { data } = Published.safeParse(each);
    if (data === undefined || !(ALL_ADDRESSES.has(data.address) || isIP(data.address))) continue;
    const published = { ...data, address: ALL_ADDRESSES.has(data.address) ? null : data.address };
    ports.set(publishedPortText(published), published);
  }
  return [...ports.values()].sort((a, b) => a.hostPort - b.hostPort).slice(0, MAX_PUBLISHED_PORTS);
}

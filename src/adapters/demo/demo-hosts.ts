import { createHash } from 'node:crypto';
import { SUGGEST_JAIL } from '../../application/fleet/check-server.ts';
import type {
  CommandResult,
  HostAccess,
  HostCommand,
  HostKey,
  RemoteHost,
  RemoteHosts,
} from '../../application/ports/fleet/remote-host.ts';
import type { ServerStore } from '../../application/ports/fleet/server-store.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { withoutEnd } from '../../domain/base/without-end.ts';
import { isUnreachable } from '../../domain/fleet/fleet-conditions.ts';

/** The message for what the demo does not simulate. */
export const onlyShown = (): DomainError =>
  new DomainError(
    'demo_read_only',
    'The demo does not simulate this: it has no real servers, accounts or receivers. Install Drover to do this.',
  );

const refused = (): Promise<never> => Promise.reject(onlyShown());

const NO_SUGGESTION: CommandResult = {
  exitCode: 1,
  signal: null,
  stdout: Buffer.alloc(0),
  stderr: Buffer.alloc(0),
  truncated: false,
};

/** A server that runs no command; it has no directory to suggest. */
class DemoHost implements RemoteHost {
  readonly serverId: number;
  readonly open = refused;

  constructor(serverId: number) {
    this.serverId = serverId;
  }

  run({ script }: HostCommand): Promise<CommandResult> {
    return script === SUGGEST_JAIL ? Promise.resolve(NO_SUGGESTION) : refused();
  }

  release(): void {}
}

/** The server that a host simulates. */
export function demoServerOf(host: RemoteHost): number {
  if (host instanceof DemoHost) return host.serverId;
  throw onlyShown();
}

/** There are no hosts behind the demo: you can connect, but no command runs. Servers that are unreachable stay so. */
export class DemoHosts implements RemoteHosts {
  readonly #servers: Pick<ServerStore, 'find'>;

  constructor(servers: Pick<ServerStore, 'find'>) {
    this.#servers = servers;
  }

  async connect({ serverId }: Pick<HostAccess, 'serverId'>): Promise<RemoteHost> {
    const server = await this.#servers.find(serverId);
    if (server && isUnreachable(server))
      throw new DomainError(
        'host_unreachable',
        `Cannot connect to ${server.address.hostname}: no route to host.`,
      );
    return new DemoHost(serverId);
  }

  async scanHostKey({ hostname }: { readonly hostname: string }): Promise<HostKey> {
    return demoHostKey(hostname);
  }

  async closeAll(): Promise<void> {}
}

/** A random key in the form of an SSH key: the same for the same name. */
export function demoHostKey(name: string): HostKey {
  const algorithm = 'ssh-ed25519';
  const parts = [Buffer.from(algorithm), createHash('sha256').update(name).digest()];
  const blob = Buffer.concat(parts.flatMap((part) => [Buffer.from([0, 0, 0, part.length]), part]));
  const fingerprint = withoutEnd(createHash('sha256').update(blob).digest('base64'), '=');
  return { algorithm, blob: blob.toString('base64'), fingerprint: `SHA256:${fingerprint}` };
}

import type {
  HostAccess,
  HostKey,
  RemoteHost,
  RemoteHosts,
} from '../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../domain/base/errors.ts';

/** The message for what the demo does not simulate. */
export const onlyShown = (): DomainError =>
  new DomainError(
    'demo_read_only',
    'The demo does not simulate this: it has no real servers, accounts or receivers. Install Drover to do this.',
  );

const refused = (): Promise<never> => Promise.reject(onlyShown());

/** A server that runs no command. */
export class DemoHost implements RemoteHost {
  readonly serverId: number;
  readonly run = refused;
  readonly open = refused;

  constructor(serverId: number) {
    this.serverId = serverId;
  }

  release(): void {}
}

/** There are no hosts behind the demo: you can connect, but no command runs. */
export class DemoHosts implements RemoteHosts {
  async connect({ serverId }: Pick<HostAccess, 'serverId'>): Promise<RemoteHost> {
    return new DemoHost(serverId);
  }

  scanHostKey(): Promise<HostKey> {
    return refused();
  }

  async closeAll(): Promise<void> {}
}

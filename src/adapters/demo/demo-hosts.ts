import { BackupEngines } from '../../application/ports/backups/backup-engine.ts';
import type { HostKey, RemoteHost, RemoteHosts } from '../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../domain/base/errors.ts';

/** The message when someone tries to change something, or reach a server, of the demo. */
export const onlyShown = (): DomainError =>
  new DomainError(
    'demo_read_only',
    'This is a demonstration: you can view everything and change nothing. There are no servers and no files behind it. Install Drover to do this.',
  );

/** There are no hosts behind the demonstration, and nothing is ever asked of one. */
export class DemoHosts implements RemoteHosts {
  connect(): Promise<RemoteHost> {
    return Promise.reject(onlyShown());
  }

  scanHostKey(): Promise<HostKey> {
    return Promise.reject(onlyShown());
  }

  async closeAll(): Promise<void> {}
}

/** There is nothing in the snapshots of the demonstration. */
export class DemoEngines extends BackupEngines {
  constructor() {
    super([]);
  }

  override of(): never {
    throw onlyShown();
  }
}

import type { JailFileSystems, JailFs, JailOptions } from '../../../../application/ports/files/jail-fs.ts';
import type { HostAccess } from '../../../../application/ports/fleet/remote-host.ts';

/** One `JailFileSystems` over one for each kind of access. */
export class RoutingJails implements JailFileSystems {
  readonly #byKind: Record<HostAccess['kind'], JailFileSystems>;

  constructor(byKind: Record<HostAccess['kind'], JailFileSystems>) {
    this.#byKind = byKind;
  }

  open(access: HostAccess, directory: string, options?: JailOptions): Promise<JailFs> {
    return this.#byKind[access.kind].open(access, directory, options);
  }
}

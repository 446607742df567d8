import { afterAll, afterEach, beforeAll } from 'vitest';
import type { SshOptions } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-options.ts';
import { SshRemoteHosts } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import type { RemoteHost, SshAccess } from '../../../../../src/application/ports/fleet/remote-host.ts';
import { type Sshd, startSshd } from '../../../../support/sshd.ts';
import { TcpProxy } from '../../../../support/tcp-proxy.ts';

/** An sshd behind a wire that can be watched and cut, for the test file that calls this. */
export class SshFixture {
  readonly #settings: readonly string[];
  readonly #keyTypes: readonly string[];
  readonly #opened: SshRemoteHosts[] = [];
  #sshd: Sshd | undefined;
  #wire: TcpProxy | undefined;

  constructor(settings: readonly string[] = [], keyTypes: readonly string[] = ['ed25519']) {
    this.#settings = settings;
    this.#keyTypes = keyTypes;
    beforeAll(async () => {
      this.#sshd = await startSshd(this.#settings, [...this.#keyTypes]);
      this.#wire = await TcpProxy.start(this.#sshd.port);
    });
    afterEach(async () => {
      await Promise.all(this.#opened.splice(0).map((hosts) => hosts.closeAll()));
      await this.#wire?.stop();
      if (this.#sshd) this.#wire = await TcpProxy.start(this.#sshd.port);
    });
    afterAll(async () => {
      await this.#wire?.stop();
      await this.#sshd?.stop();
    });
  }

  get sshd(): Sshd {
    if (!this.#sshd) throw new Error('the sshd is there once beforeAll has run');
    return this.#sshd;
  }

  /** New for each test. */
  get wire(): TcpProxy {
    if (!this.#wire) throw new Error('the wire is there once beforeAll has run');
    return this.#wire;
  }

  /** Through the wire. */
  access(changes: Partial<SshAccess> = {}): SshAccess {
    return this.sshd.access({ port: this.wire.port, ...changes });
  }

  /** Closed after the test. */
  hosts(options: Partial<SshOptions> = {}): SshRemoteHosts {
    const hosts = new SshRemoteHosts(options);
    this.#opened.push(hosts);
    return hosts;
  }

  async host(options: Partial<SshOptions> = {}, changes: Partial<SshAccess> = {}): Promise<RemoteHost> {
    return this.hosts(options).connect(this.access(changes));
  }
}

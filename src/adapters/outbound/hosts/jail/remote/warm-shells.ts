import { createHash } from 'node:crypto';
import type { JailOptions } from '../../../../../application/ports/files/jail-fs.ts';
import type { HostAccess, RemoteHost } from '../../../../../application/ports/fleet/remote-host.ts';
import { isDomainError } from '../../../../../domain/base/errors.ts';
import { type Conversation, type ShellOutput, WarmShell } from './warm-shell.ts';

/** For an unused one. It holds a session, of which a host may have few. Milliseconds. */
const IDLE_MS = 15_000;

interface Idle {
  readonly shell: WarmShell;
  readonly timer: NodeJS.Timeout;
}

/** Keeps one shell warm for each login that was used of late; calls at the same time start more. */
export class WarmShells {
  readonly #idle = new Map<string, Idle>();

  /** The shells of one login. Bulk connections carry one command at a time: they keep none. */
  of(
    access: HostAccess,
    host: RemoteHost,
    { purpose }: Pick<JailOptions, 'purpose'> = {},
  ): (conversation: Conversation) => Promise<ShellOutput> {
    const key = purpose === 'bulk' ? null : keyOf(access);
    return (conversation) => this.#ask(key, access.serverName, host, conversation);
  }

  async #ask(
    key: string | null,
    serverName: string,
    host: RemoteHost,
    conversation: Conversation,
  ): Promise<ShellOutput> {
    const idle = this.#take(key);
    if (idle) {
      try {
        return await this.#askAndKeep(key, idle, conversation);
      } catch (error) {
        // its exit was not noticed
        if (!conversation.repeatable || !isDomainError(error) || error.code !== 'host_connection_lost') {
          throw error;
        }
      }
    }
    const fresh = await WarmShell.start(host, serverName, conversation.signal);
    return this.#askAndKeep(key, fresh, conversation);
  }

  async #askAndKeep(key: string | null, shell: WarmShell, conversation: Conversation): Promise<ShellOutput> {
    const said = await shell.ask(conversation);
    this.#keep(key, shell);
    return said;
  }

  #take(key: string | null): WarmShell | null {
    const idle = key === null ? undefined : this.#idle.get(key);
    if (!idle || key === null) return null;
    clearTimeout(idle.timer);
    this.#idle.delete(key);
    return idle.shell.usable ? idle.shell : null;
  }

  #keep(key: string | null, shell: WarmShell): void {
    const other = key === null ? undefined : this.#idle.get(key);
    if (key === null || !shell.usable || other?.shell.usable === true) {
      shell.end();
      return;
    }
    if (other) clearTimeout(other.timer);
    const timer = setTimeout(() => {
      this.#idle.delete(key);
      shell.end();
    }, IDLE_MS);
    // it does not keep the service from ending
    timer.unref();
    this.#idle.set(key, { shell, timer });
  }
}

/** Everything that identifies a login, so that an edited server never uses an old one. */
export const keyOf = (access: HostAccess): string =>
  createHash('sha256').update(JSON.stringify(access)).digest('hex');

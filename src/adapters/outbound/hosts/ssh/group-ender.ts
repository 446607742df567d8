import type { ClientChannel } from 'ssh2';
import { commandLine, END_GROUPS_SCRIPT } from './command-line.ts';

interface Batch {
  readonly groups: string[];
  readonly done: Promise<void>;
}

/**
 * Ends process groups on a host, by a command beside those that are to end. One such command runs at a time on a
 * connection, so that ending many does not run into the host's limit of sessions.
 */
export class GroupEnder {
  readonly #exec: (line: string) => Promise<{ channel: ClientChannel }>;
  readonly #next = new Map<boolean, Batch>();
  #last: Promise<void> = Promise.resolve();

  constructor(exec: (line: string) => Promise<{ channel: ClientChannel }>) {
    this.#exec = exec;
  }

  /** Settles when the group has been sent its signals, or this could not be done. Never rejects. */
  end(group: string, options: { readonly sudo: boolean }): Promise<void> {
    const batch = this.#next.get(options.sudo) ?? this.#newBatch(options.sudo);
    batch.groups.push(group);
    return batch.done;
  }

  #newBatch(sudo: boolean): Batch {
    const groups: string[] = [];
    const done = this.#last.then(() => {
      this.#next.delete(sudo);
      return this.#run(groups, sudo).catch(() => undefined);
    });
    this.#last = done;
    const batch = { groups, done };
    this.#next.set(sudo, batch);
    return batch;
  }

  async #run(groups: readonly string[], sudo: boolean): Promise<void> {
    const { channel } = await this.#exec(commandLine({ script: END_GROUPS_SCRIPT, args: groups }, { sudo }));
    await new Promise((resolve) => {
      channel.once('close', resolve);
      channel.resume();
      channel.stderr.resume();
      channel.end();
    });
  }
}

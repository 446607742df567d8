import { setTimeout as sleep } from 'node:timers/promises';

/** For one command; each of them teaches the limit. */
const MAX_REFUSALS = 20;
const MAX_REFUSALS_ALONE = 5;
const FREEING_MS = 10;

/** How many commands a host runs at once on one connection: what we take for granted, and less once it has refused. */
export class SessionLimit {
  #value: number;

  constructor(value: number) {
    this.#value = value;
  }

  get value(): number {
    return this.#value;
  }

  /**
   * Judges the refusals of one command. `crowd` counts the sessions on the connection that refused it, with its own;
   * true: try again, where there is room then.
   */
  newPatience(): (crowd: number) => Promise<boolean> {
    let refusals = 0;
    let alone = 0;
    return async (crowd) => {
      refusals += 1;
      if (crowd > 1) {
        this.#value = Math.min(this.#value, crowd - 1);
        return refusals <= MAX_REFUSALS;
      }
      // sshd frees a session some time after it has closed its channel, and counts it until then
      alone += 1;
      await sleep(FREEING_MS * 2 ** alone);
      return alone <= MAX_REFUSALS_ALONE;
    };
  }
}

import type { Actor } from '../../domain/access/actor.ts';
import { SECOND } from '../../domain/base/instant.ts';
import { UseCase } from './use-case.ts';

/** Characters of all answers together; then all are dropped. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** How a read is repeated. */
export interface Repetition<T> {
  /** Everything beside the actor that the answer depends on. */
  readonly key: string;
  /** Seconds of the clock after which time alone makes the answer too old. */
  readonly seconds: number;
  /** How long the answer is; `null`: not to be kept. */
  readonly charactersOf: (answer: T) => number | null;
}

/** `period`: the clock's, by number, in which the answer was read. */
type Answers = Map<string, { readonly period: number; readonly answer: unknown }>;

/**
 * Answers a read that the same caller repeats with the answer of last time, as long as nothing was committed. What a server
 * needs depends on the time, too: an answer ends with its seconds of the clock. A caller whose token was changed is another
 * actor.
 */
export class RepeatedReads extends UseCase<'dataVersion' | 'clock'> {
  #answers = new WeakMap<Actor, Answers>();
  #keptVersion: number | null = null;
  #characters = 0;

  /** The answer is shared with later callers, who must not change it. */
  async get<T>(
    actor: Actor,
    { key, seconds, charactersOf }: Repetition<T>,
    read: () => Promise<T>,
  ): Promise<T> {
    const version = await this.#version();
    if (version === null) return read();
    const answers = this.#of(actor, version);
    const period = Math.floor(this.deps.clock.now() / (seconds * SECOND));
    const known = answers.get(key);
    if (known?.period === period) return known.answer as T;
    const answer = await read();
    // What was read before another change ends up in a map that is already dropped.
    const characters = charactersOf(answer);
    if (characters === null) return answer;
    this.#characters += key.length + characters;
    if (this.#characters > MAX_CHARACTERS) this.#clear();
    else answers.set(key, { period, answer });
    return answer;
  }

  async #version(): Promise<number | null> {
    try {
      return await this.deps.dataVersion.version();
    } catch {
      // Reading fails in the same way, and reports it.
      return null;
    }
  }

  #of(actor: Actor, version: number): Answers {
    if (version !== this.#keptVersion) this.#clear();
    this.#keptVersion = version;
    const known = this.#answers.get(actor);
    if (known) return known;
    const answers: Answers = new Map();
    this.#answers.set(actor, answers);
    return answers;
  }

  #clear(): void {
    this.#answers = new WeakMap();
    this.#characters = 0;
  }
}

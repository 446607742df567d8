import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import type { Logger } from '../../../application/ports/base/logger.ts';
import {
  BadKeyPair,
  checkKeyPair,
  type KeyPair,
  type KeyPairFiles,
  loadKeyPair,
  readKeyPair,
} from './key-pair.ts';

/**
 * The polling interval, in any case: network file systems send no events, and a watched directory can be replaced.
 */
const LOOK_EVERY_MS = 30_000;
/** Certificate and key are two files: when one changes, the other is about to. */
const SETTLE_MS = 500;

/**
 * A certificate and key that are reloaded when their files change. A new pair that is invalid is logged, and the
 * previous one stays in use.
 */
export class WatchedKeyPair {
  readonly #files: KeyPairFiles;
  readonly #log: Logger;
  readonly #listeners = new Set<(pair: KeyPair) => void>();
  readonly #watchers: FSWatcher[] = [];
  readonly #poll: NodeJS.Timeout;
  #current: KeyPair;
  /** The last content of the files, valid or not. */
  #seen: string;
  /** The last logged fault; it is logged once. */
  #fault: string | null = null;
  #settling: NodeJS.Timeout | null = null;
  #looking: Promise<void> = Promise.resolve();

  private constructor(files: KeyPairFiles, first: KeyPair, log: Logger) {
    this.#files = files;
    this.#log = log;
    this.#current = first;
    this.#seen = `${first.cert}\n${first.key}`;
    this.#poll = setInterval(() => this.#lookSoon(0), LOOK_EVERY_MS).unref();
    for (const directory of new Set([dirname(files.certPath), dirname(files.keyPath)]))
      this.#watch(directory);
  }

  /** Throws `BadKeyPair` if the first pair is invalid. */
  static async open(files: KeyPairFiles, log: Logger): Promise<WatchedKeyPair> {
    return new WatchedKeyPair(files, await loadKeyPair(files), log);
  }

  get current(): KeyPair {
    return this.#current;
  }

  onChange(listener: (pair: KeyPair) => void): void {
    this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    clearInterval(this.#poll);
    if (this.#settling) clearTimeout(this.#settling);
    for (const watcher of this.#watchers) watcher.close();
    this.#listeners.clear();
    await this.#looking;
  }

  #watch(directory: string): void {
    try {
      const watcher = watch(directory, { persistent: false }, () => this.#lookSoon(SETTLE_MS));
      // The directory is missing, or the system's limit of watches is reached: polling is enough.
      watcher.on('error', () => watcher.close());
      this.#watchers.push(watcher);
    } catch (error) {
      this.#log.debug('cannot watch a directory', { directory, error: String(error) });
    }
  }

  #lookSoon(afterMs: number): void {
    if (this.#settling) clearTimeout(this.#settling);
    this.#settling = setTimeout(() => {
      this.#looking = this.#looking.then(() => this.#look());
    }, afterMs).unref();
  }

  async #look(): Promise<void> {
    try {
      const [cert, key] = await readKeyPair(this.#files);
      const found = `${cert}\n${key}`;
      if (found === this.#seen) return;
      this.#seen = found;
      const pair = checkKeyPair(this.#files, cert, key);
      this.#current = pair;
      this.#fault = null;
      for (const listener of this.#listeners) listener(pair);
      this.#log.info('loaded the new certificate', { endsAt: pair.endsAt.toISOString() });
    } catch (error) {
      if (!(error instanceof BadKeyPair)) throw error;
      if (error.message === this.#fault) return;
      this.#fault = error.message;
      this.#log.warn('the new certificate is invalid; the previous one stays in use', {
        reason: error.message,
      });
    }
  }
}

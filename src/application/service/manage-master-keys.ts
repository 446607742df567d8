import type { Actor } from '../../domain/access/actor.ts';
import { keyUse, type MasterKeyUse } from '../../domain/access/master-key-use.ts';
import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import { MINUTE, SECOND } from '../../domain/base/instant.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';
import type { KeyRing } from '../ports/service/key-ring.ts';
import type { Replica } from '../ports/service/replica-store.ts';
import type { SealedSecret } from '../ports/service/sealed-secrets.ts';

/** A service shows every ten seconds that it runs, and which keys it has. */
const ALIVE_MS = MINUTE;
/** How long a service may take to read a key that was added to its file. */
const PATIENCE_MS = 30 * SECOND;
const LOOK_EVERY_MS = SECOND;
/** A change that was encrypted by the old key just before a service took up the new one is written by then. */
const SETTLE_MS = 3 * SECOND;
/** Something that still encrypts by an old key after these, such as a process with other keys, is reported. */
const MAX_PASSES = 10;

export interface RotationResult {
  readonly keyId: string;
  /** Secrets that were encrypted again. */
  readonly rotated: number;
  /** Secrets that no known key opens; they stay as they are. */
  readonly unreadable: number;
}

/** Replaces the key that encrypts the secrets in the database. For the operator of the service's own machine. */
export class ManageMasterKeys extends UseCase<'secrets' | 'box' | 'replicas' | 'audit' | 'clock'> {
  /** All keys that are known or in use, the current one first. */
  async status(actor: Actor): Promise<readonly MasterKeyUse[]> {
    actor.requireRole('administrator');
    return keyUse(this.deps.box.keyIds, await this.deps.secrets.counts());
  }

  /** Adds a key for new secrets to the file; services that read the same file use it within seconds. */
  async create(actor: Actor, ring: KeyRing): Promise<string> {
    actor.requireRole('administrator');
    const keyId = await ring.add();
    await this.#note(actor, 'master_key.create', { keyId });
    return keyId;
  }

  /**
   * Encrypts every secret by the current key. Safe to run while services run, and to run again after it was interrupted.
   * Secrets that are written meanwhile are included: it ends only after two passes, some seconds apart, that found
   * nothing. Throws `master_key_not_ready` if a running service could not read the result, encrypts by a
   * different key, or if something keeps writing secrets by an old key.
   */
  async rotate(
    actor: Actor,
    { signal, onPage }: { readonly signal?: AbortSignal; readonly onPage?: (rotated: number) => void } = {},
  ): Promise<RotationResult> {
    actor.requireRole('administrator');
    const { keyId } = this.deps.box;
    await this.#untilServicesHave(keyId, signal);
    let rotated = 0;
    let clean = 0;
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      if (pass > 0) await this.deps.clock.sleep(SETTLE_MS, signal);
      const { found, done, unreadable } = await this.#pass(rotated, onPage, signal);
      rotated += done;
      clean = found > unreadable ? 0 : clean + 1;
      if (clean < 2) continue;
      await this.#note(actor, 'master_key.rotate', { keyId, rotated, unreadable });
      return { keyId, rotated, unreadable };
    }
    throw new DomainError(
      'master_key_not_ready',
      `${rotated} secrets were encrypted again, but a process still writes secrets with an old key. Find the process that has different keys ("drover doctor" lists running services), restart it, and run this again.`,
    );
  }

  async #pass(
    before: number,
    onPage: ((rotated: number) => void) | undefined,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly found: number; readonly done: number; readonly unreadable: number }> {
    let [found, done, unreadable] = [0, 0, 0];
    for await (const page of this.deps.secrets.notUnder(this.deps.box.keyId)) {
      signal?.throwIfAborted();
      for (const secret of page) {
        found += 1;
        const outcome = await this.#again(secret);
        if (outcome === 'rotated') done += 1;
        if (outcome === 'unreadable') unreadable += 1;
      }
      if (page.length > 0) onPage?.(before + done);
    }
    return { found, done, unreadable };
  }

  /** Removes unused keys from the file. Throws `master_key_not_ready` if one is still in use. */
  async retire(actor: Actor, ring: KeyRing): Promise<readonly string[]> {
    actor.requireRole('administrator');
    const [current = '', ...old] = await ring.ids();
    if (old.length === 0) return [];
    await this.#untilServicesHave(current);
    const counts = await this.deps.secrets.counts();
    const used = old.filter((id) => (counts.get(id) ?? 0) > 0);
    if (used.length > 0) {
      throw new DomainError(
        'master_key_not_ready',
        `Secrets are still encrypted with ${used.map((id) => `${id} (${counts.get(id)})`).join(', ')}; run "drover master-key rotate" first.`,
      );
    }
    await ring.remove(old);
    await this.#note(actor, 'master_key.retire', { keyIds: old });
    return old;
  }

  async #again(secret: SealedSecret): Promise<'rotated' | 'changed' | 'unreadable'> {
    let text: string;
    try {
      text = this.deps.box.open(secret.sealed, secret.place);
    } catch (error) {
      if (isDomainError(error, 'secret_unreadable')) return 'unreadable';
      throw error;
    }
    const done = await this.deps.secrets.replace(secret, this.deps.box.seal(text, secret.place));
    return done ? 'rotated' : 'changed';
  }

  /** Until each running service encrypts by this key. */
  async #untilServicesHave(keyId: string, signal?: AbortSignal): Promise<void> {
    const until = this.deps.clock.now() + PATIENCE_MS;
    for (;;) {
      const alive = (await this.deps.replicas.list()).filter(({ seenAgoMs }) => seenAgoMs < ALIVE_MS);
      const behind = alive.filter(({ keyIds }) => keyIds?.[0] !== keyId);
      if (behind.length === 0) return;
      if (this.deps.clock.now() >= until) throw notReady(keyId, behind);
      await this.deps.clock.sleep(LOOK_EVERY_MS, signal);
      signal?.throwIfAborted();
    }
  }

  async #note(actor: Actor, action: string, detail: object): Promise<void> {
    await this.deps.audit.record(auditEntry(actor, this.deps.clock.now(), action, 'service', { ...detail }));
  }
}

const notReady = (keyId: string, behind: readonly Replica[]): DomainError =>
  new DomainError(
    'master_key_not_ready',
    `These running services do not encrypt with the key ${keyId}, or do not have it: ${behind
      .map(({ owner, keyIds }) => `${owner} (${keyIds?.join(', ') ?? 'earlier version'})`)
      .join('; ')}. Give each of them the same keys, the new one first, restart them, and run this again.`,
  );

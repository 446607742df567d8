import type { Actor } from '../../domain/access/actor.ts';
import { batches } from '../../domain/base/batches.ts';
import type { Instant } from '../../domain/base/instant.ts';
import { type AuditEntry, auditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';

const SETTING = 'audit.reads';
/** Different reads between two writes; of more, only their number is recorded. */
const MAX_WAITING = 2_000;
const AT_ONCE = 100;
const MAX_PATH = 500;

/** Something that a caller was shown. */
export interface Read {
  readonly kind: 'server' | 'snapshot' | 'job';
  readonly id: number;
  /** The page or operation. */
  readonly by: string;
  /** Of a file or directory. */
  readonly path: string | null;
}

interface PendingRead extends Read {
  readonly actor: Actor;
  readonly at: Instant;
  times: number;
}

/**
 * The audit of reads, if an administrator switched it on. It never delays or refuses a read: reads are collected in
 * memory, and written every few seconds.
 */
export class RecordReads extends UseCase<
  'clock' | 'settings.get' | 'settings.set' | 'audit.recordAll' | 'snapshots.find' | 'jobs.find'
> {
  #isOn = false;
  #waiting = new Map<string, PendingRead>();
  #dropped = 0;

  /** Throws `role_missing`. */
  async get(actor: Actor): Promise<boolean> {
    actor.requireRole('administrator');
    return this.#kept();
  }

  /** Other replicas follow with their next `flush`. Throws `role_missing`. */
  async set(actor: Actor, on: boolean): Promise<void> {
    actor.requireRole('administrator');
    const audit = [auditEntry(actor, this.deps.clock.now(), 'audit.record_reads', 'audit', { on })];
    await this.deps.settings.set(SETTING, on ? 'on' : 'off', { audit });
    this.#isOn = on;
  }

  /** The same read by the same caller is one entry until it is written. */
  note(actor: Actor, read: Read): void {
    if (!this.#isOn) return;
    const path = read.path?.slice(0, MAX_PATH) ?? null;
    const { kind, id, by } = read;
    const key = JSON.stringify([actor.kind, actor.id, actor.name, actor.address, kind, id, by, path]);
    this.#add(key, { kind, id, by, path, actor, at: this.deps.clock.now(), times: 1 });
  }

  /** Writes what was read since. If that fails, it is kept for the next time. */
  async flush(): Promise<void> {
    const taken = this.#waiting;
    const dropped = this.#dropped;
    this.#waiting = new Map();
    this.#dropped = 0;
    try {
      this.#isOn = await this.#kept();
      const entries: AuditEntry[] = [];
      for (const each of taken.values()) entries.push(await this.#entryOf(each));
      const last = [...taken.values()].at(-1);
      if (dropped > 0 && last) entries.push(entryOf(last, 'read.overflow', 'audit', { reads: dropped }));
      for (const part of batches(entries, AT_ONCE)) await this.deps.audit.recordAll(part);
    } catch (error) {
      for (const [key, each] of taken) this.#add(key, each);
      this.#dropped += dropped;
      throw error;
    }
  }

  async #kept(): Promise<boolean> {
    return (await this.deps.settings.get(SETTING)) === 'on';
  }

  #add(key: string, each: PendingRead): void {
    const known = this.#waiting.get(key);
    if (known) known.times += each.times;
    else if (this.#waiting.size < MAX_WAITING) this.#waiting.set(key, each);
    else this.#dropped += each.times;
  }

  async #entryOf(each: PendingRead): Promise<AuditEntry> {
    const { kind, id, by, path, times } = each;
    const serverId = kind === 'server' ? id : await this.#serverOf(kind, id);
    return entryOf(each, 'read', `${kind}:${id}`, {
      by,
      ...(path === null ? {} : { path }),
      ...(times > 1 ? { times } : {}),
      ...(kind === 'server' || serverId === null ? {} : { serverId }),
    });
  }

  async #serverOf(kind: 'snapshot' | 'job', id: number): Promise<number | null> {
    const found = await (kind === 'snapshot' ? this.deps.snapshots.find(id) : this.deps.jobs.find(id));
    return found?.serverId ?? null;
  }
}

const entryOf = (
  { actor, at }: PendingRead,
  action: string,
  object: string,
  detail: AuditEntry['detail'],
): AuditEntry => auditEntry(actor, at, action, object, detail);

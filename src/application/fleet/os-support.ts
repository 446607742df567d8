import type { Actor } from '../../domain/access/actor.ts';
import { type Instant, MINUTE } from '../../domain/base/instant.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { mergedEnds, readSupportEnds, type SupportEnds, supportEnd } from '../../domain/fleet/os-support.ts';
import { UseCase } from '../base/use-case.ts';

/** The name of the setting with imported dates. */
const SETTING = 'os_support';
/** Another replica's import is seen after this. */
const KEPT_MS = MINUTE;

/** Until when releases of operating systems get security updates. */
export class OsSupport extends UseCase<'clock' | 'servers.setSupportEnds' | 'settings.get' | 'settings.set'> {
  #kept: { readonly at: Instant; readonly ends: Promise<SupportEnds> } | null = null;

  /** By the dates of this version of Drover, and those imported since. */
  ends(): Promise<SupportEnds> {
    const now = this.deps.clock.now();
    if (this.#kept && Math.abs(now - this.#kept.at) < KEPT_MS) return this.#kept.ends;
    const kept = { at: now, ends: this.#imported().then(mergedEnds) };
    this.#kept = kept;
    kept.ends.catch(() => {
      if (this.#kept === kept) this.#kept = null;
    });
    return kept.ends;
  }

  /** The last moment of support of a system; `null`: not known, or a rolling release. */
  async endOf(system: Parameters<typeof supportEnd>[0]): Promise<Instant | null> {
    return supportEnd(system, await this.ends());
  }

  /**
   * Adds the dates of a file in the format of endoflife.date, for administrators. Returns how many releases it has, and how
   * many servers they changed. Throws `invalid_input`.
   */
  async import(
    actor: Actor,
    text: string,
    product: string | undefined,
  ): Promise<{ readonly releases: number; readonly servers: number }> {
    actor.requireRole('administrator');
    const found = readSupportEnds(text, product);
    const before = await this.#imported();
    const merged: Record<string, Readonly<Record<string, string>>> = { ...before };
    for (const [id, ends] of Object.entries(found)) merged[id] = { ...before[id], ...ends };
    const releases = Object.values(found).reduce((sum, ends) => sum + Object.keys(ends).length, 0);
    const at = this.deps.clock.now();
    const detail = { products: Object.keys(found), releases };
    const audit = [auditEntry(actor, at, 'os_support.import', 'os_support:all', detail)];
    await this.deps.settings.set(SETTING, JSON.stringify(merged), { audit });
    this.#kept = null;
    const ends = mergedEnds(merged);
    const servers = await this.deps.servers.setSupportEnds((system) => supportEnd(system, ends));
    return { releases, servers };
  }

  async #imported(): Promise<SupportEnds> {
    return JSON.parse((await this.deps.settings.get(SETTING)) ?? '{}') as SupportEnds;
  }
}

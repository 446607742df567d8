import type { Actor } from '../../domain/access/actor.ts';
import { isDomainError } from '../../domain/base/errors.ts';
import { type DataPath, pathsToLookFor } from '../../domain/fleet/data-paths.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from './get-server.ts';
import { type HostOpener, withHost } from './host-opener.ts';

/** Prints those of "$@" that are directories with anything in them, with their size in KiB if two seconds suffice. */
const SURVEY = `
for each in "$@"; do
  [ -d "$each" ] && [ -n "$(ls -A -- "$each" 2>/dev/null | head -n 1)" ] || continue
  size=$(timeout 2 du -skx -- "$each" 2>/dev/null | cut -f1)
  printf '%s\\t%s\\n' "$each" "$size"
done`;
const TIMEOUT_MS = 20_000;
const KIB = 1_024;

/** Finds directories of a host that are worth a backup. */
export class SurveyData extends UseCase<'servers' | 'inventories.find', { readonly opener: HostOpener }> {
  /**
   * For operators. A host that cannot be asked right now has the usual directories, none of them measured. Throws
   * `server_not_found`.
   */
  async execute(actor: Actor, id: number): Promise<readonly DataPath[]> {
    actor.requireRole('operator', id);
    const server = await existingServer(this.deps.servers, actor, id);
    const known = await this.deps.inventories.find(id);
    const wanted = pathsToLookFor(server, known);
    try {
      const command = { script: SURVEY, args: wanted.map(({ path }) => path), asRoot: true };
      const { stdout } = await withHost(this.deps.opener, server, {}, (host) =>
        host.run(command, { timeoutMs: TIMEOUT_MS }),
      );
      const sizes = sizesOf(stdout.toString('utf8'));
      return wanted.flatMap((each) => {
        const bytes = sizes.get(each.path);
        return bytes === undefined ? [] : [{ ...each, bytes }];
      });
    } catch (error) {
      if (!isDomainError(error)) throw error;
      return wanted.map((each) => ({ ...each, bytes: null }));
    }
  }
}

/** Some file systems report no blocks at all: that is no size. */
const sizesOf = (output: string): ReadonlyMap<string, number | null> =>
  new Map(
    output.split('\n').flatMap((line) => {
      const [path, kib] = line.split('\t');
      if (path === undefined || path === '') return [];
      return [[path, kib !== undefined && /^[1-9]\d{0,14}$/.test(kib) ? Number(kib) * KIB : null] as const];
    }),
  );

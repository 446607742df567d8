import { MAX_UPDATES, type PendingUpdate } from '../../../../../domain/fleet/inventory.ts';
import { firstLines } from '../../shell/host-lines.ts';
import type { Sections } from '../../shell/marked-sections.ts';
import { listedUpdate } from '../listed-update.ts';

export const PACMAN_LISTING = String.raw`
pacman_listing() {
  section packages-count 20 pacman_count
  section pacman-updates 1000000 pacman_updates
}
pacman_count() { limit 20 pacman -Qq | grep -c .; }
pacman_updates() { limit 30 pacman -Qu 2>&1; }
`;

/** `linux 6.9.1.arch1-1 -> 6.9.2.arch1-1`, with ` [ignored]` behind it for one that pacman.conf holds. */
const UPDATE = /^(\S{1,200}) (\S{1,200}) -> (\S{1,200})( \[ignored\])?/;

/** `null` where no database of a repository is there. pacman ends with 1 where nothing waits; it knows nothing of security. */
export function readPacmanUpdates(sections: Sections): readonly PendingUpdate[] | null {
  const section = sections.get('pacman-updates');
  if (!section || section.exitCode > 1) return null;
  const lines = Array.from(firstLines(section.text, 2 * MAX_UPDATES));
  const updates = lines.flatMap((line) => {
    const [, name, from, to, ignored] = UPDATE.exec(line) ?? [];
    return listedUpdate({ name, from, to, held: ignored !== undefined });
  });
  const withoutDatabase = lines.some((line) => /^(warning|error): /.test(line));
  return updates.length === 0 && withoutDatabase ? null : updates.slice(0, MAX_UPDATES);
}

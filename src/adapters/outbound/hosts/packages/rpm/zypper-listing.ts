import { MAX_UPDATES, type PendingUpdate } from '../../../../../domain/fleet/inventory.ts';
import { firstLines } from '../../shell/host-lines.ts';
import type { Sections } from '../../shell/marked-sections.ts';
import { listedUpdate } from '../listed-update.ts';

/** Of several sources some could not be used, see zypper(8). */
const SOURCES_LEFT_OUT = 106;

/** `--all`: what is locked too. */
export const ZYPPER_LISTING = String.raw`
zypper_listing() {
  set -- /var/cache/zypp/raw/*/repodata/repomd.xml
  [ -e "$1" ] || return
  section zypper-updates 1000000 limit 60 zypper --non-interactive --no-refresh -q list-updates --all
}
`;

/**
 * `v | updates | demo-lib | 1:2.4.1-3 | 1:2.4.1-4 | x86_64`, with `vl` for one that is locked. Its patches say what is a
 * security fix, but not of which package. `null` where no repository was ever refreshed.
 */
export function readZypperUpdates(sections: Sections): readonly PendingUpdate[] | null {
  const section = sections.get('zypper-updates');
  if (!section || (section.exitCode !== 0 && section.exitCode !== SOURCES_LEFT_OUT)) return null;
  const lines = Array.from(firstLines(section.text, 2 * MAX_UPDATES));
  const updates = lines.flatMap((line) => {
    const [status, origin, name, from, to, arch] = line.split('|', 7).map((cell) => cell.trim());
    if (arch === undefined || (status !== 'v' && status !== 'vl')) return [];
    return listedUpdate({ name, from, to, origin, held: status === 'vl' });
  });
  return updates.slice(0, MAX_UPDATES);
}

import { firstLines } from '../../../application/remote-host/host-text.ts';
import type { Sections } from '../../../application/remote-host/marked-sections.ts';
import { MOST_UPDATES, type PendingUpdate } from '../../../domain/inventory.ts';
import { listedUpdate } from '../listed-update.ts';

export const ZYPPER_LISTING = String.raw`
zypper_listing() {
  set -- /var/cache/zypp/raw/*/repodata/repomd.xml
  [ -e "$1" ] || return
  section zypper-updates 1000000 limit 60 zypper --non-interactive --no-refresh -q list-updates
}
`;

/**
 * `v | updates | demo-lib | 1:2.4.1-3 | 1:2.4.1-4 | x86_64`. Locked packages are left out by zypper itself. Its patches
 * say what is a security fix, but not of which package. `null` where no repository was ever refreshed.
 */
export function readZypperUpdates(sections: Sections): readonly PendingUpdate[] | null {
  const section = sections.get('zypper-updates');
  if (!section || section.exitCode !== 0) return null;
  const lines = Array.from(firstLines(section.text, 2 * MOST_UPDATES));
  const updates = lines.flatMap((line) => {
    const [status, origin, name, from, to, arch] = line.split('|', 7).map((cell) => cell.trim());
    return status === 'v' && arch !== undefined ? listedUpdate({ name, from, to, origin }) : [];
  });
  return updates.slice(0, MOST_UPDATES);
}

import { MAX_UPDATES, type PendingUpdate } from '../../../../../domain/fleet/inventory.ts';
import { firstLines } from '../../shell/host-lines.ts';
import type { Sections } from '../../shell/marked-sections.ts';
import { listedUpdate } from '../listed-update.ts';

/** `--no-network`: newer versions of apk fetch stale indexes by themselves. */
export const APK_LISTING = String.raw`
apk_listing() {
  section packages-count 20 apk_count
  section apk-updates 1000000 apk_updates
  section apk-world 100000 cat /etc/apk/world
}
apk_count() { limit 20 apk info -q | grep -c .; }
apk_updates() { limit 30 apk --no-network version -l '<' 2>&1; }
`;

/** `busybox-1.36.1-r5                       < 1.36.1-r7`; a name may hold dashes, a version has one before its `r`. */
const UPDATE = /^(\S{1,200})-(\d[^-\s]{0,100}-r\d{1,9}) +< +(\S{1,200})/;

/**
 * `null` where apk has no indexes to compare with. It knows nothing of security. Held is what /etc/apk/world asks for in
 * some versions only: `demo=1.0-r0`, `demo<2`, `demo~1.0`.
 */
export function readApkUpdates(sections: Sections): readonly PendingUpdate[] | null {
  const section = sections.get('apk-updates');
  if (!section || section.exitCode !== 0) return null;
  const lines = Array.from(firstLines(section.text, 2 * MAX_UPDATES));
  const pinned = pinnedPackages(sections);
  const updates = lines.flatMap((line) => {
    const [, name, from, to] = UPDATE.exec(line) ?? [];
    return listedUpdate({ name, from, to, held: name !== undefined && pinned.has(name) });
  });
  const withoutIndex = lines.some((line) =>
    /^(WARNING|ERROR): .*\b(APKINDEX|cache|index|opening)\b/i.test(line),
  );
  return updates.length === 0 && withoutIndex ? null : updates.slice(0, MAX_UPDATES);
}

function pinnedPackages(sections: Sections): ReadonlySet<string> {
  const words = Array.from(firstLines(sections.get('apk-world')?.text ?? '', MAX_UPDATES)).flatMap((line) =>
    line.split(/\s+/),
  );
  return new Set(words.flatMap((word) => /^([^\s<>=~@!]{1,200})[<>=~]/.exec(word)?.[1] ?? []));
}

import { firstLines } from '../../shell/host-lines.ts';
import type { Sections } from '../../shell/marked-sections.ts';

/** Change this whenever the parsing of a listing changes: earlier results then no longer count. */
const READER = 1;

/**
 * `apt_unless_same FORMER COMMAND…` prints the section `apt-same` if everything that a listing depends on is
 * unchanged since the stamp FORMER, and else the new stamp as `apt-stamp` and the command's output. Computing a
 * listing takes a second with many pending updates, this a few milliseconds.
 * The stamp is a digest of the contents of apt's settings, pins, sources and of the signed Release files (which
 *  contain the digests of all other lists), and of the names, inodes, sizes and times of the lists and of dpkg's
 *  database, which has the holds. It is computed before the listing: a change in the meantime gives another stamp the
 *  next time. Settings that lead apt elsewhere (`Dir`, `#include`, APT_CONFIG) are not followed; with any of them
 *  there is no stamp, and every listing is computed. They are searched only if the stamp differs: it covers the
 *  contents of the settings, so with the previous stamp there were none.
 * `apt_lists_digest` sets `apt_digest` to the same of all but dpkg's database, in the same pass: what a refresh of
 *  the lists depends on.
 */
export const APT_STAMP = String.raw`
apt_state=
apt_read_state() {
  apt_state=
  if [ -z "$APT_CONFIG" ] && has sha256sum && has stat; then
    apt_state=$(
      echo ${READER}
      sha256sum /etc/apt/apt.conf /etc/apt/apt.conf.d/* /etc/apt/preferences /etc/apt/preferences.d/* \
        /etc/apt/sources.list /etc/apt/sources.list.d/* /etc/machine-id /var/lib/dpkg/arch /var/lib/apt/lists/*Release
      stat -L -c '%n %i %s %y' /var/lib/apt/lists/*_* /var/lib/dpkg/status /var/lib/dpkg/updates/* /var/lib/apt/extended_states
    )
  fi
}
apt_digest() {
  apt_digest=
  [ -n "$1" ] || return 0
  apt_digest=$(printf '%s\n' "$1" | sha256sum)
  apt_digest=${'$'}{apt_digest%% *}
}
apt_lists_digest() {
  apt_digest "${'$'}{apt_state%%"
/var/lib/dpkg/status "*}"
}
apt_unless_same() {
  [ -n "$apt_state" ] || apt_read_state
  apt_digest "$apt_state"
  apt_stamp=$apt_digest
  if [ -n "$apt_stamp" ] && [ "$apt_stamp" = "$1" ]; then
    section_here apt-same :
  else
    grep -qsiE '(^|[^a-z0-9:_-])(dir([^a-z0-9:_-]|::(etc|state))|rootdir)|#include' /etc/apt/apt.conf /etc/apt/apt.conf.d/* && apt_stamp=
    section_here apt-stamp printf %s "$apt_stamp"
    shift
    "$@"
  fi
}
`;

const STAMP = /^[0-9a-f]{64}$/;

export const isAptStamp = (text: string): boolean => STAMP.test(text);

/** Whether the host confirms that the listing with the previous stamp is still valid. */
export const isSame = (sections: Sections): boolean => sections.has('apt-same');

export function readAptStamp(sections: Sections): string | null {
  const [line = ''] = firstLines(sections.get('apt-stamp')?.text ?? '', 1);
  return isAptStamp(line) ? line : null;
}

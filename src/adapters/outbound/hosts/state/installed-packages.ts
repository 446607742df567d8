import type { StateFacts } from '../../../../domain/fleet/host-state.ts';
import type { Sections } from '../shell/marked-sections.ts';
import { factsByName } from './facts-by-name.ts';

/** Lines `name version`, by the package manager whose database exists; dpkg's and rpm's with the architecture. */
export const INSTALLED = String.raw`
installed() {
  if [ -s /var/lib/dpkg/status ] && has dpkg-query; then
    section state-packages 4000000 limit 20 dpkg-query -W -f '${'$'}{db:Status-Status} ${'$'}{Package}:${'$'}{Architecture} ${'$'}{Version}\n'
  elif [ -s /lib/apk/db/installed ]; then
    apk_installed /lib/apk/db/installed
  elif [ -s /usr/lib/apk/db/installed ]; then
    apk_installed /usr/lib/apk/db/installed
  elif [ -d /var/lib/pacman/local ] && has pacman; then
    section state-packages 4000000 limit 20 pacman -Q
  elif has rpm; then
    section state-packages 4000000 limit 20 rpm -qa --qf '%{NAME}.%{ARCH} %|EPOCH?{%{EPOCH}:}:{}|%{VERSION}-%{RELEASE}\n'
  fi
}
apk_installed() {
  section state-packages 4000000 limit 20 awk '/^P:/ { name = substr($0, 3) } /^V:/ { print name, substr($0, 3) }' "$1"
}
`;

/** Debian's line starts with the state: files of a removed package may remain. */
const LINE = /^(?:(installed|[a-z]+(?:-[a-z]+)+) )?(\S{1,200}) (\S{1,200})$/;

export const readInstalled = (sections: Sections): StateFacts =>
  factsByName('package', sections.get('state-packages'), (line) => {
    const [, state = 'installed', name, version] = LINE.exec(line) ?? [];
    return name === undefined || version === undefined || state !== 'installed' ? null : [name, version];
  });

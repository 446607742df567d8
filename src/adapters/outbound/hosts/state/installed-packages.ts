import type { StateFacts } from '../../../../domain/fleet/host-state.ts';
import {
  type InstalledPackage,
  MAX_PACKAGE_TEXT,
  MAX_PACKAGES,
} from '../../../../domain/fleet/installed-package.ts';
import { firstLines } from '../shell/host-lines.ts';
import { plainText } from '../shell/host-text.ts';
import type { Sections } from '../shell/marked-sections.ts';
import { factsByName } from './facts-by-name.ts';

/**
 * Lines `name version source sourceVersion`, by the package manager whose database exists; dpkg's and rpm's names with the
 * architecture, dpkg's lines with the state before. `-`: as the package's own version.
 */
export const INSTALLED = String.raw`
installed() {
  if [ -s /var/lib/dpkg/status ] && has dpkg-query; then
    section state-packages 8000000 limit 20 dpkg-query -W -f '${'$'}{db:Status-Status} ${'$'}{Package}:${'$'}{Architecture} ${'$'}{Version} ${'$'}{source:Package} ${'$'}{source:Version}\n'
  elif [ -s /lib/apk/db/installed ]; then
    apk_installed /lib/apk/db/installed
  elif [ -s /usr/lib/apk/db/installed ]; then
    apk_installed /usr/lib/apk/db/installed
  elif [ -d /var/lib/pacman/local ] && has pacman; then
    section state-packages 8000000 limit 20 pacman -Q
  elif has rpm; then
    section state-packages 8000000 limit 20 rpm -qa --qf '%{NAME}.%{ARCH} %|EPOCH?{%{EPOCH}:}:{}|%{VERSION}-%{RELEASE} %{SOURCERPM} -\n'
  fi
}
apk_installed() {
  section state-packages 8000000 limit 20 awk '
    function say() { if (name != "") print name, version, (origin == "" ? name : origin), "-"; name = origin = "" }
    /^P:/ { name = substr($0, 3) }
    /^V:/ { version = substr($0, 3) }
    /^o:/ { origin = substr($0, 3) }
    /^$/ { say() }
    END { say() }
  ' "$1"
}
`;

/** Debian's line starts with the state: files of a removed package may remain. */
const LINE = /^(?:(installed|[a-z]+(?:-[a-z]+)+) )?(\S{1,200}) (\S{1,200})(?: (\S{1,200}) (\S{1,200}))?$/;

export const readInstalled = (sections: Sections): StateFacts =>
  factsByName('package', sections.get('state-packages'), (line) => {
    const [, state = 'installed', name, version] = LINE.exec(line) ?? [];
    return name === undefined || version === undefined || state !== 'installed' ? null : [name, version];
  });

/** `null` if the host could not list them, or listed more than are stored. */
export function readPackages(sections: Sections): readonly InstalledPackage[] | null {
  const section = sections.get('state-packages');
  if (section?.exitCode !== 0) return null;
  const found: InstalledPackage[] = [];
  for (const line of firstLines(section.text, 2 * MAX_PACKAGES)) {
    const each = packageOf(line);
    if (each === null) continue;
    if (found.length === MAX_PACKAGES) return null;
    found.push(each);
  }
  return found;
}

function packageOf(line: string): InstalledPackage | null {
  const [, state, named = '', versionText, sourceText, sourceVersion] = LINE.exec(line) ?? [];
  if (state !== undefined && state !== 'installed') return null;
  const isRpm = sourceText !== undefined && (sourceText.endsWith(SOURCE_RPM) || sourceText === '(none)');
  const separator = state === undefined ? (isRpm ? '.' : '') : ':';
  const name = plainText(separator === '' ? named : upToLast(named, separator), MAX_PACKAGE_TEXT);
  const version = plainText(versionText, MAX_PACKAGE_TEXT);
  if (name === null || version === null) return null;
  const source = plainText(isRpm ? sourceOf(sourceText) : sourceText, MAX_PACKAGE_TEXT) ?? name;
  // Debian and Ubuntu sign kernels in a separate source, whose version is another one; advisories name the kernel's.
  if (source.startsWith(SIGNED_KERNEL)) {
    const flavour = source.slice(SIGNED_KERNEL.length);
    const kernel = SIGNED_BY_DEBIAN.includes(flavour) ? 'linux' : `linux${flavour}`;
    return { name, version, source: kernel, sourceVersion: version };
  }
  const builtFrom = sourceVersion === '-' ? null : plainText(sourceVersion, MAX_PACKAGE_TEXT);
  return { name, version, source, sourceVersion: builtFrom ?? version };
}

const SIGNED_KERNEL = 'linux-signed';
const SIGNED_BY_DEBIAN = ['-amd64', '-arm64', '-i386', '-armhf'];
const SOURCE_RPM = '.src.rpm';

/** `openssl-3.0.7-6.el9.src.rpm` → `openssl`. */
const sourceOf = (file: string): string | undefined =>
  file.endsWith(SOURCE_RPM) ? upToLast(upToLast(file.slice(0, -SOURCE_RPM.length), '-'), '-') : undefined;

const upToLast = (text: string, separator: string): string => {
  const at = text.lastIndexOf(separator);
  return at > 0 ? text.slice(0, at) : text;
};

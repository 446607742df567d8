import { MAX_UPDATES, type PendingUpdate } from '../../../../../domain/fleet/inventory.ts';
import { firstLines } from '../../shell/host-lines.ts';
import type { Sections } from '../../shell/marked-sections.ts';
import { listedUpdate } from '../listed-update.ts';
import { installedVersions } from './rpm-packages.ts';

/**
 * `$1` is dnf5, dnf or yum. `-C` uses the existing metadata, and reports if there is none unless `-q` is given; dnf5
 * never reports it; yum has no `--security` for updateinfo. Packages that are excluded or version-locked are in
 * neither list: if there are such rules, they are the ones that are in a list without the rules and not in the other.
 */
export const DNF_LISTING = String.raw`
# A source that never answered has no metadata here, and is no reason to tell nothing of the others.
dnf_skip='--setopt=*.skip_if_unavailable=1'
dnf_listing() {
  dnf=$1
  section dnf-updates 1000000 dnf_updates
  section dnf-security 1000000 dnf_security
  if dnf_excludes; then
    if [ "$dnf" = dnf5 ]; then section dnf5-locked 10000 dnf5_locked; else section dnf-all 1000000 dnf_all; fi
  fi
}
dnf_excludes() {
  set -- /etc/yum.repos.d/*.repo
  grep -qsE '^[[:space:]]*(exclude|excludepkgs|includepkgs)[[:space:]]*=' /etc/dnf/dnf.conf /etc/yum.conf "$@" ||
    grep -qsE '^[^#]' /etc/dnf/plugins/versionlock.list /etc/yum/pluginconf.d/versionlock.list /etc/dnf/versionlock.toml
}
dnf_all() { limit 60 "$dnf" -C "$dnf_skip" --disableplugin=versionlock --disableexcludes=all check-update 2>&1; }
dnf5_locked() { sed -n 's/^name *= *"\([^"]*\)".*/\1/p' /etc/dnf/versionlock.toml; }
dnf_updates() {
  if [ "$dnf" = dnf5 ]; then
    set -- /var/cache/libdnf5/*/repodata/repomd.xml
    [ -e "$1" ] || { echo 'no cache for any repository'; return 0; }
  fi
  limit 60 "$dnf" -C "$dnf_skip" check-update 2>&1
}
dnf_security() {
  if [ "$dnf" = yum ]; then
    limit 60 yum -C -q "$dnf_skip" updateinfo list security
  else
    limit 60 "$dnf" -C -q "$dnf_skip" updateinfo list --security
  fi
}
`;

/** `demo-lib.x86_64   1:2.4.1-4.fc39   security`; yum breaks long lines, which goes on with blanks. */
const UPDATE = /^(\S{1,200})\.([a-z0-9_]{1,20})\s+(\S{1,200})\s+(\S{1,200})\s*$/;
const MAX_LINES = 4 * MAX_UPDATES;

/** `null` if the metadata was never fetched. dnf ends with 100 if updates are pending. */
export function readDnfUpdates(sections: Sections): readonly PendingUpdate[] | null {
  const section = sections.get('dnf-updates');
  if (!section || (section.exitCode !== 0 && section.exitCode !== 100)) return null;
  const updates = updatesIn(section.text, sections, false);
  const listed = new Set(updates.map(({ name, to }) => `${name} ${to}`));
  const held = updatesIn(sections.get('dnf-all')?.text ?? '', sections, true).filter(
    ({ name, to, from }) => from !== null && !listed.has(`${name} ${to}`),
  );
  const isCold =
    section.exitCode === 0 &&
    /no cache for|Cache-only enabled/i.test(section.text) &&
    !/^Last metadata expiration check/m.test(section.text);
  return isCold ? null : [...updates, ...held].slice(0, MAX_UPDATES);
}

function updatesIn(text: string, sections: Sections, held: boolean): readonly PendingUpdate[] {
  const installed = installedVersions(sections);
  const advised = advisedPackages(sections);
  return updateLines(text).flatMap((line) => {
    const [, name, arch, to = '', origin] = UPDATE.exec(line) ?? [];
    const from = installed.get(`${name}.${arch}`);
    const security = advised.has(`${name}-${withoutEpoch(to)}.${arch}`);
    return listedUpdate({ name, from, to, origin, security, held });
  });
}

/** Joins wrapped lines, up to the list of packages that others would replace. */
function updateLines(text: string): string[] {
  const whole: string[] = [];
  for (const line of firstLines(text, MAX_LINES)) {
    if (/^Obsoleting /i.test(line)) break;
    const last = whole.length - 1;
    if (/^\s+\S/.test(line) && last >= 0) whole[last] = `${whole[last]} ${line}`.slice(0, 1_000);
    else whole.push(line.slice(0, 1_000));
  }
  return whole;
}

/** Every word of the list of advisories that may be a package: `demo-lib-1:2.4.1-4.fc39.x86_64`, without its epoch. */
function advisedPackages(sections: Sections): ReadonlySet<string> {
  const section = sections.get('dnf-security');
  const words = Array.from(firstLines(section?.text ?? '', MAX_LINES), (line) =>
    line
      .slice(0, 1_000)
      .split(/\s+/)
      .filter((word) => isPackage(word))
      .map((word) => word.replace(/-\d+:/, '-')),
  );
  return new Set(words.flat());
}

/** `name-version-release.arch` */
function isPackage(word: string): boolean {
  const release = word.indexOf('-', word.indexOf('-') + 1);
  return word.includes('-') && release > word.indexOf('-') && word.indexOf('.', release) > 0;
}

const withoutEpoch = (version: string): string => version.replace(/^\d+:/, '');

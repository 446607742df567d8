import type { InstalledPackage } from '../../../../domain/fleet/installed-package.ts';
import { MAX_PACKAGE_TEXT } from '../../../../domain/fleet/installed-package.ts';
import { isCveId, isOlderRpm, type ReportedFix } from '../../../../domain/fleet/vulnerability.ts';
import { firstLines } from '../shell/host-lines.ts';
import { plainText } from '../shell/host-text.ts';
import type { Sections } from '../shell/marked-sections.ts';

/**
 * The advisories of dnf's and zypper's repositories, as the host last fetched them (updateinfo.xml): lines `advisory package
 * version CVE,CVE` of installed packages that may be older. awk reads tags as records, since some publishers write the whole
 * file as one line. Which versions are older is decided later: here only what is surely newer is left out, to keep the
 * output short. A file whose compression the host cannot read is left out.
 */
export const FIXES = String.raw`
fixes() {
  has rpm || return
  set --
  for file in /var/cache/dnf/*/repodata/*updateinfo.xml* /var/cache/libdnf5/*/repodata/*updateinfo.xml* \
    /var/cache/yum/*/*/*/*updateinfo.xml* /var/cache/zypp/raw/*/repodata/*updateinfo.xml*; do
    [ -r "$file" ] && set -- "$@" "$file"
  done
  [ "$#" = 0 ] || section state-fixes 2000000 fixes_in "$@"
}
fixes_in() {
  {
    limit 20 rpm -qa --qf '%{NAME} %|EPOCH?{%{EPOCH}:}:{}|%{VERSION}-%{RELEASE}\n'
    for file in "$@"; do
      case $file in
        *.gz) set -- gzip -dc ;;
        *.zst) set -- zstd -dc ;;
        *.xz) set -- xz -dc ;;
        *.bz2) set -- bzip2 -dc ;;
        *.xml) set -- cat ;;
        *) continue ;;
      esac
      has "$1" && printf '<' && limit 10 "$@" "$file"
    done
  } | limit 20 awk '
    function value(key, at, rest, quote) {
      at = index($0, " " key "=")
      if (!at) return ""
      rest = substr($0, at + length(key) + 2)
      quote = substr(rest, 1, 1)
      rest = substr(rest, 2)
      return substr(rest, 1, index(rest, quote) - 1)
    }
    function may_be_older(a, b, n, m, i, x, y) {
      if (a == b) return 0
      if ((a b) ~ /[~^]/) return 1
      n = split(a, x, /[^0-9A-Za-z]+/)
      m = split(b, y, /[^0-9A-Za-z]+/)
      for (i = 1; i <= n && i <= m; i++) {
        if (x[i] == y[i]) continue
        if (x[i] !~ /^[0-9]+$/ || y[i] !~ /^[0-9]+$/) return 1
        if (x[i] + 0 != y[i] + 0) return x[i] + 0 < y[i] + 0
      }
      return 1
    }
    # The streams of a module are beside each other: an advisory of nodejs 20 says nothing of nodejs 18.
    function first_of(evr) {
      sub(/^[0-9]*:/, "", evr)
      sub(/[^0-9].*/, "", evr)
      return evr
    }
    function say(n, i, evr) {
      n = split(installed[name], evrs, " ")
      for (i = 1; i <= n; i++) {
        evr = evrs[i]
        if (evr !~ /:/) evr = "0:" evr
        if (modular && first_of(evr) != first_of(to)) continue
        if (may_be_older(evr, to)) { print id, name, to, cves; return }
      }
    }
    BEGIN { RS = "<" }
    NR == 1 {
      n = split($0, lines, "\n")
      for (i = 1; i <= n; i++) if (split(lines[i], word, " ") == 2) installed[word[1]] = installed[word[1]] " " word[2]
      next
    }
    /^update[ >]/ { id = cves = ""; count = in_module = 0; split("", known); split("", names); next }
    /^id>/ { id = substr($0, 4); sub(/[ \t\r\n].*/, "", id); next }
    /^reference[ >]/ {
      rest = $0
      while (match(rest, /CVE-[0-9][0-9][0-9][0-9]-[0-9][0-9][0-9][0-9]+/)) {
        cve = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        if (!(cve in known)) { known[cve] = 1; cves = (cves == "" ? cve : cves "," cve) }
      }
      next
    }
    /^collection[ >]/ { in_module = 0; next }
    /^module[ >]/ { in_module = 1; next }
    /^package[ >]/ {
      name = value("name")
      if (!(name in installed)) next
      to = value("epoch")
      if (to == "") to = 0
      to = to ":" value("version") "-" value("release")
      if (!((name " " to) in names)) { names[name " " to] = 1; list[++count] = name " " to " " in_module }
      next
    }
    /^\/update>/ && cves != "" && id != "" {
      for (i = 1; i <= count; i++) { split(list[i], word, " "); name = word[1]; to = word[2]; modular = word[3]; say() }
    }'
}
`;

const LINE = /^([A-Za-z0-9][\w.:+/-]{1,99}) (\S{1,200}) (?:0:)?(\S{1,200}) (CVE-[CVE\d,-]{1,20000})$/;
const MAX_LINES = 20_000;
/** In characters: an update of a kernel names hundreds of CVEs. */
const MAX_LINE = 21_000;
/** Of one server; the rest is left out. */
const MAX_FIXES = 20_000;
/** Of one package: a host keeps a few kernels. More would take long to compare with each line. */
const MAX_VERSIONS = 10;

/** The CVEs of installed packages that the host's package manager can fix; `null` if it does not say. */
export function readFixes(
  sections: Sections,
  installed: readonly InstalledPackage[] | null,
): readonly ReportedFix[] | null {
  const section = sections.get('state-fixes');
  if (section?.exitCode !== 0 || installed === null) return null;
  const versions = new Map<string, string[]>();
  for (const { name, version } of installed) {
    const known = versions.get(name) ?? [];
    if (known.length < MAX_VERSIONS) versions.set(name, [...known, version]);
  }
  const found = new Map<string, ReportedFix>();
  for (const line of firstLines(section.text, MAX_LINES, MAX_LINE)) {
    const [, advisory = '', rawName, rawFixed, cves = ''] = LINE.exec(line) ?? [];
    const name = plainText(rawName, MAX_PACKAGE_TEXT);
    const fixed = plainText(rawFixed, MAX_PACKAGE_TEXT);
    if (name === null || fixed === null) continue;
    for (const version of versions.get(name) ?? []) {
      if (!isOlderRpm(version, fixed)) continue;
      for (const cve of cves.split(',')) {
        if (!isCveId(cve)) continue;
        if (found.size === MAX_FIXES) return [...found.values()];
        found.set(`${cve} ${name} ${version} ${advisory}`, { advisory, cve, package: name, version, fixed });
      }
    }
  }
  return [...found.values()];
}

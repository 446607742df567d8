import { firstLines } from '../../shell/host-lines.ts';
import type { Sections } from '../../shell/marked-sections.ts';

export const RPM_LISTING = String.raw`
rpm_listing() {
  section rpm-packages 2000000 limit 20 rpm -qa --qf '%{INSTALLTIME} %{NAME}.%{ARCH} %|EPOCH?{%{EPOCH}:}|%{VERSION}-%{RELEASE}\n'
}
`;

const PACKAGE = /^(\d{1,12}) (\S{1,200}) (\S{1,200})$/;
const MAX_PACKAGES = 30_000;

/** Version by name and architecture (`demo-lib.x86_64`); of several, as with kernels, the one that was installed last. */
export function installedVersions(sections: Sections): ReadonlyMap<string, string> {
  const versions = new Map<string, string>();
  for (const { name, version } of packages(sections).toSorted((one, other) => one.at - other.at)) {
    versions.set(name, version);
  }
  return versions;
}

export function countRpmPackages(sections: Sections): number | null {
  const section = sections.get('rpm-packages');
  return section?.exitCode === 0 ? packages(sections).length : null;
}

function packages(sections: Sections): Array<{ at: number; name: string; version: string }> {
  const lines = Array.from(firstLines(sections.get('rpm-packages')?.text ?? '', MAX_PACKAGES));
  return lines.flatMap((line) => {
    const [, at = '', name = '', version = ''] = PACKAGE.exec(line) ?? [];
    // keys that packages are signed with are kept as if they were packages
    return at === '' || name.startsWith('gpg-pubkey.') ? [] : [{ at: Number(at), name, version }];
  });
}

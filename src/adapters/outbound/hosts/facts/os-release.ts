import { firstLines } from '../shell/host-lines.ts';
import { plainText } from '../shell/host-text.ts';
import type { Sections } from '../shell/marked-sections.ts';

export const OS_RELEASE = String.raw`
os_release() { section_here os-release release_lines; }
release_lines() {
  release=/etc/os-release told=0
  [ -r "$release" ] || release=/usr/lib/os-release
  while [ "$told" -lt 200 ] && { IFS= read -r line || [ -n "$line" ]; }; do
    printf '%s\n' "$line"
    told=$((told + 1))
  done <"$release"
}
`;

export interface OsRelease {
  readonly id: string | null;
  readonly idLike: string | null;
  readonly version: string | null;
  readonly pretty: string | null;
}

/** Shell-like assignments, as os-release(5) has them. A rolling distribution has no version. */
export function readOsRelease(sections: Sections): OsRelease {
  const fields = new Map<string, string>();
  for (const line of firstLines(sections.get('os-release')?.text ?? '', 200)) {
    const [, key, value] = /^([A-Z_]{1,40})=(.{0,1000})$/.exec(line.trim()) ?? [];
    if (key !== undefined && value !== undefined) fields.set(key, unquoted(value));
  }
  return {
    id: plainText(fields.get('ID'), 60),
    idLike: plainText(fields.get('ID_LIKE'), 200),
    version: plainText(fields.get('VERSION_ID') ?? fields.get('BUILD_ID'), 60),
    pretty: plainText(fields.get('PRETTY_NAME') ?? fields.get('NAME'), 120),
  };
}

function unquoted(value: string): string {
  const quote = value[0];
  if (value.length < 2 || (quote !== '"' && quote !== "'") || !value.endsWith(quote)) return value;
  const inner = value.slice(1, -1);
  return quote === '"' ? inner.replace(/\\(["$`\\])/g, '$1') : inner;
}

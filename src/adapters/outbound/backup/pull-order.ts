import type { PlanRequest } from '../../../application/ports/backups/backup-engine.ts';
import type { RemoteHost } from '../../../application/ports/fleet/remote-host.ts';
import { type ByteString, display } from './byte-string.ts';
import { type ExcludeMatcher, excludeMatcher } from './exclude-matcher.ts';
import { excludePatterns } from './exclude-rules.ts';
import { quotedPaths } from './restore-target.ts';
import type { Survey } from './source-survey.ts';
import { hasGnuTar } from './tree-writer.ts';

/** What to read from a host. */
export interface SourceOrder {
  readonly host: RemoteHost;
  /** Absolute paths on the host. */
  readonly roots: readonly ByteString[];
  readonly excludes: ExcludeMatcher;
  /** Whether the host's tar is GNU's, which knows holes and attributes. */
  readonly isGnu: boolean;
  /** Whether the tar of this machine is. */
  readonly isGnuHere: boolean;
  /** Whether ACLs and extended attributes are kept. */
  readonly attributes: boolean;
}

/** Logs what will be read. `former`: the snapshot to build on. */
export async function orderFor(
  { host, source, extraExcludes = [] }: PlanRequest,
  survey: Survey,
  store: { readonly root: string },
  former: { readonly attributes: boolean } | null,
  watch: { readonly log: (line: string) => void },
): Promise<SourceOrder> {
  const isGnuHere = await hasGnuTar();
  const patterns = excludePatterns({
    patterns: [...source.excludes, ...extraExcludes],
    roots: survey.roots,
    moved: survey.moved,
    store: survey.hasStore ? store.root : null,
  });
  const isGnu = survey.abilities.includes('GNU tar');
  const [maker = 'tar'] = /GNU tar|busybox|bsdtar/i.exec(survey.abilities) ?? [];
  watch.log(`Reading ${quotedPaths(survey.roots)} on the host (${maker} ${survey.version}).`);
  for (const line of remarks(survey)) watch.log(line);
  return {
    host,
    roots: survey.roots,
    excludes: excludeMatcher(patterns),
    isGnu,
    isGnuHere,
    attributes: keepsAttributes({ isGnu, isGnuHere }, former, watch.log),
  };
}

/** Without root the store keeps no owners either, so that ACLs would name the wrong ones. */
function keepsAttributes(
  tar: { readonly isGnu: boolean; readonly isGnuHere: boolean },
  former: { readonly attributes: boolean } | null,
  log: (line: string) => void,
): boolean {
  if (process.geteuid?.() !== 0) return false;
  if (!tar.isGnu || !tar.isGnuHere) {
    log('ACLs and extended attributes are not kept: the tar here or on the host is not GNU tar.');
    return false;
  }
  if (former?.attributes !== false) return true;
  log(
    'ACLs and extended attributes are not kept: the last snapshot has none, and unchanged files are taken from it. A new source keeps them.',
  );
  return false;
}

/** Notes for the operator's later questions. */
export function remarks({ moved, links }: Survey): string[] {
  const ends = new Set(links.map(({ end }) => end));
  return [
    ...links.map(
      ({ link, end }) =>
        `"${link}" is a symbolic link: the backup contains the link and its target, "${display(end)}".`,
    ),
    ...moved
      .filter(({ to }) => !ends.has(to))
      .map(({ from, to }) => `"${from}" contains a symbolic link; it is stored as "${display(to)}".`),
  ];
}

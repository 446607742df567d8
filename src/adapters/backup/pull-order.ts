import type { PlanRequest } from '../../application/ports/backup-engine.ts';
import { display } from './byte-string.ts';
import { excludePatterns } from './exclude-rules.ts';
import { carriesAttributes, carriesAttributesHere } from './kept-attributes.ts';
import type { PullOrder } from './pull.ts';
import { type Survey, surveySource } from './source-survey.ts';
import type { StoreIdentity } from './store-identity.ts';
import { quotedPaths } from './wording.ts';

/** What a pull needs besides its trees in the store. */
export type SourceOrder = Pick<PullOrder, 'host' | 'roots' | 'excludes' | 'attributes'>;

/** Looks at the source on its host and says in the log what will be read. */
export async function orderFor(
  { host, source, extraExcludes = [] }: PlanRequest,
  store: StoreIdentity & { readonly root: string },
  watch: { readonly signal: AbortSignal; readonly log: (line: string) => void },
): Promise<SourceOrder> {
  const survey = await surveySource(host, source.paths, store, watch.signal);
  const excludes = excludePatterns({
    patterns: [...source.excludes, ...extraExcludes],
    roots: survey.roots,
    moved: survey.moved,
    store: survey.hasStore ? store.root : null,
  });
  watch.log(`Reading ${quotedPaths(survey.roots)} on the host (rsync ${survey.version}).`);
  for (const line of remarks(survey)) watch.log(line);
  const attributes = carriesAttributes(survey.abilities) && (await carriesAttributesHere());
  if (!attributes && process.geteuid?.() === 0) {
    watch.log('ACLs and extended attributes are not kept: rsync here or on the host was built without them.');
  }
  return { host, roots: survey.roots, excludes, attributes };
}

/** What an operator may wonder about later. */
export function remarks({ moved, links }: Survey): string[] {
  const ends = new Set(links.map(({ end }) => end));
  return [
    ...links.map(
      ({ link, end }) =>
        `"${link}" is a symbolic link: it is kept, and so is what it leads to, "${display(end)}".`,
    ),
    ...moved
      .filter(({ to }) => !ends.has(to))
      .map(({ from, to }) => `"${from}" goes through a symbolic link; it is kept as "${display(to)}".`),
  ];
}

import { resolve } from 'node:path';
import type {
  ExclusionRequest,
  ExclusionSurvey,
} from '../../../application/ports/backups/exclusion-survey.ts';
import type { ProtectedPlaces } from '../../../application/ports/backups/protected-places.ts';
import type { ExclusionPreview } from '../../../domain/backups/exclusion-preview.ts';
import type { ByteString } from './byte-string.ts';
import { excludeMatcher } from './exclude-matcher.ts';
import { excludePatterns } from './exclude-rules.ts';
import { ExclusionTally } from './exclusion-tally.ts';
import { excludesOfPlaces } from './guarded-backup-engine.ts';
import { type ListingLimits, listSizes } from './size-listing.ts';
import { surveySource } from './source-survey.ts';
import { makeDirectory } from './store-directory.ts';
import { storeIdentity } from './store-identity.ts';

const LIMITS: ListingLimits = { ms: 60_000, paths: 2_000_000 };

/** Lists a host's files and asks the backup's own matcher about each. */
export class ShellExclusionSurvey implements ExclusionSurvey {
  readonly #root: string;
  readonly #places: ProtectedPlaces;
  readonly #limits: ListingLimits;

  /** `root`: the store of the backups, which is never backed up itself. */
  constructor(options: {
    readonly root: string;
    readonly places: ProtectedPlaces;
    readonly limits?: ListingLimits;
  }) {
    this.#root = resolve(options.root);
    this.#places = options.places;
    this.#limits = options.limits ?? LIMITS;
  }

  async preview(request: ExclusionRequest, signal: AbortSignal): Promise<ExclusionPreview> {
    const { host, source } = request;
    await makeDirectory(this.#root);
    const [store, extra] = [
      await storeIdentity(this.#root),
      await excludesOfPlaces(this.#places, request, { signal, log: () => undefined }),
    ];
    const { roots, moved, hasStore } = await surveySource(host, source.paths, store, signal, 'tar');
    const inAnyCase = excludePatterns({
      patterns: extra,
      roots,
      moved,
      store: hasStore ? this.#root : null,
    });
    // A root below another one comes first, so that the outer one can skip it.
    const ordered = roots.toSorted((a, b) => b.length - a.length);
    const patternsOf = (patterns: readonly string[]): readonly string[] =>
      excludePatterns({ patterns, roots: [], moved, store: null });
    const tally = new ExclusionTally({
      all: excludeMatcher(patternsOf(source.excludes)),
      patterns: source.excludes.map((pattern) => ({
        pattern,
        matcher: excludeMatcher(patternsOf([pattern])),
      })),
      roots: ordered.map((path) => path.slice(1) as ByteString),
    });
    const { rules } = excludeMatcher(inAnyCase);
    const listed = await listSizes(host, ordered, rules, this.#limits, (entry) => tally.add(entry), signal);
    return { ...tally.finish(), ...listed };
  }
}

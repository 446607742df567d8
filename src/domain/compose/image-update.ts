import { digestsOf, isPinned } from './image-reference.ts';

/** The current digest of a reference according to a registry, or why it is unknown, as one sentence. */
export type RegistryWord = { readonly digest: string } | { readonly digest: null; readonly reason: string };

/** Whether a newer image exists for a container. */
export interface ImageVerdict {
  /** `null`: not known. */
  readonly update: boolean | null;
  /** Digests in the registry: of the current image, and of the reference today. */
  readonly from: string | null;
  readonly to: string | null;
  /** Why it is not known, or why nothing is asked; one sentence. */
  readonly reason: string | null;
}

/** Whether a registry has to be asked about it. */
export const isAsked = (reference: string): boolean => reference !== '' && !isPinned(reference);

/**
 * Compares an image's digests with the registry's. An image with several digests is up to date if any of them
 * matches.
 */
export function imageVerdict(
  reference: string,
  repoDigests: readonly string[],
  word: RegistryWord | undefined,
): ImageVerdict {
  const here = digestsOf(repoDigests, reference);
  const from = here[0] ?? null;
  if (reference === '') return unknown(from, 'Its image has no name.');
  if (isPinned(reference)) {
    return {
      update: false,
      from,
      to: null,
      reason: 'It is pinned to an image digest, which never changes.',
    };
  }
  if (from === null) {
    return unknown(from, 'Its image was built or loaded on the host, and no registry is known to have it.');
  }
  if (word === undefined) return unknown(from, 'No registry was queried.');
  if (word.digest === null) return unknown(from, word.reason);
  if (here.includes(word.digest)) return { update: false, from: word.digest, to: word.digest, reason: null };
  return { update: true, from, to: word.digest, reason: null };
}

const unknown = (from: string | null, reason: string): ImageVerdict => ({
  update: null,
  from,
  to: null,
  reason,
});

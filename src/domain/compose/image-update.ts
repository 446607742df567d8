import { digestsOf, isPinned } from './image-reference.ts';

/** What a registry says that a reference is now; or why it cannot be told, as one sentence. */
export type RegistryWord = { readonly digest: string } | { readonly digest: null; readonly reason: string };

/** Whether there is another image for a container than the one that it was made from. */
export interface ImageVerdict {
  /** `null`: not known. */
  readonly update: boolean | null;
  /** Digests in the registry: of the image that is there, and of the one that the reference means now. */
  readonly from: string | null;
  readonly to: string | null;
  /** Why it is not known, or why nothing is asked; one sentence. */
  readonly reason: string | null;
}

/** Whether a registry has to be asked about it. */
export const isAsked = (reference: string): boolean => reference !== '' && !isPinned(reference);

/**
 * Compares what an image came by with what the registry has. An image that came by several digests is up to date when any
 * of them is the registry's.
 */
export function imageVerdict(
  reference: string,
  repoDigests: readonly string[],
  word: RegistryWord | undefined,
): ImageVerdict {
  const here = digestsOf(repoDigests, reference);
  const from = here[0] ?? null;
  if (reference === '') return unknown(from, 'It was made from an image without a name.');
  if (isPinned(reference)) {
    return {
      update: false,
      from,
      to: null,
      reason: 'It names one image by its digest, which never changes.',
    };
  }
  if (from === null) {
    return unknown(from, 'Its image was built or loaded on the host, and no registry is known to have it.');
  }
  if (word === undefined) return unknown(from, 'No registry was asked.');
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

import type { IconName } from '../../components/icon-names.ts';

export interface Hit {
  readonly href: string;
  readonly icon: IconName;
  readonly label: string;
  /** What sets it apart from others of its kind. */
  readonly aside?: string;
  /** Other words to find it by. */
  readonly keywords?: string;
}

export interface HitGroup {
  readonly label: string;
  readonly hits: readonly Hit[];
  /** The lower, the further up; without one, the group stays behind those that have it. */
  readonly score?: number;
}

/** Fewer letters are in the right order in almost every label. */
const MIN_FUZZY_LENGTH = 3;

/** How well a word fits: 0 is the best, `null` not at all. */
function scoreOf(word: string, label: string, keywords: string): number | null {
  if (label === word) return 0;
  if (label.startsWith(word)) return 1;
  if (label.split(/[\s-]/).some((each) => each.startsWith(word))) return 2;
  if (label.includes(word)) return 3;
  if (keywords.split(' ').some((each) => each.startsWith(word))) return 3;
  return word.length >= MIN_FUZZY_LENGTH && hasInOrder(label, word) ? 6 : null;
}

/** Whether all letters of the word are in the text, in this order, and the first one starts a word. */
function hasInOrder(text: string, word: string): boolean {
  let from = 0;
  for (const [index, letter] of Array.from(word).entries()) {
    const at = text.indexOf(letter, from);
    if (at < 0) return false;
    if (index === 0 && at > 0 && !/[\s-]/.test(text[at - 1] ?? '')) return false;
    from = at + 1;
  }
  return true;
}

/** Of all words together; `null`: one of them does not fit. */
export function fit(q: string, { label, keywords = '' }: Pick<Hit, 'label' | 'keywords'>): number | null {
  const text = label.toLowerCase();
  if (q.toLowerCase() === text) return 0;
  let sum = 0;
  const words = q.toLowerCase().split(/\s+/);
  for (const word of words) {
    const score = scoreOf(word, text, keywords);
    if (score === null) return null;
    sum += score;
  }
  return sum / words.length;
}

/** Those that fit, the best first. */
export function ranked(q: string, label: string, hits: readonly Hit[], max: number): HitGroup {
  const found = hits
    .flatMap((hit) => {
      const score = fit(q, hit);
      return score === null ? [] : [{ hit, score }];
    })
    .toSorted((one, other) => one.score - other.score);
  return {
    label,
    hits: found.slice(0, max).map(({ hit }) => hit),
    ...(found[0] === undefined ? {} : { score: found[0].score }),
  };
}

/** Groups with hits, the one with the best hit first. */
export const inOrder = (groups: readonly HitGroup[]): readonly HitGroup[] =>
  groups
    .filter(({ hits }) => hits.length > 0)
    .toSorted((one, other) => (one.score ?? LAST) - (other.score ?? LAST));

const LAST = 100;

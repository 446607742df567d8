import { structuredPatch } from 'diff';
import type { TextDiff } from '../../../application/ports/files/text-diff.ts';

/** Bounds the time that hostile texts take; beyond them all lines are shown. */
const LIMITS = { context: 3, maxEditLength: 2_000, timeout: 500 } as const;

/** https://github.com/kpdecker/jsdiff */
export class JsTextDiff implements TextDiff {
  between(before: string, after: string): string {
    const patch = structuredPatch('', '', before, after, '', '', LIMITS);
    if (!patch) return [...marked('-', before), ...marked('+', after)].join('\n');
    return patch.hunks
      .flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
        `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
        ...lines,
      ])
      .join('\n');
  }
}

const marked = (mark: string, text: string): readonly string[] =>
  text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => `${mark}${line}`);

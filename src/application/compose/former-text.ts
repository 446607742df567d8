import { MASK, type SecretMask } from '../../domain/base/secret-mask.ts';

/** What is most likely a secret, whoever wrote it: `DB_PASSWORD: x`, `token = x`. */
const LIKELY_SECRET =
  /^(\s*(?:-\s+)?["']?[\w.-]*(?:passw(?:or)?d|passphrase|secret|token|api_?key|private_?key|credential)[\w.-]*["']?\s*[:=]\s*)\S.*$/i;

/**
 * What a host has, as it may be shown: known secrets are masked, and so is what follows where the new text has a secret
 * behind the same words, and what looks like one in a line that the new text has not. Whoever wrote the file, a diff must
 * not tell its passwords.
 */
export function shownFormer(before: string, shownAfter: string, mask: SecretMask): string {
  const after = new Set(shownAfter.split('\n'));
  const heads = [...after]
    .filter((line) => line.includes(MASK))
    .map((line) => line.slice(0, line.indexOf(MASK)).trim())
    .filter((head) => head !== '');
  return mask
    .mask(before)
    .split('\n')
    .map((line) => {
      if (after.has(line)) return line;
      const head = heads.find((each) => line.trim().startsWith(each));
      if (head !== undefined) return `${line.slice(0, line.indexOf(head) + head.length)}${MASK}`;
      return line.replace(LIKELY_SECRET, `$1${MASK}`);
    })
    .join('\n');
}

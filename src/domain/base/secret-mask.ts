/** Replaces a secret in all output. */
export const MASK = '********';

/**
 * Takes known secrets out of texts, wherever they come from: as they are, and as YAML, JSON, compose and shells write
 * them. Shorter ones than eight characters are none (see `MIN_SECRET_LENGTH`).
 */
export class SecretMask {
  readonly #forms: readonly string[];

  constructor(secrets: Iterable<string>) {
    const forms = new Set<string>();
    for (const secret of secrets) {
      if (secret === '') continue;
      for (const form of [secret, ...secret.split('\n')]) {
        if (form.length < SHORTEST && form !== secret) continue;
        const escaped = JSON.stringify(form).slice(1, -1);
        for (const each of [form, escaped]) {
          forms.add(each);
          forms.add(each.replaceAll('$', '$$$$'));
          forms.add(each.replaceAll("'", "''"));
          forms.add(each.replaceAll("'", "'\\''"));
          forms.add(encodeURIComponent(form));
        }
      }
    }
    // Longest first: one secret may be a part of another.
    this.#forms = [...forms].toSorted((a, b) => b.length - a.length);
  }

  mask(text: string): string {
    return this.#forms.reduce((masked, form) => masked.replaceAll(form, MASK), text);
  }
}

/** A line of a multi-line secret is also masked separately, unless it is too short to reveal anything. */
const SHORTEST = 8;

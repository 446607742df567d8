/**
 * Renders a value once for as long as it and the other parts are the same objects: stores return the same ones while
 * nothing has changed.
 */
export class RenderedOnce<K extends object, R> {
  readonly #kept = new WeakMap<K, { readonly parts: readonly unknown[]; readonly rendered: R }>();

  of(key: K, parts: readonly unknown[], render: () => R): R {
    const kept = this.#kept.get(key);
    if (kept && parts.every((part, at) => part === kept.parts[at])) return kept.rendered;
    const rendered = render();
    this.#kept.set(key, { parts, rendered });
    return rendered;
  }
}

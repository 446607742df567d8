/** Text to take elsewhere, with a button that copies it. */
export const Copyable = ({ id, text }: { readonly id: string; readonly text: string }) => (
  <div class="copyable">
    <pre id={id} tabindex={0}>
      {text}
    </pre>
    <button type="button" class="quiet" data-copy={id} aria-label={`Copy: ${id}`} hidden>
      Copy
    </button>
  </div>
);

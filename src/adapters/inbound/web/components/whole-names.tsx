/** Of a longer name, a narrow phone needs the break. */
const NAME = /(\b\w[\w.]*-[\w.-]{1,24}(?![\w-]))/;

/** A text whose names, such as `web-01`, do not break at their hyphens. */
export const WholeNames = ({ text }: { readonly text: string }) => (
  <>
    {text.split(NAME).map((part, index) => (index % 2 === 0 ? part : <span class="whole-name">{part}</span>))}
  </>
);

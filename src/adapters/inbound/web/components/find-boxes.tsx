import type { ComponentChildren } from 'preact';

/** A shorter list needs no search. */
const MIN_SEARCHED = 8;

interface FindBoxesProps {
  /** Such as `servers`. */
  readonly what: string;
  readonly count: number;
  readonly children: ComponentChildren;
}

/** Choices that scroll, with a search above them if they are many. */
export const FindBoxes = ({ what, count, children }: FindBoxesProps) => (
  <div class="boxes">
    {count > MIN_SEARCHED ? (
      <input
        type="search"
        class="find-boxes"
        data-find-boxes=".choice"
        placeholder={`Find ${what}`}
        aria-label={`Find ${what}`}
        hidden
      />
    ) : null}
    {children}
  </div>
);

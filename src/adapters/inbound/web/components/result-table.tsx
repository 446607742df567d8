import type { ComponentChildren } from 'preact';

/** Rows of a long list that are shown; the rest is told as a number, and is in the whole result. */
export const MAX_ROWS = 300;

/** `total`: how many rows there would be. */
export function ResultTable({
  heads,
  total,
  children,
}: {
  readonly heads: readonly string[];
  readonly total: number;
  readonly children: ComponentChildren;
}) {
  return (
    <>
      <div class="wide">
        <table>
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
      {total > MAX_ROWS ? <p class="quiet">and {total - MAX_ROWS} more in the whole result</p> : null}
    </>
  );
}

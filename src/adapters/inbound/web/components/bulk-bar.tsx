import type { ComponentChildren } from 'preact';
import { grouped } from '../../../../domain/base/spans.ts';
import { Icon } from './icon.tsx';

interface BulkBarProps {
  /** The id of the form that the boxes of the table belong to. */
  readonly id: string;
  readonly method: 'get' | 'post';
  readonly action: string;
  /** What is selected, such as `servers`. */
  readonly noun: string;
  /** Rows that the filter finds, also on other pages; the parameters of the filter go along if all of them are meant. Without it, only the selected ones are meant. */
  readonly total?: number;
  readonly filter: Readonly<Record<string, string>>;
  /** Its buttons. */
  readonly children: ComponentChildren;
}

/** Actions on the selected rows. The style sheet shows it once a row is selected. */
export const BulkBar = ({ id, method, action, noun, total, filter, children }: BulkBarProps) => (
  <form id={id} method={method} action={action} class="bulk" aria-label={`Selected ${noun}`}>
    <strong data-selected={noun}>Selected {noun}</strong>
    {total === undefined ? null : (
      <label class="choice">
        <input type="checkbox" name="all" value="yes" autocomplete="off" />
        <span>{`All ${grouped(total)} that match`}</span>
      </label>
    )}
    {Object.entries(filter)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
    <div class="acts">{children}</div>
    <button type="reset" class="icon" aria-label="Clear selection">
      <Icon name="x" />
    </button>
  </form>
);

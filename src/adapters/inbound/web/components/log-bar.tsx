import type { ComponentChildren } from 'preact';
import { count } from '../../../../domain/base/spans.ts';
import { Icon } from './icon.tsx';

interface LogBarProps {
  /** Where the first line that reports an error is; `null`: there is none. */
  readonly firstError: string | null;
  readonly errors: number;
  /** The lines have times. */
  readonly hasTimes: boolean;
  /** All of it as text; `null`: there is nothing. */
  readonly download: string | null;
  /** Lines that fit the search, of all. */
  readonly found?: string;
  /** The search, if it works without a script. */
  readonly search?: ComponentChildren;
  /** Following can be paused. */
  readonly pauses?: boolean;
  /** Only its last lines are left. */
  readonly isDeleted?: boolean;
  readonly children?: ComponentChildren;
}

/** Above a log: search, errors, how lines are shown, and the whole log as text. `live-job.js` fills it. */
export const LogBar = ({
  firstError,
  errors,
  hasTimes,
  download,
  found = '',
  search,
  pauses = false,
  isDeleted = false,
  children,
}: LogBarProps) => (
  <div class="log-bar">
    {search ?? (
      <>
        <label for="log-search" class="hidden">
          Search the lines shown
        </label>
        <input type="search" id="log-search" placeholder="Filter lines" data-search hidden />
      </>
    )}
    <span id="log-found" class="quiet" role="status">
      {found}
    </span>
    <span id="log-connection" class="quiet" role="status" />
    <button type="button" class="quiet small" id="log-follow" hidden>
      Go to the end
    </button>
    <span class="acts row">
      {pauses ? (
        <button type="button" class="quiet small" id="log-pause" hidden>
          Pause
        </button>
      ) : null}
      <a id="log-errors" href={firstError ?? '#log'} hidden={firstError === null}>
        {count(errors, 'error')}
      </a>
      <Switch id="log-errors-first" label="Errors first" hidden={firstError === null || isDeleted} />
      <Switch id="log-times" label="Timestamps" on hidden={!hasTimes}>
        <span class="log-zone" data-zone>
          UTC
        </span>
      </Switch>
      <Switch id="log-wrap" label="Wrap" on hidden={isDeleted} />
      <button type="button" class="quiet small" id="log-copy" aria-label="Copy log" hidden>
        <Icon name="copy" /> <span>Copy</span>
      </button>
      {download === null ? null : (
        <a class="button quiet small icon" href={download} download aria-label="Full log as text">
          <Icon name="download" />
        </a>
      )}
    </span>
    {children}
  </div>
);

interface SwitchProps {
  readonly id: string;
  readonly label: string;
  readonly on?: boolean;
  readonly hidden?: boolean;
  readonly children?: ComponentChildren;
}

/** How lines are shown: the style sheet does it, without a script. */
const Switch = ({ id, label, on = false, hidden = false, children }: SwitchProps) => (
  <label class="chip switch" hidden={hidden}>
    <input type="checkbox" id={id} checked={on} autocomplete="off" /> {label} {children}
  </label>
);

import type { LogStretch } from '../../../../../application/jobs/read-job-log.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { logPlaceText } from '../../../../../domain/jobs/log-lines.ts';
import { AnsiLine } from '../../components/ansi.tsx';
import { levelOf } from './log-level.ts';

/** The rest of a longer line is only in the whole log. */
const MAX_LINE_LENGTH = 4_000;

export function LogRow({ line, number }: { readonly line: string; readonly number: number }) {
  const long = line.length > MAX_LINE_LENGTH;
  return (
    <div class={`line ${levelOf(line) ?? ''}`.trim()} id={`L${number}`}>
      <a href={`#L${number}`} tabIndex={-1} aria-label={`line ${number}`}>
        {number}
      </a>
      <span>
        <AnsiLine line={long ? line.slice(0, MAX_LINE_LENGTH) : line} />
        {long ? <em> … {line.length - MAX_LINE_LENGTH} more characters in the whole log</em> : null}
      </span>
    </div>
  );
}

/** The numbers of the lines that report an error. */
export const errorLines = ({ first, lines }: LogStretch): readonly number[] =>
  lines.flatMap((line, index) => (levelOf(line) === 'error' ? [first + index] : []));

interface LogProps {
  readonly jobId: number;
  readonly stretch: LogStretch;
  /** More may come. */
  readonly live: boolean;
  /** The stretch was asked for by its first line. */
  readonly asked: boolean;
}

/** A job's log: numbered lines with links, updated while the job runs. */
export function JobLog({ jobId, stretch, live, asked }: LogProps) {
  const { first, lines, end } = stretch;
  const last = first + lines.length - 1;
  const errors = errorLines(stretch);
  return (
    <>
      <div class="log-bar">
        <h2 class="hidden">Log</h2>
        <label for="log-search" class="hidden">
          Search in the lines shown
        </label>
        <input type="search" id="log-search" placeholder="search in these lines" data-search hidden />
        <a id="log-errors" href={`#L${errors[0]}`} hidden={errors.length === 0}>
          {errors.length === 1 ? '1 error line' : `${errors.length} error lines: see the first`}
        </a>
        <span id="log-found" class="quiet" role="status" />
        <span id="log-connection" class="quiet" role="status" />
        <button type="button" class="quiet" id="log-follow" hidden>
          Go to the end
        </button>
        {end.lines === 0 && !live ? null : (
          <a href={`/jobs/${jobId}/log`} download>
            Whole log as text
          </a>
        )}
        {live ? (
          <noscript>
            <a href={`/jobs/${jobId}`}>Reload for new lines</a>
          </noscript>
        ) : null}
      </div>
      <Parts {...{ jobId, first, last, total: end.lines, step: Math.max(lines.length, 1), asked }} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <div
        class="log"
        id="log"
        role="region"
        tabIndex={0}
        aria-label="Lines of the log"
        data-events={live && !asked ? `/jobs/${jobId}/events` : undefined}
        data-place={logPlaceText(end)}
        data-page={`/jobs/${jobId}`}
      >
        {lines.map((line, index) => (
          <LogRow key={first + index} line={line} number={first + index} />
        ))}
        <p class="quiet" id="log-empty" hidden={lines.length > 0}>
          {live ? 'No output yet.' : 'No output.'}
        </p>
      </div>
    </>
  );
}

interface PartsProps {
  readonly jobId: number;
  readonly first: number;
  readonly last: number;
  readonly total: number;
  readonly step: number;
  readonly asked: boolean;
}

/** Links to the other parts of a long log. */
function Parts({ jobId, first, last, total, step, asked }: PartsProps) {
  if (first === 1 && last >= total && !asked) return null;
  const from = (line: number): string => `/jobs/${jobId}?from=${Math.max(1, line)}`;
  return (
    <nav class="paging" aria-label="Parts of the log">
      {first > 1 ? <a href={from(first - step)}>‹ Earlier lines</a> : <span />}
      <span class="quiet">
        lines {first} to {last} of {count(total, 'line')}
      </span>
      {last < total ? <a href={from(last + 1)}>Later lines ›</a> : <span />}
      {asked ? <a href={`/jobs/${jobId}`}>The end ›</a> : null}
    </nav>
  );
}

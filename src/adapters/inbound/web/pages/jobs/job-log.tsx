import type { LogStretch } from '../../../../../application/jobs/read-job-log.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { logPlaceText } from '../../../../../domain/jobs/log-lines.ts';
import { AnsiLine, plainLine } from '../../components/ansi.tsx';
import { LogBar } from '../../components/log-bar.tsx';
import { LogTime } from '../../components/time.tsx';
import { type LogLevel, levelOf } from './log-level.ts';

/** The rest of a longer line is only in the whole log. */
const MAX_LINE_LENGTH = 4_000;

/** The stamp of `JobLog`, in UTC. */
const STAMP = /^(\d\d:\d\d:\d\d) /;

interface LogRowProps {
  /** As it was logged, with its stamp. */
  readonly line: string;
  readonly number: number;
  /** When the job started: the date is not in the log. */
  readonly since: Instant;
  /** Why the job failed: a line that says so is an error, whatever its words. */
  readonly failure?: string | null;
}

export function LogRow({ line: logged, number, since, failure = null }: LogRowProps) {
  const stamp = STAMP.exec(logged)?.[1];
  const line = stamp === undefined ? logged : logged.slice(stamp.length + 1);
  const long = line.length > MAX_LINE_LENGTH;
  return (
    <div class={`line ${lineLevel(line, failure) ?? ''}`.trim()} id={`L${number}`}>
      <a href={`#L${number}`} tabIndex={-1} aria-label={`line ${number}`}>
        {number}
      </a>
      {stamp === undefined ? <i /> : <LogTime stamp={stamp} since={since} />}
      <span>
        <AnsiLine line={long ? line.slice(0, MAX_LINE_LENGTH) : line} />
        {long ? <em> … {line.length - MAX_LINE_LENGTH} more characters in the full log</em> : null}
      </span>
    </div>
  );
}

/** The last lines of a log, in short. */
export const LogTail = ({ lines, since }: { readonly lines: readonly string[]; readonly since: Instant }) => (
  <pre>
    {lines.map((line, index) => {
      const stamp = STAMP.exec(line)?.[1];
      const end = index === lines.length - 1 ? '' : '\n';
      return stamp === undefined ? (
        `${line}${end}`
      ) : (
        <>
          <LogTime stamp={stamp} since={since} />
          {`${line.slice(stamp.length)}${end}`}
        </>
      );
    })}
  </pre>
);

/** The numbers of the lines that report an error. */
export const errorLines = (
  { first, lines }: Pick<LogStretch, 'first' | 'lines'>,
  failure: string | null = null,
): readonly number[] =>
  lines.flatMap((line, index) =>
    lineLevel(line.replace(STAMP, ''), failure) === 'error' ? [first + index] : [],
  );

export interface ErrorLine {
  readonly number: number;
  /** Without its stamp and colours. */
  readonly text: string;
}

/** The first of them. */
export function firstError(
  stretch: Pick<LogStretch, 'first' | 'lines'>,
  failure: string | null = null,
): ErrorLine | null {
  const [number] = errorLines(stretch, failure);
  if (number === undefined) return null;
  return { number, text: plainLine(stretch.lines[number - stretch.first]?.replace(STAMP, '') ?? '').trim() };
}

const lineLevel = (line: string, failure: string | null): LogLevel | null =>
  failure !== null && line.trim() === failure.trim() ? 'error' : levelOf(line);

/** After a log is deleted its last lines are left, which the job keeps. */
export const isLogDeleted = ({ end }: LogStretch, tail: readonly string[], live: boolean): boolean =>
  !live && end.lines === 0 && tail.length > 0;

interface LogProps {
  readonly jobId: number;
  readonly since: Instant;
  readonly stretch: LogStretch;
  /** Its last lines, which stay after the log is deleted. */
  readonly tail: readonly string[];
  /** More may come. */
  readonly live: boolean;
  /** The stretch was asked for by its first line. */
  readonly asked: boolean;
  /** Why the job failed. */
  readonly failure: string | null;
}

/** A job's log: numbered lines with links, updated while the job runs. */
export function JobLog({ jobId, since, stretch, tail, live, asked, failure }: LogProps) {
  const { first, lines, end } = stretch;
  const isDeleted = isLogDeleted(stretch, tail, live);
  const shown = isDeleted ? tail : lines;
  const last = first + lines.length - 1;
  const errors = errorLines({ first, lines: shown }, failure);
  const hasStamps = live || shown.some((line) => STAMP.test(line));
  return (
    <>
      <h2 class="hidden">Log</h2>
      <div class="card">
        <LogBar
          firstError={errors[0] === undefined ? null : `#L${errors[0]}`}
          errors={errors.length}
          hasTimes={hasStamps}
          download={end.lines === 0 && !live ? null : `/jobs/${jobId}/log`}
          isDeleted={isDeleted}
        >
          {live ? (
            <noscript>
              <a href={`/jobs/${jobId}`}>Reload for new lines</a>
            </noscript>
          ) : null}
        </LogBar>
        {isDeleted ? (
          <p class="body quiet">The log has been deleted, as set for old logs. These are its last lines.</p>
        ) : null}
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
          {shown.map((line, index) => (
            <LogRow key={first + index} line={line} number={first + index} {...{ since, failure }} />
          ))}
          <p class="quiet" id="log-empty" hidden={shown.length > 0}>
            {live ? 'No output yet.' : 'No output.'}
          </p>
        </div>
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

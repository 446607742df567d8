import {
  LOG_LINES,
  type LogLines,
  type ReadContainerLog,
} from '../../../../../application/compose/read-container-log.ts';
import { count, grouped } from '../../../../../domain/base/spans.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { Empty } from '../../components/empty.tsx';
import { StampedLine } from '../../components/time.tsx';
import type { SignedInVisit } from '../../route.ts';

export interface ContainerDeps {
  readonly readContainerLog: Pick<ReadContainerLog, 'execute'>;
}

const USUAL_LINES: LogLines = 500;

/** The end of a container's log, read from the host now; of its lines, those with the text that is searched for. */
export async function containerLog(
  { readContainerLog }: ContainerDeps,
  server: Server,
  { visitor, params, query, gone, now }: SignedInVisit,
) {
  const name = params['container'] ?? '';
  const most = LOG_LINES.find((each) => String(each) === query.get('lines')) ?? USUAL_LINES;
  const q = query.get('q')?.trim() ?? '';
  const lines = await readContainerLog.execute(visitor.actor, server.id, name, { lines: most, signal: gone });
  const found = lines.filter((line) => line.toLowerCase().includes(q.toLowerCase()));
  const own = `/servers/${server.id}/containers/${encodeURIComponent(name)}/log`;
  return (
    <>
      <div class="toolbar">
        <h2>Log of {name}</h2>
        <a class="button quiet small" href={query.size === 0 ? own : `${own}?${query}`}>
          Refresh
        </a>
        <a href={`/servers/${server.id}/containers`}>All containers</a>
      </div>
      <form method="get" action={own} class="filter-bar" role="search">
        <input
          type="search"
          name="q"
          value={q}
          placeholder="Find in these lines"
          aria-label="Find in the lines shown"
          data-search
        />
        <label for="lines">Last</label>
        <select id="lines" name="lines">
          {LOG_LINES.map((each) => (
            <option key={each} value={each} selected={each === most}>
              {`${grouped(each)} lines`}
            </option>
          ))}
        </select>
        <button type="submit" class="quiet">
          Show
        </button>
        <label class="row">
          <input type="checkbox" checked autocomplete="off" data-wrap /> Wrap lines
        </label>
        {q === '' ? null : (
          <>
            <span class="quiet" role="status">
              {grouped(found.length)} of {count(lines.length, 'line')}
            </span>
            <a class="button quiet small" href={most === USUAL_LINES ? own : `${own}?lines=${most}`}>
              Show all
            </a>
          </>
        )}
      </form>
      {lines.length === 0 ? (
        <Empty icon="scroll-text">This container has no log output.</Empty>
      ) : found.length === 0 ? (
        <Empty icon="search">None of these lines contains “{q}”.</Empty>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
        <pre class="log newest" tabIndex={0} aria-label={`Log of ${name}`}>
          <code>
            {found.map((line, index) => (
              <>
                {index > 0 ? '\n' : ''}
                <StampedLine line={line} now={now} />
              </>
            ))}
          </code>
        </pre>
      )}
    </>
  );
}

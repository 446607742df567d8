import { Readable } from 'node:stream';
import {
  LOG_LINES,
  type LogLines,
  type ReadContainerLog,
} from '../../../../../application/compose/read-container-log.ts';
import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count, grouped } from '../../../../../domain/base/spans.ts';
import type { LoggedLine } from '../../../../../domain/compose/container-log.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { AnsiLine, plainLine } from '../../components/ansi.tsx';
import { LogBar } from '../../components/log-bar.tsx';
import { LineTime } from '../../components/time.tsx';
import { renderPart } from '../../render.tsx';
import { fileReply, type SignedInVisit, stream, type WebReply, type WebRoute } from '../../route.ts';
import { serverId } from '../../server-id.ts';
import { levelOf } from '../jobs/log-level.ts';
import { serverPage } from './server-frame.tsx';

export interface ContainerDeps {
  readonly readContainerLog: Pick<ReadContainerLog, 'execute' | 'follow'>;
  readonly getServer: Pick<GetServer, 'execute'>;
}

const USUAL_LINES: LogLines = 500;
const MOST_LINES: LogLines = 2_000;
/** The rest of a longer line is only in the text to download. */
const MAX_LINE_LENGTH = 4_000;

/** The end of a container's log, read from the host now; then its new lines, and the end as text. */
export function containerRoutes(deps: ContainerDeps): readonly WebRoute[] {
  const path = '/servers/:id/containers/:container/log';
  return [
    { method: 'GET', path, needs: 'operator', handle: (visit) => show(deps, visit) },
    { method: 'GET', path: `${path}/events`, needs: 'operator', handle: (visit) => events(deps, visit) },
    { method: 'GET', path: `${path}/text`, needs: 'operator', handle: (visit) => text(deps, visit) },
  ];
}

const nameOf = ({ params }: SignedInVisit): string => params['container'] ?? '';

const logPath = ({ id }: Pick<Server, 'id'>, name: string): string =>
  `/servers/${id}/containers/${encodeURIComponent(name)}/log`;

async function show({ readContainerLog, getServer }: ContainerDeps, visit: SignedInVisit): Promise<WebReply> {
  const { visitor, query, gone, now } = visit;
  const server = await getServer.execute(visitor.actor, serverId(visit.params));
  const name = nameOf(visit);
  const most = LOG_LINES.find((each) => String(each) === query.get('lines')) ?? USUAL_LINES;
  const q = query.get('q')?.trim() ?? '';
  const lines = await readContainerLog.execute(visitor.actor, server.id, name, { lines: most, signal: gone });
  const isMiss = (line: LoggedLine): boolean => !plainLine(line.text).toLowerCase().includes(q.toLowerCase());
  const errors = lines.filter((line) => levelOf(plainLine(line.text)) === 'error');
  const own = logPath(server, name);
  const body = (
    <>
      <h2>Log of {name}</h2>
      <div class="card">
        <LogBar
          firstError={errors[0] === undefined ? null : `#${idOfLine(errors[0])}`}
          errors={errors.length}
          hasTimes
          download={`${own}/text`}
          found={
            q === ''
              ? ''
              : `${grouped(lines.filter((line) => !isMiss(line)).length)} of ${count(lines.length, 'line')}`
          }
          search={<Search own={own} q={q} most={most} />}
          pauses
        />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
        <div
          class="log unnumbered"
          id="log"
          role="region"
          tabIndex={0}
          aria-label={`Log of ${name}`}
          data-events={`${own}/events`}
          data-place={lines.findLast(({ stamp }) => stamp !== null)?.stamp ?? ''}
          data-page={own}
        >
          {lines.map((line) => (
            <Line line={line} now={now} isMiss={isMiss(line)} />
          ))}
          <p class="quiet" id="log-empty" hidden={lines.length > 0}>
            This container has no log output.
          </p>
        </div>
      </div>
    </>
  );
  return {
    ...serverPage({ server, tab: '/containers', mayAct: true }, body),
    parents: [{ href: `/servers/${server.id}/containers`, label: 'Containers' }],
    here: name,
    script: 'job',
  };
}

interface SearchProps {
  readonly own: string;
  readonly q: string;
  readonly most: LogLines;
}

/** The script searches while you type; without it, the form does. */
const Search = ({ own, q, most }: SearchProps) => (
  <form method="get" action={own} class="row" role="search">
    <input
      type="search"
      id="log-search"
      name="q"
      value={q}
      placeholder="Filter lines"
      aria-label="Search the lines shown"
      data-search
    />
    <select name="lines" aria-label="Lines to show">
      {LOG_LINES.map((each) => (
        <option key={each} value={each} selected={each === most}>
          {`Last ${grouped(each)} lines`}
        </option>
      ))}
    </select>
    <noscript>
      <button type="submit" class="quiet">
        Show
      </button>
    </noscript>
  </form>
);

const idOfLine = ({ stamp }: LoggedLine): string | undefined => (stamp === null ? undefined : `L${stamp}`);

interface LineProps {
  readonly line: LoggedLine;
  readonly now: Instant;
  readonly isMiss?: boolean;
}

const Line = ({ line, now, isMiss = false }: LineProps) => (
  <div
    class={['line', levelOf(plainLine(line.text)), isMiss ? 'miss' : null].filter(Boolean).join(' ')}
    id={idOfLine(line)}
  >
    {line.stamp === null ? <i /> : <LineTime at={Date.parse(line.stamp)} now={now} />}
    <span>
      <AnsiLine line={line.text.slice(0, MAX_LINE_LENGTH)} />
      {line.text.length > MAX_LINE_LENGTH ? (
        <em> … {line.text.length - MAX_LINE_LENGTH} more characters in the full log</em>
      ) : null}
    </span>
  </div>
);

async function events({ readContainerLog }: ContainerDeps, visit: SignedInVisit): Promise<WebReply> {
  const { visitor, params, query, lastEventId, now } = visit;
  const follow = await readContainerLog.follow(visitor.actor, serverId(params), nameOf(visit));
  const after = lastEventId ?? query.get('after');
  return stream((sink, signal) =>
    follow({ after, signal }, (lines, last) => {
      const html = lines.map((line) => renderPart(<Line line={line} now={now} />)).join('');
      return sink.send('log', { html }, last);
    }),
  );
}

async function text({ readContainerLog }: ContainerDeps, visit: SignedInVisit): Promise<WebReply> {
  const name = nameOf(visit);
  const options = { lines: MOST_LINES, signal: visit.gone };
  const lines = await readContainerLog.execute(visit.visitor.actor, serverId(visit.params), name, options);
  const written = lines.map(
    (line) => `${line.stamp === null ? '' : `${line.stamp} `}${plainLine(line.text)}\n`,
  );
  return fileReply({ name: `${name}.log`, size: null, sha256: null, content: Readable.from(written) });
}

import type { EventBodies } from '../../../application/ports/events/event-bodies.ts';
import { toIso } from '../../../domain/base/instant.ts';
import { oneLine } from '../../../domain/base/one-line.ts';
import { jobView } from './views/job-view.ts';
import { serverView } from './views/server-view.ts';

/** Receivers may refuse more than 20 KB. */
const MAX_BYTES = 20_000;
const MAX_TITLE = 300;
const MAX_MESSAGE_LENGTH = 4_000;

type RenderInput = Parameters<EventBodies['render']>;

interface Deps {
  readonly publicUrl: string | null;
}

/** Events as webhooks are sent them: servers and jobs in the shapes of the REST API. */
export class RestEventBodies implements EventBodies {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  render(...[event, { server, job }]: RenderInput): string {
    const view = job && jobView(job);
    const data = {
      severity: event.severity,
      title: oneLine(event.title, MAX_TITLE),
      message: oneLine(event.message, MAX_MESSAGE_LENGTH),
      link: this.link(event),
      server_id: event.serverId,
      job_id: event.jobId,
      ...(server && { server: serverView(server) }),
    };
    const bodyOf = (content: object): string =>
      JSON.stringify({ type: event.type, timestamp: toIso(event.at), data: content });
    const withJob = (shown: object | null): string => bodyOf({ ...data, ...(shown && { job: shown }) });
    // Hosts decide how long the lines of a log are, and operators how many tags a server has.
    const { server: _, ...short } = data;
    const shorter = [withJob(view), withJob(view && { ...view, log_tail: [] }), bodyOf(data)];
    return shorter.find(isShort) ?? bodyOf(short);
  }

  link({ type, serverId, jobId }: Parameters<EventBodies['link']>[0]): string | null {
    if (this.#deps.publicUrl === null) return null;
    const isRequest = type === 'approval.requested';
    if (jobId !== null) return `${this.#deps.publicUrl}/jobs/${jobId}${isRequest ? '/request' : ''}`;
    if (isRequest) return `${this.#deps.publicUrl}/approvals`;
    return serverId === null ? `${this.#deps.publicUrl}/` : `${this.#deps.publicUrl}/servers/${serverId}`;
  }
}

const isShort = (body: string): boolean => Buffer.byteLength(body) < MAX_BYTES;

import type { Authenticate } from '../../../application/access/authenticate.ts';
import type { AnswerOnce } from '../../../application/base/answer-once.ts';
import { RepeatedReads } from '../../../application/base/repeated-reads.ts';
import { ConfirmChange } from '../../../application/jobs/confirm-change.ts';
import type { Logger } from '../../../application/ports/base/logger.ts';
import type { Actor } from '../../../domain/access/actor.ts';
import { DomainError, isDomainError } from '../../../domain/base/errors.ts';
import type { KeepReply } from '../../../domain/base/kept-reply.ts';
import { confirmationInvalid } from '../../../domain/jobs/confirmation.ts';
import { refuseUnlessAllowed } from '../api/allowed-first.ts';
import { noteRead } from '../api/call-reads.ts';
import { CATALOGUE } from '../api/catalogue.ts';
import type { ApiUseCases, JsonOperation } from '../api/operation.ts';
import { problemOf } from '../api/problem.ts';
import { statusFor } from '../api/views/awaiting-view.ts';
import { bearer } from '../http/bearer.ts';
import { readJson } from '../http/body.ts';
import type { FixedRoute, HttpContext } from '../http/context.ts';
import { keptReply } from '../http/idempotency.ts';
import { queryOf, refuseSecrets } from '../http/query.ts';
import type { RateLimits } from '../http/rate-limit.ts';
import { internalProblem, methodNotAllowed, sendText } from '../http/replies.ts';
import type { UserChannel } from './confirmation.ts';
import { droverServer } from './drover-server.ts';
import { errorReply, type Reply, RpcError } from './message.ts';
import type { ProtocolHeaders } from './modern-protocol.ts';
import { RPC } from './protocol.ts';
import type { Caller, Confirmation, Outcome, RunOptions, ToolAnswer } from './tool-call.ts';
import type { ToolOperation } from './tool-list.ts';

const METHODS = ['POST', 'OPTIONS'];

export interface McpDeps {
  readonly authenticate: Pick<Authenticate, 'execute'>;
  readonly limits: RateLimits;
  readonly useCases: ApiUseCases;
  readonly answerOnce: Pick<AnswerOnce, 'execute'>;
  readonly logger: Logger;
  /** The service's own address, such as `https://drover.example.org:8443`. */
  readonly publicUrl: string | null;
  /** Clients that can ask their user do so before a call changes a server. */
  readonly confirmChanges: boolean;
  /** Called after every tool call, with the status that REST would answer. */
  readonly observe: (tool: string, status: number, ms: number) => void;
}

/** `POST /mcp`: one message a request, one JSON reply, no state in between. */
export function mcpRoute(deps: McpDeps): FixedRoute {
  const dispatcher = droverServer({
    version: deps.useCases.version,
    catalogue: CATALOGUE,
    tellsChanges: false,
  });
  const authenticate = bearer(deps.authenticate, deps.limits);

  async function answer(ctx: HttpContext): Promise<Reply> {
    checkOrigin(ctx.req.headers.origin, ctx.req.headers.host, deps.publicUrl);
    refuseSecrets(queryOf(ctx));
    const actor = await authenticate(ctx);
    let message: unknown;
    try {
      message = await readJson(ctx);
    } catch (error) {
      if (isDomainError(error, 'invalid_json')) return parseError(error.message);
      throw error;
    }
    if (message === undefined) return parseError('The body is empty.');
    return dispatcher.answer(
      message,
      protocolHeaders(ctx),
      new HostedCaller(deps, actor, ctx.state.requestId),
    );
  }

  return {
    path: '/mcp',
    async handle(ctx) {
      const { method } = ctx.req;
      if (method === 'OPTIONS') {
        ctx.set('Allow', METHODS.join(', '));
        ctx.status = 204;
        return;
      }
      if (method !== 'POST') throw methodNotAllowed(ctx, METHODS);
      send(ctx, await answer(ctx));
    },
  };
}

/** The call may go on. */
const PASSED: Outcome = { status: 200, body: {} };
/** Longer calls are not repeated. */
const MAX_KEY = 1_000;
/** Refusals are not kept. */
const charactersOf = ({ status, answer }: ToolAnswer): number | null =>
  status < 400 ? answer.members.length : null;
/** The protocol's revision that questions and answers are part of. */
const REVISION = '2026-07-28';

interface Shown {
  readonly operation: JsonOperation;
  readonly input: object;
}

type KnownAnswer = ToolAnswer & { readonly shown: readonly Shown[] };

/** Runs operations in this process. */
class HostedCaller implements Caller {
  readonly #deps: McpDeps;
  readonly #actor: Actor;
  readonly #requestId: string;
  /** What this call showed of servers. */
  readonly #shown: Shown[] = [];

  constructor(deps: McpDeps, actor: Actor, requestId: string) {
    this.#deps = deps;
    this.#actor = actor;
    this.#requestId = requestId;
  }

  get capabilities(): Caller['capabilities'] {
    return this.#actor.capabilities;
  }

  observe(tool: string, status: number, ms: number): void {
    this.#deps.observe(tool, status, ms);
  }

  async repeated(key: string, seconds: number, read: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
    if (key.length > MAX_KEY) return read();
    const repetition = { key, seconds, charactersOf };
    const reading = async (): Promise<KnownAnswer> => ({ ...(await read()), shown: this.#shown });
    const known = await this.#deps.useCases.get(RepeatedReads).get(this.#actor, repetition, reading);
    // A repeated answer shows what the first one did, and counts as reading it.
    if (known.shown !== this.#shown) for (const each of known.shown) this.#note(each);
    return known;
  }

  #note({ operation, input }: Shown): void {
    noteRead(this.#deps.useCases, this.#actor, operation, input);
  }

  run(operation: JsonOperation, input: object, how: RunOptions = {}): Promise<Outcome> {
    return this.#outcome(operation, () => this.#answer(operation, input, how));
  }

  refuse(operation: ToolOperation, input: unknown, problem: DomainError): Promise<Outcome> {
    return this.#outcome(operation, async () => {
      await refuseUnlessAllowed(this.#deps.useCases, this.#actor, operation, input, problem);
      throw problem;
    });
  }

  async confirm(operation: ToolOperation, input: object, user: UserChannel): Promise<Confirmation> {
    let confirmed: Confirmation = { input, approved: false };
    const refusal = await this.#outcome(operation, async () => {
      confirmed = await this.#confirmed(operation, input, user);
      return PASSED;
    });
    return refusal === PASSED ? confirmed : { refused: refusal };
  }

  /** Throws to refuse. An answer without a question is refused, whatever the call would do. */
  async #confirmed(operation: ToolOperation, input: object, user: UserChannel): Promise<Confirmation> {
    const { canAsk, state, accepted } = user;
    const actor = this.#actor;
    const proposal = operation.proposal(input);
    const confirmChange = this.#deps.useCases.get(ConfirmChange);
    const isAsked = proposal !== null && this.#deps.confirmChanges && canAsk;
    if (!isAsked || !(await confirmChange.concerns(actor, proposal))) {
      if (state !== null) throw confirmationInvalid();
      // As the token is: what needs approval waits for a reviewer.
      return { input, approved: false };
    }
    const call = { proposal, content: JSON.stringify([REVISION, operation.name, input]) };
    if (state === null || accepted === null) {
      const question = await confirmChange.ask(actor, call);
      return question === null ? { input, approved: false } : { question };
    }
    const preview = await confirmChange.answer(actor, call, { state, accepted });
    return { input: operation.pinned(input, preview), approved: true };
  }

  async #outcome(operation: JsonOperation, answer: () => Promise<Outcome>): Promise<Outcome> {
    try {
      return await answer();
    } catch (error) {
      const problem = isDomainError(error) ? problemOf(error) : internalProblem(this.#requestId);
      if (problem.status >= 500) {
        this.#deps.logger.error('tool failed', { request_id: this.#requestId, tool: operation.name, error });
      }
      return { status: problem.status, body: problem };
    }
  }

  async #answer(
    operation: JsonOperation,
    input: object,
    { key, approved = false }: RunOptions,
  ): Promise<Outcome> {
    const actor = approved ? this.#actor.approved() : this.#actor;
    const [route] = operation.routes;
    const run = (keep?: KeepReply<object>): Promise<object> =>
      operation.run(this.#deps.useCases, actor, input, keep);
    if (key === undefined || route === undefined) {
      const body = await run();
      this.#shown.push({ operation, input });
      this.#note({ operation, input });
      return { status: statusFor(route ?? { status: 200 }, body), body };
    }
    // A reply that is given again comes past the use case, which would ask for it.
    this.#actor.require(operation.scope);
    const request = { actor: this.#actor, route, key, input };
    const { status, body } = await keptReply(this.#deps.answerOnce, request, run);
    return { status, body: JSON.parse(body) as object };
  }
}

const parseError = (detail: string): Reply =>
  errorReply(null, new RpcError(RPC.parseError, `Parse error: ${detail}`, { status: 400 }));

export function protocolHeaders(ctx: HttpContext): ProtocolHeaders {
  return {
    version: one(ctx.req.headers['mcp-protocol-version']),
    method: one(ctx.req.headers['mcp-method']),
    name: one(ctx.req.headers['mcp-name']),
  };
}

const one = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(', ') : header;

const send = (ctx: HttpContext, { status, body }: Reply): void =>
  body === null ? sendText(ctx, status, null, '') : sendText(ctx, status, 'application/json', body);

/** How browsers write an origin: a scheme, two slashes, a host. */
const SCHEME = /^([a-z][a-z0-9+.-]*):\/\/[^,]*$/i;

/**
 * Accepts only pages of this service: an http or https Origin must have the host and port of the request or of the
 * service's public address. Programs send no Origin, and editors one with their own scheme: both are accepted. Throws
 * `origin_not_allowed`.
 */
function checkOrigin(origin: string | undefined, host: string | undefined, publicUrl: string | null): void {
  if (origin === undefined) return;
  const scheme = SCHEME.exec(origin)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') return;
  const url = scheme === undefined ? null : parse(origin);
  // Both hosts are read under the scheme of the origin, so that its usual port may be written or left out.
  if (url && (url.host === parse(`${url.protocol}//${host ?? ''}`)?.host || url.host === hostOf(publicUrl)))
    return;
  throw new DomainError(
    'origin_not_allowed',
    'Pages of this origin may not call the service; an operator can name the address under which it is reached in SERVICE_PUBLIC_URL.',
  );
}

const hostOf = (address: string | null): string | undefined =>
  address === null ? undefined : parse(address)?.host;

function parse(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

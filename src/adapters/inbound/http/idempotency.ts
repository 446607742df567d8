import type { IncomingMessage } from 'node:http';
import type { AnswerOnce } from '../../../application/base/answer-once.ts';
import type { Actor } from '../../../domain/access/actor.ts';
import { type DomainError, InvalidInput, isDomainError } from '../../../domain/base/errors.ts';
import type { KeepReply, KeptReply } from '../../../domain/base/kept-reply.ts';
import type { Route } from '../api/operation.ts';
import { problemOf } from '../api/problem.ts';
import { statusFor } from '../api/views/awaiting-view.ts';
import { timesSent } from './bearer.ts';
import type { HttpContext } from './context.ts';
import { JSON_TYPE, problemType } from './replies.ts';

const HEADER = 'Idempotency-Key';
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** The request's idempotency key; `null` if it has none. Throws `InvalidInput`. */
export function idempotencyKey(req: IncomingMessage): string | null {
  const name = HEADER.toLowerCase();
  const times = timesSent(req, name);
  if (times === 0) return null;
  const key = req.headers[name];
  if (times === 1 && typeof key === 'string' && KEY.test(key)) return key;
  const message = times > 1 ? 'Must be sent once.' : 'Must have 1 to 255 printable ASCII characters.';
  throw new InvalidInput([{ path: HEADER, message }]);
}

interface KeyedOperation {
  readonly actor: Actor;
  readonly route: Route;
  readonly key: string;
  readonly input: unknown;
}

/**
 * Runs an operation once for all requests of this caller, route and key, and gives each the reply. Returns the body of one
 * that was given before and is given again.
 */
export async function replyOnce(
  ctx: HttpContext,
  answerOnce: Pick<AnswerOnce, 'execute'>,
  request: KeyedOperation,
  run: (keep: KeepReply<object>) => Promise<object>,
): Promise<string | null> {
  const reply = await keptReply(answerOnce, request, run);
  if (reply.replayed) ctx.set('Idempotency-Replayed', 'true');
  ctx.status = reply.status;
  ctx.set('Content-Type', reply.status < 400 ? JSON_TYPE : problemType(ctx, reply.status));
  ctx.body = reply.body;
  return reply.replayed ? reply.body : null;
}

/** The same for a caller that is not answered over HTTP. Throws errors that another attempt may fix. */
export async function keptReply(
  answerOnce: Pick<AnswerOnce, 'execute'>,
  { actor, route, key, input }: KeyedOperation,
  run: (keep: KeepReply<object>) => Promise<object>,
): Promise<KeptReply & { readonly replayed: boolean }> {
  const keyed = { actor, key, route: filledIn(route, input), content: JSON.stringify(input) };
  return answerOnce.execute(keyed, (keep) =>
    replyToKeep(route, () => run((body) => keep(success(route, body)))),
  );
}

async function replyToKeep(route: Route, run: () => Promise<object>): Promise<KeptReply> {
  try {
    return success(route, await run());
  } catch (error) {
    if (!isDomainError(error) || !isDecision(error)) throw error;
    const problem = problemOf(error);
    return { status: problem.status, body: JSON.stringify(problem) };
  }
}

const success = (route: Route, body: object): KeptReply => ({
  status: statusFor(route, body),
  body: JSON.stringify(body),
});

/**
 * Whether a refusal is the final answer to a request. Wrong input, a missing right and an internal error can be
 * fixed, and the request sent again with its key.
 */
function isDecision(error: DomainError): boolean {
  const { status } = problemOf(error);
  return status >= 400 && status < 500 && ![401, 403, 429].includes(status) && error.code !== 'invalid_input';
}

/** Such as `POST /servers/1/jobs`: the same key on another server is another request. */
function filledIn({ method, path }: Route, input: unknown): string {
  const fields = input as Readonly<Record<string, unknown>>;
  return `${method} ${path.replace(/\{(\w+)\}/g, (_, name: string) => String(fields[name]))}`;
}

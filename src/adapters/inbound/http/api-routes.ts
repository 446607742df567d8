import { Router } from '@koa/router';
import type { Middleware } from 'koa';
import type { AnswerOnce } from '../../../application/base/answer-once.ts';
import type { Actor } from '../../../domain/access/actor.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import type { KeepReply } from '../../../domain/base/kept-reply.ts';
import { refuseUnlessAllowed } from '../api/allowed-first.ts';
import { noteRead } from '../api/call-reads.ts';
import { checkedInput } from '../api/checked-input.ts';
import type { ApiUseCases } from '../api/operation.ts';
import { API_PREFIX, type Operation, type Route } from '../api/operation.ts';
import { statusFor } from '../api/views/awaiting-view.ts';
import type { Bearer } from './bearer.ts';
import type { HttpContext, RequestState } from './context.ts';
import { idempotencyKey, replyOnce } from './idempotency.ts';
import { operationInput } from './operation-input.ts';
import { queryOf, refuseSecrets } from './query.ts';
import { methodNotAllowed, replyJson } from './replies.ts';
import { answerDownload, answerUpload } from './transfers.ts';

/** The REST API: every route of the operations, and nothing else under `/api/v1`. */
export function apiRoutes(
  catalogue: readonly Operation[],
  useCases: ApiUseCases,
  bearer: Bearer,
  answerOnce: Pick<AnswerOnce, 'execute'>,
): Middleware<RequestState> {
  const router = new Router<RequestState>({ prefix: API_PREFIX, sensitive: true });
  for (const operation of catalogue) {
    for (const route of operation.routes) {
      const pattern = route.path.replace(/\{(\w+)\}/g, ':$1') || '/';
      router.register(pattern, [route.method], async (ctx) => {
        await answer(ctx, operation, route);
      });
    }
  }

  async function answer(ctx: HttpContext, operation: Operation, route: Route): Promise<void> {
    ctx.state.route = `${API_PREFIX}${route.path}`;
    refuseSecrets(queryOf(ctx));
    const actor = await bearer(ctx);
    if (operation.form === 'upload') {
      await answerUpload(ctx, actor, operation, route, { useCases, answerOnce });
      return;
    }
    const input = await inputFor(useCases, ctx, actor, operation, route);
    if (operation.form === 'download') {
      await answerDownload(ctx, actor, operation, input, useCases);
      noteRead(useCases, actor, operation, input);
      return;
    }
    const run = (keep?: KeepReply<object>): Promise<object> => operation.run(useCases, actor, input, keep);
    const key = route.method === 'POST' ? idempotencyKey(ctx.req) : null;
    if (key === null) {
      const body = await run();
      noteRead(useCases, actor, operation, input);
      replyJson(ctx, statusFor(route, body), body);
    } else {
      // A reply that is given again comes past the use case, which would ask for it.
      actor.require(operation.scope);
      await replyOnce(ctx, answerOnce, { actor, route, key, input }, run);
    }
  }

  const routes = router.routes();
  return (ctx, next) => routes(ctx as never, () => elsewhere(ctx, router, next));
}

/** Missing rights are reported first, before faults of the input. */
async function inputFor(
  useCases: ApiUseCases,
  ctx: HttpContext,
  actor: Actor,
  operation: Operation,
  route: Route,
): Promise<unknown> {
  let given: unknown;
  try {
    given = await operationInput(ctx, operation, route);
    return checkedInput(operation.input, given);
  } catch (error) {
    await refuseUnlessAllowed(useCases, actor, operation, given, error);
    throw error;
  }
}

/** Nothing answers this method at this path: another method may. */
async function elsewhere(
  ctx: HttpContext,
  router: Router<RequestState>,
  next: () => Promise<void>,
): Promise<void> {
  const methods = new Set(router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods));
  if (methods.size === 0) return next();
  const allowed = [...methods, 'OPTIONS'].sort();
  if (ctx.method !== 'OPTIONS') throw methodNotAllowed(ctx, allowed);
  ctx.set('Allow', allowed.join(', '));
  ctx.status = 204;
}

/**
 * Also for `/register` and the `.well-known` documents of OAuth: any other answer there makes agents' clients drop the
 * token that they were given and look for a login.
 */
export const notFound: Middleware<RequestState> = () => {
  throw new DomainError('not_found', 'Nothing exists at this address. GET /api/v1 lists the endpoints.');
};

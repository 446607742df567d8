import type { CheckReadiness } from '../../../application/service/check-readiness.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import type { FixedRoute, HttpContext } from './context.ts';
import { methodNotAllowed, replyJson } from './replies.ts';

/** A database that takes longer than this to answer, in milliseconds, is of no use to callers. */
const PATIENCE = 3_000;

/** For whoever starts the service anew when it hangs, and sends it work when it is able. */
export function probes(
  readiness: Pick<CheckReadiness, 'execute'>,
  isStopping: () => boolean,
): readonly FixedRoute[] {
  return [
    { path: '/healthz', uncounted: true, anyHost: true, handle: (ctx) => answer(ctx) },
    {
      path: '/readyz',
      uncounted: true,
      anyHost: true,
      async handle(ctx) {
        requireGet(ctx);
        if (isStopping()) throw new DomainError('not_ready', 'The service is being stopped.');
        await inTime(readiness.execute());
        answer(ctx);
      },
    },
  ];
}

function answer(ctx: HttpContext): void {
  requireGet(ctx);
  replyJson(ctx, 200, { ok: true });
}

function requireGet(ctx: HttpContext): void {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx, ['GET', 'HEAD']);
}

async function inTime(check: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${PATIENCE} ms`)), PATIENCE);
  });
  try {
    await Promise.race([check, late]);
  } catch (cause) {
    throw new DomainError('not_ready', 'The database does not answer.', { cause });
  } finally {
    clearTimeout(timer);
  }
}

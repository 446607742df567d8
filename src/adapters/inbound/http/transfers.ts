import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { AnswerOnce } from '../../../application/base/answer-once.ts';
import { JailFileOps } from '../../../application/files/jail-file-ops.ts';
import type { Actor } from '../../../domain/access/actor.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import { checkedInput } from '../api/checked-input.ts';
import type { ApiUseCases, DownloadOperation, Route, SentFile, UploadOperation } from '../api/operation.ts';
import type { HttpContext } from './context.ts';
import { idempotencyKey, replyOnce } from './idempotency.ts';
import { fieldsInput, refuseQuery } from './operation-input.ts';
import { queryFields } from './query.ts';
import { replyJson } from './replies.ts';
import { discardRest, readForm, requireForm } from './upload.ts';

/** Milliseconds after which a client that takes nothing is given up. */
const STALLED = 120_000;
/** The limit of a form's other fields, in bytes. */
const AROUND_FILE = 1024 * 1024;

interface Deps {
  readonly useCases: ApiUseCases;
  readonly answerOnce: Pick<AnswerOnce, 'execute'>;
}

/** Accepts a form with a file. Missing rights are reported before anything of the form is read. */
export async function answerUpload(
  ctx: HttpContext,
  actor: Actor,
  operation: UploadOperation,
  route: Route,
  { useCases, answerOnce }: Deps,
): Promise<void> {
  actor.require(operation.scope);
  const gone = new AbortController();
  const onClose = (): void => gone.abort(new DomainError('host_connection_lost', 'The caller is gone.'));
  ctx.res.once('close', onClose);
  try {
    refuseQuery(queryFields(ctx.querystring));
    requireForm(ctx.req);
    refuseTooLarge(ctx, useCases.get(JailFileOps).mostBytes);
    const { fields, file } = await readForm(ctx.req);
    const input = checkedInput(operation.input, fieldsInput(ctx, operation, fields));
    const sent: SentFile = { ...file, signal: gone.signal };
    const run = (): Promise<object> => operation.receive(useCases, actor, input, sent);
    const key = idempotencyKey(ctx.req);
    if (key === null) {
      replyJson(ctx, route.status, await run());
      return;
    }
    const named = { ...(input as object), name: file.name };
    const first = await replyOnce(ctx, answerOnce, { actor, route, key, input: named }, run);
    if (first !== null) await assertSame(first, sent);
  } catch (error) {
    await discardRest(ctx.req);
    if (!ctx.req.complete) ctx.set('Connection', 'close');
    throw error;
  } finally {
    ctx.res.off('close', onClose);
  }
}

function refuseTooLarge(ctx: HttpContext, most: number): void {
  if (Number(ctx.req.headers['content-length'] ?? 0) <= most + AROUND_FILE) return;
  throw new DomainError('file_too_large', `The file has more than the ${most} bytes that file tools take.`);
}

/** A key's request includes the file's content, identified by its hash in the first reply. */
async function assertSame(firstReply: string, { content }: SentFile): Promise<void> {
  const hash = createHash('sha256');
  for await (const chunk of content) hash.update(chunk);
  const { sha256 } = JSON.parse(firstReply) as { sha256?: unknown };
  if (sha256 === undefined || sha256 === hash.digest('hex')) return;
  throw new DomainError(
    'idempotency_key_reused',
    'This Idempotency-Key was already used for a different file. Use a new key for each request.',
  );
}

/** Returns a file. Browsers save it, and never display it. */
export async function answerDownload(
  ctx: HttpContext,
  actor: Actor,
  operation: DownloadOperation,
  input: unknown,
  useCases: ApiUseCases,
): Promise<void> {
  const gone = new AbortController();
  ctx.res.once('close', () => gone.abort(new DomainError('host_connection_lost', 'The caller is gone.')));
  giveFile(ctx, await operation.give(useCases, actor, input, gone.signal));
}

/** Sends a file for the caller to save under a name. `size` and `sha256` are included if known. */
export function giveFile(
  ctx: HttpContext,
  {
    name,
    size,
    sha256,
    content,
  }: {
    readonly name: string;
    readonly size: number | null;
    readonly sha256: string | null;
    readonly content: Readable;
  },
): void {
  // a started reply cannot become an error: it is aborted, which every client notices
  content.once('error', () => ctx.res.destroy());
  ctx.attachment(name);
  ctx.set('Content-Type', 'application/octet-stream');
  if (sha256 !== null) {
    ctx.set('Repr-Digest', `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`);
  }
  ctx.status = 200;
  ctx.res.setTimeout(STALLED, () => ctx.res.destroy());
  ctx.body = content;
  // Koa takes the length away with the body
  if (size !== null) ctx.length = size;
}

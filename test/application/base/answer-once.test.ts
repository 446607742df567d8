import { describe, expect, it } from 'vitest';
import { AnswerOnce } from '../../../src/application/base/answer-once.ts';
import { ForgetRequests } from '../../../src/application/base/forget-requests.ts';
import type { IdempotencyStore } from '../../../src/application/ports/base/idempotency-store.ts';
import { DAY, SECOND } from '../../../src/domain/base/instant.ts';
import { applicationScene, tokenActor } from '../../support/application-scene.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { newServer } from '../../support/stores-subject.ts';

function scene() {
  const { clock, servers, requests, log, digest, randomness } = applicationScene();
  const once = (store: IdempotencyStore = requests) =>
    new AnswerOnce({ requests: store, digest, randomness, clock, log });
  const request = { actor: tokenActor(), route: 'POST /servers/1/jobs', key: 'k', content: '{}' };
  return { clock, log, servers, requests, once, request };
}

const REPLY = { status: 202, body: '{}' };
const never = (): Promise<never> => Promise.reject(new Error('asked a second time'));

/** Work that ends on request. */
function slowWork() {
  let end = (): void => {};
  const ended = new Promise<typeof REPLY>((resolve) => {
    end = () => resolve(REPLY);
  });
  return { work: () => ended, end: () => end() };
}

describe('a request with a key', () => {
  it('is answered once', async () => {
    const { once, request } = scene();
    expect(await once().execute(request, async () => REPLY)).toEqual({ ...REPLY, replayed: false });
    expect(await once().execute(request, never)).toEqual({ ...REPLY, replayed: true });
  });

  it('is another one for another caller, route or key', async () => {
    const { once, request } = scene();
    await once().execute(request, async () => REPLY);
    for (const other of [
      { ...request, actor: tokenActor({ id: 99 }) },
      { ...request, actor: tokenActor({ kind: 'user' }) },
      { ...request, route: 'POST /servers/2/jobs' },
      { ...request, key: 'K' },
    ]) {
      expect(await once().execute(other, async () => REPLY)).toMatchObject({ replayed: false });
    }
  });

  it('is refused where it says something else', async () => {
    const { once, request } = scene();
    await once().execute(request, async () => REPLY);
    await expectRefusal(once().execute({ ...request, content: '[]' }, never), 'idempotency_key_reused');
  });

  it('waits for the first one, however long that takes', async () => {
    const { clock, once, request } = scene();
    const { work, end } = slowWork();
    const first = once().execute(request, work);
    for (let minute = 0; minute < 5; minute += 1) {
      await clock.advance(60 * SECOND);
      await expectRefusal(once().execute(request, never), 'idempotency_key_in_use');
    }
    end();
    expect(await first).toEqual({ ...REPLY, replayed: false });
    expect(await once().execute(request, never)).toMatchObject({ replayed: true });
    expect(clock.sleepers).toBe(0);
  });

  it('may be sent again if it had no result', async () => {
    const { clock, once, request } = scene();
    const failed = once().execute(request, () => Promise.reject(new Error('the database is away')));
    await expect(failed).rejects.toThrow('the database is away');
    expect(clock.sleepers).toBe(0);
    expect(await once().execute(request, async () => REPLY)).toMatchObject({ replayed: false });
  });

  it('is given the reply that was kept with its change, though the work failed after that', async () => {
    const { once, request, servers } = scene();
    const failed = once().execute(request, async (keep) => {
      await servers.add(newServer('web'), 0, () => ({ reply: keep(REPLY) }));
      throw new Error('the database is away');
    });
    await expect(failed).rejects.toThrow('the database is away');
    expect(await once().execute(request, never)).toEqual({ ...REPLY, replayed: true });
  });

  it('is answered though its reply could not be kept', async () => {
    const { log, once, request, requests } = scene();
    const broken: IdempotencyStore = {
      begin: (...given) => requests.begin(...given),
      renew: never,
      answer: never,
      giveUp: never,
      prune: never,
    };
    expect(await once(broken).execute(request, async () => REPLY)).toMatchObject(REPLY);
    expect(log.messages('warn')).toHaveLength(1);
  });

  it('is executed again if the reply is too long to keep', async () => {
    const { once, request } = scene();
    const long = { status: 200, body: 'x'.repeat(1_000_001) };
    for (let time = 0; time < 2; time += 1) {
      expect(await once().execute(request, async () => long)).toEqual({ ...long, replayed: false });
    }
  });

  it('is deleted after a day', async () => {
    const { clock, once, request, requests } = scene();
    const forget = (): Promise<void> =>
      new ForgetRequests({ requests }).execute(new AbortController().signal);
    for (let index = 0; index < 2_500; index += 1) {
      await once().execute({ ...request, key: String(index) }, async () => REPLY);
    }
    await clock.advance(DAY - 1);
    await forget();
    expect(await once().execute({ ...request, key: '7' }, never)).toMatchObject({ replayed: true });
    await clock.advance(1);
    await forget();
    expect(await requests.prune(0, 10_000)).toBe(0);
    expect(await once().execute({ ...request, key: '7' }, async () => REPLY)).toMatchObject({
      replayed: false,
    });
  });
});

import { expect, test } from 'vitest';
import { DemoSessions } from '../../../src/adapters/bootstrap/demo-sessions.ts';
import type { StaticFiles } from '../../../src/adapters/inbound/web/static-files.ts';
import { MINUTE } from '../../../src/domain/base/instant.ts';

interface Answer {
  readonly data: string;
  readonly cookie: string;
}

/** Sessions whose pages answer with the number of their copy. */
function open({ maxSessions = 3 } = {}) {
  const closed: string[] = [];
  let opened = 0;
  let now = 0;
  const sessions = new DemoSessions({
    open: async () => {
      opened += 1;
      const data = `copy ${opened}`;
      return {
        pages: async (ctx) => {
          ctx.body = data;
        },
        close: async () => void closed.push(data),
      };
    },
    now: () => now,
    maxSessions,
  });
  const pages = sessions.pages(async (ctx) => {
    ctx.body = 'shared';
  }, {} as StaticFiles);
  const ask = async (method: string, path: string, cookie = ''): Promise<Answer> => {
    let set = cookie;
    const ctx = {
      method,
      path,
      body: '',
      req: { headers: { cookie } },
      get: () => 'same-origin',
      append: (_: string, value: string) => {
        set = value.split(';')[0] ?? '';
      },
    };
    await pages(ctx as never, async () => undefined);
    return { data: ctx.body, cookie: set };
  };
  return {
    sessions,
    closed,
    ask,
    wait: (ms: number) => {
      now += ms;
    },
  };
}

test('Visitors who only look share one demo', async () => {
  const { ask, sessions } = open();
  expect((await ask('GET', '/jobs')).data).toBe('shared');
  expect((await ask('POST', '/settings/repositories/offsite/check')).data).toBe('shared');
  expect((await ask('POST', '/settings/appearance')).data).toBe('shared');
  expect(sessions.size).toBe(0);
});

test('A visitor who changes something sees the own copy from then on, and others do not', async () => {
  const { ask } = open();
  const ann = await ask('POST', '/servers/1/start');
  const bert = await ask('POST', '/servers/1/start');
  expect([ann.data, bert.data]).toEqual(['copy 1', 'copy 2']);
  expect((await ask('GET', '/jobs', ann.cookie)).data).toBe('copy 1');
  expect((await ask('GET', '/jobs', bert.cookie)).data).toBe('copy 2');
  expect((await ask('GET', '/jobs')).data).toBe('shared');
  expect((await ask('GET', '/jobs', 'drover-demo=guessed')).data).toBe('shared');
});

test('The session that was used least recently makes room', async () => {
  const { ask, wait, closed, sessions } = open({ maxSessions: 2 });
  const first = await ask('POST', '/servers/1/start');
  wait(1);
  const second = await ask('POST', '/servers/1/start');
  wait(1);
  await ask('GET', '/', first.cookie);
  wait(1);
  await ask('POST', '/servers/1/start');
  expect(closed).toEqual(['copy 2']);
  expect(sessions.size).toBe(2);
  expect((await ask('GET', '/', second.cookie)).data).toBe('shared');
});

test('A session ends after 30 minutes without a request, and all end with the service', async () => {
  const { ask, wait, closed, sessions } = open();
  const first = await ask('POST', '/servers/1/start');
  wait(29 * MINUTE);
  expect((await ask('GET', '/', first.cookie)).data).toBe('copy 1');
  wait(31 * MINUTE);
  expect((await ask('GET', '/', first.cookie)).data).toBe('shared');
  expect(closed).toEqual(['copy 1']);
  await ask('POST', '/servers/1/start');
  await sessions.close();
  expect(closed).toEqual(['copy 1', 'copy 2']);
});

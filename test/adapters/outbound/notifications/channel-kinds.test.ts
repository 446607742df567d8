import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ChannelSenders } from '../../../../src/adapters/outbound/notifications/channel-senders.ts';
import { HttpPoster, type Post } from '../../../../src/adapters/outbound/notifications/http-poster.ts';
import { SmtpSender } from '../../../../src/adapters/outbound/notifications/smtp-sender.ts';
import { channelValues } from '../../../../src/domain/events/channels/channel-fields.ts';
import type { FieldValues } from '../../../../src/domain/events/channels/channel-kind.ts';
import {
  CHANNEL_KIND_NAMES,
  CHANNEL_KINDS,
  type ChannelKindName,
} from '../../../../src/domain/events/channels/channel-kinds.ts';
import { type ChannelMessage, messageOf } from '../../../../src/domain/events/channels/channel-message.ts';
import { FakeBroker } from '../../../fakes/fake-broker.ts';
import { answers, Receiver } from '../../../support/receiver.ts';

const NEVER = new AbortController().signal;
const AT = Date.UTC(2026, 10, 23, 12);
const LINK = 'https://drover.example.org/servers/1';

const message = messageOf(
  {
    uid: 'event-1',
    type: 'backup.stale',
    severity: 'critical',
    at: AT,
    title: 'Backup overdue',
    message: 'web-1 has had no backup for 40 hours.',
    serverId: 1,
    jobId: null,
  },
  LINK,
);

/** Texts that a host may write to trick those who read the message. */
const HOSTILE: ChannelMessage = {
  ...message,
  title: '@everyone <!channel> **down** <b>x</b> & [click](https://evil.example)',
  text: '<@U1> <https://evil.example|Sign in> `code` _it_ ~no~ |hidden| <script>alert(1)</script> @here',
};

type HttpKindName = Exclude<ChannelKindName, 'email' | 'heartbeat' | 'mqtt'>;
const HTTP_KINDS = CHANNEL_KIND_NAMES.filter(
  (name): name is HttpKindName => 'request' in CHANNEL_KINDS[name],
);

interface Vendor {
  /** Valid values; `URL` is the address of the server. */
  readonly values: FieldValues;
  readonly method?: string;
  readonly path: string;
  readonly headers?: FieldValues;
  /** As the vendor documents a request. */
  readonly body: unknown;
  /** An answer that the vendor gave to a message, with its status. */
  readonly taken: readonly [number, string];
  /** Refusals, and what Drover says about them. */
  readonly refused: readonly (readonly [number, string, RegExp])[];
  /** A value that is refused, by its field. */
  readonly bad: FieldValues;
  /** What is left of the hostile text. */
  readonly hostile: (body: string) => void;
}

const PUSHOVER_TOKEN = 'a'.repeat(30);
const PUSHOVER_USER = 'u'.repeat(30);
const BOT = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11';

const VENDORS: Readonly<Record<HttpKindName, Vendor>> = {
  ntfy: {
    values: { server: 'URL', topic: 'drover_x7', token: 'tk_secret' },
    path: '/',
    headers: { authorization: 'Bearer tk_secret', 'content-type': 'application/json' },
    body: {
      topic: 'drover_x7',
      title: 'Backup overdue',
      message: 'web-1 has had no backup for 40 hours.',
      priority: 5,
      tags: ['rotating_light'],
      click: LINK,
    },
    taken: [200, '{"id":"hwQ2YpKdmg","time":1635528741,"event":"message","topic":"drover_x7","message":"x"}'],
    refused: [
      [401, '{"code":40101,"http":401,"error":"unauthorized"}', /access token is invalid/],
      [403, '{"code":40301,"http":403,"error":"forbidden"}', /may write/],
      [429, '{"code":42901,"http":429,"error":"limit reached"}', /^It answered 429\. /],
      [200, '<html>Welcome to nginx</html>', /^It answered 200, but not as ntfy does/],
    ],
    bad: { topic: 'a/b' },
    hostile: (body) =>
      expect(JSON.parse(body)).toMatchObject({ title: HOSTILE.title, message: HOSTILE.text }),
  },
  gotify: {
    values: { server: 'URL/gotify/', token: 'AbCdEf' },
    path: '/gotify/message',
    headers: { 'x-gotify-key': 'AbCdEf' },
    body: {
      title: 'Backup overdue',
      message: 'web-1 has had no backup for 40 hours.',
      priority: 9,
      extras: {
        'client::display': { contentType: 'text/plain' },
        'client::notification': { click: { url: LINK } },
      },
    },
    taken: [200, '{"id":25,"appid":5,"message":"x","title":"x","priority":9,"date":"2026-02-27T19:36:10Z"}'],
    refused: [
      [401, '{"error":"Unauthorized","errorCode":401,"errorDescription":"no valid token"}', /token/],
      [404, 'not found', /No Gotify server/],
    ],
    bad: { token: 'two words' },
    hostile: (body) => expect(body).toContain('"contentType":"text/plain"'),
  },
  slack: {
    values: { url: 'URL/services/T0/B0/xyz' },
    path: '/services/T0/B0/xyz',
    body: {
      attachments: [
        {
          color: '#cf222e',
          fallback: 'Backup overdue',
          title: '🔴 Backup overdue',
          title_link: LINK,
          text: 'web-1 has had no backup for 40 hours.',
          mrkdwn_in: [],
          ts: AT / 1_000,
        },
      ],
    },
    taken: [200, 'ok'],
    refused: [
      [404, 'no_service', /does not exist/],
      [410, 'channel_is_archived', /archived/],
      [403, 'action_prohibited', /does not allow posting/],
      [200, '<html>Sign in</html>', /but not as Slack does/],
    ],
    bad: { url: 'ftp://hooks.slack.com/services' },
    hostile: (body) => {
      const [attachment] = (JSON.parse(body) as { attachments: Record<string, string>[] }).attachments;
      expect(`${attachment?.['title']}${attachment?.['text']}${attachment?.['fallback']}`).not.toMatch(
        /[<>]/,
      );
    },
  },
  discord: {
    values: { url: 'URL/api/webhooks/1/abc?thread_id=9' },
    path: '/api/webhooks/1/abc?thread_id=9&wait=true',
    body: {
      allowed_mentions: { parse: [] },
      embeds: [
        {
          title: 'Backup overdue',
          description: 'web\\-1 has had no backup for 40 hours.',
          color: 0xcf222e,
          timestamp: '2026-11-23T12:00:00.000Z',
          url: LINK,
        },
      ],
    },
    taken: [200, '{"id":"1234","type":0,"content":"","embeds":[]}'],
    refused: [
      [404, '{"message": "Unknown Webhook", "code": 10015}', /does not exist/],
      [401, '{"message": "Invalid Webhook Token", "code": 50027}', /incomplete or wrong/],
    ],
    bad: { url: 'discord.com/api/webhooks/1' },
    hostile: (body) => {
      const { content, embeds } = JSON.parse(body) as { content?: string; embeds: Record<string, string>[] };
      expect(content).toBeUndefined();
      const text = `${embeds[0]?.['title']} ${embeds[0]?.['description']}`;
      expect(text).not.toMatch(/@(everyone|here)/);
      // Nothing that formats is without its backslash.
      expect(text.replaceAll(/\\./g, '')).not.toMatch(/[*_~`|[\]()<>]/);
    },
  },
  telegram: {
    values: { server: 'URL', token: BOT, chat: '-1001234567890', topic: '7' },
    path: `/bot${BOT}/sendMessage`,
    body: {
      chat_id: '-1001234567890',
      text: `<b>🔴 Backup overdue</b>\nweb-1 has had no backup for 40 hours.\n<a href="${LINK}">Open in Drover</a>`,
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
      message_thread_id: 7,
    },
    taken: [200, '{"ok":true,"result":{"message_id":11,"date":1635528741}}'],
    refused: [
      [401, '{"ok":false,"error_code":401,"description":"Unauthorized"}', /bot token is wrong/],
      [400, '{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}', /send it a message/],
      [
        403,
        '{"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}',
        /blocked/,
      ],
    ],
    bad: { token: 'my token' },
    hostile: (body) => {
      const { text } = JSON.parse(body) as { text: string };
      const tags = text.match(/<[^>]*>/g);
      expect(tags).toEqual(['<b>', '</b>', `<a href="${LINK}">`, '</a>']);
    },
  },
  matrix: {
    values: { server: 'URL', room: '!abc:example.org', token: 'syt_secret' },
    method: 'PUT',
    path: '/_matrix/client/v3/rooms/!abc%3Aexample.org/send/m.room.message/event-1',
    headers: { authorization: 'Bearer syt_secret' },
    body: {
      msgtype: 'm.text',
      body: `🔴 Backup overdue\nweb-1 has had no backup for 40 hours.\n${LINK}`,
      format: 'org.matrix.custom.html',
      formatted_body: `<strong>🔴 Backup overdue</strong><br>web-1 has had no backup for 40 hours.<br><a href="${LINK}">Open in Drover</a>`,
      'm.mentions': {},
    },
    taken: [200, '{"event_id":"$YUwRidLecu:example.com"}'],
    refused: [
      [401, '{"errcode":"M_UNKNOWN_TOKEN","error":"Unrecognised access token"}', /access token is invalid/],
      [403, '{"errcode":"M_FORBIDDEN","error":"not in room"}', /not in this room/],
    ],
    bad: { room: '#alias:example.org' },
    hostile: (body) => {
      const { formatted_body: html } = JSON.parse(body) as { formatted_body: string };
      expect(html.match(/<[^>]*>/g)).toEqual([
        '<strong>',
        '</strong>',
        '<br>',
        '<br>',
        `<a href="${LINK}">`,
        '</a>',
      ]);
    },
  },
  teams: {
    values: { url: 'URL/workflows/1?sig=secret' },
    path: '/workflows/1?sig=secret',
    body: expect.objectContaining({
      type: 'message',
      attachments: [
        expect.objectContaining({
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: expect.objectContaining({ type: 'AdaptiveCard', version: '1.4' }),
        }),
      ],
    }),
    taken: [202, ''],
    refused: [
      [401, '{"error":{"code":"DirectApiAuthorizationRequired"}}', /incomplete or wrong/],
      [404, '{"error":{"code":"WorkflowNotFound"}}', /deleted/],
    ],
    bad: { url: 'https://user:pw@example.org/' },
    // Runs of text have no Markdown.
    hostile: (body) => expect(body).not.toContain('"TextBlock"'),
  },
  pushover: {
    values: { token: PUSHOVER_TOKEN, user: PUSHOVER_USER },
    path: '/1/messages.json',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: {
      token: PUSHOVER_TOKEN,
      user: PUSHOVER_USER,
      title: 'Backup overdue',
      message: 'web-1 has had no backup for 40 hours.',
      priority: '1',
      timestamp: String(AT / 1_000),
      url: LINK,
      url_title: 'Open in Drover',
    },
    taken: [200, '{"status":1,"request":"647d2300-702c-4b38-8b2f-d56326ae460b"}'],
    refused: [
      [400, '{"token":"invalid","errors":["application token is invalid"],"status":0}', /application token/],
      [400, '{"user":"invalid","errors":["user identifier is invalid"],"status":0}', /user or group key/],
    ],
    bad: { user: 'short' },
    hostile: (body) => expect(new URLSearchParams(body).get('html')).toBeNull(),
  },
  apprise: {
    values: { server: 'URL', key: 'my-key', tag: 'ops' },
    path: '/notify/my-key',
    body: {
      title: 'Backup overdue',
      body: `web-1 has had no backup for 40 hours.\n${LINK}`,
      type: 'failure',
      format: 'text',
      tag: 'ops',
    },
    taken: [200, '{"error": null, "details": []}'],
    refused: [
      [204, '', /no configuration/],
      [424, '{"error": "One or more notifications could not be sent"}', /did not accept the message/],
    ],
    bad: { key: 'a b' },
    hostile: (body) => expect(JSON.parse(body)).toMatchObject({ format: 'text' }),
  },
};

describe('Each kind of channel, against a server that answers as the service does', () => {
  const receiver = new Receiver('');
  const poster = new HttpPoster({ allowPrivate: false });
  const broker = new FakeBroker('s3cret');
  let url = '';
  /** Pushover has one fixed address. */
  const senders = new ChannelSenders({
    poster: {
      post: (post: Post, signal) =>
        poster.post({ ...post, url: post.url.replace('https://api.pushover.net', url) }, signal),
    },
    smtp: new SmtpSender({ allowPrivate: false }),
    broker,
  });
  beforeAll(async () => {
    url = `http://127.0.0.1:${await receiver.listen()}`;
  });
  afterAll(async () => {
    poster.close();
    await receiver.close();
  });
  beforeEach(() => {
    receiver.received.length = 0;
  });

  const valuesOf = (name: HttpKindName): FieldValues =>
    Object.fromEntries(
      Object.entries(VENDORS[name].values).map(([field, value]) => [field, value.replace('URL', url)]),
    );
  const send = (name: HttpKindName, sent = message, allowPrivate = true) =>
    senders.send({ kind: name, values: valuesOf(name), allowPrivate }, sent, NEVER);
  const answersWith = (status: number, body: string) => receiver.behave.push(answers(status, {}, body));

  test.each(HTTP_KINDS)('%s is sent what its documentation asks for', async (name) => {
    const { method = 'POST', path, headers = {}, body, taken } = VENDORS[name];
    answersWith(...taken);
    expect(await send(name)).toMatchObject({ result: 'delivered', statusCode: taken[0], error: null });
    const [received] = receiver.received;
    expect([received?.method, received?.path]).toEqual([method, path]);
    expect(received?.headers).toMatchObject(headers);
    const text = received?.body ?? '';
    expect(name === 'pushover' ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text)).toEqual(
      body,
    );
  });

  test.each(HTTP_KINDS)('%s refusals are explained, without its words and secrets', async (name) => {
    for (const [status, body, words] of VENDORS[name].refused) {
      answersWith(status, body);
      const { result, error } = await send(name);
      expect([result, error]).toEqual(['failed', expect.stringMatching(words)]);
      for (const { name: field, secret } of CHANNEL_KINDS[name].fields)
        if (secret) expect(error).not.toContain(valuesOf(name)[field] ?? 'no value');
    }
  });

  test.each(HTTP_KINDS)('%s shows texts of hosts as text', async (name) => {
    answersWith(...VENDORS[name].taken);
    expect(await send(name, HOSTILE)).toMatchObject({ result: 'delivered' });
    VENDORS[name].hostile(receiver.received[0]?.body ?? '');
  });

  test.each(HTTP_KINDS)('%s names bad, missing and unknown fields, and shows no secret', (name) => {
    const kind = CHANNEL_KINDS[name];
    const values = Object.fromEntries(
      Object.entries(VENDORS[name].values).map(([field, value]) => [
        field,
        value.replace('URL', 'https://vendor.example.org'),
      ]),
    );
    expect(channelValues(kind, { values, allowPrivate: false })).toEqual(values);
    const problemsOf = (given: Record<string, string>): readonly string[] => {
      try {
        channelValues(kind, { values: given, allowPrivate: false });
        return [];
      } catch (error) {
        return (error as { problems: { path: string }[] }).problems.map(({ path }) => path);
      }
    };
    const [bad] = Object.keys(VENDORS[name].bad);
    expect(problemsOf({ ...values, ...VENDORS[name].bad })).toEqual([`/${bad}`]);
    expect(problemsOf({ ...values, colour: 'red' })).toEqual(['/colour']);
    const required = kind.fields.filter(({ optional }) => !optional);
    // Slack takes a webhook or a bot.
    const missing = name === 'slack' ? ['/url'] : required.map((field) => `/${field.name}`);
    expect(problemsOf({})).toEqual(missing);
    for (const field of kind.fields)
      expect(problemsOf({ ...values, [field.name]: `${values[field.name]}\r\nBcc: x@example.org` })).toEqual([
        `/${field.name}`,
      ]);
    const shown = kind.shown(values);
    for (const { name: field, secret } of kind.fields)
      if (secret) expect(shown).not.toContain(values[field] ?? 'no value');
  });

  test('a private address is refused unless the channel allows it', async () => {
    expect(await send('gotify', message, false)).toMatchObject({
      result: 'failed',
      error: '127.0.0.1 is not a public address.',
    });
    expect(receiver.received).toEqual([]);
    answersWith(...VENDORS.gotify.taken);
    expect(await send('gotify')).toMatchObject({ result: 'delivered' });
    // The open connection to it is not used for one that does not.
    expect(await send('gotify', message, false)).toMatchObject({ result: 'failed' });
  });

  test('a heartbeat is a GET of its URL, without a body', async () => {
    const target = {
      kind: 'heartbeat',
      values: { url: `${url}/ping/s3cret?status=up` },
      allowPrivate: true,
    } as const;
    receiver.behave.push(answers(200, {}, 'OK'), answers(404, {}, 'not found'), answers(302, {}, ''));
    expect(await senders.call(target, NEVER)).toMatchObject({ result: 'delivered', statusCode: 200 });
    expect(receiver.received.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['GET', '/ping/s3cret?status=up', ''],
    ]);
    const gone = await senders.call(target, NEVER);
    expect(gone).toMatchObject({ result: 'failed', statusCode: 404 });
    expect(gone.error).not.toContain('s3cret');
    expect(await senders.call(target, NEVER)).toMatchObject({ result: 'failed', statusCode: 302 });
    expect(await senders.call({ ...target, allowPrivate: false }, NEVER)).toMatchObject({
      result: 'failed',
      statusCode: null,
    });
    expect(await senders.send(target, message, NEVER)).toMatchObject({ result: 'delivered' });
  });

  test('a broker is sent a test that it does not keep', async () => {
    const values = { host: 'broker.example.org', login: 'drover', password: 's3cret', topic: 'home' };
    const target = { kind: 'mqtt', values, allowPrivate: true } as const;
    expect(await senders.send(target, message, NEVER)).toMatchObject({ result: 'delivered', error: null });
    expect(broker.sent).toEqual([{ topic: 'home/test', payload: message.title }]);
    expect(broker.kept.size).toBe(0);
    const wrong = { ...target, values: { ...values, password: 'other' } };
    const refused = await senders.send(wrong, message, NEVER);
    expect(refused).toMatchObject({ result: 'failed', statusCode: null });
    expect(refused.error).toMatch(/user name or password/);
    expect(CHANNEL_KINDS.mqtt.shown({ host: 'b.lan', port: '18' })).toBe('b.lan:18');
    expect(CHANNEL_KINDS.mqtt.shown({ host: 'b.lan' })).toBe('b.lan:8883');
  });

  test('Telegram says in its body how long it wants to be left alone', async () => {
    answersWith(
      429,
      '{"ok":false,"error_code":429,"description":"Too Many Requests","parameters":{"retry_after":35}}',
    );
    expect(await send('telegram')).toMatchObject({ result: 'failed', retryAfterMs: 35_000 });
  });

  test('a title for Discord fits after it is escaped', async () => {
    answersWith(...VENDORS.discord.taken);
    await send('discord', { ...message, title: '*'.repeat(200) });
    const { embeds } = JSON.parse(receiver.received[0]?.body ?? '') as { embeds: { title: string }[] };
    expect(embeds[0]?.title.length).toBeLessThanOrEqual(256);
    expect(embeds[0]?.title).toMatch(/^(\\\*)+…$/);
  });
});

import { SECOND, toIso } from '../../base/instant.ts';
import { withoutEnd } from '../../base/without-end.ts';
import type { Severity } from '../event.ts';
import { COLOURS } from './channel-colours.ts';
import {
  below,
  type ChannelField,
  type ChannelReply,
  firstHint,
  type HttpKind,
  originOf,
  textAt,
} from './channel-kind.ts';
import {
  type ChannelMessage,
  discordText,
  fitting,
  htmlLines,
  htmlText,
  plainText,
  signed,
} from './channel-message.ts';

/** The address of an incoming webhook, which is a secret: anyone who has it can post. */
const webhookField = (help: string): ChannelField => ({
  name: 'url',
  label: 'Webhook URL',
  help,
  type: 'url',
  secret: true,
});

const MAX_DISCORD_TITLE = 256;
const MAX_DISCORD_TEXT = 4_096;

const discordBody = (message: ChannelMessage): object => ({
  allowed_mentions: { parse: [] },
  embeds: [
    {
      title: fitting(message.title, MAX_DISCORD_TITLE, discordText),
      description: fitting(message.text, MAX_DISCORD_TEXT, discordText),
      color: COLOURS[message.severity],
      timestamp: toIso(message.at),
      ...(message.link === null ? {} : { url: message.link }),
    },
  ],
});

/** https://docs.discord.com/developers/resources/webhook#execute-webhook and #edit-webhook-message */
export const DISCORD: HttpKind = {
  title: 'Discord',
  longest: 2_000,
  help: 'A channel in Discord, by a webhook.',
  fields: [webhookField('In Discord under Edit Channel > Integrations: https://discord.com/api/webhooks/…')],
  shown: ({ url = '' }) => originOf(url),
  request: ({ url = '' }, message) => {
    const address = new URL(url);
    // Without it, Discord answers before it checks the message.
    address.searchParams.set('wait', 'true');
    return { url: address.href, body: discordBody(message) };
  },
  inPlace: {
    refOf: (reply) => numberText(textAt(reply, 'id')),
    request: ({ url = '' }, ref, message) => {
      const address = new URL(url);
      address.pathname = `${withoutEnd(address.pathname, '/')}/messages/${ref}`;
      return { method: 'PATCH', url: address.href, body: discordBody(message) };
    },
    isMissing: ({ json }) => json['code'] === 10_008,
  },
  isTaken: (reply) => reply.status === 204 || textAt(reply, 'id') !== '',
  hint: ({ status, json }) =>
    firstHint([
      [json['code'] === 10_015 || status === 404, 'This webhook does not exist in Discord, or was deleted.'],
      [json['code'] === 50_027 || status === 401, 'The webhook URL is incomplete or wrong.'],
      [status === 429, 'The rate limit of Discord is reached.'],
    ]),
};

/** An id that is part of an address. */
const numberText = (text: string): string | null => (/^\d{1,24}$/.test(text) ? text : null);

const description = (reply: ChannelReply): string => textAt(reply, 'description').toLowerCase();

const telegramText = (message: ChannelMessage): object => ({
  text: [
    `<b>${htmlText(signed(message))}</b>`,
    htmlText(message.text),
    ...(message.link === null ? [] : [`<a href="${htmlText(message.link)}">Open in Drover</a>`]),
  ].join('\n'),
  parse_mode: 'HTML',
  link_preview_options: { is_disabled: true },
});

/** https://core.telegram.org/bots/api#sendmessage and #editmessagetext */
export const TELEGRAM: HttpKind = {
  title: 'Telegram',
  longest: 3_000,
  help: 'A chat, group or channel in Telegram, by a bot.',
  fields: [
    {
      name: 'token',
      label: 'Bot token',
      help: 'From @BotFather.',
      secret: true,
      form: { pattern: /^\d{1,20}:[\w-]{20,100}$/, message: 'A bot token looks like 123456:ABC-DEF….' },
    },
    {
      name: 'chat',
      label: 'Chat ID',
      help: 'A number, negative for groups, or @name of a public channel. Send the bot a message first.',
      form: { pattern: /^(-?\d{1,20}|@\w{4,64})$/, message: 'A chat ID is a number or @name.' },
    },
    {
      name: 'topic',
      label: 'Topic ID',
      help: 'Of a forum group. Empty: none.',
      optional: true,
      form: { pattern: /^\d{1,18}$/, message: 'A topic ID is a number.' },
    },
    {
      name: 'server',
      label: 'Bot API server',
      help: 'Only if you run your own. Empty: https://api.telegram.org',
      type: 'url',
      optional: true,
      otherwise: 'https://api.telegram.org',
    },
  ],
  shown: ({ chat = '' }) => `chat ${chat}`,
  request: ({ server, token = '', chat = '', topic }, message) => ({
    url: below(server, `/bot${token}/sendMessage`),
    body: {
      chat_id: chat,
      ...telegramText(message),
      ...(topic === undefined ? {} : { message_thread_id: Number(topic) }),
    },
  }),
  inPlace: {
    refOf: ({ json }) => {
      const { message_id: id } = (json['result'] ?? {}) as { readonly message_id?: unknown };
      return typeof id === 'number' ? numberText(String(id)) : null;
    },
    request: ({ server, token = '', chat = '' }, ref, message) => ({
      url: below(server, `/bot${token}/editMessageText`),
      body: { chat_id: chat, message_id: Number(ref), ...telegramText(message) },
    }),
    isMissing: (reply) => /message (to edit not found|can't be edited)/.test(description(reply)),
    isSame: (reply) => description(reply).includes('message is not modified'),
  },
  isTaken: ({ json }) => json['ok'] === true,
  hint: (reply) =>
    firstHint([
      [reply.status === 401 || reply.status === 404, 'The bot token is wrong.'],
      [
        description(reply).includes('chat not found'),
        'The bot cannot find this chat: send it a message first.',
      ],
      [description(reply).includes('thread not found'), 'The chat has no topic with this ID.'],
      [description(reply).includes('upgraded to a supergroup'), 'The group has a new chat ID.'],
      [reply.status === 403, 'The bot was blocked or removed, or may not post in this chat.'],
      [reply.status === 429, 'The rate limit of the bot is reached.'],
    ]),
  retryAfterMs: ({ json }) => {
    const { retry_after: seconds } = (json['parameters'] ?? {}) as { readonly retry_after?: unknown };
    return typeof seconds === 'number' && seconds > 0 ? seconds * SECOND : null;
  },
};

/** https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid */
export const MATRIX: HttpKind = {
  title: 'Matrix',
  longest: 10_000,
  help: 'A room in Matrix that is not encrypted, by an account of your homeserver.',
  fields: [
    {
      name: 'server',
      label: 'Homeserver',
      help: 'Its address, such as https://matrix.example.org',
      type: 'url',
    },
    {
      name: 'room',
      label: 'Room ID',
      help: 'In the room settings under Advanced: !…:example.org. The account has to be in the room.',
      form: { pattern: /^![^\s/?#]{1,254}$/, message: 'A room ID starts with "!".' },
    },
    {
      name: 'token',
      label: 'Access token',
      help: 'Of the account that sends.',
      secret: true,
      form: { pattern: /^[\x21-\x7e]{1,1000}$/, message: 'An access token has no spaces.' },
    },
  ],
  shown: ({ room = '' }) => room,
  request: ({ server, room = '', token = '' }, message) => ({
    method: 'PUT',
    // The message's id makes a repeated request no second message.
    url: below(
      server,
      `/_matrix/client/v3/rooms/${encodeURIComponent(room)}/send/m.room.message/${encodeURIComponent(message.id)}`,
    ),
    headers: { authorization: `Bearer ${token}` },
    body: {
      msgtype: 'm.text',
      body: plainText({ ...message, title: signed(message) }),
      format: 'org.matrix.custom.html',
      formatted_body: [
        `<strong>${htmlText(signed(message))}</strong>`,
        htmlLines(message.text),
        ...(message.link === null ? [] : [`<a href="${htmlText(message.link)}">Open in Drover</a>`]),
      ].join('<br>'),
      // An empty object: nothing in the text counts as a mention.
      'm.mentions': {},
    },
  }),
  isTaken: (reply) => textAt(reply, 'event_id') !== '',
  hint: (reply) =>
    firstHint([
      [/^M_(UNKNOWN|MISSING)_TOKEN$/.test(textAt(reply, 'errcode')), 'The access token is invalid.'],
      [textAt(reply, 'errcode') === 'M_FORBIDDEN', 'The account is not in this room, or may not post there.'],
      [textAt(reply, 'errcode') === 'M_LIMIT_EXCEEDED', 'The rate limit of the homeserver is reached.'],
      [reply.status === 404, 'No Matrix homeserver answers at this address.'],
    ]),
};

const TEAMS_COLOUR = {
  info: 'Accent',
  warning: 'Warning',
  critical: 'Attention',
} as const satisfies Record<Severity, string>;

/** Text without Markdown, unlike in a `TextBlock`. */
const teamsText = (text: string, run: object = {}): object => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text, ...run }],
});

/** https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook */
export const TEAMS: HttpKind = {
  title: 'Microsoft Teams',
  help: 'A channel or chat in Teams, by a workflow.',
  fields: [webhookField('Of the workflow "Send webhook alerts to a channel".')],
  shown: ({ url = '' }) => originOf(url),
  request: ({ url = '' }, message) => ({
    url,
    body: {
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              teamsText(message.title, { weight: 'Bolder', color: TEAMS_COLOUR[message.severity] }),
              ...message.text.split('\n').map((line) => teamsText(line)),
            ],
            actions:
              message.link === null
                ? []
                : [{ type: 'Action.OpenUrl', title: 'Open in Drover', url: message.link }],
          },
        },
      ],
    },
  }),
  // Connectors, which workflows replaced, answered 200 with "1".
  isTaken: ({ status, text }) => status === 202 || text.trim() === '1',
  hint: ({ status }) =>
    firstHint([
      [status === 401 || status === 403, 'The webhook URL is incomplete or wrong.'],
      [status === 404 || status === 410, 'The workflow was deleted.'],
      [status === 400, 'The workflow is switched off, or does not expect a card.'],
    ]),
};

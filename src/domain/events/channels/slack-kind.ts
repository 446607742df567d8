import { SECOND } from '../../base/instant.ts';
import type { Severity } from '../event.ts';
import { COLOURS } from './channel-colours.ts';
import {
  below,
  type ChannelRequest,
  type FieldValues,
  firstHint,
  type HttpKind,
  originOf,
  textAt,
} from './channel-kind.ts';
import { type ChannelMessage, signed, slackText } from './channel-message.ts';

const hexColour = (severity: Severity): string => `#${COLOURS[severity].toString(16).padStart(6, '0')}`;

const attachment = (message: ChannelMessage): object => ({
  color: hexColour(message.severity),
  fallback: slackText(message.title),
  title: slackText(signed(message)),
  ...(message.link === null ? {} : { title_link: message.link }),
  text: slackText(message.text),
  // Hosts write parts of the text, so that none of it is formatted.
  mrkdwn_in: [],
  ts: Math.floor(message.at / SECOND),
});

/** A call of the Web API with the token of a bot. */
const asBot = ({ server, token = '' }: FieldValues, method: string, body: object): ChannelRequest => ({
  url: below(server, `/api/${method}`),
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=utf-8' },
  body,
});

/** A channel and the time of a message, by which Slack knows it. */
const REF = /^[A-Z0-9]{1,20} \d{1,12}\.\d{1,6}$/;

/**
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks, /reference/methods/chat.postMessage and
 * chat.update: messages of incoming webhooks cannot be changed.
 */
export const SLACK: HttpKind = {
  title: 'Slack',
  longest: 2_500,
  help: 'A channel in Slack, by an incoming webhook or a bot.',
  fields: [
    {
      name: 'url',
      label: 'Webhook URL',
      help: 'In Slack under Apps > Incoming Webhooks: https://hooks.slack.com/services/… Not needed with a bot token.',
      type: 'url',
      secret: true,
      optional: true,
    },
    {
      name: 'token',
      label: 'Bot token',
      help: 'xoxb-…, with the scope chat:write. Messages are then updated instead of sent again.',
      secret: true,
      optional: true,
      form: { pattern: /^xoxb-[-A-Za-z0-9]{10,200}$/, message: 'A bot token starts with "xoxb-".' },
    },
    {
      name: 'channel',
      label: 'Channel',
      help: 'For the bot, which has to be a member: its ID, such as C0123456789, or #name.',
      optional: true,
      form: {
        pattern: /^(#[^\s#]{1,80}|[A-Z0-9]{6,20})$/,
        message: 'A channel is an ID such as C0123456789, or #name.',
      },
    },
    {
      name: 'server',
      label: 'Web API server',
      help: 'For the bot, only if you use GovSlack. Empty: https://slack.com',
      type: 'url',
      optional: true,
      otherwise: 'https://slack.com',
    },
  ],
  shown: ({ url = '', token, channel = '' }) => (token === undefined ? originOf(url) : `channel ${channel}`),
  problems: ({ url, token, channel }) => {
    if (url === undefined && token === undefined)
      return [{ path: '/url', message: 'Enter a webhook URL, or a bot token with a channel.' }];
    if (token !== undefined && channel === undefined)
      return [{ path: '/channel', message: 'Channel is required with a bot token.' }];
    return [];
  },
  request: (values, message) => {
    const { url = '', token, channel = '' } = values;
    const attachments = [attachment(message)];
    return token === undefined
      ? { url, body: { attachments } }
      : asBot(values, 'chat.postMessage', { channel, attachments });
  },
  inPlace: {
    refOf: (reply) => {
      const ref = `${textAt(reply, 'channel')} ${textAt(reply, 'ts')}`;
      return REF.test(ref) ? ref : null;
    },
    request: (values, ref, message) => {
      const [channel = '', ts = ''] = ref.split(' ');
      return asBot(values, 'chat.update', { channel, ts, attachments: [attachment(message)] });
    },
    isMissing: (reply) =>
      ['message_not_found', 'cant_update_message', 'edit_window_closed'].includes(textAt(reply, 'error')),
  },
  isTaken: ({ text, json }) => text.trim() === 'ok' || json['ok'] === true,
  hint: (reply) => {
    const { status, text } = reply;
    const error = textAt(reply, 'error');
    return firstHint([
      [
        ['no_service', 'no_team', 'invalid_token'].includes(text.trim()),
        'This webhook does not exist in Slack, or was deleted.',
      ],
      [
        /^channel_(is_archived|not_found)$/.test(text.trim()),
        'The Slack channel is archived or was deleted.',
      ],
      [
        /^(action_prohibited|posting_to_\w+)$/.test(text.trim()),
        'Slack does not allow posting to this channel.',
      ],
      [/^(not_authed|invalid_auth|token_\w+|account_inactive)$/.test(error), 'The bot token is invalid.'],
      [error === 'missing_scope', 'The bot needs the scope chat:write.'],
      [error === 'not_in_channel', 'Invite the bot to the Slack channel first.'],
      [
        /^(channel_not_found|is_archived)$/.test(error),
        'The bot cannot find this Slack channel, or it is archived.',
      ],
      [error === 'ratelimited' || status === 429, 'The rate limit of Slack is reached.'],
      [status === 404 || status === 403, 'Check the webhook URL.'],
    ]);
  },
};

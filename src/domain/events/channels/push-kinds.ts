import { isRecovery, type Severity } from '../event.ts';
import { below, type FieldValues, firstHint, type HttpKind, originOf, textAt } from './channel-kind.ts';
import { type ChannelMessage, plainText } from './channel-message.ts';

const NTFY_PRIORITY = { info: 3, warning: 4, critical: 5 } as const satisfies Record<Severity, number>;
const NTFY_TAG = {
  info: 'information_source',
  warning: 'warning',
  critical: 'rotating_light',
} as const satisfies Record<Severity, string>;

/** https://docs.ntfy.sh/publish/#publish-as-json; older servers than 2.16 ignore the sequence ID. */
function ntfyRequest(
  { server = '', topic = '', token }: FieldValues,
  { severity, title, text, link, problem }: ChannelMessage,
) {
  const sequence = problem?.replaceAll(/[^-_A-Za-z0-9]/g, '-').slice(0, 64);
  return {
    url: below(server, '/'),
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(sequence === undefined ? {} : { 'x-sequence-id': sequence }),
    },
    body: {
      topic,
      title,
      message: text,
      priority: NTFY_PRIORITY[severity],
      tags: [NTFY_TAG[severity]],
      ...(link === null ? {} : { click: link }),
      ...(sequence === undefined ? {} : { sequence_id: sequence }),
    },
  };
}

export const NTFY: HttpKind = {
  title: 'ntfy',
  help: 'Push notifications to phones and desktops, through ntfy.sh or your own server.',
  fields: [
    {
      name: 'server',
      label: 'Server',
      help: 'Address of the ntfy server. Empty: https://ntfy.sh',
      type: 'url',
      optional: true,
      otherwise: 'https://ntfy.sh',
    },
    {
      name: 'topic',
      label: 'Topic',
      help: 'Anyone who knows a topic of ntfy.sh can read it: choose one that is hard to guess.',
      secret: true,
      form: {
        pattern: /^[-_A-Za-z0-9]{1,64}$/,
        message: 'A topic has 1 to 64 letters, digits, "_" and "-".',
      },
    },
    {
      name: 'token',
      label: 'Access token',
      help: 'tk_…, if the topic is protected.',
      secret: true,
      optional: true,
      form: { pattern: /^[\x21-\x7e]{1,200}$/, message: 'An access token has no spaces.' },
    },
  ],
  shown: ({ server = '' }) => originOf(server),
  request: ntfyRequest,
  inPlace: {
    refOf: (_, { problem }) => problem,
    // A message with the same sequence ID replaces the other; one that resolves it makes no sound.
    request: (values, _, message) => {
      const { body, ...request } = ntfyRequest(values, message);
      return {
        ...request,
        body: isRecovery(message) ? { ...body, priority: 2, tags: ['white_check_mark'] } : body,
      };
    },
    isMissing: () => false,
  },
  isTaken: (reply) => textAt(reply, 'id') !== '',
  hint: ({ status }) =>
    firstHint([
      [status === 401, 'The access token is invalid.'],
      [status === 403, 'This topic needs an access token that may write to it.'],
      [status === 404 || status === 405, 'No ntfy server answers at this address.'],
      [status === 429, 'The rate limit of the ntfy server is reached.'],
    ]),
};

const GOTIFY_PRIORITY = { info: 3, warning: 6, critical: 9 } as const satisfies Record<Severity, number>;

/** https://gotify.net/api-docs, createMessage */
export const GOTIFY: HttpKind = {
  title: 'Gotify',
  help: 'Push notifications through your own Gotify server.',
  fields: [
    { name: 'server', label: 'Server', help: 'Address of the Gotify server.', type: 'url' },
    {
      name: 'token',
      label: 'Application token',
      help: 'In Gotify under Apps. A client token (C…) cannot send.',
      secret: true,
      form: { pattern: /^[\x21-\x7e]{1,200}$/, message: 'A token has no spaces.' },
    },
  ],
  shown: ({ server = '' }) => originOf(server),
  request: ({ server, token = '' }, { severity, title, text, link }) => ({
    url: below(server, '/message'),
    headers: { 'x-gotify-key': token },
    body: {
      title,
      message: text,
      priority: GOTIFY_PRIORITY[severity],
      extras: {
        'client::display': { contentType: 'text/plain' },
        ...(link === null ? {} : { 'client::notification': { click: { url: link } } }),
      },
    },
  }),
  isTaken: ({ json }) => typeof json['id'] === 'number',
  hint: ({ status }) =>
    firstHint([
      [status === 401 || status === 403, 'The token is not an application token of this server.'],
      [status === 404 || status === 405, 'No Gotify server answers at this address.'],
    ]),
};

const PUSHOVER_ID = { pattern: /^[A-Za-z0-9]{30}$/, message: 'It has 30 letters and digits.' };

/** https://pushover.net/api */
export const PUSHOVER: HttpKind = {
  title: 'Pushover',
  help: 'Push notifications through pushover.net.',
  fields: [
    {
      name: 'token',
      label: 'Application token',
      help: 'API token of an application that you create at pushover.net.',
      secret: true,
      form: PUSHOVER_ID,
    },
    {
      name: 'user',
      label: 'User or group key',
      help: 'Who gets the message.',
      secret: true,
      form: PUSHOVER_ID,
    },
  ],
  shown: () => 'pushover.net',
  request: ({ token = '', user = '' }, { severity, title, text, link, at }) => ({
    url: 'https://api.pushover.net/1/messages.json',
    body: new URLSearchParams({
      token,
      user,
      title,
      message: text === '' ? title : text,
      priority: severity === 'critical' ? '1' : '0',
      timestamp: String(Math.floor(at / 1_000)),
      ...(link === null ? {} : { url: link, url_title: 'Open in Drover' }),
    }),
  }),
  isTaken: ({ json }) => json['status'] === 1,
  hint: (reply) =>
    firstHint([
      [textAt(reply, 'token') === 'invalid', 'The application token is invalid.'],
      [textAt(reply, 'user') === 'invalid', 'The user or group key is invalid.'],
      [reply.status === 429, 'The monthly limit of the application is reached.'],
    ]),
};

const APPRISE_TYPE = {
  info: 'info',
  warning: 'warning',
  critical: 'failure',
} as const satisfies Record<Severity, string>;

/** https://github.com/caronc/apprise-api, stateful notifications */
export const APPRISE: HttpKind = {
  title: 'Apprise API',
  help: 'More than 100 services through your own Apprise API server.',
  fields: [
    { name: 'server', label: 'Server', help: 'Address of the Apprise API server.', type: 'url' },
    {
      name: 'key',
      label: 'Configuration key',
      help: 'The key under which the server keeps the Apprise addresses.',
      secret: true,
      form: {
        pattern: /^[-_A-Za-z0-9]{1,128}$/,
        message: 'A key has 1 to 128 letters, digits, "_" and "-".',
      },
    },
    {
      name: 'tag',
      label: 'Tag',
      help: 'Only the addresses with this Apprise tag. Empty: all.',
      optional: true,
      form: { pattern: /^[^\s,]{1,60}$/, message: 'A tag has no spaces and commas.' },
    },
  ],
  shown: ({ server = '' }) => originOf(server),
  request: ({ server, key = '', tag }, message) => ({
    url: below(server, `/notify/${key}`),
    headers: { accept: 'application/json' },
    body: {
      title: message.title,
      body: plainText({ ...message, title: '' }) || message.title,
      type: APPRISE_TYPE[message.severity],
      format: 'text',
      ...(tag === undefined ? {} : { tag }),
    },
  }),
  // 204: the key has no configuration.
  isTaken: ({ status }) => status === 200,
  hint: ({ status }) =>
    firstHint([
      [status === 204, 'The server has no configuration under this key.'],
      [status === 424, 'At least one of its services did not accept the message.'],
      [status === 404, 'No Apprise API server answers at this address.'],
    ]),
};

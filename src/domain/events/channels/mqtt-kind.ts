import type { InputProblem } from '../../base/errors.ts';
import type { BrokerKind, FieldValues } from './channel-kind.ts';

const PORTS: Readonly<Record<string, number>> = { tls: 8_883, none: 1_883 };
const SEGMENT = {
  pattern: /^[a-z0-9][-_a-z0-9]{0,31}$/,
  message: 'Up to 32 lower-case letters, digits, "_" and "-".',
};

/** https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery */
export const HOME_ASSISTANT: BrokerKind = {
  title: 'Home Assistant (MQTT)',
  noEvents: 'none, it shows the current state',
  help: 'Shows servers, updates, backups and alerts in Home Assistant, through your MQTT broker.',
  fields: [
    { name: 'host', label: 'MQTT broker', help: 'Its host name or IP address.', type: 'host' },
    {
      name: 'security',
      label: 'Encryption',
      help: 'Without encryption, others in the network can read the password and send commands.',
      choices: [
        { value: 'tls', label: 'TLS' },
        { value: 'none', label: 'None' },
      ],
      optional: true,
      otherwise: 'tls',
    },
    {
      name: 'port',
      label: 'Port',
      help: 'Empty: 8883 for TLS, 1883 without encryption.',
      type: 'port',
      optional: true,
    },
    { name: 'login', label: 'User name', help: 'Empty: Drover does not sign in.', optional: true },
    { name: 'password', label: 'Password', help: 'Of that user.', secret: true, optional: true },
    {
      name: 'topic',
      label: 'Topic',
      help: 'First part of the topics of this Drover. Empty: drover',
      optional: true,
      otherwise: 'drover',
      form: SEGMENT,
    },
    {
      name: 'prefix',
      label: 'Discovery prefix',
      help: 'As in the MQTT options of Home Assistant. Empty: homeassistant',
      optional: true,
      otherwise: 'homeassistant',
      form: SEGMENT,
    },
    {
      name: 'tag',
      label: 'Tag',
      help: 'Only servers with this tag. Empty: all, 500 at most.',
      optional: true,
    },
    {
      name: 'token',
      label: 'API token',
      help: 'A token of Drover with the scope jobs. Empty: Home Assistant shows no buttons.',
      type: 'apiToken',
      secret: true,
      optional: true,
    },
    {
      name: 'approval',
      label: 'Approval',
      help: 'Everyone who may write to the broker can press the buttons.',
      choices: [
        { value: 'required', label: 'Only tokens that require approval' },
        { value: 'any', label: 'Also tokens that act at once' },
      ],
      optional: true,
      otherwise: 'required',
    },
  ],
  testTopic: ({ topic = '' }) => `${topic}/test`,
  shown: ({ host = '', port, security }) => `${host}:${port ?? portOf(security)}`,
  problems: accessProblems,
  broker: ({ host = '', port, security, login, password }) => ({
    host,
    port: port === undefined ? portOf(security) : Number(port),
    isEncrypted: security !== 'none',
    ...(login === undefined ? {} : { login, password: password ?? '' }),
  }),
};

const portOf = (security = 'tls'): number => PORTS[security] ?? 0;

function accessProblems({ login, password }: FieldValues): readonly InputProblem[] {
  if (login !== undefined && password === undefined)
    return [{ path: '/password', message: 'Password is required with a user name.' }];
  if (login === undefined && password !== undefined)
    return [{ path: '/login', message: 'User name is required with a password.' }];
  return [];
}

import { MINUTE } from '../../base/instant.ts';
import type { HeartbeatKind } from './channel-kind.ts';

/**
 * https://healthchecks.io/docs/http_api/, success; Uptime Kuma, monitor type "Push". Other services for dead man's
 * switches are called in the same way.
 */
export const HEARTBEAT: HeartbeatKind = {
  title: 'Heartbeat',
  help: 'Calls Healthchecks, Uptime Kuma or another service regularly. It alerts you when the calls stop.',
  fields: [
    {
      name: 'url',
      label: 'URL',
      help: 'The ping URL of the check or push monitor.',
      type: 'url',
      secret: true,
    },
    {
      name: 'minutes',
      label: 'Minutes between calls',
      help: 'Expect a call in the other service at this interval. Empty: 5',
      optional: true,
      otherwise: '5',
      form: { pattern: /^(?:[1-9]|[1-5]\d|60)$/, message: 'A number from 1 to 60.' },
    },
  ],
  shown: ({ url = '' }) => new URL(url).host,
  url: ({ url = '' }) => url,
  everyMs: ({ minutes }) => Number(minutes) * MINUTE,
  hint: (status) => (status === 404 || status === 410 ? 'The check or monitor does not exist.' : null),
};

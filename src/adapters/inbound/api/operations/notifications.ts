import * as z from 'zod';
import { ListNotifications } from '../../../../application/events/list-notifications.ts';
import { SEVERITIES } from '../../../../domain/events/event.ts';
import { NOTIFICATION_KINDS, NOTIFICATION_STATES } from '../../../../domain/events/notification.ts';
import { page as examplePage } from '../examples.ts';
import { pageFields, serverId } from '../fields.ts';
import { operation } from '../operation.ts';
import { notificationSchema, notificationView } from '../views/notification-view.ts';
import { pageShape, pageView } from '../views/page-view.ts';

export const listNotifications = operation({
  name: 'list_notifications',
  scope: 'read',
  effect: 'reads',
  title: 'List alerts',
  description:
    'Lists alerts, newest first. Each problem has one alert: it opens after the problem has lasted for a while, and resolves automatically. Without a state: pending and open alerts. A token limited to servers sees only their alerts, and none about the whole fleet.',
  input: z.strictObject({
    state: z.enum(NOTIFICATION_STATES).optional(),
    kind: z.enum(NOTIFICATION_KINDS).optional(),
    min_severity: z.enum(SEVERITIES).optional().describe('Minimum severity'),
    server_id: serverId.optional(),
    ...pageFields(50),
  }),
  output: z.strictObject({ notifications: z.array(notificationSchema), ...pageShape }),
  group: 'Fleet',
  errors: ['server_not_found'],
  examples: [
    {
      title: 'Open alerts',
      input: { min_severity: 'warning' },
      output: {
        notifications: [
          {
            id: 1,
            kind: 'server.reboot_pending',
            state: 'open',
            severity: 'warning',
            muted: false,
            title: 'web-1 needs a reboot',
            message: 'Updates on web-1 take effect only after a reboot.',
            server_id: 1,
            server_name: 'web-1',
            job_id: null,
            began_at: '2026-11-20T03:10:00.000Z',
            opened_at: '2026-11-20T04:10:00.000Z',
            acknowledged_at: null,
            acknowledged_by: null,
            resolved_at: null,
          },
        ],
        ...examplePage(1),
      },
    },
  ],
  routes: [{ method: 'GET', path: '/notifications', status: 200 }],
  async run(useCases, actor, { state, kind, min_severity, server_id, limit, offset }) {
    const filter = {
      states: state === undefined ? (['open', 'acknowledged'] as const) : [state],
      ...(kind && { kind }),
      ...(min_severity && { minSeverity: min_severity }),
      ...(server_id && { serverId: server_id }),
    };
    const page = await useCases.get(ListNotifications).execute(actor, filter, { limit, offset });
    return { notifications: page.items.map(notificationView), ...pageView(page) };
  },
});

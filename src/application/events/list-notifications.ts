import type { Actor } from '../../domain/access/actor.ts';
import type { NotificationOrder } from '../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import type { Notification } from '../../domain/events/notification.ts';
import { UseCase } from '../base/use-case.ts';
import { visibleIds } from '../fleet/list-servers.ts';
import type { NotificationFilter } from '../ports/events/notification-store.ts';

/** Open alerts that the caller may see: a caller that is limited to servers sees no fleet-wide ones. */
export class ListNotifications extends UseCase<'notifications'> {
  async execute(
    actor: Actor,
    filter: Omit<NotificationFilter, 'serverIds'>,
    page: PageRequest,
    order?: NotificationOrder,
  ): Promise<Page<Notification>> {
    actor.require('read');
    if (filter.serverId !== undefined) actor.requireServer(filter.serverId);
    return this.deps.notifications.list({ ...filter, serverIds: visibleIds(actor) }, page, order);
  }
}

import { toIso } from '../../../../domain/base/instant.ts';
import type { AlertChannel } from '../../../../domain/events/channels/alert-channel.ts';

/** Without its secrets. */
export const channelView = (channel: AlertChannel): object => ({
  id: channel.id,
  name: channel.name,
  kind: channel.kind,
  sends_to: channel.shownTarget,
  fields: channel.fields,
  events: channel.filter.events,
  min_severity: channel.filter.minSeverity,
  tags: channel.filter.tags,
  allow_private: channel.allowPrivate,
  enabled: channel.enabled,
  created_by: channel.createdBy,
  created_at: toIso(channel.createdAt),
  updated_at: toIso(channel.updatedAt),
});

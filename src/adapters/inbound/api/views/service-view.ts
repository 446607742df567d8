import * as z from 'zod';
import { toIso } from '../../../../domain/base/instant.ts';
import { SERVICE_STATES, type Service } from '../../../../domain/fleet/service.ts';
import { id, text, textOrNull, time } from './values.ts';

export const serviceState = z.enum(SERVICE_STATES);

export const serviceSchema = z.strictObject({
  id,
  server_id: id,
  server_name: text,
  label: text.describe('The name of the container or of the systemd unit'),
  state: serviceState,
  message: text.describe('One line about the state, from the engine or the unit'),
  docker_project: textOrNull.describe('The Compose project'),
  docker_container: textOrNull.describe('null: a systemd unit'),
  checked_at: time,
});

export const serviceView = (service: Service): z.output<typeof serviceSchema> => ({
  id: service.id,
  server_id: service.serverId,
  server_name: service.serverName,
  label: service.label,
  state: service.state,
  message: service.message,
  docker_project: service.project,
  docker_container: service.container,
  checked_at: toIso(service.checkedAt),
});

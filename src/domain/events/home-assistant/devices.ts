import { oneLine } from '../../base/one-line.ts';
import type { Server } from '../../fleet/server.ts';
import {
  answerTopic,
  type CommandName,
  commandTopic,
  fleetId,
  fleetStateTopic,
  PRESSED,
  serverId,
  serverStateTopic,
  statusTopic,
  type Topics,
} from './topics.ts';

const MAX_NAME = 100;

/** What the description of a device depends on, beside the device. */
export interface DeviceTerms {
  readonly topics: Topics;
  /** Drover's own. */
  readonly version: string;
  /** The page of the device in the web UI; `null`: no public address is configured. */
  readonly link: string | null;
  /** Buttons are shown: commands are accepted. */
  readonly hasCommands: boolean;
}

type Platform = 'sensor' | 'binary_sensor' | 'update' | 'button';
type Options = Readonly<Record<string, string | number>>;

/** An entity. One whose server lacks the feature is announced as removed. */
interface Entity {
  readonly key: string;
  readonly platform: Platform;
  readonly name: string;
  readonly options?: Options;
  /** Absent: `true`. */
  readonly isThere?: boolean;
}

const DIAGNOSTIC = { entity_category: 'diagnostic' };
const PROBLEM = { device_class: 'problem' };
const COUNT = { state_class: 'measurement' };
const TIME = { device_class: 'timestamp' };
const PERCENT = { unit_of_measurement: '%', state_class: 'measurement', ...DIAGNOSTIC };

/**
 * https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload. Templates are constant: what a host or a
 * user wrote is never one.
 */
export function serverDevice(server: Server, terms: DeviceTerms): object {
  const { topics, hasCommands } = terms;
  const { id, features, facts } = server;
  const asks = (command: CommandName, payload: 'payload_press' | 'payload_install'): Options =>
    hasCommands ? { command_topic: commandTopic(topics, id, command), [payload]: PRESSED } : {};
  const { backup, os_patch, docker } = features;
  const entities: readonly Entity[] = [
    {
      key: 'reachable',
      platform: 'binary_sensor',
      name: 'Reachable',
      options: { device_class: 'connectivity', ...DIAGNOSTIC },
    },
    {
      key: 'packages',
      platform: 'update',
      name: 'Packages',
      options: { title: 'Packages', ...asks('packages', 'payload_install') },
      isThere: os_patch,
    },
    {
      key: 'containers',
      platform: 'update',
      name: 'Containers',
      options: { title: 'Containers', ...asks('containers', 'payload_install') },
      isThere: docker,
    },
    {
      key: 'security_updates',
      platform: 'sensor',
      name: 'Security updates',
      options: COUNT,
      isThere: os_patch,
    },
    { key: 'reboot_required', platform: 'binary_sensor', name: 'Reboot required', options: PROBLEM },
    {
      key: 'backup_overdue',
      platform: 'binary_sensor',
      name: 'Backup overdue',
      options: PROBLEM,
      isThere: backup,
    },
    { key: 'last_backup', platform: 'sensor', name: 'Last backup', options: TIME, isThere: backup },
    {
      key: 'last_verified',
      platform: 'sensor',
      name: 'Last verified backup',
      options: TIME,
      isThere: backup,
    },
    { key: 'alerts', platform: 'sensor', name: 'Open alerts', options: COUNT },
    { key: 'job', platform: 'sensor', name: 'Job' },
    { key: 'disk', platform: 'sensor', name: 'Disk used', options: PERCENT },
    { key: 'memory', platform: 'sensor', name: 'Memory used', options: PERCENT },
    {
      key: 'load',
      platform: 'sensor',
      name: 'Load',
      options: { state_class: 'measurement', ...DIAGNOSTIC },
    },
    {
      key: 'backup_now',
      platform: 'button',
      name: 'Back up now',
      options: asks('backup', 'payload_press'),
      isThere: backup && hasCommands,
    },
    {
      key: 'check_now',
      platform: 'button',
      name: 'Check for updates',
      options: asks('check', 'payload_press'),
      isThere: os_patch && hasCommands,
    },
  ];
  return device(terms, entities, {
    id: serverId(topics, id),
    state: serverStateTopic(topics, id),
    description: {
      name: oneLine(server.name, MAX_NAME),
      via_device: fleetId(topics),
      ...(facts.osPretty === null ? {} : { model: oneLine(facts.osPretty, MAX_NAME) }),
    },
  });
}

/** Drover itself, with what concerns the whole fleet. */
export function fleetDevice(terms: DeviceTerms): object {
  const { topics, version } = terms;
  const entities: readonly Entity[] = [
    { key: 'servers', platform: 'sensor', name: 'Servers', options: COUNT },
    { key: 'unreachable', platform: 'sensor', name: 'Unreachable servers', options: COUNT },
    { key: 'with_updates', platform: 'sensor', name: 'Servers with updates', options: COUNT },
    {
      key: 'with_security_updates',
      platform: 'sensor',
      name: 'Servers with security updates',
      options: COUNT,
    },
    { key: 'backups_overdue', platform: 'sensor', name: 'Overdue backups', options: COUNT },
    {
      key: 'alerts',
      platform: 'sensor',
      name: 'Open alerts',
      options: {
        ...COUNT,
        json_attributes_topic: fleetStateTopic(topics),
        json_attributes_template: '{{ value_json.worst | tojson }}',
      },
    },
    { key: 'approvals', platform: 'sensor', name: 'Waiting approvals', options: COUNT },
    {
      key: 'answer',
      platform: 'sensor',
      name: 'Last command',
      options: {
        state_topic: answerTopic(topics),
        value_template: '{{ value_json.text }}',
        ...DIAGNOSTIC,
      },
      isThere: terms.hasCommands,
    },
  ];
  return device(terms, entities, {
    id: fleetId(topics),
    state: fleetStateTopic(topics),
    description: { name: 'Drover', manufacturer: 'Drover', sw_version: version },
  });
}

function device(
  { topics, version, link }: DeviceTerms,
  entities: readonly Entity[],
  own: { readonly id: string; readonly state: string; readonly description: object },
): object {
  const component = ({ key, platform, name, options = {}, isThere = true }: Entity): object => {
    if (!isThere) return { platform };
    const reads = platform === 'button' ? {} : { value_template: template(key, platform) };
    return { platform, unique_id: `${own.id}_${key}`, name, ...reads, ...options };
  };
  return {
    device: {
      identifiers: [own.id],
      ...own.description,
      ...(link === null ? {} : { configuration_url: link }),
    },
    origin: { name: 'Drover', sw_version: version },
    availability_topic: statusTopic(topics),
    state_topic: own.state,
    qos: 1,
    components: Object.fromEntries(entities.map((entity) => [entity.key, component(entity)])),
  };
}

/** An update entity reads a whole object. */
const template = (key: string, platform: Platform): string =>
  `{{ value_json.${key}${platform === 'update' ? ' | tojson' : ''} }}`;

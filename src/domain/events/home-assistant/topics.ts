import type { JobType } from '../../jobs/job-types.ts';

/** What Home Assistant can ask for, and the job that does it. */
export const COMMANDS = {
  backup: 'backup',
  packages: 'os_patch',
  containers: 'container_patch',
  check: 'os_update_check',
} as const satisfies Record<string, JobType>;

export type CommandName = keyof typeof COMMANDS;

/** What a button or an update entity sends. */
export const PRESSED = 'PRESS';

export const ONLINE = 'online';
export const OFFLINE = 'offline';

/** The topics of one Drover, below its own first part and the prefix of discovery. */
export interface Topics {
  readonly base: string;
  readonly prefix: string;
}

export const statusTopic = ({ base }: Topics): string => `${base}/status`;
export const fleetStateTopic = ({ base }: Topics): string => `${base}/state`;
export const answerTopic = ({ base }: Topics): string => `${base}/answer`;
export const serverStateTopic = ({ base }: Topics, id: number | '+'): string => `${base}/server/${id}/state`;
export const commandTopic = ({ base }: Topics, id: number | '+', command: CommandName | '+'): string =>
  `${base}/server/${id}/${command}/set`;

export const fleetId = ({ base }: Topics): string => base;
export const serverId = ({ base }: Topics, id: number): string => `${base}_server_${id}`;
export const configTopic = ({ prefix }: Topics, deviceId: string): string =>
  `${prefix}/device/${deviceId}/config`;

/** The server whose state a topic is; `null`: it is no such topic. */
export const serverOfState = ({ base }: Topics, topic: string): number | null =>
  idOf(topic, `${base}/server/`, '/state');

/** The command that a topic is for; `null`: it is for none. */
export function commandOf(
  topics: Topics,
  topic: string,
): { readonly serverId: number; readonly command: CommandName } | null {
  for (const command of Object.keys(COMMANDS) as CommandName[]) {
    const id = idOf(topic, `${topics.base}/server/`, `/${command}/set`);
    if (id !== null) return { serverId: id, command };
  }
  return null;
}

function idOf(topic: string, before: string, after: string): number | null {
  if (!topic.startsWith(before) || !topic.endsWith(after)) return null;
  const id = topic.slice(before.length, -after.length);
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : null;
}

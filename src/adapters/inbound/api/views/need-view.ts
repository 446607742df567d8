import * as z from 'zod';
import type { FleetNeeds, ServerNeed } from '../../../../domain/fleet/server-list.ts';
import { count } from './values.ts';

/** What a server can need, as callers name it, and the list's own word for it. */
const NEEDS = {
  reboot: 'reboot',
  security_updates: 'security_updates',
  updates: 'os_updates',
  image_updates: 'container_updates',
  updates_unknown: 'updates_unknown',
  backup: 'lacks_backup',
  unreachable: 'unreachable',
  unchecked: 'unchecked',
} as const satisfies Record<string, ServerNeed>;

type NeedName = keyof typeof NEEDS;
const NAMES = Object.keys(NEEDS) as [NeedName, ...NeedName[]];

export const needSchema = z.enum(NAMES);
export const needOf = (name: NeedName): ServerNeed => NEEDS[name];

export const needsView = (needs: readonly ServerNeed[]): NeedName[] =>
  NAMES.filter((name) => needs.includes(NEEDS[name]));

export const needCountsSchema = z.strictObject(
  Object.fromEntries(NAMES.map((name) => [name, count])) as Record<NeedName, typeof count>,
);

export const needCountsView = ({ needs }: FleetNeeds): z.output<typeof needCountsSchema> =>
  Object.fromEntries(NAMES.map((name) => [name, needs[NEEDS[name]]])) as Record<NeedName, number>;

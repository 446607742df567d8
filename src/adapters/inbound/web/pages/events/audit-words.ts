import { capital } from '../../../../../domain/base/spans.ts';
import { EVENT_TITLES } from '../../../../../domain/events/event.ts';
import { JOB_TYPES, jobTitle } from '../../../../../domain/jobs/job-types.ts';

/** Irregular past forms. */
const PAST: Readonly<Record<string, string>> = {
  add_passkey: 'passkey added',
  cancel: 'cancelled',
  chmod: 'permissions changed',
  confirm_host_key: 'host key confirmed',
  delete_tree: 'directory deleted',
  deployed: 'deployed',
  disable_totp: 'disabled two-factor authentication',
  edit: 'changed',
  enable_totp: 'enabled two-factor authentication',
  end_sessions: 'sessions ended',
  finish: 'finished',
  list: 'listed',
  mkdir: 'directory created',
  mode: 'permissions read',
  offer_password_link: 'password link created',
  offer_setup: 'setup link created',
  ping: 'tested',
  plan: 'plan requested',
  policy: 'rule changed',
  preview_tree: 'directory previewed',
  read: 'read',
  refuse: 'declined',
  refuse_code: 'code refused',
  refuse_confirmation: 'confirmation refused',
  refuse_link: 'link refused',
  refuse_passkey: 'passkey refused',
  refuse_sso: 'single sign-on refused',
  remove_passkey: 'passkey removed',
  remove_totp: 'two-factor authentication removed',
  rename_passkey: 'passkey renamed',
  renew_recovery_codes: 'recovery codes renewed',
  require_two_factor: 'two-factor authentication required',
  resend: 'sent again',
  run: 'run now',
  set_features: 'features changed',
  set_password: 'password set',
  set_role: 'role changed',
  set_time_zone: 'time zone changed',
  set_up: 'set up',
  stat: 'looked up',
  switch_off: 'switched off',
  try: 'tried',
  write: 'written',
  zip: 'downloaded as ZIP',
};

const SUBJECTS: Readonly<Record<string, string>> = { key: 'SSH key', host: 'Host file', push: 'Browser' };

const words = (name: string): string => name.replaceAll(/[._]/g, ' ');

/** An audit action for users: `Job requested`. */
export function actionTitle(action: string): string {
  const at = action.lastIndexOf('.');
  const [subject, verb] = at === -1 ? [action, ''] : [action.slice(0, at), action.slice(at + 1)];
  const past = PAST[verb] ?? (verb === '' ? '' : `${words(verb).replace(/e$/, '')}ed`);
  return `${SUBJECTS[subject] ?? capital(words(subject))} ${past}`.trim();
}

/** Objects with a page, by the kind in front of their id. */
const PAGES: Readonly<Record<string, string>> = {
  job: '/jobs/',
  server: '/servers/',
  batch: '/batches/',
  approval: '/approvals/',
  schedule: '/schedules/',
  token: '/settings/tokens/',
  snapshot: '/snapshots/',
};

/** The names of users by their objects, such as `user:1`. */
export type UserNames = ReadonlyMap<string, string>;

/** What was wrong in a try to sign in, by the action that was refused. */
const WRONG: Readonly<Record<string, string>> = {
  'session.refuse': 'Wrong password',
  'session.refuse_code': 'Wrong code',
  'session.refuse_confirmation': 'Wrong password',
};

/** `Wrong password for ann`; `null` for all else. */
export function triedTitle(
  { action, object, outcome }: { readonly action: string; readonly object: string; readonly outcome: string },
  users: UserNames,
): string | null {
  const wrong = WRONG[action];
  if (wrong === undefined) return null;
  const what = outcome === 'sign_in_throttled' ? 'Too many tries' : wrong;
  const name = object === 'user:unknown' ? 'an unknown name' : users.get(object);
  return name === undefined ? what : `${what} for ${name}`;
}

/** The names of servers by their ids, as far as they are known. */
export type ServerNames = ReadonlyMap<number, string>;

/** An object of the audit log: `Job 12`, a server by its name; and its page if it has one. */
export function objectTitle(
  object: string,
  servers: ServerNames,
  detail: unknown = null,
  users: UserNames = new Map(),
): { readonly text: string; readonly href: string | null } {
  const [, kind = '', id = ''] = /^([a-z_-]+):(.+)$/s.exec(object) ?? [];
  if (kind === '') return { text: object, href: null };
  const page = PAGES[kind];
  const name =
    kind === 'server'
      ? servers.get(Number(id))
      : kind === 'user'
        ? users.get(object)
        : kind === 'kind'
          ? (EVENT_TITLES[id as keyof typeof EVENT_TITLES] ?? id)
          : alertName(kind, detail);
  return {
    text: name ?? `${SUBJECTS[kind] ?? capital(words(kind))} ${id}`,
    href: page !== undefined && /^[1-9]\d*$/.test(id) ? page + id : null,
  };
}

/** Alerts and mutes have no names: what they are about is in the details. */
function alertName(kind: string, detail: unknown): string | undefined {
  const { title, kind: of } = (detail ?? {}) as { readonly title?: unknown; readonly kind?: unknown };
  if (kind === 'notification' && typeof title === 'string') return title;
  return kind === 'mute' && typeof of === 'string'
    ? `Mute: ${EVENT_TITLES[of as keyof typeof EVENT_TITLES] ?? of}`
    : undefined;
}

/** Details that are on, in words. */
const SWITCHES: Readonly<Record<string, string>> = {
  outsideWindow: 'outside the maintenance window',
  requireApproval: 'needs approval',
};

const DETAILS: Readonly<Record<string, string>> = { p: 'path', osSteps: 'steps' };

/** The name of a detail, for users. */
const detailName = (key: string): string =>
  DETAILS[key] ?? words(key.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));

/** A detail with its value: `Job 12`, `server: web`, `reason: disk full`. */
export function detailTitle(key: string, value: unknown, shown: string, servers: ServerNames): string {
  if (value === true) return SWITCHES[key] ?? detailName(key);
  const name = detailName(key);
  const kind = / ?ids?$/.test(name) ? name.replace(/ ?ids?$/, '') : '';
  if (kind.endsWith('server')) {
    const ids = [value].flat();
    const known = ids.map((id) => servers.get(Number(id)) ?? (Array.isArray(value) ? String(id) : undefined));
    if (known.every((each) => each !== undefined))
      return `${kind}${Array.isArray(value) ? 's' : ''}: ${known.join(', ')}`;
  }
  return kind === '' || typeof value !== 'number' ? `${name}: ${shown}` : `${capital(kind)} ${shown}`;
}

/** The servers that entries name. */
export const serverIdsIn = (
  entries: readonly { readonly object: string; readonly detail: unknown }[],
): readonly number[] => entries.flatMap(({ object, detail }) => [...idOf(object), ...idsWithin(detail)]);

const idOf = (object: string): readonly number[] =>
  /^server:[1-9]\d*$/.test(object) ? [Number(object.slice('server:'.length))] : [];

const idsWithin = (value: unknown): readonly number[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, each]) =>
        /server_?ids?$/i.test(key) ? [each].flat().filter((id) => typeof id === 'number') : idsWithin(each),
      );

export function detailValue(value: string): string {
  const type = JOB_TYPES.find((each) => each === value);
  if (type !== undefined) return jobTitle(type);
  return EVENT_TITLES[value as keyof typeof EVENT_TITLES] ?? value;
}

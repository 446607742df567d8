import { EVENT_TITLES } from '../../../../../domain/events/event.ts';
import { JOB_TYPES, jobTitle } from '../../../../../domain/jobs/job-types.ts';

/** Past forms that "ed" does not give. */
const PAST: Readonly<Record<string, string>> = {
  cancel: 'cancelled',
  chmod: 'permissions changed',
  confirm_host_key: 'host key confirmed',
  delete_tree: 'directory deleted',
  deployed: 'deployed',
  disable_totp: 'disabled two-factor authentication',
  edit: 'changed',
  enable_totp: 'enabled two-factor authentication',
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
  remove_totp: 'two-factor authentication removed',
  renew_recovery_codes: 'recovery codes renewed',
  require_two_factor: 'two-factor authentication required',
  resend: 'sent again',
  run: 'run now',
  set_features: 'features changed',
  set_password: 'password set',
  set_role: 'role changed',
  set_up: 'set up',
  stat: 'looked up',
  switch_off: 'switched off',
  try: 'tried',
  write: 'written',
  zip: 'downloaded as ZIP',
};

const SUBJECTS: Readonly<Record<string, string>> = { key: 'SSH key', host: 'Host file', push: 'Browser' };

const words = (name: string): string => name.replaceAll(/[._]/g, ' ');
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

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

/** An object of the audit log: `Job 12`, and its page if it has one. */
export function objectTitle(object: string): { readonly text: string; readonly href: string | null } {
  const [, kind = '', id = ''] = /^([a-z_-]+):(.+)$/s.exec(object) ?? [];
  if (kind === '') return { text: object, href: null };
  const page = PAGES[kind];
  const name = kind === 'kind' ? (EVENT_TITLES[id as keyof typeof EVENT_TITLES] ?? id) : id;
  return {
    text: kind === 'kind' ? name : `${SUBJECTS[kind] ?? capital(words(kind))} ${name}`,
    href: page !== undefined && /^[1-9]\d*$/.test(id) ? page + id : null,
  };
}

/** A name or value among the details, for users. */
export const detailName = (key: string): string =>
  words(key.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));

export function detailValue(value: string): string {
  const type = JOB_TYPES.find((each) => each === value);
  if (type !== undefined) return jobTitle(type);
  return EVENT_TITLES[value as keyof typeof EVENT_TITLES] ?? value;
}

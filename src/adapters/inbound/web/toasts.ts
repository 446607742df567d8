import type { RedirectReply, Toast, Undo, WebRoute } from './route.ts';

/** What each action says on the page that comes after it; `null`: that page says it itself, or nothing is to be said. */
export const TOASTS: Readonly<Record<string, string | null>> = {
  '/servers/new': null,
  '/settings/time-zone': 'Time zone saved',
  '/servers/:id/notifications/:notification/acknowledge': 'Alert acknowledged',
  '/servers/:id/start': 'Job queued',
  '/servers/:id/setup/host-key': 'Host key confirmed',
  '/live/servers/:id/setup': null,
  '/servers/:id/setup/address': null,
  '/servers/:id/setup/key': null,
  '/servers/:id/setup/features': null,
  '/servers/:id/check': 'Inventory refreshed',
  '/servers/check': null,
  '/servers/:id/settings/name': 'Server saved',
  '/servers/:id/settings/features': 'Features saved',
  '/servers/:id/settings/address': 'Address saved',
  '/servers/:id/settings/files': 'File settings saved',
  '/servers/:id/settings/updates': 'Update checks saved',
  '/servers/:id/settings/remove': 'Server removed',
  '/servers/:id/sources': 'Source added',
  '/servers/:id/sources/:source/edit': 'Source saved',
  '/servers/:id/sources/:source/test': null,
  '/servers/:id/sources/:source/remove': 'Source removed',
  '/servers/:id/sources/:source/dumps': 'Dump added',
  '/servers/:id/sources/:source/dumps/test': null,
  '/servers/:id/sources/:source/dumps/:dump/edit': 'Dump saved',
  '/servers/:id/sources/:source/dumps/:dump/remove': 'Dump removed',
  '/snapshots/:id/dumps/:dump': 'Job queued',
  '/snapshots/:id/verify': 'Job queued',
  '/snapshots/:id/restore': 'Job queued',
  '/snapshots/:id/restore/choose': null,
  '/snapshots/:id/restore/preview': null,
  '/snapshots/:id/pack': null,
  '/snapshots/:id/pin': 'Snapshot pinned',
  '/snapshots/:id/unpin': 'Snapshot unpinned',
  '/snapshots/:id/delete': 'Snapshot deleted',
  '/servers/:id/backups': 'Job queued',
  '/servers/:id/backups/retention': 'Job queued',
  '/servers/:id/jobs/new': 'Job queued',
  '/servers/:id/files/upload': 'File uploaded',
  '/servers/:id/files/mkdir': 'Directory created',
  '/servers/:id/files/rename': 'Renamed',
  '/servers/:id/files/delete': 'Deleted',
  '/servers/:id/files/jail': 'File access folder saved',
  '/servers/:id/files/edit': 'File saved',
  '/servers/:id/files/new': 'File created',
  '/servers/:id/files/all/delete': 'Directory deleted',
  '/servers/:id/files/all/mode': 'Permissions changed',
  '/tags': 'Tags saved',
  '/settings/tags/:tag/edit': 'Tag renamed',
  '/settings/tags/:tag/remove': 'Tag removed',
  '/jobs/bulk': null,
  '/jobs/:id/cancel': 'Cancellation requested',
  '/jobs/:id/apply': 'Job queued',
  '/jobs/:id/again': 'Job queued',
  '/jobs/:id/downgrade': 'Dry run queued',
  '/approvals/bulk': 'Approved',
  '/approvals/:id/approve': 'Approved',
  '/approvals/:id/refuse': 'Declined',
  '/approvals/:id/plan': 'Dry run queued',
  '/settings/appearance': 'Theme saved',
  '/batches/new': 'Batch started',
  '/batches/:id/apply': 'Batch started',
  '/batches/:id/cancel': 'Batch cancelled',
  '/schedules/bulk': null,
  '/schedules/new': 'Schedule created',
  '/schedules/:id/edit': 'Schedule saved',
  '/schedules/:id/enable': 'Schedule enabled',
  '/schedules/:id/disable': 'Schedule disabled',
  '/schedules/:id/run': 'Schedule started',
  '/schedules/:id/remove': 'Schedule removed',
  '/windows/new': 'Maintenance window created',
  '/windows/:id/edit': 'Maintenance window saved',
  '/windows/:id/enable': 'Maintenance window enabled',
  '/windows/:id/disable': 'Maintenance window disabled',
  '/windows/:id/remove': 'Maintenance window removed',
  '/policies/new': 'Patch policy created',
  '/policies/:id/edit': 'Patch policy saved',
  '/policies/:id/remove': 'Patch policy removed',
  '/templates/new': 'Template saved',
  '/templates/:name/edit': 'Template saved',
  '/templates/:name/remove': 'Template removed',
  '/settings/tokens/new': null,
  '/settings/tokens/tools': null,
  '/settings/tokens/revoke': 'Tokens revoked',
  '/settings/tokens/:id/rotate': null,
  '/settings/tokens/:id/revoke': 'Token revoked',
  '/settings/tokens/:id/edit': 'Token saved',
  '/notifications/:id/acknowledge': 'Alert acknowledged',
  '/notifications/bulk': 'Done for the selected alerts',
  '/notifications/mute': 'Alert muted',
  '/settings/alerts/new-channel/:kind': 'Channel added, not tested yet',
  '/settings/alerts/channels/:name/edit': 'Channel saved',
  '/settings/alerts/channels/:name/test': null,
  '/settings/alerts/channels/:name/enable': 'Channel enabled',
  '/settings/alerts/channels/:name/disable': 'Channel disabled',
  '/settings/alerts/channels/:name/remove': 'Channel removed',
  '/settings/alerts/new-webhook': null,
  '/settings/alerts/webhooks/:name/edit': 'Webhook saved',
  '/settings/alerts/webhooks/:name/rotate': null,
  '/settings/alerts/webhooks/:name/ping': null,
  '/settings/alerts/webhooks/:name/enable': 'Webhook enabled',
  '/settings/alerts/webhooks/:name/disable': 'Webhook disabled',
  '/settings/alerts/webhooks/:name/remove': 'Webhook removed',
  '/settings/alerts/deliveries/:id/resend': 'Sent again',
  '/settings/alerts/policy/:name': 'Alert rule saved',
  '/settings/alerts/mutes/:id/remove': 'Mute removed',
  '/settings/alerts/browser': 'Notifications enabled',
  '/settings/alerts/browser/:id/remove': 'Notifications disabled',
  '/settings/new-repository': 'Repository added',
  '/settings/repositories/:name/edit': 'Repository saved',
  '/settings/repositories/:name/check': 'Check started',
  '/settings/repositories/:name/remove': 'Repository removed',
  '/settings/keys': 'Key created',
  '/settings/keys/:id/remove': 'Key deleted',
  '/settings/keys/import': 'Key imported',
  '/settings/sign-in/require': 'Single sign-on',
  '/settings/sign-in/new-provider': 'Provider added, not tested yet',
  '/settings/sign-in/providers/:name/edit': 'Provider saved',
  '/settings/sign-in/providers/:name/test': null,
  '/settings/sign-in/providers/:name/enable': 'Provider enabled',
  '/settings/sign-in/providers/:name/disable': 'Provider disabled',
  '/settings/sign-in/providers/:name/remove': 'Provider removed',
  '/settings/users': null,
  '/settings/users/:name/link': null,
  '/settings/users/approvals': 'Settings saved',
  '/audit/reads': 'Recording of reads',
  '/settings/users/two-factor': 'Two-factor authentication is now required for',
  '/settings/users/:name/role': 'Role saved',
  '/settings/users/:name/grant': 'Roles saved of',
  '/settings/users/:name/revoke': 'Roles saved of',
  '/settings/users/:name/disable': 'User disabled',
  '/settings/users/:name/enable': 'User enabled',
  '/settings/users/:name/end-sessions': 'Sessions ended',
  '/settings/users/:name/remove-totp': 'Two-factor authentication removed',
  '/account/password': 'Password changed',
  '/account/totp/off': 'Two-factor authentication turned off',
  '/account/passkeys': 'Passkey added',
  '/account/passkeys/options': null,
  '/account/passkeys/:id/rename': 'Passkey renamed',
  '/account/passkeys/:id/remove': 'Passkey removed',
  '/account/link/:name': null,
  '/account/unlink': 'Account unlinked',
  '/account/sessions/end-others': 'Signed out everywhere else',
  '/account/sessions/:id/end': 'Session ended',
};

/** The last part of an address, and of the one that reverses it for the same object. */
const REVERSALS: Readonly<Record<string, string>> = {
  enable: 'disable',
  disable: 'enable',
  pin: 'unpin',
  unpin: 'pin',
};
/** Providers of single sign-on and users: what was disabled has also ended sessions. */
const WITHOUT_UNDO = /^\/settings\/(?:sign-in|users)\//;

/**
 * What is to be said after the action at an address; the name of the object follows. A reply's own words come first.
 * After an action that can be reversed, the toast offers that.
 */
export function toastOf(
  { method, path }: WebRoute,
  { toast, about, to, undo }: RedirectReply,
  address = path,
): Toast | null {
  const reversal = undo ?? reversalOf(address, to);
  const withUndo = reversal === null ? {} : { undo: reversal };
  if (toast !== undefined) return { ...(typeof toast === 'string' ? { words: toast } : toast), ...withUndo };
  const words = method === 'POST' ? (TOASTS[path] ?? null) : null;
  if (words === null) return null;
  return { words: about === undefined ? words : `${words}: ${short(about)}`, ...withUndo };
}

function reversalOf(address: string, back: string): Undo | null {
  const at = address.lastIndexOf('/') + 1;
  const reversed = Object.hasOwn(REVERSALS, address.slice(at)) ? REVERSALS[address.slice(at)] : undefined;
  if (reversed === undefined || WITHOUT_UNDO.test(address)) return null;
  return { action: `${address.slice(0, at)}${reversed}`, fields: { back: [back] } };
}

/** The toast travels in a cookie. */
const MAX_NAME = 120;

const short = (name: string): string => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name);

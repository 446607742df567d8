import { type Instant, toIso } from '../base/instant.ts';
import { shellCommand } from '../base/shell-command.ts';
import type { Condition, NotificationKind, Words } from './notification.ts';

/** What people read of a condition: what is so, and what to do. */
export const wordsOf = (condition: Condition): Words => WORDS[condition.kind](condition);

const WORDS: Record<NotificationKind, (condition: Condition) => Words> = {
  'backup.stale': ({ name, variant, at }) =>
    variant === 'never'
      ? {
          severity: 'warning',
          title: `${name} has no backup`,
          message: `Backups are switched on for ${name}, and none has succeeded yet. Start one, or look at why the last one failed.`,
        }
      : {
          severity: 'critical',
          title: `The backups of ${name} are stale`,
          message: `All that is to be backed up of ${name} was last safe ${at === null ? 'never' : `at ${toIso(at)}`}. Look at its last backup jobs.`,
        },
  'server.unreachable': ({ name, variant, at }) => ({
    severity: 'critical',
    title: variant === 'host_auth_failed' ? `${name} does not let us in` : `${name} cannot be reached`,
    message: `The service has not got onto ${name} ${since(at)} (${variant}). Check it with: ${shellCommand`drover server check ${name}`}`,
  }),
  'host_key.mismatch': ({ name, at }) => ({
    severity: 'critical',
    title: `${name} shows another host key`,
    message: `The host key of ${name} is not the confirmed one ${since(at)}: somebody may be in between. Nothing is sent there until a person has compared and confirmed the new key.`,
  }),
  'server.reboot_pending': ({ name }) => ({
    severity: 'warning',
    title: `${name} needs a reboot`,
    message: `Updates on ${name} take effect only after a reboot.`,
  }),
  'updates.available': ({ name, variant }) =>
    variant === 'security'
      ? {
          severity: 'warning',
          title: `Security updates are pending on ${name}`,
          message: `${name} lacks security updates. Install them with a job of type os_patch.`,
        }
      : {
          severity: 'info',
          title: `Updates are pending on ${name}`,
          message: `${name} has updates to install, none of them for security.`,
        },
  'token.expiring': ({ name, at }) => ({
    severity: 'warning',
    title: `The token ${name} expires soon`,
    message: `The token ${name} opens nothing any more from ${at === null ? 'soon' : toIso(at)} on. Make a new one for whoever uses it.`,
  }),
  'approval.requested': ({ name, variant }) => ({
    severity: 'warning',
    title: `A job waits for approval: ${variant} on ${name}`,
    message: `A job of type ${variant} on ${name} starts only when a person approves it.`,
  }),
  'webhook.disabled': ({ name }) => ({
    severity: 'warning',
    title: `The webhook ${name} is switched off`,
    message: `The receiver of the webhook ${name} answered 410 Gone, so it is sent nothing any more. Remove it, or switch it on again with: ${shellCommand`drover webhook enable ${name}`}`,
  }),
  'clock.jumped': ({ name, variant, at }) => ({
    severity: variant === 'ahead' ? 'critical' : 'warning',
    title: variant === 'ahead' ? 'The clock jumped ahead' : 'The clock was set back',
    message:
      `The service expected ${name} and its clock showed ${at === null ? 'another time' : toIso(at)}. ` +
      (variant === 'ahead'
        ? 'Nothing is deleted because of its age until the time is right again. If it is right, acknowledge this alert; else correct the clock.'
        : 'Schedules continue from the present. If this time is wrong, correct the clock.'),
  }),
  'job.failed': ({ name, variant }) => ({
    severity: 'critical',
    title: `${variant} on ${name} failed`,
    message: `The last job of type ${variant} on ${name} failed.`,
  }),
};

const since = (at: Instant | null): string => (at === null ? 'for an unknown time' : `since ${toIso(at)}`);

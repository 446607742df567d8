import { type Instant, toIso, toMinute } from '../base/instant.ts';
import { shellCommand } from '../base/shell-command.ts';
import { contactFault } from '../fleet/contact-fault.ts';
import { jobName } from '../jobs/job-types.ts';
import { changeName } from '../jobs/requested-change.ts';
import { SEVERITIES, type Severity } from './event.ts';
import { type Condition, DISK_NEARLY_FULL, type NotificationKind, type Words } from './notification.ts';

/** The text of an alert: the problem, and what to do. */
export const wordsOf = (condition: Condition): Words => WORDS[condition.kind](condition);

const VARIANTS = ['', 'never', 'security', 'ahead', 'ended'] as const;

/** The severities that an alert of a kind can have unless a policy sets one; the lowest first. */
export const severitiesOf = (kind: NotificationKind): readonly Severity[] => {
  const about = { kind, subjectId: 0, serverId: null, jobId: null, name: '', at: null };
  const found = VARIANTS.map((variant) => wordsOf({ ...about, variant }).severity);
  return SEVERITIES.filter((severity) => found.includes(severity));
};

const WORDS: Record<NotificationKind, (condition: Condition) => Words> = {
  'backup.stale': ({ name, variant, at }) =>
    variant === 'never'
      ? {
          severity: 'warning',
          title: `${name} has no backup`,
          message: `Backups are on for ${name}, but none has succeeded yet. Start one, or check why the last one failed.`,
        }
      : {
          severity: 'critical',
          title: `The backups of ${name} are overdue`,
          message: `Last complete backup of ${name}: ${at === null ? 'never' : toMinute(at)}. Check its failed backup jobs.`,
        },
  'server.unreachable': ({ name, variant, at }) => ({
    severity: 'critical',
    title: variant === 'host_auth_failed' ? `${name} rejects the login` : `${name} is unreachable`,
    message: `Drover has not been able to connect to ${name} ${since(at)} (${contactFault(variant)}). Check it with: ${shellCommand`drover server check ${name}`}`,
  }),
  'host_key.mismatch': ({ name, at }) => ({
    severity: 'critical',
    title: `The host key of ${name} has changed`,
    message: `The host key of ${name} has differed from the confirmed one ${since(at)}: someone may be intercepting the connection. Drover sends no commands until you compare and confirm the new key.`,
  }),
  'server.reboot_pending': ({ name }) => ({
    severity: 'warning',
    title: `${name} needs a reboot`,
    message: `Some updates on ${name} take effect only after a reboot.`,
  }),
  'updates.available': ({ name, variant }) =>
    variant === 'security'
      ? {
          severity: 'warning',
          title: `Security updates are pending on ${name}`,
          message: `Security updates are not installed on ${name}. Install them with the job “Update packages”.`,
        }
      : {
          severity: 'info',
          title: `Updates are pending on ${name}`,
          message: `${name} has pending updates. None of them is a security update.`,
        },
  'disk.filling': ({ name, variant, at }) => ({
    severity: 'warning',
    title: `${name} is running out of disk space`,
    message:
      variant === DISK_NEARLY_FULL
        ? `At least 90 % of the root file system of ${name} is in use. Free some space, or enlarge it.`
        : `At the current rate, the file system ${variant} of ${name} is full ${at === null ? 'soon' : `on ${toIso(at).slice(0, 10)}`}. Free some space, or enlarge it.`,
  }),
  'os.end_of_life': ({ name, variant, at }) => {
    const day = at === null ? 'an unknown date' : toIso(at).slice(0, 10);
    return variant === 'ended'
      ? {
          severity: 'critical',
          title: `The operating system of ${name} is out of support`,
          message: `The release that ${name} runs has received no security updates since ${day}. Upgrade it to a supported release.`,
        }
      : {
          severity: 'warning',
          title: `Support for the operating system of ${name} ends soon`,
          message: `The release that ${name} runs receives security updates until ${day}. Plan its upgrade.`,
        };
  },
  'service.unhealthy': ({ name, variant, at }) => ({
    severity: 'critical',
    title: `${variant} on ${name} stays unhealthy`,
    message: `The service ${variant} on ${name} has been unhealthy ${since(at)}, although Drover has restarted it as often as its policy allows in 24 hours. Check its log.`,
  }),
  'updates.stopped': ({ name, subjectId }) => ({
    severity: 'critical',
    title: `The schedule ${name} stopped updating servers`,
    message: `Batch ${subjectId} of the schedule ${name} stopped before all servers were updated, because of a problem after an earlier update. The batch shows the reason. The next run starts again with the first servers.`,
  }),
  'token.expiring': ({ name, at }) => ({
    severity: 'warning',
    title: `The token ${name} expires soon`,
    message: `The token ${name} expires ${at === null ? 'soon' : `on ${toMinute(at)}`}. Rotate it to keep its client working.`,
  }),
  'approval.requested': ({ name, variant }) => ({
    severity: 'warning',
    title: `Approval needed: ${changeName(variant) ?? jobName(variant)} on ${name}`,
    message: `“${changeName(variant) ?? jobName(variant)}” on ${name} starts when a reviewer approves it.`,
  }),
  'webhook.disabled': ({ name }) => ({
    severity: 'warning',
    title: `Webhook ${name} was disabled`,
    message: `The receiver of the webhook ${name} answered 410 Gone, so Drover stopped sending. Remove the webhook, or enable it again with: ${shellCommand`drover webhook enable ${name}`}`,
  }),
  'clock.jumped': ({ name, variant, at }) => ({
    severity: variant === 'ahead' ? 'critical' : 'warning',
    title: variant === 'ahead' ? 'The clock jumped ahead' : 'The clock was set back',
    message:
      `Drover expected ${name}, but the clock showed ${at === null ? 'a different time' : toMinute(at)}. ` +
      (variant === 'ahead'
        ? 'Drover deletes nothing because of its age until the time is right. If it is right, acknowledge this alert; otherwise correct the clock.'
        : 'Schedules continue from now. If this time is wrong, correct the clock.'),
  }),
  'job.failed': ({ name, variant }) => ({
    severity: 'critical',
    title: `${jobName(variant)} failed on ${name}`,
    message: `The last job “${jobName(variant)}” on ${name} failed.`,
  }),
};

const since = (at: Instant | null): string => (at === null ? 'for an unknown time' : `since ${toMinute(at)}`);

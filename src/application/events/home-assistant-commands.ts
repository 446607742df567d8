import { isDomainError } from '../../domain/base/errors.ts';
import { COMMANDS, type CommandName } from '../../domain/events/home-assistant/topics.ts';
import { jobTitle } from '../../domain/jobs/job-types.ts';
import type { Authenticate } from '../access/authenticate.ts';
import { UseCase } from '../base/use-case.ts';
import type { TriggerJob } from '../jobs/trigger-job.ts';

/** Who asks: messages of a broker name no user, so that the channel's token does. */
export interface CommandToken {
  readonly secret: string;
  /** Of the broker. */
  readonly address: string;
  /** Refuse a token that acts at once. */
  readonly needsApproval: boolean;
}

/** Starts what buttons in Home Assistant ask for, with the rights of an API token. */
export class HomeAssistantCommands extends UseCase<
  'log',
  { readonly authenticate: Pick<Authenticate, 'execute'>; readonly triggerJob: Pick<TriggerJob, 'execute'> }
> {
  /** The result, in a sentence. Never throws. */
  async execute(
    { secret, address, needsApproval }: CommandToken,
    { serverId, command }: { readonly serverId: number; readonly command: CommandName },
  ): Promise<string> {
    const jobType = COMMANDS[command];
    const title = jobTitle(jobType);
    try {
      const actor = await this.deps.authenticate.execute({ secret, address });
      if (needsApproval && !actor.requireApproval)
        return `${title}: refused, the token acts without approval.`;
      const reason = 'Requested in Home Assistant.';
      const job = await this.deps.triggerJob.execute(actor, { serverId, jobType, reason });
      return job.status === 'awaiting_approval'
        ? `${title}: job ${job.id} waits for approval.`
        : `${title}: job ${job.id} is started.`;
    } catch (error) {
      if (isDomainError(error)) return `${title}: refused (${error.code}).`;
      this.deps.log.error('a command of Home Assistant failed', { command, serverId, error: String(error) });
      return `${title}: failed.`;
    }
  }
}

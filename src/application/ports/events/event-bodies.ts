import type { WrittenEvent } from '../../../domain/events/event.ts';
import type { Server } from '../../../domain/fleet/server.ts';
import type { Job } from '../../../domain/jobs/job.ts';

/** The content for receivers of webhooks. */
export interface EventBodies {
  /** JSON of less than 20 KB; anything longer is truncated. The server and job are in their current state. */
  render(
    event: Omit<WrittenEvent, 'id'>,
    about: { readonly server: Server | null; readonly job: Job | null },
  ): string;
  /** The link to details; `null` if no public address is configured. */
  link(event: Pick<WrittenEvent, 'serverId' | 'jobId'> & Partial<Pick<WrittenEvent, 'type'>>): string | null;
}

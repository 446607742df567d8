import type { WrittenEvent } from '../../../domain/events/event.ts';
import type { Server } from '../../../domain/fleet/server.ts';
import type { Job } from '../../../domain/jobs/job.ts';

/** What receivers of webhooks are sent. */
export interface EventBodies {
  /** JSON of less than 20 KB; what would make it longer is left out. The server and job are as they are now. */
  render(
    event: Omit<WrittenEvent, 'id'>,
    about: { readonly server: Server | null; readonly job: Job | null },
  ): string;
  /** Where a person reads on; `null` while nobody has said under which address that is. */
  link(event: Pick<WrittenEvent, 'serverId' | 'jobId'>): string | null;
}

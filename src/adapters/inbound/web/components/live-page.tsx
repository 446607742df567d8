import type { PageReply } from '../route.ts';
import { PageHeader } from './page-header.tsx';
import { PlaceTabs } from './place-tabs.tsx';

/** How htmx names the element in its requests. */
export const LIVE_SOURCE = 'div#live-page';

interface LiveProps {
  readonly reply: PageReply;
  readonly path: string;
  /** Of the whole page; `null`: only its head stays up to date. */
  readonly address: string | null;
}

/** What an open page requests every ten seconds, and puts in the place of the same part. */
export const LivePart = ({ reply, path, address }: LiveProps) => (
  <div
    id="live-page"
    hx-get={address ?? reply.live?.head}
    hx-trigger="every 10s, refresh"
    hx-swap="outerMorph"
    data-live
  >
    <PageHeader {...reply.header} title={reply.title} />
    {reply.tabs ?? <PlaceTabs path={path} />}
    {address === null ? null : reply.body}
  </div>
);

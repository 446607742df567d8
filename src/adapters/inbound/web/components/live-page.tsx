import type { User } from '../../../../domain/access/user.ts';
import { menuRole, placeOf, SETTINGS } from '../navigation.ts';
import type { PageReply } from '../route.ts';
import { PageHeader } from './page-header.tsx';
import { PlaceTabs } from './place-tabs.tsx';
import { SettingsList } from './settings-list.tsx';

/** How htmx names the element in its requests. */
export const LIVE_SOURCE = 'div#live-page';

interface BodyProps {
  readonly reply: PageReply;
  readonly path: string;
  readonly user: User;
}

interface LiveProps extends BodyProps {
  /** Of the whole page; `null`: only its head stays up to date. */
  readonly address: string | null;
}

/** What an open page requests every ten seconds, and puts in the place of the same part. */
export const LivePart = ({ reply, path, user, address }: LiveProps) => (
  <div
    id="live-page"
    hx-get={address ?? reply.live?.head}
    hx-trigger="every 10s, refresh"
    hx-swap="outerMorph"
    data-live
  >
    <PageHeader {...reply.header} title={reply.title} />
    {reply.tabs ?? <PlaceTabs path={path} />}
    {address === null ? null : <PageBody {...{ reply, path, user }} />}
  </div>
);

/** The page, with the list of settings beside it if it is one of them. */
export const PageBody = ({ reply, path, user }: BodyProps) =>
  placeOf(path) === SETTINGS ? (
    <div class="with-list">
      <SettingsList role={menuRole(user)} path={path} />
      <div>{reply.body}</div>
    </div>
  ) : (
    reply.body
  );

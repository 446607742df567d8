import type { ComponentChildren } from 'preact';
import type { NavigationCounts } from '../../../../application/fleet/count-for-navigation.ts';
import type { User } from '../../../../domain/access/user.ts';
import { menuRole, placeOf } from '../navigation.ts';
import { Keys } from '../pages/fleet/keys.tsx';
import type { PageReply, Toast, Undo } from '../route.ts';
import type { Density, Theme } from '../theme.ts';
import { Icon } from './icon.tsx';
import { LivePart, PageBody } from './live-page.tsx';
import { Logo } from './logo.tsx';
import { PageHeader } from './page-header.tsx';
import { Palette } from './palette.tsx';
import { PlaceTabs } from './place-tabs.tsx';
import { Sidebar, TabBar } from './sidebar.tsx';
import { LocalTimes } from './time.tsx';
import { TopBar } from './top-bar.tsx';

export interface FrameProps {
  readonly user: User | null;
  readonly reply: PageReply;
  /** The path that was asked for: it says where in the service one is. */
  readonly path: string;
  /** The address under which all of the page stays up to date; absent: at most its head. */
  readonly live?: string | null;
  readonly theme: Theme;
  readonly density: Density;
  readonly counts: NavigationCounts | null;
  readonly isDemo: boolean;
  /** What was just done. */
  readonly toast: Toast | null;
}

/** What is around every page: the ways to the others, where one is, and the page's head. */
export function Frame({ user, reply, path, live = null, theme, density, counts, isDemo, toast }: FrameProps) {
  if (user === null || reply.area === null) {
    return (
      <body class="outside">
        {isDemo ? <DemoBanner /> : null}
        <main id="main">
          <p class="brand">
            <Logo /> Drover
          </p>
          <h1>{reply.title}</h1>
          {reply.body}
        </main>
      </body>
    );
  }
  const place = placeOf(path);
  return (
    <body class="app">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Sidebar role={menuRole(user)} at={place} counts={counts} />
      <TopBar {...{ user, place, path, theme, density, isDemo }} of={reply} />
      {isDemo ? <DemoBanner /> : null}
      <p id="connection" class="connection" role="status" hidden />
      <main id="main">
        {live === null && reply.live?.head === undefined ? (
          <>
            <PageHeader {...reply.header} title={reply.title} />
            <PlaceTabs path={path} />
            <PageBody {...{ reply, path, user }} />
          </>
        ) : (
          <>
            <LivePart {...{ reply, path, user }} address={live} />
            {live === null ? reply.body : null}
          </>
        )}
      </main>
      <TabBar role={menuRole(user)} at={place} counts={counts} />
      <div id="toasts" class="toasts" role="status" aria-live="polite">
        {toast === null ? null : (
          <div class="toast">
            <Icon name="circle-check" />
            <span>
              <LocalTimes text={toast.words} />
              {toast.link ? (
                <>
                  : <a href={toast.link.href}>{toast.link.label}</a>
                </>
              ) : null}
            </span>
            {toast.undo ? <UndoForm {...toast.undo} /> : null}
          </div>
        )}
      </div>
      <Palette />
      <Keys />
    </body>
  );
}

const UndoForm = ({ action, fields }: Undo) => (
  <form method="post" action={action}>
    {Object.entries(fields).map(([name, values]) =>
      values.map((value) => <input key={`${name} ${value}`} type="hidden" name={name} value={value} />),
    )}
    <button type="submit" class="quiet small">
      Undo
    </button>
  </form>
);

const DemoBanner = (): ComponentChildren => (
  <aside class="demo" aria-label="Demo">
    <strong>This is a demo</strong>
    <span class="phone">. Only you see your changes.</span>
    <span class="desk">
      {' '}
      with simulated servers. Try anything: only you see your changes, and they are not saved. To start your
      own service, run <code>npm start</code> instead of <code>npm run demo</code>.
    </span>
  </aside>
);

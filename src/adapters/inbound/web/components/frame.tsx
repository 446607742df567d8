import type { ComponentChildren } from 'preact';
import type { NavigationCounts } from '../../../../application/fleet/count-for-navigation.ts';
import type { User } from '../../../../domain/access/user.ts';
import { placeOf, SETTINGS, settingsFor, settingsPageOf } from '../navigation.ts';
import { Keys } from '../pages/fleet/keys.tsx';
import type { PageReply, Toast } from '../route.ts';
import type { Theme } from '../theme.ts';
import { Icon } from './icon.tsx';
import { Logo } from './logo.tsx';
import { PageHeader } from './page-header.tsx';
import { Palette } from './palette.tsx';
import { Sidebar, TabBar } from './sidebar.tsx';
import { TopBar } from './top-bar.tsx';

export interface FrameProps {
  readonly user: User | null;
  readonly reply: PageReply;
  /** The path that was asked for: it says where in the service one is. */
  readonly path: string;
  readonly theme: Theme;
  readonly counts: NavigationCounts | null;
  readonly isDemo: boolean;
  /** What was just done. */
  readonly toast: Toast | null;
}

/** What is around every page: the ways to the others, where one is, and the page's head. */
export function Frame({ user, reply, path, theme, counts, isDemo, toast }: FrameProps) {
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
      <Sidebar role={user.role} at={place} counts={counts} />
      <TopBar user={user} place={place} path={path} title={reply.title} theme={theme} isDemo={isDemo} />
      {isDemo ? <DemoBanner /> : null}
      <p id="connection" class="connection" role="status" hidden />
      <main id="main">
        <PageHeader {...reply.header} title={reply.title} />
        <WithTabs tabs={place?.tabs ?? []} path={path} />
        {place === SETTINGS ? (
          <div class="with-list">
            <SettingsList role={user.role} path={path} />
            <div>{reply.body}</div>
          </div>
        ) : (
          reply.body
        )}
      </main>
      <TabBar role={user.role} at={place} counts={counts} />
      <div id="toasts" class="toasts" role="status" aria-live="polite">
        {toast === null ? null : (
          <p class="toast">
            <Icon name="circle-check" />
            <span>
              {toast.words}
              {toast.link ? (
                <>
                  : <a href={toast.link.href}>{toast.link.label}</a>
                </>
              ) : null}
            </span>
          </p>
        )}
      </div>
      <Palette />
      <Keys />
    </body>
  );
}

/** The lists that share a place; a page about one thing in them has none of these. */
function WithTabs({
  tabs,
  path,
}: {
  readonly tabs: readonly { readonly href: string; readonly label: string }[];
  readonly path: string;
}) {
  if (!tabs.some(({ href }) => href === path)) return null;
  return (
    <nav class="tabs" aria-label="Lists">
      {tabs.map(({ href, label }) => (
        <a key={href} href={href} aria-current={href === path ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}

function SettingsList({ role, path }: { readonly role: User['role']; readonly path: string }) {
  const at = settingsPageOf(path);
  return (
    <nav class="list-nav" aria-label="Settings">
      {[{ href: SETTINGS.href, label: 'General' }, ...settingsFor(role)].map(({ href, label }) => (
        <a key={href} href={href} aria-current={href === at ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}

const DemoBanner = (): ComponentChildren => (
  <aside class="demo" aria-label="Demonstration">
    <strong>This is a demonstration:</strong> its servers do not exist. Try anything: only you see your
    changes, and they are not saved. To start your own service, run <code>npm start</code> in place of{' '}
    <code>npm run demo</code>.
  </aside>
);

import type { ComponentChildren } from 'preact';
import type { User } from '../../../../domain/access/user.ts';
import { Keys } from '../pages/fleet/keys.tsx';
import type { Area } from '../route.ts';

const NAVIGATION: readonly { readonly area: Area; readonly href: string; readonly label: string }[] = [
  { area: 'overview', href: '/', label: 'Overview' },
  { area: 'servers', href: '/servers', label: 'Servers' },
  { area: 'jobs', href: '/jobs', label: 'Jobs' },
  { area: 'backups', href: '/backups', label: 'Backups' },
  { area: 'notifications', href: '/notifications', label: 'Notifications' },
  { area: 'approvals', href: '/approvals', label: 'Approvals' },
  { area: 'settings', href: '/settings', label: 'Settings' },
];

interface FrameProps {
  readonly user: User | null;
  readonly area: Area | null;
  readonly title: string;
  /** Requests for approval that wait. */
  readonly waiting: number;
  readonly isDemo: boolean;
  readonly children: ComponentChildren;
}

/** What is around every page: the way to the others, and the page's title. */
export function Frame({ user, area, title, waiting, isDemo, children }: FrameProps) {
  if (user === null || area === null) {
    return (
      <body class="narrow">
        {isDemo ? <DemoBanner /> : null}
        <main id="main">
          <p class="brand">Drover</p>
          <h1>{title}</h1>
          {children}
        </main>
      </body>
    );
  }
  return (
    <body>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="bar">
        <a class="brand" href="/">
          Drover
        </a>
        <nav aria-label="Main">
          {NAVIGATION.map((each) => (
            <a key={each.area} href={each.href} aria-current={each.area === area ? 'page' : undefined}>
              {each.label}{' '}
              {each.area === 'approvals' && waiting > 0 ? (
                <span class="count">
                  {waiting}
                  <span class="hidden"> waiting</span>
                </span>
              ) : null}
            </a>
          ))}
        </nav>
        <div class="who">
          <a href="/account" aria-current={area === 'account' ? 'page' : undefined}>
            {user.name}
          </a>
          {isDemo ? null : <SignOut />}
        </div>
      </header>
      {isDemo ? <DemoBanner /> : null}
      <p id="connection" class="connection" role="status" hidden />
      <main id="main">
        <h1>{title}</h1>
        {children}
      </main>
      <Keys />
    </body>
  );
}

const SignOut = () => (
  <form method="post" action="/sign-out">
    <button class="quiet" type="submit">
      Sign out
    </button>
  </form>
);

const DemoBanner = () => (
  <aside class="demo" aria-label="Demonstration">
    <strong>This is a demonstration:</strong> its servers do not exist, and nothing can be changed. For a
    service of your own, run <code>npm start</code> in place of <code>npm run demo</code>.
  </aside>
);

import type { User } from '../../../../domain/access/user.ts';
import { roleSummary } from '../../../../domain/access/user-roles.ts';
import { type NavPlace, SETTINGS, settingOf } from '../navigation.ts';
import type { PageReply } from '../route.ts';
import type { Density, Theme } from '../theme.ts';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';
import { LocalTimes } from './time.tsx';

interface TopBarProps {
  readonly of: Pick<PageReply, 'title' | 'tab' | 'parents' | 'here'>;
  readonly user: User;
  readonly place: NavPlace | null;
  readonly path: string;
  readonly theme: Theme;
  readonly density: Density;
  readonly isDemo: boolean;
}

/** The current place, the search, whether the page is live, the theme, and the user's menu. */
export const TopBar = ({ user, place, path, of, theme, density, isDemo }: TopBarProps) => (
  <header class="top">
    <Trail {...{ place, path }} {...of} />
    {/* Not on every page: what follows them stays in its place. */}
    <span class="live" data-live-sign hidden>
      <span class="dot good" />
      <span>Live</span>
    </span>
    <form class="density" method="post" action="/settings/appearance" data-density-form>
      <input type="hidden" name="back" value={path} />
      <button
        type="submit"
        class="ghost icon"
        name="density"
        value={density === 'compact' ? 'comfortable' : 'compact'}
        title="Row height"
        aria-label="Switch between comfortable and compact rows"
      >
        <Icon name="rows-3" />
      </button>
    </form>
    <a class="find" href="/search" data-palette aria-keyshortcuts="Control+K">
      <Icon name="search" />
      <span>Search servers, jobs, actions</span>
      <kbd aria-hidden="true">Ctrl K</kbd>
    </a>
    <form class="theme" method="post" action="/settings/appearance" data-theme-form>
      <input type="hidden" name="back" value={path} />
      <button
        type="submit"
        class="ghost icon"
        name="theme"
        value={theme === 'dark' ? 'light' : 'dark'}
        aria-label="Switch between light and dark"
      >
        <Icon name="sun-moon" />
      </button>
    </form>
    <Menu
      id="user-menu"
      label={`Account menu of ${user.name}`}
      button="avatar"
      face={user.name.slice(0, 2).toUpperCase()}
    >
      <p>
        {user.name}, {roleSummary(user)}
      </p>
      <a href="/account">
        <Icon name="user" /> Account
      </a>
      <a href="/docs/">
        <Icon name="book-open" /> Documentation
      </a>
      <button type="button" data-show-keys hidden>
        <Icon name="keyboard" /> Keyboard shortcuts
      </button>
      {isDemo ? null : (
        <form method="post" action="/sign-out">
          <button type="submit">
            <Icon name="log-out" /> Sign out
          </button>
        </form>
      )}
    </Menu>
  </header>
);

/** The list that a page is from if its place has several; in the settings, the one that it belongs to. */
function ListCrumb({ place, path }: { readonly place: NavPlace; readonly path: string }) {
  const setting = place === SETTINGS ? settingOf(path) : null;
  const list = place.tabs?.find(({ href }) => href !== place.href && path.startsWith(`${href}/`)) ?? setting;
  if (!list || list.href === path || list.href === place.href) return null;
  return (
    <>
      <a href={list.href}>{list.label}</a>
      <Icon name="chevron-right" />
    </>
  );
}

type TrailProps = Pick<TopBarProps, 'place' | 'path'> & TopBarProps['of'];

function Trail({ place, path, title, tab, parents = [], here }: TrailProps) {
  return (
    <nav class="trail" aria-label="Breadcrumb">
      {place === null || place.href === path ? null : (
        <>
          <a href={place.href}>{place.label}</a>
          <Icon name="chevron-right" />
          <ListCrumb place={place} path={path} />
        </>
      )}
      {tab ? (
        <>
          <a href={tab.href}>{title}</a>
          <Icon name="chevron-right" />
        </>
      ) : null}
      {parents.map(({ href, label }) => (
        <>
          <a href={href}>
            <LocalTimes text={label} />
          </a>
          <Icon name="chevron-right" />
        </>
      ))}
      <span aria-current="page">
        {here ?? (tab ? tab.label : place?.href === path ? place.label : <LocalTimes text={title} />)}
      </span>
    </nav>
  );
}

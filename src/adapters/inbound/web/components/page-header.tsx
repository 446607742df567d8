import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';
import { LocalTimes } from './time.tsx';

export interface PageHead {
  /** Shorter than that of the page, if the line below says the rest. */
  readonly heading?: string;
  /** A pill beside the title. */
  readonly status?: ComponentChildren;
  /** One line below the title. */
  readonly sub?: ComponentChildren;
  readonly tags?: ComponentChildren;
  /** One primary action and what goes with it. */
  readonly actions?: ComponentChildren;
  /** Links and forms behind `⋯`. */
  readonly more?: ComponentChildren;
  /** On phones only the title, its pill and the menu: what the page is about comes sooner. */
  readonly isSlim?: boolean;
}

/** The head of a page: what it is about, how that is, and what can be done with it. */
export function PageHeader({
  title,
  heading = title,
  status,
  sub,
  tags,
  actions,
  more,
  isSlim,
}: PageHead & { readonly title: string }) {
  const words = <LocalTimes text={heading} />;
  return (
    <div class={isSlim ? 'head slim' : 'head'}>
      <div>
        <h1>
          {status || tags || title.endsWith(' UTC') ? <span>{words}</span> : words}
          {status}
          {tags}
        </h1>
        {sub ? <p class="sub">{sub}</p> : null}
      </div>
      {actions || more ? (
        <div class="acts">
          {actions}
          {more ? (
            <Menu id="more-actions" label="More actions" button="quiet icon" face={<Icon name="ellipsis" />}>
              {more}
            </Menu>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { User } from '../../../domain/access/user.ts';
import { Frame } from './components/frame.tsx';
import { GROUNDS, MANIFEST_PATH } from './installable.ts';
import type { PageReply } from './route.ts';
import type { StaticFiles } from './static-files.ts';
import type { Theme } from './theme.ts';

interface Surroundings {
  /** Who is signed in. */
  readonly user: User | null;
  readonly files: StaticFiles;
  readonly theme: Theme;
  /** Requests for approval that wait. */
  readonly waiting: number;
  /** Nobody signs in, and nothing is changed. */
  readonly isDemo: boolean;
}

/** The last word is that of small screens. */
const STYLES = ['style', 'settings', 'fleet', 'jobs', 'tables', 'narrow'] as const;

/** htmx without what a strict policy forbids: styles of its own and code in attributes. */
const HTMX_CONFIG = JSON.stringify({ includeIndicatorCSS: false, extensions: '' });

/** A whole page as HTML. Everything in it is escaped by the renderer. */
export function renderPage(reply: PageReply, { user, files, theme, waiting, isDemo }: Surroundings): string {
  const html = (
    <html lang="en" data-theme={theme === 'automatic' ? undefined : theme}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="htmx-config" content={HTMX_CONFIG} />
        <title>{`${reply.title} · Drover`}</title>
        <link rel="icon" href={files.pathOf('icon')} type="image/svg+xml" />
        <link rel="apple-touch-icon" href={files.pathOf('icon192')} />
        <link rel="manifest" href={MANIFEST_PATH} />
        {theme === 'automatic' ? (
          <>
            <meta name="theme-color" media="(prefers-color-scheme: light)" content={GROUNDS.light} />
            <meta name="theme-color" media="(prefers-color-scheme: dark)" content={GROUNDS.dark} />
          </>
        ) : (
          <meta name="theme-color" content={GROUNDS[theme]} />
        )}
        {STYLES.map((style) => (
          <link key={style} rel="stylesheet" href={files.pathOf(style)} />
        ))}
        <script src={files.pathOf('htmx')} defer />
        <script src={files.pathOf('script')} defer />
        <script src={files.pathOf('live')} defer />
        <script src={files.pathOf('install')} defer />
        <script src={files.pathOf('liveJob')} defer />
        {reply.script === undefined ? null : <script src={files.pathOf(reply.script)} defer />}
      </head>
      <Frame user={user} area={reply.area} title={reply.title} waiting={waiting} isDemo={isDemo}>
        {reply.body}
      </Frame>
    </html>
  );
  return `<!doctype html>\n${renderToString(html)}\n`;
}

export const renderPart = (body: VNode): string => `${renderToString(body)}\n`;

import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { Frame, type FrameProps } from './components/frame.tsx';
import { withTimeTexts } from './components/time.tsx';
import { GROUNDS, MANIFEST_PATH } from './installable.ts';
import type { PageReply } from './route.ts';
import type { StaticFiles } from './static-files.ts';

interface Surroundings extends Omit<FrameProps, 'reply'> {
  readonly files: StaticFiles;
}

/** htmx without what a strict policy forbids: inline styles and code in attributes. */
const HTMX_CONFIG = JSON.stringify({
  includeIndicatorCSS: false,
  extensions: '',
  // A refreshed part leaves what the reader has opened as it is.
  morphIgnore: ['data-htmx-powered', 'open'],
});

/** A whole page as HTML. Everything in it is escaped by the renderer. */
export function renderPage(reply: PageReply, { files, ...around }: Surroundings): string {
  const { theme, density } = around;
  const html = (
    <html
      lang="en"
      data-theme={theme === 'automatic' ? undefined : theme}
      data-density={density === 'compact' ? density : undefined}
    >
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="htmx-config" content={HTMX_CONFIG} />
        <title>{withTimeTexts(`${titleOf(reply, around.path)} · Drover`)}</title>
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
        <link
          rel="preload"
          href={files.pathOf('inter')}
          as="font"
          type="font/woff2"
          crossorigin="anonymous"
        />
        <link rel="stylesheet" href={files.pathOf('style')} />
        {reply.hasParts ? <link rel="stylesheet" href={files.pathOf('partsStyle')} /> : null}
        <script src={files.pathOf('script')} defer />
        {reply.script === 'job' || reply.script === 'editor' || reply.script === 'metrics' ? (
          <link rel="stylesheet" href={files.pathOf(`${reply.script}Style`)} />
        ) : null}
        {reply.script === undefined ? null : <script src={files.pathOf(reply.script)} defer />}
      </head>
      <Frame {...around} reply={reply} />
    </html>
  );
  return `<!doctype html>\n${renderToString(html)}\n`;
}

/** The pages about one thing have different titles. */
function titleOf({ title, tab, here }: PageReply, path: string): string {
  const part = here ?? (tab === undefined || tab.href === path ? '' : tab.label);
  return part === '' || part === title ? title : `${part} · ${title}`;
}

export const renderPart = (body: VNode): string => `${renderToString(body)}\n`;

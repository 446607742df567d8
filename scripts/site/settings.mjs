import { slugOf } from './slug.mjs';

/**
 * VitePress's settings. The service sends a strict Content-Security-Policy, so that nothing may have a `style` attribute:
 * code has no colours, and the two attributes that the theme writes are rules of the style sheet.
 *
 * @param {{ base: string, version: string, hasCleanUrls: boolean, outDir: string, sidebar: object[] }} site
 * @returns {import('vitepress').UserConfig}
 */
export const settings = ({ base, version, hasCleanUrls, outDir, sidebar }) => ({
  base,
  outDir,
  cleanUrls: hasCleanUrls,
  lang: 'en',
  title: 'Drover',
  description: 'Documentation of Drover, the self-hosted control plane for Linux servers',
  // Else a change of the theme would write a style element.
  appearance: { disableTransition: false },
  // One file with the names of all others in place of an inline script that differs from build to build.
  metaChunk: true,
  // Else a page would fetch all that it links to, past the rate limit of an address.
  // The tutorial leads to the service that its reader has just started.
  ignoreDeadLinks: 'localhostLinks',
  router: { prefetchLinks: false },
  markdown: {
    anchor: { slugify: slugOf },
    highlight: (code) => `<pre v-pre tabindex="0"><code>${escaped(code)}</code></pre>`,
  },
  transformHtml: (html) => html.replace(/ style="(?:position:relative|--vp-vh:0px);?"/g, ''),
  // What old browsers need is not worth a second copy of esbuild.
  vite: { build: { target: 'es2022', chunkSizeWarningLimit: 2_000 }, logLevel: 'warn' },
  themeConfig: {
    siteTitle: `Drover ${version}`,
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar,
    docFooter: { prev: false, next: false },
  },
});

/** @param {string} text */
const escaped = (text) =>
  text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`).replace(/\n$/, '');

import { configurationPage } from './configuration-page.ts';

/** The pages that are written from the program itself. `npm run docs` writes them; a test finds those out of date. */
export const GENERATED_PAGES: readonly { readonly path: string; readonly text: () => string }[] = [
  { path: 'docs/configuration.md', text: configurationPage },
];

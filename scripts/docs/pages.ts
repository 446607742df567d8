import { readmeWithFigures } from '../../bench/lib/figures.ts';
import { cliPage } from './cli-page.ts';
import { CLIENT_EXAMPLES } from './client-examples.ts';
import { configurationPage } from './configuration-page.ts';
import { errorsPage } from './errors-page.ts';
import { metricsPage } from './metrics-page.ts';
import { restPage } from './rest-page.ts';
import { toolsPage } from './tools-page.ts';

/** The pages and files that are written from the program itself. `npm run docs` writes them; a test finds those out of date. */
export const GENERATED_PAGES: readonly {
  readonly path: string;
  readonly text: () => string | Promise<string>;
}[] = [
  { path: 'docs/cli.md', text: cliPage },
  { path: 'docs/configuration.md', text: configurationPage },
  { path: 'docs/errors.md', text: errorsPage },
  { path: 'docs/metrics.md', text: metricsPage },
  { path: 'docs/rest.md', text: restPage },
  { path: 'docs/tools.md', text: toolsPage },
  { path: 'bench/README.md', text: readmeWithFigures },
  ...CLIENT_EXAMPLES,
];

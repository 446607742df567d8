import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled } from './ensure.mjs';
import { buildSite, SITE } from './site/build.mjs';

// npm run docs:site                                   for the service, which serves it at /docs
// npm run docs:site -- --base /drover/ --out DIR      for any other web server
const { values } = parseArgs({ options: { base: { type: 'string' }, out: { type: 'string' } } });
await ensureInstalled();
const out = values.out === undefined ? SITE : resolve(values.out);
const isNew = await buildSite({ out, ...(values.base === undefined ? {} : { base: values.base }) });
process.stderr.write(`${out} ${isNew ? 'is built' : 'is up to date'}\n`);

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path/posix';

/** Pages beside `docs/`, and where the site has them. */
const OTHERS = {
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'report-a-vulnerability.md',
  'bench/README.md': 'bench.md',
  'examples/clients/README.md': 'examples/clients.md',
  'examples/curl/README.md': 'examples/curl.md',
  'examples/templates/README.md': 'examples/templates.md',
  'examples/webhook-receiver/README.md': 'examples/webhook-receiver.md',
};

/** Folders whose index the site has and the repository does not, which lists them anyway. */
const INDEXED = {
  decisions:
    '# Decisions\n\nWhy Drover is built as it is: one page for each decision that you might question.',
  runbooks: '# Runbooks\n\nWhat to do about each alert.',
};

/** A link that does not lead to another host: its text, target and anchor. */
const LINK = /\[([^\]]*)\]\(([^)\s#:]+)(#[^)\s]*)?\)/g;

/** Folders with files that pages link to: the site has each that is linked to, as text. */
const FILES = /^(?:deploy|examples)\//;

/**
 * @typedef {{ from: string, to: string, text: string }} Page `from` the project's top, `to` the site's; links lead within the site
 * @typedef {{ pages: Page[], files: { from: string, to: string }[] }} Content
 */

/**
 * All that the site is made of. A link to something that is not there stays as it is: the build refuses it.
 *
 * @param {string} root
 * @returns {Content}
 */
export function contentOf(root) {
  const places = new Map(Object.entries(OTHERS));
  for (const name of readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('.md')) places.set(`docs/${name}`, name.replace(/(^|\/)README\.md$/, '$1index.md'));
  }
  const indexes = new Map(Object.keys(INDEXED).map((name) => [`docs/${name}`, `${name}/index.md`]));
  /** @type {Map<string, string>} */
  const files = new Map();
  const pages = [...places].map(([from, to]) => {
    const source = readFileSync(join(root, from), 'utf8');
    const text = source.replace(LINK, (whole, name, target, anchor = '') => {
      const linked = join(dirname(from), target).replace(/\/$/, '');
      const page = places.get(linked) ?? places.get(`${linked}/README.md`) ?? indexes.get(linked);
      if (page !== undefined) return `[${name}](/${page}${anchor})`;
      const found = statSync(join(root, linked), { throwIfNoEntry: false });
      if (!found) return whole;
      if (linked.startsWith('docs/')) return `[${name}](/${relative('docs', linked)})`;
      // Never a whole folder: it may contain files that are not public, such as secrets beside deploy/compose.yaml.
      if (found.isDirectory() || !FILES.test(linked)) return name;
      const file = `files/${linked.replaceAll('/.', '/')}.txt`;
      files.set(linked, file);
      return `[${name}](/${file})`;
    });
    return { from, to, text };
  });
  for (const [name, about] of Object.entries(INDEXED)) {
    const links = pages.filter(({ to }) => to.startsWith(`${name}/`)).map(linkTo);
    const list = links.map(({ text, link }) => `- [${text}](${link})`).sort();
    pages.push({ from: `docs/${name}`, to: `${name}/index.md`, text: `${about}\n\n${list.join('\n')}\n` });
  }
  for (const name of readdirSync(join(root, 'docs', 'images')))
    files.set(`docs/images/${name}`, `images/${name}`);
  return { pages, files: [...files].map(([from, to]) => ({ from, to })) };
}

/**
 * The menu, from the index in docs/README.md: a group for each heading, one within it for each column of a table. Folders
 * that the index links to get a group of their pages.
 *
 * @param {readonly Page[]} pages
 */
export function sidebarOf(pages) {
  const index = pages.find(({ from }) => from === 'docs/README.md')?.text ?? '';
  return index
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [text = '', ...lines] = section.split('\n');
      const rows = lines.filter((line) => line.startsWith('|')).map((line) => line.split('|').slice(1, -1));
      const columns = (rows[0] ?? []).map((title, column) => ({
        text: title.trim(),
        collapsed: false,
        items: linksIn(
          rows
            .slice(2)
            .map((cells) => cells[column] ?? '')
            .join('\n'),
        ),
      }));
      const links = linksIn(lines.filter((line) => !line.startsWith('|')).join('\n'));
      const items = links.map((each) => {
        const folder = each.link.endsWith('/index.md') ? each.link.slice(1, -'index.md'.length) : '';
        const below = pages.filter(({ to }) => folder && to.startsWith(folder) && !to.endsWith('/index.md'));
        return below.length === 0 ? each : { ...each, collapsed: true, items: below.map(linkTo) };
      });
      return { text, items: [...columns, ...items] };
    });
}

/** @param {Page} page */
const linkTo = ({ to, text }) => ({ text: /^# (.+)$/m.exec(text)?.[1] ?? to, link: `/${to}` });

/** @param {string} text */
const linksIn = (text) =>
  [...text.matchAll(/\[([^\]]+)\]\((\/[^)#]+\.md)[^)]*\)/g)].map(([, name = '', link = '']) => ({
    text: name.charAt(0).toUpperCase() + name.slice(1),
    link,
  }));

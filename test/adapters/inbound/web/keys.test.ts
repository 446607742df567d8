import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { expect, test } from 'vitest';
import { Keys } from '../../../../src/adapters/inbound/web/pages/fleet/keys.tsx';

const WEB = 'src/adapters/inbound/web';
const ARROWS: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
};

/** The files of this kind in the web UI. */
const sources = (end: string): string =>
  readdirSync(WEB, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(end))
    .map((path) => readFileSync(join(WEB, path), 'utf8'))
    .join('\n');

test('The list of keys has every key that the scripts and pages handle', () => {
  const html = renderToString(h(Keys, {}));
  const listed = new Set([...html.matchAll(/<kbd>([^<]+)<\/kbd>/g)].map(([, key = '']) => key.toLowerCase()));
  const inScripts = [
    ...sources('.js').matchAll(/\.key(?:\.toLowerCase\(\))? [!=]== '([^']+)'|\b(Arrow\w+):/g),
  ].map(([, key, arrow]) => key ?? ARROWS[arrow ?? ''] ?? '');
  const onPages = [...sources('.tsx').matchAll(/data-key="(\w)"/g)].map(([, key = '']) => key);
  expect(inScripts.length).toBeGreaterThan(6);
  expect(onPages).toEqual(expect.arrayContaining(['A', 'D']));
  for (const key of [...inScripts, ...onPages, 'j', 'k']) expect(listed).toContain(key.toLowerCase());
  for (const page of ['/', '/servers', '/approvals', '/notifications', '/jobs', '/backups', '/settings'])
    expect(html).toContain(`href="${page}" data-go=`);
});

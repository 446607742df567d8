import { h } from 'preact';
import { expect, test } from 'vitest';
import { WholeNames } from '../../../../src/adapters/inbound/web/components/whole-names.tsx';
import { renderPart } from '../../../../src/adapters/inbound/web/render.tsx';

const LONG = `a-${'b'.repeat(40)}`;

test.each([
  ['Packages on web-01, db failed', 'Packages on <span class="whole-name">web-01</span>, db failed'],
  ['no name - none', 'no name - none'],
  [LONG, LONG],
])('%s keeps its names on one line', (text, html) => {
  expect(renderPart(h('p', null, h(WholeNames, { text }))).trim()).toBe(`<p>${html}</p>`);
});

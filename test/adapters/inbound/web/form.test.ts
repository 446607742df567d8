import { afterEach, expect, test } from 'vitest';
import { openWebFixture, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
afterEach(() => fixture.close());

test('A form with errors counts them, links to each, and puts the focus on the first', async () => {
  fixture = await openWebFixture();
  const operator = await fixture.signedIn('operator');
  const typed = { name: 'web', hostname: '-x', ssh_port: 'ssh', ssh_username: 'root', tags: '' };
  const { status, text } = await operator.post('/servers/new', typed);
  expect(status).toBe(422);
  expect(text).toMatch(/Fix [12] fields? to continue:/);
  const anchors = [...text.matchAll(/href="#(at\/[^"]*)"/g)].map(([, anchor]) => anchor);
  expect(anchors).toEqual(['at/hostname', 'at/ssh_port']);
  for (const anchor of anchors) expect(text).toContain(`id="${anchor}"`);
  expect(text.match(/<(?:input|select)[^>]* autofocus/g)).toHaveLength(1);
  expect(text).not.toMatch(/<input[^>]* id="name"[^>]* autofocus/);
});

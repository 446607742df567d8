import { afterEach, expect, test } from 'vitest';
import { type House, openHouse } from './house.ts';

let house: House;
afterEach(() => house.close());

test('A form with errors counts them, links to the first, and puts the focus there', async () => {
  house = await openHouse();
  const operator = await house.signedIn('operator');
  const typed = { name: 'web', hostname: '-x', ssh_port: 'ssh', ssh_username: 'root', tags: '' };
  const { status, text } = await operator.post('/servers/new', typed);
  expect(status).toBe(422);
  expect(text).toMatch(/Fix [12] fields? to continue\./);
  const anchor = /href="#(at\/[^"]*)"/.exec(text)?.[1];
  expect(text).toContain(`id="${anchor}"`);
  expect(text.match(/<(?:input|select)[^>]* autofocus/g)).toHaveLength(1);
  expect(text).not.toMatch(/<input[^>]* id="name"[^>]* autofocus/);
});

import { expect, test } from 'vitest';
import { detailTitle, objectTitle } from '../../../../src/adapters/inbound/web/pages/events/audit-words.ts';

const NONE = new Map<number, string>();

test.each([
  ['notification:10', { title: 'stage-04 is unreachable' }, 'stage-04 is unreachable'],
  ['mute:1', { kind: 'updates.available' }, 'Mute: Updates available'],
  ['notification:10', {}, 'Notification 10'],
  ['job:12', { title: 'other' }, 'Job 12'],
])('The object %s with the details %j is named %s', (object, detail, text) => {
  expect(objectTitle(object, NONE, detail).text).toBe(text);
});

test('Details have the names of their fields in words', () => {
  expect(detailTitle('osSteps', ['update', 'upgrade'], 'update, upgrade', NONE)).toBe(
    'steps: update, upgrade',
  );
  expect(detailTitle('p', 'srv', 'srv', NONE)).toBe('path: srv');
});

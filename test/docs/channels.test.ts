import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { CHANNEL_KIND_NAMES, CHANNEL_KINDS } from '../../src/domain/events/channels/channel-kinds.ts';

test.each(CHANNEL_KIND_NAMES)('The guide to channels has a section with the fields of %s', async (name) => {
  const guide = await readFile('docs/how-to/channels.md', 'utf8');
  const { title, fields } = CHANNEL_KINDS[name];
  const [, section = ''] = guide.split(`\n## ${title}\n`);
  const [text = ''] = section.split('\n## ');
  expect(fields.filter((field) => !text.includes(`\`${field.name}\``))).toEqual([]);
});

import { describe, expect, it } from 'vitest';
import {
  type HostSelector,
  hostSelector,
  MAX_HOSTS,
  type RawSelector,
  reportedIds,
  selectorText,
  selects,
  staysWithin,
} from '../../../src/domain/fleet/host-selector.ts';

describe('a selector', () => {
  it.each<[RawSelector, HostSelector]>([
    [{ ids: [3, 1, 3] }, { by: 'ids', ids: [3, 1] }],
    [{ tags: ['web', 'eu', 'web'] }, { by: 'tags', tags: ['web', 'eu'] }],
    [{ all: true }, { by: 'all' }],
  ])('%j is one of three', (raw, selector) => expect(hostSelector(raw)).toEqual(selector));

  it.each<[RawSelector, string]>([
    [{}, '/selector'],
    [{ ids: [1], all: true }, '/selector'],
    [{ all: false }, '/selector'],
    [{ ids: [] }, '/selector/ids'],
    [{ ids: Array.from({ length: MAX_HOSTS + 1 }, (_, index) => index) }, '/selector/ids'],
    [{ tags: [] }, '/selector/tags'],
  ])('is refused if it is none of them, or too many', (raw, path) => {
    expect(() => hostSelector(raw)).toThrow(
      expect.objectContaining({ code: 'invalid_input', problems: [{ path, message: expect.any(String) }] }),
    );
  });

  it('means servers by id, by any of the tags, or all', () => {
    const server = { id: 7, tags: ['web', 'eu'] };
    expect(selects({ by: 'ids', ids: [6, 7] }, server)).toBe(true);
    expect(selects({ by: 'ids', ids: [6] }, server)).toBe(false);
    expect(selects({ by: 'tags', tags: ['db', 'eu'] }, server)).toBe(true);
    expect(selects({ by: 'tags', tags: ['we'] }, server)).toBe(false);
    expect(selects({ by: 'all' }, server)).toBe(true);
  });

  it('stays within the servers of a caller only where it names them, or a tag of the caller', () => {
    const within = (...ids: readonly number[]) => ({ ids: new Set(ids), tags: new Set(['db']) });
    expect(staysWithin({ by: 'ids', ids: [1, 2] }, within(1, 2, 3))).toBe(true);
    expect(staysWithin({ by: 'ids', ids: [1, 4] }, within(1, 2, 3))).toBe(false);
    expect(staysWithin({ by: 'tags', tags: ['web'] }, within(1))).toBe(false);
    expect(staysWithin({ by: 'tags', tags: ['db'] }, within(1))).toBe(true);
    expect(staysWithin({ by: 'tags', tags: ['db', 'web'] }, within(1))).toBe(false);
    expect(staysWithin({ by: 'all' }, within(1))).toBe(false);
    expect(staysWithin({ by: 'all' }, { ids: null, tags: new Set() })).toBe(true);
  });

  it.each<[HostSelector, string]>([
    [{ by: 'ids', ids: [1] }, 'server 1'],
    [{ by: 'ids', ids: [1, 2, 3, 4, 5, 6, 7] }, 'servers 1, 2, 3, 4, 5 and 2 more'],
    [{ by: 'tags', tags: ['web'] }, 'tag web'],
    [{ by: 'tags', tags: ['web', 'eu'] }, 'tags web, eu'],
    [{ by: 'all' }, 'all servers'],
  ])('is described in a few words: %j', (selector, text) => expect(selectorText(selector)).toBe(text));

  it('is described with the names of its servers, as far as they are known', () => {
    const names = new Map([[3, 'web-03']]);
    expect(selectorText({ by: 'ids', ids: [3, 4] }, names)).toBe('servers web-03, 4');
    expect(reportedIds({ by: 'ids', ids: [1, 2, 3, 4, 5, 6] })).toEqual([1, 2, 3, 4, 5]);
    expect(reportedIds({ by: 'all' })).toEqual([]);
  });
});

import { afterEach, describe, expect, test } from 'vitest';
import { openWebFixture, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
afterEach(() => fixture.close());

async function open() {
  fixture = await openWebFixture();
  for (const name of ['web-1', 'web-2', 'db']) {
    const { id } = await fixture.scene.addServer(name, { backup: true });
    if (name !== 'db') await fixture.scene.servers.change(id, { tags: ['web'] }, 1, () => ({ audit: [] }));
  }
  return fixture.signedIn('operator');
}

const WEEKLY = {
  name: 'weekend',
  every: 'week',
  days: ['6', '0'],
  at: '04:15',
  cron: '',
  time_zone: 'Europe/Berlin',
  selector: 'tags',
  tags: ['web'],
};
const BACKUP = { ...WEEKLY, type: 'backup', max_parallel: '5', canary: '0' };

describe('The form of a schedule', () => {
  test('takes a recurrence and checkboxes in place of an expression and names', async () => {
    const operator = await open();
    const form = await operator.get('/schedules/new?type=backup');
    expect(form.text).toMatch(/<option value="day" selected/);
    // Not the browser's own field, which has AM and PM in some languages.
    expect(form.text).toMatch(/<input type="text" class="clock"[^>]*value="02:30"/);
    expect(form.text).toMatch(/name="selector" value="all" checked/);
    expect(form.text.match(/type="checkbox" name="servers" value="(web-1|web-2|db)"/g)).toHaveLength(3);
    expect(form.text).toContain('type="checkbox" name="tags" value="web"');
    expect((await operator.post('/schedules/new', BACKUP)).location).toBe('/schedules/1');
    expect(await fixture.scene.schedules.find(1)).toMatchObject({
      cron: { expression: '15 4 * * 0,6', timeZone: 'Europe/Berlin' },
      selector: { by: 'tags', tags: ['web'] },
    });
    const edit = await operator.get('/schedules/1/edit');
    expect(edit.text).toMatch(/<option value="week" selected/);
    expect(edit.text.match(/name="days" value="[06]" checked/g)).toHaveLength(2);
    expect(edit.text).toContain('name="tags" value="web" checked');
  });

  test('previews in one sentence, live and on request, and changes nothing', async () => {
    const operator = await open();
    const sentence =
      'Backs up 2 servers tagged web every Saturday, Sunday at 04:15 (Europe/Berlin), 5 at once.';
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(BACKUP))
      for (const each of [value].flat()) query.append(name, each);
    expect((await operator.get(`/live/times?${query}`)).text).toContain(sentence);
    query.set('selector', 'all');
    expect((await operator.get(`/live/times?${query}`)).text).toContain('Backs up 3 servers every');
    await fixture.scene.addServer('files', { os_patch: true });
    expect((await operator.get(`/live/times?${query}`)).text).toContain('Backs up 3 servers every');
    query.set('type', 'os_patch');
    expect((await operator.get(`/live/times?${query}`)).text).toContain('updates on 1 server every');
    const preview = await operator.post('/schedules/new', { ...BACKUP, preview: 'yes' });
    expect(preview.status).toBe(200);
    expect(preview.text).toContain(sentence);
    expect(preview.text).toContain('value="weekend"');
    expect(await fixture.scene.schedules.list()).toEqual([]);
  });

  test.each([
    [{ at: '' }, 'at'],
    [{ every: 'month', day: 'x' }, 'day'],
    [{ every: 'custom', cron: 'often' }, 'cron'],
  ])('leads to the field that is wrong: %j', async (over, field) => {
    const operator = await open();
    const answer = await operator.post('/schedules/new', { ...BACKUP, ...over });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain(`id="${field}-fault"`);
    expect(answer.text).toContain(`href="#at/${field}"`);
  });

  test('names the missing days', async () => {
    const operator = await open();
    const answer = await operator.post('/schedules/new', { ...BACKUP, days: [] });
    expect(answer.text).toContain('id="days-fault"');
  });

  test('is the same for a maintenance window', async () => {
    const operator = await open();
    expect((await operator.post('/windows/new', { ...WEEKLY, duration: '2' })).location).toBe('/windows');
    const { text } = await operator.get('/windows');
    expect(text).toContain('every Saturday, Sunday at 04:15 (Europe/Berlin)');
  });
});

describe('The list of schedules', () => {
  test('shows the week with its windows, and switches schedules off and on in place', async () => {
    const operator = await open();
    await operator.post('/schedules/new', BACKUP);
    await operator.post('/windows/new', { ...WEEKLY, name: 'night', duration: '2' });
    const { text } = await operator.get('/schedules');
    expect(text.match(/class="mark"/g)).toHaveLength(2);
    expect(text.match(/class="band"/g)).toHaveLength(2);
    expect(text).toContain('weekend: 04:15');
    // A phone has them as a list.
    expect(text).toContain('<a href="/schedules/1">04:15 weekend</a>');
    // On the reader's clock if the browser names it; the week says whose.
    const zone = /name="time_zone"[^>]*value="([^"]+)"/.exec(
      (await operator.get('/schedules/1/edit')).text,
    )?.[1];
    const zoneOf = (page: string) => />(times in [^<]*)</.exec(page)?.[1];
    expect(zoneOf(text)).toBe(`times in ${zone}`);
    for (const path of ['/schedules', '/windows']) {
      const from = (name: string) =>
        operator.get(path, { Cookie: `${operator.cookie}; drover-zone=${name}` });
      const local = (await from('Pacific/Kiritimati')).text;
      expect(zoneOf(local)).toBe('times in Pacific/Kiritimati');
      expect(local).not.toMatch(/(?:weekend|night): 04:15/);
      expect(zoneOf((await from('Nowhere/City')).text)).toBe(`times in ${zone}`);
    }
    const off = await operator.post('/schedules/1/disable', { back: '/schedules' });
    expect(off.location).toBe('/schedules');
    expect((await operator.get('/schedules')).text).not.toContain('class="mark"');
  });
});

import { describe, expect, it } from 'vitest';
import {
  describeWindow,
  type MaintenanceWindow,
  outsideWindow,
  type WindowState,
  windowState,
} from '../../../src/domain/automation/maintenance-window.ts';
import type { InvalidInput } from '../../../src/domain/base/errors.ts';
import { HOUR, MINUTE } from '../../../src/domain/base/instant.ts';
import { JOB_TYPES, needsWindow } from '../../../src/domain/jobs/job-types.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const window = (over: Partial<MaintenanceWindow> = {}): MaintenanceWindow => ({
  id: 1,
  name: 'nights',
  selector: { by: 'tags', tags: ['web'] },
  opens: { expression: '0 2 * * *', timeZone: 'UTC' },
  durationMs: 2 * HOUR,
  enabled: true,
  createdBy: 'cli:me',
  createdAt: 0,
  ...over,
});
const closed = (opensAt: number | null, over: Partial<MaintenanceWindow> = {}): WindowState => ({
  window: window(over),
  openUntil: null,
  opensAt,
});
const open: WindowState = { window: window(), openUntil: NOW + 1, opensAt: NOW + HOUR };
const web = { id: 7, name: 'web-1', tags: ['web'] };

describe('a window', () => {
  it('is open from its start for as long as it lasts, the end not included', () => {
    const at = (last: number | null, now: number) => windowState(window(), { last, next: null }, now);
    expect(at(NOW, NOW)).toMatchObject({ openUntil: NOW + 2 * HOUR });
    expect(at(NOW, NOW + 2 * HOUR - 1)).toMatchObject({ openUntil: NOW + 2 * HOUR });
    expect(at(NOW, NOW + 2 * HOUR)).toMatchObject({ openUntil: null });
    expect(at(null, NOW)).toMatchObject({ openUntil: null, opensAt: null });
  });

  it('is refused with a bad name, length or selector', () => {
    const by = { createdBy: 'cli:me', at: 0 };
    const good = { name: 'nights', selector: { all: true }, opens: window().opens, durationMs: HOUR };
    expect(describeWindow(good, by)).toMatchObject({ selector: { by: 'all' }, createdBy: 'cli:me' });
    expect(() => describeWindow({ ...good, name: 'a b', durationMs: MINUTE }, by)).toThrow(
      expect.objectContaining<Partial<InvalidInput>>({
        problems: ['/name', '/duration'].map((path) => ({ path, message: expect.any(String) })),
      }),
    );
    for (const durationMs of [Number.NaN, Number.POSITIVE_INFINITY, -HOUR]) {
      expect(() => describeWindow({ ...good, durationMs }, by)).toThrow(/five minutes to seven days/);
    }
    expect(() => describeWindow({ ...good, selector: {} }, by)).toThrow(/exactly one/);
  });
});

describe('windows hold', () => {
  it('for jobs that change what runs on a host, and for nothing else', () => {
    expect(JOB_TYPES.filter((type) => needsWindow(type, false))).toEqual([
      'os_patch',
      'container_patch',
      'host_reboot',
      'docker_stack_deploy',
      'docker_stack_stop',
      'docker_stack_start',
      'docker_stack_restart',
      'template_deploy',
      'template_redeploy',
      'os_downgrade',
    ]);
    for (const type of JOB_TYPES) expect(needsWindow(type, true)).toBe(false);
  });

  it('only servers that have some, and while none of them is open', () => {
    expect(outsideWindow([], web, 'os_patch')).toBeNull();
    expect(outsideWindow([closed(NOW)], { ...web, tags: ['db'] }, 'os_patch')).toBeNull();
    expect(outsideWindow([closed(NOW), open], web, 'os_patch')).toBeNull();
    expect(outsideWindow([closed(NOW)], web, 'os_patch')).toMatchObject({
      code: 'outside_maintenance_window',
    });
  });

  it('and know which one opens next, and when', () => {
    const states = [
      closed(NOW + 2 * HOUR),
      closed(NOW + HOUR, { name: 'noon' }),
      closed(null, { name: 'never' }),
    ];
    expect(outsideWindow(states, web, 'host_reboot')?.message).toBe(
      '“Reboot” (host_reboot) can run on web-1 only inside its maintenance windows; the next one (noon) opens at 2026-01-15 13:00 UTC.',
    );
    expect(outsideWindow([closed(null)], web, 'os_patch')?.message).toContain('none of them opens again.');
  });
});

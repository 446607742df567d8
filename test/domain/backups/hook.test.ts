import { describe, expect, test } from 'vitest';
import { changeSource, describeSource } from '../../../src/domain/backups/backup-source.ts';
import { hookProblems, hookText, MAX_HOOKS, parseHook } from '../../../src/domain/backups/hook.ts';

const problemsOf = (...texts: readonly string[]) => hookProblems(texts.map(parseHook));

describe('What a backup stops', () => {
  test('is named by its kind, and a unit is a service', () => {
    expect(parseHook('unit:nginx')).toEqual({ kind: 'unit', name: 'nginx.service' });
    expect(parseHook(' unit nginx.service ')).toEqual({ kind: 'unit', name: 'nginx.service' });
    expect(hookText(parseHook('compose:shop'))).toBe('compose:shop');
    expect(problemsOf('unit:getty@tty1.service', 'container:shop_db-1', 'compose:shop')).toEqual([]);
  });

  test.each([
    'nginx',
    'command:reboot',
    'unit:',
    'unit:-h',
    'unit:multi-user.target',
    'unit:a b',
    'unit:a;reboot.service',
    'unit:$(reboot).service',
    'unit:../x.service',
    'unit:ssh',
    'unit:sshd.service',
    'unit:ssh@1.service',
    'unit:docker',
    'unit:containerd',
    'unit:podman',
    'unit:systemd-networkd',
    'unit:dbus.service',
    'unit:drover',
    'unit:drover-run-x-1',
    'container:',
    'container:--all',
    'container:a/b',
    'container:drover',
    'compose:Shop',
    'compose:drover',
    'compose:a\nb',
  ])('is never %j', (text) => {
    expect(problemsOf(text)).toMatchObject([{ path: '/hooks/0' }]);
  });

  test('is named once each, and not too often', () => {
    expect(problemsOf('unit:a', 'unit:a.service')).toMatchObject([{ path: '/hooks/1' }]);
    const many = Array.from({ length: MAX_HOOKS + 1 }, (_, at) => `container:c${at}`);
    expect(problemsOf(...many)).toMatchObject([{ path: '/hooks' }]);
  });

  test('belongs to the source, and is changed with it', () => {
    const input = { serverId: 1, name: 'www', paths: ['/srv'], at: 0 };
    expect(() => describeSource({ ...input, hooks: [parseHook('unit:ssh')] })).toThrow();
    const source = {
      ...describeSource({ ...input, hooks: [parseHook('unit:a')] }),
      id: 1,
      lastSuccessAt: null,
    };
    expect(source.hooks).toEqual([{ kind: 'unit', name: 'a.service' }]);
    expect(changeSource(source, { excludes: ['x'] }).hooks).toEqual(source.hooks);
    expect(changeSource(source, { hooks: [] }).hooks).toEqual([]);
    expect(() => changeSource(source, { hooks: source.hooks })).toThrow('Nothing to change');
  });
});

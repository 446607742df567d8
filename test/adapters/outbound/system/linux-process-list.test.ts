import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { LinuxProcessList } from '../../../../src/adapters/outbound/system/linux-process-list.ts';

describe('the names of processes', () => {
  test('are different for each start, even of the same process', () => {
    expect(new LinuxProcessList().self).not.toBe(new LinuxProcessList().self);
  });

  test('never call the asking process dead, nor another name of it', () => {
    const list = new LinuxProcessList();
    expect(list.isDead(list.self)).toBe(false);
    expect(list.isDead(new LinuxProcessList().self)).toBe(false);
  });

  test('tell a process that has ended, and one whose id another process has now', async () => {
    const list = new LinuxProcessList();
    const [boot, namespace] = list.self.split('.');
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { stdio: 'ignore' });
    const stat = (await import('node:fs')).readFileSync(`/proc/${child.pid}/stat`, 'utf8');
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const name = `${boot}.${namespace}.${child.pid}.${started}.abc`;
    expect(list.isDead(name)).toBe(false);
    expect(list.isDead(`${boot}.${namespace}.${child.pid}.1.abc`)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(list.isDead(name)).toBe(true);
  });

  test('say nothing of other machines, other namespaces and nonsense', () => {
    const list = new LinuxProcessList();
    const [boot, namespace] = list.self.split('.');
    expect(list.isDead(`other-boot.${namespace}.999999.1.abc`)).toBe(false);
    expect(list.isDead(`${boot}.1.999999.1.abc`)).toBe(false);
    expect(list.isDead('unknown.abc')).toBe(false);
    expect(list.isDead('')).toBe(false);
    expect(list.isDead(`${boot}.${namespace}.-1.1.abc`)).toBe(false);
  });
});

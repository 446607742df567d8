import { expect, it } from 'vitest';
import { sudoRefusal } from '../../../../../src/adapters/outbound/hosts/shell/sudo-refusal.ts';

const rule = 'deploy ALL=(ALL) NOPASSWD: ALL';

it.each([
  ['asks for a password', 'sudo: a password is required', ['for a password', rule]],
  [
    'asks for a terminal to read it',
    'sudo: a terminal is required to read the password',
    ['for a password', rule],
  ],
  ['wants a terminal', 'sudo: sorry, you must have a tty to run sudo', ['Defaults:deploy !requiretty']],
  ['does not know the user', 'deploy is not in the sudoers file.', ['does not allow user "deploy"', rule]],
  [
    'does not allow the command',
    'Sorry, user deploy is not allowed to execute',
    ['does not allow user', rule],
  ],
  ['is missing, says bash', 'bash: line 1: sudo: command not found', ['sudo is not installed on "web1"']],
  ['is missing, says dash', 'sh: 1: exec: sudo: not found', ['sudo is not installed on "web1"']],
  ['is missing, says fish', 'exec: sudo: No such file or directory', ['sudo is not installed on "web1"']],
  ['says something else', 'noise\nsudo: /etc/sudoers is world writable', ['world writable', rule]],
  ['says nothing', '', ['it said: nothing', rule]],
])('says what to change if sudo %s', (_, stderr, said) => {
  const error = sudoRefusal('web1', 'deploy', stderr);
  expect(error.code).toBe('host_command_failed');
  for (const part of said) expect(error.message).toContain(part);
});

import { createHash } from 'node:crypto';
import { withoutEnd } from '../../../../domain/base/without-end.ts';
import type { StateFacts } from '../../../../domain/fleet/host-state.ts';
import type { Sections } from '../shell/marked-sections.ts';
import { factsByName } from './facts-by-name.ts';

/** The keys are those with which the account of the service can be signed in to. */
export const USERS = String.raw`
users() {
  section state-users 1000000 cat /etc/passwd
  login=${'$'}{SUDO_USER:-$(id -un)}
  home=$HOME
  while IFS=: read -r name secret uid gid words place shell; do
    [ "$name" = "$login" ] && home=$place
  done </etc/passwd
  set --
  for file in "$home/.ssh/authorized_keys" "$home/.ssh/authorized_keys2"; do
    [ -r "$file" ] && set -- "$@" "$file"
  done
  if [ "$#" = 0 ]; then
    section_here state-keys :
  else
    section state-keys 1000000 cat "$@"
  fi
}
`;

/** Shells that no user can sign in with; /bin/sync and the like are Debian's placeholders. */
const NO_SHELL = /\/(?:nologin|false|sync|halt|shutdown|true)$/;

/** `ada` → `uid 1000, /home/ada, /bin/bash`. */
export const readUsers = (sections: Sections): StateFacts =>
  factsByName('user', sections.get('state-users'), (line) => {
    const [name = '', , uid = '', , , home = '', shell = ''] = line.split(':', 7);
    if (name === '' || name.startsWith('#') || NO_SHELL.test(shell)) return null;
    return [name, `uid ${uid}, ${home}, ${shell === '' ? '/bin/sh' : shell}`];
  });

/** sshd(8), AUTHORIZED_KEYS FILE FORMAT: options, type, key, comment. */
const TYPE = /^(?:sk-)?(?:ssh|ecdsa)-[\w@.-]{1,60}$/;
const KEY = /^[A-Za-z0-9+/=]{16,20000}$/;

/** `SHA256:…` → `ssh-ed25519, ada@laptop`, as ssh-keygen prints it. */
export const readKeys = (sections: Sections): StateFacts =>
  factsByName('key', sections.get('state-keys'), (line) => {
    const words = line.trim().split(/\s+/);
    const at = words.findIndex((word) => TYPE.test(word));
    const [type, key, ...comment] = words.slice(at);
    if (at < 0 || type === undefined || !KEY.test(key ?? '') || line.startsWith('#')) return null;
    const digest = createHash('sha256')
      .update(Buffer.from(key ?? '', 'base64'))
      .digest('base64');
    const options = at === 0 ? '' : `only with ${words.slice(0, at).join(' ')}`;
    const value = [type, comment.join(' '), options].filter((part) => part !== '').join(', ');
    return [`SHA256:${withoutEnd(digest, '=')}`, value];
  });

import type { InputProblem } from '../base/errors.ts';

export const HOOK_KINDS = ['unit', 'container', 'compose'] as const;
export type HookKind = (typeof HOOK_KINDS)[number];

/** Something that is stopped on the host while a source is backed up, and started again. */
export interface BackupHook {
  readonly kind: HookKind;
  /** Of a systemd service, a container, or a Compose project. */
  readonly name: string;
}

export const MAX_HOOKS = 10;

const NAMES: Readonly<Record<HookKind, RegExp>> = {
  unit: /^[A-Za-z0-9_][A-Za-z0-9:_.@\\-]{0,190}\.service$/,
  container: /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/,
  compose: /^[a-z0-9][a-z0-9_-]{0,62}$/,
};

/** Units that a backup and its SSH connection need; the host checks again with their canonical names. */
export const KEPT_UNITS = [
  'ssh.service',
  'sshd.service',
  'ssh@*',
  'sshd@*',
  'dropbear*',
  'docker.service',
  'containerd.service',
  'podman*',
  'crio.service',
  'dbus*',
  'systemd-*',
  'networking.service',
  'NetworkManager.service',
  'drover*',
] as const;
const KEPT_PROJECT = 'drover';

/** `unit:nginx.service`; a unit without an ending is a service. Anything else is of a kind that is refused. */
export function parseHook(text: string): BackupHook {
  const trimmed = text.trim();
  const end = trimmed.search(/[:\s]/);
  const [kind, rest] = end < 0 ? ['', ''] : [trimmed.slice(0, end), trimmed.slice(end + 1).trimStart()];
  const name = kind === 'unit' && !/\.[a-z]+$/.test(rest) ? `${rest}.service` : rest;
  return { kind: kind as HookKind, name };
}

export const hookText = ({ kind, name }: BackupHook): string => `${kind}:${name}`;

export const hookWords = ({ kind, name }: BackupHook): string =>
  kind === 'compose' ? `Compose project ${name}` : `${kind} ${name}`;

export function hookProblems(hooks: readonly BackupHook[]): InputProblem[] {
  const tooMany =
    hooks.length > MAX_HOOKS ? [{ path: '/hooks', message: `At most ${MAX_HOOKS} can be stopped.` }] : [];
  const seen = new Set<string>();
  const faults = hooks.flatMap((hook, index) => {
    const fault = seen.has(hookText(hook)) ? 'It is listed twice.' : hookFault(hook);
    seen.add(hookText(hook));
    return fault === null ? [] : [{ path: `/hooks/${index}`, message: fault }];
  });
  return [...tooMany, ...faults];
}

function hookFault({ kind, name }: BackupHook): string | null {
  if (!HOOK_KINDS.includes(kind)) {
    return 'Use unit:NAME.service, container:NAME or compose:PROJECT.';
  }
  if (!NAMES[kind].test(name)) {
    return kind === 'unit'
      ? 'Only systemd services can be stopped, such as unit:nginx.service.'
      : `This is not the name of a ${kind === 'compose' ? 'Compose project' : kind}.`;
  }
  const isKept = kind === 'unit' ? KEPT_UNITS.some((kept) => matches(name, kept)) : name === KEPT_PROJECT;
  return isKept
    ? `${name} is never stopped: the backup, or its connection to the server, may need it.`
    : null;
}

const matches = (name: string, kept: string): boolean =>
  kept.endsWith('*') ? name.startsWith(kept.slice(0, -1)) : name === kept;

import { MASK, type SecretMask } from '../../domain/base/secret-mask.ts';
import type { ComposeDefinition, ComposeProject } from '../../domain/compose/compose.ts';
import { isComposeFile } from '../../domain/compose/template.ts';
import { unifiedDiff } from '../../domain/compose/unified-diff.ts';
import type { PlanKind } from '../jobs/job-plans.ts';
import type { RenderedFile } from './template-renderer.ts';

/** A file to write: `before` and `after` distinguish two contents, and reveal nothing about them. */
export interface FileChange {
  readonly kind: 'file';
  readonly path: string;
  readonly action: 'create' | 'change';
  /** Only its owner reads it. */
  readonly private: boolean;
  readonly before: string | null;
  readonly after: string;
  /** The diff, with masked secrets; empty if only secrets change. */
  readonly diff: string;
}

/** Compose's action for a service. `update`: recreated if its part of a file has changed. */
export interface ServiceChange {
  readonly kind: 'service';
  readonly service: string;
  readonly action: 'create' | 'update' | 'start' | 'remove';
  readonly image: string | null;
}

export type TemplateChange = FileChange | ServiceChange;

/** A longer diff is truncated, so that the result can be stored. */
const MAX_DIFF_CHARACTERS = 300_000;

export const TEMPLATE_PLAN: PlanKind<TemplateChange> = {
  line: (change) =>
    change.kind === 'file'
      ? `file ${change.path} ${change.private} ${change.before} ${change.after}`
      : `service ${change.service} ${change.action} ${change.image}`,
  describe: (change) =>
    `${change.kind} ${change.kind === 'file' ? change.path : change.service}: ${change.action}`,
  isChange: (value): value is TemplateChange => {
    if (typeof value !== 'object' || value === null) return false;
    const { kind, path, after, service, action } = value as Readonly<Record<string, unknown>>;
    if (typeof action !== 'string') return false;
    return kind === 'file'
      ? typeof path === 'string' && typeof after === 'string'
      : kind === 'service' && typeof service === 'string';
  },
};

/** `fingerprint` distinguishes contents without revealing them: short secrets could be guessed from a plain hash. */
export function fileChanges(
  rendered: readonly RenderedFile[],
  found: ReadonlyMap<string, string>,
  mask: SecretMask,
  fingerprint: (content: string) => string,
): readonly FileChange[] {
  let left = MAX_DIFF_CHARACTERS;
  return rendered.flatMap(({ path, content, shown, secret }) => {
    const before = found.get(path);
    if (before === content) return [];
    const diff = unifiedDiff(before === undefined ? '' : shownFormer(before, shown, mask), shown);
    const kept = diff.length <= left ? diff : '(too long to be shown)\n';
    left -= kept.length;
    return [
      {
        kind: 'file' as const,
        path,
        action: before === undefined ? ('create' as const) : ('change' as const),
        private: secret,
        before: before === undefined ? null : fingerprint(before),
        after: fingerprint(content),
        diff: kept,
      },
    ];
  });
}

export function serviceChanges(
  definition: ComposeDefinition,
  project: ComposeProject | null,
  files: readonly FileChange[],
): readonly ServiceChange[] {
  const composeChanges = files.some(({ path }) => isComposeFile(path));
  const running = new Map((project?.services ?? []).map((each) => [each.name, each]));
  const defined = definition.services.flatMap(({ name, image }): readonly ServiceChange[] => {
    const there = running.get(name);
    const change = (action: ServiceChange['action']): readonly ServiceChange[] => [
      { kind: 'service', service: name, action, image },
    ];
    if (there === undefined) return change('create');
    if (composeChanges || there.image !== image) return change('update');
    return there.running < there.containers ? change('start') : [];
  });
  const gone = [...running.values()].filter(
    ({ name }) => !definition.services.some((each) => each.name === name),
  );
  return [
    ...defined,
    ...gone.map(({ name, image }) => ({ kind: 'service', service: name, action: 'remove', image }) as const),
  ];
}

export function describeTemplateChange(change: TemplateChange): string {
  if (change.kind === 'service') {
    return `service ${change.service}: ${change.action}${change.image === null ? '' : ` (${change.image})`}`;
  }
  const { path, action, diff } = change;
  return `file ${path}: ${action}\n${diff === '' ? '(only secret values change)' : diff.replace(/\n$/, '')}`;
}

/** A likely secret, whatever its author: `DB_PASSWORD: x`, `token = x`. */
const LIKELY_SECRET =
  /^(\s*(?:-\s+)?["']?[\w.-]*(?:passw(?:or)?d|passphrase|secret|token|api_?key|private_?key|credential)[\w.-]*["']?\s*[:=]\s*)\S.*$/i;

/**
 * A host's content, safe to show: known secrets are masked, and so is text that follows the words before a secret in
 * the new text, and whatever looks like one in a line that the new text does not have. A diff must never reveal a
 * file's passwords, whatever the file's origin.
 */
function shownFormer(before: string, shownAfter: string, mask: SecretMask): string {
  const after = new Set(shownAfter.split('\n'));
  const heads = [...after]
    .filter((line) => line.includes(MASK))
    .map((line) => line.slice(0, line.indexOf(MASK)).trim())
    .filter((head) => head !== '');
  return mask
    .mask(before)
    .split('\n')
    .map((line) => {
      if (after.has(line)) return line;
      const head = heads.find((each) => line.trim().startsWith(each));
      if (head !== undefined) return `${line.slice(0, line.indexOf(head) + head.length)}${MASK}`;
      return line.replace(LIKELY_SECRET, `$1${MASK}`);
    })
    .join('\n');
}

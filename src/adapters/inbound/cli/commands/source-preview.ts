import { PreviewExclusions } from '../../../../application/backups/preview-exclusions.ts';
import type { ExclusionPreview } from '../../../../domain/backups/exclusion-preview.ts';
import { formatBytes } from '../../../../domain/base/format-bytes.ts';
import { count } from '../../../../domain/base/spans.ts';
import { sourcePreviewView } from '../../api/views/source-view.ts';
import { findServer } from '../find-server.ts';
import { onlySource } from '../only-source.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';

interface PreviewOptions {
  readonly path?: readonly string[];
  readonly exclude?: readonly string[];
}

export async function previewSource(
  session: Session,
  reference: string,
  name: string | undefined,
  { path, exclude }: PreviewOptions,
): Promise<Reply> {
  const server = await findServer(session, reference);
  const chosen = path === undefined ? await onlySource(session, server, name) : name;
  const asked = { name: chosen, paths: path, excludes: exclude };
  const found = await session.useCases
    .get(PreviewExclusions)
    .execute(session.actor, server.id, asked, session.signal);
  return { json: sourcePreviewView(server.id, found), text: previewText(found.preview) };
}

function previewText(preview: ExclusionPreview): string {
  const { kept, leftOut, patterns, largest, unreadable, isComplete } = preview;
  const parts = [
    `Kept:     ${count(kept.files, 'file')}, ${formatBytes(kept.bytes)}\nExcluded: ${count(leftOut.files, 'file')}, ${formatBytes(leftOut.bytes)}\n`,
  ];
  if (patterns.length > 0) {
    const rows = patterns.map(({ pattern, matches, files, bytes }) => [
      pattern,
      ...(matches === 0 ? ['matches nothing', ''] : [String(files), formatBytes(bytes)]),
    ]);
    parts.push(table(['PATTERN', 'FILES', 'SIZE'], rows));
  }
  if (largest.length > 0) {
    const rows = largest.map(({ path, isDirectory, files, bytes }) => [
      `${path.text}${isDirectory ? '/' : ''}`,
      String(files),
      formatBytes(bytes),
    ]);
    parts.push(table(['LARGEST EXCLUDED', 'FILES', 'SIZE'], rows));
  }
  if (unreadable > 0) parts.push(`${count(unreadable, 'path')} could not be read.\n`);
  if (!isComplete) parts.push('The source is too large to count in full: there is more than this.\n');
  return parts.join('\n');
}

import type { Change, ChangePreview } from '../../domain/jobs/requested-change.ts';
import type { SecretBox, SecretPlace } from '../ports/base/secret-box.ts';
import type { ApprovalStore } from '../ports/jobs/approval-store.ts';

/** A requested change with all that it needs, and what its reviewer sees. Encrypted at rest: files can hold secrets. */
export interface ChangeContents {
  readonly change: Change;
  readonly preview: ChangePreview;
}

export const changePlace = (row: number): SecretPlace => ({ table: 'approvals', column: 'change', row });

/** Null for everything but a change that waits. Throws `secret_unreadable`. */
export async function changeContents(
  { approvals, box }: { readonly approvals: ApprovalStore; readonly box: SecretBox },
  id: number,
): Promise<ChangeContents | null> {
  const sealed = await approvals.sealedOf(id);
  return sealed === null ? null : (JSON.parse(box.open(sealed, changePlace(id))) as ChangeContents);
}

import { type Batch, type BatchMember, type MemberStatus } from '../../../../../domain/automation/batch.ts';
import { ringName } from '../../../../../domain/automation/update-order.ts';
import type { Page } from '../../../../../domain/base/page.ts';
import { DataTable } from '../../components/data-table.tsx';
import { MemberState, memberText, memberTone } from './batch-rows.tsx';

/** Members about which there is nothing to read. */
export const PLAIN: readonly MemberStatus[] = ['success', 'waiting', 'active'];

/** Every server in the order of its turn. */
export const Cells = ({ members, batch }: { readonly members: Page<BatchMember>; readonly batch: Batch }) => (
  <ul class="body cells turns">
    {members.items.map((member, index) => {
      const { serverId, serverName, status, jobId } = member;
      const isCanary = members.offset + index < batch.bounds.canary;
      const ring = ringOf(member, batch);
      const words = `${memberText(status)}${isCanary ? ', canary' : ''}${ring === null ? '' : `, ${ring}`}`;
      return (
        <li key={serverId}>
          <a
            class={`cell ${memberTone(status)}${isCanary ? ' canary' : ''}`}
            href={jobId === null ? `/servers/${serverId}` : `/jobs/${jobId}`}
            title={`${serverName}: ${words}`}
          >
            {serverName}
            <span class="hidden">: {words}</span>
          </a>
        </li>
      );
    })}
  </ul>
);

/** `null`: the policy of the server has no rings. */
function ringOf(member: BatchMember, { orders }: Batch): string | null {
  const order = orders.find(({ policyId }) => policyId === member.place?.policyId);
  if (order === undefined || member.place === null || order.rings.length === 0) return null;
  return ringName(order, member.place.ring);
}

export const Members = ({
  members,
  plans,
  isWhole,
  batch,
}: {
  readonly batch: Batch;
  /** What each dry run found, by its job. */
  readonly plans: ReadonlyMap<number, string>;
  readonly members: readonly BatchMember[];
  /** Those that went well are not among them, unless they have a plan. */
  readonly isWhole: boolean;
}) =>
  isWhole && members.length === 0 ? null : (
    <DataTable
      rows={members}
      keyOf={({ serverId }) => serverId}
      empty="None."
      columns={[
        { head: 'Server', cell: (member) => <a href={`/servers/${member.serverId}`}>{member.serverName}</a> },
        { head: 'State', kind: 'state', cell: ({ status }) => <MemberState status={status} /> },
        ...(batch.orders.some(({ rings }) => rings.length > 0)
          ? [{ head: 'Ring', cell: (member: BatchMember) => ringOf(member, batch) ?? '–' }]
          : []),
        {
          head: 'Job',
          cell: ({ jobId }) => (jobId === null ? '–' : <a href={`/jobs/${jobId}`}>job {jobId}</a>),
        },
        {
          head: plans.size === 0 ? 'Reason' : 'Result',
          kind: 'text',
          cell: ({ detail, jobId }) => detail ?? plans.get(jobId ?? 0),
        },
      ]}
    />
  );

import { Icon } from '../../components/icon.tsx';
import { WholeNames } from '../../components/whole-names.tsx';

/** A requester's own words, marked as such: an agent may have written them, and nothing vouches for them. */
export function ReasonGiven({ reason, by }: { readonly reason: string | null; readonly by: string }) {
  if (reason === null) return null;
  return (
    <div class="banner care">
      <Icon name="message-square" />
      <div>
        <strong>
          <WholeNames text={`Reason given by ${by}`} />
        </strong>
        <blockquote class="reason">{reason}</blockquote>
      </div>
    </div>
  );
}

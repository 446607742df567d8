import { count } from '../../../../domain/base/spans.ts';
import type { Tone } from './status.tsx';

interface Share {
  readonly tone: Tone;
  readonly label: string;
  readonly amount: number;
}

const WIDTH = 100;

/** What a whole consists of, side by side: such as servers by their state. */
export function ShareBar({ shares, of }: { readonly shares: readonly Share[]; readonly of: string }) {
  const some = shares.filter(({ amount }) => amount > 0);
  const total = some.reduce((sum, { amount }) => sum + amount, 0);
  const label = `${count(total, of)}: ${some.map(({ label: word, amount }) => `${amount} ${word}`).join(', ')}`;
  let from = 0;
  return (
    <svg class="shares" viewBox={`0 0 ${WIDTH} 6`} preserveAspectRatio="none" role="img" aria-label={label}>
      {some.map(({ tone, label: word, amount }) => {
        const width = (amount / total) * WIDTH;
        const at = from;
        from += width;
        return (
          <rect key={word} class={tone} x={at} y={0} width={width} height={6}>
            <title>{`${amount} ${word}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}

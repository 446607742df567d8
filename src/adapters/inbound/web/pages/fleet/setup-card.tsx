import type { ComponentChildren } from 'preact';
import { Icon } from '../../components/icon.tsx';

const CARDS = { address: 'Address', key: 'Key', protect: 'What to protect' } as const;
type CardName = keyof typeof CARDS;
const NAMES = Object.keys(CARDS) as readonly CardName[];

interface SetupCardsProps {
  /** The card that is open; `null`: all is done. */
  readonly at: CardName | null;
  /** What is known from the cards before it. */
  readonly summaries?: Partial<Readonly<Record<CardName, ComponentChildren>>>;
  /** The content of the open card. */
  readonly children?: ComponentChildren;
}

/** The cards of adding a server: those before the open one are done, those after it follow. */
export function SetupCards({ at, summaries = {}, children }: SetupCardsProps) {
  const current = at === null ? NAMES.length : NAMES.indexOf(at);
  return (
    <>
      {NAMES.map((name, index) => (
        <section key={name} class={`card setup${index > current ? ' later' : ''}`}>
          <header aria-current={name === at ? 'step' : undefined}>
            <span class={index < current ? 'step done' : 'step'} aria-hidden="true">
              {index < current ? <Icon name="check" /> : index + 1}
            </span>
            <h2>
              {CARDS[name]}
              {index < current ? <span class="hidden"> (done)</span> : null}
            </h2>
            {index < current ? <div class="quiet summary">{summaries[name]}</div> : null}
          </header>
          {name === at ? <div class="body">{children}</div> : null}
        </section>
      ))}
    </>
  );
}

/** A form whose answer takes the place of the cards, without loading the document again. */
export const inPlace = (action: string) => ({
  method: 'post' as const,
  action,
  'hx-post': action,
  'hx-select': '#setup',
  'hx-target': '#setup',
  'hx-swap': 'outerHTML',
  // A double click sends it once.
  'hx-sync': 'drop',
});

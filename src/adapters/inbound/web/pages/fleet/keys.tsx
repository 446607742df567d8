interface Key {
  /** Pressed one after the other, or together if the first is Ctrl or Shift. */
  readonly press: readonly string[];
  readonly does: string;
  /** Where `g` and the last key lead. */
  readonly href?: string;
}

interface KeyGroup {
  readonly label: string;
  readonly keys: readonly Key[];
}

const go = (key: string, does: string, href: string): Key => ({ press: ['g', key], does, href });

/** In the search, which shows them as well. */
export const SEARCH_KEYS: readonly Key[] = [
  { press: ['↑', '↓'], does: 'Select a result' },
  { press: ['Enter'], does: 'Open' },
  { press: ['Ctrl', 'Enter'], does: 'Open in a new tab' },
];

/** Every key that the scripts handle. Those of one approval or job press the element with this `data-key`. */
const GROUPS: readonly KeyGroup[] = [
  {
    label: 'Everywhere',
    keys: [
      { press: ['Ctrl', 'K'], does: 'Search, or say what to do' },
      { press: ['/'], does: 'Search this list, or everything' },
      { press: ['?'], does: 'Show these keys' },
      { press: ['Esc'], does: 'Close a dialog or menu' },
    ],
  },
  {
    label: 'Go to',
    keys: [
      go('o', 'Overview', '/'),
      go('s', 'Servers', '/servers'),
      go('a', 'Approvals', '/approvals'),
      go('n', 'Alerts', '/notifications'),
      go('j', 'Jobs', '/jobs'),
      go('b', 'Backups', '/backups'),
      go('e', 'Settings', '/settings'),
    ],
  },
  { label: 'In the search', keys: SEARCH_KEYS },
  {
    label: 'Approvals, jobs',
    keys: [
      { press: ['j'], does: 'Next' },
      { press: ['k'], does: 'Previous' },
      { press: ['Shift', 'A'], does: 'Approve this plan: a note, then Enter' },
      { press: ['Shift', 'D'], does: 'Decline: a note, then Enter' },
    ],
  },
  { label: 'Strip of days', keys: [{ press: ['←', '→'], does: 'Earlier or later day' }] },
  { label: 'File editor', keys: [{ press: ['Ctrl', 'S'], does: 'Save' }] },
];

export const Pressed = ({ keys }: { readonly keys: readonly string[] }) => (
  <>
    {keys.map((key) => (
      <kbd key={key}>{key}</kbd>
    ))}
  </>
);

/** Keyboard shortcuts; `?` shows them. The scripts read from here where `g` leads. */
export const Keys = () => (
  <dialog id="keys" aria-labelledby="keys-title">
    <h2 id="keys-title">Keyboard shortcuts</h2>
    <div class="key-groups">
      {GROUPS.map(({ label, keys }) => (
        <section key={label}>
          <h3>{label}</h3>
          <dl>
            {keys.map(({ press, does, href }) => (
              <>
                <dt>
                  <Pressed keys={press} />
                </dt>
                <dd>
                  {href === undefined ? (
                    does
                  ) : (
                    <a href={href} data-go={press.at(-1)}>
                      {does}
                    </a>
                  )}
                </dd>
              </>
            ))}
          </dl>
        </section>
      ))}
    </div>
    <form method="dialog">
      <button type="submit" class="quiet">
        Close
      </button>
    </form>
  </dialog>
);

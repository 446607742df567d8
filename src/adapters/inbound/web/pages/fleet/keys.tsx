const WAYS = [
  { key: 'o', href: '/', label: 'Overview' },
  { key: 's', href: '/servers', label: 'Servers' },
  { key: 'j', href: '/jobs', label: 'Jobs' },
  { key: 'e', href: '/settings', label: 'Settings' },
] as const;

/** Of the approval pages; each presses the element with this `data-key`. */
const ON_APPROVALS = [
  ['j', 'Next request'],
  ['k', 'Previous request'],
  ['A', 'Approve this plan (with Shift)'],
  ['D', 'Decline (with Shift)'],
] as const;

/** Keyboard shortcuts; `?` shows them. They use the same links as the keys. */
export const Keys = () => (
  <dialog id="keys" aria-labelledby="keys-title">
    <h2 id="keys-title">Keys</h2>
    <dl>
      <dt>
        <kbd>/</kbd>
      </dt>
      <dd>Search</dd>
      {WAYS.map(({ key, href, label }) => (
        <>
          <dt>
            <kbd>g</kbd> <kbd>{key}</kbd>
          </dt>
          <dd>
            <a href={href} data-go={key}>
              {label}
            </a>
          </dd>
        </>
      ))}
      {ON_APPROVALS.map(([key, label]) => (
        <>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{label}</dd>
        </>
      ))}
      <dt>
        <kbd>?</kbd>
      </dt>
      <dd>These keys</dd>
    </dl>
    <form method="dialog">
      <button type="submit" class="quiet">
        Close
      </button>
    </form>
  </dialog>
);

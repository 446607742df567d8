import { page, type WebReply } from '../../route.ts';

/** New recovery codes, in the response itself: they are shown this once. */
export const codesPage = (codes: readonly string[]): WebReply =>
  page(
    'account',
    'Recovery codes',
    <>
      <p>
        Each code signs you in once if you do not have your device. Keep them in a different place: they are
        shown only once.
      </p>
      <div class="copyable">
        <pre id="codes">{codes.join('\n')}</pre>
        <button type="button" data-copy="codes" hidden>
          Copy
        </button>
      </div>
      <p>
        <a class="button" href="/account">
          I have saved them
        </a>
      </p>
    </>,
  );

import type { DomainError } from '../../../../../domain/base/errors.ts';
import { statusOf, titleOf } from '../../../api/error-table.ts';
import { problemType } from '../../../api/problem.ts';
import { LocalTimes } from '../../components/time.tsx';
import { type PageReply, page } from '../../route.ts';

/** A refusal as a page: the error, and a link back. */
export const errorPage = (error: DomainError, requestId: string): PageReply =>
  page(
    'overview',
    titleOf(error.code),
    <>
      <p class="notice bad">
        <LocalTimes text={error.message} />
      </p>
      <p class="quiet">
        <a href={problemType(error.code)}>
          <code>{error.code}</code>
        </a>{' '}
        · request {requestId}
      </p>
      <p>
        <a href="/">Back to Overview</a> · <a href="/search">Search</a>
      </p>
    </>,
    statusOf(error.code),
  );

/** A demo page without a backend: a calm message, in the layout of the requested page. */
export const demoPage = (error: DomainError, from: string): PageReply =>
  page(
    'overview',
    'Not in the demo',
    <>
      <p>
        <LocalTimes text={error.message} />
      </p>
      <p>
        <a class="button" href={from}>
          Go back
        </a>
      </p>
    </>,
    statusOf(error.code),
  );

import type { DomainError, ErrorCode } from '../../../../../domain/base/errors.ts';
import { statusOf, titleOf } from '../../../api/error-table.ts';
import { problemType } from '../../../api/problem.ts';
import { Icon } from '../../components/icon.tsx';
import { LocalTimes } from '../../components/time.tsx';
import { MAIN_PLACES } from '../../navigation.ts';
import { type PageReply, page } from '../../route.ts';

/** In the words of users, who do not know those of HTTP. */
const TITLES: Readonly<Partial<Record<ErrorCode, string>>> = {
  not_found: 'Page not found',
  host_unreachable: 'Server unreachable',
};

/** A refusal as a page: the error, and where to go from here. */
export const errorPage = (error: DomainError, requestId: string): PageReply =>
  page(
    'overview',
    TITLES[error.code] ?? titleOf(error.code),
    <>
      <p class={statusOf(error.code) === 404 ? 'notice care' : 'notice bad'}>
        <LocalTimes text={error.message} />
      </p>
      <form method="get" action="/search" class="filter" role="search">
        <input type="text" name="q" aria-label="Search" placeholder="Search servers, jobs, actions" />
        <button type="submit">Search</button>
      </form>
      <nav class="choices" aria-label="Main pages">
        {MAIN_PLACES.map(({ href, icon, label }) => (
          <a key={href} class="card" href={href}>
            <Icon name={icon} />
            <strong>{label}</strong>
          </a>
        ))}
      </nav>
      <p class="quiet">
        Error{' '}
        <a href={problemType(error.code)}>
          <code>{error.code}</code>
        </a>{' '}
        · request {requestId}
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

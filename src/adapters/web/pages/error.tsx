import type { DomainError } from '../../../domain/errors.ts';
import { statusOf, titleOf } from '../../catalogue/problem.ts';
import { type PageReply, page } from '../route.ts';

/** A refusal as a page: what is wrong, and the way back. */
export const errorPage = (error: DomainError, requestId: string): PageReply =>
  page(
    null,
    titleOf(error.code),
    <>
      <p class="notice bad">{error.message}</p>
      <p class="quiet">
        <code>{error.code}</code> · request {requestId}
      </p>
      <p>
        <a href="/">Back to the overview</a>
      </p>
    </>,
    statusOf(error.code),
  );

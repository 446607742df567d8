import { OFFLINE_PATH } from '../../installable.ts';
import { page, type WebRoute } from '../../route.ts';

/** The service worker's page while the service is unreachable. The same for all users, since browsers cache it. */
export const offlineRoute: WebRoute = {
  method: 'GET',
  path: OFFLINE_PATH,
  needs: 'nobody',
  handle: () =>
    page(
      null,
      'Drover is unreachable',
      <>
        <p>
          This device is offline, or Drover does not respond. No earlier data is shown, because it might be
          outdated. Jobs on servers continue.
        </p>
        <p class="actions">
          {/* Asks again for the page that did not come. */}
          <a class="button" href="">
            Try again
          </a>
        </p>
      </>,
    ),
};

import { OFFLINE_PATH } from '../../installable.ts';
import { page, type WebRoute } from '../../route.ts';

/** What the service worker shows where the service does not answer. The same for everybody, since browsers keep it. */
export const offlineRoute: WebRoute = {
  method: 'GET',
  path: OFFLINE_PATH,
  needs: 'nobody',
  handle: () =>
    page(
      null,
      'The service cannot be reached',
      <>
        <p>
          Either this device is offline, or Drover does not answer. Nothing is shown from before, so that
          nothing old is taken for what is so now. Work on the servers goes on by itself.
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

// Lets users enable notifications in this browser, which requires the service worker.

function register() {
  if (!('serviceWorker' in navigator)) return Promise.resolve(null);
  return navigator.serviceWorker.register('/service-worker.js').catch(() => null);
}

/** Why this browser does not support notifications; `null`: it does. */
function pushFault(registration) {
  if (!window.isSecureContext)
    return 'Browsers allow notifications only over HTTPS: open Drover at its https:// address to enable them.';
  if (registration === null)
    return 'This browser blocked the service worker that shows notifications. Usual reasons: a certificate that it does not trust, or a private window.';
  if (!('pushManager' in registration))
    return 'This browser does not support notifications. On an iPhone or iPad, add Drover to the home screen and open it from there.';
  if (Notification.permission === 'denied')
    return 'This browser blocks notifications from this site: allow them in its site settings.';
  return null;
}

async function offerPush(registration) {
  const form = document.querySelector('[data-push-form]');
  if (!form) return;
  const state = document.querySelector('[data-push-state]');
  const fault = pushFault(registration);
  if (fault !== null) {
    state.textContent = fault;
    return;
  }
  const subscription = await registration.pushManager.getSubscription();
  const row = subscription && (await rowOf(subscription.endpoint));
  state.textContent = row
    ? 'Notifications are on for this browser. Change them below.'
    : 'Notifications are off for this browser.';
  if (row) {
    row.querySelector('strong').hidden = false;
    row.querySelector('[data-push-remove]').addEventListener('submit', (event) => {
      event.preventDefault();
      void subscription.unsubscribe().finally(() => event.target.submit());
    });
  }
  form.querySelector('button').disabled = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    state.textContent = 'Waiting for the browser …';
    subscribe(registration, form.dataset.pushForm).then(
      (made) => {
        const { endpoint, keys } = made.toJSON();
        form.elements.endpoint.value = endpoint;
        form.elements.p256dh.value = keys.p256dh;
        form.elements.auth.value = keys.auth;
        form.submit();
      },
      (error) => {
        state.textContent = pushFault(registration) ?? `The browser refused: ${error.message}`;
      },
    );
  });
}

/** The row of the table that is about this browser: rows carry no address, but its SHA-256. */
async function rowOf(endpoint) {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint));
  const hex = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return document.querySelector(`[data-push-browser="${hex}"]`);
}

async function subscribe(registration, key) {
  const options = { userVisibleOnly: true, applicationServerKey: key };
  const before = await registration.pushManager.getSubscription();
  try {
    return await registration.pushManager.subscribe(options);
  } catch (error) {
    // One that was made with the key of another service at this address.
    if (!before || error.name !== 'InvalidStateError') throw error;
    await before.unsubscribe();
    return registration.pushManager.subscribe(options);
  }
}

void register().then(offerPush);

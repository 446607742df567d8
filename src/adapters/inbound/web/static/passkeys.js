// Registers and uses passkeys: asks Drover for a challenge, the browser for the answer, and sends that with the form.

/** Binary fields travel in base64url. */
const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
const textOf = (buffer) =>
  btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const withBytes = (list) => list.map((each) => ({ ...each, id: bytesOf(each.id) }));

async function challengeFrom(path) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { Accept: 'application/json' },
    body: new URLSearchParams(),
  });
  const reply = await response.json();
  if (!response.ok) throw new Error(reply.detail);
  return reply;
}

function credentialFor({ create, get }) {
  if (create) {
    const user = { ...create.user, id: bytesOf(create.user.id) };
    const excludeCredentials = withBytes(create.excludeCredentials);
    const challenge = bytesOf(create.challenge);
    return navigator.credentials.create({ publicKey: { ...create, challenge, user, excludeCredentials } });
  }
  const allowCredentials = withBytes(get.allowCredentials);
  return navigator.credentials.get({
    publicKey: { ...get, challenge: bytesOf(get.challenge), allowCredentials },
  });
}

const BINARY = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];

function answerOf({ id, rawId, type, response }) {
  const given = BINARY.filter((field) => response[field]);
  const fields = Object.fromEntries(given.map((field) => [field, textOf(response[field])]));
  const transports = response.getTransports?.();
  return JSON.stringify({
    id,
    rawId: textOf(rawId),
    type,
    response: { ...fields, ...(transports ? { transports } : {}) },
  });
}

const FAULTS = {
  NotAllowedError: 'The browser did not get an answer: it was cancelled, or took too long. Try again.',
  InvalidStateError: 'This device has a passkey for your account already.',
  SecurityError: 'Passkeys do not work at this address. Open Drover at its public address.',
};

async function askDevice(form) {
  const state = form.querySelector('[data-passkey-state]');
  const button = form.querySelector('button');
  button.disabled = true;
  state.textContent = 'Waiting for your device …';
  try {
    const credential = await credentialFor(await challengeFrom(form.dataset.passkey));
    form.elements.answer.value = answerOf(credential);
    form.submit();
  } catch (error) {
    state.textContent = FAULTS[error.name] ?? error.message;
    button.disabled = false;
  }
}

for (const part of document.querySelectorAll('[data-passkey-part]')) {
  if (!window.PublicKeyCredential) continue;
  part.hidden = false;
  const form = part.querySelector('form');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void askDevice(form);
  });
}
for (const notice of document.querySelectorAll('[data-passkey-missing]'))
  notice.hidden = Boolean(window.PublicKeyCredential);

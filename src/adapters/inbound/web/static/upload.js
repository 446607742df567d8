/** An upload that shows how far it is; the page that comes back takes the place of this one. */
function showUploads() {
  for (const form of document.querySelectorAll('form[data-send]')) {
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      send(form);
    });
  }
}

function send(form) {
  const bar = form.querySelector('progress');
  const status = form.querySelector('[role="status"]');
  const button = form.querySelector('button');
  const body = new FormData(form);
  const request = new XMLHttpRequest();
  const over = (text) => {
    status.textContent = text;
    bar.hidden = true;
    button.disabled = false;
  };
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    bar.value = loaded / total;
    status.textContent = loaded === total ? 'Saving …' : `${Math.floor((100 * loaded) / total)} %`;
  });
  request.addEventListener('load', () => {
    const answer = new DOMParser().parseFromString(request.responseText, 'text/html');
    const main = answer.querySelector('main');
    if (request.status === 200) location.assign(request.responseURL);
    else if (main) {
      document.querySelector('main').replaceWith(document.adoptNode(main));
      showUploads();
    } else over('The upload failed. Try again.');
  });
  request.addEventListener('error', () => over('The connection was lost. Try again.'));
  bar.hidden = false;
  button.disabled = true;
  status.textContent = '0 %';
  request.open('POST', form.action);
  request.send(body);
}

showUploads();

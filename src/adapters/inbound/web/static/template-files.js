// Files of a template are read here and shown in the form before anything is kept.
const offer = document.querySelector('[data-upload]');

/** A folder's own name is no part of the paths in it. */
const pathOf = (file) => file.webkitRelativePath.split('/').slice(1).join('/') || file.name;

async function show(chooser) {
  const read = await Promise.all([...chooser.files].map(async (file) => [pathOf(file), await file.text()]));
  offer.querySelector('input[name="upload"]').value = JSON.stringify(Object.fromEntries(read));
  const { form } = chooser;
  form.noValidate = true;
  form.requestSubmit();
}

if (offer) {
  offer.hidden = false;
  const chooser = offer.querySelector('input[type="file"]');
  chooser.addEventListener('change', () => void show(chooser));
}

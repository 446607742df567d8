// Caches the files that never change and the offline page: nothing else, and no page with data in it. The service
// writes `KEPT` above this: the version, and the paths.

const CACHE = `drover-${KEPT.version}`;

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll([...KEPT.files, KEPT.offline]))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (KEPT.files.includes(pathname)) {
    event.respondWith(caches.match(request).then((kept) => kept ?? fetch(request)));
  } else if (request.mode === 'navigate') {
    event.respondWith(fetch(request).catch(() => caches.match(KEPT.offline)));
  }
});

self.addEventListener('push', (event) => {
  const { id, title, message, link } = event.data?.json() ?? {};
  const shown = {
    body: message,
    // The same event sent again takes the place of the first.
    tag: id,
    icon: KEPT.icon,
    badge: KEPT.icon,
    data: { to: pathOf(link) },
  };
  event.waitUntil(self.registration.showNotification(title ?? 'Drover', shown));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openPage(pathOf(event.notification.data?.to)));
});

/** A link as an address of this service, wherever it says to lead. */
function pathOf(link) {
  const home = `${self.location.origin}/`;
  if (typeof link !== 'string' || !URL.canParse(link, home)) return home;
  const { pathname, search, hash } = new URL(link, home);
  // A path with two leading slashes would lead to another host.
  return `${home}${`${pathname}${search}${hash}`.replace(/^\/+/, '')}`;
}

async function openPage(address) {
  const open = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const there = open.find(({ url }) => url === address);
  await (there ? there.focus() : self.clients.openWindow(address));
}

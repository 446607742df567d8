// Lets the page be installed: hands the browser the service worker. Browsers have none over plain HTTP, nor in private windows.
if ('serviceWorker' in navigator) {
  navigator.serviceWorker.register('/service-worker.js').catch(() => {
    // Such as a certificate that the browser was told to overlook: the pages work as before.
  });
}

/** How an administrator imports security data. */
export const ImportHelp = () => (
  <div class="row">
    <code>drover cve import FILE</code>
    <a class="button quiet small" href="/docs/how-to/vulnerabilities#import-security-data">
      Where to get the data
    </a>
  </div>
);

/** What the MCP endpoint, the metrics and the webhooks promise to other programs, and the test that proves it. */
export interface Promised {
  readonly what: string;
  /** Below `test`, without `.test.ts`. */
  readonly file: string;
  /** As it is written in the file. */
  readonly title: string;
}

const MCP = 'adapters/inbound/mcp';
const HTTP = 'adapters/inbound/http';
const WEB = 'adapters/inbound/web';
const METRICS = 'adapters/inbound/metrics/metrics';
const DELIVERIES = 'adapters/outbound/notifications/deliveries';

const by =
  (file: string) =>
  (what: string, title: string): Promised => ({ what, file, title });

const transport = by(`${MCP}/transport`);
const results = by(`${MCP}/results`);
const scopeTable = by(`${MCP}/scope-table`);
const callers = by(`${HTTP}/callers`);
const here = by(`${HTTP}/machine-interface`);
const pages = by(`${WEB}/pages`);
const alerts = by(`${WEB}/alerts`);
const snippets = by('application/access/client-snippets');
const metrics = by(METRICS);
const config = by('adapters/bootstrap/config');
const stdio = by('adapters/inbound/stdio/process.e2e');
const client = by(`${MCP}/client`);
const deliveries = by(DELIVERIES);
const environment = by('adapters/bootstrap/environment-webhook');

export const PROMISES: Readonly<Record<string, readonly Promised[]>> = {
  'the service': [
    by(`${HTTP}/https`)(
      'MCP, metrics, REST and the web UI share one address and port',
      'every interface answers as over HTTP, and tells clients to use HTTPS from now on',
    ),
    here('read tools never contact a server', 'is what the eight tools for reading answer from'),
    here('metrics never contact a server', 'is what the metrics are computed from'),
    metrics('metrics are read when they are scraped', 'reads again each time'),
    deliveries(
      'webhooks send events to a receiver',
      'arrive signed, once, in the order in which they were written, over one connection',
    ),
    by('adapters/inbound/stdio/same-list')(
      'the stdio adapter lists the same tools',
      'the lists of tools are the same, byte for byte: %s',
    ),
    by('adapters/inbound/stdio/same-results')(
      'the stdio adapter gives the same results',
      'says what it says over HTTP, byte for byte: %s',
    ),
    by('adapters/bootstrap/adapter-config')(
      'SERVICE_URL and SERVICE_TOKEN configure the stdio adapter',
      'is an address and a token',
    ),
    stdio(
      'the stdio adapter ends with 1 without the scope read',
      'ends with 1 where the token lacks read, and says so',
    ),
    stdio(
      'it does so with its input closed',
      'ends with 1 if the token lacks read and its input is closed already',
    ),
    callers('the demo has no tokens and no /mcp', 'is refused on a demo instance'),
    scopeTable('there are sixteen tools and no others', 'has every tool'),
    by(`${MCP}/questions`)(
      'what agents cannot do is named with its command',
      'comes with the command for the user',
    ),
  ],
  tokens: [
    by('domain/access/token-secret')(
      'secrets have a fixed prefix',
      'has its prefix, 30 random characters and a checksum that fits',
    ),
    by('application/access/tokens')('only a digest is stored', 'is stored without its secret'),
    pages(
      'a secret is shown once, with the client configuration',
      'is shown once, with what clients need, by a redirect that Drover does not log',
    ),
    pages('rotating shows the new secret', 'is rotated and revoked'),
    here(
      'the web UI takes the secret out of the address bar',
      'The secret of a new token leaves the address bar once the web UI shows it',
    ),
    pages(
      'the preset for agents starts with the name mcp- and only the scope read',
      'of the MCP preset has a pre-filled name and only read selected',
    ),
    by('domain/access/api-token')(
      'an address list is optional',
      'without addresses may be used from anywhere, with addresses from these alone',
    ),
    by('application/access/tokens')(
      'an address list is enforced',
      'is refused from an address that is not among its own',
    ),
    callers('expiry is the same for MCP and REST', 'is refused once the token has expired or was revoked'),
    by('domain/access/api-token')(
      'feature scopes narrow a token and grant nothing alone',
      'need more than a feature scope',
    ),
    callers('a token is sent in a header, never in the address', 'are refused: ?%s'),
    snippets(
      'no client gets the secret in an address',
      '%s never gets the secret in an address or on a command line',
    ),
  ],
  'jobs, features and files': [
    here(
      'REST starts more types of jobs than agents can',
      'beyond the six of agents are known to REST alone: %s',
    ),
    results('features and flags of a server apply to tools', 'of %s with %j say %i %s'),
    client('backup, os_patch and docker can be switched', 'switches features'),
    here(
      'write_file and mkdir require p, and an empty p is the file root',
      'is required by %s, and empty for the file root',
    ),
    by('domain/files/jail-path')(
      'no path leaves the file root',
      'generated text is refused, or is names that can do no harm',
    ),
    by('application/files/jail-file-ops')(
      'read_file returns up to 256 KiB',
      'gives 256 KiB at once, and the size of all',
    ),
    client(
      'a second start of a job gets 409 and the active job',
      'starts a job, meets the one that is there, and follows it',
    ),
    results('a directory with entries is not deleted', 'of %s with %j say %i %s'),
    client(
      'the 409 is no error, and names the job to follow',
      'starts a job, meets the one that is there, and follows it',
    ),
    by(`${MCP}/questions`)(
      'one call answers what users ask, in both revisions',
      'which servers need something, and how many in all',
    ),
    by(`${MCP}/tokens`)(
      'results have a bound, in both revisions',
      'is bounded for every default result of a fleet of 1,000 servers',
    ),
    by(`${MCP}/injections`)(
      'text from servers is marked, bounded and visible, in both revisions',
      'is visible, marked as text of the host, and changes nothing%s',
    ),
    by(`${MCP}/approval-modes`)(
      'a token’s approval mode holds for every client and revision',
      'by a token of mode %s whose client %s: %s',
    ),
    by(`${HTTP}/api`)('REST refuses it as well', 'are started, refused while active, followed and cancelled'),
  ],
  'POST /mcp': [
    transport(
      'one request has one JSON reply, without a session',
      'of sessions and streams are ignored, and none is given out',
    ),
    transport('GET gets 405', '%s is not allowed, with a token or without'),
    transport('the address may end in a slash', 'may end in a slash'),
    transport('initialize agrees on a protocol version', 'agrees on %s'),
    scopeTable('only tools of the scopes are listed', 'gets its list of tools, like any other'),
    scopeTable(
      'each scope has its tools',
      'may call these, as far as its features reach, and knows no others',
    ),
    client('other tools do not exist', 'does not find tools outside its scopes'),
    by('adapters/inbound/api/catalogue')(
      'tools say if they only read or change something',
      'hints at what changes something',
    ),
    transport(
      'without the scope read, initialize fails and nothing is listed',
      'without the scope to read get an error for %s, and no dialogue',
    ),
    transport('a 401 has WWW-Authenticate: Bearer and nothing else', 'are wanted in exactly this form'),
    by(`${HTTP}/api-refusals`)('there is no OAuth discovery document', 'a login that we do not have: %s %s'),
    transport('no Origin, the own origin and those of editors are accepted', '%s comes in'),
    transport(
      'null and other origins are refused, whatever the token',
      '"%s" does not, before the token is checked',
    ),
    transport(
      'without a public address only the request’s host counts',
      'must be those of the request if there is no public address',
    ),
    by(`${MCP}/conformance.e2e`)(
      'the protocol is followed in full',
      'has all its requirements of %s fulfilled',
    ),
  ],
  'client configuration': [
    snippets('JSON has type, address and header below mcpServers', '%s has the entry under mcpServers'),
    snippets('TOML names the variable of the secret', '%s names the variable that holds the secret'),
    snippets(
      'stdio has a command and its environment',
      'stdio starts the adapter with address and secret in its environment',
    ),
    snippets(
      'the address has its port, and nothing is wrong with it',
      '%s: nothing is wrong where the address is known',
    ),
    snippets(
      'without SERVICE_PUBLIC_URL the block starts with a warning',
      '%s: without an address the block starts with a warning',
    ),
    by(`${WEB}/tokens`)(
      'the banner says that the host is a placeholder',
      'says that the host is a placeholder where the address is %s',
    ),
    config('the ports are 8888 and 8443 unless set otherwise', 'everything has its default'),
    by('deploy/files')(
      'the proxy publishes the same ports',
      'publishes the two ports by the proxy alone, and lets the service believe that proxy alone',
    ),
    callers('the client’s address is the one that the proxy saw', 'is what a trusted proxy saw'),
  ],
  'GET /metrics': [
    metrics('METRICS_TOKEN is required as a bearer token or in X-Metrics-Token', 'takes it %s'),
    metrics('anything else, a login too, is refused', 'refuses %s'),
    metrics('without METRICS_TOKEN there is no authentication', 'is open without one'),
    metrics(
      'all named series are there, zeros too',
      'writes every series with its help and type, zeros too, and each value of a label',
    ),
    metrics('a database that is down is reported', 'says so, and no number besides, where it %s'),
    by('contracts/gauge-source.contract')(
      'servers without a recent backup are counted',
      'calls as many backups stale as the summary does',
    ),
    config('METRICS_BACKUP_STALE_HOURS is 36 unless set otherwise', 'everything has its default'),
  ],
  webhooks: [
    here(
      'reads over MCP and scrapes cause no events',
      'Reads over MCP and scrapes write no event for webhooks',
    ),
    alerts(
      'the web UI sets address, secret and events, and sends a test',
      'is made with a secret that is shown once, and a test arrives, signed by it',
    ),
    alerts(
      'webhooks can be edited, switched off and removed',
      'is edited, switched off and on, given a new secret, and removed by its name',
    ),
    deliveries('only chosen events are sent', 'go where they are wanted alone'),
    environment('variables configure one too', 'is what the variables say'),
    environment(
      'they count only if the web UI sets none',
      'is encrypted in the database, follows the variables, and counts only while there is no other',
    ),
    by(`${WEB}/push`)(
      'browsers get messages without any webhook',
      'A browser gets the chosen events and a test, until it is removed',
    ),
    alerts(
      'alerts are listed without any webhook',
      'are listed, found by state, kind and severity, acknowledged and muted',
    ),
  ],
};

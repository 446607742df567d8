/**
 * Loaded into a service under test by `--import`: its connections to api.pushover.net go to a port of this machine. The
 * product has no setting for that address.
 */
import dns from 'node:dns';
import tls from 'node:tls';

const HOST = 'api.pushover.net';
const port = Number(process.env['PUSHOVER_PORT']);
/** @type {(host: string, options: dns.LookupOptions) => Promise<unknown>} */
const lookup = dns.promises.lookup;
/** @type {(options: tls.ConnectionOptions, done?: () => void) => tls.TLSSocket} */
const connect = tls.connect;

/** @type {typeof lookup} */
const lookupHere = async (host, options) =>
  host === HOST ? [{ address: '127.0.0.1', family: 4 }] : lookup(host, options);
/** @type {typeof connect} */
const connectHere = (options, done) => connect(options.host === HOST ? { ...options, port } : options, done);

Object.assign(dns.promises, { lookup: lookupHere });
Object.assign(tls, { connect: connectHere });

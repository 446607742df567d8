import { directory as path } from './config-values.ts';
import { integer, port, variable } from './read-variables.ts';

/** How the service is reached. */
export const FRONT_VARIABLES = {
  httpsPort: port({
    name: 'SERVICE_HTTPS_PORT',
    fallback: 8443,
    description:
      'The port that the service listens on for HTTPS, if `SERVICE_TLS_CERT` and `SERVICE_TLS_KEY` are set. 0 takes any free port.',
  }),
  tlsCert: variable<string | null>({
    name: 'SERVICE_TLS_CERT',
    type: 'path of a file in PEM',
    otherwise: 'no HTTPS',
    description:
      "The service's certificate, followed by its chain. With it and its key the service also answers over HTTPS (TLS 1.2 and 1.3). Both files are reloaded when they change; an invalid pair is logged, and the previous one stays in use.",
    example: '/etc/drover/tls/fullchain.pem',
    read: path,
    fallback: null,
  }),
  tlsKey: variable<string | null>({
    name: 'SERVICE_TLS_KEY',
    type: 'path of a file in PEM',
    otherwise: 'no HTTPS',
    description: 'The private key of that certificate, without a passphrase, readable by the service alone.',
    example: '/etc/drover/tls/privkey.pem',
    read: path,
    fallback: null,
  }),
  hstsDays: integer({
    name: 'SERVICE_HSTS_DAYS',
    range: [0, 730],
    fallback: 30,
    example: '0',
    description:
      'Days for which browsers use only HTTPS for this host name (`Strict-Transport-Security`, sent over HTTPS only). It applies to every port of the name: set 0 if another service under this name uses plain HTTP.',
  }),
  ratePerToken: integer({
    name: 'SERVICE_RATE_PER_TOKEN',
    range: [0, 999_999_999],
    fallback: 6_000,
    example: '60000',
    description:
      'Maximum requests per minute of each API token to one replica. They may all come at once. Further requests get 429 with `Retry-After`. 0: any number.',
  }),
  ratePerAddress: integer({
    name: 'SERVICE_RATE_PER_ADDRESS',
    range: [0, 999_999_999],
    fallback: 18_000,
    example: '180000',
    description:
      'The same for each client IP address, with or without a token; the addresses of an IPv6 network (/64) count together. `/healthz` and `/readyz` do not count. 0: any number.',
  }),
  mostConnections: integer({
    name: 'SERVICE_MAX_CONNECTIONS',
    range: [0, 1_000_000],
    fallback: 10_000,
    example: '20000',
    description: 'Maximum number of open connections per port. Further ones are closed. 0: any number.',
  }),
  mostConnectionsPerAddress: integer({
    name: 'SERVICE_MAX_CONNECTIONS_PER_ADDRESS',
    range: [0, 1_000_000],
    fallback: 500,
    example: '2000',
    description:
      'The same per IP address, so that one client cannot use all connections. It does not apply to `SERVICE_TRUSTED_PROXIES`. 0: any number.',
  }),
} as const;

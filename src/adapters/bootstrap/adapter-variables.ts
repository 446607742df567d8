import { isTokenSecret } from '../../domain/access/token-secret.ts';
import { BadValue, origin } from './config-values.ts';
import { variable } from './read-variables.ts';
import { SecretValue } from './secret-value.ts';

/** Every variable of the stdio adapter, which is a separate program. */
export const ADAPTER_VARIABLES = {
  url: variable<string>({
    name: 'SERVICE_URL',
    type: 'address with http:// or https://, no path',
    otherwise: 'required',
    required: true,
    description: 'The address of the service, with the port if it is not the default.',
    example: 'https://drover.example.org:8443',
    read: origin,
    fallback: '',
  }),
  token: variable<SecretValue>({
    name: 'SERVICE_TOKEN',
    type: 'API token',
    otherwise: 'required',
    secret: true,
    required: true,
    description:
      'The token that the adapter works with. It needs the scope `read`; its other scopes determine which tools are available.',
    example: '"$(cat token.txt)"',
    read: tokenSecret,
    fallback: new SecretValue(''),
  }),
  caFile: variable<string | null>({
    name: 'SERVICE_CA_FILE',
    type: 'path of a file in PEM',
    otherwise: 'the CAs that Node.js trusts',
    description:
      'The CA certificate that signed the certificate of the service. The adapter then trusts only this CA.',
    example: '/etc/ssl/certs/our-ca.pem',
    read: (raw) => raw,
    fallback: null,
  }),
} as const;

/** Catches typing errors before any request. No message contains the token. */
function tokenSecret(raw: string): SecretValue {
  if (isTokenSecret(raw)) return new SecretValue(raw);
  if (/\$\{|^\$|%\w+%/.test(raw)) {
    throw new BadValue(
      'the value is a placeholder, which the program that started this one did not replace; put the token itself there, or into its environment',
    );
  }
  if (/^bearer\s/i.test(raw)) throw new BadValue('the value starts with Bearer; set only the token');
  throw new BadValue(
    'the value is not a token of Drover, or not the whole of one: a token is drv_ and 36 letters and digits, and has a checksum in it',
  );
}

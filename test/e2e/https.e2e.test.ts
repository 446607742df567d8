import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OTHER_CERTIFICATE, RENEWED, SELF_SIGNED } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';
import { eventually } from '../support/processes.ts';
import { useService } from '../support/service.ts';

const WITHIN_MS = 60_000;
const CA = [SELF_SIGNED.cert, RENEWED.cert];

describe('a service with a certificate', () => {
  let directory = '';
  let port = 0;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'drover-tls-'));
    await put(SELF_SIGNED);
    port = await freePort();
  });
  afterAll(() => rm(directory, { recursive: true }));
  const put = async ({ cert, key }: { cert: string; key: string }): Promise<void> => {
    await writeFile(join(directory, 'cert.pem'), cert);
    await writeFile(join(directory, 'key.pem'), key);
  };
  const settings = () => ({
    SERVICE_HTTPS_PORT: String(port),
    SERVICE_TLS_CERT: join(directory, 'cert.pem'),
    SERVICE_TLS_KEY: join(directory, 'key.pem'),
  });
  const service = useService(() => ({ settings: settings() }));

  it('answers on its own port, and takes a renewed certificate without a new start', async () => {
    const sent = request({ host: '127.0.0.1', port, path: '/readyz', ca: CA, agent: false });
    sent.end();
    const [reply] = (await once(sent, 'response')) as [IncomingMessage];
    reply.resume();
    expect(reply.statusCode).toBe(200);
    expect(service().process.stdout).toContain(`and https://0.0.0.0:${port}.`);

    await put(RENEWED);
    await eventually('the renewed certificate is shown', WITHIN_MS, async () => {
      const socket = connect({ host: '127.0.0.1', port, ca: CA });
      await once(socket, 'secureConnect');
      const { CN } = socket.getPeerCertificate().subject;
      socket.destroy();
      return CN === 'drover test 2' || undefined;
    });
    const doctor = await service().cli(['doctor']);
    expect(doctor.stdout).toContain('certificate');
  });

  it('does not start with a key that is not the certificate’s', async () => {
    await put({ cert: OTHER_CERTIFICATE, key: SELF_SIGNED.key });
    const { code, stderr } = await service().cli(['serve']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/SERVICE_TLS_KEY: the key in .*key\.pem does not belong to the certificate/);
    await put(RENEWED);
  });
});

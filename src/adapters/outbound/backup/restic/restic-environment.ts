import type { OpenRepository } from '../../../../application/ports/backups/repository-inspector.ts';
import type { RepositorySecrets } from '../../../../domain/backups/backup-repository.ts';

/** restic's environment variables, a line each, terminated by an empty one. */
export function environmentOf({ repository, secrets }: OpenRepository): string {
  const { kind, url } = repository;
  const { password, login } = secrets;
  const variables: Record<string, string> = {
    RESTIC_REPOSITORY: kind === 'rest' && login ? withLogin(url, login) : url,
    RESTIC_PASSWORD: password,
    // restic's progress interval
    RESTIC_PROGRESS_FPS: '2',
    ...(kind === 's3' && login ? { AWS_ACCESS_KEY_ID: login.name, AWS_SECRET_ACCESS_KEY: login.secret } : {}),
  };
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return `${lines.join('\n')}\n\n`;
}

/** `rest:https://user:secret@host/…` */
const withLogin = (
  url: string,
  { name, secret }: { readonly name: string; readonly secret: string },
): string => url.replace('//', () => `//${encodeURIComponent(name)}:${encodeURIComponent(secret)}@`);

/** restic's output without secrets. */
export function masked(text: string, { password, login }: RepositorySecrets): string {
  const secrets = [password, ...(login ? [login.secret, encodeURIComponent(login.secret)] : [])];
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}

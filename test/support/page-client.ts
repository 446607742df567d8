/** A signed-in user, without a browser. */
export class PageClient {
  readonly #cookie: string;

  private constructor(cookie: string) {
    this.#cookie = cookie;
  }

  /** Takes up the link that the service printed at its first start. */
  static async setUp(url: string, printed: string, person: Person): Promise<void> {
    const link = /\/welcome#(\S+)/.exec(printed)?.[1] ?? '';
    const reply = await submit(`${url}/welcome/password`, { link, ...person });
    if (reply.status !== 303) throw new Error(`no account was made: ${reply.status} ${await reply.text()}`);
  }

  static async signIn(url: string, person: Person): Promise<PageClient> {
    const reply = await submit(`${url}/sign-in`, { ...person, next: '/' });
    const [cookie = ''] = (reply.headers.get('set-cookie') ?? '').split(';');
    if (cookie === '') throw new Error(`not signed in: ${reply.status} ${await reply.text()}`);
    return new PageClient(cookie);
  }

  /** Follows no redirect: who is signed out is sent to the sign-in. */
  async get(url: string): Promise<{ readonly status: number; readonly text: string }> {
    const reply = await fetch(url, { headers: { Cookie: this.#cookie }, redirect: 'manual' });
    return { status: reply.status, text: await reply.text() };
  }

  /** Sends a form, and follows no redirect either. */
  async post(url: string, fields: Readonly<Record<string, string>> = {}) {
    const reply = await submit(url, fields, this.#cookie);
    return { status: reply.status, location: reply.headers.get('location'), text: await reply.text() };
  }
}

interface Person {
  readonly name: string;
  readonly password: string;
}

const submit = (url: string, fields: Readonly<Record<string, string>>, cookie = ''): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { Origin: new URL(url).origin, ...(cookie === '' ? {} : { Cookie: cookie }) },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });

import type {
  JailFileSystems,
  JailFs,
  WriteOptions,
  WriteResult,
} from '../../src/application/ports/files/jail-fs.ts';
import type { HostAccess } from '../../src/application/ports/fleet/remote-host.ts';
import { JailPath } from '../../src/domain/files/jail-path.ts';
import type { JailFixture } from '../support/jail-fixture.ts';

/** A file root in a separate directory for each test, and short ways to use it. */
export interface JailBench {
  readonly fixture: JailFixture;
  readonly jails: JailFileSystems;
  readonly access: HostAccess;
  readonly fs: JailFs;
  /** The test's own directory, relative to the test root; the file root is `jail` in it. */
  readonly own: string;
  /** The path of something in the file root. */
  readonly inJail: (path: string) => string;
  readonly open: (jail: string) => Promise<JailFs>;
  readonly read: (path: string) => Promise<string>;
  readonly write: (path: string, content: string, options?: Partial<WriteOptions>) => Promise<WriteResult>;
  readonly names: (path: string) => Promise<readonly string[]>;
}

export const at = (path: string): JailPath => JailPath.parse(path);

export async function* chunks(...content: (string | Buffer)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of content) yield Buffer.from(chunk);
}

/** What encrypts a backup of the service: a passphrase, or the recipients' public keys. */
export type BackupLock =
  | { readonly kind: 'passphrase'; readonly passphrase: string }
  | { readonly kind: 'recipients'; readonly recipients: readonly string[] };

/** What decrypts one. */
export type BackupKey =
  | { readonly kind: 'passphrase'; readonly passphrase: string }
  | { readonly kind: 'identities'; readonly identities: readonly string[] };

export interface BackupFacts {
  /** Absolute. */
  readonly file: string;
  readonly bytes: number;
  /** ISO 8601. */
  readonly createdAt: string;
  /** The version of the service that made it. */
  readonly service: string;
  readonly engine: 'sqlite' | 'mysql';
  readonly tables: number;
  readonly rows: number;
}

export interface BackupRestoreOptions {
  /** Deletes the database's contents. */
  readonly replace: boolean;
  /** Jobs that waited or ran go on; else they are ended. */
  readonly keepWaiting: boolean;
}

/** Backups of the service's own database and key. Paths are absolute. */
export interface ServiceBackups {
  /** From the configuration. */
  readonly passphrase: string | null;
  /** Throws `file_exists`, `secret_unreadable`, `database_unavailable`. */
  create(path: string, lock: BackupLock): Promise<BackupFacts>;
  /** Reads all of it and changes nothing. Throws `backup_unreadable`, `file_not_found`. */
  verify(path: string, key: BackupKey): Promise<BackupFacts>;
  /** All of it or nothing. Throws as `verify`, and `database_not_empty`, `restore_failed`, `secret_unreadable`. */
  restore(path: string, key: BackupKey, options: BackupRestoreOptions): Promise<BackupFacts>;
  makeKeyPair(): Promise<{ readonly identity: string; readonly recipient: string }>;
  /** Writes a new file, mode 0600. Throws `file_exists`. */
  writeKeyFile(path: string, text: string): Promise<void>;
  /** The private keys in a file's text. Throws `invalid_request`. */
  identitiesIn(text: string): readonly string[];
}

import type { BackupRepository } from '../../../../../domain/backups/backup-repository.ts';
import { Field, type FormState } from '../../components/form.tsx';

/** A repository's settings. Passwords are never shown: an empty field leaves them unchanged. */
export function RepositoryFields({
  state,
  repository,
}: {
  readonly state: FormState;
  /** `null`: a new one. */
  readonly repository: BackupRepository | null;
}) {
  const isNew = repository === null;
  return (
    <>
      <Field
        state={state}
        name="name"
        label="Name"
        help="Lower-case letters, digits and . _ -"
        value={repository?.name ?? ''}
        focus
      />
      <Field
        state={state}
        name="url"
        label="Address"
        help="As servers reach it: /path, sftp:user@host:/path, rest:https://host/path or s3:https://host/bucket."
        value={repository?.url ?? ''}
      />
      <Field
        state={state}
        name="password"
        label={isNew ? 'Password' : 'New password'}
        type="password"
        help={
          isNew
            ? 'It encrypts the repository. Keep a copy elsewhere: without it the backups cannot be decrypted.'
            : "Empty: no change. This changes the password that Drover uses, not the repository's."
        }
        required={isNew}
        autocomplete="new-password"
      />
      <Field
        state={state}
        name="login"
        label={isNew ? 'User, or access key' : 'New user, or access key'}
        path="/login"
        help={
          isNew ? 'For a REST server or S3; otherwise empty.' : 'Empty: no change. A dash (-): no user name.'
        }
        required={false}
      />
      <Field
        state={state}
        name="login_secret"
        label="Password of that user, or secret key"
        path="/login/secret"
        type="password"
        required={false}
        autocomplete="new-password"
      />
    </>
  );
}

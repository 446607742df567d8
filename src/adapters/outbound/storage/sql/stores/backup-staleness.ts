/** The domain's `isBackupStale` in two cases that exclude each other, since an index leads to either but not to both. */
export const NEVER_BACKED_UP = 'feature_backup = 1 AND last_backup_at IS NULL';
/** Binds the moment. */
export const BACKED_UP_LONG_AGO = 'feature_backup = 1 AND last_backup_at < ?';

/** Both, as one condition over servers; binds the moment once. */
export const BACKUP_STALE = `((${NEVER_BACKED_UP}) OR (${BACKED_UP_LONG_AGO}))`;

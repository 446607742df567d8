import { createHmac } from 'node:crypto';

/** Keyed hashes as the service makes them, by a key that the test knows. */
export const macOf =
  (key: string) =>
  (text: string): string =>
    createHmac('sha256', key).update(text).digest('hex');

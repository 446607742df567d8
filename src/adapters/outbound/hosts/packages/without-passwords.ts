/** Addresses of package sources may carry a user's name and password. */
export const withoutPasswords = (text: string): string => text.replace(/(\/\/)[^/\s@]{1,300}@/g, '$1');

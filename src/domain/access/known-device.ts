import { DAY } from '../base/instant.ts';

/**
 * A browser that signed in to an account before: others' failures do not keep it out. This follows OWASP's device
 * cookies (https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies).
 */
export const DEVICE_LIFE = 180 * DAY;
/** Per account; another one replaces the one with the oldest sign-in. */
export const MAX_DEVICES = 20;

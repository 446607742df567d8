import * as z from 'zod';

/** Building blocks of output. Times are ISO 8601 in UTC with milliseconds; unknown or never is null. */
export const time = z.string().meta({ format: 'date-time' });
export const timeOrNull = z.string().nullable().meta({ format: 'date-time' });
export const text = z.string();
export const textOrNull = text.nullable();
export const count = z.int().min(0);
export const countOrNull = count.nullable();
export const id = z.int().min(1);

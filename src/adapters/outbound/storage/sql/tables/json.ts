import { z } from 'zod';

/** Parses stored JSON; a schema mismatch is a fault in the database, and thrown. */
export const fromJson = <T>(schema: z.ZodType<T>, text: string): T => schema.parse(JSON.parse(text));

export const Strings = z.array(z.string());

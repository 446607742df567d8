import { z } from 'zod';

/** Reads JSON that is kept as text; what does not fit the schema is a fault in the database, and thrown. */
export const fromJson = <T>(schema: z.ZodType<T>, text: string): T => schema.parse(JSON.parse(text));

export const Strings = z.array(z.string());

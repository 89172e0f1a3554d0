// What no API on Postgres with checked inputs can do without: the measure for the import of the REST function.
import pg from 'pg';
import * as z from 'zod';

export const bare = { Pool: pg.Pool, strictObject: z.strictObject, toJSONSchema: z.toJSONSchema };

// The token of a guide link in a path: all that a guest needs.
import * as z from 'zod';

export const guideToken = z.string().describe('Token of a guide link, as in its addresses.');

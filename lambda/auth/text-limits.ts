// The lengths of the texts in an account, which better-auth would store at any length.
import { APIError, createAuthMiddleware } from 'better-auth/api';

const maxLengths: Readonly<Record<string, number>> = { name: 255, image: 2048, email: 254 };
const limitedPaths = new Set(['/sign-up/email', '/update-user']);

/** Refuses longer texts, before it shows whether the address is known. */
export const limitTexts = createAuthMiddleware(async ({ path, body }) => {
  if (!limitedPaths.has(path)) return;
  const texts: Record<string, unknown> = Object(body);
  for (const [name, length] of Object.entries(maxLengths)) {
    const text = texts[name];
    if (typeof text !== 'string' || text.length <= length) continue;
    const message = `The ${name} may have at most ${length} characters.`;
    throw new APIError('BAD_REQUEST', { code: `${name.toUpperCase()}_TOO_LONG`, message });
  }
});

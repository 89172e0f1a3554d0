// Refusals whose texts of the API name operations or fields, in the page's own words.
import { ApiError } from './api.ts';

/**
 * @param known words by the code of the refusal
 * @throws {Error} the refusal, with its words
 */
export async function refusedInWords<Answer>(
  known: Readonly<Record<string, string>>,
  act: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await act();
  } catch (error) {
    const text = error instanceof ApiError ? known[error.code] : undefined;
    throw text === undefined ? error : new Error(text, { cause: error });
  }
}

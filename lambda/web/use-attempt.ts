// An action that the user may attempt, such as that of a button.
import { useState } from 'react';

/** An action, with the state of its last attempt. */
interface Attempt<Given extends readonly unknown[]> {
  readonly attempt: (...given: Given) => Promise<void>;
  /** The message for the user if the last attempt failed. */
  readonly error: string | null;
  readonly isPending: boolean;
}

/** @param work throws an error whose message is for the user */
export function useAttempt<Given extends readonly unknown[]>(
  work: (...given: Given) => Promise<unknown>,
): Attempt<Given> {
  const [error, setError] = useState<string | null>(null);
  const [isPending, setPending] = useState(false);
  const attempt = async (...given: Given): Promise<void> => {
    setPending(true);
    setError(null);
    try {
      await work(...given);
    } catch (failure) {
      setError((failure as Error).message);
    } finally {
      setPending(false);
    }
  };
  return { attempt, error, isPending };
}

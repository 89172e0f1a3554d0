// Loads data of the signed-in user for a component, and loads it again after a change.
import { useCallback, useEffect, useState } from 'react';
import { get } from './requests.ts';

export interface Loaded<Data> {
  /** Undefined until it is loaded. */
  readonly data: Data | undefined;
  /** The error message for the user; null if loading succeeded. */
  readonly error: string | null;
  readonly reload: () => void;
}

export function useLoaded<Data>(path: string): Loaded<Data> {
  const [data, setData] = useState<Data | undefined>(undefined);
  const [error, setError] = useState<string | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    get<Data>(path).then(
      (loaded) => {
        if (!isCurrent) return;
        setData(loaded);
        setError(null);
      },
      (failure: Error) => {
        if (isCurrent) setError(failure.message);
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [path, turn]);
  return { data, error, reload: useCallback(() => setTurn((count) => count + 1), []) };
}

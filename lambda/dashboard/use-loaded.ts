// Data of the signed-in person, as a component shows it: while it loads, when it is there, and again after a change.
import { useCallback, useEffect, useState } from 'react';
import { get } from './requests.ts';

export interface Loaded<Data> {
  /** Undefined until it is there. */
  readonly data: Data | undefined;
  /** What went wrong; null when nothing did. */
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

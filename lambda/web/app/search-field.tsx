// The search field of a list.
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';

interface SearchFieldProps {
  readonly label: string;
  /** The current search text, if another component can change it as well. */
  readonly value?: string;
  /** Called with the text once typing has paused. */
  readonly onSearch: (text: string) => void;
}

/** Keystrokes follow each other sooner than this. */
const pauseMs = 200;

export function SearchField({ label, value = '', onSearch }: SearchFieldProps): ReactNode {
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (timer.current === undefined) field.current!.value = value;
  }, [value]);
  const wait = (text: string) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      timer.current = undefined;
      onSearch(text);
    }, pauseMs);
  };
  return (
    <label>
      <span className="hidden">{label}</span>
      <input
        ref={field}
        type="search"
        placeholder={label}
        maxLength={255}
        defaultValue={value}
        onChange={(event) => wait(event.target.value)}
      />
    </label>
  );
}

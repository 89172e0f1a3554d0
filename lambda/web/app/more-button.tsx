// The button below a list that loads its next page.
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { words } from '#words';

interface MoreButtonProps {
  /** Loads the next page; null if there is none. */
  readonly more: (() => Promise<void>) | null;
  /** Loads the next page once the end of the list is near the viewport. Only for lists with nothing below them. */
  readonly isEager?: boolean;
}

const nearPx = 1000;

export function MoreButton({ more, isEager = false }: MoreButtonProps): ReactNode {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isEager || more === null) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        observer.disconnect();
        void more();
      },
      { rootMargin: `${nearPx}px` },
    );
    observer.observe(button.current!);
    return () => observer.disconnect();
    // oxlint-disable-next-line react/exhaustive-deps -- `more` is a new function after each page
  }, [isEager, more]);
  return (
    more && (
      <button type="button" ref={button} onClick={() => void more()}>
        {words.more}
      </button>
    )
  );
}

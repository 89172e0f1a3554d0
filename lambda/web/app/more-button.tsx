// The button below a list that has further pages.
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { words } from '../words/en.ts';

interface MoreButtonProps {
  /** Reads the next page; null: there is none. */
  readonly more: (() => Promise<void>) | null;
  /** Reads it as soon as the end of the list is near the sight: where nothing stands below the list. */
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
    // oxlint-disable-next-line react/exhaustive-deps -- a page that was read has another way to the next
  }, [isEager, more]);
  return (
    more && (
      <button type="button" ref={button} onClick={() => void more()}>
        {words.more}
      </button>
    )
  );
}

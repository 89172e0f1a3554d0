// A recent picture of a stream, updated while the page is visible; hidden if there is no picture.
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';

const everyMs = 4000;

export function Poster({ url, alt }: { readonly url: string; readonly alt: string }): ReactNode {
  const [turn, setTurn] = useState(0);
  const [isThere, setThere] = useState(true);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setTurn((count) => count + 1);
    }, everyMs);
    return () => clearInterval(timer);
  }, []);
  // The next turn retries a picture that is missing.
  return (
    <img
      src={`${url}?${turn}`}
      alt={alt}
      width="640"
      height="360"
      data-missing={!isThere}
      onLoad={() => setThere(true)}
      onError={() => setThere(false)}
    />
  );
}

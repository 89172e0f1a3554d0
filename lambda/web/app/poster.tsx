// A picture of what a stream sent seconds ago, new for as long as somebody looks; nothing where there is none.
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
  // One that is not there yet is asked for again with the next turn.
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

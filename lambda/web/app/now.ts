// The current time for components. It renders them again each second while the page is visible.
import { useSyncExternalStore } from 'react';
import { serviceNow } from './api.ts';

const tickMs = 1000;
const listeners = new Set<() => void>();
let shownMs = serviceNow();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  if (document.hidden) return;
  shownMs = serviceNow();
  for (const listener of listeners) listener();
}

/** The time that all ages on the page are counted to. The first one after a while without any begins at the present. */
function shown(): number {
  const nowMs = serviceNow();
  if (timer === undefined && Math.abs(nowMs - shownMs) > tickMs) shownMs = nowMs;
  return shownMs;
}

/** Milliseconds since 1970 by the service's clock. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, shown);
}

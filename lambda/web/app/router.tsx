// Moves between addresses of the page without loading it again, so that uploads and players go on.
import { startTransition, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { AnchorHTMLAttributes, MouseEvent, ReactNode } from 'react';

const listeners = new Set<() => void>();
const announce = () => {
  for (const listener of listeners) listener();
};
addEventListener('popstate', announce);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The path of the address. */
export function usePath(): string {
  return useSyncExternalStore(subscribe, () => location.pathname);
}

/**
 * The path whose screen is shown. It follows the address: a click is answered before the screen that it leads to is
 * drawn, and the screen before it stays until then.
 */
export function useShownPath(): string {
  const [path, setPath] = useState(() => location.pathname);
  useEffect(() => subscribe(() => startTransition(() => setPath(location.pathname))), []);
  useLayoutEffect(arrive, [path]);
  return path;
}

/** Whether somebody goes on to a screen, and not back to one, which the browser scrolls to where it was. */
let isGoingOn = false;

function arrive(): void {
  if (!isGoingOn) return;
  isGoingOn = false;
  scrollTo(0, 0);
  // Screen readers and the keyboard begin at the new page, as after a load.
  document.querySelector('main')?.focus({ preventScroll: true });
}

/**
 * A parameter of the address; empty where it has none. A screen keeps its own while the next one is drawn, which may
 * have others.
 */
export function useParameter(name: string): string {
  const [path] = useState(() => location.pathname);
  const known = useRef('');
  return useSyncExternalStore(subscribe, () => {
    if (location.pathname === path) known.current = new URLSearchParams(location.search).get(name) ?? '';
    return known.current;
  });
}

export function navigate(to: string): void {
  isGoingOn = new URL(to, location.href).pathname !== location.pathname;
  history.pushState(null, '', to);
  announce();
}

/** Gives what is shown another address, without a step back. */
export function replaceAddress(to: string): void {
  history.replaceState(null, '', to);
  announce();
}

/** Sets a parameter of the address, in place: what is typed into a filter is no step back. */
export function setParameter(name: string, value: string): void {
  const url = new URL(location.href);
  if (value === '') url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  history.replaceState(null, '', url);
  announce();
}

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly href: string;
  readonly children: ReactNode;
}

export function Link({ href, children, ...others }: LinkProps): ReactNode {
  const follow = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(href);
  };
  return (
    <a href={href} onClick={follow} {...others}>
      {children}
    </a>
  );
}

// Changes the address without loading the page again, so that uploads and players continue.
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
 * The path whose screen is shown. It follows the address in a transition: the click is answered at once, and the
 * previous screen stays until the next one is rendered.
 */
export function useShownPath(): string {
  const [path, setPath] = useState(() => location.pathname);
  useEffect(() => subscribe(() => startTransition(() => setPath(location.pathname))), []);
  useLayoutEffect(arrive, [path]);
  return path;
}

/** True after a link to another screen. On the way back, the browser restores the scroll position itself. */
let isGoingOn = false;

function arrive(): void {
  if (!isGoingOn) return;
  isGoingOn = false;
  scrollTo(0, 0);
  // The focus of screen readers and the keyboard moves to the new screen, as after a page load.
  document.querySelector('main')?.focus({ preventScroll: true });
}

/**
 * A parameter of the address; empty if the address lacks it. A screen keeps its own value while the next screen, whose
 * address may have other parameters, is rendered.
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

/** Replaces the address, without an entry in the history. */
export function replaceAddress(to: string): void {
  history.replaceState(null, '', to);
  announce();
}

/** Sets a parameter of the address, without an entry in the history: typing into a filter is not a step. */
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

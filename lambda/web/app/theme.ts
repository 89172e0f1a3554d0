// The theme of the page: light, dark, or that of the system. It is stored in the browser for all of its tabs.
import { useSyncExternalStore } from 'react';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const storageKey = 'theme';
const listeners = new Set<() => void>();

/** An unknown stored value counts as the system's theme. */
function chosen(): Theme {
  const stored = localStorage.getItem(storageKey);
  return themes.find((theme) => theme === stored) ?? 'system';
}

/** Call it before the first rendering, and after each change. */
export function applyTheme(): void {
  document.documentElement.dataset['theme'] = chosen();
  for (const listener of listeners) listener();
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme);
  applyTheme();
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, chosen);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

addEventListener('storage', applyTheme);

// Light, dark, or as the system is: what somebody chose in this browser, in all of its tabs.
import { useSyncExternalStore } from 'react';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const storageKey = 'theme';
const listeners = new Set<() => void>();

/** Whatever is stored that is no theme counts as the system's. */
function chosen(): Theme {
  const stored = localStorage.getItem(storageKey);
  return themes.find((theme) => theme === stored) ?? 'system';
}

/** Before anything is shown, and after each change. */
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

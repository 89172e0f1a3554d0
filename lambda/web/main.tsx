// The entry of the web page: the sign-in pages, each in its own file, and the page for signed-in users.
// It has no query library and no router: they would add 13 KB to the first load.
import { StrictMode } from 'react';
import type { ComponentType } from 'react';
import { createRoot } from 'react-dom/client';
import { applyTheme } from './app/theme.ts';
import { entryWords } from '#words/entry.ts';
import type { SignInPath } from './paths.ts';

const pages: Readonly<Record<SignInPath, () => Promise<ComponentType>>> = {
  '/sign-in': async () => (await import('./sign-in/sign-in-page.tsx')).SignInPage,
  '/sign-up': async () => (await import('./sign-in/sign-up-page.tsx')).SignUpPage,
  '/forgotten-password': async () => (await import('./sign-in/forgotten-password-page.tsx')).ForgottenPasswordPage,
  '/new-password': async () => (await import('./sign-in/new-password-page.tsx')).NewPasswordPage,
  '/consent': async () => (await import('./sign-in/consent-page.tsx')).ConsentPage,
  '/device': async () => (await import('./sign-in/device-page.tsx')).DevicePage,
  '/error': async () => (await import('./error-page.tsx')).ErrorPage,
};

/** The page of the address. Sign-in pages need neither the shell nor the library of controls. */
async function loadPage(): Promise<ComponentType> {
  const load = (pages as Readonly<Record<string, () => Promise<ComponentType>>>)[location.pathname];
  if (!load) return (await import('./app/app.tsx')).App;
  document.title = `${entryWords.titles[location.pathname as SignInPath]} · ${entryWords.product}`;
  return load();
}

applyTheme();
// It is loaded before React renders: React shows a lazy component 300 ms after its fallback at the earliest.
const Page = await loadPage();
createRoot(document.getElementById('page')!).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);

// The entry of the web page: the sign-in pages, each in its own file, and the page for signed-in users.
// It has no query library and no router: they would add 13 KB to the first load.
import { lazy, StrictMode, Suspense } from 'react';
import type { ComponentType } from 'react';
import { createRoot } from 'react-dom/client';
import { applyTheme } from './app/theme.ts';
import { entryWords } from '#words/entry.ts';
import type { SignInPath } from './paths.ts';

const pages: Readonly<Record<SignInPath, ComponentType>> = {
  '/sign-in': lazy(async () => ({ default: (await import('./sign-in/sign-in-page.tsx')).SignInPage })),
  '/sign-up': lazy(async () => ({ default: (await import('./sign-in/sign-up-page.tsx')).SignUpPage })),
  '/forgotten-password': lazy(async () => ({
    default: (await import('./sign-in/forgotten-password-page.tsx')).ForgottenPasswordPage,
  })),
  '/new-password': lazy(async () => ({ default: (await import('./sign-in/new-password-page.tsx')).NewPasswordPage })),
  '/consent': lazy(async () => ({ default: (await import('./sign-in/consent-page.tsx')).ConsentPage })),
  '/device': lazy(async () => ({ default: (await import('./sign-in/device-page.tsx')).DevicePage })),
  '/error': lazy(async () => ({ default: (await import('./error-page.tsx')).ErrorPage })),
};

applyTheme();
const page = (pages as Readonly<Record<string, ComponentType>>)[location.pathname];
if (page) document.title = `${entryWords.titles[location.pathname as SignInPath]} · ${entryWords.product}`;
// Sign-in pages need neither the shell nor the library of controls.
const Shown = page ?? lazy(async () => ({ default: (await import('./app/app.tsx')).App }));
createRoot(document.getElementById('page')!).render(
  <StrictMode>
    <Suspense>
      <Shown />
    </Suspense>
  </StrictMode>,
);

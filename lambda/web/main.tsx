// The entry of the web page: the sign-in pages, each in its own file, and the page for signed-in users.
// It has no query library and no router: they would add 13 KB to the first load.
import { lazy, StrictMode, Suspense } from 'react';
import type { ComponentType } from 'react';
import { createRoot } from 'react-dom/client';
import { applyTheme } from './app/theme.ts';
import type { SignInPath } from './paths.ts';

interface Page {
  readonly title: string;
  readonly show: ComponentType;
}

const pages: Readonly<Record<SignInPath, Page>> = {
  '/sign-in': {
    title: 'Sign in',
    show: lazy(async () => ({ default: (await import('./sign-in/sign-in-page.tsx')).SignInPage })),
  },
  '/sign-up': {
    title: 'Sign up',
    show: lazy(async () => ({ default: (await import('./sign-in/sign-up-page.tsx')).SignUpPage })),
  },
  '/forgotten-password': {
    title: 'Forgotten password',
    show: lazy(async () => ({
      default: (await import('./sign-in/forgotten-password-page.tsx')).ForgottenPasswordPage,
    })),
  },
  '/new-password': {
    title: 'New password',
    show: lazy(async () => ({ default: (await import('./sign-in/new-password-page.tsx')).NewPasswordPage })),
  },
  '/consent': {
    title: 'Connect an application',
    show: lazy(async () => ({ default: (await import('./sign-in/consent-page.tsx')).ConsentPage })),
  },
  '/device': {
    title: 'Connect a device',
    show: lazy(async () => ({ default: (await import('./sign-in/device-page.tsx')).DevicePage })),
  },
  '/error': {
    title: 'Not possible',
    show: lazy(async () => ({ default: (await import('./error-page.tsx')).ErrorPage })),
  },
};

applyTheme();
const page = (pages as Readonly<Record<string, Page>>)[location.pathname];
if (page) document.title = `${page.title} · Loop streaming`;
// Sign-in pages need neither the shell nor the library of controls.
const Shown = page?.show ?? lazy(async () => ({ default: (await import('./app/app.tsx')).App }));
createRoot(document.getElementById('page')!).render(
  <StrictMode>
    <Suspense>
      <Shown />
    </Suspense>
  </StrictMode>,
);

// The entry of the web page, which shows a page by the path of the address.
import { StrictMode } from 'react';
import type { ComponentType } from 'react';
import { createRoot } from 'react-dom/client';
import { AccountPage } from './account/account-page.tsx';
import { ConsentPage } from './sign-in/consent-page.tsx';
import { ForgottenPasswordPage } from './sign-in/forgotten-password-page.tsx';
import { NewPasswordPage } from './sign-in/new-password-page.tsx';
import { SignInPage } from './sign-in/sign-in-page.tsx';
import { SignUpPage } from './sign-in/sign-up-page.tsx';
import { ErrorPage } from './error-page.tsx';
import { NotFoundPage } from './not-found-page.tsx';
import type { PagePath } from './paths.ts';

interface Page {
  readonly title: string;
  readonly show: ComponentType;
}

const pages: Readonly<Record<PagePath, Page>> = {
  '/account': { title: 'Account', show: AccountPage },
  '/sign-in': { title: 'Sign in', show: SignInPage },
  '/sign-up': { title: 'Sign up', show: SignUpPage },
  '/forgotten-password': { title: 'Forgotten password', show: ForgottenPasswordPage },
  '/new-password': { title: 'New password', show: NewPasswordPage },
  '/consent': { title: 'Connect an application', show: ConsentPage },
  '/error': { title: 'Not possible', show: ErrorPage },
};

const path = location.pathname === '/' ? '/account' : location.pathname;
const { title, show: Shown } = (pages as Readonly<Record<string, Page>>)[path] ?? {
  title: 'Not found',
  show: NotFoundPage,
};
document.title = `${title} · Loop streaming`;
createRoot(document.getElementById('page')!).render(
  <StrictMode>
    <Shown />
  </StrictMode>,
);

// The page for a failed authorization that cannot safely return the user to the application.
import type { ReactNode } from 'react';
import { Card } from './card.tsx';

const words: Readonly<Record<string, string>> = {
  invalid_client: 'The application is not registered here, or not any more.',
  invalid_redirect: 'The application wants you sent to an address that it has not registered.',
  client_disabled: 'The application is disabled.',
};

export function ErrorPage(): ReactNode {
  // Only our own words are shown, since anyone can craft an address with any text.
  const code = new URLSearchParams(location.search).get('error') ?? '';
  return (
    <Card heading="This cannot go on">
      <p role="alert">{words[code] ?? 'Something in the request of the application is wrong.'}</p>
      <p className="hint">
        Go back to the application, and begin there again. If it happens again, its makers have to mend it.
      </p>
    </Card>
  );
}

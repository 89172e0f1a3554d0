// Links between the parts of one thing, or between lists of one kind. Each part has an address.
import type { ReactNode } from 'react';
import { Link, usePath } from '../app/router.tsx';

interface PartsProps {
  readonly label: string;
  /** The address and the name of each part. */
  readonly parts: readonly (readonly [href: string, name: string])[];
}

export function Parts({ label, parts }: PartsProps): ReactNode {
  const path = usePath();
  return (
    <nav className="parts" aria-label={label}>
      {parts.map(([href, name]) => (
        <Link key={href} href={href} aria-current={path === href ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  );
}

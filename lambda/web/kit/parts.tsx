// Links between the parts of one thing, or between lists of one kind. Each part has an address.
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { Link, usePath } from '../app/router.tsx';

interface PartsProps {
  readonly label: string;
  /** The address and the name of each part. */
  readonly parts: readonly (readonly [href: string, name: string])[];
}

export function Parts({ label, parts }: PartsProps): ReactNode {
  const path = usePath();
  const here = useRef<HTMLElement>(null);
  // On a phone, some parts are outside the screen.
  useEffect(() => {
    const row = here.current;
    const link = row?.querySelector<HTMLElement>('[aria-current]');
    if (row && link) row.scrollLeft = link.offsetLeft - (row.clientWidth - link.offsetWidth) / 2;
  }, [path]);
  return (
    <nav className="parts" aria-label={label} ref={here}>
      {parts.map(([href, name]) => (
        <Link key={href} href={href} aria-current={path === href ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  );
}

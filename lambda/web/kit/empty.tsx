// A place without content: what belongs here, and the action that makes the first one.
import type { ReactNode } from 'react';

interface EmptyProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly text: string;
  /** A link or button. */
  readonly children?: ReactNode;
}

export function Empty({ icon, title, text, children }: EmptyProps): ReactNode {
  return (
    <div className="empty">
      {icon}
      <h2>{title}</h2>
      <p className="hint">{text}</p>
      {children}
    </div>
  );
}

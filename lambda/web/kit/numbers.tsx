// The numbers that matter of a screen, side by side.
import type { ReactNode } from 'react';

export interface ShownNumber {
  readonly name: string;
  readonly value: ReactNode;
  /** A remark below the number; absent: none. */
  readonly remark?: ReactNode;
}

export function Numbers({ numbers }: { readonly numbers: readonly ShownNumber[] }): ReactNode {
  return (
    <dl className="numbers">
      {numbers.map(({ name, value, remark }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          {remark !== undefined && <dd className="hint">{remark}</dd>}
        </div>
      ))}
    </dl>
  );
}

// One rule of a programme: its sentence, and its form once it is open.
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useFault } from '../app/faults.tsx';

interface RuleDetailsProps {
  /** The JSON pointer of the rule. */
  readonly path: string;
  readonly name: string;
  readonly sentence: ReactNode;
  /** Increases with each request from elsewhere to open it; 0: none yet. */
  readonly openings?: number;
  readonly isNew?: boolean;
  readonly remove: string;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

/** A rule with a fault is open. */
export function RuleDetails(props: RuleDetailsProps): ReactNode {
  const { path, name, sentence, openings = 0, isNew = false, remove, onRemove, children } = props;
  const fault = useFault(path);
  const [isOpen, setOpen] = useState(isNew);
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (openings > 0) setOpen(true);
  }, [openings]);
  useEffect(() => {
    if (fault !== null) setOpen(true);
  }, [fault]);
  useEffect(() => {
    if (openings === 0 || !isOpen) return;
    element.current!.scrollIntoView({ block: 'start' });
    element.current!.querySelector('summary')!.focus({ preventScroll: true });
    // oxlint-disable-next-line react/exhaustive-deps -- only a request from elsewhere moves the focus
  }, [openings, openings > 0 && isOpen]);
  return (
    <li>
      <details ref={element} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <strong>{name}</strong> <span className="hint">{sentence}</span>
        </summary>
        {isOpen && (
          <div className="rule">
            {children}
            <p>
              <button type="button" className="grave" onClick={onRemove}>
                {remove}
              </button>
            </p>
          </div>
        )}
      </details>
    </li>
  );
}

// Drags a part of a week by mouse or pen: to other days and hours, or by one of its edges.
import type { PointerEvent as ReactPointerEvent } from 'react';
import { dayMinutes } from '../../domain/shared/wall-clock.ts';

/** The way of the pointer since it went down. */
export interface Shift {
  readonly days: number;
  /** Not rounded. */
  readonly minutes: number;
}

interface WeekDrag {
  /** Called for each movement, once the pointer has left its place; null at the end. */
  readonly onDrag: (shift: Shift | null) => void;
  /** Called if the pointer goes up after it has moved. */
  readonly onDrop: (shift: Shift) => void;
}

/** A smaller movement of the pointer is a click. */
const leastDragPx = 5;

/**
 * Begins a drag. Fingers scroll instead, and on a narrow screen the day is a list. The Escape key ends a drag without
 * an effect. The pointer is followed in the whole window, because the element may leave the document during the drag.
 * @param event the press on an element inside the column of a day, which has the class `times`
 */
export function dragInWeek(event: ReactPointerEvent<HTMLElement>, { onDrag, onDrop }: WeekDrag): void {
  const day = event.currentTarget.closest('.times')!;
  if (event.pointerType === 'touch' || event.button !== 0 || getComputedStyle(day).display === 'grid') return;
  const { width, height } = day.getBoundingClientRect();
  const { clientX: fromX, clientY: fromY } = event;
  const ended = new AbortController();
  let shift: Shift | null = null;
  let isCancelled = false;
  const cancel = () => {
    isCancelled = true;
    onDrag(null);
  };
  const move = ({ clientX, clientY }: PointerEvent) => {
    const [right, down] = [clientX - fromX, clientY - fromY];
    if (isCancelled || (shift === null && Math.hypot(right, down) < leastDragPx)) return;
    shift = { days: Math.round(right / width), minutes: (down / height) * dayMinutes };
    onDrag(shift);
  };
  const release = () => {
    ended.abort();
    if (shift === null) return;
    ignoreClick();
    if (isCancelled) return;
    onDrag(null);
    onDrop(shift);
  };
  const options = { signal: ended.signal };
  addEventListener('pointermove', move, options);
  addEventListener('pointerup', release, options);
  addEventListener('pointercancel', () => (ended.abort(), cancel()), options);
  addEventListener('keydown', ({ key }) => void (key === 'Escape' && cancel()), options);
}

/** Ignores the click that follows the release of a pointer at once. */
function ignoreClick(): void {
  const ignoring = new AbortController();
  addEventListener('click', (event) => event.stopPropagation(), { capture: true, signal: ignoring.signal });
  setTimeout(() => ignoring.abort());
}

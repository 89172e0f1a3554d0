// Drags a row of a long list by mouse, pen or finger. The list scrolls near its edges, faster with time.
import { useCallback, useEffect, useRef, useState } from 'react';
import type { PointerEvent as ReactPointerEvent } from 'react';

/** The drag of one row: its position, and the gap between rows that is its target, both counted from 0. */
export interface RowDrag {
  readonly from: number;
  readonly gap: number;
}

const edgePx = 80;
const stepMs = 16;
const [firstStepPx, mostStepPx] = [6, 200];

/** @param onDrop receives the old and the new position of the row */
export function useRowDrag(onDrop: (from: number, to: number) => void) {
  const [drag, setDrag] = useState<RowDrag | null>(null);
  const drop = useRef(onDrop);
  useEffect(() => {
    drop.current = onDrop;
  });
  const begin = useCallback((event: ReactPointerEvent<HTMLElement>, from: number): void => {
    if (event.button !== 0) return;
    event.preventDefault();
    // The row may leave the document during the drag, and its pointer capture would be lost.
    event.currentTarget.releasePointerCapture(event.pointerId);
    const list = event.currentTarget.closest('ol')!;
    let y = event.clientY;
    let gap = from;
    let stepPx = firstStepPx;
    const look = () => {
      const { left, width } = list.getBoundingClientRect();
      const row = document.elementFromPoint(left + width / 2, y)?.closest<HTMLElement>('li[data-index]');
      if (!row) return;
      const { top, height } = row.getBoundingClientRect();
      gap = Number(row.dataset['index']) + (y > top + height / 2 ? 1 : 0);
      setDrag((shown) => (shown?.gap === gap ? shown : { from, gap }));
    };
    const step = () => {
      const way = y < edgePx ? -1 : Number(y > innerHeight - edgePx);
      stepPx = way === 0 ? firstStepPx : Math.min(mostStepPx, stepPx + 1);
      if (way === 0) return;
      scrollBy(0, way * stepPx);
      look();
    };
    const timer = setInterval(step, stepMs);
    const ended = new AbortController();
    const end = (isDropped: boolean) => {
      clearInterval(timer);
      ended.abort();
      setDrag(null);
      const to = gap > from ? gap - 1 : gap;
      if (isDropped && to !== from) drop.current(from, to);
    };
    const options = { signal: ended.signal };
    const move = (moved: PointerEvent) => {
      y = moved.clientY;
      look();
    };
    addEventListener('pointermove', move, options);
    addEventListener('pointerup', () => end(true), options);
    addEventListener('pointercancel', () => end(false), options);
    addEventListener('keydown', ({ key }) => void (key === 'Escape' && end(false)), options);
    look();
  }, []);
  return { drag, begin };
}

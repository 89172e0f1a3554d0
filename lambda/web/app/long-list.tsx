// A long list that renders only the rows near the viewport. Padding replaces the other rows.
import { startTransition, useLayoutEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { roomOf, rowsInBlock, shownBlocks, stepTowards } from './list-blocks.ts';
import type { Blocks } from './list-blocks.ts';

interface LongListProps<Item> {
  readonly items: readonly Item[];
  readonly isOrdered?: boolean;
  /** The gap before this row is marked as the target of a dragged row. */
  readonly markedGap?: number | undefined;
  /** Renders the row of an item. */
  readonly children: (item: Item, index: number) => ReactNode;
}

/** Rows may have different heights: the height of each block is kept when it is no longer rendered. */
export function LongList<Item extends { readonly id: string }>({
  items,
  isOrdered = false,
  markedGap,
  children,
}: LongListProps<Item>): ReactNode {
  const list = useRef<HTMLElement>(null);
  const heights = useRef(new Map<number, number>());
  const [blocks, setBlocks] = useState<Blocks>({ from: 0, to: 0 });
  // The padding follows the number of measured blocks: otherwise the end of the list would move away from a jump to it.
  const [, setMeasured] = useState(0);
  const count = Math.ceil(items.length / rowsInBlock);
  const look = () => {
    const { top, width } = list.current!.getBoundingClientRect();
    if (width === 0) return;
    const wanted = shownBlocks(heights.current, count, -top, innerHeight);
    setBlocks((shown) => {
      const next = stepTowards(shown, wanted);
      return shown.from === next.from && shown.to === next.to ? shown : next;
    });
  };
  // React renders further rows in slices between frames, so that all stays smooth on a slow processor.
  const lookSoon = () => startTransition(look);
  useLayoutEffect(() => {
    const first = [...list.current!.children].filter((_, index) => index % rowsInBlock === 0) as HTMLElement[];
    // The end of a block is the start of the next one, so the last block cannot be measured.
    for (const [index, row] of first.slice(0, -1).entries()) {
      const [block, height] = [blocks.from + index, first[index + 1]!.offsetTop - row.offsetTop];
      const assumed = roomOf(heights.current, block, block + 1);
      heights.current.set(block, height);
      // Blocks of the assumed height move nothing, so the rows need no second rendering before the next frame.
      if (height !== assumed) setMeasured(heights.current.size);
    }
  });
  // Layout effects: passive effects would still receive events after the list has been removed.
  useLayoutEffect(() => {
    addEventListener('scroll', lookSoon, { passive: true });
    addEventListener('resize', lookSoon);
    return () => {
      removeEventListener('scroll', lookSoon);
      removeEventListener('resize', lookSoon);
    };
    // oxlint-disable-next-line react/exhaustive-deps -- `look` reads all that it needs from the list itself
  }, [count]);
  // Each step is followed by the next one, until all wanted rows are there.
  // oxlint-disable-next-line react/exhaustive-deps -- as above
  useLayoutEffect(lookSoon, [count, blocks]);
  const gapAt = (index: number) => {
    if (index === markedGap) return 'before';
    return index + 1 === markedGap && markedGap === items.length ? 'after' : undefined;
  };
  const from = blocks.from * rowsInBlock;
  const style = {
    paddingBlockStart: roomOf(heights.current, 0, blocks.from),
    paddingBlockEnd: roomOf(heights.current, Math.min(blocks.to, count), count),
  };
  const rows = items.slice(from, blocks.to * rowsInBlock).map((item, offset) => (
    <li
      key={item.id}
      aria-posinset={from + offset + 1}
      aria-setsize={items.length}
      data-index={from + offset}
      data-gap={gapAt(from + offset)}
    >
      {children(item, from + offset)}
    </li>
  ));
  const Tag = isOrdered ? 'ol' : 'ul';
  return (
    <Tag ref={list as never} className="rows long" style={style}>
      {rows}
    </Tag>
  );
}

// What an item is called.
import type { TimelineItem } from './play-out.ts';

/** For viewers: the name of its upload without the end of a file's name. */
export function titleOfUpload(name: string): string {
  return name.replace(/\.\w{2,4}$/, '');
}

/**
 * Of what has begun, the name that its upload had when it was put on the air, else the one that it has; of what is to
 * come the other way round. Null: neither is known.
 */
export function nameOfItem(item: Pick<TimelineItem, 'name'>, present: string | undefined, isBegun: boolean) {
  return (isBegun ? (item.name ?? present) : (present ?? item.name)) ?? null;
}

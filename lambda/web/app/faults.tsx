// The faults that the API found in the fields of a request, each at the field that it means.
import { createContext, use } from 'react';
import type { ReactNode } from 'react';
import { faultsWords } from '#words/faults.ts';
import type { ApiError } from './api.ts';

export type Faults = ApiError['errors'];

const FaultsContext = createContext<Faults>([]);

interface FaultsOfProps {
  readonly faults: Faults;
  readonly children: ReactNode;
}

/** Gives the fields inside it the faults of the last request. */
export function FaultsOf({ faults, children }: FaultsOfProps): ReactNode {
  return <FaultsContext value={faults}>{children}</FaultsContext>;
}

/** Texts of the API that name fields of requests, in the words of the forms. */
const inWords: readonly (readonly [RegExp, string])[] = [
  [/^Use exactly one of collectionID/, faultsWords.collectionOrFile],
  [/^Use exactly one of everyItems/, faultsWords.insertTime],
  [/^Use HH:mm/, faultsWords.time],
  [/no block with this id/, faultsWords.block],
  [/before firstDay/, faultsWords.beforeFirstDay],
  [/^The rule gives days only/, faultsWords.daysOnly],
  [/^Use items, minutes/, faultsWords.itemsOrMinutes],
  [/^Name exactly one of uploadIDs/, faultsWords.tag],
  [/^Only the order series has groups/, faultsWords.seriesOnly],
];

/** Words of a fault for readers who know no fields of requests. */
export function faultInWords(detail: string): string {
  return inWords.find(([pattern]) => pattern.test(detail))?.[1] ?? detail;
}

/** Whether a place is another one, or inside it. */
const isWithin = (path: string, place: string) => path === place || path.startsWith(`${place}/`);

/**
 * The first fault at one of some places, or inside them; null: none.
 * @param places JSON pointers, such as /blocks/0/name
 */
export function useFault(...places: readonly string[]): string | null {
  const found = use(FaultsContext).find(({ path }) => places.some((place) => isWithin(path, place)));
  return found === undefined ? null : faultInWords(found.detail);
}

/** The faults of a place itself, for which no field stands. */
export function FaultHere({ at }: { readonly at: string }): ReactNode {
  const found = use(FaultsContext).filter(({ path }) => path === at);
  return found.map(({ detail }) => (
    <p key={detail} className="fault">
      {faultInWords(detail)}
    </p>
  ));
}

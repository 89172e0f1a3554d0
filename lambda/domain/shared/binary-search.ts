// The binary search in sorted elements.

/** The index of the first element that passes a test, which all after it pass; the length: none passes. */
export function firstIndex<Element>(elements: readonly Element[], passes: (element: Element) => boolean): number {
  let [low, high] = [0, elements.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(elements[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

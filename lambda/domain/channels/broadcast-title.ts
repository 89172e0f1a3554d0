// Templates of titles and descriptions of broadcasts, and what a platform takes of them.

/**
 * What a template may name. `item`: what is playing; `date`: the day in the settings' zone; `n`: the number of the
 * broadcast.
 */
export const templateNames = ['item', 'date', 'n'] as const;
export type TemplateName = (typeof templateNames)[number];

/** The names in a template that are none. A brace without a partner is text. */
export function unknownNames(template: string): string[] {
  const named = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name!);
  return named.filter((name) => !templateNames.includes(name as TemplateName));
}

/**
 * Fills a template in, without what platforms refuse (`<`, `>` and control characters), cut to a length by whole
 * characters as people see them.
 * @param fallback taken where nothing remains
 * @param maxLength in UTF-16 units, as platforms count
 */
export function renderTemplate(
  template: string,
  values: Readonly<Record<TemplateName, string>>,
  { maxLength, fallback }: { readonly maxLength: number; readonly fallback: string },
): string {
  const filled = template.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) =>
    templateNames.includes(name as TemplateName) ? values[name as TemplateName] : whole,
  );
  return cut(clean(filled), maxLength) || cut(clean(fallback), maxLength);
}

/** The longest that a title may get by its template, in UTF-16 units, before it is cut. @param items names of them */
export function longestTitle(template: string, items: readonly string[]): number {
  const lengths = (items.length > 0 ? items : ['']).map((item) => {
    const values = { item, date: '2000-01-01', n: '1' };
    return renderTemplate(template, values, { maxLength: Infinity, fallback: '' }).length;
  });
  return Math.max(...lengths);
}

function clean(text: string): string {
  return text
    .replaceAll(/[<>\p{Cc}]/gu, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}

function cut(text: string, maxLength: number): string {
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (kept.length + segment.length > maxLength) break;
    kept += segment;
  }
  return kept.trimEnd();
}

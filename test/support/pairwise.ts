// Pairwise combinations: few enough rows to try all of them, in which every two levels of two factors meet.

/** @param factors number of levels of each factor @returns rows with a level of each factor; equal for equal calls */
export function pairwise(factors: readonly number[]): number[][] {
  const key = (i: number, a: number, j: number, b: number) => (i < j ? `${i}.${a},${j}.${b}` : `${j}.${b},${i}.${a}`);
  const open = new Set<string>();
  for (const [i, levels] of factors.entries())
    for (let a = 0; a < levels; a++)
      for (let j = i + 1; j < factors.length; j++) for (let b = 0; b < factors[j]!; b++) open.add(key(i, a, j, b));
  const rows: number[][] = [];
  while (open.size > 0) {
    const [first = ''] = open;
    const row: (number | undefined)[] = factors.map(() => undefined);
    for (const pair of first.split(',')) {
      const [factor = 0, level = 0] = pair.split('.').map(Number);
      row[factor] = level;
    }
    const gained = (i: number, a: number) =>
      row.filter((b, j) => b !== undefined && j !== i && open.has(key(i, a, j, b))).length;
    for (const [i, levels] of factors.entries()) {
      if (row[i] !== undefined) continue;
      // The choice among equals rotates from row to row, so that remaining pairs meet soon.
      const turned = Array.from({ length: levels }, (_, level) => (level + rows.length + i) % levels);
      row[i] = turned.reduce((best, level) => (gained(i, level) > gained(i, best) ? level : best));
    }
    const full = row as number[];
    for (const [i, a] of full.entries()) for (const [j, b] of full.entries()) if (i < j) open.delete(key(i, a, j, b));
    rows.push(full);
  }
  return rows;
}

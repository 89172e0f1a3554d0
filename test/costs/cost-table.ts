// The table of what operations cost the database: one section an operation, one line a statement.
import type { CountedStatement } from './counted-statements.ts';

export interface OperationCost {
  readonly operation: string;
  /** The number of times that the operation was done; costs are for one. */
  readonly times: number;
  readonly statements: readonly CountedStatement[];
}

interface Sum {
  readonly statements: number;
  readonly blocks: number;
  readonly walRecords: number;
}

/** The share above the table that a cost may have. The number of statements of one operation never varies. */
const tolerance: Sum = { statements: 0, blocks: 0.1, walRecords: 0.1 };
/** Differences beyond that: of hint bits and page borders in cheap operations, and of the rounds of a set. */
const slack: Sum = { statements: 0.25, blocks: 12, walRecords: 4 };

/** The sum of blocks and WAL records, for the comparison of two times of one operation. */
export function workOf(cost: OperationCost): number {
  const { blocks, walRecords } = sumOf(cost);
  return blocks + walRecords;
}

/** The table as text. Its numbers are for one operation. */
export function tableOf(costs: readonly OperationCost[]): string {
  return `${costs.map(sectionOf).join('\n\n')}\n`;
}

/** Sentences about costs above the table; none: all are within it. */
export function excessesOver(table: string, costs: readonly OperationCost[]): string[] {
  const sections = new Map(
    table
      .trimEnd()
      .split('\n\n')
      .map((section) => [section.slice(0, section.indexOf('\n')), section]),
  );
  return costs.flatMap((cost) => {
    const section = sections.get(cost.operation);
    if (section === undefined) return [`“${cost.operation}” is not in the table.`];
    const before = sumIn(section);
    const now = sumOf(cost);
    const exceeded = (Object.keys(slack) as (keyof Sum)[]).filter(
      (kind) => now[kind] > before[kind] * (1 + tolerance[kind]) + slack[kind],
    );
    return exceeded.map(
      (kind) =>
        `“${cost.operation}” takes ${shown(now[kind])} ${kind}, and ${shown(before[kind])} by the table. ` +
        `Statements that cost more:\n${causesOf(section, cost, kind).join('\n')}`,
    );
  });
}

function sectionOf(cost: OperationCost): string {
  const { statements, blocks, walRecords } = sumOf(cost);
  const total = `${shown(statements)} statements, ${shown(blocks)} blocks, ${shown(walRecords)} walRecords`;
  return [cost.operation, total, ...linesOf(cost).map(([line]) => line)].join('\n');
}

/** The lines of statements, each with its costs. */
function linesOf({ statements, times }: OperationCost): (readonly [string, Sum, string])[] {
  return statements.map(({ text, calls, blocks, walRecords }) => {
    const sum = { statements: calls / times, blocks: blocks / times, walRecords: walRecords / times };
    const numbers = [sum.statements, sum.blocks, sum.walRecords].map((number) => shown(number).padStart(7)).join('');
    return [`${numbers}  ${text}`, sum, text] as const;
  });
}

function sumOf({ statements, times }: OperationCost): Sum {
  const sum = (of: (statement: CountedStatement) => number) =>
    statements.reduce((total, statement) => total + of(statement), 0) / times;
  return {
    statements: sum(({ calls }) => calls),
    blocks: sum(({ blocks }) => blocks),
    walRecords: sum(({ walRecords }) => walRecords),
  };
}

function sumIn(section: string): Sum {
  const [statements = 0, blocks = 0, walRecords = 0] = section
    .split('\n')[1]!
    .match(/[\d.]+/g)!
    .map(Number);
  return { statements, blocks, walRecords };
}

/** The lines of statements that cost more than in the section, or are not in it. */
function causesOf(section: string, cost: OperationCost, kind: keyof Sum): string[] {
  const place = { statements: 0, blocks: 1, walRecords: 2 }[kind];
  const before = new Map<string, number>();
  for (const line of section.split('\n').slice(2)) {
    const [, numbers = '', text = ''] = /^((?: *[\d.]+){3}) {2}(.*)$/.exec(line) ?? [];
    before.set(text, (before.get(text) ?? 0) + Number(numbers.trim().split(/ +/)[place]));
  }
  return linesOf(cost).flatMap(([line, sum, text]) => (sum[kind] > (before.get(text) ?? 0) * 1.02 ? [line] : []));
}

function shown(number: number): string {
  return String(Math.round(number * 100) / 100);
}

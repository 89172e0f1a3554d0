// Prints the reply to a command: a sentence and a table, or JSON.
import type { Reply, ReplyRow } from '../../lambda/operate/carry-out.ts';
import type { OperateArguments } from './command-line.ts';

type Value = ReplyRow[string];

export function printReply(reply: Reply, { isJson, request }: Pick<OperateArguments, 'isJson' | 'request'>): void {
  if (isJson) console.log(JSON.stringify({ id: request.id, ...reply }, null, 2));
  else if (reply.outcome === 'refused') console.error(reply.says);
  else
    console.log(
      [
        `${reply.outcome === 'dry_run' ? 'Nothing was changed. The effect would be: ' : ''}${reply.says}`,
        ...tableOf(reply.rows),
      ].join('\n'),
    );
}

/** The rows below the names of their columns, each column as wide as its widest value. */
export function tableOf(rows: readonly ReplyRow[]): string[] {
  const [first] = rows;
  if (!first) return [];
  const names = Object.keys(first);
  const table = [names, ...rows.map((row) => names.map((name) => textOf(row[name] ?? null)))];
  const widths = names.map((_, column) => Math.max(...table.map((cells) => cells[column]!.length)));
  return [
    '',
    ...table.map((cells) => `  ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')}`.trimEnd()),
  ];
}

// oxlint-disable-next-line no-control-regex -- these characters are what it is about
const movesCursor = /[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;

/** Escapes characters that move a terminal's cursor, because users chose many of the values. */
function textOf(value: Value): string {
  if (value === null) return '-';
  return String(value).replaceAll(
    movesCursor,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

// Tables as CSV, RFC 4180.

export type CSVValue = string | number | null;

/** @param lines the names of the columns, then the rows */
export function csvTable(lines: readonly (readonly CSVValue[])[]): string {
  return lines.map((line) => `${line.map(fieldOf).join(',')}\r\n`).join('');
}

/** Escapes a value. A text that spreadsheet programs would read as a formula gets a leading apostrophe. */
function fieldOf(value: CSVValue): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

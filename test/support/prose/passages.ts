// Finds the prose in a file: its comments, the blocks of a Markdown page, and the texts that users read.

/** A stretch of prose whose sentences belong together, such as a comment, a list item or a table cell. */
export interface Passage {
  readonly text: string;
  /** For each line of the text: the offset where it begins in `text`, and its line in the file, from 1. */
  readonly lines: readonly { readonly offset: number; readonly line: number }[];
}

interface Line {
  readonly text: string;
  readonly line: number;
}

/** Files whose string literals are texts for users, operators or API clients. */
const userTexts = [
  /^lambda\/(?:operations|surfaces)\//,
  /^lambda\/api\/mcp-guidance\.ts$/,
  /^lambda\/web\/words\//,
  /^lambda\/domain\/(?:.*\/)?[^/]*(?:words|readiness)[^/]*\.ts$/,
  /^lib\/monitoring\/alarms\.ts$/,
  /^lib\/stage-settings\.ts$/,
  /^bin\//,
];

/** The prose of a file of the repository; empty if the kind of file is not read. */
export function passagesOf(path: string, text: string): Passage[] {
  if (path.endsWith('.md')) return passagesOfMarkdown(text);
  if (/\.(?:tsx?|mjs|js)$/.test(path)) {
    return passagesOfCode(
      text,
      userTexts.some((pattern) => pattern.test(path)),
    );
  }
  if (path.endsWith('.css')) return passagesOfCode(text, false);
  if (path.endsWith('.sql')) return passagesOfMarkedLines(text, /^\s*--\s?/);
  if (/\.(?:ya?ml|sh|py|toml)$|(?:^|\/)Dockerfile$/.test(path)) return passagesOfMarkedLines(text, /^\s*#\s?/);
  return [];
}

function passagesOfMarkdown(text: string): Passage[] {
  const passages: Passage[] = [];
  let block: Line[] = [];
  let isFenced = false;
  const end = () => {
    if (block.length > 0) passages.push(joined(block));
    block = [];
  };
  for (const [index, source] of text.split('\n').entries()) {
    const line = index + 1;
    const isFence = /^\s*(?:```|~~~)/.test(source);
    if (isFence) isFenced = !isFenced;
    if (isFence || isFenced || /^\s*(?:$|<)/.test(source)) end();
    else if (/^\s*\|/.test(source)) {
      end();
      const cells = source.match(/(?:`[^`]*`|\\\||[^|])+/g) ?? [];
      for (const cell of cells) if (/\w/.test(cell)) passages.push(joined([{ text: cell.trim(), line }]));
    } else {
      const [marker = ''] = /^\s*(?:#+|[-*+]|\d+\.|>)\s+/.exec(source) ?? [];
      if (marker !== '') end();
      block.push({ text: source.slice(marker.length).trim(), line });
      if (marker.includes('#')) end();
    }
  }
  end();
  return passages;
}

/** Comments of whole lines. Consecutive lines are one passage. */
function passagesOfMarkedLines(text: string, marker: RegExp): Passage[] {
  const passages: Passage[] = [];
  let block: Line[] = [];
  for (const [index, source] of [...text.split('\n'), ''].entries()) {
    const content = marker.test(source) ? source.replace(marker, '').trim() : '';
    if (content !== '') block.push({ text: content, line: index + 1 });
    else if (block.length > 0) {
      passages.push(joined(block));
      block = [];
    }
  }
  return passages;
}

const token =
  /(?<line>\/\/.*)|(?<block>\/\*[^]*?\*\/)|(?<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")|(?<template>`)|(?<brace>[{}])|(?<word>[\w$]+|[)\]])|(?<regExp>\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*)|\S/gy;

/** Comments of TypeScript, JavaScript or CSS and, on request, its string literals that are sentences. */
function passagesOfCode(code: string, hasUserTexts: boolean): Passage[] {
  const passages: Passage[] = [];
  const lineOf = linesOf(code);
  let comment: Line[] = [];
  const endComment = () => {
    if (comment.length > 0) passages.push(joined(comment));
    comment = [];
  };
  const addText = (text: string, start: number) => {
    const isProse = hasUserTexts && /[A-Za-z]\S* +\S+ +\S/.test(text);
    if (isProse) passages.push(joined([{ text: text.replaceAll(/\\n|\s+/g, ' ').trim(), line: lineOf(start) }]));
    // Template literals contain SQL with comments of its own.
    if (/^\s*-- /m.test(text)) {
      for (const { text: found, lines } of passagesOfMarkedLines(text, /^\s*-- /)) {
        const moved = lines.map(({ offset, line }) => ({ offset, line: line + lineOf(start) - 1 }));
        passages.push({ text: found, lines: moved });
      }
    }
  };
  /** Reads tokens from the position to the brace that closes a template's expression, or to the end. */
  const read = (from: number): number => {
    let position = from;
    let depth = 0;
    let before = '';
    let open: { text: string; start: number; end: number } | null = null;
    const closeText = () => {
      if (open) addText(open.text, open.start);
      open = null;
    };
    /** A literal that `+` joins to the previous one continues its text. */
    const push = (text: string, start: number, end: number) => {
      if (open && /^\s*\+\s*$/.test(code.slice(open.end, start))) open = { ...open, text: open.text + text, end };
      else {
        closeText();
        open = { text, start, end };
      }
    };
    while (position < code.length) {
      const [space = ''] = /^\s+/.exec(code.slice(position, position + 400)) ?? [];
      if (space !== '') {
        position += space.length;
        continue;
      }
      token.lastIndex = position;
      const match = token.exec(code)!;
      const groups = match.groups!;
      let end = position + match[0].length;
      // A slash after a value divides, and one after `<` closes an element.
      if (groups['regExp'] !== undefined && /[\w$)\]}<]$/.test(before) && !/^(?:return|case|typeof)$/.test(before)) {
        end = position + 1;
      }
      if (groups['line'] !== undefined) {
        const last = comment.at(-1);
        const line = lineOf(position);
        if (last && (last.line !== line - 1 || code.slice(code.lastIndexOf('\n', position), position).trim() !== '')) {
          endComment();
        }
        comment.push({ text: groups['line'].slice(2).trim(), line });
      } else {
        endComment();
        if (groups['block'] !== undefined) addBlock(groups['block'], position);
        else if (groups['text'] !== undefined) push(unescaped(match[0].slice(1, -1)), position, end);
        else if (groups['template'] !== undefined) {
          const start = position;
          let text = '';
          position += 1;
          while (position < code.length && code[position] !== '`') {
            if (code[position] === '\\') {
              text += code.slice(position, position + 2);
              position += 2;
            } else if (code.startsWith('${', position)) {
              text += '`…`';
              position = read(position + 2) + 1;
            } else text += code[position++];
          }
          end = position + 1;
          push(text, start, end);
        } else if (groups['brace'] === '{') depth++;
        else if (groups['brace'] === '}' && --depth < 0) {
          closeText();
          return position;
        }
        before = match[0];
      }
      position = end;
    }
    closeText();
    endComment();
    return position;
  };
  /** Paragraphs of a block comment, and items of its lists, are passages. */
  const addBlock = (block: string, start: number) => {
    const first = lineOf(start);
    const bare = block.slice(2, -2).replaceAll(/^[ \t]*\*[ \t]?/gm, '');
    for (const { text, lines } of passagesOfMarkdown(bare.replace(/^\*/, ''))) {
      passages.push({ text, lines: lines.map(({ offset, line }) => ({ offset, line: line + first - 1 })) });
    }
  };
  read(0);
  return passages;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(['"])/g, '$1');
}

function joined(lines: readonly Line[]): Passage {
  let text = '';
  const starts: { offset: number; line: number }[] = [];
  for (const { text: part, line } of lines) {
    if (text !== '') text += ' ';
    starts.push({ offset: text.length, line });
    text += part;
  }
  return { text, lines: starts };
}

/** A function that gives the line of an offset in the text, from 1. */
function linesOf(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

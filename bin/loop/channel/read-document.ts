// Reads a channel file. Each fault has its line and column.
import { readFile } from 'node:fs/promises';
import { isNode, LineCounter, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import { LoopFailure } from '../failure.ts';
import { channelDocument } from './document.ts';
import type { ChannelDocument } from './document.ts';
import { isObject, mapped, nameInAPI, nameInFile, renamed } from './references.ts';

const mostBytes = 4 * 1024 ** 2;
const mostFaults = 20;

/** @throws {LoopFailure} with every fault at its place */
export async function readDocument(path: string): Promise<ChannelDocument> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) throw new LoopFailure('not_found', `There is no file ${path}.`);
  return parseChannel(text, path);
}

/** @param path for the messages @throws {LoopFailure} with every fault at its place */
export function parseChannel(text: string, path: string): ChannelDocument {
  if (text.length > mostBytes) throw new LoopFailure('usage', `${path} is larger than ${mostBytes} bytes.`);
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const at = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  const broken = document.errors.map(({ message, pos }) => `${at(pos[0])}: ${message}`);
  if (broken.length > 0) throw faultsOf(path, broken);
  const given = inNamesOfAPI(document.toJS() as unknown);
  const parsed = channelDocument.safeParse(given);
  if (parsed.success) return withWholeItems(given) as ChannelDocument;
  const lines = parsed.error.issues.flatMap(leavesOf).map(({ path: place, message }) => {
    const inFile = place.map((step) => (typeof step === 'string' ? nameInFile(step) : Number(step)));
    return `${at(offsetOf(document, inFile))}: ${inFile.join('.')}: ${message}`;
  });
  throw faultsOf(path, [...new Set(lines)]);
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly errors?: readonly (readonly Issue[])[];
}

/** The faults of a union are those of its form whose faults lie deepest, as it is the nearest to the given value. */
function leavesOf({ path, message, errors = [] }: Issue): Issue[] {
  const depthOf = (issues: readonly Issue[]) => Math.max(...issues.map((issue) => issue.path.length));
  const [nearest = []] = errors.toSorted((one, other) => depthOf(other) - depthOf(one));
  if (nearest.length === 0) return [{ path, message }];
  return nearest.flatMap((issue) => leavesOf({ ...issue, path: [...path, ...issue.path] }));
}

/** The place of a field; of a missing one, that of the thing which lacks it. */
function offsetOf(document: Document, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

/** The names of things are kept; the fields of each thing get the names of the API. */
function inNamesOfAPI(given: unknown): unknown {
  const each = (of: unknown, change: (value: unknown) => unknown) =>
    isObject(of) ? Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value)])) : of;
  return each(given, (things) => each(things, (thing) => renamed(thing, nameInAPI)));
}

/** Items of playlists that are only a name become objects, so that all references have a field. */
function withWholeItems(value: unknown): unknown {
  const whole = (item: unknown) => (typeof item === 'string' ? { uploadID: item } : item);
  return mapped(value, (name, each) => [name, name === 'items' && Array.isArray(each) ? each.map(whole) : each]);
}

function faultsOf(path: string, lines: readonly string[]): LoopFailure {
  const more = lines.length > mostFaults ? [`  … and ${lines.length - mostFaults} more`] : [];
  return new LoopFailure('usage', `${path} is not a channel:`, {
    lines: [...lines.slice(0, mostFaults).map((line) => `  ${line}`), ...more],
  });
}

// The process that draws texts: it reads a request as JSON from stdin, and writes the sheet to stdout.
import { json } from 'node:stream/consumers';
import { drawSheet } from './draw-sheet.ts';
import type { DrawingRequest } from './text-sheet.ts';

const { png, texts } = drawSheet((await json(process.stdin)) as DrawingRequest);
const placed = Buffer.from(JSON.stringify(texts));
const length = Buffer.alloc(4);
length.writeUInt32BE(placed.length);
process.stdout.write(Buffer.concat([length, placed, png]));

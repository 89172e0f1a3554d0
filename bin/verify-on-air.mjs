// Verifies a signed statement of the media that a stream sent, and prints its log.
// node verify-on-air.mjs STATEMENT JWKS [FILE…] needs nothing else.
// FILEs are the played files; the statement has to name each by its SHA-256.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';

const [statementPath, jwksPath, ...files] = process.argv.slice(2);
if (!jwksPath) fail('node verify-on-air.mjs STATEMENT JWKS [FILE…]');
const statement = verified(readFileSync(statementPath, 'utf8').trim(), JSON.parse(readFileSync(jwksPath, 'utf8')));
const hashes = new Set(statement.runs.flatMap(({ items }) => items.map(({ sha256 }) => sha256)));
for (const file of files) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  if (!hashes.has(hash.digest('hex'))) fail(`${file} is none of the files that were played`);
}
process.stdout.write('startAt,name,sha256,outputID,airedFromSeconds,airedToSeconds\n');
for (const run of statement.runs) for (const row of rowsOf(run)) process.stdout.write(`${row.map(cell).join(',')}\n`);

/** The content of a compact JWS (ES256) of our kind, by the key of the set that it names. */
function verified(jws, { keys }) {
  const parts = jws.split('.');
  // Each text has one spelling only: the last character may hold unused bits.
  const isSpeltAlike = (part) => Buffer.from(part, 'base64url').toString('base64url') === part;
  if (parts.length !== 3 || !parts.every(isSpeltAlike)) fail('this is not a statement that was signed');
  const [head, body, signature] = parts;
  const { alg, typ, kid } = parse(head);
  const jwk = keys.find((key) => key.kid === kid);
  if (alg !== 'ES256' || typ !== 'on-air+jwt' || !jwk) fail('the statement is signed by none of these keys');
  const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' };
  if (!verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url')))
    fail('the statement was changed after it was signed');
  return parse(body);
}

function parse(part) {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return fail('this is not a statement that was signed');
  }
}

/** The parts of each playback of an item that aired, by time. */
function* rowsOf({ anchoredAt, framesPerSecond, items, entries, aired, sessions = [] }) {
  const timeOf = (frame) => new Date(Date.parse(anchoredAt) + Math.ceil((frame * 1000) / framesPerSecond - 1e-6));
  const endFrame = Math.ceil(((Date.parse(statement.to) - Date.parse(anchoredAt)) * framesPerSecond) / 1000 - 1e-6);
  const seconds = (frames) => Math.round((frames / framesPerSecond) * 1e6) / 1e6;
  const lastFrame = Math.min(
    endFrame,
    aired.reduce((last, { toFrame }) => Math.max(last, toFrame), 0),
  );
  for (const [index, entry] of entries.entries()) {
    // The next entry cuts an item off.
    const entryEnd = entries[index + 1]?.fromFrame ?? Infinity;
    const end = Math.min(entryEnd, lastFrame);
    const framesOf = (numbers) => numbers.reduce((sum, number) => sum + items[number].frames, 0);
    const lapFrames = framesOf(entry.items);
    // The lap that the entry before has begun is shorter than the others.
    const [firstLap, firstFrame] = entry.lapUnderWay
      ? [1, entry.fromFrame + framesOf(entry.lapUnderWay.rest)]
      : [0, entry.fromFrame];
    const fromFrame = ((Date.parse(statement.from) - Date.parse(anchoredAt)) * framesPerSecond) / 1000;
    const isUnderWay = firstLap === 1 && fromFrame < firstFrame;
    const laps = Math.max(0, Math.floor((fromFrame - firstFrame) / lapFrames));
    let lap = isUnderWay ? 0 : firstLap + laps;
    for (let start = isUnderWay ? entry.fromFrame : firstFrame + laps * lapFrames; start < end; lap++) {
      for (const number of orderOfLap(entry, lap)) {
        const item = items[number];
        const [from, to] = [start, Math.min(start + item.frames, entryEnd)];
        start += item.frames;
        if (from >= end) break;
        if (timeOf(to) <= Date.parse(statement.from)) continue;
        for (const part of aired.filter(({ fromFrame, toFrame }) => fromFrame < to && toFrame > from)) {
          const { standInUploadID: standIn } = part;
          // A live session has a hash of all its segments in place of that of a file.
          const others = [...items, ...sessions];
          const played = standIn ? others.find(({ uploadID, id }) => (uploadID ?? id) === standIn) : item;
          const [first, last] = [Math.max(from, part.fromFrame), Math.min(to, part.toFrame)];
          const position = [seconds(first - from), seconds(last - from)];
          yield [timeOf(from).toISOString(), played?.name, played?.sha256, part.outputID, ...position];
        }
      }
    }
  }
}

/**
 * The order of the platform. A shuffle is drawn by its seed. No lap begins with the last item of the one before, and,
 * if laps are spread, none of the last third of a lap is in the first third of the next one.
 */
function orderOfLap({ mode, seed, items, isSpread, lapUnderWay }, lap) {
  if (mode === 'sequential') return items;
  if (lapUnderWay && lap === 0) return lapUnderWay.rest;
  if (items.length < 2) return items;
  const underWay = [...(lapUnderWay?.heard ?? []), ...(lapUnderWay?.rest ?? [])];
  const before = lap === 0 ? [] : lap === 1 && lapUnderWay ? underWay : permutation(items, seed, lap - 1);
  const order = permutation(items, seed, lap);
  if (isSpread && items.length === 2) {
    const [one, other] = permutation(items, seed, 0);
    return underWay.at(-1) === one ? [other, one] : [one, other];
  }
  if (isSpread) return spread(order, before);
  if (before.at(-1) === order[0] && order.length > 2) [order[0], order[1]] = [order[1], order[0]];
  return order;
}

function spread(order, before) {
  const third = Math.max(1, Math.floor(order.length / 3));
  const late = new Set(before.slice(-third));
  const moved = order.slice(0, third).filter((item) => late.has(item));
  const others = order.slice(third, order.length - third).filter((item) => !late.has(item));
  const exchanged = moved.map((item, index) => [item, others[index]]);
  const places = new Map(
    exchanged.flatMap(([one, other]) => [
      [one, other],
      [other, one],
    ]),
  );
  return order.map((item) => places.get(item) ?? item);
}

function permutation(items, seed, lap) {
  let state = (seed ^ Math.imul(lap + 1, 0x9e3779b1)) >>> 0;
  const order = [...items];
  for (let last = order.length - 1; last > 0; last--) {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    const other = Math.floor((((value ^ (value >>> 14)) >>> 0) / 4_294_967_296) * (last + 1));
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}

/** Escapes a text that a spreadsheet would read as a formula. */
function cell(value) {
  if (typeof value !== 'string') return value ?? '';
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function fail(why) {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

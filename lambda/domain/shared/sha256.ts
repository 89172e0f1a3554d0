// SHA-256 (FIPS 180-4) of short texts: rules of this folder may not use Node's own, which is the same.

const wordBits = 32;
const roundCount = 64;
const [hashStart, roundConstants] = [fractions(2, 8), fractions(3, roundCount)];

/** @returns 64 hexadecimal digits, of the text in UTF-8 */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const padded = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / 64) * 64));
  bytes.forEach((byte, index) => padded.setUint8(index, byte));
  padded.setUint8(bytes.length, 0x80);
  padded.setUint32(padded.byteLength - 4, bytes.length * 8);
  const hash = Uint32Array.from(hashStart);
  for (let block = 0; block < padded.byteLength; block += 64) addBlock(hash, padded, block);
  return [...hash].map((word) => word.toString(16).padStart(8, '0')).join('');
}

function addBlock(hash: Uint32Array, padded: DataView, block: number): void {
  const words = new Uint32Array(roundCount);
  for (let round = 0; round < roundCount; round++) {
    if (round < 16) {
      words[round] = padded.getUint32(block + 4 * round);
      continue;
    }
    const [early, late] = [words[round - 15]!, words[round - 2]!];
    const small = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const large = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    words[round] = words[round - 16]! + small + words[round - 7]! + large;
  }
  let [a, b, c, d, e, f, g, h] = hash as unknown as [number, number, number, number, number, number, number, number];
  for (let round = 0; round < roundCount; round++) {
    const sums = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const one = (h + sums + ((e & f) ^ (~e & g)) + roundConstants[round]! + words[round]!) | 0;
    const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => (hash[index] = hash[index]! + word));
}

function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (wordBits - bits));
}

/** The first 32 bits of the fractions of roots of the first primes. @param degree 2: square roots, 3: cube roots */
function fractions(degree: number, count: number): number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate++)
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  return primes.map((prime) => {
    const root = degree === 2 ? Math.sqrt(prime) : Math.cbrt(prime);
    return Math.floor((root - Math.floor(root)) * 2 ** wordBits);
  });
}

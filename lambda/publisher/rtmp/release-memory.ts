// Frees the memory of buffers that a peer has filled, without waiting for the garbage collector.

/** Smaller buffers may share their memory with others, and are not worth the work. */
const leastBytes = 16 * 1024;

/**
 * Frees the memory of a buffer that nothing uses any more, unless it is a part of a larger one. The garbage collector
 * frees memory outside of its heap late, and a peer can fill hundreds of megabytes of it in a second.
 */
export function releaseMemory({ buffer, byteLength }: Buffer): void {
  const isAlone = buffer.byteLength === byteLength && byteLength >= leastBytes;
  if (isAlone && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

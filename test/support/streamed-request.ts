// A request with a long body that comes in pieces, without a Content-Length.

const pieceBytes = 16 * 1024;
const wholeBytes = 8 * 1024 * 1024;

/** @returns the request, and the number of bytes that its reader has taken */
export function streamedRequest(
  url: string,
  headers: Record<string, string> = {},
): { readonly request: Request; takenBytes: () => number } {
  let taken = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      taken += pieceBytes;
      controller.enqueue(new Uint8Array(pieceBytes).fill(0x78));
      if (taken >= wholeBytes) controller.close();
    },
  });
  const init = { method: 'POST', headers, body, duplex: 'half' } as const;
  return { request: new Request(url, init), takenBytes: () => taken };
}

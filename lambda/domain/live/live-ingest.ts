// The addresses at which a stage receives contributors, and the cores that it has for them.

/** Addresses of RTMP with their application, and of SRT; an absent one is not offered. At least one is there. */
export interface LiveIngest {
  readonly rtmpURL?: string;
  readonly rtmpsURL?: string;
  readonly srtURL?: string;
  /** Cores of the machine of each ingest; absent: unknown, as while a GPU encodes. */
  readonly cores?: number;
  /** Those of them that all users have together who are not funded; absent: all. */
  readonly coresOfUnfunded?: number;
}

export const liveProtocols = ['rtmps', 'srt', 'rtmp'] as const;
export type LiveProtocol = (typeof liveProtocols)[number];

/** The addresses by protocol, the encrypted one first. */
export function ingestAddresses(
  ingest: LiveIngest | null,
): readonly { readonly protocol: LiveProtocol; readonly url: string }[] {
  return liveProtocols.flatMap((protocol) => {
    const url = ingest?.[`${protocol}URL`];
    return url === undefined ? [] : [{ protocol, url }];
  });
}

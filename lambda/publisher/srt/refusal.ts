// Meanings of a listener's reason to refuse a caller (draft-sharabayko-srt-01, and access_control.h of libsrt).
import type { DestinationErrorCode } from '../destination/destination-error.ts';

const meanings: Readonly<Record<number, DestinationErrorCode>> = {
  1003: 'server_full',
  1005: 'server_full',
  1010: 'passphrase_refused',
  1011: 'passphrase_refused',
  1400: 'stream_id_refused',
  1401: 'stream_id_refused',
  1402: 'server_full',
  1403: 'stream_id_refused',
  1404: 'stream_id_refused',
  1406: 'stream_id_refused',
  1407: 'already_publishing',
  1409: 'already_publishing',
};

export function meaningOfRefusal(reason: number): DestinationErrorCode {
  // libsrt adds 1000 to reasons that it has not defined itself.
  return meanings[reason] ?? meanings[reason - 1000] ?? 'caller_refused';
}

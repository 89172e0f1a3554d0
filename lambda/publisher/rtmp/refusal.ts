// The meaning of a server's refusal. Servers agree on few codes, so their descriptions are read too.
import type { Amf0Value } from './amf0.ts';
import { asObject } from './command.ts';
import type { DestinationErrorCode } from '../destination/destination-error.ts';

/**
 * Patterns that are tried in this order on "code description". By Adobe's definition BadName means a name in use, but
 * some servers send it for an unknown key.
 */
const meanings: readonly (readonly [RegExp, DestinationErrorCode])[] = [
  // Adobe's and Limelight's RTMP authentication, which Wowza asks for by default.
  [/authmod=|need ?auth/i, 'login_required'],
  [
    /already|in use|duplicate|conflict|\bbusy\b.*\b(?:stream|name|key)|\b(?:stream|name|key)\b.*\bbusy/i,
    'already_publishing',
  ],
  [/\bfull\b|capacity|too many|overload|busy|insufficientbw|limit|maximum|exceeded|quota/i, 'server_full'],
  [/denied|unauthori[sz]ed|forbidden|not allowed|authentication/i, 'key_refused'],
  [/invalid|expired|not found|no such|not exist|unknown|wrong/i, 'key_refused'],
  [/BadName/i, 'already_publishing'],
];

/**
 * Characters of a server's text that are read. A server can send megabytes, and the time of the patterns grows with the
 * square of the length.
 */
const maxReadLength = 1000;

/** Meanings that a refusal of connect may have. Other words in it are not about the key, which comes later. */
const meantOfApplication: ReadonlySet<DestinationErrorCode> = new Set(['server_full', 'login_required']);

const refusingCodes = /BadName|Denied|Rejected|Failed|Unauthorized|Unpublish|Closed|AppShutdown|InvalidApp/i;
/** A server that cannot record takes the stream nevertheless. */
const harmlessCodes = /^NetStream\.Record\./;

/** True if the status object of an onStatus refuses or ends the stream. */
export function isRefusal(info: Amf0Value): boolean {
  const { level, code } = asObject(info);
  if (typeof code !== 'string') return level === 'error';
  return !harmlessCodes.test(code) && (level === 'error' || refusingCodes.test(code));
}

/**
 * @param info the status object of an onStatus or _error
 * @param fallback the meaning, at this step, of a refusal without a reason
 */
export function refusalCode(info: Amf0Value, fallback: DestinationErrorCode): DestinationErrorCode {
  const { code, description } = asObject(info);
  const text = [code, description]
    .filter((part) => typeof part === 'string')
    .join(' ')
    .slice(0, maxReadLength);
  const meaning = meanings.find(([pattern]) => pattern.test(text))?.[1] ?? fallback;
  return fallback === 'app_refused' && !meantOfApplication.has(meaning) ? fallback : meaning;
}

/** The URL of a redirect (code 302 of Flash Media Server and Wowza) in a refusal of connect; null without one. */
export function redirectOf(info: Amf0Value): string | null {
  const { redirect } = asObject(asObject(info)['ex']);
  return typeof redirect === 'string' && redirect !== '' ? redirect : null;
}

/**
 * Reads a status that asks for a new connection (Enhanced RTMP v2, Reconnect Request).
 * @returns null for another status; `reference` is the new address, or null for the present one
 */
export function reconnectRequestOf(info: Amf0Value): { readonly reference: string | null } | null {
  const { code, tcUrl } = asObject(info);
  if (code !== 'NetConnection.Connect.ReconnectRequest') return null;
  return { reference: typeof tcUrl === 'string' && tcUrl !== '' ? tcUrl : null };
}

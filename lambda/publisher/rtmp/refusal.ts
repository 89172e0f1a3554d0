// What a server's refusal means; servers agree on few codes, so their descriptions are read too.
import type { Amf0Value } from './amf0.ts';
import { asObject } from './command.ts';
import type { DestinationErrorCode } from './destination-error.ts';

/** Tried in order on "code description". BadName is a name in use by the book (Adobe), but some servers mean an unknown key. */
const meanings: readonly (readonly [RegExp, DestinationErrorCode])[] = [
  [/already|in use|duplicate|conflict/i, 'already_publishing'],
  [/\bfull\b|capacity|too many|overload|busy|insufficientbw|limit/i, 'server_full'],
  [/denied|unauthori[sz]ed|forbidden|invalid|expired|not found|unknown|wrong/i, 'key_refused'],
  [/BadName/, 'already_publishing'],
];

const refusingCodes = /BadName|Denied|Rejected|Failed|Unauthorized|Unpublish|Closed/i;

/** Whether the status object of an onStatus ends, or does not let begin, what we asked for. */
export function isRefusal(info: Amf0Value): boolean {
  const { level, code } = asObject(info);
  return level === 'error' || (typeof code === 'string' && refusingCodes.test(code));
}

/**
 * @param info the status object of an onStatus or _error
 * @param asked what a refusal without a reason means; one of the application says nothing about the key
 */
export function refusalCode(info: Amf0Value, asked: DestinationErrorCode): DestinationErrorCode {
  const { code, description } = asObject(info);
  const text = [code, description].filter((part) => typeof part === 'string').join(' ');
  const meaning = meanings.find(([pattern]) => pattern.test(text))?.[1] ?? asked;
  return asked === 'app_refused' && meaning !== 'server_full' ? asked : meaning;
}

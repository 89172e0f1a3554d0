// What a server's refusal means; servers agree on few codes, so their descriptions are read too.
import type { Amf0Value } from './amf0.ts';
import { asObject } from './command.ts';
import type { DestinationErrorCode } from './destination-error.ts';

/** Tried in order on "code description". BadName is a name in use by the book (Adobe), but some servers mean an unknown key. */
const meanings: readonly (readonly [RegExp, DestinationErrorCode])[] = [
  // Adobe's and Limelight's RTMP authentication, which Wowza asks for by default.
  [/authmod=|need ?auth/i, 'login_required'],
  [
    /already|in use|duplicate|conflict|\bbusy\b.*\b(?:stream|name|key)|\b(?:stream|name|key)\b.*\bbusy/i,
    'already_publishing',
  ],
  [/\bfull\b|capacity|too many|overload|busy|insufficientbw|limit|maximum|exceeded|quota/i, 'server_full'],
  [
    /denied|unauthori[sz]ed|forbidden|not allowed|invalid|expired|not found|no such|not exist|unknown|wrong|authentication/i,
    'key_refused',
  ],
  [/BadName/i, 'already_publishing'],
];

/** Of what is said, since a server can say megabytes, and how long the patterns take grows with its square. */
const maxReadLength = 1000;

/** Said of the application too. All else that is said at connect says nothing about the key. */
const meantOfApplication: ReadonlySet<DestinationErrorCode> = new Set(['server_full', 'login_required']);

const refusingCodes = /BadName|Denied|Rejected|Failed|Unauthorized|Unpublish|Closed|AppShutdown|InvalidApp/i;
/** A server that cannot record takes the stream nevertheless. */
const harmlessCodes = /^NetStream\.Record\./;

/** Whether the status object of an onStatus ends, or does not let begin, what we asked for. */
export function isRefusal(info: Amf0Value): boolean {
  const { level, code } = asObject(info);
  if (typeof code !== 'string') return level === 'error';
  return !harmlessCodes.test(code) && (level === 'error' || refusingCodes.test(code));
}

/**
 * @param info the status object of an onStatus or _error
 * @param asked what a refusal without a reason means; one of the application says nothing about the key
 */
export function refusalCode(info: Amf0Value, asked: DestinationErrorCode): DestinationErrorCode {
  const { code, description } = asObject(info);
  const text = [code, description]
    .filter((part) => typeof part === 'string')
    .join(' ')
    .slice(0, maxReadLength);
  const meaning = meanings.find(([pattern]) => pattern.test(text))?.[1] ?? asked;
  return asked === 'app_refused' && !meantOfApplication.has(meaning) ? asked : meaning;
}

/** Where a refusal of connect sends its publisher (Flash Media Server, Wowza: code 302 and a URL in `ex`); null when it does not. */
export function redirectOf(info: Amf0Value): string | null {
  const { redirect } = asObject(asObject(info)['ex']);
  return typeof redirect === 'string' && redirect !== '' ? redirect : null;
}

/** Whether a status asks the publisher to connect again (Enhanced RTMP v2, Reconnect Request), and where: null for the same place. */
export function reconnectRequestOf(info: Amf0Value): { readonly reference: string | null } | null {
  const { code, tcUrl } = asObject(info);
  if (code !== 'NetConnection.Connect.ReconnectRequest') return null;
  return { reference: typeof tcUrl === 'string' && tcUrl !== '' ? tcUrl : null };
}

// The words of a check for users: the blame for a fault, and advice.
import type { CheckBlame } from '../../domain/destinations/destination-check.ts';
import type { DestinationErrorCode } from '../destination/destination-error.ts';

interface Verdict {
  readonly blame: CheckBlame;
  /** Advice, if the words of the error have none. */
  readonly advice?: string;
}

/** The destination is to blame for errors that are not listed. */
const verdicts: Partial<Record<DestinationErrorCode, Verdict>> = {
  address_forbidden: { blame: 'caller', advice: 'Use the public address that the platform shows.' },
  name_not_found: { blame: 'caller', advice: 'Look for a typing error in the address.' },
  name_not_resolved: { blame: 'destination', advice: 'Check again in a minute.' },
  unreachable: {
    blame: 'destination',
    advice: 'Check the port, and whether the server runs and lets the internet in.',
  },
  unanswered: {
    blame: 'destination',
    advice: 'Check the address and the port, and whether a firewall drops connections from the internet.',
  },
  timed_out: {
    blame: 'destination',
    advice: 'The port is open, but silent: check the port, and whether it wants rtmp:// or rtmps://.',
  },
  certificate_expired: { blame: 'destination', advice: 'Whoever runs the server has to renew it.' },
  tls_failed: {
    blame: 'destination',
    advice: 'Use the host name that the certificate is for, or rtmp:// where the server has no TLS.',
  },
  handshake_failed: { blame: 'caller', advice: 'Check the host and the port.' },
  app_refused: { blame: 'caller', advice: 'Copy the address from the platform’s live settings again.' },
  login_required: { blame: 'caller' },
  server_full: { blame: 'destination', advice: 'Check again later.' },
};

/** @returns the blame for an error, and advice beyond the words of the error */
export function verdictOn(code: DestinationErrorCode): Verdict {
  return verdicts[code] ?? { blame: 'destination' };
}

/** The result of a check that failed by our fault. */
export const ourFault = {
  failure: { code: 'publisher_failed', blame: 'ours' },
  detail: 'The publisher made a mistake while it checked. Check again in a minute.',
} as const;

// TLS sessions of destinations, so that many streams that come back at once spare their server, and us, the certificates.
import { LRUCache } from 'lru-cache';
import type { TLSSocket } from 'node:tls';
import type { RtmpURL } from '../../domain/rtmp-url.ts';

type Endpoint = Pick<RtmpURL, 'hostname' | 'port'>;

interface KnownSession {
  readonly session: Buffer;
  readonly certificateEndsAtMs: number;
}

const maxSessions = 1000;

/** One for all connections of a process. */
export class TlsSessions {
  readonly #known = new LRUCache<string, KnownSession>({ max: maxSessions });

  /** What to resume; undefined where nothing is known, or the certificate it was made with has expired. */
  of(endpoint: Endpoint): Buffer | undefined {
    const known = this.#known.get(keyOf(endpoint));
    return known && Date.now() < known.certificateEndsAtMs ? known.session : undefined;
  }

  /** @param socket of which chain and host name are verified: with a resumed session Node does not look at the name again */
  keep(endpoint: Endpoint, socket: TLSSocket): void {
    const certificate = socket.getPeerX509Certificate();
    const certificateEndsAtMs = certificate
      ? certificate.validToDate.getTime()
      : this.#known.get(keyOf(endpoint))?.certificateEndsAtMs;
    if (certificateEndsAtMs === undefined) return;
    const keep = (session: Buffer | undefined) =>
      session && this.#known.set(keyOf(endpoint), { session, certificateEndsAtMs });
    // In TLS 1.3 tickets come after the handshake, in 1.2 the session is there with it.
    if (socket.getProtocol() === 'TLSv1.2') keep(socket.getSession());
    else socket.on('session', keep);
  }
}

function keyOf({ hostname, port }: Endpoint): string {
  return `${hostname}:${port}`;
}

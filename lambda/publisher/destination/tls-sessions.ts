// TLS sessions of destinations, to resume later: a new connection then needs no exchange of certificates.
import { LRUCache } from 'lru-cache';
import type { TLSSocket } from 'node:tls';
import type { PublishServer } from '../../domain/destinations/ways/way-out.ts';

type Endpoint = Pick<PublishServer, 'hostname' | 'port'>;

interface KnownSession {
  readonly session: Buffer;
  readonly certificateEndsAtMs: number;
}

const maxSessions = 1000;

/** One per process, for all of its connections. */
export class TlsSessions {
  readonly #known = new LRUCache<string, KnownSession>({ max: maxSessions });

  /** The session to resume; undefined without one, or if its certificate has expired. */
  of(endpoint: Endpoint): Buffer | undefined {
    const known = this.#known.get(keyOf(endpoint));
    return known && Date.now() < known.certificateEndsAtMs ? known.session : undefined;
  }

  /**
   * @param socket a socket with a verified certificate chain and host name: Node does not check the name again when it
   * resumes a session
   */
  keep(endpoint: Endpoint, socket: TLSSocket): void {
    const certificate = socket.getPeerX509Certificate();
    const certificateEndsAtMs = certificate
      ? certificate.validToDate.getTime()
      : this.#known.get(keyOf(endpoint))?.certificateEndsAtMs;
    if (certificateEndsAtMs === undefined) return;
    const keep = (session: Buffer | undefined) => {
      if (session) this.#known.set(keyOf(endpoint), { session, certificateEndsAtMs });
    };
    // TLS 1.2 has the session after the handshake; in TLS 1.3 the server sends its tickets later.
    if (socket.getProtocol() === 'TLSv1.2') keep(socket.getSession());
    else socket.on('session', keep);
  }
}

function keyOf({ hostname, port }: Endpoint): string {
  return `${hostname}:${port}`;
}

// Serves the platform on the local site: the handlers of AWS, and the pages that only a local run has.
import { guidance } from '../../lambda/api/mcp-guidance.ts';
import { withConsentCallback } from '../../lambda/api/consent-callback.ts';
import { withGuides } from '../../lambda/api/guides.ts';
import { withPaymentCallbacks } from '../../lambda/api/payment-callbacks.ts';
import { createAuthHandler } from '../../lambda/auth/auth-handler.ts';
import type { Log } from '../../lambda/log.ts';
import type { Mailer } from '../../lambda/ports/mailer/mailer.ts';
import { createGraphqlHandler } from '../../lambda/surfaces/graphql/graphql-handler.ts';
import { createMcpHandler } from '../../lambda/surfaces/mcp/mcp-handler.ts';
import { createRestHandler } from '../../lambda/surfaces/rest/rest-handler.ts';
import type { RestService } from '../../lambda/surfaces/service.ts';
import { localSettings } from '../../lambda/settings.ts';
import type { LocalConnections } from './connections.ts';
import { createPaymentPages } from './payment-pages.ts';
import type { RtmpSink } from './rtmp-sink/rtmp-sink.ts';
import type { ReservedSite, SiteOptions } from './site.ts';

export interface ServePlatformOptions {
  readonly service: RestService;
  readonly connections: LocalConnections;
  readonly mailer: Mailer;
  readonly sink: RtmpSink;
  readonly rtmpURL: string;
  readonly readMeasures: SiteOptions['readMeasures'];
  readonly clock: () => Date;
  readonly log: Log;
}

/** Begins to answer requests, including those that waited at the reserved site. */
export function servePlatform(site: ReservedSite, options: ServePlatformOptions): void {
  const { service, connections, mailer, sink, rtmpURL, readMeasures, clock, log } = options;
  const { rateLimitFactor } = localSettings;
  site.serve({
    rest: withPaymentCallbacks(
      withConsentCallback(withGuides(createRestHandler(service), service), service),
      connections,
      connections.pool,
      log,
    ),
    mcp: createMcpHandler(service, guidance),
    graphql: createGraphqlHandler(service),
    auth: createAuthHandler({ ...connections, mailer, rateLimitFactor, clock, log }),
    paymentPages: createPaymentPages(connections, site.url),
    youtube: connections.youtube,
    objects: connections.objects,
    sink,
    rtmpURL,
    readMeasures,
    log,
  });
}

// The built-in destination of the local run: an RTMP ingest whose channels can be watched over HTTP-FLV.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { ChannelDirectory } from './channel-directory.ts';
import type { Channel } from './channel.ts';
import { PublisherSession } from './publisher-session.ts';

const maxConnections = 1000;

export interface RtmpSink {
  readonly port: number;
  /** Live ones and those that were, in the order of their first publisher. */
  channels(): readonly Channel[];
  /** Answers with the channel as live FLV: headers, the last GOP, then what comes. 404 when it is not live. The response ends with the broadcast. */
  serveFlv(channelID: string, request: IncomingMessage, response: ServerResponse): void;
  /** Ends publishers and viewers. */
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1 and takes any app and key, one publisher at a time for each.
 * @param options.port 0 for any
 * @throws the system's error, with code EADDRINUSE when the port is taken
 */
export async function startRtmpSink({ port }: { readonly port: number }): Promise<RtmpSink> {
  const directory = new ChannelDirectory();
  const sessions = new Set<PublisherSession>();
  const server = createServer({ noDelay: true }, (socket) => {
    const session = new PublisherSession(socket, directory);
    sessions.add(session);
    socket.once('close', () => sessions.delete(session));
  });
  server.maxConnections = maxConnections;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    channels: () => directory.channels(),
    serveFlv: (channelID, request, response) => {
      const broadcast = directory.liveBroadcast(channelID);
      if (!broadcast)
        response
          .writeHead(404, { 'content-type': 'text/plain', 'cache-control': 'no-store' })
          .end('This channel is not live.\n');
      else if (request.method === 'HEAD') response.writeHead(200, { 'content-type': 'video/x-flv' }).end();
      else broadcast.addViewer(response);
    },
    close: async () => {
      server.close();
      const closed = once(server, 'close');
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}

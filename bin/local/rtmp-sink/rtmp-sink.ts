// The built-in ingest of the local run: it receives RTMP, and its channels can be watched over HTTP-FLV.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { ChannelDirectory } from './channel-directory.ts';
import type { Channel } from './channel.ts';
import { PublisherConnection } from './publisher-connection.ts';

const maxConnections = 1000;

export interface RtmpSink {
  readonly port: number;
  /** Live and ended channels, in the order of their first broadcasts. */
  channels(): readonly Channel[];
  /**
   * Answers with a channel as live FLV: the headers, all tags since the last keyframe, then live tags. The response
   * ends with the broadcast. If the channel is not live, the answer is 404.
   */
  serveFlv(channelID: string, request: IncomingMessage, response: ServerResponse): void;
  /** From now on, an application accepts only the stream keys that `isKey` accepts. */
  requireKeys(app: string, isKey: (streamKey: string) => boolean): void;
  /** Disconnects publishers and viewers. */
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1. Accepts any application and any stream key, unless keys are required, from one publisher at a
 * time for each.
 * @param options.port 0 for any free port
 * @throws the system's error, with the code EADDRINUSE if the port is taken
 */
export async function startRtmpSink({ port }: { readonly port: number }): Promise<RtmpSink> {
  const directory = new ChannelDirectory();
  const connections = new Set<PublisherConnection>();
  const server = createServer({ noDelay: true }, (socket) => {
    const connection = new PublisherConnection(socket, directory);
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
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
      if (!broadcast) {
        const headers = { 'content-type': 'text/plain', 'cache-control': 'no-store' };
        response.writeHead(404, headers).end('This channel is not live.\n');
      } else if (request.method === 'HEAD') response.writeHead(200, { 'content-type': 'video/x-flv' }).end();
      else broadcast.addViewer(response);
    },
    requireKeys: (app, isKey) => directory.requireKeys(app, isKey),
    close: async () => {
      server.close();
      const closed = once(server, 'close');
      for (const connection of connections) connection.destroy();
      await closed;
    },
  };
}

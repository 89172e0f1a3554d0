// The server's side of one publisher's RTMP connection.
import type { Socket } from 'node:net';
import type { Amf0Value } from '../../../lambda/publisher/rtmp/amf0.ts';
import { asObject, commandMessage, readCommand } from '../../../lambda/publisher/rtmp/command.ts';
import type { RtmpCommand } from '../../../lambda/publisher/rtmp/command.ts';
import type { RtmpMessage } from '../../../lambda/publisher/rtmp/message.ts';
import { RtmpConnection } from '../../../lambda/publisher/rtmp/rtmp-connection.ts';
import type { Broadcast } from './broadcast.ts';

/** Time for a client to publish, in milliseconds. Then it is disconnected. */
const publishTimeoutMs = 10_000;

/** Bytes of unread answers after which a client that sends commands is disconnected. */
const maxQueuedAnswersBytes = 1024 * 1024;

const chunkSize = 4096;
const onlyStreamID = 1;

export interface PublisherHost {
  /** Whether the application accepts the stream key. */
  mayPublish(app: string, streamKey: string): boolean;
  /** Begins a broadcast under the stream key. @returns null if the key is live already */
  begin(app: string, streamKey: string): Broadcast | null;
  end(broadcast: Broadcast): void;
}

/** Serves one connection until it ends. */
export class PublisherConnection {
  readonly #host: PublisherHost;
  readonly #connection: RtmpConnection;
  readonly #timeout: NodeJS.Timeout;
  #app: string | null = null;
  #broadcast: Broadcast | null = null;

  constructor(socket: Socket, host: PublisherHost) {
    this.#host = host;
    this.#connection = new RtmpConnection(socket, 'server', {
      onOpen: () => {},
      onMessage: (message) => this.#receive(message),
    });
    this.#timeout = setTimeout(() => this.destroy(), publishTimeoutMs);
    void this.#cleanUp();
  }

  destroy(): void {
    this.#connection.destroy();
  }

  async #cleanUp(): Promise<void> {
    await this.#connection.ended;
    clearTimeout(this.#timeout);
    this.#endBroadcast();
  }

  #receive(message: RtmpMessage): void {
    const command = readCommand(message);
    if (command) this.#obey(command);
    else this.#broadcast?.receive(message);
  }

  #obey({ name, transactionID, values }: RtmpCommand): void {
    if (this.#connection.bytesQueued > maxQueuedAnswersBytes) return this.destroy();
    switch (name) {
      case 'connect':
        return this.#connect(transactionID, values[0]);
      case 'createStream':
        return this.#connection.send([commandMessage(0, '_result', transactionID, null, onlyStreamID)]);
      case 'publish':
        return this.#publish(values[1]);
      case 'FCUnpublish':
      case 'closeStream':
      case 'deleteStream':
        return this.#endBroadcast();
      default:
    }
  }

  #connect(transactionID: number, commandObject: Amf0Value): void {
    const { app } = asObject(commandObject);
    if (typeof app !== 'string' || app === '') {
      const info = { level: 'error', code: 'NetConnection.Connect.InvalidApp', description: 'No application' };
      this.#connection.send([commandMessage(0, '_error', transactionID, null, info)]);
      return this.#connection.close();
    }
    this.#app = app;
    this.#connection.requestAcknowledgements();
    this.#connection.setChunkSize(chunkSize);
    const properties = { fmsVer: 'FMS/3,0,1,123', capabilities: 31, fourCcList: ['*'] };
    const info = {
      level: 'status',
      code: 'NetConnection.Connect.Success',
      description: 'Connected',
      objectEncoding: 0,
    };
    this.#connection.send([commandMessage(0, '_result', transactionID, properties, info)]);
  }

  #publish(streamKey: Amf0Value): void {
    if (this.#broadcast) return;
    if (this.#app === null || typeof streamKey !== 'string' || streamKey === '')
      return this.#refuse('Publish.Denied', 'No stream key');
    if (!this.#host.mayPublish(this.#app, streamKey)) return this.#refuse('Publish.Denied', 'Unknown stream key');
    this.#broadcast = this.#host.begin(this.#app, streamKey);
    if (!this.#broadcast) return this.#refuse('Publish.BadName', 'Already publishing');
    clearTimeout(this.#timeout);
    this.#sendStatus('status', 'Publish.Start', 'Publishing');
  }

  #refuse(code: string, description: string): void {
    this.#sendStatus('error', code, description);
    this.#connection.close();
  }

  #sendStatus(level: 'status' | 'error', code: string, description: string): void {
    const info = { level, code: `NetStream.${code}`, description };
    this.#connection.send([commandMessage(onlyStreamID, 'onStatus', 0, null, info)]);
  }

  #endBroadcast(): void {
    if (this.#broadcast) this.#host.end(this.#broadcast);
    this.#broadcast = null;
  }
}

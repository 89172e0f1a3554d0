// Publishing over an open socket: the commands that lead up to it, the media, the end.
import type { Socket } from 'node:net';
import { rtmpURLFrom } from '../../domain/destinations/ways/rtmp.ts';
import type { RtmpURL } from '../../domain/destinations/ways/rtmp.ts';
import type { VideoCodec } from '../../domain/shared/video-format.ts';
import { SentTooMuch } from '../../ports/outbound/bounded-tls.ts';
import { AcknowledgementCounter } from './acknowledgement-counter.ts';
import { encodeAmf0 } from './amf0.ts';
import type { Amf0Input, Amf0Value } from './amf0.ts';
import { asObject, commandMessage, readCommand } from './command.ts';
import type { RtmpCommand } from './command.ts';
import { connectProperties } from './connect-properties.ts';
import { takesCodec } from './enhanced-codecs.ts';
import { DestinationError, Redirected } from '../destination/destination-error.ts';
import type { DestinationErrorCode } from '../destination/destination-error.ts';
import { isTimeout } from '../destination/destination-socket.ts';
import type { DestinationSocketOptions } from '../destination/destination-socket.ts';
import type { MeteredConnection } from './delivery-meter.ts';
import { mediaChunkSize, mediaHeaders, messageType } from './message.ts';
import type { MediaMessage, RtmpMessage } from './message.ts';
import { RtmpProtocolError } from './protocol-error.ts';
import { isRefusal, reconnectRequestOf, redirectOf, refusalCode } from './refusal.ts';
import { RtmpConnection } from './rtmp-connection.ts';
import type { ConnectionEnd } from './rtmp-connection.ts';
import type { MediaStart, Publisher, PublishOptions } from '../destination/publisher.ts';
import { metadataOf } from './metadata.ts';

const closeTimeoutMs = 500;
/** Time to shake hands and to connect, which takes no decision about a key. */
const appTimeoutMs = 10_000;
/** Platforms that check the key only after they have let the stream begin, end the stream within this time. */
const endedAtOnceMs = 2000;

type PublisherOptions = Pick<PublishOptions, 'meter' | 'bytesPerSecond' | 'maySend' | 'videoCodec'>;

/**
 * Publishes under the key and resolves when the server says that the stream has started. Closes the socket on failure.
 * @throws {DestinationError} handshake_failed, protocol_violated, app_refused, login_required, key_refused,
 * already_publishing, server_full, codec_refused or timed_out; {Redirected}
 */
export async function startPublishing(
  socket: Socket,
  url: RtmpURL,
  streamKey: string,
  options: PublisherOptions,
): Promise<Publisher> {
  const publisher = new SocketPublisher(socket, url, streamKey, options);
  await publisher.negotiate();
  return publisher;
}

/**
 * Shakes hands, connects to the application, and closes. It neither needs nor sends a stream key.
 * @throws {DestinationError} as startPublishing does before it sends the key; {Redirected}
 */
export async function connectToApp(
  socket: Socket,
  url: RtmpURL,
  { onStep }: Pick<DestinationSocketOptions, 'onStep'>,
): Promise<void> {
  await new SocketPublisher(socket, url, '', {}).connect(onStep);
  socket.destroySoon();
}

/** The request that the server has to answer now. */
interface Step {
  /** The command that has to be answered; null for the handshake. */
  readonly transactionID: number | null;
  /** The fault if the server ends the connection instead of answering. */
  readonly endMeans: DestinationErrorCode;
  /** Resolves with the values of the answer. */
  readonly answer: PromiseWithResolvers<readonly Amf0Value[]>;
}

/**
 * States, in this order:
 * - connecting: from the constructor. `#step` is the pending request: handshake, connect, createStream, publish. A
 *   refusal or an end of the connection rejects the step, and with it `connect` or `negotiate`.
 * - publishing: `#step` is null, once the server has answered NetStream.Publish.Start. Media may be sent. A status of
 *   refusal ends it with an error. A reconnect request sets `moveRequest`, and publishing continues.
 * - closed: after `close`, a refusal, or the end of the connection. `ended` resolves.
 */
class SocketPublisher implements Publisher {
  readonly heldSeconds = 0;
  moveRequest: string | null = null;
  readonly ended: Promise<DestinationError | null>;
  readonly #connection: RtmpConnection;
  readonly #url: RtmpURL;
  readonly #streamKey: string;
  readonly #videoCodec: VideoCodec;
  readonly #metered: MeteredConnection | null;
  readonly #acknowledgements = new AcknowledgementCounter();
  readonly #lastTimestampMs = { video: 0, audio: 0, data: 0 };
  #step: Step | null;
  #lastTransactionID = 0;
  #streamID = 0;
  #refusal: DestinationError | null = null;
  #startedAtMs = 0;
  #closed: Promise<void> | null = null;

  constructor(
    socket: Socket,
    url: RtmpURL,
    streamKey: string,
    { meter, bytesPerSecond, maySend, videoCodec = 'h264' }: PublisherOptions,
  ) {
    this.#url = url;
    this.#streamKey = streamKey;
    this.#videoCodec = videoCodec;
    this.#step = { transactionID: null, endMeans: 'handshake_failed', answer: Promise.withResolvers() };
    this.#connection = new RtmpConnection(socket, 'client', {
      onOpen: () => this.#step?.answer.resolve([]),
      onMessage: (message) => this.#receive(message),
      ...(maySend && { maySend }),
    });
    const bytesTaken = () => this.bytesSent - this.bytesQueued;
    this.#metered = meter?.add(socket, { bytesTaken, ...(bytesPerSecond && { bytesPerSecond }) }) ?? null;
    this.ended = this.#connection.ended.then((end) => this.#failureOf(end));
  }

  get isOpen(): boolean {
    return this.#connection.isOpen;
  }

  get bytesSent(): number {
    return this.#connection.bytesSent;
  }

  get bytesAcknowledged(): number | null {
    return this.#acknowledgements.bytesAcknowledged;
  }

  get bytesDelivered(): number | null {
    return this.#metered?.bytesDelivered ?? null;
  }

  get deliveredAgoMs(): number {
    return this.bytesDelivered === null ? 0 : performance.now() - this.#metered!.deliveredSinceMs;
  }

  get bytesQueued(): number {
    return this.#connection.bytesQueued;
  }

  get tookAll(): boolean {
    return this.#connection.tookAll;
  }

  /** Handshake and connect command: the steps before the stream key. */
  async connect(onStep?: DestinationSocketOptions['onStep']): Promise<void> {
    const timeout = setTimeout(() => this.#refuseFor(new DestinationError('timed_out')), appTimeoutMs);
    // The end of the connection is a failure of the step, which is thrown below.
    void this.ended.then(() => clearTimeout(timeout));
    await this.#completed(this.#step!);
    onStep?.('handshake');
    const answer = await this.#answerTo(
      this.#command(0, 'connect', connectProperties(this.#url, this.#videoCodec)),
      'app_refused',
    );
    if (!takesCodec(this.#videoCodec, answer)) throw this.#refuseFor(new DestinationError('codec_refused'));
    clearTimeout(timeout);
    onStep?.('app');
  }

  async negotiate(): Promise<void> {
    await this.connect();
    this.#connection.setChunkSize(mediaChunkSize);
    this.#connection.requestAcknowledgements();
    this.#command(0, 'releaseStream', null, this.#streamKey);
    this.#command(0, 'FCPublish', null, this.#streamKey);
    const [, streamID] = await this.#answerTo(this.#command(0, 'createStream', null), 'app_refused');
    this.#streamID = typeof streamID === 'number' ? streamID >>> 0 : 0;

    await this.#answerTo(this.#command(this.#streamID, 'publish', null, this.#streamKey, 'live'), 'key_refused');
    this.#step = null;
    this.#startedAtMs = performance.now();
  }

  begin({ profile, sequenceHeaders }: MediaStart): void {
    const metadata = encodeAmf0(['@setDataFrame', 'onMetaData', metadataOf(profile)]);
    this.send([{ type: 'data', timestampMs: 0, payload: metadata }, ...sequenceHeaders]);
  }

  send(messages: readonly MediaMessage[]): void {
    this.#connection.send(messages.map((message) => this.#mediaMessage(message)));
  }

  sendChunks(chunks: readonly Buffer[]): void {
    this.#connection.sendChunks(chunks);
  }

  close(): Promise<void> {
    this.#closed ??= this.#finish();
    return this.#closed;
  }

  async #finish(): Promise<void> {
    this.#command(0, 'FCUnpublish', null, this.#streamKey);
    this.#command(0, 'deleteStream', null, this.#streamID);
    this.#connection.close();
    const timeout = setTimeout(() => this.#connection.destroy(), closeTimeoutMs);
    await this.ended;
    clearTimeout(timeout);
  }

  #mediaMessage({ type, timestampMs, payload }: MediaMessage): RtmpMessage {
    if (!Number.isSafeInteger(timestampMs) || timestampMs < this.#lastTimestampMs[type]) {
      throw new RangeError(`${type} timestamp ${timestampMs} ms after ${this.#lastTimestampMs[type]} ms`);
    }
    this.#lastTimestampMs[type] = timestampMs;
    return { ...mediaHeaders[type], streamID: this.#streamID, timestampMs, payload };
  }

  /** Sends a command and returns its transaction number. */
  #command(streamID: number, name: string, ...values: Amf0Input[]): number {
    this.#lastTransactionID++;
    this.#connection.send([commandMessage(streamID, name, this.#lastTransactionID, ...values)]);
    return this.#lastTransactionID;
  }

  #answerTo(transactionID: number, endMeans: DestinationErrorCode): Promise<readonly Amf0Value[]> {
    this.#step = { transactionID, endMeans, answer: Promise.withResolvers() };
    return this.#completed(this.#step);
  }

  #completed({ answer, endMeans }: Step): Promise<readonly Amf0Value[]> {
    void this.ended.then((failure) => answer.reject(failure ?? new DestinationError(endMeans)));
    return answer.promise;
  }

  #receive(message: RtmpMessage): void {
    if (message.type === messageType.acknowledgement && message.payload.length >= 4)
      this.#acknowledgements.acknowledge(message.payload.readUInt32BE(), this.bytesSent);
    const command = readCommand(message);
    if (command?.name === 'onStatus') this.#receiveStatus(command.values[1]);
    else if (command) this.#receiveAnswer(command);
  }

  #receiveAnswer({ name, transactionID, values }: RtmpCommand): void {
    const step = this.#step;
    // Answers to releaseStream and FCPublish are ignored: servers send them or not, as they like.
    if (step?.transactionID !== transactionID) return;
    if (name === '_error') this.#refuse(values[1], step.endMeans);
    // Only a status answers publish: a _result is ignored.
    if (name === '_result' && step.endMeans !== 'key_refused') step.answer.resolve(values);
  }

  #receiveStatus(info: Amf0Value): void {
    const request = reconnectRequestOf(info);
    const hasStarted = asObject(info)['code'] === 'NetStream.Publish.Start';
    if (request) this.moveRequest = this.#moveTarget(request.reference);
    else if (isRefusal(info)) this.#refuse(info, this.#step?.endMeans ?? 'ended_by_destination');
    else if (hasStarted && this.#step?.endMeans === 'key_refused') this.#step.answer.resolve([]);
  }

  /**
   * The address of a reconnect request. It is the present address if the request has none, or one that cannot be used:
   * the server wants this connection to end in any case.
   */
  #moveTarget(reference: string | null): string {
    const named = reference === null ? null : rtmpURLFrom(this.#url.tcUrl, reference);
    return named ?? this.#url.tcUrl;
  }

  #refuse(info: Amf0Value, fallback: DestinationErrorCode): void {
    if (this.#closed) return;
    const redirect = fallback === 'app_refused' ? redirectOf(info) : null;
    this.#refuseFor(redirect === null ? new DestinationError(refusalCode(info, fallback)) : new Redirected(redirect));
  }

  #refuseFor(error: DestinationError): DestinationError {
    this.#refusal ??= error;
    this.#connection.destroy();
    return this.#refusal;
  }

  #failureOf(end: ConnectionEnd): DestinationError | null {
    if (this.#refusal || end.by === 'us') return this.#refusal;
    if (end.by === 'peer') return this.#step ? new DestinationError(this.#step.endMeans) : this.#failureOfEnd();
    const hasShakenHands = this.#step?.endMeans !== 'handshake_failed';
    const isViolation = hasShakenHands && end.error instanceof RtmpProtocolError;
    if (isViolation || end.error instanceof SentTooMuch) return new DestinationError('protocol_violated', end.error);
    if (!this.#step) return new DestinationError('connection_lost', end.error);
    return new DestinationError(isTimeout(end.error) ? 'timed_out' : this.#step.endMeans, end.error);
  }

  /** The fault if the server ends the connection after the stream began; null if it had asked for a move. */
  #failureOfEnd(): DestinationError | null {
    if (performance.now() - this.#startedAtMs < endedAtOnceMs) return new DestinationError('ended_at_once');
    return this.moveRequest === null ? new DestinationError('ended_by_destination') : null;
  }
}

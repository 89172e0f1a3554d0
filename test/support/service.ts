// The REST surface on a test database and a folder of its own, called without a network.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { createRestService } from '../../lambda/api/create-rest-service.ts';
import { localSettings } from '../../lambda/settings.ts';
import type { ServiceSettings } from '../../lambda/api/create-service.ts';
import { withGuides } from '../../lambda/api/guides.ts';
import { withPaymentCallbacks } from '../../lambda/api/payment-callbacks.ts';
import { databaseOn } from '../../lambda/data/database.ts';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import type { Log } from '../../lambda/log.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createFileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import type { FileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import { createLocalCryptoProcessor } from '../../lambda/ports/payments/local-crypto-processor.ts';
import type { LocalCryptoProcessor } from '../../lambda/ports/payments/local-crypto-processor.ts';
import { createLocalPayment } from '../../lambda/ports/payments/local-payment.ts';
import type { LocalPayment } from '../../lambda/ports/payments/local-payment.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { hashApiKey } from '../../lambda/surfaces/admission/authenticate.ts';
import { createRestHandler } from '../../lambda/surfaces/rest/rest-handler.ts';
import type { RestHandler } from '../../lambda/surfaces/rest/rest-handler.ts';
import type { RestService } from '../../lambda/surfaces/service.ts';
import { testDatabase } from './database.ts';
import { testPlatforms } from './platforms.ts';
import { plantedSecrets } from './planted-secrets.ts';
import type { PlantedSecrets } from './planted-secrets.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests assert on the answers
  readonly body: any;
}

export interface TestUser {
  readonly id: string;
  readonly apiKey: string;
  /** Calls the API as this user. @param body is sent as JSON */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export interface TestService {
  pool(): Pool;
  objects(): FileObjectStore;
  payment(): LocalPayment;
  crypto(): LocalCryptoProcessor;
  /** Addresses of the database and the objects, for code under test in another process. */
  databaseURL(): string;
  folder(): string;
  /** The service that every surface is built on. */
  service(): RestService;
  handler(): RestHandler;
  /** Sends a request. @param address apparent address of the client */
  send(request: Request, address?: string): Promise<Answer>;
  /** Creates a user with an API key and credits. */
  user(credits?: number): Promise<TestUser>;
  /** Log lines so far. */
  readonly logged: string[];
  /** Secrets that no answer of `send` and no log line may contain. */
  readonly secrets: PlantedSecrets;
}

/** The data key that seals secrets in tests. */
export const testDataKey = { id: 1, key: Buffer.alloc(32, 'a data key of tests') };

export const baseURL = 'http://127.0.0.1:3999/v1';

/** The settings of a service in tests. */
export const testSettings: ServiceSettings = {
  ...localSettings,
  allowPrivateAddresses: true,
  streamBackendEdit: false,
  liveIngest: {
    rtmpURL: 'rtmp://127.0.0.1/live',
    rtmpsURL: 'rtmps://127.0.0.1/live',
    srtURL: 'srt://127.0.0.1:9710',
    cores: 2,
    coresOfUnfunded: 1,
  },
};

export interface TestServiceOptions extends Partial<ServiceSettings> {
  readonly database?: ReturnType<typeof testDatabase>;
  /** In ms. By default it stands still: on a busy machine calls take so long that they would count as several. */
  readonly steadyClock?: () => number;
}

/**
 * Creates a service for the tests of the calling file or `describe`. By default private destinations and many requests
 * are allowed.
 */
export function testService({
  database = testDatabase(),
  steadyClock = () => 0,
  ...settings
}: TestServiceOptions = {}): TestService {
  const logged: string[] = [];
  const secrets = plantedSecrets();
  let made:
    | {
        pool: Pool;
        objects: FileObjectStore;
        payment: LocalPayment;
        crypto: LocalCryptoProcessor;
        service: RestService;
        handler: RestHandler;
        folder: string;
      }
    | undefined;
  let users = 0;

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'objects-'));
    const pool = createPool({ connectionString: database.url(), max: 5 });
    const log: Log = (event, fields) =>
      void logged.push(JSON.stringify({ event, ...fields, cause: String(fields['cause']) }));
    const objects = createFileObjectStore({ folder, baseURL: 'http://127.0.0.1:3999/objects', signingKey: 'test' });
    const serviceSecret = 'a secret for tests';
    const sealer = createSealer([testDataKey]);
    const payment = createLocalPayment({
      checkoutURL: 'http://127.0.0.1:3999/checkout',
      signingKey: 'test',
      webhookSecret: 'whsec_test',
      clock: () => new Date(),
    });
    const crypto = createLocalCryptoProcessor('a merchant key for tests');
    const connections = {
      payment,
      crypto,
      platforms: testPlatforms(),
      pool,
      objects,
      serviceSecret,
      queue: createPostgresCommandQueue({ pool, log }),
      sealer,
      sourceSealer: createSealer([testDataKey]),
      liveSealer: createSealer([testDataKey]),
      origin: new URL(baseURL).origin,
    };
    const service = { ...createRestService(connections, { ...testSettings, ...settings }, log), steadyClock };
    const rest = withGuides(createRestHandler(service), service);
    made = {
      pool,
      objects,
      payment,
      crypto,
      folder,
      service,
      handler: withPaymentCallbacks(rest, connections, pool, log),
    };
  });
  afterAll(async () => {
    secrets.expectNoneIn(logged.join('\n'), 'the log');
    await made?.pool.end();
    if (made) await rm(made.folder, { recursive: true });
  });

  const send = async (request: Request, address = '192.0.2.1'): Promise<Answer> => {
    secrets.plant(request.headers, await request.clone().text(), request.url);
    const response = await made!.handler(request, address);
    const text = await response.text();
    secrets.expectNoneIn(text, `the answer to ${request.method} ${request.url}`);
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : isJson ? JSON.parse(text) : text,
    };
  };
  return {
    pool: () => made!.pool,
    objects: () => made!.objects,
    payment: () => made!.payment,
    crypto: () => made!.crypto,
    databaseURL: () => database.url(),
    folder: () => made!.folder,
    service: () => made!.service,
    handler: () => made!.handler,
    send,
    logged,
    secrets,
    async user(credits = 1000) {
      const id = `usr_${++users}`;
      const apiKey = `lss_test_key_of_${id}`;
      const data = databaseOn(made!.pool);
      await data.users.ensureUser({ id, email: `${id}@example.com`, name: id });
      await data.users.ensureKey({
        id: `key_${id}`,
        userID: id,
        name: 'test',
        keySha256: hashApiKey(apiKey),
        keyStart: 'lss_test_k',
      });
      if (credits > 0)
        await data.invoices.ensurePaid({
          id: `inv_${id}`,
          userID: id,
          type: 'adjustment',
          method: 'grant',
          cost: 0,
          credits,
        });
      return {
        id,
        apiKey,
        call: (method, path, body, headers = {}) =>
          send(
            new Request(baseURL + path, {
              method,
              headers: {
                'x-api-key': apiKey,
                ...(body === undefined ? {} : { 'content-type': 'application/json' }),
                ...headers,
              },
              ...(body === undefined ? {} : { body: JSON.stringify(body) }),
            }),
          ),
      };
    },
  };
}

/** Marks an upload as complete and inspected, as the media worker would. */
export async function pretendProbed(
  { pool, objects }: Pick<TestService, 'pool' | 'objects'>,
  uploadID: string,
  facts: {
    durationSeconds?: number | null;
    videoCodec?: string | null;
    audioCodec?: string | null;
    decodeCost?: number;
  } = {},
): Promise<void> {
  const { uploads } = databaseOn(pool());
  const upload = (await uploads.findAny(uploadID))!;
  await objects().write(upload.object_key, Buffer.from('media'), { contentType: upload.mime_type });
  await uploads.markUploaded(uploadID, 5);
  const { durationSeconds = 10, videoCodec = 'h264', audioCodec = 'aac', decodeCost } = facts;
  await uploads.recordFacts(uploadID, {
    duration_seconds: durationSeconds,
    width: 1280,
    height: 720,
    framerate: 30,
    video_codec: videoCodec,
    audio_codec: audioCodec,
    dynamic_range: 'sdr',
    ...(decodeCost !== undefined && { decode_cost: decodeCost }),
  });
}

// Slack, Discord and Telegram on loopback, with their documented checks of messages and rate limits.
// docs.slack.dev/messaging/sending-messages-using-incoming-webhooks and …/apis/web-api/rate-limits,
// docs.discord.com/developers/resources/webhook#execute-webhook and …/topics/rate-limits,
// core.telegram.org/bots/api#sendmessage, #making-requests and #responseparameters.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';

export type AlertService = 'slack' | 'discord' | 'telegram';

export interface TakenAlert {
  readonly service: AlertService;
  /** The path of the request. It identifies the channel. */
  readonly path: string;
  readonly text: string;
}

export interface AlertServices extends AsyncDisposable {
  readonly url: string;
  /** The URL of a channel at each service. */
  readonly targets: Readonly<Record<AlertService, string>>;
  /** Accepted messages. */
  readonly taken: TakenAlert[];
  /** The statuses of all answers; 0 for a request that was never answered. */
  readonly statuses: number[];
  /** Fault of the next answers; null: correct answers. */
  trouble: Trouble | null;
}

/** `silent`: no answer; an object: status 429 with this delay. */
export type Trouble = 'silent' | 'broken' | 'gone' | { readonly retryAfterSeconds: number };

const botToken = '123456789:AAExampleExampleExampleExample';

export async function startAlertServices(): Promise<AlertServices> {
  const server = createServer((request, response) => {
    void readText(request).then((body) => answer(request.url ?? '', request.headers['content-type'], body, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the services have no port');
  const url = `http://127.0.0.1:${address.port}`;
  const services: AlertServices = {
    url,
    targets: {
      slack: `${url}/services/T000/B000/secret`,
      discord: `${url}/api/webhooks/1000/secret`,
      telegram: `${botToken}/-1001`,
    },
    taken: [],
    statuses: [],
    trouble: null,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return services;

  function answer(path: string, type: string | undefined, body: string, response: ServerResponse): void {
    const service = serviceAt(path);
    if (services.trouble === 'silent') {
      services.statuses.push(0);
      return;
    }
    const judged = service === null ? { status: 404, body: 'no such path' } : judge(service, path, type, body);
    services.statuses.push(judged.status);
    if (service !== null && judged.status < 300) services.taken.push({ service, path, text: judged.text ?? '' });
    response.writeHead(judged.status, judged.headers ?? {}).end(judged.body);
  }

  function judge(service: AlertService, path: string, type: string | undefined, body: string): Judgement {
    const { trouble } = services;
    if (trouble !== null && trouble !== 'silent') return inTrouble[service](trouble);
    if (type !== 'application/json') return { status: 400, body: 'invalid_payload' };
    return takes[service](JSON.parse(body) as Record<string, unknown>, path);
  }
}

interface Judgement {
  readonly status: number;
  readonly body: string;
  readonly headers?: Record<string, string>;
  readonly text?: string;
}

function serviceAt(path: string): AlertService | null {
  if (path.startsWith('/services/')) return 'slack';
  if (path.startsWith('/api/webhooks/')) return 'discord';
  return path.startsWith('/bot') ? 'telegram' : null;
}

const json = (status: number, body: object, headers: Record<string, string> = {}): Judgement => ({
  status,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...headers },
});
const telegramError = (code: number, description: string, parameters?: object) =>
  json(code, { ok: false, error_code: code, description, ...(parameters && { parameters }) });

const takes: Readonly<Record<AlertService, (body: Record<string, unknown>, path: string) => Judgement>> = {
  slack({ text }) {
    if (typeof text !== 'string' || text === '') return { status: 400, body: 'no_text' };
    // An unescaped < or & is markup: <!channel> would notify everyone.
    if (/<|&(?!amp;|lt;|gt;)/.test(text)) return { status: 400, body: 'invalid_payload' };
    return { status: 200, body: 'ok', text };
  },
  discord({ content, allowed_mentions: mentions }) {
    if (typeof content !== 'string' || content.length < 1 || content.length > 2000)
      return json(400, { code: 50035, message: 'Invalid Form Body' });
    if (JSON.stringify(mentions) !== '{"parse":[]}') return json(400, { code: 50035, message: 'would mention' });
    return { status: 204, body: '', text: content };
  },
  telegram({ chat_id: chatID, text }, path) {
    if (path !== `/bot${botToken}/sendMessage`) return telegramError(404, 'Not Found');
    if (chatID !== '-1001') return telegramError(400, 'Bad Request: chat not found');
    if (typeof text !== 'string' || text === '') return telegramError(400, 'Bad Request: message text is empty');
    if (text.length > 4096) return telegramError(400, 'Bad Request: message is too long');
    return { ...json(200, { ok: true, result: { message_id: 1, text } }), text };
  },
};

const inTrouble: Readonly<Record<AlertService, (trouble: Exclude<Trouble, 'silent'>) => Judgement>> = {
  slack(trouble) {
    if (trouble === 'broken') return { status: 500, body: 'rollup_error' };
    if (trouble === 'gone') return { status: 410, body: 'channel_is_archived' };
    const headers = { 'retry-after': String(Math.ceil(trouble.retryAfterSeconds)) };
    return { status: 429, body: 'rate_limited', headers };
  },
  discord(trouble) {
    if (trouble === 'broken') return { status: 502, body: 'Bad Gateway' };
    if (trouble === 'gone') return json(404, { message: 'Unknown Webhook', code: 10015 });
    // The header may be a whole number below the value in the body.
    const { retryAfterSeconds: seconds } = trouble;
    const body = { message: 'You are being rate limited.', retry_after: seconds, global: false };
    return json(429, body, { 'retry-after': String(Math.floor(seconds)), 'x-ratelimit-scope': 'shared' });
  },
  telegram(trouble) {
    if (trouble === 'broken') return telegramError(500, 'Internal Server Error');
    if (trouble === 'gone') return telegramError(403, 'Forbidden: bot was kicked from the supergroup chat');
    const seconds = Math.ceil(trouble.retryAfterSeconds);
    return telegramError(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
  },
};

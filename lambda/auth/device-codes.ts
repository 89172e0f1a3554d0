// Sign-in of devices without a browser (RFC 8628): the codes, and the requests that ask for them and redeem them.
// Decision D241.
import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { DEVICE_CODE_GRANT_TYPE, oauthDeviceAuthorization } from '@better-auth/oauth-provider';

/** The page where users confirm a code. */
export const devicePage = '/device';

/** Letters that form no words and look like no figures (RFC 8628, section 6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const lettersInHalf = 4;
const codeForm = new RegExp(`^[${letters}]{${2 * lettersInHalf}}$`);
const deviceCodeBytes = 32;

/** The fields of a request for a code that are passed on. `user_id` of better-auth would name a user in advance. */
const passedOn = new Set([
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
  'scope',
  'resource',
]);

/** Endpoints of the plugin that ours replace: users answer at device-confirmation.ts, and only OAuth issues tokens. */
export const disabledDevicePaths = ['/device', '/device/token', '/device/approve', '/device/deny'];

export function deviceAuthorization(origin: string) {
  return oauthDeviceAuthorization({
    expiresIn: '10m',
    interval: '5s',
    verificationUri: origin + devicePage,
    generateDeviceCode: () => randomBytes(deviceCodeBytes).toString('base64url'),
    generateUserCode: () => `${randomLetters()}-${randomLetters()}`,
    schema: { deviceCode: { modelName: 'deviceCodes' } },
  });
}

function randomLetters(): string {
  return Array.from({ length: lettersInHalf }, () => letters[randomInt(letters.length)]).join('');
}

/** The code as it is stored: with or without the hyphen, in any case. Null: it cannot be a code. */
export function asUserCode(given: string): string | null {
  const found = given.toUpperCase().replaceAll(/[\s-]/g, '');
  return codeForm.test(found) ? `${found.slice(0, lettersInHalf)}-${found.slice(lettersInHalf)}` : null;
}

/** The form of a request; null if the body is no form. */
export async function formOf(request: Request): Promise<URLSearchParams | null> {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers.get('content-type') ?? '');
  return request.method === 'POST' && isForm ? new URLSearchParams(await request.clone().text()) : null;
}

/** A request for a code with the fields that may be in it. */
export function asDeviceRequest(request: Request, form: URLSearchParams): Request {
  return withForm(request, new URLSearchParams([...form].filter(([name]) => passedOn.has(name))));
}

/** The answer to a device, with a code that only this server could have made. */
export async function asDeviceAnswer(response: Response, secret: string): Promise<Response> {
  if (!response.ok) return response;
  const answer = (await response.json()) as { device_code: string };
  const code = `${answer.device_code}.${signature(answer.device_code, secret)}`;
  return Response.json({ ...answer, device_code: code }, { headers: { 'cache-control': 'no-store' } });
}

/** A token request with the code as it is stored. @returns null if this server has not made the code */
export async function asTokenRequest(request: Request, secret: string): Promise<Request | null> {
  const form = await formOf(request);
  if (form?.get('grant_type') !== DEVICE_CODE_GRANT_TYPE) return request;
  const [code = '', signed = ''] = (form.get('device_code') ?? '').split('.');
  const [given, right] = [Buffer.from(signed), Buffer.from(signature(code, secret))];
  if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
  form.set('device_code', code);
  return withForm(request, form);
}

function signature(code: string, secret: string): string {
  return createHmac('sha256', secret).update(`device code ${code}`).digest('base64url');
}

function withForm(request: Request, form: URLSearchParams): Request {
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  headers.set('content-type', 'application/x-www-form-urlencoded');
  return new Request(request.url, { method: 'POST', headers, body: form.toString() });
}

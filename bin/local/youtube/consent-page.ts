// The consent page, like Google's: the person selects a channel and rights, or refuses.
import { html, raw } from 'hono/html';
import { smallPageStyle } from '../../../lambda/surfaces/small-page.ts';
import type { Tokens } from './tokens.ts';

export interface ConsentRequest {
  readonly redirectURI: string;
  readonly scopes: readonly string[];
  readonly state: string;
  /** S256 challenge; null: the client sent none. */
  readonly challenge: string | null;
  readonly channels: readonly { readonly id: string; readonly title: string }[];
}

export async function consentPage({ channels, scopes }: ConsentRequest): Promise<Response> {
  const page = await html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>Choose a channel</title>
      <style>
        ${raw(smallPageStyle)}
      </style>
      <main>
        <h1>Choose a channel</h1>
        <p>This page stands for Google’s. Nothing leaves this machine.</p>
        <form method="post">
          ${channels.map(
            ({ id, title }, index) =>
              html`<p>
                <label>
                  <input type="radio" name="channel" value="${id}" ${index === 0 ? 'checked' : ''} /> ${title}
                </label>
              </p>`,
          )}
          ${scopes.map(
            (scope) =>
              html`<p>
                <label><input type="checkbox" name="scope" value="${scope}" checked /> ${scope}</label>
              </p>`,
          )}
          <button name="outcome" value="allow">Continue</button> <button name="outcome" value="deny">Cancel</button>
        </form>
      </main>
    </html>`;
  return new Response(page, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  });
}

/** Sends the person back with a code, or with the reason for refusal. */
export async function answerConsent(asked: ConsentRequest, form: URLSearchParams, tokens: Tokens): Promise<Response> {
  const back = new URL(asked.redirectURI);
  back.searchParams.set('state', asked.state);
  const channel = asked.channels.find(({ id }) => id === form.get('channel'));
  if (form.get('outcome') !== 'allow' || !channel) back.searchParams.set('error', 'access_denied');
  else {
    const scopes = form.getAll('scope').filter((scope) => asked.scopes.includes(scope));
    const { challenge, redirectURI } = asked;
    back.searchParams.set('code', await tokens.code({ channelID: channel.id, scopes, challenge, redirectURI }));
    back.searchParams.set('scope', scopes.join(' '));
  }
  return new Response(null, { status: 303, headers: { location: back.href } });
}

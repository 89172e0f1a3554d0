// The OpenAPI document as a page for people: static HTML without scripts, so that it works wherever the API works.
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { operationsOf, problemsOf, wordsOfType } from './described.ts';
import type { Described, Document, Listed } from './described.ts';
import type { Json, Schema } from './schemas.ts';
import { referenceStyle } from './reference-style.ts';

type Html = ReturnType<typeof html>;

const styleHash = createHash('sha256').update(referenceStyle).digest('base64');
const pages = new WeakMap<Json, string>();

/** Returns the page. It is built once per document, and its security policy allows only its own style. */
export async function referenceResponse(document: Json): Promise<Response> {
  const page = pages.get(document) ?? `<!doctype html>${await pageOf(document as unknown as Document)}`;
  pages.set(document, page);
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'; base-uri 'none'`;
  return new Response(page, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
  });
}

function pageOf(document: Document): Html {
  const { info, servers, tags, webhooks, components } = document;
  const operations = operationsOf(document);
  const of = (tag: string) => operations.filter((operation) => operation.tags.includes(tag));
  const called = tags.filter(({ name }) => of(name).length > 0);
  const sectionOf = ({ name, description }: Document['tags'][number]) =>
    html`<h2>${name}</h2><p>${description}</p>${of(name).map(operationOf)}`;
  return html`<html lang="en">
    <head>
      <meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <meta name="description" content="All operations, events and problems of the ${info.title}.">
      <title>${info.title}</title>
      <style>${raw(referenceStyle)}</style>
    </head>
    <body>
      <nav aria-label="Operations">
        ${called.map(({ name }) => html`<h2>${name}</h2><ul>${of(name).map(linkOf)}</ul>`)}
        <h2>More</h2>
        <ul>
          <li><a href="#events">Events</a></li>
          <li><a href="#resources">Resources</a></li>
          <li><a href="#problems">Problems</a></li>
          <li><a href="openapi.json">OpenAPI 3.1</a></li>
        </ul>
      </nav>
      <main>
        <h1>${info.title} ${info.version}</h1>
        ${info.description.split('\n\n').map((paragraph) => html`<p>${marked(paragraph)}</p>`)}
        <p>
          Base URL <code>${servers[0]!.url}</code>.
          Send an API key as <code>X-API-Key</code>, or an access token as <code>Authorization: Bearer</code>.
        </p>
        ${called.map(sectionOf)}
        <h2 id="events">Events</h2>
        <p>Sent to webhooks.</p>
        ${Object.entries(webhooks).map(eventOf)}
        <h2 id="resources">Resources</h2>
        ${Object.entries(components.schemas).map(resourceOf)}
        <h2 id="problems">Problems</h2>
        <dl>${Object.entries(components.examples).map(problemOf)}</dl>
      </main>
    </body>
  </html>`;
}

function linkOf({ operationId, summary }: Listed): Html {
  return html`<li><a href="#${operationId}">${summary}</a></li>`;
}

function eventOf([type, { post }]: [string, Document['webhooks'][string]]): Html {
  return html`<article id="event-${type}">
    <h3>${post.summary}</h3>
    <p class="call"><code>${type}</code></p>
    <p>${post.description}</p>
    ${schemaOf(post.requestBody.content['application/json']!.schema)}
  </article>`;
}

function resourceOf([name, schema]: [string, Schema]): Html {
  return html`<article id="schema-${name}">
    <h3>${name}</h3>
    ${schemaOf(schema)}${exampleOf(schema.examples?.[0])}
  </article>`;
}

function problemOf([code, { value }]: [string, Document['components']['examples'][string]]): Html {
  return html`<dt id="problem-${code}"><code>${code}</code> ${value.status}</dt><dd>${value.detail}</dd>`;
}

function operationOf(operation: Listed): Html {
  const { path, method, operationId, summary, description, security, parameters, requestBody, responses } = operation;
  const scopes = security.flatMap(({ oauth2 = [] }) => oauth2).join(' or ');
  const body = requestBody?.content['application/json'];
  const [success, ...problems] = Object.entries(responses);
  const [status, { content = {} }] = success!;
  const answer = content['application/json'];
  return html`<article id="${operationId}">
    <h3>${summary}</h3>
    <p class="call">
      <code><b>${method}</b> ${path}</code> <small>needs ${scopes === '' ? 'no credential' : scopes}</small>
    </p>
    ${description === `${summary}.` ? '' : html`<p>${marked(description)}</p>`}
    ${parameters.length > 0 ? html`<h4>Parameters</h4>${rows(parameters.map(rowOf))}` : ''}
    ${body ? html`<h4>Body</h4>${schemaOf(body.schema)}${exampleOf(body.example)}` : ''}
    <h4>Answer ${status}</h4>
    ${answer ? html`${schemaOf(answer.schema)}${exampleOf(answer.example)}` : html`<p>Empty.</p>`}
    <p><small>Problems: ${problems.map(linksOf)}</small></p>
  </article>`;
}

function rowOf({ name, in: where, required, description, schema }: Described['parameters'][number]): Row {
  return { name: `${name} (${where})`, schema: { ...schema, description }, isRequired: required };
}

function linksOf([status, answer]: [string, Described['responses'][string]]): Html {
  return html`${status} ${problemsOf(answer).map((code) => html`<a href="#problem-${code}">${code}</a> `)}`;
}

/** Formats words in backticks as code. */
function marked(text: string): (string | Html)[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}

/** Formats a schema: a reference as a link, an object as a table of its fields, and anything else as one line. */
function schemaOf(schema: Schema): Html {
  const { properties, required = [], oneOf } = schema;
  if (oneOf) return html`<p>One of:</p>${oneOf.map(schemaOf)}`;
  if (!properties) return html`<p>${typeOf(schema)}</p>`;
  const fields = Object.entries(properties);
  return rows(fields.map(([name, property]) => ({ name, schema: property, isRequired: required.includes(name) })));
}

interface Row {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

function rows(fields: readonly Row[]): Html {
  const optional = html` <small>optional</small>`;
  const deprecated = html` <small>deprecated</small>`;
  return html`<table><tbody>${fields.map(
    ({ name, schema, isRequired }) => html`<tr>
      <th scope="row"><code>${name}</code>${isRequired ? '' : optional}${schema.deprecated ? deprecated : ''}</th>
      <td>${typeOf(schema)} ${schema.description ?? ''}${nested(schema)}</td>
    </tr>`,
  )}</tbody></table>`;
}

/** The fields of objects that are not components. */
function nested(schema: Schema): Html | '' {
  const inner = schema.items ?? schema.anyOf?.find(({ properties }) => properties) ?? schema;
  return inner.properties ? html`<details><summary>fields</summary>${schemaOf(inner)}</details>` : '';
}

function typeOf(schema: Schema): Html {
  const { $ref, anyOf, items } = schema;
  if ($ref) {
    const name = $ref.split('/').at(-1)!;
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (anyOf) return html`${anyOf.map((option, index) => html`${index > 0 ? ' or ' : ''}${typeOf(option)}`)}`;
  if (items) return html`list of ${typeOf(items)}`;
  return html`<i>${wordsOfType(schema)}</i>`;
}

function exampleOf(example: unknown): Html | '' {
  return example === undefined
    ? ''
    : html`<details><summary>example</summary><pre tabindex="0">${JSON.stringify(example, null, 2)}</pre></details>`;
}

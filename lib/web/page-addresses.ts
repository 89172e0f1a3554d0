// The function of CloudFront for the addresses of the page: one document for all, with 404 at unknown ones.
import { documentOf, languageCookie, languages } from '../../lambda/web/languages.ts';
import { pagePaths, pathsBelow } from '../../lambda/web/paths.ts';

const documents = Object.fromEntries(languages.map((language) => [language, `/${documentOf(language)}`]));

/**
 * Runs before the bucket is asked, and after it has answered. The documentation does not say whether the second run has
 * the address of the viewer or the rewritten one, so a header marks unknown addresses, and both cases are handled.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-event-structure.html
 *
 * The document is that of the language in the reader's cookie, else of the browser's dearest language that the page
 * has. It uses only the features that CloudFront lists, so it has neither destructuring nor `??`.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-javascript-runtime-20.html
 * Decision D245.
 */
export const pageAddressesCode = `
const documents = ${JSON.stringify(documents)};
const pages = ${JSON.stringify([...Object.values(documents), ...pagePaths])};
const below = ${String(pathsBelow)};
const mark = 'x-unknown-page';

function languageOf(request) {
  const chosen = (request.cookies || {})['${languageCookie}'];
  if (chosen && documents.hasOwnProperty(chosen.value)) return chosen.value;
  const accepted = request.headers['accept-language'];
  let language = '${languages[0]}';
  let dearest = 0;
  (accepted ? accepted.value : '').split(',').forEach((part) => {
    const found = /^\\s*([a-z]{2,3})\\b[^;]*(?:;\\s*q=([\\d.]+))?\\s*$/i.exec(part);
    const tag = found ? found[1].toLowerCase() : '';
    const weight = found && found[2] ? Number(found[2]) : 1;
    if (!documents.hasOwnProperty(tag) || !(weight > dearest)) return;
    language = tag;
    dearest = weight;
  });
  return language;
}

function handler(event) {
  const request = event.request;
  const isAsset = request.uri.startsWith('/assets/');
  const isKnown = pages.includes(request.uri) || below.test(request.uri);
  const isUnknown = !isAsset && (!isKnown || request.headers[mark] !== undefined);
  if (event.context.eventType === 'viewer-response') {
    const response = event.response;
    if (!isAsset) response.headers['vary'] = { value: 'accept-encoding, accept-language, cookie' };
    if (!isUnknown) return response;
    response.statusCode = 404;
    response.statusDescription = 'Not Found';
    return response;
  }
  if (isAsset) return request;
  if (isUnknown) {
    request.headers[mark] = { value: 'true' };
    // A 304 has no document.
    delete request.headers['if-none-match'];
    delete request.headers['if-modified-since'];
  }
  request.uri = documents[languageOf(request)];
  return request;
}
`;

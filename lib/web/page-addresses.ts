// The function of CloudFront for the addresses of the page: one document for all, with 404 at unknown ones.
import { pagePaths, pathsBelow } from '../../lambda/web/paths.ts';

/**
 * Runs before the bucket is asked, and after it has answered. The documentation does not say whether the second run has
 * the address of the viewer or the rewritten one, so a header marks unknown addresses, and both cases are handled.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-event-structure.html
 */
export const pageAddressesCode = `
const pages = ${JSON.stringify(['/index.html', ...pagePaths])};
const below = ${String(pathsBelow)};
const mark = 'x-unknown-page';

function handler({ context, request, response }) {
  const { uri, headers } = request;
  const isAsset = uri.startsWith('/assets/');
  const isUnknown = !isAsset && (!pages.includes(uri) && !below.test(uri) || headers[mark] !== undefined);
  if (context.eventType === 'viewer-response') {
    if (!isUnknown) return response;
    return Object.assign(response, { statusCode: 404, statusDescription: 'Not Found' });
  }
  if (isAsset) return request;
  if (isUnknown) {
    headers[mark] = { value: 'true' };
    // A 304 has no document.
    delete headers['if-none-match'];
    delete headers['if-modified-since'];
  }
  request.uri = '/index.html';
  return request;
}
`;

// Requests as spans and metrics. A client's traceparent is ignored: it could decide which traces are kept.
import { measures } from './measures.ts';
import { beginSpan, inSpan } from './spans.ts';

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** @param route the path with names in place of its parameters; null if there is no such route */
export async function tracedRequest(
  request: Request,
  route: string | null,
  answer: () => Promise<Response>,
): Promise<Response> {
  const method = methods.has(request.method) ? request.method : '_OTHER';
  const attributes = { 'http.request.method': method, ...(route !== null && { 'http.route': route }) };
  const beganMs = performance.now();
  const span = beginSpan(route === null ? method : `${method} ${route}`, 'server', attributes, null);
  let status = 500;
  let errorType: string | null = '_OTHER';
  try {
    const response = await inSpan(span && { ...span, end: () => {} }, answer);
    ({ status } = response);
    errorType = status >= 500 ? String(status) : null;
    return response;
  } finally {
    const outcome = { 'http.response.status_code': status };
    span?.end(errorType, outcome);
    measures.record('http.server.request.duration', (performance.now() - beganMs) / 1000, {
      ...attributes,
      ...outcome,
    });
  }
}

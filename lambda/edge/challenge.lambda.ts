// Runs at CloudFront for every answer of the API: gives WWW-Authenticate back, which API Gateway has renamed.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html, table of headers
import type { CloudFrontResponse, CloudFrontResponseEvent } from 'aws-lambda';

/** CloudFront writes the names of headers in lower case. */
const renamed = 'x-amzn-remapped-www-authenticate';

/** @param event of an origin's response: CloudFront skips functions at the viewer's when the status is 400 or higher */
export async function handler({ Records: [record] }: CloudFrontResponseEvent): Promise<CloudFrontResponse> {
  const { response } = record!.cf;
  const { [renamed]: challenges, ...headers } = response.headers;
  if (!challenges) return response;
  const given = challenges.map(({ value }) => ({ key: 'WWW-Authenticate', value }));
  return { ...response, headers: { ...headers, 'www-authenticate': given } };
}

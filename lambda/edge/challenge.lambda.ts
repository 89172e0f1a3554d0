// Runs at CloudFront for every answer of the API: restores WWW-Authenticate, which API Gateway renames.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html, table of headers
// Decision D113.
import type { CloudFrontResponse, CloudFrontResponseEvent } from 'aws-lambda';

/** CloudFront writes header names in lower case. */
const renamed = 'x-amzn-remapped-www-authenticate';

/** @param event of the origin's response; CloudFront runs no viewer function for a status of 400 or more */
export async function handler({ Records: [record] }: CloudFrontResponseEvent): Promise<CloudFrontResponse> {
  const { response } = record!.cf;
  const { [renamed]: challenges, ...headers } = response.headers;
  if (!challenges) return response;
  const given = challenges.map(({ value }) => ({ key: 'WWW-Authenticate', value }));
  return { ...response, headers: { ...headers, 'www-authenticate': given } };
}

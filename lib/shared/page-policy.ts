// The content security policy of the web page, in AWS and in the local run.
// Decision D158.

/** @param bucketOrigin origin of uploads, if it is not the page's own origin */
export function contentSecurityPolicy(bucketOrigin: string | null): string {
  const bucket = bucketOrigin === null ? '' : ` ${bucketOrigin}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    // The page shows objects of the bucket, and sends uploads to it.
    `img-src 'self' data: blob:${bucket}`,
    `media-src 'self' blob:${bucket}`,
    `connect-src 'self'${bucket}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}

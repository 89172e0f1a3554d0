// What browsers may load for the web page: one policy, in AWS and in the local run.

/** @param bucketOrigin where uploads are, if that is not the page's own origin */
export function contentSecurityPolicy(bucketOrigin: string | null): string {
  const bucket = bucketOrigin === null ? '' : ` ${bucketOrigin}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // The page shows what is in the bucket, and sends uploads there.
    `img-src 'self' data: blob:${bucket}`,
    `media-src 'self' blob:${bucket}`,
    `connect-src 'self'${bucket}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}

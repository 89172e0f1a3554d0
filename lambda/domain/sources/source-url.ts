// URLs of watched sources: their form, and the place that the URL of an S3 prefix names.
import { faultOfImportURL } from './import-url.ts';
import type { AddressRules } from '../shared/network-address.ts';

export const sourceKinds = ['s3', 'webdav', 'rss'] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** Credentials of a source: keys or a role for S3, or user and password of a server. */
export type SourceCredentials =
  | { readonly roleARN: string }
  | { readonly accessKeyID: string; readonly secretAccessKey: string }
  | { readonly username: string; readonly password: string };

/** Place in S3 or in a compatible store: ENDPOINT/BUCKET/KEY. */
export interface S3Place {
  /** Such as https://s3.eu-central-1.amazonaws.com. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Key, or prefix of keys; empty for the whole bucket. */
  readonly key: string;
}

export interface SourceURLFault {
  /** Whether the address is forbidden to all imports. */
  readonly isForbidden: boolean;
  readonly detail: string;
}

/** Fault of a source's URL; null if there is none. */
export function faultOfSourceURL(kind: SourceKind, text: string, rules: AddressRules): SourceURLFault | null {
  const malformed = (detail: string) => ({ isForbidden: false, detail });
  const fault = faultOfImportURL(text, rules);
  if (fault === 'malformed') return malformed('Must be an http:// or https:// URL without user name and password.');
  if (fault === 'forbidden') {
    const detail = 'This address may not be imported from. Use a public http:// or https:// one.';
    return { isForbidden: true, detail };
  }
  const url = new URL(text);
  if (kind !== 'rss' && (url.search !== '' || url.hash !== '')) return malformed('Must have no query and no fragment.');
  if (kind === 's3' && s3Place(text) === null) {
    const example = 'https://s3.eu-central-1.amazonaws.com/my-bucket/shows/';
    return malformed(`Must be ENDPOINT/BUCKET/PREFIX, such as ${example}.`);
  }
  return null;
}

/** Names that S3 clients do not treat as buckets, but send elsewhere: directory buckets, access points, Outposts. */
const specialBucket = /--[a-z]+-s3$/i;

/** Null if the text names no bucket. */
export function s3Place(text: string): S3Place | null {
  const url = URL.parse(text);
  const [, bucket, path = ''] = /^\/([A-Za-z0-9._-]{3,255})(?:\/(.*))?$/s.exec(url?.pathname ?? '') ?? [];
  if (!url || bucket === undefined || specialBucket.test(bucket)) return null;
  try {
    return { endpoint: url.origin, region: regionOf(url.hostname), bucket, key: decodeURIComponent(path) };
  } catch {
    return null;
  }
}

/** Region of a host. AWS and most others have it in the endpoint; for the rest this name works. */
function regionOf(host: string): string {
  return /^s3[.-](?:dualstack\.)?([a-z]{2}(?:-[a-z]+)+-\d+)\./.exec(host)?.[1] ?? 'us-east-1';
}

/** URL of an object, which `s3Place` reads; null for keys that no URL can name, such as `a/../b`. */
export function s3URL({ endpoint, bucket, key }: Pick<S3Place, 'endpoint' | 'bucket' | 'key'>): string | null {
  if (!key.isWellFormed()) return null;
  const url = `${endpoint}/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
  const place = s3Place(url);
  return place?.bucket === bucket && place.key === key ? url : null;
}

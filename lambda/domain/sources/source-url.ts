// What the URL of a watched source has to be like, and what the URL of an S3 prefix names.
import { faultOfImportURL } from './import-url.ts';
import type { AddressRules } from '../shared/network-address.ts';

export const sourceKinds = ['s3', 'webdav', 'rss'] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** What opens a source: keys or a role of its owner at S3, or the user and the password of its server. */
export type SourceCredentials =
  | { readonly roleARN: string }
  | { readonly accessKeyID: string; readonly secretAccessKey: string }
  | { readonly username: string; readonly password: string };

/** A place in S3, or in a store that speaks its protocol: ENDPOINT/BUCKET/KEY. */
export interface S3Place {
  /** Such as https://s3.eu-central-1.amazonaws.com. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** A key, or what keys begin with; empty for the whole bucket. */
  readonly key: string;
}

export interface SourceURLFault {
  /** Whether it is an address that nobody may import from. */
  readonly isForbidden: boolean;
  readonly detail: string;
}

/** What is wrong with the URL of a source; null if nothing is. */
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

/** What is no bucket to clients of S3, and has them ask elsewhere: directory buckets, access points, Outposts. */
const specialBucket = /--[a-z]+-s3$/i;

/** Null for what names no bucket. */
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

/** Endpoints of AWS and of most others have the region in them; where it is not, this name will do. */
function regionOf(host: string): string {
  return /^s3[.-](?:dualstack\.)?([a-z]{2}(?:-[a-z]+)+-\d+)\./.exec(host)?.[1] ?? 'us-east-1';
}

/**
 * The URL of an object, which `s3Place` reads. Null for a key that no URL can name: the dots in `a/../b` would make it
 * that of another object.
 */
export function s3URL({ endpoint, bucket, key }: Pick<S3Place, 'endpoint' | 'bucket' | 'key'>): string | null {
  if (!key.isWellFormed()) return null;
  const url = `${endpoint}/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
  const place = s3Place(url);
  return place?.bucket === bucket && place.key === key ? url : null;
}

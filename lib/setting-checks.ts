// The checks of a stage's settings: the kinds of values, each with its text for an invalid value.
export interface Check {
  /** The end of the sentence “FIELD must be …”. */
  readonly expected: string;
  readonly holds: (value: unknown) => boolean;
}

/** @throws if the value is invalid; the message names its field */
export function checkValue(owner: string, field: string, value: unknown, { expected, holds }: Check): void {
  if (!holds(value)) throw new Error(`${owner}: ${field} must be ${expected}, not ${JSON.stringify(value)}`);
}

export const flag: Check = { expected: 'true or false', holds: (value) => typeof value === 'boolean' };

/** https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html */
export const tagValue = text(/^[\w .:/=+@-]{1,256}$/, 'a value of a tag: letters, digits, spaces and _.:/=+@-');

/** Regions of the standard partition: those of China and of the US government lack features of CloudFront. */
export const isRegion = text(/^(?!cn-|us-gov-|us-iso)[a-z]{2}(-[a-z]+)+-\d$/, '');

/**
 * Regions that an account has to opt in to. CloudFront does not write its standard logs to buckets there.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logging-legacy-s3.html
 */
export const regionsWithoutCloudFrontLogs: ReadonlySet<string> = new Set([
  'af-south-1',
  'ap-east-1',
  'ap-south-2',
  'ap-southeast-3',
  'ap-southeast-4',
  'ca-west-1',
  'eu-central-2',
  'eu-south-1',
  'eu-south-2',
  'il-central-1',
  'me-central-1',
  'me-south-1',
]);

export const emailAddress = text(/^[^@\s]+@[^@\s]+\.[^@\s]+$/, 'an e-mail address');

export function text(pattern: RegExp, expected: string): Check {
  return { expected, holds: (value) => typeof value === 'string' && pattern.test(value) };
}

/** @param resource pattern of the text after the account @param region required region; undefined: any */
export function isArn(service: string, resource: string, region?: string): Check {
  const place = region ?? '[a-z0-9-]*';
  return text(
    new RegExp(`^arn:[a-z-]+:${service}:${place}:\\d{12}:${resource}$`),
    `an ARN of ${service}${region === undefined ? '' : ` in ${region}`}`,
  );
}

/** A block of IPv4 addresses that begins at its mask. @param least smallest number of bits in its mask */
export function isCidr(least: number, most: number): Check {
  return {
    expected: `a block of private IPv4 addresses such as "10.20.0.0/16", of ${least} to ${most} bits`,
    holds: (value) => {
      const [, first = '', second = '', third = '', fourth = '', bits = ''] =
        /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(String(value)) ?? [];
      const parts = [first, second, third, fourth].map(Number);
      const [a, b] = parts as [number, number];
      const isPrivate =
        a === 10 || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168) || (a === 100 && b >= 64);
      const address = parts.reduce((sum, part) => sum * 256 + part, 0);
      return (
        bits !== '' &&
        Number(bits) >= least &&
        Number(bits) <= most &&
        parts.every((part) => part <= 255) &&
        isPrivate &&
        address % 2 ** (32 - Number(bits)) === 0
      );
    },
  };
}

export function wholeNumber(least: number, most: number): Check {
  return {
    expected: `a whole number from ${least} to ${most}`,
    holds: (value) => typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most,
  };
}

/** The fewest and the most tasks of a service. */
export function taskCounts(least: number, most: number): Check {
  const isCount = wholeNumber(least, most);
  return {
    expected: `minTasks and maxTasks, from ${least} to ${most} and in this order`,
    holds: (value) => {
      const { minTasks, maxTasks, ...more }: Record<string, unknown> = Object(value);
      const isEach = isCount.holds(minTasks) && isCount.holds(maxTasks);
      return isEach && Number(minTasks) <= Number(maxTasks) && Object.keys(more).length === 0;
    },
  };
}

export function zonesOf(region: string): Check {
  const zone = text(new RegExp(`^${region}[a-z]$`), '');
  return {
    expected: `two or three different zones of ${region}`,
    holds: (value) =>
      Array.isArray(value) &&
      [2, 3].includes(value.length) &&
      new Set(value).size === value.length &&
      value.every(zone.holds),
  };
}

/** A zone of the region that two others do not include, or null. */
export function addedZoneOf(others: readonly string[], region: string): Check {
  return {
    expected: `a zone of ${region} beside two availabilityZones, or null`,
    holds: (value) => value === null || (others?.length === 2 && zonesOf(region).holds([...others, value])),
  };
}

export function orNull(check: Check): Check {
  return { expected: `${check.expected}, or null`, holds: (value) => value === null || check.holds(value) };
}

export function isDomain(value: unknown): boolean {
  const { name, hostedZoneId }: { name?: unknown; hostedZoneId?: unknown } = Object(value);
  return (
    typeof name === 'string' &&
    /^([a-z0-9-]+\.)+[a-z]+$/.test(name) &&
    typeof hostedZoneId === 'string' &&
    /^Z[A-Z0-9]+$/.test(hostedZoneId)
  );
}

// What the partitions of AWS lack that a stage may want: a stage that wants it is refused with a sentence.
import { type AWSPartition, partitionOf } from '../lambda/domain/aws-partition.ts';

/** The settings of a stage that say what it wants of AWS. */
export interface Wanted {
  readonly region: string;
  readonly frontDoor: 'cloudfront' | 'gateway';
  readonly domain: object | null;
  readonly mailFrom: string | null;
  readonly monthlyBudgetUsd: number | null;
}

type Offer = 'distribution' | 'mail' | 'budgets';

/**
 * Each with what to tell whoever wants it. What AWS says of its partitions:
 * https://docs.amazonaws.cn/en_us/aws/latest/userguide/cloudfront.html (no certificates of ACM, web ACLs or functions
 * at the edge, and no use without a registered domain),
 * https://docs.aws.amazon.com/govcloud-us/latest/UserGuide/usage-and-payment.html and the list of services there.
 */
const lacking: Readonly<Record<AWSPartition, Readonly<Partial<Record<Offer, string>>>>> = {
  aws: {},
  'aws-cn': {
    distribution:
      'CloudFront in China takes no certificate of ACM, no web ACL and no function: set frontDoor to "gateway"',
    mail: 'China has no SES, so the stage sends no mails and nobody can sign up by mail: set mailFrom to null',
  },
  'aws-us-gov': {
    distribution: 'GovCloud has no CloudFront: set frontDoor to "gateway"',
    budgets:
      'the costs of GovCloud are billed to a standard account, where a budget has to be: set monthlyBudgetUsd to null',
  },
};

export function lacks(region: string, offer: Offer): boolean {
  return lacking[partitionOf(region)][offer] !== undefined;
}

/** The sentence about the first setting that cannot be had in the stage's region; null if there is none. */
export function lackOf({ region, frontDoor, mailFrom, monthlyBudgetUsd, domain }: Wanted): string | null {
  const wanted: readonly (Offer | false)[] = [
    frontDoor === 'cloudfront' && 'distribution',
    mailFrom !== null && 'mail',
    monthlyBudgetUsd !== null && 'budgets',
  ];
  const lacked = wanted.find((offer) => offer !== false && lacks(region, offer));
  if (lacked) return `${region}: ${lacking[partitionOf(region)][lacked]}`;
  if (frontDoor === 'gateway' && domain === null)
    return 'frontDoor "gateway" takes a domain: at API Gateway’s own address every path begins with something else';
  return null;
}

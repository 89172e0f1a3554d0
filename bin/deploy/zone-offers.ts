// The availability zones that lack services of a stage, by zone ids, which are equal in all accounts.

export interface ZoneOffer {
  readonly what: string;
  /** Ids of zones that lack it. */
  readonly lackingIn: ReadonlySet<string>;
  readonly page: string;
}

export const zoneOffers: readonly ZoneOffer[] = [
  {
    what: 'RDS Proxy',
    lackingIn: new Set(['use1-az3', 'usw1-az2']),
    page: 'https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/rds-proxy.html#rds-proxy.limitations',
  },
  {
    what: 'Fargate on arm64',
    lackingIn: new Set(['use1-az3', 'usw1-az2', 'apne1-az3']),
    page: 'https://docs.aws.amazon.com/AmazonECS/latest/developerguide/AWS_Fargate-Regions.html',
  },
];

// What CloudFront takes from us-east-1 only: the web ACL, a function, and a certificate for a domain.
import { CrossStackReferences, ReferenceStrength, Stack } from 'aws-cdk-lib';
import { Certificate, CertificateValidation, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { HostedZone } from 'aws-cdk-lib/aws-route53';
import type { IVersion } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { StageSettings } from '../stage-settings.ts';
import { ChallengeFunction } from './challenge-function.ts';
import { firewall } from './firewall.ts';

/** CloudFront takes what it needs from there, whatever the region of a stage. */
export const cloudFrontRegion = 'us-east-1';

export interface EdgeStackProps {
  readonly settings: StageSettings;
}

/** The regions that a stage has stacks in. */
export function regionsOf({ region, frontDoor }: Pick<StageSettings, 'region' | 'frontDoor'>): readonly string[] {
  return [...new Set([region, ...(frontDoor === 'cloudfront' ? [cloudFrontRegion] : [])])];
}

export class EdgeStack extends Stack {
  readonly webAclArn: string;
  /** For the answers of the API. */
  readonly challenge: IVersion;
  /** Null for a stage without a domain. */
  readonly certificate: ICertificate | null;

  constructor(scope: Construct, id: string, { settings }: EdgeStackProps) {
    super(scope, id, {
      env: { region: cloudFrontRegion, ...(settings.account !== null && { account: settings.account }) },
    });
    const acl = firewall(this, 'WebAcl', settings.webRequestsPerFiveMinutes, 'CLOUDFRONT');
    const certificate = settings.domain && certificateOf(this, settings.domain);
    const challenge = new ChallengeFunction(this, 'Challenge').version;
    // Nothing can be imported from another region. A stack that reads an output learns of a new value only when it is
    // deployed for another reason: the web ACL is never replaced, a certificate is with the distribution's name, and
    // a new version of the function has another output.
    for (const resource of [acl, certificate, challenge])
      if (resource) CrossStackReferences.of(resource).produce(ReferenceStrength.WEAK);
    this.webAclArn = acl.attrArn;
    this.certificate = certificate;
    this.challenge = challenge;
  }
}

function certificateOf(scope: Construct, { name, hostedZoneId }: NonNullable<StageSettings['domain']>): Certificate {
  const zone = HostedZone.fromHostedZoneId(scope, 'Zone', hostedZoneId);
  return new Certificate(scope, 'Certificate', { domainName: name, validation: CertificateValidation.fromDns(zone) });
}

// The resources that CloudFront requires in us-east-1: the web ACL, a function, and the certificate of a domain.
import { CrossStackReferences, ReferenceStrength, Stack } from 'aws-cdk-lib';
import { Certificate, CertificateValidation, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IVersion } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { cloudFrontRegion } from '../shared/stage-regions.ts';
import type { StageSettings } from '../stage-settings.ts';
import { ChallengeFunction } from './challenge-function.ts';
import { firewall } from './firewall.ts';
import type { StageZone } from './stage-zone.ts';

export interface EdgeStackProps {
  readonly settings: StageSettings;
  readonly zone: StageZone;
}

export class EdgeStack extends Stack {
  readonly webAclArn: string;
  /** The function for the answers of the API. */
  readonly challenge: IVersion;
  /** Null for a stage without a domain. */
  readonly certificate: ICertificate | null;

  constructor(scope: Construct, id: string, { settings, zone }: EdgeStackProps) {
    super(scope, id, {
      env: { region: cloudFrontRegion, ...(settings.account !== null && { account: settings.account }) },
    });
    const acl = firewall(this, 'WebAcl', settings.webRequestsPerFiveMinutes);
    const { domain, certificateArn } = settings;
    const made = domain && certificateArn === null ? this.#certificate(domain.name, zone) : null;
    const challenge = new ChallengeFunction(this, 'Challenge').version;
    // Other regions cannot import these resources. A stack that reads an output gets a new value only when it is
    // deployed for another reason: the web ACL is never replaced, a certificate is replaced with the distribution's
    // name, and a new version of the function has another output.
    for (const resource of [acl, made, challenge])
      if (resource) CrossStackReferences.of(resource).produce(ReferenceStrength.WEAK);
    this.webAclArn = acl.attrArn;
    this.certificate =
      certificateArn === null ? made : Certificate.fromCertificateArn(this, 'Certificate', certificateArn);
    this.challenge = challenge;
  }

  /** A certificate that waits for a record in the zone, as proof of the name's ownership. */
  #certificate(domainName: string, zone: StageZone): Certificate {
    const validation = CertificateValidation.fromDns(zone.in(this));
    return new Certificate(this, 'Certificate', { domainName, validation });
  }
}

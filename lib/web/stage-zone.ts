// The hosted zone of a stage's name: a zone of its account, or its own zone below one of another account.
import { CrossStackReferences, ReferenceStrength, Stack } from 'aws-cdk-lib';
import { Role } from 'aws-cdk-lib/aws-iam';
import { CrossAccountZoneDelegationRecord, type IPublicHostedZone, PublicHostedZone } from 'aws-cdk-lib/aws-route53';
import type { Construct } from 'constructs';
import { acknowledge, acknowledgeCdkFunction } from '../shared/acknowledge.ts';
import type { StageSettings } from '../stage-settings.ts';
import { cloudFrontRegion } from '../shared/stage-regions.ts';

export class StageZone {
  readonly #domain: StageSettings['domain'];
  readonly #delegated: DomainStack | null;

  /** @param stage gets the stack Domain if the zone is in another account */
  constructor(stage: Construct, settings: StageSettings) {
    this.#domain = settings.domain;
    this.#delegated = settings.hostedZoneRoleArn === null ? null : new DomainStack(stage, 'Domain', { settings });
  }

  /** The zone. Its record without a name has the public name. @throws for a stage without a domain */
  in(scope: Construct): IPublicHostedZone {
    if (this.#domain === null) throw new Error('a stage without a domain has no zone');
    const known = scope.node.tryFindChild('Zone') as IPublicHostedZone | undefined;
    if (known) return known;
    return PublicHostedZone.fromPublicHostedZoneAttributes(scope, 'Zone', {
      hostedZoneId: this.#delegated?.zone.hostedZoneId ?? this.#domain.hostedZoneId,
      zoneName: this.#domain.name,
    });
  }
}

/** A zone for the stage's name, to which a role of another account delegates the name. */
class DomainStack extends Stack {
  readonly zone: PublicHostedZone;

  constructor(scope: Construct, id: string, { settings }: { readonly settings: StageSettings }) {
    super(scope, id);
    const { domain, hostedZoneRoleArn, region } = settings;
    if (domain === null || hostedZoneRoleArn === null) throw new Error('a name is delegated by a role, in a zone');
    this.zone = new PublicHostedZone(this, 'Zone', { zoneName: domain.name });
    acknowledge(
      this.zone,
      'Queries of names are not kept: they say nothing that access logs do not.',
      'AwsSolutions-R53',
    );
    new CrossAccountZoneDelegationRecord(this, 'Delegation', {
      delegatedZone: this.zone,
      parentHostedZoneId: domain.hostedZoneId,
      delegationRole: Role.fromRoleArn(this, 'DelegationRole', hostedZoneRoleArn),
    });
    const provider = this.node.children.find(({ node }) => node.id.startsWith('Custom::CrossAccountZoneDelegation'));
    if (provider) acknowledgeCdkFunction(provider.node.findChild('Handler'));
    // The distribution's certificate needs it, in a region that cannot import it. A zone is never replaced.
    if (region !== cloudFrontRegion) CrossStackReferences.of(this.zone).produce(ReferenceStrength.WEAK);
  }
}

// Findings about changed resources of one stack: data that goes, work that moves, and what AWS refuses to change.
import { isDeepStrictEqual } from 'node:util';
import type { Finding } from './finding.ts';
import { namesAny, type ReplacedResources } from './replaced-resources.ts';
import { identityOf, isLeftBehind, nameOfType } from './resource-identity.ts';
import { carrying, onlyGrowing, protecting, stateful } from './resource-rules.ts';
import { migrationOf, type Template, type TemplateResource } from './stage-templates.ts';

/** Findings about the resources of one stack. */
export function resourceFindings(
  stack: string,
  before: Template,
  after: Template,
  replaced: ReplacedResources,
): readonly Finding[] {
  const changed = Object.entries(before.Resources).flatMap(([id, old]) => {
    const now = after.Resources[id];
    const subject = `${stack}/${id}`;
    if (!now) return goneFindings(subject, old, after, before);
    if (now.Type !== old.Type) return [changedType(subject, old, now)];
    const causes = replaced.get(id);
    return [
      ...(causes ? replacedFindings(subject, now, causes) : []),
      ...(isCustom(now) ? changedToken(subject, old, now, replaced) : []),
      ...shrunk(subject, old, now),
      ...unprotected(subject, old, now),
      ...otherKey(subject, old, now),
    ];
  });
  return [...upgradedBesideMigration(stack, before, after), ...changed];
}

function goneFindings(subject: string, old: TemplateResource, after: Template, before: Template): readonly Finding[] {
  const { Type } = old;
  const others = Object.entries(after.Resources).filter(
    ([id, other]) => other.Type === Type && before.Resources[id] === undefined,
  );
  const [renamed] = others.length === 1 ? others : [];
  const successor = renamed ? `, and ${renamed[0]} takes its place` : '';
  const findings: Finding[] = [];
  if (stateful[Type] !== undefined)
    findings.push({
      effect: 'lost',
      subject,
      sentence: `${nameOfType(Type)} ${subject} goes${successor}: ${loss(Type, old.DeletionPolicy)}.`,
      remedy: renamed
        ? 'Keep the logical id (`overrideLogicalId`), or move the resource with `cdk refactor`.'
        : 'Keep it, or accept the loss in test/stacks/accepted-template-changes.txt.',
    });
  else if (carrying[Type] !== undefined && renamed)
    findings.push({
      effect: 'interrupted',
      subject,
      sentence: `${nameOfType(Type)} ${subject} goes${successor}: ${carrying[Type]}.`,
      remedy: 'Keep the logical id (`overrideLogicalId`).',
    });
  if (isLeftBehind(old.DeletionPolicy) && identityOf(old) !== null)
    findings.push({
      effect: 'refused',
      subject,
      sentence:
        `${nameOfType(Type)} ${subject} is left behind under its name: ` +
        'a deployment that makes it again is refused.',
      remedy: 'Give it no name, or delete it by hand before that deployment.',
    });
  return findings;
}

function replacedFindings(subject: string, now: TemplateResource, causes: readonly string[]): readonly Finding[] {
  const { Type } = now;
  const replaced = `${nameOfType(Type)} ${subject} is replaced, because ${causes.join(' and ')} cannot be changed`;
  if (stateful[Type] !== undefined)
    return [
      {
        effect: 'lost',
        subject,
        sentence: `${replaced}: ${loss(Type, now.UpdateReplacePolicy)}.`,
        remedy: `Leave ${causes.join(' and ')} as it was; or make another one, copy, and then take this one away.`,
      },
    ];
  const interruption = carrying[Type];
  if (interruption === undefined) return [];
  return [
    {
      effect: 'interrupted',
      subject,
      sentence: `${replaced}: ${interruption}.`,
      remedy: `Leave ${causes.join(' and ')} as it was, or deploy when few streams are on air.`,
    },
  ];
}

function changedType(subject: string, old: TemplateResource, now: TemplateResource): Finding {
  return {
    effect: 'refused',
    subject,
    sentence: `${subject} changes from ${old.Type} to ${now.Type}, but a logical id has one type for ever.`,
    remedy: 'Give the new resource another id.',
  };
}

/** “Modifying service token is not allowed.” */
function changedToken(
  subject: string,
  old: TemplateResource,
  now: TemplateResource,
  replaced: ReplacedResources,
): readonly Finding[] {
  const token = now.Properties?.['ServiceToken'];
  if (isDeepStrictEqual(token, old.Properties?.['ServiceToken']) && !namesAny(token, replaced)) return [];
  return [
    {
      effect: 'refused',
      subject,
      sentence: `The custom resource ${subject} gets another ServiceToken, which CloudFormation does not allow.`,
      remedy: 'Keep the function behind it under its logical id, or give the custom resource another id.',
    },
  ];
}

function shrunk(subject: string, old: TemplateResource, now: TemplateResource): readonly Finding[] {
  return (onlyGrowing[now.Type] ?? [])
    .filter((name) => {
      const [from, to] = [old.Properties?.[name], now.Properties?.[name]].map((value) => String(value ?? ''));
      return to !== '' && to!.localeCompare(from!, 'en', { numeric: true }) < 0;
    })
    .map((name): Finding => ({
      effect: 'refused',
      subject,
      sentence: `${name} of ${subject} falls to ${now.Properties?.[name]}, but can only rise.`,
      remedy: `Leave ${name} as it stands.`,
    }));
}

/** RDS keeps the new version of Postgres, whatever fails after it, and no parameter group of the old one fits it. */
function upgradedBesideMigration(stack: string, before: Template, after: Template): readonly Finding[] {
  const migration = migrationOf(after);
  const propertiesOf = (template: Template) => template.Resources[migration ?? '']?.Properties;
  if (isDeepStrictEqual(propertiesOf(before), propertiesOf(after))) return [];
  return Object.entries(after.Resources).flatMap(([id, { Type, Properties }]): Finding[] => {
    const [from, to] = [before.Resources[id]?.Properties?.['EngineVersion'], Properties?.['EngineVersion']];
    if (Type !== 'AWS::RDS::DBInstance' || from === undefined || from === to) return [];
    return [
      {
        effect: 'refused',
        subject: `${stack}/${id}`,
        sentence:
          `${stack}/${id} is upgraded to Postgres ${to} in one deployment with the changed migration ` +
          `${stack}/${migration}. If that fails, CloudFormation gives the old parameter group to the new version, ` +
          'which ends in UPDATE_ROLLBACK_FAILED.',
        remedy:
          'Two deployments: first this release with the version that stands, then only databaseMajorVersion and ' +
          'databaseMajorUpgrade.',
      },
    ];
  });
}

/** S3 leaves objects under the key that they were written with. */
function otherKey(subject: string, old: TemplateResource, now: TemplateResource): readonly Finding[] {
  const [from, to] = [old, now].map(({ Type, Properties }) => keyOfBucket(Type, Properties));
  if (from === null || isDeepStrictEqual(from, to)) return [];
  return [
    {
      effect: 'lost',
      subject,
      sentence: `The bucket ${subject} gets another key: policies then deny the one of its present objects.`,
      remedy: 'Keep the key, or copy all objects within the bucket while both keys may be used.',
    },
  ];
}

/** The key of a bucket as its template names it; null: none, or no bucket. */
function keyOfBucket(type: string, properties: TemplateResource['Properties']): unknown {
  if (type !== 'AWS::S3::Bucket') return null;
  const [rule] = properties?.['BucketEncryption']?.ServerSideEncryptionConfiguration ?? [];
  return rule?.ServerSideEncryptionByDefault?.KMSMasterKeyID ?? null;
}

function unprotected(subject: string, old: TemplateResource, now: TemplateResource): readonly Finding[] {
  const policies = (['DeletionPolicy', 'UpdateReplacePolicy'] as const).filter(
    (name) => stateful[now.Type] !== undefined && stays(old[name]) && !stays(now[name]),
  );
  const switches = (protecting[now.Type] ?? []).filter(
    (name) => old.Properties?.[name] === true && now.Properties?.[name] !== true,
  );
  const gone = [...policies, ...switches];
  if (gone.length === 0) return [];
  return [
    {
      effect: 'lost',
      subject,
      sentence:
        `${nameOfType(now.Type)} ${subject} is no longer protected by ${gone.join(' and ')}: ` +
        `its next replacement or removal loses ${stateful[now.Type]}.`,
      remedy: 'Keep the protection (`keepData`).',
    },
  ];
}

function isCustom({ Type }: TemplateResource): boolean {
  return Type.startsWith('Custom::') || Type === 'AWS::CloudFormation::CustomResource';
}

/** Whether the data of a resource with this policy survives its removal from the template. */
function stays(policy: string | undefined): boolean {
  return isLeftBehind(policy) || policy === 'Snapshot';
}

function loss(type: string, policy: string | undefined): string {
  const data = stateful[type];
  if (policy === 'Snapshot') return `${data} stay only in a last snapshot`;
  return stays(policy) ? `the old one is left behind with ${data}` : `it is deleted with ${data}`;
}

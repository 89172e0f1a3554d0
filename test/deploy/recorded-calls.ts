// The AWS calls that tests have recorded: a committed file, which `npm test` checks against the policies.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AwsCall } from '../support/iam.ts';
import type { RecordedRight } from './call-recorder.ts';
import { databaseHost } from './postgres-proxy.ts';
import type { DeployedResources } from './emulated-account.ts';

const file = join(import.meta.dirname, 'recorded-calls.txt');

/** Replacements for names that AWS would choose, as templates name them (app.ts). */
const standIns: readonly (readonly [RegExp, string])[] = [
  [/^Database\/MasterStandIn/, 'Database/DatabaseB269D8BB#master'],
];

/** Functions that only this test deploys. */
const ownFunctions = /AttributesStandIn/;

/** Sorted lines: caller, action, resource, and conditions as JSON. */
export function readRecordedCalls(): readonly AwsCall[] {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean).map(parseCall);
}

export function formatCall({ caller, action, resource, context }: AwsCall): string {
  const conditions = context && Object.keys(context).length > 0 ? [JSON.stringify(context)] : [];
  return [caller, action, resource, ...conditions].join(' ');
}

function parseCall(line: string): AwsCall {
  const [caller = '', action = '', resource = '', ...rest] = line.split(' ');
  return { caller, action, resource, ...(rest.length > 0 && { context: JSON.parse(rest.join(' ')) }) };
}

/**
 * @param stageName prefix of the names of stacks
 * @returns the recorded calls with names that are equal in every deployment, each line once and sorted
 * @throws with names that match no resource of the deployment
 */
export function linesOf(recorded: readonly RecordedRight[], resources: DeployedResources, stageName: string): string[] {
  const resourceOfProxy = [...resources.keys()]
    .find((id) => /-Database\/Proxy[0-9A-F]{8}$/.test(id))!
    .slice(stageName.length + 1);
  const idOf = (given: string): string => {
    // Each caller has its own address of queues.
    const physical = given.startsWith('http://') ? new URL(given).pathname.slice(1) : given;
    if (physical === databaseHost) return resourceOfProxy;
    // Each deployment creates another version of a function.
    const versioned = /^(arn:aws:lambda:.*):\d+$/.exec(physical)?.[1];
    if (versioned !== undefined) return `${idOf(versioned)}#1`;
    const keyOf = /^key of (.*)$/.exec(physical)?.[1];
    if (keyOf !== undefined) return idOf(resourceOfType('AWS::KMS::Key', 'Media'));
    const [id] =
      [...resources].find(
        ([key, { physicalID }]) =>
          // Tasks are identified by their logical ids.
          key.endsWith(`/${physical}`) ||
          (physicalID !== '' &&
            (physical === physicalID ||
              physicalID.endsWith(`/${physical}`) ||
              physical.endsWith(`/${physicalID}`) ||
              physical.endsWith(`:${physicalID}`))),
      ) ?? [];
    if (id === undefined) throw new Error(`no resource of the deployment is ${physical}`);
    const named = id.slice(`${stageName}-`.length);
    return standIns.find(([pattern]) => pattern.test(named))?.[1] ?? named;
  };
  const resourceOfType = (type: string, stack: string): string =>
    [...resources].find(([id, resource]) => id.startsWith(`${stageName}-${stack}/`) && resource.type === type)![1]
      .physicalID;

  const lines = recorded
    .filter(({ caller }) => !ownFunctions.test(caller))
    .map(({ caller, action, resource, part, context = {} }) => {
      const bucketKey = 'kms:EncryptionContext:aws:s3:arn';
      return formatCall({
        caller: idOf(caller),
        action,
        resource: part === undefined ? idOf(resource) : `${idOf(resource)}#${withoutIDs(part)}`,
        context: { ...context, ...(context[bucketKey] && { [bucketKey]: idOf(context[bucketKey]) }) },
      });
    });
  return [...new Set(lines)].sort();
}

/** Replaces ids of rows, which differ between runs. @param part of a resource: an object's key, a schedule's name */
export function withoutIDs(part: string): string {
  const [first = '', ...others] = part.split('/');
  if (others.length > 0 && first !== 'health') return `${first}/ID`;
  return /^[\w.-]+-[0-9a-f]{32}$/.test(part) ? 'ID' : part;
}

/** @returns the lines that the file lacks; with `record`, writes them to the file and returns none */
export function newCalls(lines: readonly string[], { record }: { readonly record: boolean }): readonly string[] {
  const known = new Set(readRecordedCalls().map(formatCall));
  const missing = [...new Set(lines)].filter((line) => !known.has(line));
  if (record && missing.length > 0) writeFileSync(file, `${[...known, ...missing].sort().join('\n')}\n`);
  return record ? [] : missing;
}

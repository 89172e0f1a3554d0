// Comparison of two sets of templates of a stage: what CloudFormation would refuse, lose or interrupt in between.
import { deploymentOrder, type DeploymentOrder, type ExportInUse, type StageChange } from './deployment-order.ts';
import type { Finding } from './finding.ts';
import { replacedResources, type ReplacedResources } from './replaced-resources.ts';
import { resourceFindings } from './resource-findings.ts';
import { isLeftBehind, nameOfType } from './resource-identity.ts';
import { heldByUsers } from './resource-rules.ts';
import { exportsOf, importsOf, outputsReadBy, referencesOf, type Template } from './stage-templates.ts';
import { takenNames } from './taken-names.ts';

export interface TemplateChanges {
  readonly findings: readonly Finding[];
  readonly order: DeploymentOrder;
}

const absent: Template = { Resources: {} };

/** The harm of a deployment of `after` over `before`. An empty `before` is a first deployment. */
export function templateChanges(change: StageChange): TemplateChanges {
  const { before, after } = change;
  const replaced = new Map(
    [...after].map(([stack, template]): [string, ReplacedResources] => [
      stack,
      replacedResources(before.get(stack) ?? absent, template),
    ]),
  );
  const order = deploymentOrder(change, replaced);
  const findings = [
    ...conflictFindings(order.conflicts),
    ...missingImports(change),
    ...missingOutputs(change),
    ...goneOutputs(change, order),
    ...usedUntilLater(change, replaced, order),
    ...[...after].flatMap(([stack, template]) =>
      resourceFindings(stack, before.get(stack) ?? absent, template, replaced.get(stack)!),
    ),
    ...takenNames(change, replaced, order),
    ...leftStacks(change),
  ];
  const distinct = new Map(findings.map((finding) => [`${finding.effect} ${finding.subject}`, finding]));
  return { findings: [...distinct.values()], order };
}

const reasons: Readonly<Record<ExportInUse['because'], string>> = {
  'still imports': 'afterwards too',
  'needs what comes': 'which cannot be first, because this release brings what it needs',
  'needs the schema': 'which cannot be first, because this release brings the schema of its code',
  'is not deployed': 'which stands, but is no longer part of the stage',
};

/** One finding for each export, with all that import it. */
function conflictFindings(conflicts: readonly ExportInUse[]): readonly Finding[] {
  const byExport = Map.groupBy(conflicts, ({ stack, output }) => `${stack}/${output}`);
  return [...byExport].map(([subject, uses]): Finding => {
    const { stack, what, gone, because } = uses[0]!;
    const importers = uses.map(({ importer }) => importer).join(', ');
    const change = gone ? 'goes' : 'changes';
    return {
      effect: 'refused',
      subject,
      sentence: `The export of ${what} ${change}, but is imported by ${importers}, ${reasons[because]}.`,
      remedy:
        because === 'is not deployed'
          ? `Destroy ${importers} first, then deploy.`
          : `Two deployments: first one in which ${stack} also keeps this export (\`this.exportValue\`) and no stack ` +
            `imports it, then one in which it ${change}.`,
    };
  });
}

function missingImports({ before, after }: StageChange): readonly Finding[] {
  const coming = exportsOf(after);
  const standing = exportsOf(before);
  return [...after].flatMap(([stack, template]) => {
    const imported = importsOf(before.get(stack) ?? absent);
    return [...importsOf(template)]
      .filter((name) => {
        const exporter = standing.get(name)?.stack;
        // An export that goes while it is imported is another finding.
        const stands = exporter !== undefined && (!after.has(exporter) || imported.has(name));
        return !coming.has(name) && !stands;
      })
      .map((name) => missing(stack, name));
  });
}

function missingOutputs({ before, after }: StageChange): readonly Finding[] {
  return [...after].flatMap(([stack, template]) =>
    outputsReadBy(template)
      .filter(({ stack: from, output }) => (after.get(from) ?? before.get(from))?.Outputs?.[output] === undefined)
      .map(({ stack: from, output }) => missing(stack, `${from}/${output}`)),
  );
}

function missing(stack: string, name: string): Finding {
  return {
    effect: 'refused',
    subject: `${stack}/${name}`,
    sentence: `${stack} takes ${name} from another stack, but no stack has it.`,
    remedy: 'Two deployments: one that exports it, then one that imports it.',
  };
}

/** Outputs that are read without being imported, and that go before their reader is updated. */
function goneOutputs({ before, after }: StageChange, { order }: DeploymentOrder): readonly Finding[] {
  return [...before].flatMap(([reader, template]) =>
    outputsReadBy(template)
      .filter(({ stack, output }) => {
        const isGone = after.has(stack) && after.get(stack)?.Outputs?.[output] === undefined;
        return isGone && order.indexOf(stack) < order.indexOf(reader);
      })
      .map(({ stack, output }): Finding => ({
        effect: 'at risk',
        subject: `${stack}/${output}`,
        sentence: `An output of ${stack} goes that ${reader} reads: if ${reader} fails to update, so may its rollback.`,
        remedy: 'Give the output a name that stays, or keep it for one more deployment.',
      })),
  );
}

/** Resources that are deleted before the stacks are updated that read them from an output. */
function usedUntilLater(
  { before, after }: StageChange,
  replaced: ReadonlyMap<string, ReplacedResources>,
  { order }: DeploymentOrder,
): readonly Finding[] {
  return [...before].flatMap(([reader, template]) =>
    outputsReadBy(template)
      .filter(({ stack }) => after.has(stack) && order.indexOf(stack) < order.indexOf(reader))
      .flatMap(({ stack, output }) =>
        [...referencesOf(before.get(stack)?.Outputs?.[output]?.Value)].flatMap((id): Finding[] => {
          const old = before.get(stack)?.Resources[id];
          const now = after.get(stack)?.Resources[id];
          const isDeleted = now === undefined || replaced.get(stack)?.has(id) === true;
          const isKept = isLeftBehind(now === undefined ? old?.DeletionPolicy : now.UpdateReplacePolicy);
          if (!old || !heldByUsers.has(old.Type) || !isDeleted || isKept) return [];
          return [deletedInUse(`${stack}/${id}`, old.Type, reader)];
        }),
      ),
  );
}

function deletedInUse(subject: string, type: string, reader: string): Finding {
  return {
    effect: 'refused',
    subject,
    sentence:
      `${nameOfType(type)} ${subject} is deleted while ${reader} still uses it: ` +
      'AWS refuses that, and CloudFormation waits in vain.',
    remedy: 'First a deployment that only keeps it (`RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE`), then this one.',
  };
}

/** Stacks that the stage no longer has: the CDK leaves them standing. */
function leftStacks({ before, after }: StageChange): readonly Finding[] {
  return [...before.keys()]
    .filter((stack) => !after.has(stack))
    .map((stack): Finding => ({
      effect: 'at risk',
      subject: stack,
      sentence: `The stack ${stack} is no longer part of the stage: the CDK leaves it standing, with its imports.`,
      remedy: 'Destroy it by hand (`aws cloudformation delete-stack`).',
    }));
}

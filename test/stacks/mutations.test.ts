// Whether the tests would notice faults: fifty random mutations of a stage's templates, each judged by all rules.
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatCall, readRecordedCalls } from '../deploy/recorded-calls.ts';
import { ConcreteTemplates } from '../support/concrete-templates.ts';
import { completeDev } from '../support/complete-dev.ts';
import { SimulatedAccount } from '../support/iam.ts';
import { reachOf } from '../support/stage-reach.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';
import { TemplateGraph } from '../support/template-graph.ts';
import { checkEveryStage } from './every-stage.ts';
import { MutableStage, type Mutation, mutationsOf, templatesOf } from './mutations.ts';
import { faultsOfRights } from './needed-rights.ts';
import { faultsOfOrder } from './order-pairs.ts';
import { faultsOfPublicAnswers } from './public-answers.ts';
import { faultsOfResourcePolicies } from './resource-policies.ts';
import { callsOfServices } from './service-calls.ts';

const seed = Number(process.env.MUTATIONS_SEED ?? 14);
const mutationCount = Number(process.env.MUTATIONS ?? 50);
const leastCaughtPercent = 90;

/** With an address to send mails from, because recorded calls use it. */
const settings = { ...completeDev, mailFrom: 'no-reply@example.com' };

/**
 * Judges that find faults in templates, none by comparison with a snapshot. Add a line here for each new kind of
 * judgement of stages.
 */
const judges: Readonly<Record<string, (stage: MutableStage) => readonly string[] | Promise<readonly string[]>>> = {
  'order pairs': (stage) => faultsOfOrder(new TemplateGraph(stage)),
  'reach table': (stage) => {
    const table = readFileSync(join(import.meta.dirname, 'reach.txt'), 'utf8')
      .trim()
      .split('\n');
    const lines = reachOf(stage);
    const closed = table.filter((line) => !lines.includes(line)).map((line) => `closed: ${line}`);
    return [...closed, ...lines.filter((line) => !table.includes(line)).map((line) => `open: ${line}`)];
  },
  'policy engine': faultsOfCalls,
  'needed rights': (stage) => faultsOfRights(new TemplateGraph(stage)),
  'policies on resources': (stage) => faultsOfResourcePolicies(new TemplateGraph(stage)),
  'public answers': (stage) => faultsOfPublicAnswers(new TemplateGraph(stage)),
  'what holds for every stage': (stage) => {
    const faults: string[] = [];
    checkEveryStage(
      stage,
      (title, check) => {
        try {
          check();
        } catch {
          faults.push(`a stage no longer ${title}`);
        }
      },
      settings,
    );
    return faults;
  },
};

/** The recorded calls of AWS that a policy engine refuses. */
async function faultsOfCalls(stage: MutableStage): Promise<readonly string[]> {
  const templates = new ConcreteTemplates({ stacks: stage.stacks, template: (id) => stage.template(id) });
  const account = new SimulatedAccount(templates);
  const recorded = readRecordedCalls().map((call) => ({ ...call, caller: account.roleOf(call.caller) }));
  const calls = [...recorded, ...callsOfServices(account, templates)];
  const verdicts = await Promise.all(calls.map((call) => account.verdictOn(call)));
  return calls.filter((_, index) => verdicts[index] !== 'Allowed').map((call) => `refused: ${formatCall(call)}`);
}

/** Mulberry32: equal numbers from 0 to 1 for equal seeds. */
function randomNumbers(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Distinct mutations, equally many of each kind. */
function chosen(pools: readonly (readonly Mutation[])[], count: number): readonly Mutation[] {
  const random = randomNumbers(seed);
  const left = pools.map((pool) => [...pool]);
  const picked: Mutation[] = [];
  let turn = 0;
  while (picked.length < count && left.some((pool) => pool.length > 0)) {
    const pool = left[turn++ % left.length]!;
    picked.push(...pool.splice(Math.floor(random() * pool.length), 1));
  }
  return picked;
}

/** The names of the judges that find a fault. A judge that cannot read the templates has found one. */
async function findersOf(stage: MutableStage): Promise<readonly string[]> {
  const finders: string[] = [];
  for (const [name, judge] of Object.entries(judges)) {
    const found = await Promise.try(judge, stage).then(
      (faults) => faults.length > 0,
      () => true,
    );
    if (found) finders.push(name);
  }
  return finders;
}

test('nearly every right, dependency, network rule and header rule that goes is noticed to be gone', async () => {
  const original = synthesizeStage(testApp(), 'dev', settings);
  const templates = templatesOf(original);
  const whole = new MutableStage(original, templates);
  for (const [name, judge] of Object.entries(judges)) expect([name, await judge(whole)]).toEqual([name, []]);

  const pools = mutationsOf(whole);
  const mutations = chosen([...pools.values()], mutationCount);
  const judged: { readonly mutation: Mutation; readonly finders: readonly string[] }[] = [];
  for (const mutation of mutations) {
    const stage = new MutableStage(original, templates);
    mutation.applyTo(stage);
    judged.push({ mutation, finders: await findersOf(stage) });
  }
  const survivors = judged.filter(({ finders }) => finders.length === 0).map(({ mutation }) => mutation);
  const perKind = [...pools].map(([kind, { length }]) => {
    const ofKind = judged.filter(({ mutation }) => mutation.kind === kind);
    const caught = ofKind.filter(({ finders }) => finders.length > 0).length;
    return `${kind}: ${caught} of ${ofKind.length} caught (${length} possible)`;
  });
  const perJudge = Object.keys(judges).map(
    (name) => `${name}: ${judged.filter(({ finders }) => finders.includes(name)).length}`,
  );
  console.log(
    [...perKind, ...perJudge, ...survivors.map(({ kind, taken }) => `survived: ${kind}: ${taken}`)].join('\n'),
  );

  // A large number selects all. Most of them are rights, because the CDK grants more than necessary.
  const possible = [...pools.values()].flat().length;
  expect(judged).toHaveLength(Math.min(mutationCount, possible));
  const leastCaught = judged.length < possible ? (judged.length * leastCaughtPercent) / 100 : 0;
  expect(judged.length - survivors.length).toBeGreaterThanOrEqual(leastCaught);
  const listed = readFileSync(join(import.meta.dirname, 'surviving-mutations.txt'), 'utf8');
  const reasons = listed.split('\n').flatMap((line) => /^(.+?) — \S/.exec(line)?.[1] ?? []);
  expect(reasons.length).toBeGreaterThan(0);
  const unexplained = survivors.filter(({ taken }) => !reasons.some((pattern) => new RegExp(pattern).test(taken)));
  expect(unexplained.map(({ taken }) => taken)).toEqual([]);
  const needless = reasons.filter((pattern) => !survivors.some(({ taken }) => new RegExp(pattern).test(taken)));
  if (judged.length === possible) expect(needless).toEqual([]);
});

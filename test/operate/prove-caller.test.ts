// The caller of the operators' function is AWS's answer about the signing credentials, for this command alone.
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { describe, expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { createOperate } from '../../lambda/operate/operate.ts';
import type { OperateCall } from '../../lambda/operate/operate.ts';
import { signProof } from '../../lambda/operate/prove-caller.ts';
import { createPostgresDeadLetters } from '../../lambda/ports/dead-letters/postgres-dead-letters.ts';
import { requestOf } from '../support/operate.ts';
import { testService } from '../support/service.ts';

const service = testService();
const region = 'eu-central-1';
const functionName = 'dev-Operate-Operate';
const roleARN = 'arn:aws:iam::123456789012:role/dev-Operate-Operator';
const ada = { accessKeyId: 'AKIAADA', secretAccessKey: 'ada' };
const session = { accessKeyId: 'ASIASESSION', secretAccessKey: 'session', sessionToken: 'a+token/=' };
const mallory = { accessKeyId: 'AKIAMALLORY', secretAccessKey: 'mallory' };
const arns: Readonly<Record<string, string>> = {
  AKIAADA: 'arn:aws:iam::123456789012:user/ada',
  ASIASESSION: 'arn:aws:sts::123456789012:assumed-role/dev-Operate-Operator/op_1',
  AKIAMALLORY: 'arn:aws:sts::123456789012:assumed-role/somebody-else/op_1',
};

/** Answers as STS does: it signs the request again with its own copy of the key, and compares. */
const sts: typeof fetch = async (input, init) => {
  const url = new URL(input as string);
  expect(url.href).toBe(`https://sts.${region}.amazonaws.com/`);
  const sent = Object.fromEntries(new Headers(init?.headers));
  const [, accessKeyId = '', names = ''] = /Credential=(\w+)\/.*SignedHeaders=([^,]+)/.exec(sent['authorization']!)!;
  const credentials = [ada, session, mallory].find((known) => known.accessKeyId === accessKeyId);
  if (!credentials) return Response.json({ Error: { Code: 'InvalidClientTokenId' } }, { status: 403 });
  const signer = new SignatureV4({ service: 'sts', region, sha256: Sha256, credentials, applyChecksum: false });
  const all: Record<string, string> = { ...sent, host: url.host };
  const { headers } = await signer.sign(
    {
      method: 'POST',
      protocol: 'https:',
      hostname: url.host,
      path: '/',
      headers: Object.fromEntries(names.split(';').map((name) => [name, all[name]!])),
      body: init?.body as string,
    },
    { signingDate: dateOf(sent['x-amz-date']!) },
  );
  if (headers['authorization'] !== sent['authorization'])
    return Response.json({ Error: { Code: 'SignatureDoesNotMatch' } }, { status: 403 });
  const Arn = arns[accessKeyId];
  return Response.json({ GetCallerIdentityResponse: { GetCallerIdentityResult: { Arn } } });
};
const dateOf = (text: string) => new Date(text.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));

const operate = (call: unknown) =>
  createOperate({
    pool: service.pool(),
    deadLetters: createPostgresDeadLetters(service.pool()),
    clock: () => new Date(),
    log: () => {},
    functionName,
    region,
    operatorRoleARN: roleARN,
    send: sts,
  })(call);

async function callBy(person: typeof ada, by: typeof ada, of = functionName): Promise<OperateCall> {
  const request = requestOf(['user', 'find', 'x']);
  const subject = { functionName: of, region, request };
  return { request, proofs: { person: await signProof(subject, person), session: await signProof(subject, by) } };
}
const last = async () => (await databaseOn(service.pool()).operatorCommands.last(1, null))[0];

describe('a call of the operators’ function', () => {
  it('is carried out for a session of the role, and kept with whom AWS named', async () => {
    expect(await operate(await callBy(ada, session))).toMatchObject({ outcome: 'done' });
    expect(await last()).toMatchObject({ operator: arns['AKIAADA'], outcome: 'done' });
  });

  it('is refused for any other role, and kept with whom AWS named', async () => {
    expect(await operate(await callBy(ada, mallory))).toMatchObject({ outcome: 'refused' });
    expect(await last()).toMatchObject({ operator: arns['AKIAADA'], outcome: 'refused' });
  });

  it.each([
    ['unknown credentials', async () => callBy({ ...ada, accessKeyId: 'AKIANOBODY' }, session)],
    ['a false signature', async () => callBy({ ...ada, secretAccessKey: 'guessed' }, session)],
    ['a proof for another stage', async () => callBy(ada, session, 'prod-Operate-Operate')],
    [
      'a proof for another command',
      async () => ({ ...(await callBy(ada, session)), request: requestOf(['user', 'find', 'y']) }),
    ],
    [
      'a proof that does not cover the command',
      async () => {
        const call = await callBy(ada, session);
        const authorization = call.proofs.person.authorization.replace(';x-operator-command', '');
        return { ...call, proofs: { ...call.proofs, person: { ...call.proofs.person, authorization } } };
      },
    ],
  ])('is refused with %s, and kept as not proven', async (_, made) => {
    const call = await made();
    expect(await operate(call)).toMatchObject({ outcome: 'refused', says: expect.stringContaining('proof') });
    expect(await last()).toMatchObject({ operator: 'not proven', words: call.request.words, outcome: 'refused' });
  });

  it('is refused the second time, although its proof still holds', async () => {
    const call = await callBy(ada, session);
    await operate(call);
    expect(await operate(call)).toMatchObject({ outcome: 'refused', says: expect.stringContaining('before') });
  });

  it.each([null, {}, { request: requestOf(['user', 'find', 'x']) }])('is nothing the tool sends: %j', async (event) => {
    await expect(operate(event)).rejects.toThrow('invalid_type');
  });
});

// GitHub's OpenID Connect provider: an account has one per URL, and the stack `pipeline` would create another.
import { z } from 'zod';
import { Unanswered } from '../ask-aws.ts';
import { type Check, orWhyNot, xmlList } from '../check.ts';
import { stacksInRegion } from '../standing-stage.ts';

const issuer = 'token.actions.githubusercontent.com';
const providersAnswer = z.object({
  ListOpenIDConnectProvidersResponse: z.object({
    ListOpenIDConnectProvidersResult: z.object({
      OpenIDConnectProviderList: xmlList('member', z.object({ Arn: z.string() })),
    }),
  }),
});

export const githubProvider: Check = {
  name: 'GitHub’s OIDC provider',
  async run(context) {
    const [{ ListOpenIDConnectProvidersResponse: answer }, stacks] = await Promise.all([
      context.ask({ service: 'iam', action: 'ListOpenIDConnectProviders', answer: providersAnswer }),
      orWhyNot(stacksInRegion(context)),
    ]);
    const { OpenIDConnectProviderList: providers } = answer.ListOpenIDConnectProvidersResult;
    // Without the stacks, the owner of the provider is not known: then there is no finding.
    const hasPipeline = stacks instanceof Unanswered || stacks.some(({ name }) => name === 'pipeline');
    const other = hasPipeline ? undefined : providers.find(({ Arn }) => Arn.endsWith(`/${issuer}`));
    const row = { what: 'GitHub’s OIDC provider', needed: 'none but the stack pipeline’s' };
    if (other === undefined) return [{ ...row, found: 'no other', state: 'there', remedy: [] }];
    return [
      {
        ...row,
        found: 'one is there already',
        state: 'warning',
        remedy: [
          'For the pipeline, name it:',
          `$ npx cdk deploy pipeline -c githubRepository=OWNER/NAME -c githubProviderArn=${other.Arn}`,
        ],
      },
    ];
  },
};

// GitHub's OpenID Connect provider: an account has one for each URL, and the stack `pipeline` would make another.
import { z } from 'zod';
import { type Check, orAbsent, orWhyNot, xmlList } from '../check.ts';

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
  async run({ ask }) {
    const [{ ListOpenIDConnectProvidersResponse: answer }, pipeline] = await Promise.all([
      ask({ service: 'iam', action: 'ListOpenIDConnectProviders', answer: providersAnswer }),
      orWhyNot(
        orAbsent(
          ask({
            service: 'cloudformation',
            action: 'DescribeStacks',
            input: { StackName: 'pipeline' },
            answer: z.unknown(),
          }),
          'ValidationError',
        ),
      ),
    ]);
    const { OpenIDConnectProviderList: providers } = answer.ListOpenIDConnectProvidersResult;
    const other = pipeline === null ? providers.find(({ Arn }) => Arn.endsWith(`/${issuer}`)) : undefined;
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

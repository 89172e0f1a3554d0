// Checks whether the pipeline's image is in the account: else tasks fail to start an hour into a deployment.
import { z } from 'zod';
import { imageRepositoryName } from '../../../lib/shared/publisher-image.ts';
import { type Check, deployCommand, orAbsent } from '../check.ts';

// https://docs.aws.amazon.com/AmazonECR/latest/APIReference/API_DescribeImages.html
const imagesAnswer = z.object({ imageDetails: z.array(z.unknown()) });

export const publisherImage: Check = {
  name: 'Image',
  async run({ command, ask }) {
    const { imageDigest, settings } = command;
    if (imageDigest === null) return [];
    const question = ask({
      service: 'api.ecr',
      action: 'DescribeImages',
      input: { repositoryName: imageRepositoryName, imageIds: [{ imageDigest }] },
      answer: imagesAnswer,
    });
    const images = await orAbsent(question, 'RepositoryNotFoundException', 'ImageNotFoundException');
    const row = { what: 'Publisher’s image', needed: `${imageDigest.slice(0, 15)}… in ${settings.region}` };
    if (images !== null) return [{ ...row, found: 'there', state: 'there', remedy: [] }];
    return [
      {
        ...row,
        found: 'not there',
        state: 'missing',
        remedy: [
          `The repository ${imageRepositoryName} lacks it: the pipeline pushes to the account and region of the ` +
            'environment `images`. Have ECR replicate from there (lib/README.md, “Promote”), or let Docker build it:',
          `$ ${deployCommand(command)}`,
        ],
      },
    ];
  },
};

// The publisher's image: Docker builds it, or the pipeline pushed it. Tasks without it fail an hour into a deployment.
import { execFile } from 'node:child_process';
import { DescribeImagesCommand, ECRClient } from '@aws-sdk/client-ecr';
import { imageRepositoryName } from '../../../lib/shared/publisher-image.ts';
import { absentIf, type Check, deployCommand, found } from '../check.ts';

export const docker: Check = {
  name: 'Docker',
  async run({ command }) {
    if (!command.needsDocker) return [];
    const trouble = await troubleWith(process.env.CDK_DOCKER ?? 'docker');
    const row = { what: 'Docker', needed: 'to build the publisher’s image', found: trouble ?? 'answers' };
    return [
      found(row, trouble === null ? 'there' : 'missing', [
        'Start Docker (CDK_DOCKER names another program), or deploy an image that the pipeline pushed:',
        `$ ${deployCommand(command)} -c imageDigest=sha256:…`,
      ]),
    ];
  },
};

export const publisherImage: Check = {
  name: 'Publisher’s image',
  async run({ command, aws }) {
    const { imageDigest, settings } = command;
    if (imageDigest === null) return [];
    const question = { repositoryName: imageRepositoryName, imageIds: [{ imageDigest }] };
    const images = await new ECRClient(aws)
      .send(new DescribeImagesCommand(question))
      .catch(absentIf('RepositoryNotFoundException', 'ImageNotFoundException'));
    const row = {
      what: 'Publisher’s image',
      needed: `${imageDigest.slice(0, 15)}… in ${settings.region}`,
      found: images === null ? 'not there' : 'there',
    };
    return [
      found(row, images === null ? 'missing' : 'there', [
        `The repository ${imageRepositoryName} lacks it. The pipeline pushes to the account and region of the ` +
          'environment `images`. Let ECR replicate from there (lib/README.md, “Promote”), or let Docker build it:',
        `$ ${deployCommand(command)}`,
      ]),
    ];
  },
};

/**
 * @param program name of Docker's CLI, or of a program that takes the same arguments
 * @returns null if it reaches its server, which this command asks
 */
function troubleWith(program: string): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(program, ['version'], { timeout: 30_000 }, (error, _output, errors) => {
      resolve(error ? errors.trim().split('\n').at(-1) || error.message : null);
    });
  });
}

// The container image of publishers and media workers: by digest from the pipeline, or built by the CLI when an engineer deploys by hand.
import { join } from 'node:path';
import { IgnoreMode } from 'aws-cdk-lib';
import { Repository } from 'aws-cdk-lib/aws-ecr';
import { DockerImageAsset, type Platform } from 'aws-cdk-lib/aws-ecr-assets';
import { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import type { Construct } from 'constructs';

/** Of the one repository that the pipeline pushes to. The name is a contract with the workflow. */
export const imageRepositoryName = 'loop-streaming-platform/publisher';

const rootFolder = join(import.meta.dirname, '../..');
/** All that the Dockerfile copies: nothing else is sent to Docker, or changes the image's hash. */
const context = ['package.json', 'package-lock.json', '.npmrc', 'lambda', 'lib/shared/bundle.ts'];

export class PublisherImage {
  readonly #digest: string | null;

  /**
   * @param digest of a multi-architecture image in the repository, `sha256:…` (`-c imageDigest=…`); undefined builds it here, which needs Docker
   * @throws if it is not a digest: a tag could mean another image tomorrow
   */
  constructor(digest: unknown) {
    if (digest !== undefined && !(typeof digest === 'string' && /^sha256:[0-9a-f]{64}$/.test(digest))) {
      throw new Error(
        `-c imageDigest=DIGEST: DIGEST must be sha256: and 64 hexadecimal digits, not ${JSON.stringify(digest)}`,
      );
    }
    this.#digest = digest ?? null;
  }

  for(scope: Construct, id: string, platform: Platform): ContainerImage {
    if (this.#digest !== null)
      return ContainerImage.fromEcrRepository(
        Repository.fromRepositoryName(scope, id, imageRepositoryName),
        this.#digest,
      );
    return ContainerImage.fromDockerImageAsset(
      new DockerImageAsset(scope, id, {
        directory: rootFolder,
        file: 'lambda/publisher/Dockerfile',
        platform,
        ignoreMode: IgnoreMode.DOCKER,
        exclude: ['**', ...context.map((path) => `!${path}`)],
      }),
    );
  }
}

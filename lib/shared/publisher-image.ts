// The container image of agents and workers: from the pipeline by digest, or built by the CDK's CLI.
import { publisherBuild } from '#artifacts';
import { IgnoreMode } from 'aws-cdk-lib';
import { Repository } from 'aws-cdk-lib/aws-ecr';
import { DockerImageAsset, type Platform } from 'aws-cdk-lib/aws-ecr-assets';
import { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import type { Construct } from 'constructs';

/** The repository of the pipeline's images. The workflow names it too. */
export const imageRepositoryName = 'loop-streaming-platform/publisher';

/** The image of agents and workers: `fromDigest` or `fromSources`. */
export class PublisherImage {
  readonly #digest: string | null;

  private constructor(digest: string | null) {
    this.#digest = digest;
  }

  /**
   * An image in the repository `loop-streaming-platform/publisher` of the stage's account and region.
   * @param digest `sha256:…` of an image for both architectures
   * @throws if it is not a digest, because a tag may name another image later
   */
  static fromDigest(digest: string): PublisherImage {
    if (!/^sha256:[0-9a-f]{64}$/.test(digest))
      throw new Error(
        `the digest of an image must be sha256: and 64 hexadecimal digits, not ${JSON.stringify(digest)} ` +
          '(-c imageDigest=DIGEST)',
      );
    return new PublisherImage(digest);
  }

  /** An image that the CDK's CLI builds, which needs Docker. */
  static fromSources(): PublisherImage {
    return new PublisherImage(null);
  }

  /** The image for containers of one architecture. */
  for(scope: Construct, id: string, platform: Platform): ContainerImage {
    if (this.#digest !== null) {
      const repository = Repository.fromRepositoryName(scope, id, imageRepositoryName);
      return ContainerImage.fromEcrRepository(repository, this.#digest);
    }
    const asset = new DockerImageAsset(scope, id, {
      directory: publisherBuild.directory,
      file: publisherBuild.file,
      platform,
      ignoreMode: IgnoreMode.DOCKER,
      exclude: ['**', ...publisherBuild.copied.map((path) => `!${path}`)],
    });
    return ContainerImage.fromDockerImageAsset(asset);
  }
}

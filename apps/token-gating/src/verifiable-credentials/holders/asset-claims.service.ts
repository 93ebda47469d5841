import type { AssetId, LinkedWallet } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { AssetOwnershipService } from '../../assets/ownership/asset-ownership.service.js';
import { toAccountId } from '../../assets/verification/asset-claims.queries.js';
import { checkHeld } from '../../assets/verification/create-claim.service.js';
import { toSubjectAddresses } from '../../subjects/to-subject-addresses.js';
import type { CredentialClaims } from '../verifiable-credentials.dto.js';

const READ_TIMEOUT_MS = 10_000;

/** Reads from the chain what a credential says about assets. */
@Injectable()
export class AssetClaimsService {
  constructor(private readonly ownership: AssetOwnershipService) {}

  /** @throws AppError 400 for chains without a node, 409 for assets that are not held, 503 for what cannot be read */
  async read(wallet: LinkedWallet, assets: readonly AssetId[], tenantId: string): Promise<CredentialClaims> {
    const readAt = new Date();
    const held = await checkHeld(assets, (ids) =>
      this.ownership.readOwners(ids, toSubjectAddresses([wallet]), {
        tenantId,
        signal: AbortSignal.timeout(READ_TIMEOUT_MS),
      }),
    );
    return { account: toAccountId(wallet), assets: held, readTime: readAt.toISOString() };
  }
}

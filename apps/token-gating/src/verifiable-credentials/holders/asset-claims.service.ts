import type { AssetId, LinkedWallet } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { AssetOwnershipService } from '../../assets/ownership/asset-ownership.service.js';
import { toAccountId } from '../../assets/verification/asset-claims.queries.js';
import { checkHeld } from '../../assets/verification/create-claim.service.js';
import { toSubjectAddresses } from '../../subjects/to-subject-addresses.js';
import type { CredentialClaims } from '../verifiable-credentials.dto.js';

const READ_TIMEOUT_MS = 10_000;

/** The oldest block that was read of each chain of some assets. */
class ReadBlocks {
  private readonly blocks = new Map<number, bigint>();

  constructor(private readonly assets: readonly AssetId[]) {}

  readonly record = (chainId: number, block: bigint): void => {
    const oldest = this.blocks.get(chainId);
    if (oldest === undefined || block < oldest) this.blocks.set(chainId, block);
  };

  /** The blocks by CAIP-2 id of the chain, without chains whose reads reported no block. */
  list(): NonNullable<CredentialClaims['blocks']> {
    const chains = new Map(this.assets.map(({ id, rule }) => [rule.chainId, id.split('/', 1)[0] ?? '']));
    return [...chains].flatMap(([chainId, chain]) => {
      const block = this.blocks.get(chainId);
      return block === undefined ? [] : [{ chain, number: Number(block) }];
    });
  }
}

/** Reads from the chain what a credential says about assets. */
@Injectable()
export class AssetClaimsService {
  constructor(private readonly ownership: AssetOwnershipService) {}

  /** @throws AppError 400 for chains without a node, 409 for assets that are not held, 503 for what cannot be read */
  async read(wallet: LinkedWallet, assets: readonly AssetId[], tenantId: string): Promise<CredentialClaims> {
    const readAt = new Date();
    const blocks = new ReadBlocks(assets);
    const held = await checkHeld(assets, (ids) =>
      this.ownership.readOwners(ids, toSubjectAddresses([wallet]), {
        tenantId,
        signal: AbortSignal.timeout(READ_TIMEOUT_MS),
        onBlock: blocks.record,
      }),
    );
    return {
      ...{ account: toAccountId(wallet), assets: held },
      ...{ readTime: readAt.toISOString(), blocks: blocks.list() },
    };
  }
}

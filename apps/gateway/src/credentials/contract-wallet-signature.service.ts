import { Injectable } from '@nestjs/common';
import { type AppError, tooManyRequests } from '@app/common';
import { UnexpectedStatusError } from '@app/service';
import { credentialsUnavailable } from './credentials.errors.js';
import { IdentityClient } from './identity-client.js';

/**
 * Verifies signatures of contract wallets at identity, which calls the wallet's contract (ERC-1271). Identity caches only
 * invalid signatures and VerifiedTokenCache only valid ones: two caches would add up their TTLs (contract.md section 4).
 */
@Injectable()
export class ContractWalletSignatureService {
  constructor(private readonly identity: IdentityClient) {}

  /** @throws AppError 503 when identity or the chain's nodes are unavailable, 429 above the limit of contract checks */
  async isValid(message: string, signature: string): Promise<boolean> {
    const { isValid } = await this.identity
      .checkContractSignature({ message, signature })
      .catch((error: unknown) => {
        throw toSignatureCheckError(error);
      });
    return isValid;
  }
}

function toSignatureCheckError(error: unknown): AppError {
  if (!(error instanceof UnexpectedStatusError) || error.status !== 429) return credentialsUnavailable(error);
  const { retryAfter = 1 } = error;
  return tooManyRequests(
    'contract_check_limit_exceeded',
    'Too many signatures of contract wallets are being checked. Try again in a moment.',
    { retryAfter },
    { cause: error },
  );
}

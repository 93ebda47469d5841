import { Injectable } from '@nestjs/common';
import { type AppError, tooManyRequests } from '@app/common';
import { UnexpectedStatusError } from '@app/service';
import { IdentityClient } from './identity-client.js';
import { credentialsUnavailable } from './credentials.errors.js';

/**
 * Signatures that no key made by itself: identity, which has the nodes, asks the account's contract. It keeps what the contract
 * refused, so that a wrong signature is not a way to keep nodes busy; what was found good is kept where all tokens are. Nothing
 * is kept in both places: together they would keep it too long (contract.md section 4).
 */
@Injectable()
export class ContractWalletSignatureService {
  constructor(private readonly identity: IdentityClient) {}

  /** @throws AppError 503 when identity, or a node, cannot be asked, 429 when too much is being asked already */
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
    'Too many signatures of contract accounts are being checked. Try again in a moment.',
    { retryAfter },
    { cause: error },
  );
}

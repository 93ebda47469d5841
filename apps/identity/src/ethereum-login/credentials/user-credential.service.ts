import { notFound, tooManyRequests } from '@app/common';
import { Injectable } from '@nestjs/common';
import { RevocationQuotaService } from '../../tokens/revocations/revocation-quota.service.js';
import { EthereumCredentialService } from './ethereum-credential.service.js';

const credentialNotFound = () =>
  notFound('credential_not_found', 'This is no credential that you signed for this service.');

const revocationLimitExceeded = (retryAfter: number) =>
  tooManyRequests(
    'revocation_limit_exceeded',
    'You have ended too many within the hour: this one was not ended.',
    {
      retryAfter,
    },
  );

/** What users do with the Ethereum credentials that they signed. */
@Injectable()
export class UserCredentialService {
  constructor(
    private readonly credentials: EthereumCredentialService,
    private readonly quota: RevocationQuotaService,
  ) {}

  /**
   * Ends one before its time.
   * @param text what stands after `Ethereum` in the header
   * @throws AppError 404 for one that is not the user's, 429
   */
  async revoke(userId: string, text: string): Promise<void> {
    const found = this.credentials.parse(text);
    if (!found || !this.credentials.listPossibleUserIds(found).includes(userId)) throw credentialNotFound();
    const restSeconds = await this.quota.takeForUser(userId, found.clientId);
    if (restSeconds !== undefined) throw revocationLimitExceeded(restSeconds);
    await this.credentials.revoke(found);
  }

  /**
   * Ends all that were signed for a client application until now.
   * @returns undefined when they are ended; otherwise after how many seconds they can be
   */
  async revokeAllForClient(userId: string, clientId: string): Promise<number | undefined> {
    const restSeconds = await this.quota.takeForDisconnection(userId);
    if (restSeconds === undefined) await this.credentials.revokeAllForClient(userId, clientId);
    return restSeconds;
  }
}

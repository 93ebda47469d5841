import { notFound, tooManyRequests } from '@app/common';
import { Injectable } from '@nestjs/common';
import { RevocationQuotaService } from '../../tokens/revocations/revocation-quota.service.js';
import { EthereumCredentialService } from './ethereum-credential.service.js';

const credentialNotFound = () =>
  notFound('credential_not_found', 'You have not signed this credential for this service.');

const revocationLimitExceeded = (retryAfter: number) =>
  tooManyRequests(
    'revocation_limit_exceeded',
    'You have revoked too many credentials within the last hour. This credential is still valid.',
    { retryAfter },
  );

/** Revocation of Ethereum credentials by the user who signed them, under a quota. */
@Injectable()
export class UserCredentialService {
  constructor(
    private readonly credentials: EthereumCredentialService,
    private readonly quota: RevocationQuotaService,
  ) {}

  /**
   * @param text the value after `Ethereum` in the header
   * @throws AppError 404 for a credential of another user, 429 over the quota
   */
  async revoke(userId: string, text: string): Promise<void> {
    const credential = this.credentials.parse(text);
    if (!credential || !this.credentials.listPossibleUserIds(credential).includes(userId))
      throw credentialNotFound();
    const retryAfterSeconds = await this.quota.takeForUser(userId, credential.clientId);
    if (retryAfterSeconds !== undefined) throw revocationLimitExceeded(retryAfterSeconds);
    await this.credentials.revoke(credential);
  }

  /**
   * Revokes all credentials that the user has signed for a client application until now.
   * @returns undefined on success; over the quota, the seconds until a retry
   */
  async revokeAllForClient(userId: string, clientId: string): Promise<number | undefined> {
    const retryAfterSeconds = await this.quota.takeForDisconnection(userId);
    if (retryAfterSeconds === undefined) await this.credentials.revokeAllForClient(userId, clientId);
    return retryAfterSeconds;
  }
}

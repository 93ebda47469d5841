import { notFound, tooManyRequests } from '@app/common';
import { Injectable } from '@nestjs/common';
import { RevocationQuota } from '../revocations/revocation-quota.js';
import { EthereumCredentials } from './ethereum-credentials.js';

const notYours = () =>
  notFound('credential_not_found', 'This is no credential that you signed for this service.');

const tooManyRevocations = (retryAfter: number) =>
  tooManyRequests('revocation_limit', 'You have ended too many within the hour: this one was not ended.', {
    retryAfter,
  });

/** What users do with the Ethereum credentials that they signed. */
@Injectable()
export class OwnSignedCredentials {
  constructor(
    private readonly credentials: EthereumCredentials,
    private readonly quota: RevocationQuota,
  ) {}

  /**
   * Ends one before its time.
   * @param text what stands after `Ethereum` in the header
   * @throws AppError 404 for one that is not the user's, 429
   */
  async end(userId: string, text: string): Promise<void> {
    const found = this.credentials.read(text);
    if (!found || !this.credentials.usersOf(found).includes(userId)) throw notYours();
    const restSeconds = await this.quota.takeOfUser(userId, found.clientId);
    if (restSeconds !== undefined) throw tooManyRevocations(restSeconds);
    await this.credentials.end(found);
  }

  /**
   * Ends all that were signed for a client application until now.
   * @returns undefined when they are ended; otherwise after how many seconds they can be
   */
  async endAllFor(userId: string, clientId: string): Promise<number | undefined> {
    const restSeconds = await this.quota.takeDisconnection(userId);
    if (restSeconds === undefined) await this.credentials.endAllOf(userId, clientId);
    return restSeconds;
  }
}

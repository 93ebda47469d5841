import {
  operatorRequired,
  type Principal,
  recentLoginRequired,
  requireSignedInUser,
  walletLoginRequired,
} from '@app/auth';
import { notFound } from '@app/common';
import type { OperatorActionRequest } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { IdentityClient } from '../clients/identity-client.js';

export type OperatorAction = Omit<OperatorActionRequest, 'user'>;

const clientNotFound = () => notFound('client_not_found', 'There is no client application with this id.');

/** Authorizes operators. Identity decides who is one, and records each action before it is done. */
@Injectable()
export class OperatorsService {
  constructor(private readonly identity: IdentityClient) {}

  /** @throws AppError 403 for other users, and when the login is too old or with a passkey; 404 for an unknown client application; 503 */
  async authorize(principal: Principal, action: OperatorAction): Promise<void> {
    const { id, authTime, amr } = requireSignedInUser(principal);
    const user = { id, authTime, amr };
    const { outcome } = await this.identity.recordOperatorAction({ ...action, user });
    switch (outcome) {
      case 'recorded':
        return;
      case 'operator_required':
        throw operatorRequired();
      case 'recent_login_required':
        throw recentLoginRequired();
      case 'wallet_login_required':
        throw walletLoginRequired();
      case 'client_not_found':
        throw clientNotFound();
    }
  }
}

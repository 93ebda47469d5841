import { Database } from '@app/database';
import { MAX_USERS_PER_READER_LOOKUP, type WalletEvent } from '@app/dto';
import { INTERNAL_TIMEOUT_MS } from '@app/service';
import { Injectable } from '@nestjs/common';
import { IdentityClient } from '../../clients/identity-client.js';
import type { ClaimedDelivery } from '../delivery.js';
import { isAnyEndpointListening } from './callback-endpoints.queries.js';
import { EndpointEventService, type WalletChange } from './endpoint-event.service.js';

const WALLET_EVENTS = ['wallet.linked', 'wallet.unlinked'] as const;

/**
 * Tells endpoints of the wallets that users link and unlink: those of applications to which the user granted `user:wallet:read`, and, for the
 * wallet of a platform user, those of attached applications that reported the member. Identity is asked who may read the wallets of a user when the
 * event is made, and again whenever it is sent, because a grant may have ended while a delivery waited.
 */
@Injectable()
export class EndpointWalletEventService {
  constructor(
    private readonly database: Database,
    private readonly identity: IdentityClient,
    private readonly events: EndpointEventService,
  ) {}

  /**
   * Asks who may be told of changes, before anything is done about them: a job that has to wait for identity repeats nothing else.
   * @returns what tells them, idempotently. While no endpoint subscribes, identity is not asked
   * @throws AppError 503 where identity cannot say who may read the wallets
   */
  async prepare(changes: readonly WalletEvent[]): Promise<() => Promise<void>> {
    const told = changes.flatMap((event) => (isWalletChange(event) ? [event] : []));
    if (told.length === 0 || !(await isAnyEndpointListening(this.database, WALLET_EVENTS)))
      return () => Promise.resolve();
    const readers = await this.loadReaders(told.filter(({ communityId }) => communityId === undefined));
    return () =>
      this.database.transaction((manager) => this.events.publishWalletChanges(manager, told, readers));
  }

  /** Whether a delivery may be sent, as far as identity decides it. @throws AppError 503 */
  async mayBeSent({ clientId, tenantId, payload }: ClaimedDelivery): Promise<boolean> {
    const { event, userId, eventCommunityId } = payload;
    if (!event || eventCommunityId !== undefined || !WALLET_EVENTS.some((type) => type === event.type))
      return true;
    if (userId === undefined) return false;
    const signal = AbortSignal.timeout(INTERNAL_TIMEOUT_MS);
    return (await this.identity.loadWalletReaders(userId, { tenantId, signal })).includes(clientId);
  }

  private async loadReaders(
    changes: readonly WalletChange[],
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const userIds = [...new Set(changes.map(({ userId }) => userId))];
    const readers = new Map<string, readonly string[]>();
    for (let start = 0; start < userIds.length; start += MAX_USERS_PER_READER_LOOKUP) {
      const page = userIds.slice(start, start + MAX_USERS_PER_READER_LOOKUP);
      for (const [userId, clientIds] of await this.identity.fetchWalletReaders(page))
        readers.set(userId, clientIds);
    }
    return readers;
  }
}

const isWalletChange = (event: WalletEvent): event is WalletChange => event.type !== 'wallet.shared';

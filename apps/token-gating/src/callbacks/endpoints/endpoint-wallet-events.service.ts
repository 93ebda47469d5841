import { Database } from '@app/database';
import { MAX_USERS_PER_READER_LOOKUP, type WalletEvent } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { IdentityClient } from '../../clients/identity-client.js';
import type { ClaimedDelivery } from '../delivery.js';
import { isAnyEndpointListening } from './callback-endpoints.queries.js';
import { EndpointEventService, type WalletChange } from './endpoint-event.service.js';

const WALLET_EVENTS = ['wallet.linked', 'wallet.unlinked'] as const;

/**
 * Tells endpoints of the wallets that users link and unlink: those of applications to which the user granted `user:wallet:read`, and, for the
 * wallet of a platform user, those of attached applications that know the member. Identity is asked who may read the wallets of a user when the
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
   * Idempotent: the id of a delivery follows from its event and its endpoint. While no endpoint subscribes, identity is not asked.
   * @throws AppError 503 where identity cannot say who may read the wallets
   */
  async publish(changes: readonly WalletEvent[]): Promise<void> {
    const told = changes.flatMap((event) => (isWalletChange(event) ? [event] : []));
    if (told.length === 0 || !(await isAnyEndpointListening(this.database, WALLET_EVENTS))) return;
    const readers = await this.loadReaders(told.filter(({ communityId }) => communityId === undefined));
    await this.database.transaction((manager) => this.events.publishWalletChanges(manager, told, readers));
  }

  /** Whether a delivery may be sent, as far as identity decides it. @throws AppError 503 */
  async mayBeSent({ clientId, payload }: ClaimedDelivery): Promise<boolean> {
    const { event, userId, eventCommunityId } = payload;
    if (!event || eventCommunityId !== undefined || !WALLET_EVENTS.some((type) => type === event.type))
      return true;
    if (userId === undefined) return false;
    const readers = await this.identity.fetchWalletReaders([userId]);
    return readers.get(userId)?.includes(clientId) ?? false;
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

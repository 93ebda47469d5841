import { walletEvent } from '@app/dto';
import type { PayloadOf } from './define-queue.js';
import { defineEventQueue } from './define-event-queue.js';

/** Wallets that users linked and unlinked: from identity to token-gating, which checks the roles that rest on them. */
export const walletEventsQueue = defineEventQueue('wallet-events', walletEvent);

export type WalletEventsJob = PayloadOf<typeof walletEventsQueue>;

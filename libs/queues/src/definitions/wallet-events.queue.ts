import { walletEvent } from '@app/dto';
import type { PayloadOf } from './define-queue.js';
import { defineEventQueue } from './define-event-queue.js';

/** Linked and unlinked wallets, from identity to token-gating, which evaluates the affected roles. */
export const walletEventsQueue = defineEventQueue('wallet-events', walletEvent);

export type WalletEventsJob = PayloadOf<typeof walletEventsQueue>;

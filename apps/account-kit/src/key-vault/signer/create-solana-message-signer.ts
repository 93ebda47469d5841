import { createBatcher } from '@app/common';
import { signSolanaMessage } from '../../solana-messages/solana-keys.js';

export type SolanaMessageSigner = typeof signSolanaMessage;

/** Messages that are signed in one turn of the event loop have their signatures together, because they are stored together. */
export function createSolanaMessageSigner(): SolanaMessageSigner {
  const together = createBatcher((all: readonly Promise<Buffer | Error>[]) => Promise.all(all), {
    batchWindowMs: 0,
    isParallel: true,
  });
  return (...message) =>
    together.load(signSolanaMessage(...message).catch((error: unknown) => error as Error));
}

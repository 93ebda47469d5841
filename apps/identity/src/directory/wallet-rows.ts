import { heldWallet } from '@app/dto';
import { z } from 'zod';

/** Columns of identity.wallet_connections, under the names of HeldWallet. */
export const HELD = 'wallet_type AS type, chain_id AS "chainId", address';

export const walletRows = z.array(heldWallet.extend({ userId: z.string() }));

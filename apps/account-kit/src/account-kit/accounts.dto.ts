import { z } from 'zod';
import { platform } from '../platforms/platform-user.js';

/** The schema id is that of spec.md 4.3; contract.md section 7 defines the fields. */
export const botSmartAccountAddresses = z
  .object({
    pkpAddress: z.string().meta({ description: "The signer's address." }),
    evm: z.array(z.object({ address: z.string(), chainId: z.number() })),
    solana: z.array(z.object({ address: z.string(), network: z.enum(['SOL', 'SOL_DEVNET']) })),
  })
  .meta({ id: 'BotSmartAccountAddressRequest' });

export const platformAccountAddressRequest = z
  .strictObject({ platform, userId: z.string().min(1).max(128) })
  .meta({ id: 'GetPlatformAccountAddressRequest', example: { platform: 'chat', userId: '42' } });

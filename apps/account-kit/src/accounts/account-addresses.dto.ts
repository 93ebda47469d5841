import { z } from 'zod';
import { isPlatformUserId } from '../platforms/is-platform-user-id.js';
import { platform } from '../platforms/platform-user.js';

/** The schema id is that of spec.md 4.3; contract.md section 10 defines the fields. */
export const accountAddresses = z
  .object({
    pkpAddress: z.string().meta({ description: "The signer's address." }),
    evm: z.array(z.object({ address: z.string(), chainId: z.number() })).meta({
      description:
        'The smart account, for each chain of the deployment on which the contracts of smart accounts were found.',
    }),
    solana: z
      .array(z.object({ address: z.string(), network: z.enum(['SOL', 'SOL_DEVNET']) }))
      .meta({ description: 'An account for each Solana network.' }),
  })
  .meta({ id: 'BotSmartAccountAddressRequest' });
export type AccountAddresses = z.infer<typeof accountAddresses>;

export const platformAccountAddressRequest = z
  .strictObject({
    platform,
    userId: z
      .string()
      .refine(isPlatformUserId, "must be the platform's numeric id as decimal text, without leading zeros")
      .meta({ description: "The platform's numeric id as decimal text, such as `42`" }),
  })
  .meta({ id: 'GetPlatformAccountAddressRequest', example: { platform: 'chat', userId: '42' } });
export type PlatformAccountAddressRequest = z.infer<typeof platformAccountAddressRequest>;

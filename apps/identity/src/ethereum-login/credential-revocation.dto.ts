import { z } from 'zod';

export const credentialRevocation = z
  .strictObject({
    credential: z
      .string()
      .min(1)
      .max(8_192)
      .meta({ description: 'What stands after `Ethereum` in `Authorization`' }),
  })
  .meta({ id: 'CredentialRevocation' });
export type CredentialRevocation = Readonly<z.output<typeof credentialRevocation>>;

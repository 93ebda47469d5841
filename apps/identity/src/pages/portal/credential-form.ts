import { z } from 'zod';

/** How people copy it: with the header's name and scheme before it, and broken into lines. */
const AROUND = /^(?:Authorization:)?(?:Ethereum(?=[\w-]+\.0x))?/i;

export const credentialForm = z.object({
  credential: z
    .string()
    .max(16_384)
    .transform((text) => text.replaceAll(/\s+/g, '').replace(AROUND, '')),
});
export type CredentialForm = z.output<typeof credentialForm>;

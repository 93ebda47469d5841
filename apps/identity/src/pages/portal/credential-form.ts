import { z } from 'zod';

/** Users may paste the whole header, with its name and scheme. */
const HEADER_PREFIX = /^(?:Authorization:)?(?:Ethereum(?=[\w-]+\.0x))?/i;

export const credentialForm = z.object({
  credential: z
    .string()
    .max(16_384)
    .transform((text) => text.replaceAll(/\s+/g, '').replace(HEADER_PREFIX, '')),
});
export type CredentialForm = z.output<typeof credentialForm>;

import { z } from 'zod';

/**
 * POST /internal/ethereum-credentials of identity, which has the nodes: whether a contract account stands behind a
 * signature. Everything that can be known without a node the gateway has checked before it asks. 503 when no node can be
 * asked.
 */
export const ethereumCredentialRequest = z.strictObject({
  /** The text that was signed (EIP-4361); it names account and chain. */
  message: z.string().min(1).max(8_192),
  /** `0x` and an even number of hex digits. */
  signature: z
    .string()
    .max(8_192)
    .regex(/^0x(?:[0-9a-f]{2})+$/i),
});
export type EthereumCredentialRequest = z.infer<typeof ethereumCredentialRequest>;

export const ethereumCredentialResponse = z.object({ isValid: z.boolean() });
export type EthereumCredentialResponse = Readonly<z.infer<typeof ethereumCredentialResponse>>;

import { z } from 'zod';

/**
 * POST /internal/ethereum-credentials of identity, which has RPC nodes: verifies the signature of a contract account
 * (ERC-1271). The gateway checks everything else before. 503 when no node is available.
 */
export const ethereumCredentialRequest = z.object({
  /** The signed message (EIP-4361), which contains account and chain. */
  message: z.string().min(1).max(8_192),
  /** `0x` and an even number of hex digits, also none: a contract may have approved the message on its chain. */
  signature: z
    .string()
    .max(8_192)
    .regex(/^0x(?:[0-9a-f]{2})*$/i),
});
export type EthereumCredentialRequest = z.infer<typeof ethereumCredentialRequest>;

export const ethereumCredentialResponse = z.object({ isValid: z.boolean() });
export type EthereumCredentialResponse = Readonly<z.infer<typeof ethereumCredentialResponse>>;

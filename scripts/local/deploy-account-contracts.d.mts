import type { Address } from 'viem';

export function deployAccountContracts(options: {
  rpcUrl: string;
  root: string;
  accounts: Record<'deployer' | 'paymasterSigner', { address: string }>;
}): Promise<
  Record<'entryPoint07' | 'entryPoint08' | 'factory07' | 'factory08' | 'paymaster07' | 'paymaster08', Address>
>;

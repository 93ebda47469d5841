import type { Address, Hex } from 'viem';

export const OUTSIDER: number;
export function demoAccounts(): Promise<
  Record<
    'deployer' | 'holder' | 'paymasterSigner' | 'executor' | 'outsider',
    { address: Address; privateKey: Hex }
  >
>;

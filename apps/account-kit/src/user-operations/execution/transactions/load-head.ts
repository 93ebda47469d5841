import type { Block, PublicClient } from 'viem';

/** The newest block. */
export type Head = Pick<Block<bigint, false, 'latest'>, 'number' | 'hash' | 'baseFeePerGas' | 'gasLimit'>;

export const loadHead = (client: PublicClient): Promise<Head> => client.getBlock({ blockTag: 'latest' });

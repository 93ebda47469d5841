import type { Address, Hex } from 'viem';
import { z } from 'zod';

/** Schemas of columns as queries give them: bigint and numeric come as text or bigint, of JSON also as numbers. */
export const storedAmount = z.union([z.string(), z.bigint(), z.int()]).transform(BigInt);
export const storedHash = z.string().transform((text) => text as Hex);
export const storedAddress = z.string().transform((text) => text as Address);

import type { Address, Hex } from 'viem';
import { z } from 'zod';

/** Schemas of columns as queries give them: bigint and numeric come as text or bigint, of JSON also as numbers. */
export const storedAmount = z.union([z.string(), z.bigint(), z.int()]).transform(BigInt);
export const storedHash = z.string().transform((text) => text as Hex);
export const storedAddress = z.string().transform((text) => text as Address);

/**
 * A text that contracts, nodes or bundlers choose, as PostgreSQL can store it: it takes neither U+0000 nor half a surrogate pair. One such
 * text would fail the statement of all operations that are stored together.
 */
export const toStoredText = (text: string): string =>
  Buffer.from(text.replaceAll('\u0000', '\uFFFD')).toString();

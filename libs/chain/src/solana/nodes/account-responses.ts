import { z } from 'zod';
import { RpcNodeError } from '../../shared/rpc-node-error.js';

/** Standard base64 without line breaks: the texts go into results whose parts are separated by other characters. */
const base64Schema = z
  .string()
  .regex(/^[A-Za-z0-9+/]*={0,2}$/)
  .refine((text) => text.length % 4 === 0);
const base58Schema = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
const accountSchema = z.object({
  /** The program that owns the account. */
  owner: base58Schema,
  /** JSON numbers lose digits above 2^53 - 1. */
  lamports: z.number().nonnegative(),
  data: z.tuple([base64Schema, z.literal('base64')]),
});

function withContext<Value extends z.ZodType>(value: Value) {
  return z.object({ context: z.object({ slot: z.int().nonnegative() }), value });
}

/** https://solana.com/docs/rpc/http/getmultipleaccounts */
const accountsSchema = withContext(z.array(accountSchema.nullable()));
/** https://solana.com/docs/rpc/http/gettokenaccountsbyowner */
const listedSchema = withContext(z.array(z.object({ pubkey: base58Schema, account: accountSchema })));
const genesisHashSchema = z.string();

export type RpcAccount = z.infer<typeof accountSchema>;
export type ListedRpcAccount = z.infer<typeof listedSchema>['value'][number];

export const parseGenesisHash = (result: unknown): string => parse(genesisHashSchema, result);
export const parseAccounts = (result: unknown): z.infer<typeof accountsSchema> =>
  parse(accountsSchema, result);
export const parseListedAccounts = (result: unknown): z.infer<typeof listedSchema> =>
  parse(listedSchema, result);

/** @throws RpcNodeError for a result of another shape, which is the node's failure */
function parse<T>(schema: z.ZodType<T>, result: unknown): T {
  const parsed = schema.safeParse(result);
  if (parsed.success) return parsed.data;
  throw new RpcNodeError('unavailable', 'the node answered with another shape');
}

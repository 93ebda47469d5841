import { z } from 'zod';
import type { Amount } from './amount.js';
import { parseCaip19Asset } from './caip19-asset.js';
import { tokenGatingRule, type TokenGatingRule } from './token-gating-rule.js';

const ASSET_TYPES = ['NATIVE', 'ERC20', 'ERC721', 'ERC1155', 'SOLANA_FT', 'SOLANA_NFT', 'gnosis'] as const;

/** A rule about one asset of one chain. */
export type AssetRule = Extract<TokenGatingRule, { readonly type: (typeof ASSET_TYPES)[number] }>;

/** An asset of a chain: a coin, a token contract, one token, or a Safe. */
export interface AssetId {
  /** CAIP-19. */
  readonly id: string;
  /** Granted to accounts that hold any of it. */
  readonly rule: AssetRule;
}

const MAX_ASSET_LENGTH = 512;
/**
 * The least amount: one base unit of a token of any number of decimals, because thresholds are rounded up to base
 * units.
 */
const ANY_AMOUNT: Amount = { units: 1n, scale: 255 };

/** Parses a CAIP-19 asset id, or the same in the dialect whose EVM chains are `evm:<chain id>`. */
export const assetId = z
  .string()
  .max(MAX_ASSET_LENGTH)
  .transform((text, context): AssetId => {
    const asset = parseAssetId(text);
    if (typeof asset !== 'string') return asset;
    context.addIssue({ code: 'custom', message: asset });
    return z.NEVER;
  });

/** @returns the asset, or an error message */
export function parseAssetId(text: string): AssetId | string {
  const id = toCaip19(text);
  const fields = parseCaip19Asset(id);
  if (typeof fields === 'string') return fields;
  const { data: rule, error } = tokenGatingRule.safeParse(fields);
  if (rule && isAssetRule(rule)) return { id, rule: { ...rule, minToken: ANY_AMOUNT } };
  const issue = error?.issues[0];
  return `${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is invalid'}`.trim();
}

const toCaip19 = (text: string): string => text.replace(/^evm:/, 'eip155:').replace(/\/gnosis:/, '/safe:');

const isAssetRule = (rule: TokenGatingRule): rule is AssetRule =>
  ASSET_TYPES.some((type) => type === rule.type);

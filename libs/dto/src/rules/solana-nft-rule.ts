import { z } from 'zod';
import { metadataFields } from './metadata-condition.js';
import { checkThresholdOrder, checkWholeThresholds, sharedRuleFields, solanaChainId } from './rule-fields.js';
import { isSolanaAddress } from './solana.js';

const SOLANA_NFT_FILTERS = ['creators', 'collection', 'mint'] as const;

const MAX_KEYS = 100;

/** The addresses that the filter names, separated by commas. */
const keys = z
  .string('is required: the addresses of the creators, the collections or the mints, separated by commas')
  .transform((text, { addIssue }): readonly string[] => {
    const addresses = [...new Set(text.split(','))];
    const wrong = addresses.find((address) => !isSolanaAddress(address));
    if (wrong === undefined && addresses.length <= MAX_KEYS) return addresses;
    const message =
      wrong === undefined
        ? `must have at most ${MAX_KEYS} addresses`
        : 'must be Solana addresses, 32 bytes in base58 each, separated by commas without spaces';
    addIssue({ code: 'custom', message });
    return z.NEVER;
  });

/** Requires between minToken and maxToken NFTs of a creator, of a collection, or of the given mints. */
export const solanaNftRule = z
  .object({
    type: z.literal('SOLANA_NFT'),
    ...sharedRuleFields,
    ...metadataFields,
    chainId: solanaChainId,
    /** What the keys are; an NFT that matches any of them counts. */
    contractAddress: z.enum(SOLANA_NFT_FILTERS, `must be one of ${SOLANA_NFT_FILTERS.join(', ')}`),
    tokenId: keys,
  })
  .check(checkThresholdOrder, checkWholeThresholds);
export type SolanaNftRule = z.output<typeof solanaNftRule>;

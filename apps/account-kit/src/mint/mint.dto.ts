import { displayText, evmAddress, EXAMPLES } from '@app/dto';
import { z } from 'zod';
import { dryRunField, userOperationDryRun } from '../user-operations/dry-run.dto.js';

const MAX_NAME_BYTES = 64;
const MAX_SYMBOL_BYTES = 16;
const MAX_METADATA_BYTES = 8_192;

/** Text that the contract keeps. Each word of 32 bytes costs gas. */
const tokenText = (maxBytes: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(maxBytes)
    .pipe(displayText(maxBytes))
    .refine((text) => Buffer.byteLength(text) <= maxBytes, `must be at most ${maxBytes} bytes of UTF-8`);

const text = z.string().max(2_048).optional();

/** Existing clients send empty text for what a token does not have, and names of their own. */
const metadataFields = z.looseObject({
  description: text,
  website_link: text,
  image: text,
  media: text,
  nsfw: z.boolean().optional(),
});
const metadata = metadataFields
  .refine(
    (fields) => Buffer.byteLength(JSON.stringify(fields)) <= MAX_METADATA_BYTES,
    `must be at most ${MAX_METADATA_BYTES} bytes of JSON`,
  )
  .meta({ description: 'Stored with the token. Its URLs are not fetched.' });

export const mintRequest = z
  .strictObject({
    name: tokenText(MAX_NAME_BYTES).meta({
      description: `At most ${MAX_NAME_BYTES} bytes of UTF-8`,
    }),
    symbol: tokenText(MAX_SYMBOL_BYTES).meta({
      description: `At most ${MAX_SYMBOL_BYTES} bytes of UTF-8`,
    }),
    metadata,
    recipient: evmAddress
      .refine((address) => !/^0x0+$/.test(address), 'must not be the zero address')
      .optional()
      .meta({ description: 'Gets all tokens. Default: the smart account.' }),
    dryRun: dryRunField,
  })
  .meta({
    id: 'FungibleTokenMintRequest',
    example: { name: 'Demo', symbol: 'DMO', metadata: {}, recipient: EXAMPLES.holder },
  });
export type MintRequest = z.output<typeof mintRequest>;

const fungibleToken = z.object({
  object: z.literal('fungible'),
  name: z.string(),
  symbol: z.string(),
  media: z.string().meta({ description: 'URL of the image; empty when the metadata names none' }),
  address: z.string(),
  decimals: z.number(),
  metadata: metadataFields.meta({ description: 'What the request named, stored with the operation' }),
});

const mintResponse = z
  .object({
    response: z.object({
      contract: z.object({ fungible: fungibleToken }),
      userOperationHash: z.string(),
      chainId: z.number(),
    }),
  })
  .meta({ id: 'MintFungibleTokenResponse' });
export type MintResponse = z.output<typeof mintResponse>;

export const mintOutcome = z.union([mintResponse, userOperationDryRun]);
export type MintOutcome = z.output<typeof mintOutcome>;

import { createConfigClass, envJson } from '@app/config';
import { isSolanaAddress, isSolanaChain, toChecksumAddress } from '@app/dto';
import { z } from 'zod';

/** More names than a person looks through. */
const MAX_OWN_COLLECTIONS = 50;

const ownCollection = z
  .strictObject({
    name: z.string().trim().min(1).max(64),
    chainId: z.int().positive(),
    address: z.string().max(64),
    /** What people also call it. */
    aliases: z.array(z.string().trim().min(1).max(64)).max(10).default([]),
    /** Whether the rule builder shows it before anything is typed. */
    isSuggested: z.boolean().default(false),
  })
  .refine(
    ({ chainId, address }) =>
      isSolanaChain(chainId) ? isSolanaAddress(address) : /^0x[0-9a-fA-F]{40}$/.test(address),
    { path: ['address'], message: 'must be the address of a contract on this chain' },
  )
  .transform(({ chainId, address, ...rest }) => ({
    ...{ ...rest, chainId },
    address: isSolanaChain(chainId) ? address : toChecksumAddress(address),
  }));

const ownCollectionsConfigSchema = z.object({
  OWN_COLLECTIONS: envJson(z.array(ownCollection).max(MAX_OWN_COLLECTIONS)).default([]).meta({
    description:
      'Tokens and collections that the rule builder of the portal finds by their names, beside well-known ones, and offers as suggestions where `isSuggested` is true.',
    format: 'JSON: `[{ "name", "chainId", "address", "aliases", "isSuggested" }]`',
  }),
});

/** The tokens and collections that this deployment knows by name. */
export class OwnCollectionsConfig extends createConfigClass(ownCollectionsConfigSchema) {}

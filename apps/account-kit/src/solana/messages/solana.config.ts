import { createConfigClass, loadConfig } from '@app/config';
import { isSolanaAddress } from '@app/dto';
import { z } from 'zod';

const MAX_PROGRAMS = 100;

const programs = z
  .string()
  .transform((text) => (text === '' ? [] : text.split(',').map((address) => address.trim())))
  .pipe(z.array(z.string().refine(isSolanaAddress, 'must be addresses in base58')).max(MAX_PROGRAMS));

const solanaConfigSchema = z.object({
  SOLANA_PROGRAMS: programs.default([]).meta({
    description:
      'Solana programs that transactions may call beside those whose instructions are decoded. A listed program can do with the account whatever it is asked to.',
    format: 'base58 addresses, comma separated',
  }),
});

export const loadListedPrograms = (): ReadonlySet<string> =>
  new Set(loadConfig(solanaConfigSchema).SOLANA_PROGRAMS);

/** What Solana transactions of accounts may do in this deployment. */
export class SolanaConfig extends createConfigClass(solanaConfigSchema) {}

import { formatErrorReason } from '@app/common';
import { loadConfig } from '@app/config';
import { createDatabase, serviceDatabaseConfigSchema } from '@app/database';
import { pino } from 'pino';
import { storage } from '../../database/storage.js';
import { loadFeeCeilings } from '../../evm/estimation/fee-ceilings.config.js';
import { loadExecutorKeys } from '../executor-keys.config.js';
import { loadPaymasters } from '../../evm/paymaster.config.js';
import { loadSolanaSponsors } from '../../solana/messages/solana-sponsor.config.js';
import { loadDefaultPolicy } from '../../policies/rules/policies.config.js';
import { loadListedPrograms } from '../../solana/messages/solana.config.js';
import { createKeyVaults } from '../vaults/create-key-vaults.js';
import {
  collectMessages,
  type SignerCall,
  signerCalls,
  type SignerOutcome,
  type SignerReply,
} from './signer-messages.js';
import { RefusedToSignError } from '../key-vault.errors.js';
import { Signer } from './signer.js';
/**
 * The entry of the process that holds the keys, so that no code which parses requests shares its memory. It talks to its parent
 * only, and ends with it.
 */
const POOL_SIZE = 2;

/** The signer does not log: its parent logs what it answers. */
const logger = pino({ enabled: false });
const database = createDatabase(
  storage,
  { ...loadConfig(serviceDatabaseConfigSchema), DATABASE_POOL_SIZE: POOL_SIZE },
  { name: 'account-kit-signer', logger },
);
const signer = new Signer(
  database,
  createKeyVaults(),
  loadExecutorKeys(),
  loadPaymasters(),
  loadSolanaSponsors(),
  {
    defaultPolicy: loadDefaultPolicy(),
    listedPrograms: loadListedPrograms(),
    feeCeilings: loadFeeCeilings(),
  },
);

const reply = collectMessages<SignerReply>((replies) => {
  // A parent that has gone waits for no reply, and without a callback the failure would be an uncaught error.
  process.send?.(replies, undefined, undefined, () => undefined);
});

async function answer({ callId, request }: SignerCall): Promise<void> {
  reply({ callId, outcome: await signer.handle(request).then(toDone, toFailure) });
}

const toDone = (result: unknown): SignerOutcome => ({ status: 'done', result });

function toFailure(error: unknown): SignerOutcome {
  const reason = formatErrorReason(error);
  if (!(error instanceof RefusedToSignError)) return { status: 'unavailable', reason };
  if (error.answer === undefined) return { status: 'refused', reason };
  const { name, statusCode, message, details } = error.answer;
  return { status: 'refused', reason, answer: { name, statusCode, message, details } };
}

process.on('message', (message) => {
  for (const call of signerCalls.parse(message)) void answer(call);
});
// The channel closes when the parent exits, even when it is killed.
process.once('disconnect', () => void database.close());
// A terminal sends its signals to the whole group; the parent decides when this process ends.
process.on('SIGINT', () => undefined);
// Without a handler Node opens its inspector, which reads the memory.
process.on('SIGUSR1', () => undefined);
process.on('SIGTERM', () => undefined);
database.onModuleInit();

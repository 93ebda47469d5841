import 'reflect-metadata';
import { type Database, defineCommand, runDatabaseCommand, textFlag, UsageError } from '@app/database';
import { z } from 'zod';
import { storage } from '../database/storage.js';
import {
  findAccountId,
  freeze,
  type FreezeTarget,
  listFreezes,
  unfreeze,
} from '../limits/freezes.queries.js';

const TARGETS = `  --account <address>      EVM or Solana address of a smart account
  --application <id>       client id
  --chain <id>             EVM chain id, SOL or SOL_DEVNET
  --paymaster <chain id>   sponsored operations of a chain
  --everything`;
const MAX_REASON_LENGTH = 500;

const targetFlags = z.object({
  account: textFlag('address').optional(),
  application: textFlag('id').optional(),
  chain: textFlag('id').optional(),
  paymaster: textFlag('chain id').optional(),
  everything: z.boolean().optional(),
});

type TargetFlags = z.output<typeof targetFlags>;

const REASON_LENGTH = `must have 1 to ${MAX_REASON_LENGTH} characters`;
const reason = z
  .string({ error: REASON_LENGTH })
  .trim()
  .min(1, REASON_LENGTH)
  .max(MAX_REASON_LENGTH, REASON_LENGTH)
  .meta({ value: 'text' });

const set = defineCommand({
  name: 'set',
  usage: 'set <what> --reason <text>',
  help: 'Nothing of it is signed or sent any more, until it is removed. What is in a stored transaction already is sent.',
  flags: targetFlags.extend({ reason }),
  run: async (database, flags) => {
    const target = await toTarget(database, flags);
    await freeze(database, target, flags.reason);
    return `Froze ${format(target)}.\n`;
  },
});

const remove = defineCommand({
  name: 'remove',
  usage: 'remove <what>',
  help: 'Lets it sign again. What waited is sent.',
  flags: targetFlags,
  run: async (database, flags) => {
    const target = await toTarget(database, flags);
    return (await unfreeze(database, target))
      ? `${format(target)} can sign again.\n`
      : `${format(target)} was not frozen.\n`;
  },
});

const show = defineCommand({
  name: 'show',
  help: 'Prints what is frozen, and why.',
  flags: z.object({}),
  run: async (database) => {
    const freezes = await listFreezes(database);
    if (freezes.length === 0) return 'Nothing is frozen.\n';
    return freezes.map(formatFreeze).join('');
  },
});

function formatFreeze(one: Awaited<ReturnType<typeof listFreezes>>[number]): string {
  const target = format({ scope: one.scope, subject: one.address ?? one.subject });
  return `${one.frozenAt.toISOString()}  ${target}: ${one.reason}\n`;
}

async function toTarget(
  database: Database,
  { account, application, chain, paymaster, everything }: TargetFlags,
): Promise<FreezeTarget> {
  const chosen = [
    ...(account === undefined ? [] : [{ scope: 'account', subject: account } as const]),
    ...(application === undefined ? [] : [{ scope: 'application', subject: application } as const]),
    ...(chain === undefined ? [] : [{ scope: 'chain', subject: toChain('--chain', chain) } as const]),
    ...(paymaster === undefined
      ? []
      : [{ scope: 'paymaster', subject: toChain('--paymaster', paymaster) } as const]),
    ...(everything ? [{ scope: 'everything', subject: '' } as const] : []),
  ];
  const [target] = chosen;
  if (!target || chosen.length > 1) throw new UsageError(`Name one of what can be frozen:\n${TARGETS}`);
  if (target.scope !== 'account') return target;
  const id = await findAccountId(database, target.subject);
  if (id === undefined)
    throw new UsageError(`--account: ${target.subject} is no smart account of this service`);
  return { scope: 'account', subject: id };
}

function toChain(flag: string, text: string): string {
  if (!/^(?:[1-9]\d{0,15}|SOL|SOL_DEVNET)$/.test(text))
    throw new UsageError(`${flag}: must be an EVM chain id, SOL or SOL_DEVNET`);
  return text;
}

const format = ({ scope, subject }: FreezeTarget): string => (subject === '' ? scope : `${scope} ${subject}`);

void runDatabaseCommand(process.argv.slice(2), {
  storage,
  name: 'account-kit',
  group: 'freeze',
  commands: [set, remove, show],
  notes: `<what> is one of\n${TARGETS}`,
}).then((exitCode) => {
  process.exitCode = exitCode;
});

import type { parseArgs } from 'node:util';
import { type Database, runDatabaseCommand, UsageError } from '@app/database';
import { storage } from './database/storage.js';
import {
  findAccountId,
  freeze,
  type FreezeTarget,
  listFreezes,
  unfreeze,
} from './freezes/freezes.queries.js';

const USAGE = `Usage:
  npm run gatehouse -- freeze set <what> --reason <text>
      Nothing of it is signed or sent any more, until it is removed. What is in a stored transaction already is sent.
  npm run gatehouse -- freeze remove <what>
      Lets it sign again. What waited is sent.
  npm run gatehouse -- freeze show
      Prints what is frozen, and why.

  <what> is one of
    --account <address>      EVM or Solana address of a smart account
    --application <id>       client id
    --chain <id>             EVM chain id, SOL or SOL_DEVNET
    --paymaster <chain id>   sponsored operations of a chain
    --everything
`;
const MAX_REASON_LENGTH = 500;

const OPTIONS = {
  account: { type: 'string' },
  application: { type: 'string' },
  chain: { type: 'string' },
  paymaster: { type: 'string' },
  everything: { type: 'boolean' },
  reason: { type: 'string' },
} as const;

type Flags = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** Freezes what must not sign. @returns the exit code */
export const runFreezeCommand = (args: string[]): Promise<number> =>
  runDatabaseCommand(args, {
    storage,
    name: 'account-kit',
    usage: USAGE,
    options: OPTIONS,
    commands: { set, remove, show },
  });

async function set(database: Database, flags: Flags): Promise<string> {
  const reason = flags.reason?.trim() ?? '';
  if (reason === '' || reason.length > MAX_REASON_LENGTH)
    throw new UsageError(`--reason: must have 1 to ${MAX_REASON_LENGTH} characters`);
  const target = await toTarget(database, flags);
  await freeze(database, target, reason);
  return `Froze ${format(target)}.\n`;
}

async function remove(database: Database, flags: Flags): Promise<string> {
  const target = await toTarget(database, flags);
  return (await unfreeze(database, target))
    ? `${format(target)} can sign again.\n`
    : `${format(target)} was not frozen.\n`;
}

async function show(database: Database): Promise<string> {
  const freezes = await listFreezes(database);
  if (freezes.length === 0) return 'Nothing is frozen.\n';
  return freezes
    .map(({ scope, subject, address, reason, frozenAt }) => {
      const target = format({ scope, subject: address ?? subject });
      return `${frozenAt.toISOString()}  ${target}: ${reason}\n`;
    })
    .join('');
}

async function toTarget(
  database: Database,
  { account, application, chain, paymaster, everything }: Flags,
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
  if (!target || chosen.length > 1) throw new UsageError(USAGE);
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

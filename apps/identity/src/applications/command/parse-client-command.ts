import { createCommand } from './create-command.js';
import { approveCommand, rejectCommand } from './approval-commands.js';
import { UsageError } from '@app/database';
import type { Command, ParsedCommand } from './define-command.js';
import { createKeyCommand, revokeKeyCommand } from './api-key-commands.js';
import { listCommand } from './list-command.js';
import { removeCommand, setCommand, setPlanCommand, setScopesCommand } from './update-commands.js';

const COMMANDS: readonly Command[] = [
  createCommand,
  listCommand,
  createKeyCommand,
  revokeKeyCommand,
  setCommand,
  setScopesCommand,
  approveCommand,
  rejectCommand,
  setPlanCommand,
  removeCommand,
];

export const formatUsage = (): string =>
  [
    'npm run gatehouse -- client <command>, each with [--json]:',
    ...COMMANDS.map((command) => `  ${command.usage}`),
    '',
  ].join('\n');

/**
 * Defaults to `create` when the first argument is a flag.
 * @throws UsageError
 */
export function parseClientCommand(args: string[]): ParsedCommand {
  const [name = '', ...rest] = args;
  if (name.startsWith('--')) return createCommand.parse(args);
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (!command) throw new UsageError(name === '' ? 'A command is missing' : `"${name}" is not a command`);
  return command.parse(rest);
}

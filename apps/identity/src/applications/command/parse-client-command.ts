import {
  createCommand,
  listCommand,
  removeCommand,
  setCommand,
  setPlanCommand,
  setScopesCommand,
  createKeyCommand,
  revokeKeyCommand,
  approveCommand,
  rejectCommand,
} from './client-commands.js';
import { UsageError } from '@app/database';
import type { Command, ParsedCommand } from './define-command.js';

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

/** @param remoteUsages commands that work with the public API, and need no database */
export const formatUsage = (remoteUsages: readonly string[]): string =>
  [
    'npm run gatehouse -- client <command>, each with [--json]:',
    ...COMMANDS.map((command) => `  ${command.usage}`),
    '',
    'From any machine, in the right of whoever signs in (docs/guides/as-code.md):',
    ...remoteUsages.map((usage) => `  ${usage}`),
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

import 'reflect-metadata';
import { runActionsCommand } from './run-actions-command.js';

void runActionsCommand(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});

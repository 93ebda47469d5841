import 'reflect-metadata';
import { runKeysCommand } from './run-keys-command.js';

void runKeysCommand(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});

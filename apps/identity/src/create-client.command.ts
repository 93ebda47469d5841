import 'reflect-metadata';
import { runClientCommand } from './run-client-command.js';

void runClientCommand(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});

import 'reflect-metadata';
import { runPoliciesCommand } from './run-policies-command.js';

void runPoliciesCommand(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});

import 'reflect-metadata';
import { runClientCommand } from './run-client-command.js';

process.exitCode = await runClientCommand(process.argv.slice(2));

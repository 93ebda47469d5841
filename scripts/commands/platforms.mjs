import { runKeyCommand } from './run-key-command.mjs';

runKeyCommand('platforms');

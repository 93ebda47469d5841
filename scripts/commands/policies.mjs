import { runAppCommand } from './run-app-command.mjs';

runAppCommand('account-kit', 'policies');

import { runAppCommand } from './run-app-command.mjs';

runAppCommand('analytics', 'analytics');

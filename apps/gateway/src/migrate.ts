import 'reflect-metadata';
import { runMigrateCommand } from '@app/database';
import { storage } from './pipeline/limit/storage.js';

void runMigrateCommand(storage);
